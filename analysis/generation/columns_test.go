// Tests of labels, groups and counts in tables.

package generation

import (
	"slices"
	"strings"
	"testing"
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
	if !strings.Contains(stderr, "order is that of their letters (w, x, y …)") {
		t.Error(stderr)
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
		{[]string{"--predictions", "a=" + path("count.csv")}, `column num_generated holds texts ("many"), want whole numbers`},
		{[]string{"--generated", "a=" + path("n.csv"), "--real", path("t.csv")}, `column label: row 0 is "x", but`},
		{[]string{"--generated", "a=" + path("t.csv"), "--real", path("n.csv")}, "column label holds numbers as labels, but"},
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
