// Memorization without blocks against Memorize on the points that remain.

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

func TestMemorizationWithout(t *testing.T) {
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
	memorize := func(real, generated points.Points) *fidelity.Memorization {
		m, err := fidelity.Memorize(t.Context(), real, points.Points{}, generated, fidelity.MemorizationOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	all := memorize(real, generated)
	o := neighbors.Options{}
	got, err := fidelity.MemorizationWithout(t.Context(), real, generated, ofReal, ofGenerated, all, o)
	if err != nil {
		t.Fatal(err)
	}
	want := &fidelity.Deletions{}
	add := func(m *fidelity.Memorization) {
		want.Novelty.Without = append(want.Novelty.Without, m.Novelty)
		want.Copies.Without = append(want.Copies.Without, m.Copies)
		want.Authentic.Without = append(want.Authentic.Without, m.AuthPct/100)
	}
	for b := range ofGenerated.Count() {
		add(memorize(real, generated.Select(outside(ofGenerated.Labels(), b))))
	}
	for b := range ofReal.Count() {
		add(memorize(real.Select(outside(ofReal.Labels(), b)), generated))
	}
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }
	for k, pair := range [][2]fidelity.Deletion{{got.Novelty, want.Novelty}, {got.Copies, want.Copies},
		{got.Authentic, want.Authentic}} {
		if !slices.EqualFunc(pair[0].Without, pair[1].Without, near) {
			t.Errorf("number %d: got %v, want %v", k, pair[0].Without, pair[1].Without)
		}
		whole := []float64{all.Novelty, all.Copies, all.AuthPct / 100}[k]
		for b, row := range pair[0].Changes {
			if without := pair[0].Without[ofGenerated.Count()+b]; len(row) != ofGenerated.Count() ||
				!near(stat.Sum(row), without-whole) {
				t.Errorf("number %d without real block %d: changes %v, want their sum %v", k, b, row, without-whole)
			}
		}
		if len(pair[0].Changes) != ofReal.Count() {
			t.Errorf("number %d: %d changes", k, len(pair[0].Changes))
		}
	}
	_, err = fidelity.MemorizationWithout(t.Context(), real, generated, ofGenerated, ofGenerated, all, o)
	if err == nil {
		t.Error("blocks of other points are no error")
	}
}
