// Vendi scores: those of package vendi-score, closed forms, and deletions.

package spectrum

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"repscope/measure/measuretest"
	"repscope/points"
	"repscope/stat"
)

func TestVendiGolden(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/vendi.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Cases []struct {
			Name   string
			Dim    int
			Points []float64
			Scores map[string]float64
			Dual   float64
		}
	}
	if err := json.Unmarshal(data, &golden); err != nil {
		t.Fatal(err)
	}
	for _, c := range golden.Cases {
		z := points.Float64(c.Points, c.Dim)
		got, err := Vendi(z)
		if err != nil {
			t.Fatal(err)
		}
		two, _, err := VendiTwo(t.Context(), z, nil, 1)
		if err != nil {
			t.Fatal(err)
		}
		measuretest.Near(t, c.Name+", order 1", got.One, c.Scores["1"], 1e-9)
		measuretest.Near(t, c.Name+", order 1 of the dual", got.One, c.Dual, 1e-9)
		measuretest.Near(t, c.Name+", order 2", got.Two, c.Scores["2"], 1e-12)
		measuretest.Near(t, c.Name+", order ∞", got.Infinity, c.Scores["inf"], 1e-12)
		measuretest.Near(t, c.Name+", order 2 without eigenvalues", two, c.Scores["2"], 1e-12)
	}
}

// TestVendiWithout holds deletions against scores of what is left.
func TestVendiWithout(t *testing.T) {
	t.Parallel()
	for _, dim := range []int{3, 40} {
		z := measuretest.Normal(rand.New(rand.NewPCG(1, 2)), 24, dim)
		labels := make([]int, z.N)
		for i := range labels {
			labels[i] = i % 4
		}
		blocks, err := stat.NewBlocks(z.N, labels, stat.BlockSpec{Kind: stat.EpisodeBlocks})
		if err != nil {
			t.Fatal(err)
		}
		scores, err := VendiWithout(t.Context(), z, blocks, 2)
		if err != nil {
			t.Fatal(err)
		}
		_, twos, err := VendiTwo(t.Context(), z, blocks, 2)
		if err != nil {
			t.Fatal(err)
		}
		for b, got := range scores {
			var left []int
			for i, label := range labels {
				if label != b {
					left = append(left, i)
				}
			}
			want, err := Vendi(z.Select(left))
			if err != nil {
				t.Fatal(err)
			}
			measuretest.Near(t, "order 1", got.One, want.One, 1e-12)
			measuretest.Near(t, "order ∞", got.Infinity, want.Infinity, 1e-12)
			measuretest.Near(t, "order 2", twos[b], want.Two, 1e-12)
		}
	}
}

func TestVendiErrors(t *testing.T) {
	t.Parallel()
	blocks, err := stat.NewBlocks(4, nil, stat.BlockSpec{Kind: stat.MovingBlocks, Length: 1})
	if err != nil {
		t.Fatal(err)
	}
	_, zero := Vendi(points.Float64([]float64{1, 2, 0, 0}, 2))
	_, nan := Vendi(points.Float64([]float64{1, math.NaN()}, 2))
	_, none := Vendi(points.Float64(nil, 2))
	_, other := VendiWithout(t.Context(), points.Float64([]float64{1, 2, 3, 1}, 2), blocks, 1)
	for want, err := range map[string]error{
		"point 1 has length 0":     zero,
		"point 0 has length NaN":   nan,
		"no points":                none,
		"blocks of 4 points for 2": other,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
