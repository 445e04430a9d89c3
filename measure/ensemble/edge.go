// Energy scores of pairs of neighboring cells.

package ensemble

import (
	"fmt"
	"math"

	"repscope/internal/kernel/vector"
	"repscope/stat"
)

// Edges returns the number of pairs of horizontally or vertically adjacent cells: H·(W − 1) + (H −
// 1)·W, and H more for a periodic grid of more than two columns.
func (g Grid) Edges() int {
	edges := g.Height*(g.Width-1) + (g.Height-1)*g.Width
	if g.Wrap && g.Width > 2 {
		edges += g.Height
	}
	return edges
}

// edge is the two cells of an edge within a field: edges in rows first, then edges in columns, then
// edges between the last column and the first.
func (g Grid) edge(e int) (a, b int) {
	rows, columns := g.Height*(g.Width-1), (g.Height-1)*g.Width
	if e >= rows+columns {
		y := e - rows - columns
		return y * g.Width, y*g.Width + g.Width - 1
	}
	if e >= rows {
		return e - rows, e - rows + g.Width
	}
	a = e/(g.Width-1)*g.Width + e%(g.Width-1)
	return a, a + 1
}

// DrawEdges returns n distinct edges in ascending order, among the edges with two weighted cells
// (weights nil: all). The draw depends only on the number of the sample, not on the batches. If there
// are at most n edges, all are returned. Error: a negative n.
func DrawEdges(g Grid, weights []float64, n int, seed, sample uint64) ([]int, error) {
	random := stat.NewRandom(stat.StreamEdges.Key(seed, sample))
	if weights == nil {
		return random.SampleWithoutReplacement(g.Edges(), n)
	}
	var edges []int
	for e := range g.Edges() {
		if a, b := g.edge(e); weights[a] != 0 && weights[b] != 0 {
			edges = append(edges, e)
		}
	}
	drawn, err := random.SampleWithoutReplacement(len(edges), n)
	for i, k := range drawn {
		drawn[i] = edges[k]
	}
	return drawn, err
}

// PairwiseEnergy returns the terms of the mean energy score over pairs of neighboring cells, with both
// cells of all variables as one vector. Edges come from [DrawEdges]; nil means all. With weights, an
// edge has the weight √(w_a·w_b) of its cells, from the weights of the first variable. Errors: another
// number of cells, a grid of one cell, an invalid edge.
func PairwiseEnergy[T Float](s Sample[T], g Grid, edges []int) (Terms, error) {
	t := Terms{Members: s.count}
	if err := g.check(s.Cells()); err != nil {
		return t, err
	}
	if g.Edges() == 0 {
		return t, fmt.Errorf("pairs of neighboring cells in a grid of %v", g)
	}
	all := edges == nil
	n := g.Edges()
	if !all {
		n = len(edges)
	}
	cells := make([]int, 0, edgeBlock)
	block := newEdges(s, g)
	for first := 0; first < n; first += block.most {
		cells = cells[:0]
		for i := first; i < min(n, first+block.most); i++ {
			e := i
			if !all {
				e = edges[i]
			}
			if e < 0 || e >= g.Edges() {
				return t, fmt.Errorf("edge %d of a grid of %v, which has %d edges", e, g, g.Edges())
			}
			cells = append(cells, e)
		}
		block.add(&t, cells)
	}
	return t, nil
}

const (
	// edgeBlock is the largest number of edges that are treated together, a multiple of vector.Lanes.
	edgeBlock = 1024
	// edgeValues bounds the cells of the members of these edges, so that they stay in the cache.
	edgeValues = 1 << 17
)

// edgeWork holds the two cells of all variables of some edges, of every member and of the truth.
type edgeWork[T Float] struct {
	sample        Sample[T]
	grid          Grid
	most          int // edges
	values        []T // [members + 1][2 · variables][most]
	squares, zero []float64
	skill, spread []float64
}

func newEdges[T Float](s Sample[T], g Grid) *edgeWork[T] {
	rows := (s.count + 1) * 2 * g.Variables
	most := max(vector.Lanes, min(edgeBlock, edgeValues/rows)&^(vector.Lanes-1))
	scratch := func() []float64 { return make([]float64, most) }
	return &edgeWork[T]{s, g, most, make([]T, rows*most), scratch(), scratch(), scratch(), scratch()}
}

// add adds the terms of some edges.
func (b *edgeWork[T]) add(t *Terms, edges []int) {
	s, g, n := b.sample, b.grid, len(edges)
	for k := range s.count + 1 {
		field := s.truth
		if k < s.count {
			field = s.member(k)
		}
		for v := range g.Variables {
			first := b.row(k, 2*v)
			second := b.row(k, 2*v+1)
			for i, e := range edges {
				x, y := g.edge(e)
				first[i], second[i] = field[v*g.Height*g.Width+x], field[v*g.Height*g.Width+y]
			}
		}
	}
	clear(b.skill)
	clear(b.spread)
	for i := range s.count {
		b.addDistances(b.skill[:n], i, s.count)
		for j := range i {
			b.addDistances(b.spread[:n], i, j)
		}
	}
	members := float64(s.count)
	for i, e := range edges {
		w := 1.0
		if s.weights != nil {
			x, y := g.edge(e)
			w = math.Sqrt(s.weights[x] * s.weights[y])
		}
		if w != 0 {
			t.SkillSum += float64(w * b.skill[i] / members)
			t.SpreadSum += float64(w * b.spread[i] * 2 / max(1, members*(members-1)))
			t.Weight += w
		}
	}
}

// row is one of the two cells of a variable of a member, of all edges.
func (b *edgeWork[T]) row(member, which int) []T {
	return b.values[(member*2*b.grid.Variables+which)*b.most:][:b.most]
}

// addDistances adds the distance of two members of every edge.
func (b *edgeWork[T]) addDistances(dst []float64, i, j int) {
	squares := b.squares[:len(dst)]
	clear(squares)
	for which := range 2 * b.grid.Variables {
		vector.AddSquares(squares, b.row(i, which)[:len(dst)], b.row(j, which)[:len(dst)])
	}
	vector.AddRoots(dst, squares, b.zero[:len(dst)])
}
