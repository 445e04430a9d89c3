// Distances of all pairs of a collection: the distribution of Hamming distances, the sums
// of every set, and Jaccard similarities as integers.

package set

import (
	"context"
	"fmt"
	"math"
	"math/bits"

	"repscope/internal/parallel"
	"repscope/internal/text"
	"repscope/stat"
)

// Histogram counts pairs by their Hamming distance: element d is how many differ in
// exactly d cells. Counts of different pairs add up.
type Histogram []int64

// Add adds the counts of other pairs of sets over as many cells.
func (h Histogram) Add(other Histogram) {
	for d, count := range other {
		h[d] += count
	}
}

// Pairs returns the number of pairs.
func (h Histogram) Pairs() (n int64) {
	for _, count := range h {
		n += count
	}
	return n
}

// Mean returns the mean distance in cells; NaN for no pairs.
func (h Histogram) Mean() float64 {
	sum := 0.0
	for d, count := range h {
		sum += float64(float64(d) * float64(count))
	}
	return sum / float64(h.Pairs())
}

// SD returns the standard deviation of the distances in cells, with the number of pairs in
// the denominator; NaN for no pairs.
func (h Histogram) SD() float64 {
	mean, sum := h.Mean(), 0.0
	for d, count := range h {
		off := float64(d) - mean
		sum += float64(off*off) * float64(count)
	}
	return math.Sqrt(sum / float64(h.Pairs()))
}

// similarityUnit is what 1 is in sums of similarities. Every similarity is rounded to a
// multiple of 2⁻⁴⁰, and its square too; the sum of one set fits for 2²⁴ others.
const similarityUnit = 1 << 40

// fixed is intersection/union as a multiple of 2⁻⁴⁰, rounded to nearest; two empty sets
// are equal.
func fixed(intersection, union int) uint64 {
	if union == 0 {
		return similarityUnit
	}
	u := uint64(union)
	return (uint64(intersection)<<40 + u/2) / u
}

// Pairwise describes pairs of N sets over Cells cells: those (i, j), i < j, whose first set
// lies in the ranges that were added. Hamming distance is the number of cells in one
// of the two alone, Jaccard similarity is intersection/union, 1 for two empty sets.
type Pairwise struct {
	N, Cells int
	Hamming  Histogram
	// HammingRows are the sums over the pairs of every set, in cells, and Similarity and
	// Squares the sums of the Jaccard similarity and of its square, in units of 2⁻⁴⁰.
	HammingRows         []uint64
	Similarity, Squares []uint64
}

func newPairwise(s *Sets) *Pairwise {
	return &Pairwise{
		N: s.N, Cells: s.Cells, Hamming: make(Histogram, s.Cells+1),
		HammingRows: make([]uint64, s.N), Similarity: make([]uint64, s.N), Squares: make([]uint64, s.N),
	}
}

// Add adds other pairs of the same sets.
func (p *Pairwise) Add(other *Pairwise) error {
	if p.N != other.N || p.Cells != other.Cells {
		return fmt.Errorf("pairs of %d sets with %d cells and of %d sets with %d, want equal "+
			"numbers", p.N, p.Cells, other.N, other.Cells)
	}
	p.Hamming.Add(other.Hamming)
	for i := range p.HammingRows {
		p.HammingRows[i] += other.HammingRows[i]
		p.Similarity[i] += other.Similarity[i]
		p.Squares[i] += other.Squares[i]
	}
	return nil
}

// Pairwise compares all pairs. threads ≤ 0 means all; results do not depend on it. Time is
// N²·Cells/128 words, memory a few words per set and goroutine.
func (s *Sets) Pairwise(ctx context.Context, threads int) (*Pairwise, error) {
	return s.PairwiseRange(ctx, 0, s.N, threads)
}

// PairwiseRange compares the pairs (i, j), i < j, with lo ≤ i < hi. The results of ranges that
// cover 0 … N−1 add up to all pairs.
func (s *Sets) PairwiseRange(ctx context.Context, lo, hi, threads int) (*Pairwise, error) {
	table := newSimilarities(s)
	workers := make([]*Pairwise, parallel.Workers(threads, rowBlocks(lo, hi)))
	err := s.eachRow(ctx, lo, hi, threads, func(worker, i int, distances []uint32) {
		if workers[worker] == nil {
			workers[worker] = newPairwise(s)
		}
		workers[worker].add(i, s.sizes, distances, table)
	})
	if err != nil {
		return nil, err
	}
	out := newPairwise(s)
	for _, part := range workers {
		if part != nil {
			_ = out.Add(part) // of the same sets; the order of integers does not matter
		}
	}
	return out, nil
}

// rowBlock is how many sets one goroutine takes at a time.
const rowBlock = 32

func rowBlocks(lo, hi int) int { return (hi - lo + rowBlock - 1) / rowBlock }

