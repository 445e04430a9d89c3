// Uniformity: the pass over all pairs of directions in blocks of rows.

package sphere

import (
	"context"
	"math"

	"repscope/internal/kernel"
	"repscope/internal/text"
	"repscope/measure/internal/matrix"
	"repscope/stat"
)

// Uniformity returns log mean exp(−2·‖u − v‖²) over all pairs of different points:
// 0 when all directions agree, −4 in the limit of many dimensions when they are drawn
// uniformly from the sphere, below only where they avoid each other. Duplicates count
// as pairs at distance 0.
//
// blocks group the points; without[b] is the value without block b, NaN where fewer
// than 2 points are left. nil blocks give nil. Fewer than 2 points are a
// [stat.UndefinedError], blocks of another number of points an error. threads ≤ 0
// means all; results do not depend on it. Time is N²·D, memory N·D.
func (d *Directions) Uniformity(ctx context.Context, blocks *stat.Blocks,
	threads int) (value float64, without []float64, err error) {
	u, sizes := d.unit, []int{d.unit.N}
	if u.N < 2 {
		return 0, nil, stat.Undefined("uniformity", "%s, want at least 2", text.Count(u.N, "latent"))
	}
	if blocks != nil {
		order, err := matrix.ByBlocks(blocks, u.N)
		if err != nil {
			return 0, nil, err
		}
		u, sizes = u.Select(order), blocks.Sizes()
	}
	s := newPairSums(u.N, sizes)
	if err := matrix.Products(ctx, u, threads, s.add); err != nil {
		return 0, nil, err
	}
	total, touched := s.sum()
	if blocks != nil {
		without = make([]float64, len(sizes))
		for b := range without {
			without[b] = math.NaN()
			if n := u.N - sizes[b]; n >= 2 {
				without[b] = logMean(total-touched[b], n)
			}
		}
	}
	return logMean(total, u.N), without, nil
}

// logMean is the logarithm of a sum over all pairs of n points, divided by their
// number.
func logMean(sum float64, n int) float64 { return math.Log(sum / (float64(n) * float64(n-1) / 2)) }

// pairSums adds exp(−2·‖u − v‖²) over pairs of points that lie block by block.
type pairSums struct {
	start    []int // first point of each block, and n
	block    []int // of each point
	partials []partial
}

// partial is, for one range of rows, the sum over its pairs, and over its pairs
// that touch each block.
type partial struct {
	total   float64
	touched []float64
}

func newPairSums(n int, sizes []int) *pairSums {
	s := &pairSums{start: make([]int, len(sizes)+1), block: make([]int, n), partials: make([]partial, (n+matrix.RowBlock-1)/matrix.RowBlock)}
	for b, size := range sizes {
		s.start[b+1] = s.start[b] + size
		for i := s.start[b]; i < s.start[b+1]; i++ {
			s.block[i] = b
		}
	}
	return s
}

// add visits a block of products; see [matrix.Products].
func (s *pairSums) add(i0, i1, j0, j1 int, product []float64, stride int) {
	p := &s.partials[i0/matrix.RowBlock]
	if p.touched == nil {
		p.touched = make([]float64, len(s.start)-1)
	}
	for i := i0; i < i1; i++ {
		row := product[(i-i0)*stride:]
		for j := max(j0, i+1); j < j1; {
			b := s.block[j]
			end := min(s.start[b+1], j1)
			sum := kernel.SumExp(row[j-j0:end-j0], 4, -4) // −2·‖u − v‖² = 4u·v − 4, at most 0
			p.total += sum
			p.touched[b] += sum
			if s.block[i] != b {
				p.touched[s.block[i]] += sum
			}
			j = end
		}
	}
}

// sum adds the ranges of rows, in their order.
func (s *pairSums) sum() (total float64, touched []float64) {
	touched = make([]float64, len(s.start)-1)
	for _, p := range s.partials {
		total += p.total
		matrix.AddTo(touched, p.touched)
	}
	return total, touched
}
