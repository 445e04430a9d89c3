// Tests of the means of models, improvements and comparisons.

package canvas_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"repscope/analysis/canvas"
	"repscope/analysis/canvas/internal/faketest"
	"repscope/report"
	"repscope/stat"
)

// A mean is that of the cases that have the key, its interval Student's over independent samples,
// and what is missing is counted by reason.
func TestMeans(t *testing.T) {
	t.Parallel()
	r := faketest.Analyzed(t, faketest.Tree())
	var values []float64
	for s := range 9 {
		if s != 3 {
			values = append(values, float64((s*7+5)%11)/11+0.001)
		}
	}
	n := faketest.Number(t, r, "large", "quality")
	mean, variance := stat.MeanVariance(values)
	q, err := stat.StudentTQuantile(0.975, 7)
	if err != nil {
		t.Fatal(err)
	}
	half := q * math.Sqrt(variance/8)
	low, high := max(mean-half, 0), min(mean+half, 1)
	if n.N != 8 || math.Abs(n.Value.V-mean) > 1e-12 || math.Abs(n.CI.Low-low) > 1e-9 || math.Abs(n.CI.High-high) > 1e-9 {
		t.Errorf("mean %+v of %d in %+v, want %g in %g…%g", n.Value, n.N, n.CI, mean, low, high)
	}
	if want := math.Sqrt(variance * 7 / 8); math.Abs(n.SD.V-want) > 1e-12 {
		t.Errorf("spread %v, want %v", n.SD.V, want)
	}
	if want := []canvas.Missing{{"gid3-9-large.json: no such file", 1}}; !slices.Equal(n.Missing, want) {
		t.Errorf("missing %v, want %v", n.Missing, want)
	}
	if m := r.Models[1]; m.Name != "large" || m.Cases != 9 || m.Samples != 9 || m.Failed != 1 {
		t.Errorf("model %s: %d cases of %d samples, %d failed", m.Name, m.Cases, m.Samples, m.Failed)
	}
	calls := faketest.Number(t, r, "small", "calls")
	if want := []canvas.Missing{{"no trace is given", 5}}; calls.N != 4 || !slices.Equal(calls.Missing, want) {
		t.Errorf("calls of %d cases, missing %v", calls.N, calls.Missing)
	}
}

// Of too few samples there is no interval, with the reason; of a key that no case has, no number.
func TestFewSamples(t *testing.T) {
	t.Parallel()
	f := faketest.NewRun()
	for s := range 2 {
		for v := range 4 { // variants of a sample are no samples of their own
			c := f.Add(fmt.Sprintf("s%d", s), "m", fmt.Sprintf("quality=0.%d", s+v))
			c.ID, c.Variant = fmt.Sprintf("%s-%d", c.ID, v), fmt.Sprint(v)
		}
	}
	r := faketest.Analyzed(t, f)
	n := faketest.Number(t, r, "m", "quality")
	if n.N != 8 || n.CI.Defined() || n.CI.Reason != "only 2 samples, want at least 3" {
		t.Errorf("%d cases, interval %+v", n.N, n.CI)
	}
	calls := faketest.Number(t, r, "m", "calls")
	if calls.Value.Defined() || calls.Value.Reason != "no trace is given" {
		t.Errorf("calls %+v", calls.Value)
	}
	part := encodedModel(t, r, "m")
	if skipped, _ := part.Get("skipped"); !strings.Contains(fmt.Sprint(skipped), "calls") || strings.Contains(fmt.Sprint(skipped), "quality") {
		t.Errorf("skipped: %v", skipped)
	}
}

// Cases of one sample are one block: their interval is that of the means of samples.
func TestSamplesAreBlocks(t *testing.T) {
	t.Parallel()
	f := faketest.NewRun()
	var means []float64
	for s := range 6 {
		q := float64((s*5)%6) / 10
		means = append(means, q+0.05)
		for v := range 2 {
			c := f.Add(fmt.Sprintf("s%d", s), "m", fmt.Sprintf("quality=%g", q+0.1*float64(v)))
			c.ID, c.Variant = fmt.Sprintf("%s-%d", c.ID, v), fmt.Sprint(v)
			f.Files[c.ID+".json"] = fmt.Sprintf("quality=%g", q+0.1*float64(v))
			c.Generated.Design = c.ID + ".json"
		}
	}
	n := faketest.Number(t, faketest.Analyzed(t, f), "m", "quality")
	mean, variance := stat.MeanVariance(means)
	q, err := stat.StudentTQuantile(0.975, 5)
	if err != nil {
		t.Fatal(err)
	}
	if half := q * math.Sqrt(variance/6); math.Abs(n.CI.Low-(mean-half)) > 1e-9 {
		t.Errorf("interval %+v, want one from %g", n.CI, mean-half)
	}
}

