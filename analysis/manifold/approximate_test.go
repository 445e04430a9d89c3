// The approximate mode against the exact one.

package manifold

import (
	"context"
	"math"
	"testing"

	"repscope/analysis"
	"repscope/internal/runtest"
	"repscope/measure/measuretest"
)

func TestApproximate(t *testing.T) {
	runtest.Long(t, "a large search")
	z := measuretest.Curved(10000)
	in := Input{Models: []Encoded{{Name: "curved", Latents: z}}}
	o := Options{GrideOrders: []int{2, 8}, Neighbors: []int{5}, Settings: analysis.Settings{Seed: 3}}
	exact, err := Analyze(t.Context(), in, o)
	if err != nil {
		t.Fatal(err)
	}
	o.Approximate = true
	found, err := Analyze(withExactPoints(t.Context(), 2000), in, o)
	if err != nil {
		t.Fatal(err)
	}
	a, b := found.Models[0], exact.Models[0]
	if b.Recall != nil {
		t.Error("an exact search has no recall")
	}
	if r := a.Recall; r == nil || r.Exact || r.Queries != 500 || r.Value.Float() < 0.98 {
		t.Errorf("recall %+v", r)
	}
	if a.TwoNN.Duplicates != b.TwoNN.Duplicates || a.TwoNN.NUsed != b.TwoNN.NUsed || b.TwoNN.Duplicates != 100 {
		t.Errorf("%d duplicates of %d, want %d of %d", a.TwoNN.Duplicates, a.TwoNN.NUsed, b.TwoNN.Duplicates, b.TwoNN.NUsed)
	}
	for _, v := range [][2]float64{
		{a.TwoNN.MLE.Float(), b.TwoNN.MLE.Float()},
		{a.Gride[1].ID.Float(), b.Gride[1].ID.Float()},
		{a.LevinaBickel[0].ID.Float(), b.LevinaBickel[0].ID.Float()},
	} {
		if !(math.Abs(v[0]/v[1]-1) < 0.01) {
			t.Errorf("dimension %v, exactly %v", v[0], v[1])
		}
	}
	if len(found.Warnings) > 0 {
		t.Errorf("warnings: %q", found.Warnings)
	}
	low := &LatentRecall{Value: a.Recall.Value, StandardError: a.Recall.StandardError}
	if low.Value.V = 0.5; low.warning("m") == "" || a.Recall.warning("m") != "" || (*LatentRecall)(nil).warning("m") != "" {
		t.Error("the warning is for a recall below 0.95")
	}
}

func TestApproximateIsExactForFew(t *testing.T) {
	in := Input{Models: []Encoded{{Name: "curved", Latents: measuretest.Curved(600)}}}
	exact, err := Analyze(t.Context(), in, Options{})
	if err != nil {
		t.Fatal(err)
	}
	found, err := Analyze(t.Context(), in, Options{Approximate: true})
	if err != nil {
		t.Fatal(err)
	}
	if r := found.Models[0].Recall; r == nil || !r.Exact || r.Value.Float() != 1 {
		t.Errorf("recall %+v", r)
	}
	if a, b := found.Models[0].TwoNN, exact.Models[0].TwoNN; a.MLE != b.MLE || a.Fit != b.Fit || a.Duplicates != b.Duplicates {
		t.Errorf("%+v, want that of the exact search, %+v", a, b)
	}
}

// withExactPoints is a context under which tests of few latents search approximately: searches
// among up to n are exact anyway.
func withExactPoints(ctx context.Context, n int) context.Context {
	return context.WithValue(ctx, exactPointsKey{}, n)
}