// eachRow calls visit with the distances of set i, lo ≤ i < hi, to the sets after it.
func (s *Sets) eachRow(ctx context.Context, lo, hi, threads int, visit func(worker, i int, distances []uint32)) error {
	if lo < 0 || hi < lo || hi > s.N {
		return fmt.Errorf("range %d:%d of %d sets", lo, hi, s.N)
	}
	buffers := make([][]uint32, parallel.Workers(threads, rowBlocks(lo, hi)))
	return parallel.For(ctx, threads, rowBlocks(lo, hi), func(worker, block int) {
		if buffers[worker] == nil {
			buffers[worker] = make([]uint32, s.N)
		}
		for i := lo + block*rowBlock; i < min(lo+(block+1)*rowBlock, hi); i++ {
			to := buffers[worker][:s.N-i-1]
			s.distances(to, s.row(i), i+1)
			visit(worker, i, to)
		}
	})
}

// distances fills dst with the distances of a row to the sets from first on.
func (s *Sets) distances(dst []uint32, row []uint64, first int) {
	words := s.words
	others := s.bits[first*words:]
	for j := range dst {
		other := others[j*words:][:words:words]
		a, b := row[:words:words], other
		d := 0
		for len(a) >= 4 && len(b) >= 4 {
			d += bits.OnesCount64(a[0]^b[0]) + bits.OnesCount64(a[1]^b[1]) + bits.OnesCount64(a[2]^b[2]) + bits.OnesCount64(a[3]^b[3])
			a, b = a[4:], b[4:]
		}
		for k, v := range a {
			d += bits.OnesCount64(v ^ b[k])
		}
		dst[j] = uint32(d)
	}
}

// similarities are the similarities of two sets and their squares, by their sizes together and their
// distance; nil where there are too many of them for a table.
type similarities struct {
	stride int
	table  [][2]uint64
}

// mostSimilarities is how many a table holds at most: the similarities of sets of up to 127 cells.
const mostSimilarities = 1 << 16

func newSimilarities(s *Sets) similarities {
	largest := 0
	for _, size := range s.sizes {
		largest = max(largest, size)
	}
	t := similarities{stride: 2*largest + 1}
	if t.stride*t.stride > mostSimilarities {
		return t
	}
	t.table = make([][2]uint64, t.stride*t.stride)
	for both := range t.stride {
		for d := both % 2; d <= both; d += 2 {
			t.table[both*t.stride+d] = similarityOf(both, d)
		}
	}
	return t
}

// similarityOf is the Jaccard similarity of two sets and its square.
func similarityOf(both, d int) [2]uint64 {
	v := fixed((both-d)/2, (both+d)/2)
	return [2]uint64{v, squareOf(v)}
}

// add adds the pairs of set i with those after it.
func (p *Pairwise) add(i int, sizes []int, distances []uint32, t similarities) {
	first := p.N - len(distances)
	hamming, similarity, squares := p.HammingRows[first:], p.Similarity[first:], p.Squares[first:]
	sizes, size := sizes[first:], sizes[i]
	var sums [3]uint64
	for j, d := range distances {
		var pair [2]uint64
		if both := size + sizes[j]; t.table != nil {
			pair = t.table[both*t.stride+int(d)]
		} else {
			pair = similarityOf(both, int(d))
		}
		p.Hamming[d]++
		hamming[j] += uint64(d)
		similarity[j] += pair[0]
		squares[j] += pair[1]
		sums[0] += uint64(d)
		sums[1] += pair[0]
		sums[2] += pair[1]
	}
	p.HammingRows[i] += sums[0]
	p.Similarity[i] += sums[1]
	p.Squares[i] += sums[2]
}

// squareOf is the square of a similarity in the same unit, rounded to nearest.
func squareOf(similarity uint64) uint64 {
	// (2²⁰·h + l)² = 2⁴⁰·h² + 2²¹·h·l + l²
	h, l := similarity>>20, similarity&(1<<20-1)
	return h*h + (h*l<<21+l*l+1<<39)>>40
}

// sumOf is half the sum of rows, every pair counted once.
func sumOf(rows []uint64) float64 {
	high, low := uint64(0), uint64(0)
	for _, v := range rows {
		high += v >> 32
		low += v & (1<<32 - 1)
	}
	return (float64(high)*(1<<32) + float64(low)) / 2
}

// MeanJaccard returns the mean Jaccard similarity of the pairs; 1 minus it is the mean
// Jaccard distance. NaN for no pairs.
func (p *Pairwise) MeanJaccard() float64 {
	return sumOf(p.Similarity) / similarityUnit / float64(p.Hamming.Pairs())
}

// SDJaccard returns the standard deviation of the Jaccard similarities (and distances),
// with the number of pairs in the denominator; below 3·10⁻⁶ it is 0, NaN for no pairs.
func (p *Pairwise) SDJaccard() float64 {
	mean := p.MeanJaccard()
	square := sumOf(p.Squares) / similarityUnit / float64(p.Hamming.Pairs())
	variance := square - float64(mean*mean)
	if variance < 8.0/similarityUnit { // what the roundings can add up to
		return 0
	}
	return math.Sqrt(variance)
}

