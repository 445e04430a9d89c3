// Tests of labels, groups and counts in tables.

package command

import (
	"slices"
	"strings"
	"testing"

	"repscope/analysis/generation"
)

// Names of labels are those of all tables, in their order: one side may lack some.
func TestNamesOfAllTables(t *testing.T) {
	t.Parallel()
	path := in(t, map[string]string{"g.csv": "label,a\ny,1\nz,2\n", "r.csv": "label,a,group\nx,1,u\ny,2,v\nz,3,u\n",
		"p.csv": "target,predicted,num_generated\nz,w,3.0\ny,y,2.0\n"})
	got, stderr := loaded(t, "--generated", "a="+path("g.csv"), "--real", path("r.csv"), "--predictions", "a="+path("p.csv"))
	if got == nil {
		t.Fatal(stderr)
	}
	if a := got.Generators[0]; !slices.Equal(a.Generated.Labels, []int{2, 3}) || !slices.Equal(got.Real.Labels, []int{1, 2, 3}) ||
		!slices.Equal(a.Predictions.Target, []int{3, 2}) || !slices.Equal(a.Predictions.Predicted, []int{0, 2}) || a.Predictions.Generated[3] != 3 {
		t.Errorf("%+v %+v %+v", a.Generated.Labels, got.Real.Labels, a.Predictions)
	}
	if !slices.Equal(got.Real.Groups, []int{0, 1, 0}) {
		t.Errorf("groups %v", got.Real.Groups)
	}
	if !strings.Contains(stderr, "in alphabetical order (w, x, y …)") {
		t.Error(stderr)
	}
}

// Tables as pandas writes them: row numbers, True and False, semicolons with decimal commas; columns of
// texts are left out and named, and an empty cell is an error with its row.
func TestTablesOfPandas(t *testing.T) {
	t.Parallel()
	path := in(t, map[string]string{"p.csv": ",x,flag,city,label\n0,0.5,True,Rome,a\n1,1.25,False,Oslo,b\n",
		"semi.csv": "x;flag;label\n0,5;True;a\n1,25;False;b\n", "hole.csv": "x,label\n1,a\n,b\n", "none.csv": "x,label\n1,a\n2,\n"})
	got, stderr := loaded(t, "--generated", "a="+path("p.csv"), "--real", path("semi.csv"))
	if got == nil {
		t.Fatal(stderr)
	}
	for _, s := range []*generation.Samples{got.Generators[0].Generated, got.Real} {
		if !slices.Equal(s.Rows.F64, []float64{0.5, 1, 1.25, 0}) || !slices.Equal(s.Labels, []int{0, 1}) {
			t.Errorf("%s: rows %v, labels %v", s.Name, s.Rows.F64, s.Labels)
		}
	}
	if want := "p.csv: text columns left out: city"; !strings.Contains(stderr, want) {
		t.Errorf("%s, want %s", stderr, want)
	}
	for name, want := range map[string]string{"hole.csv": "column x: row 1 is empty or NaN, want a value in every " +
		"row", "none.csv": "column label: row 1 is empty"} {
		if got, stderr := loaded(t, "--generated", "a="+path(name), "--real", path("semi.csv")); got != nil ||
			!strings.Contains(stderr, want) {
			t.Errorf("%s: %s, want %s", name, stderr, want)
		}
	}
	grouped := in(t, map[string]string{"g.csv": "x,label\n1,a\n2,b\n", "of.csv": "draw\nu\nv\n"})
	got, stderr = loaded(t, "--generated", "a="+grouped("g.csv"), "--real", grouped("g.csv"), "--groups",
		"a="+grouped("of.csv")+":draw")
	if got == nil || !slices.Equal(got.Generators[0].Generated.Groups, []int{0, 1}) {
		t.Errorf("groups of a table: %s", stderr)
	}
}

// Numbers and names of labels are joined by --label-names alone; numbers may be written with
// a decimal point.
func TestNumbersAndNames(t *testing.T) {
	t.Parallel()
	path := in(t, map[string]string{"cell.csv": "target,predicted\n1,2\n3,x\n", "whole.csv": "target,predicted\n1.0,2.0\n", "half.csv": "target,predicted\n1,2.5\n",
		"n.csv": "label,a\n0,1\n", "t.csv": "label,a\nx,1\n", "names.json": `{"0":"x"}`, "count.csv": "target,predicted,num_generated\n1,2,many\n"})
	for _, of := range []struct {
		args []string
		want string
	}{
		{[]string{"--predictions", "a=" + path("cell.csv")}, `column predicted: row 1 is "x", but`},
		{[]string{"--predictions", "a=" + path("half.csv")}, "column predicted: row 0 is 2.5, want a whole number"},
		{[]string{"--predictions", "a=" + path("count.csv")}, `column num_generated contains text ("many"), want whole numbers`},
		{[]string{"--generated", "a=" + path("n.csv"), "--real", path("t.csv")}, `column label: row 0 is "x", but`},
		{[]string{"--generated", "a=" + path("t.csv"), "--real", path("n.csv")}, "column label has numbers as labels, but"},
	} {
		if got, stderr := loaded(t, of.args...); got != nil || !strings.Contains(stderr, of.want) {
			t.Errorf("%v: %s", of.args, stderr)
		}
	}
	for _, args := range [][]string{{"--predictions", "a=" + path("whole.csv")}, {"--label-names", path("names.json"), "--generated", "a=" + path("t.csv"), "--real", path("n.csv")}} {
		if got, stderr := loaded(t, args...); got == nil {
			t.Errorf("%v: %s", args, stderr)
		}
	}
}
