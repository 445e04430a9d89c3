// Neighboring blocks: rows of a file that follow each other are often related, as sequences sorted by family are.

package stat

import "math"

const (
	// FewestNeighbors is the number of values from which neighbors are compared.
	FewestNeighbors = 20
	// alikeErrors is how many standard errors of independent blocks the correlation of neighbors exceeds where they are
	// alike. Of independent blocks 2 of 100 do.
	alikeErrors = 2
)

// Alike returns the correlation of neighboring values, and 0 where it is at most twice the error of independent
// values, 2/√n, or where there are fewer than 20 values.
func Alike(values []float64) float64 {
	if len(values) < FewestNeighbors {
		return 0
	}
	rho, err := Autocorrelation(values, nil, 1)
	if err != nil {
		return 0
	}
	return AlikeCorrelation(rho[1], len(values))
}

// AlikeCorrelation is [Alike] of n values, numbers or vectors, whose neighbors have the correlation rho; 0 where it is
// NaN.
func AlikeCorrelation(rho float64, n int) float64 {
	if n < FewestNeighbors || !(rho*math.Sqrt(float64(n)) > alikeErrors) {
		return 0
	}
	return rho
}

// InOrder returns the blocks with a second error for all statistics over them: where the pseudo-values of neighboring
// blocks are alike ([Alike]), the interval is the wider of two, by the blocks and by ten groups of neighboring blocks
// with the degrees of freedom of the groups. It is for blocks such as rows of a file, which may or may not be
// independent in the order of the file. Blocks that are pieces of episodes have such an error already.
func (b *Blocks) InOrder() *Blocks {
	if b.pieces != nil || b.Count() <= joinedPieces {
		return b
	}
	out := *b
	out.pieces = inOrder(b.Sizes())
	return &out
}

// InOrder gives the statistic the second error of [Blocks.InOrder] and returns it.
func (v *Jackknifed) InOrder() *Jackknifed {
	if v.Pieces != nil || v.Halves != nil || len(v.BlockSizes) <= joinedPieces {
		return v
	}
	v.Pieces = inOrder(v.BlockSizes)
	if v.Interval.Defined() {
		v.errors(v.Interval.Level)
	}
	return v
}

// inOrder are blocks of these sizes as neighbors that may be independent.
func inOrder(sizes []int) *Pieces {
	cut := make([]int, len(sizes)+1)
	for j, m := range sizes {
		cut[j+1] = cut[j] + m
	}
	return &Pieces{Start: []int{0, cut[len(sizes)]}, Joined: neighbors(cut), Doubted: true}
}

// neighbors are the groups, of about equal size, of blocks that begin and end at these cuts.
func neighbors(cut []int) []int {
	out := make([]int, len(cut)-1)
	for j := range out {
		middle := float64(cut[j]+cut[j+1]) / 2
		out[j] = min(int(middle*joinedPieces/float64(cut[len(out)])), joinedPieces-1)
	}
	return out
}

// joined are the groups of neighboring blocks that give a second error; nil: none.
func (v *Jackknifed) joined() []int {
	if v.Pieces == nil || v.Pieces.Doubted && Alike(v.PseudoValues) == 0 {
		return nil
	}
	return v.Pieces.Joined
}
