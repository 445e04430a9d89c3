// Tests of tables: wide and long ones, and those that are wrong.

package validate

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"repscope/internal/run"
	"repscope/report"
)

// known are directions as analyses describe them.
var known = directionsOf([]run.Command{{Name: "manifold", Metrics: func() []report.Described {
	return []report.Described{{Name: "rankme", Better: report.Neither}, {Name: "by_k.loss", Better: report.Lower},
		{Name: "score", Better: report.Higher}}
}}, {Name: "other", Metrics: func() []report.Described {
	return []report.Described{{Name: "score", Better: report.Lower}, {Name: "r2", Better: report.Higher}}
}}})

func TestDirections(t *testing.T) {
	t.Parallel()
	c := Columns{Higher: []string{"*_rank"}, Lower: []string{"x"}}
	for name, want := range map[string]direction{
		"manifold.rankme":          {Unknown, fromDescription},
		"manifold.by_k.loss[k=5]":  {report.Lower, fromDescription},
		"by_k.loss":                {report.Lower, fromDescription},
		"manifold.layer.score":     {report.Higher, fromDescription},
		"other.score":              {report.Lower, fromDescription},
		"score":                    {Unknown, fromDescription}, // the analyses differ
		"other.probes.r2[p=ridge]": {report.Higher, fromDescription},
		"stable_rank":              {report.Higher, fromFlag},
		"x":                        {report.Lower, fromFlag},
		"mystery":                  {Unknown, fromNone},
	} {
		if got := known.of(name, c); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}

func TestParse_Wide(t *testing.T) {
	t.Parallel()
	const table = "\ufeffRun;Epoch;success;rankme;note;loss\na;1;0,5;10;first;2\na;2;;11;x;1,5\n" +
		"b;1;0,75;nan;;inf\nb;2;1e-1;13;;1\n"
	in, err := Parse("t.csv", []byte(table), Columns{Outcome: "success"}, known)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(in.Outcome, []float64{0.5, 0.75, 0.1}) || in.Empty != 1 || in.StepName != "Epoch" {
		t.Errorf("%+v", in)
	}
	if !slices.Equal(in.Run, []string{"a", "b", "b"}) || !slices.Equal(in.Step, []float64{1, 1, 2}) {
		t.Errorf("runs %v, steps %v", in.Run, in.Step)
	}
	if len(in.Numbers) != 2 || in.Numbers[0].Name != "rankme" || !math.IsNaN(in.Numbers[0].Values[1]) ||
		!math.IsNaN(in.Numbers[1].Values[1]) || in.Numbers[1].Values[0] != 2 {
		t.Errorf("numbers %+v", in.Numbers)
	}
	if len(in.notes) != 1 || !strings.Contains(in.notes[0], "note") {
		t.Errorf("notes %q", in.notes)
	}
}

// The layout of summary.csv: a row for each number; runs and steps come from the names of models.
func TestParse_Long(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("Dataset,Analysis,Model,Metric,Parameter,Estimate,Low,High,Std_Error,Reason\n")
	for _, dataset := range []string{"pong", "qbert"} {
		for step := range 3 {
			for k, metric := range []string{"rankme,", "by_k.loss,k=5"} {
				fmt.Fprintf(&b, "%s,manifold,run/a/%d,%s,%v,,,,\n", dataset, 100*step, metric, step+10*k)
			}
		}
	}
	c := Columns{Outcome: "manifold.rankme"}
	in, err := Parse("summary.csv", []byte(b.String()), c, known)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(in.Run[:4], []string{"pong: run/a", "pong: run/a", "pong: run/a", "qbert: run/a"}) ||
		!slices.Equal(in.Step[:4], []float64{0, 100, 200, 0}) || in.Labels[5] != "qbert: run/a/200" {
		t.Errorf("runs %q, steps %v, rows %q", in.Run, in.Step, in.Labels)
	}
	if len(in.Numbers) != 1 || in.Numbers[0].Name != "manifold.by_k.loss[k=5]" ||
		in.Numbers[0].Direction != report.Lower || !slices.Equal(in.Numbers[0].Values[:3], []float64{10, 11, 12}) {
		t.Errorf("numbers %+v", in.Numbers)
	}
	twice := b.String() + "pong,manifold,run/a/0,rankme,,5,,,,\n"
	_, err = Parse("summary.csv", []byte(twice), c, known)
	if err == nil || !strings.Contains(err.Error(), "line 14: manifold.rankme of the model run/a/0 is in line 2, too") {
		t.Errorf("error %v", err)
	}
}

func TestParse_Wrong(t *testing.T) {
	t.Parallel()
	const good = "run,step,success,rank,loss\na,1,0.5,3,2\na,2,0.6,4,1\n"
	for _, c := range []struct {
		table, want string
		columns     Columns
	}{
		{good, `--outcome: there is no column "sucess"; the columns are run, step, success, rank, loss`,
			Columns{Outcome: "sucess"}},
		{good, `--outcome-se: there is no column "se"`, Columns{Outcome: "success", OutcomeSE: "se"}},
		{good, `--run: there is no column "seed"`, Columns{Outcome: "success", Run: "seed"}},
		{good, `--after: there is no column "time"`, Columns{Outcome: "success", After: "time"}},
		{good, `--validation-loss: there is no column "val"`, Columns{Outcome: "success", ValidationLoss: "val"}},
		{good, `--numbers: there is no column "rankme"`, Columns{Outcome: "success", Numbers: []string{"rank", "rankme"}}},
		{good, "--numbers: the column step is the outcome, a run or a step",
			Columns{Outcome: "success", Numbers: []string{"step"}}},
		{good, `--outcome-halves: there is no column "x"`, Columns{Halves: []string{"success", "x"}}},
		{"run,step,success\na,1,2\n", "there is no column of numbers next to success", Columns{Outcome: "success"}},
		{"success;rank\n1;0,5\n2;1.234\n3;4\n4;5\n",
			`line 3: the column rank: points may be of decimals or of thousands: "1.234" next to "0,5"`, Columns{Outcome: "success"}},
		{"success,rank\n1,2\n2,many\n3,4\n4,5\n", `line 3: the column rank holds "many", want a number`,
			Columns{Outcome: "success"}},
		{"success,rank\n1,2\nbad,3\n", `--outcome: line 3: the column success holds "bad"`, Columns{Outcome: "success"}},
		{"success,name,rank\n1,a,2\n", `--outcome: line 2: the column name holds "a"`, Columns{Outcome: "name"}},
		{"run,step,y,x\na,1,1,1\na,1,2,2\n", "line 3: the run a has step 1 in line 2, too", Columns{Outcome: "y"}},
		{"step,y,x\n1,1,1\n1,2,2\n", "line 3: the run all has step 1 in line 2, too", Columns{Outcome: "y"}},
		{"run,step,y,x\na,,1,1\n", "line 2: the column step is empty", Columns{Outcome: "y"}},
		{"run,y,x\n,1,1\n", "line 2: the column run is empty", Columns{Outcome: "y"}},
		{"y,s,x\n1,-1,1\n", "line 2: the standard error s is -1", Columns{Outcome: "y", OutcomeSE: "s"}},
		{"y,x\n", "there are no rows", Columns{Outcome: "y"}},
		{"", "the table is empty", Columns{Outcome: "y"}},
		{"y,x\n1\n", "line 2 does not have the same number of cells", Columns{Outcome: "y"}},
		{"y,y\n1,2\n", `two columns are named "y"`, Columns{Outcome: "y"}},
	} {
		_, err := Parse("t.csv", []byte(c.table), c.columns, known)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %s", c.table, err, c.want)
		}
	}
}

