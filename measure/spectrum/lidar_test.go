// LiDAR: NumPy's, deletions, closed forms, and what has none.

package spectrum

import (
	"math"
	"slices"
	"strings"
	"testing"

	"repscope/measure/measuretest"
	"repscope/points"
	"repscope/stat"
)

func TestLiDARGolden(t *testing.T) {
	t.Parallel()
	for _, c := range readLabelFree(t).LiDAR {
		z := points.Float64(c.Points, c.Dim)
		got, err := LiDAR(t.Context(), z, c.Labels, c.Delta, nil, 0, 2)
		if err != nil {
			t.Fatal(err)
		}
		measuretest.Near(t, c.Name, got.Rank, c.LiDAR, 1e-9*c.LiDAR)
		// Deletions are the rank of the points that are left.
		const blocks = 4
		block := make([]int, z.N)
		for i := range block {
			block[i] = i * 7 % 11 % blocks
		}
		for _, threads := range []int{1, 3} {
			r, err := LiDAR(t.Context(), z, c.Labels, c.Delta, block, blocks, threads)
			if err != nil || r.Rank != got.Rank {
				t.Fatalf("%s: %v, %v, want %v", c.Name, r.Rank, err, got.Rank)
			}
			for j, v := range r.Without {
				var left []float64
				var labels []int64
				for i := range z.N {
					if block[i] != j {
						left, labels = append(left, z.F64[i*c.Dim:(i+1)*c.Dim]...), append(labels, c.Labels[i])
					}
				}
				want, err := LiDAR(t.Context(), points.Float64(left, c.Dim), labels, c.Delta, nil, 0, 1)
				if err != nil {
					t.Fatal(err)
				}
				measuretest.Near(t, c.Name+" without a block", v, want.Rank, 1e-8*want.Rank)
			}
		}
	}
}

// Classes along k axes, equally far, with noise of one variance: rank k.
func TestLiDAR_Axes(t *testing.T) {
	t.Parallel()
	const dim, axes = 8, 5
	random := stat.NewRandom(stat.NewKey(4))
	var data []float64
	var labels []int64
	for c := range 2 * axes {
		for range 200 {
			row := make([]float64, dim)
			for k := range row {
				row[k] = 0.01 * random.Normal()
			}
			row[c/2] += float64(1 - c%2*2)
			data, labels = append(data, row...), append(labels, int64(c))
		}
	}
	got, err := LiDAR(t.Context(), points.Float64(data, dim), labels, 1e-6, nil, 0, 1)
	if err != nil || math.Abs(got.Rank-axes) > 0.05 || got.Classes != 2*axes || math.Abs(got.Within-1e-4) > 1e-5 {
		t.Errorf("%+v, %v, want rank %d", got, err, axes)
	}
	// Another unit with δ in its square is the same rank; other names of classes are, too.
	scaled, renamed := slices.Clone(data), slices.Clone(labels)
	for i := range scaled {
		scaled[i] *= 64
	}
	for i := range renamed {
		renamed[i] = -renamed[i] * 1e15
	}
	other, err := LiDAR(t.Context(), points.Float64(scaled, dim), renamed, 64*64*1e-6, nil, 0, 1)
	if err != nil || math.Abs(other.Rank-got.Rank) > 1e-9 {
		t.Errorf("in another unit %v, %v, want %v", other.Rank, err, got.Rank)
	}
}

func TestLiDAR_Undefined(t *testing.T) {
	t.Parallel()
	z := wide(12, 3)
	equal := points.Float64([]float64{1, 2, -1, -2, 1, 2, -1, -2}, 2)
	bad := points.Float64([]float64{1, math.NaN(), 2, 3}, 2)
	number := func(n, each int) (out []int64) {
		for i := range n {
			out = append(out, int64(i/each))
		}
		return out
	}
	for want, c := range map[string]struct {
		z      points.Points
		labels []int64
	}{
		"at least two latents: 1, want":    {z, number(12, 12)},
		"at least two latents: 0, want":    {z, number(12, 1)},
		"the points are constant":          {points.Float64(make([]float64, 8), 2), number(4, 2)},
		"the means of the classes are equ": {equal, number(4, 2)},
		"coordinate 1 is NaN":              {bad, number(2, 1)},
		"3 classes and 0 blocks of 12":     {z, number(3, 1)},
	} {
		if _, err := LiDAR(t.Context(), c.z, c.labels, 1e-4, nil, 0, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if _, err := LiDAR(t.Context(), z, number(12, 3), 0, nil, 0, 1); err == nil {
		t.Error("no error for δ = 0")
	}
	// A class whose points are all in one block goes with it; NaN where one class is left.
	r, err := LiDAR(t.Context(), z, number(12, 6), 1e-4, []int{0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2}, 3, 1)
	if err != nil || !math.IsNaN(r.Without[0]) || math.IsNaN(r.Without[1]) {
		t.Errorf("%+v, %v", r, err)
	}
}
