// Two parts of one sample.

package twosample

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"repscope/measure/measuretest"
	"repscope/stat"
)

func TestSplitHalves(t *testing.T) {
	t.Parallel()
	values := normal(rand.New(rand.NewPCG(6, 1)), 300)
	distance := func(first, second []int) float64 {
		if !slices.IsSorted(first) || len(first)+len(second) != len(values) {
			t.Errorf("parts of %d and %d", len(first), len(second))
		}
		return wasserstein(sorted(pick(values, first)), sorted(pick(values, second)), 1)
	}
	var before *Baseline
	for _, threads := range []int{1, 3} {
		b, err := splitHalves(t.Context(), 300, SplitOptions{First: 40, Seed: 5, Threads: threads}, distance)
		must(t, err)
		if b.Sizes != [2]int{40, 260} || b.Reduced || len(b.Values) != 200 || !(b.Low < b.Mean && b.Mean < b.High) {
			t.Errorf("%+v", b)
		}
		if before != nil && !reflect.DeepEqual(b, before) {
			t.Error("threads change the splits")
		}
		before = b
	}
	half, err := splitHalves(t.Context(), 300, SplitOptions{First: 200, Splits: 50}, distance)
	must(t, err)
	if half.Sizes != [2]int{150, 150} || !half.Reduced || half.Mean >= before.Mean {
		t.Errorf("%+v", half)
	}
	_, err = splitHalves(t.Context(), 300, SplitOptions{Splits: 5}, func(_, _ []int) float64 { return math.NaN() })
	if stat.Reason(err) != "the distance is undefined for all splits" {
		t.Error(err)
	}
}

// TestSplitsKeepGroups: observations of a group are in one part.
func TestSplitsKeepGroups(t *testing.T) {
	t.Parallel()
	labels := []int{4, 4, 1, 1, 1, 9, 9, 4, 2, 2}
	b, err := splitHalves(t.Context(), len(labels), SplitOptions{Groups: labels, Splits: 30}, func(first, _ []int) float64 {
		for i, label := range labels {
			if slices.Contains(first, i) != slices.Contains(first, slices.Index(labels, label)) {
				t.Errorf("group %d is divided", label)
			}
		}
		return float64(len(first))
	})
	must(t, err)
	measuretest.Near(t, "size", b.Mean, 5, 0.2)
}

func pick(values []float64, index []int) []float64 {
	out := make([]float64, len(index))
	for k, i := range index {
		out[k] = values[i]
	}
	return out
}

// splitHalves is SplitHalvesVector for one distance.
func splitHalves(ctx context.Context, n int, o SplitOptions, f func(first, second []int) float64) (*Baseline, error) {
	const quantity = "baseline of two halves"
	all, err := SplitHalvesVector(ctx, n, 1, o, func(first, second []int, dst []float64) { dst[0] = f(first, second) })
	if err != nil {
		return nil, err
	}
	if len(all[0].Values) == 0 {
		return nil, stat.Undefined(quantity, "the distance is undefined for all splits")
	}
	return all[0], nil
}