// A long table of n rows with n models and n metrics has n² cells: it is refused before they take memory.
func TestParse_Hostile(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	b.WriteString("Model,Metric,Parameter,Estimate\n")
	for i := range 20_000 {
		fmt.Fprintf(&b, "%d,%d,,1\n", i, i)
	}
	if _, err := Parse("t.csv", b.Bytes(), Columns{Outcome: "1"}, nil); err == nil ||
		!strings.Contains(err.Error(), "damaged or malicious") {
		t.Errorf("error %v", err)
	}
}

func TestAnalyze_ManyRows(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: a table of 100,000 rows")
	}
	t.Parallel()
	var b bytes.Buffer
	b.WriteString("run,step,y,se,x\n")
	for i := range 100_000 {
		fmt.Fprintf(&b, "%d,%d,%v,0.1,%v\n", i/100, i%100, math.Sin(float64(i)), math.Sin(float64(i)+0.5))
	}
	in, err := Parse("t.csv", b.Bytes(), Columns{Outcome: "y", OutcomeSE: "se"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Analyze(t.Context(), in, Options{Intervals: true, Permutations: 19})
	if err != nil {
		t.Fatal(err)
	}
	n := r.Numbers[0]
	if !n.Spearman.CI.Defined() || !n.Regret.CI.Defined() || n.Kendall.CI.Defined() || !n.PMax.Defined() {
		t.Errorf("%+v", n)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("run,step,y,x\na,1,1,1\na,2,2,3\n"))
	f.Add([]byte("Dataset,Analysis,Model,Metric,Parameter,Estimate\nd,a,m/1,y,,1\nd,a,m/1,x,k=1,2\nd,a,m/2,y,,3\n"))
	f.Add([]byte("\ufeffy;x\n0,5;na\n1;2\n3;inf\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, c := range []Columns{{Outcome: "y"}, {Halves: []string{"y", "x"}, After: None},
			{Outcome: "a.y", OutcomeSE: "x", Run: None}} {
			in, err := Parse("t.csv", data, c, known)
			if err != nil {
				continue
			}
			if len(in.Outcome) > 200 || len(in.Numbers) > 20 {
				continue
			}
			for _, v := range in.Outcome {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Fatalf("outcome %v", v)
				}
			}
			r, err := Analyze(t.Context(), in, Options{Intervals: true, Permutations: 19})
			if err == nil && r.Sentence == "" {
				t.Fatal("no sentence")
			}
		}
	})
}