// IntDiv returns the internal diversity 1 − (1/N²·Σ_ij T(i,j)^p)^(1/p) of order p = 1 or 2,
// T the Jaccard (Tanimoto) similarity, with the pairs of a set with itself among the
// N² (Polykovskiy et al. 2020, "Molecular Sets (MOSES)"): from 0, all sets equal, to
// less than 1. All pairs must have been added. The released code of MOSES takes the root
// of order 2 set by set, which is more. NaN for no sets, an error for other orders.
func (p *Pairwise) IntDiv(order int) (float64, error) {
	n := float64(p.N)
	switch order {
	case 1:
		return 1 - (n+2*sumOf(p.Similarity)/similarityUnit)/(n*n), nil
	case 2:
		return 1 - math.Sqrt((n+2*sumOf(p.Squares)/similarityUnit)/(n*n)), nil
	}
	return 0, fmt.Errorf("internal diversity of order %d, want 1 or 2", order)
}

// Mean is the mean over pairs of N sets of a quantity, with what jackknifes of it need.
type Mean struct {
	Value float64
	// Without[b] is the mean over the pairs that touch no set of block b; NaN where
	// fewer than 2 sets are left.
	Without []float64
	// Influence is the influence of every set, 2·(mean of its pairs − Value).
	Influence []float64
}

// PairMeans are the means of a [Pairwise]: Hamming distance in shares of the cells, Jaccard
// similarity, and its square.
type PairMeans struct{ Hamming, Jaccard, Squares Mean }

// Means returns the means over all pairs with their deletions. pairs are all pairs of s,
// or nil to compare them here; nil blocks give no deletions. Deletions need the pairs
// inside blocks alone besides the sums of every set. Fewer than 2 sets are a
// [stat.UndefinedError]; blocks of another number of sets are an error.
func (s *Sets) Means(ctx context.Context, pairs *Pairwise, blocks *stat.Blocks, threads int) (*PairMeans, error) {
	if s.N < 2 {
		return nil, stat.Undefined("pairwise distance", "%s, want at least 2", text.Count(s.N, "set"))
	}
	if pairs == nil {
		var err error
		if pairs, err = s.Pairwise(ctx, threads); err != nil {
			return nil, err
		}
	}
	means := new(PairMeans)
	quantities := []struct {
		to    *Mean
		rows  func(p *Pairwise) []uint64
		scale float64
	}{
		{&means.Hamming, func(p *Pairwise) []uint64 { return p.HammingRows }, float64(s.Cells)},
		{&means.Jaccard, func(p *Pairwise) []uint64 { return p.Similarity }, similarityUnit},
		{&means.Squares, func(p *Pairwise) []uint64 { return p.Squares }, similarityUnit},
	}
	for _, q := range quantities {
		*q.to = meanOf(q.rows(pairs), q.scale)
	}
	if blocks == nil {
		return means, nil
	}
	if labels := blocks.Labels(); len(labels) != s.N {
		return nil, fmt.Errorf("blocks of %d sets for %d sets", len(labels), s.N)
	}
	for b := range blocks.Count() {
		members := blocks.Block(b)
		inside, err := s.Select(members).Pairwise(ctx, threads)
		if err != nil {
			return nil, err
		}
		for _, q := range quantities {
			q.to.Without = append(q.to.Without, without(q.rows(pairs), q.rows(inside), members, q.scale))
		}
	}
	return means, nil
}

// meanOf is the mean over all pairs and its influence from the sums of every set.
func meanOf(rows []uint64, scale float64) Mean {
	n := float64(len(rows))
	m := Mean{Value: sumOf(rows) / scale / (n * (n - 1) / 2), Influence: make([]float64, len(rows))}
	for i, v := range rows {
		m.Influence[i] = 2 * (float64(v)/scale/(n-1) - m.Value)
	}
	return m
}

// without is the mean over the pairs of the sets that are no members of a block.
func without(rows, inside []uint64, members []int, scale float64) float64 {
	rest := float64(len(rows) - len(members))
	if rest < 2 {
		return math.NaN()
	}
	touched := make([]uint64, len(members))
	for k, i := range members {
		touched[k] = rows[i]
	}
	sum := sumOf(rows) - 2*sumOf(touched) + sumOf(inside)
	return sum / scale / (rest * (rest - 1) / 2)
}

// Ceiling returns the largest mean Hamming distance of pairs, in cells, that N sets of the
// sizes of these can have. The distances add up to Σ_c k_c·(N − k_c) over the sets k_c
// that hold cell c, which is largest where Σ k_c, the sum of the sizes, is spread
// evenly; that is always possible. Two sets of h cells reach 2h (up to all cells); many
// sets reach a little less, as they cannot all be disjoint. NaN for fewer than 2 sets.
func (s *Sets) Ceiling() float64 { return Ceiling(s.sizes, s.Cells) }

// Ceiling is [Sets.Ceiling] for sets of the given sizes over a number of cells.
func Ceiling(sizes []int, cells int) float64 {
	n, total := len(sizes), 0
	if n < 2 || cells < 1 {
		return math.NaN()
	}
	for _, size := range sizes {
		total += size
	}
	each, more := total/cells, total%cells
	sum := float64(more)*float64(each+1)*float64(n-each-1) + float64(cells-more)*float64(each)*float64(n-each)
	return sum / (float64(n) * float64(n-1) / 2)
}
