// Halves of the blocks: the error of statistics that few deletions do not show, such
// as functions of nearest neighbors.

package stat

import (
	"math"
	"slices"
)

// Halves returns balanced splits of the partition, with at most 60 blocks (larger numbers are joined,
// see [Blocks.Coarsen]). Up to 8 blocks there are all splits into two (almost) equal numbers; beyond,
// the splits come from a Hadamard matrix with one column per block, for which the variance of a mean
// equals the variance of the delete-block jackknife. The splits are a function of (blocks, seed).
// Fewer than 5 blocks are an [UndefinedError].
type Halves struct {
	blocks *Blocks
	first  [][]bool // of every split and block: it belongs to the first half
	weight []float64
}

// HalfEstimates are a statistic of both halves of every split, with the root of the
// product of the halves' shares as weight of each split.
type HalfEstimates struct{ First, Second, Weight []float64 }

const (
	// halvableBlocks is the number of blocks from which halves are taken, and
	// maxHalvedBlocks the most: larger numbers are coarsened.
	halvableBlocks, maxHalvedBlocks = 5, 60
	// enumeratedBlocks is the number of blocks up to which all balanced splits are
	// taken.
	enumeratedBlocks = 8
	// halvingOrders is the number of assignments of blocks to columns of an orthogonal
	// array among which the one with the most even halves is chosen.
	halvingOrders = 64
)

// Halves returns balanced splits of the partition, of at most 60 blocks (more are
// joined, see [Blocks.Coarsen]): up to 8 blocks all splits into two (almost) equal
// numbers, beyond that the columns of a Hadamard matrix with a column for each block, for
// which the variance of a mean equals the delete-block jackknife's. The splits are
// a function of (blocks, seed). Fewer than 5 blocks are an [UndefinedError].
func (b *Blocks) Halves(seed uint64) (*Halves, error) {
	h := &Halves{blocks: b.Coarsen(maxHalvedBlocks)}
	g := h.blocks.Count()
	if g < halvableBlocks {
		return nil, Undefined("halves", "%d blocks are too few to split in halves, want at least %d", g, halvableBlocks)
	}
	share := shares(h.blocks.Sizes())
	if g <= enumeratedBlocks {
		h.first = balancedSplits(g)
	} else {
		h.first = orthogonalSplits(share, seed)
	}
	for _, first := range h.first {
		w := 0.0
		for j, in := range first {
			if in {
				w += share[j]
			}
		}
		h.weight = append(h.weight, math.Sqrt(w*(1-w)))
	}
	return h, nil
}

func shares(sizes []int) []float64 {
	total := 0
	for _, m := range sizes {
		total += m
	}
	out := make([]float64, len(sizes))
	for j, m := range sizes {
		out[j] = float64(m) / float64(total)
	}
	return out
}

// balancedSplits are all splits of g blocks into ⌊g/2⌋ and the others; of a split and
// its opposite, one.
func balancedSplits(g int) [][]bool {
	var out [][]bool
	for pattern := range 1 << g {
		first, count := make([]bool, g), 0
		for j := range first {
			if first[j] = pattern>>j&1 != 0; first[j] {
				count++
			}
		}
		if count == g/2 && (g%2 != 0 || first[0]) {
			out = append(out, first)
		}
	}
	return out
}

// orthogonalSplits gives every block a column of the rows, without the constant one,
// of a Hadamard matrix by Paley's construction: entry (r, i) is 1 where r − i is no
// square modulo the prime q ≡ 3 (mod 4).
func orthogonalSplits(share []float64, seed uint64) [][]bool {
	q := len(share) - 1
	for !paley(q) {
		q++
	}
	square := make([]bool, q)
	for i := 1; i < q; i++ {
		square[i*i%q] = true
	}
	positive := func(row, column int) bool {
		return column == q || !square[(row-column+q)%q] && row != column
	}
	var best []int
	worst := math.Inf(1)
	for draw := range halvingOrders {
		columns := NewRandom(StreamHalves.Key(seed, uint64(draw))).Perm(q + 1)[:len(share)]
		uneven := 0.0
		for row := range q {
			sum := 0.0
			for j, c := range columns {
				if positive(row, c) {
					sum += share[j]
				}
			}
			uneven = max(uneven, math.Abs(2*sum-1))
		}
		if uneven < worst {
			best, worst = columns, uneven
		}
	}
	out := make([][]bool, q)
	for row := range out {
		out[row] = make([]bool, len(share))
		for j, c := range best {
			out[row][j] = positive(row, c)
		}
	}
	return out
}

// paley reports whether q is a prime of the form 4k + 3.
func paley(q int) bool {
	if q%4 != 3 {
		return false
	}
	for d := 3; d*d <= q; d += 2 {
		if q%d == 0 {
			return false
		}
	}
	return true
}

// Blocks are those that are halved.
func (h *Halves) Blocks() *Blocks { return h.blocks }

// Splits returns, for every split and every block, whether the block belongs to the first half.
func (h *Halves) Splits() [][]bool {
	out := make([][]bool, len(h.first))
	for r, first := range h.first {
		out[r] = slices.Clone(first)
	}
	return out
}

// Estimate returns the standard error and the interval of an estimate from its values on the first and
// the second half of every split:
//
//	var = mean over splits of w·(1−w)·(θ_first − θ_second)²,
//
// with w the share of the observations in the first half. For a mean it equals the variance of the
// delete-block jackknife, with as many degrees of freedom. Replicates, pseudo-values and bias are
// undefined. NaN among the values gives an undefined interval with a reason. Errors: unequal numbers
// of values and splits.
func (h *Halves) Estimate(estimate float64, first, second []float64) (*Jackknifed, error) {
	if len(first) != len(h.first) || len(second) != len(h.first) {
		return nil, Undefined("halves", "%d and %d values for %d splits", len(first), len(second), len(h.first))
	}
	v, err := halved(estimate, &HalfEstimates{First: first, Second: second, Weight: h.weight}, h.blocks.Sizes(), 0)
	if err != nil {
		return nil, err
	}
	v.Untestable, v.Warnings, v.Pieces = h.blocks.Untestable(), h.blocks.Warnings(), h.blocks.pieces
	return v, nil
}

// halved is the error of an estimate from the estimates of halves.
func halved(estimate float64, halves *HalfEstimates, sizes []int, level float64) (*Jackknifed, error) {
	level, err := checkLevel("halves", level)
	if err != nil {
		return nil, err
	}
	squares := 0.0
	for _, w := range shares(sizes) {
		squares += float64(w * w)
	}
	v := &Jackknifed{Estimate: estimate, Corrected: math.NaN(), Bias: math.NaN(), DF: 1/squares - 1, BlockSizes: sizes,
		Halves: halves}
	spread := 0.0
	for r, w := range halves.Weight {
		d := w * (halves.First[r] - halves.Second[r])
		spread += float64(d * d)
	}
	v.StdError = math.Sqrt(spread / float64(len(halves.Weight)))
	v.interval(level)
	return v, nil
}

// apply are the estimates of a function of statistics.
func (e *HalfEstimates) apply(f func(values []float64) float64, parts []*HalfEstimates) *HalfEstimates {
	out := &HalfEstimates{Weight: e.Weight, First: make([]float64, len(e.First)), Second: make([]float64, len(e.Second))}
	inputs := make([]float64, len(parts))
	for r := range e.Weight {
		for p, v := range parts {
			inputs[p] = v.First[r]
		}
		out.First[r] = f(inputs)
		for p, v := range parts {
			inputs[p] = v.Second[r]
		}
		out.Second[r] = f(inputs)
	}
	return out
}