// Models are compared on the cases that both have: by the interval of paired differences.
func TestComparisons(t *testing.T) {
	t.Parallel()
	r := faketest.Analyzed(t, faketest.Tree())
	i := slices.IndexFunc(r.Comparisons, func(c report.Comparison) bool { return c.Metric == "quality" && c.A == "small" && c.B == "large" })
	if i < 0 {
		t.Fatal("small and large are not compared")
	}
	c := r.Comparisons[i]
	var differences []float64
	for s := range 9 {
		if s != 3 && s != 5 { // one of both could not be read
			differences = append(differences, float64((s*7)%11)/11-float64((s*7+5)%11)/11-0.001)
		}
	}
	mean, variance := stat.MeanVariance(differences)
	if math.Abs(c.Difference.V-mean) > 1e-9 || c.P.V != stat.TTestP(c.T.V, c.DF.V) ||
		math.Abs(c.T.V-mean/math.Sqrt(variance/7)) > 1e-6 || *c.Blocks != 7 {
		t.Errorf("difference %v with t = %v over %d, want %g", c.Difference.V, c.T.V, *c.Blocks, mean)
	}
	families := map[string]int{}
	for _, c := range r.Comparisons {
		families[c.Family]++
		if c.PHolm.V < c.P.V {
			t.Errorf("%s: p %v after correction, %v before", c.Metric, c.PHolm.V, c.P.V)
		}
	}
	if len(families) != 2 || families["quality"] != 3 || families["double"] != 3 {
		t.Errorf("families %v", families)
	}
}

// Models that share too few samples are not compared, which a warning says once for each pair.
func TestComparisonsOfFewSamples(t *testing.T) {
	t.Parallel()
	f := faketest.NewRun()
	for s := range 5 {
		f.Add(fmt.Sprint("s", s), "a", fmt.Sprintf("quality=0.%d", s))
		f.Add(fmt.Sprint("s", s+3), "b", fmt.Sprintf("quality=0.%d", s*s%7))
	}
	r := faketest.Analyzed(t, f)
	if len(r.Comparisons) > 0 {
		t.Errorf("compared: %v", r.Comparisons)
	}
	want := "a and b are not compared on quality: only 2 samples, want at least 3"
	if !slices.Contains(r.Warnings, want) || strings.Count(strings.Join(r.Warnings, "\n"), "not compared") != 1 {
		t.Errorf("warnings %q, want %q", r.Warnings, want)
	}
}

// An improvement is the mean difference to the design that the modification began with, over the
// cases that have both; its sign test is the binomial one over samples.
func TestImprovements(t *testing.T) {
	t.Parallel()
	r := faketest.Analyzed(t, faketest.Tree())
	g := faketest.Number(t, r, "small", "quality").Improvement
	if g == nil {
		t.Fatal("there is no improvement")
	}
	raised, lowered, equal, sum, n := 0, 0, 0, 0.0, 0
	for s := range 9 {
		if s == 5 {
			continue
		}
		d := float64((s*7)%11)/11 - float64(s%4)/10
		sum, n = sum+d, n+1
		switch {
		case d > 0:
			raised++
		case d < 0:
			lowered++
		default:
			equal++
		}
	}
	p, err := stat.McNemar(raised, lowered)
	if err != nil {
		t.Fatal(err)
	}
	if g.N != n || math.Abs(g.Value.V-sum/float64(n)) > 1e-9 || g.Raised != raised ||
		g.Lowered != lowered || g.Equal != equal || g.P.V != p || g.PHolm.V < p {
		t.Errorf("improvement %+v, want %g of %d: %d raised, %d lowered, %d equal, p = %g", g, sum/float64(n), n, raised, lowered, equal, p)
	}
	if !g.CI.Defined() || g.CI.Low < -1 || g.CI.High > 1 {
		t.Errorf("interval %+v", g.CI)
	}
	if faketest.Number(t, r, "small", "size").Improvement != nil {
		t.Error("size has an improvement")
	}
	if _, err := encodedModel(t, r, "small").Number("quality_improvement"); err != nil {
		t.Error(err)
	}
}

// Tasks without a design to begin with have no improvements.
func TestWithoutBase(t *testing.T) {
	t.Parallel()
	f := faketest.Tree()
	for i := range f.Cases {
		f.Cases[i].Base = canvas.Side{}
	}
	r := faketest.Analyzed(t, f)
	if faketest.Number(t, r, "small", "quality").Improvement != nil || r.Rows[0].Base != nil {
		t.Error("there is an improvement of nothing")
	}
	if _, err := encodedModel(t, r, "small").Number("quality_improvement"); err == nil {
		t.Error("the result has an improvement")
	}
}

// encodedModel is the part of a model as the result file holds it.
func encodedModel(t *testing.T, r *canvas.Result, model string) report.Object {
	t.Helper()
	out := report.NewResult("canvas")
	for _, m := range r.Models {
		out.Models.Set(m.Name, m.Object)
	}
	part, err := out.Model(model)
	if err != nil {
		t.Fatal(err)
	}
	return part
}
