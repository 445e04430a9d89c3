// Novelty without blocks against Memorize on the points that remain.

package fidelity_test

import (
	"math"
	"slices"
	"testing"

	"repscope/measure/fidelity"
	"repscope/neighbors"
	"repscope/points"
	"repscope/stat"
)

// outside are the points that are not in a block.
func outside(labels []int, block int) (index []int) {
	for i, b := range labels {
		if b != block {
			index = append(index, i)
		}
	}
	return index
}

func TestNoveltyWithout(t *testing.T) {
	t.Parallel()
	real, generated := normals(60, 3, 0, 5), normals(40, 3, 0.3, 6)
	copy(generated.F64[:6], real.F64[30:36]) // copies
	copy(real.F64[90:93], real.F64[30:33])   // and one more in another block
	blocks := func(n, size int) *stat.Blocks {
		groups := make([]int, n)
		for i := range groups {
			groups[i] = i / size % 7
		}
		b, err := stat.NewBlocks(n, groups, stat.BlockSpec{Kind: stat.EpisodeBlocks})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	ofReal, ofGenerated := blocks(60, 4), blocks(40, 5)
	novelty := func(real, generated points.Points) float64 {
		m, err := fidelity.Memorize(t.Context(), real, points.Points{}, generated, fidelity.MemorizationOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return m.Novelty
	}
	all, err := fidelity.Memorize(t.Context(), real, points.Points{}, generated, fidelity.MemorizationOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := fidelity.NoveltyWithout(t.Context(), real, generated, ofReal, ofGenerated, all.TrainDistance, neighbors.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var want []float64
	for b := range ofGenerated.Count() {
		want = append(want, novelty(real, generated.Select(outside(ofGenerated.Labels(), b))))
	}
	for b := range ofReal.Count() {
		want = append(want, novelty(real.Select(outside(ofReal.Labels(), b)), generated))
	}
	if !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }) {
		t.Errorf("got %v, want %v", got, want)
	}
	if _, err := fidelity.NoveltyWithout(t.Context(), real, generated, ofGenerated, ofGenerated, all.TrainDistance, neighbors.Options{}); err == nil {
		t.Error("blocks of other points are no error")
	}
}
