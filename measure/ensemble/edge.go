// Energy scores of pairs of neighboring cells.

package ensemble

import (
	"fmt"
	"math"

	"repscope/stat"
)

// Edges is the number of pairs of cells that lie beside or below each other: H·(W − 1) + (H − 1)·W.
func (g Grid) Edges() int { return g.Height*(g.Width-1) + (g.Height-1)*g.Width }

// edge is the two cells of an edge within a field: those in rows first, then those in columns.
func (g Grid) edge(e int) (a, b int) {
	if rows := g.Height * (g.Width - 1); e >= rows {
		return e - rows, e - rows + g.Width
	}
	a = e/(g.Width-1)*g.Width + e%(g.Width-1)
	return a, a + 1
}

// DrawEdges returns n different edges in ascending order, drawn for a sample by its number
// alone, so that they do not depend on how samples are batched; all of them for n ≥
// [Grid.Edges]. Error: a negative n.
func DrawEdges(g Grid, n int, seed, sample uint64) ([]int, error) {
	return stat.NewRandom(stat.StreamEdges.Key(seed, sample)).SampleWithoutReplacement(g.Edges(), n)
}

// PairwiseEnergy returns the terms of the mean energy score of pairs of neighboring cells: of
// each, one vector of the two cells of all variables. Edges are those of [DrawEdges]; nil
// means all. With weights an edge has the weight √(w_a·w_b) by the weights of its cells, which
// are those of the first variable. Errors: another number of cells, a grid of one cell, an
// edge that is none.
func PairwiseEnergy[T Float](s Sample[T], g Grid, edges []int) (Terms, error) {
	t := Terms{Members: s.count}
	if err := g.check(s.Cells()); err != nil {
		return t, err
	}
	if g.Edges() == 0 {
		return t, fmt.Errorf("pairs of neighboring cells in a grid of %v", g)
	}
	n := g.Edges()
	if edges != nil {
		n = len(edges)
	}
	for i := range n {
		e := i
		if edges != nil {
			e = edges[i]
		}
		if e < 0 || e >= g.Edges() {
			return t, fmt.Errorf("edge %d of a grid of %v, which has %d", e, g, g.Edges())
		}
		a, b := g.edge(e)
		w := 1.0
		if s.weights != nil {
			w = math.Sqrt(s.weights[a] * s.weights[b])
		}
		if w != 0 {
			t.Add(edgeEnergy(s, g, a, b, w))
		}
	}
	return t, nil
}

// edgeEnergy is the energy score of two cells.
func edgeEnergy[T Float](s Sample[T], g Grid, a, b int, weight float64) Terms {
	norm := func(x, y []T) float64 {
		sum := 0.0
		for v := range g.Variables {
			at := v * g.Height * g.Width
			d, e := float64(x[at+a])-float64(y[at+a]), float64(x[at+b])-float64(y[at+b])
			sum += float64(d*d) + float64(e*e)
		}
		return math.Sqrt(sum)
	}
	skill, spread := 0.0, 0.0
	for i := range s.count {
		skill += norm(s.member(i), s.truth)
		for j := range i {
			spread += norm(s.member(i), s.member(j))
		}
	}
	n := float64(s.count)
	return Terms{s.count, weight * skill / n, weight * spread * 2 / max(1, n*(n-1)), weight}
}
