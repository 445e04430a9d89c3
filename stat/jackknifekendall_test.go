// Tests of Kendall's rank correlation without each block.

package stat

import (
	"context"
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// Every deletion is Kendall's correlation of what is left.
func TestJackknifeKendall(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(6, 40).Draw(t, "n")
		x, y, labels := make([]float64, n), make([]float64, n), make([]int, n)
		for i := range x {
			x[i] = float64(rapid.IntRange(0, 9).Draw(t, "x"))
			y[i] = float64(rapid.IntRange(0, 4).Draw(t, "y"))
			labels[i] = rapid.IntRange(0, 5).Draw(t, "block")
		}
		labels[0], labels[1] = 0, 1
		blocks, err := NewBlocks(n, labels, BlockSpec{Kind: EpisodeBlocks})
		if err != nil {
			t.Fatal(err)
		}
		j, err := JackknifeKendall(context.Background(), blocks, x, y, 0)
		if err != nil {
			t.Fatal(err)
		}
		same := func(got float64, x, y []float64) {
			want, err := Kendall(x, y)
			if err != nil { // fewer than three are left
				return
			}
			if math.IsNaN(got) != math.IsNaN(want.Coefficient) || math.Abs(got-want.Coefficient) > 1e-12 {
				t.Fatalf("τ %v, want %v of %v and %v", got, want.Coefficient, x, y)
			}
		}
		same(j.Estimate, x, y)
		for b, got := range j.Replicates {
			var restX, restY []float64
			for i, of := range blocks.Labels() {
				if of != b {
					restX, restY = append(restX, x[i]), append(restY, y[i])
				}
			}
			same(got, restX, restY)
		}
	})
}

func TestJackknifeKendallErrors(t *testing.T) {
	t.Parallel()
	blocks, err := NewBlocks(4, []int{0, 0, 1, 1}, BlockSpec{Kind: EpisodeBlocks})
	if err != nil {
		t.Fatal(err)
	}
	for name, of := range map[string][2][]float64{
		"lengths": {{1, 2, 3}, {1, 2, 3}}, "unequal": {{1, 2, 3, 4}, {1, 2, 3}}, "NaN": {{1, 2, 3, math.NaN()}, {1, 2, 3, 4}},
	} {
		if _, err := JackknifeKendall(t.Context(), blocks, of[0], of[1], 1); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := JackknifeKendall(ctx, blocks, []float64{1, 2, 3, 4}, []float64{1, 3, 2, 4}, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	j, err := JackknifeKendall(t.Context(), blocks, []float64{1, 1, 1, 1}, []float64{1, 3, 2, 4}, 1)
	if err != nil || !math.IsNaN(j.Estimate) {
		t.Errorf("constant: %+v, %v", j, err)
	}
}

// TestKendallOfItself: equal orders with ties agree exactly, whatever the roots of their counts are.
func TestKendallOfItself(t *testing.T) {
	t.Parallel()
	for n := 3; n < 60; n++ {
		x := make([]float64, n)
		for i := range x {
			x[i] = float64(i * i % 7)
		}
		c, err := Kendall(x, x)
		if err != nil || c.Coefficient != 1 {
			t.Errorf("%d values: τ = %v, %v", n, c.Coefficient, err)
		}
	}
}
