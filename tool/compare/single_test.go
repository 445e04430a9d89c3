// A single run next to several, and aggregates about other samples: closed forms.

package compare

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"repscope/report"
	"repscope/stat"
)

// runFile is a result file of one run with one number.
func runFile(t *testing.T, dir, model string, run int, v float64, ci string) string {
	t.Helper()
	path := filepath.Join(dir, fmt.Sprintf("%s-%d.json", model, run))
	write(t, path, fmt.Sprintf(`{"schema":"repscope/1","analysis":"a","metrics":{"x":{"direction":"lower"}},"models":{%q:{"x":%v,"x_ci":%s}}}`, model, v, ci))
	return fmt.Sprintf("@%d=%s", run, path)
}

// TestSingleRun: without intervals the test is that of one score against a sample (Crawford and Howell 1998); with
// intervals the variance of the runs is added once more, and p follows Student's t of the runs.
func TestSingleRun(t *testing.T) {
	t.Parallel()
	values := []float64{1, 2, 3, 6}
	s, mean := stat.StandardDeviation(values), stat.Mean(values)
	for _, ci := range []bool{false, true} {
		dir := t.TempDir()
		of := func(v, half float64) string {
			if !ci {
				return "null"
			}
			return fmt.Sprintf("[%v,%v]", v-half, v+half)
		}
		args := []string{runFile(t, dir, "base", 1, 9, of(9, 0.5))}
		for run, v := range values {
			args = append(args, runFile(t, dir, "m", run+1, v, of(v, 0.25)))
		}
		for _, fixed := range []bool{false, true} {
			o := Options{Baseline: "base"}
			se := s * math.Sqrt(1.25)
			if fixed {
				o.Fixed = []string{"base"}
				se = s / 2
			}
			cell := must(t, o, args...).Table[0].Cells[1]
			half := quantile(3) * se
			if ci {
				half = math.Hypot(half, math.Hypot(0.5, 0.25))
			}
			want := stat.TTestP((mean-9)/half*quantile(3), 3)
			if !near(cell.P.V, want, 1e-9) || !near(cell.DifferenceCI.Low, mean-9-half, 1e-9) || !near(cell.DifferenceCI.High, mean-9+half, 1e-9) {
				t.Errorf("intervals %v, fixed %v: p %v, %v, want %v and half a width of %v", ci, fixed, cell.P.V, cell.DifferenceCI, want, half)
			}
			if noted := strings.Contains(strings.Join(cell.Notes, ";"), "base has only one run"); noted == fixed {
				t.Errorf("intervals %v, fixed %v: notes %q", ci, fixed, cell.Notes)
			}
		}
	}
}

// TestScreening: q values are those of all differences of the table, whatever the family.
func TestScreening(t *testing.T) {
	t.Parallel()
	g, err := Example(5)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Compare(context.Background(), g, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var p, q, holm []float64
	for _, row := range r.Table {
		for _, cell := range row.Cells {
			if cell != nil && cell.P != nil {
				p, q, holm = append(p, cell.P.Float()), append(q, cell.Q.Float()), append(holm, cell.PHolm.Float())
			}
		}
	}
	for i, want := range stat.BenjaminiYekutieli(p) {
		if q[i] != want {
			t.Errorf("q %v, want %v", q[i], want)
		}
	}
	decided, together := 0, 0
	for i, v := range stat.Holm(p) {
		if v < alpha {
			together++
		}
		if holm[i] < alpha {
			decided++
		}
	}
	if want := (report.Decisions{Families: 2, Tests: len(p), Decided: decided, Together: together}); r.Decisions != want {
		t.Errorf("%+v, want %+v", r.Decisions, want)
	}
}

// TestAboutSamples: the error of the samples of a mean over T tasks is √(Σ h²)/T, with half the width h of the intervals
// of the runs of a task.
func TestAboutSamples(t *testing.T) {
	t.Parallel()
	halves := []float64{0.3, 0.6, 1.2}
	var args, lacking []string
	for task, half := range halves {
		dir := t.TempDir()
		for run := range 3 {
			v := float64(task) + 0.1*float64(run*run)
			for _, model := range []string{"a", "b"} {
				arg := fmt.Sprintf("t%d%s", task, runFile(t, dir, model, run, v, fmt.Sprintf("[%v,%v]", v-half, v+half)))
				args = append(args, arg)
				if task == 0 && run == 0 && model == "b" {
					arg = "t0" + runFile(t, t.TempDir(), model, run, v, "null")
				}
				lacking = append(lacking, arg)
			}
		}
	}
	a := must(t, Options{}, args...).Studies[0].of["a"]
	squares := 0.0
	for _, h := range halves {
		squares += h * h / 9
	}
	want := math.Hypot(a.MeanCI.High-a.Mean.V, math.Sqrt(squares))
	if ci := a.MeanSamplesCI; !near(ci.High-a.Mean.V, want, 1e-9) || !near(a.Mean.V-ci.Low, want, 1e-9) {
		t.Errorf("%v about samples, %v about runs; want half a width of %v", ci, a.MeanCI, want)
	}
	if b := must(t, Options{}, lacking...).Studies[0].of["b"]; b.MeanSamplesCI != nil || !b.MeanCI.Defined() {
		t.Errorf("a run without an interval: %v", b.MeanSamplesCI)
	}
}
