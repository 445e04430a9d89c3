// The jackknifed RMS distance against that of the points that are left.

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

func TestRMSDistanceEqualsDeletion(t *testing.T) {
	t.Parallel()
	_, z := measuretest.ReadDimension(t)
	episodes := make([]int, z.N)
	for i := range episodes {
		episodes[i] = i * i / 9000 // of unequal lengths
	}
	blocks, err := stat.NewBlocks(z.N, episodes, stat.BlockSpec{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := JackknifeRMSDistance(z, blocks)
	if err != nil {
		t.Fatal(err)
	}
	for j, replicate := range got.Replicates {
		var kept []int
		for i := range z.N {
			if !slices.Contains(blocks.Block(j), i) {
				kept = append(kept, i)
			}
		}
		want, err := RMSDistance(z.Select(kept))
		if err != nil {
			t.Fatal(err)
		}
		measuretest.Near(t, "RMS distance", replicate, want, 1e-12*want)
	}
	want, err := RMSDistance(z)
	if err != nil {
		t.Fatal(err)
	}
	measuretest.Near(t, "estimate", got.Estimate, want, 1e-12*want)
	// A single point changes the distance by its influence/n, but for a share 1/n.
	each, err := stat.NewBlocks(z.N, nil, stat.BlockSpec{Kind: stat.MovingBlocks, Length: 1})
	if err != nil {
		t.Fatal(err)
	}
	single, err := JackknifeRMSDistance(z, each)
	if err != nil {
		t.Fatal(err)
	}
	n, sum := float64(z.N), 0.0
	largest := slices.Max(single.Influence)
	for i, v := range single.Influence {
		measuretest.Near(t, "influence", v, n*(single.Estimate-single.Replicates[i]), 8*largest/n)
		sum += v
	}
	measuretest.Near(t, "sum of influences", sum, 0, 1e-9*largest)
}

// The corners of a square and one point far away: without it 2·tr C = 16/3.
func TestRMSDistanceOfASquare(t *testing.T) {
	t.Parallel()
	z := points.Float64([]float64{-1, -1, 1, -1, -1, 1, 1, 1, 1e6, 0}, 2)
	blocks, err := stat.NewBlocks(5, []int{0, 0, 0, 0, 1}, stat.BlockSpec{Kind: stat.EpisodeBlocks})
	if err != nil {
		t.Fatal(err)
	}
	v, err := JackknifeRMSDistance(z, blocks)
	if err != nil {
		t.Fatal(err)
	}
	// Sums about a common mean of 2e5 keep what float64 has left of the 16/3.
	measuretest.Near(t, "without the point far away", v.Replicates[1], math.Sqrt(16.0/3), 1e-3)
	if !math.IsNaN(v.Replicates[0]) || v.Interval.Defined() {
		t.Errorf("one point that is left has an RMS distance: %v, interval %v", v.Replicates[0], v.Interval)
	}
	if _, err := JackknifeRMSDistance(points.Float64(make([]float64, 10), 2), blocks); err == nil || !strings.Contains(err.Error(), "constant") {
		t.Errorf("constant points: %v", err)
	}
	if _, err := JackknifeRMSDistance(z.Select([]int{0, 1, 2}), blocks); err == nil || !strings.Contains(err.Error(), "3 points for blocks of 5") {
		t.Errorf("other points than the blocks': %v", err)
	}
}
