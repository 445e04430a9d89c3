// Tests of comparisons of models.

package sequence_test

import (
	"cmp"
	"slices"
	"testing"

	"repscope/analysis/sequence"
	"repscope/analysis/sequence/internal/sequencetest"
	"repscope/analysis/sequence/metrics"
	"repscope/measure/measuretest"
	"repscope/report"
	"repscope/stat"
)

// Models are compared by what deleting a group does to their difference.
func TestComparison(t *testing.T) {
	t.Parallel()
	r := sequencetest.Analyze(t, sequencetest.Input(metrics.All(), 40, 2, "masked_accuracy"))
	d := r.Datasets[0]
	if len(d.Comparisons) != 1 || d.Comparisons[0].Metric != "mask_acc" {
		t.Fatalf("%d comparisons", len(d.Comparisons))
	}
	a, b := sequence.JackknifeOf(&d.Models[0], "mask_acc"), sequence.JackknifeOf(&d.Models[1], "mask_acc")
	want, err := stat.Combine(func(v []float64) float64 { return v[0] - v[1] }, a, b)
	if err != nil {
		t.Fatal(err)
	}
	c := d.Comparisons[0]
	measuretest.Near(t, "difference", c.Difference.V, want.Estimate, 1e-12)
	measuretest.Near(t, "low end", c.CI.Low, want.Interval.Low, 1e-12)
	measuretest.Near(t, "high end", c.CI.High, want.Interval.High, 1e-12)
	if !c.P.Defined() {
		t.Errorf("p %v", c.P)
	}
	if d.Blocks != "20 clusters" {
		t.Errorf("blocks %q", d.Blocks)
	}
}

// The correction is over all numbers of a family.
func TestCorrection(t *testing.T) {
	t.Parallel()
	d := sequencetest.Analyze(t, sequencetest.Input(metrics.All(), 24, 1, "region_accuracy")).Datasets[0]
	tests := 0
	for _, c := range d.Comparisons {
		if c.P.Defined() {
			tests++
		}
		if c.PHolm.Defined() && c.PHolm.V < c.P.V {
			t.Errorf("%s: p %v, corrected %v", c.Metric, c.P, c.PHolm)
		}
	}
	least := slices.MinFunc(d.Comparisons, func(a, b report.Comparison) int { return cmp.Compare(a.P.V, b.P.V) })
	if tests < 2 {
		t.Errorf("%d tests", tests)
	}
	measuretest.Near(t, "corrected p of "+least.Metric, least.PHolm.V, min(1, least.P.V*float64(tests)), 1e-12)
}
