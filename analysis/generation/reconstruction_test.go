// Tests of the metric reconstruction.

package generation

import (
	"context"
	"math"
	"strings"
	"testing"

	"repscope/analysis"
)

// byHand are pairs of two channels of three cells.
func byHand(original, probability []float64) *Pairs {
	return &Pairs{Name: "given", N: len(original) / 6, Shape: []int{2, 3}, Channels: []string{"start", "end"}, Read: func(_ context.Context, a, b []float64, lo, hi int) error {
		copy(a, original[lo*6:hi*6])
		copy(b, probability[lo*6:hi*6])
		return nil
	}}
}

// By hand: half of the cells of one channel, an empty channel, and two empty grids.
func TestReconstructionByHand(t *testing.T) {
	t.Parallel()
	in := Input{Generators: []Generator{{Name: "g", Reconstruction: byHand(
		[]float64{1, 1, 0, 0, 0, 0 /**/, 1, 0, 0, 0, 1, 1 /**/, 0, 0, 0, 0, 0, 0 /**/, 1, 0, 1, 1, 0, 0},
		[]float64{0.6, 0.5, 0, 0, 0, 0.1 /**/, 0.9, 0.2, 0.7, 0, 0.8, 0 /**/, 0, 0.5, 0, 0, 0, 0 /**/, 1, 0, 1, 1, 0, 0})}}}
	r := analyzed(t, in, Options{Metrics: []string{"reconstruction"}}).Models[0].Reconstruction
	for i, want := range []float64{1. / 2, 2. / 4, 1, 1} {
		if r.IoU[i] != want {
			t.Errorf("sample %d: IoU %v, want %v", i, r.IoU[i], want)
		}
	}
	if r.Mean.Value.V != 0.75 || r.Median.Value.V != 0.75 || r.SD != 0.25 || r.Both != 1 || r.Exact.Value.V != 0.5 {
		t.Errorf("%+v", r)
	}
	start, end := r.Channels[0], r.Channels[1]
	if start.Name != "start" || math.Abs(start.Mean.Value.V-(0.5+0.5+1)/3) > 1e-15 || start.Excluded != 1 {
		t.Errorf("start %+v", start)
	}
	if end.Name != "end" || end.Mean.Value.V != 0.75 || end.Excluded != 2 {
		t.Errorf("end %+v", end)
	}
}

// A perfect reconstruction has 1 everywhere, in every label.
func TestPerfectReconstruction(t *testing.T) {
	t.Parallel()
	s := made(1, 30, 2, 12, 5, 3)
	r := analyzed(t, Input{Generators: []Generator{{Name: "g", Reconstruction: madePairs(1, s, 0)}}}, Options{Settings: analysis.Settings{Intervals: true}}).Models[0].Reconstruction
	if r.Mean.Value.V != 1 || r.SD != 0 || r.Exact.Value.V != 1 || len(r.ByLabel) != 3 || r.ByLabel[2].Mean.Value.V != 1 || r.ByLabel[2].N != 10 {
		t.Errorf("%+v", r)
	}
	if r.Mean.CI.Defined() || !strings.Contains(r.Mean.CI.Reason, "same value") {
		t.Errorf("an interval of what does not vary: %+v", r.Mean.CI)
	}
}

// Generators that reconstruct the same items are compared item by item, others are not.
func TestReconstructionIsPaired(t *testing.T) {
	t.Parallel()
	blocks := func(in Input) int {
		r := analyzed(t, in, Options{Metrics: []string{"reconstruction"}, Settings: analysis.Settings{Intervals: true}})
		if len(r.Comparisons) != 1 || r.Comparisons[0].Metric != "reconstruction.mean_iou" {
			t.Fatalf("%+v", r.Comparisons)
		}
		return *r.Comparisons[0].Blocks
	}
	in := madeInput()
	if got := blocks(in); got != 60 {
		t.Errorf("the same items: %d blocks, want 60", got)
	}
	in.Generators[1].Reconstruction = madePairs(4, made(8, 60, 2, 12, 5, 3), 0.3)
	if got := blocks(in); got != 120 {
		t.Errorf("other items: %d blocks, want 120", got)
	}
}

// Groups whose size goes with the reconstruction of their samples are told, equal ones are not.
func TestReconstructionWarnsOfSizes(t *testing.T) {
	t.Parallel()
	for _, grows := range []int{0, 1} {
		var original, rebuilt []float64
		var groups []int
		for g := range 8 {
			for range 4 + 3*g*grows {
				original = append(original, 1, 1, 1, 1, 1, 1)
				for cell := range 6 {
					rebuilt = append(rebuilt, float64(min(1, max(0, g-cell))))
				}
				groups = append(groups, g)
			}
		}
		pairs := byHand(original, rebuilt)
		pairs.Groups = groups
		r := analyzed(t, Input{Generators: []Generator{{Name: "g", Reconstruction: pairs}}},
			Options{Metrics: []string{"reconstruction"}, Settings: analysis.Settings{Intervals: true}})
		const warning = "g: reconstruction.mean_iou: longer groups have higher values"
		told := strings.Contains(strings.Join(r.Warnings, "\n"), warning)
		if told != (grows == 1) {
			t.Errorf("growing groups %d: %q", grows, r.Warnings)
		}
	}
}
