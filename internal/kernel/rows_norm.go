// Norms of vectors and the bound on the error of products that follows from them.

package kernel

import "slices"

// squaresGroup is the number of elements whose squares are added before they are weighted.
const squaresGroup = 16

// Norms computes the squared norms of vectors. The zero value is ready; it keeps memory
// between calls and serves one goroutine at a time.
type Norms[T Float] struct{ groups []float64 }

// Of returns, in float64,
//
//	square = Σ x[k]²,   rounding ≥ Σ N_k·x[k]²,
//
// where N_k ≤ Additions(len(x)) is the number of roundings that the term of depth k
// passes through in a [Product]. By the Cauchy–Schwarz inequality, a product c of x and y
// satisfies, with u and g of the package comment and barring underflow and overflow,
//
//	|c − Σ x[k]·y[k]| ≤ u/(1−g) · √(rounding of x · rounding of y)
//
// which is about half of what the largest N_k gives. The sums are those of groups of sixteen; all
// implementations return the same bits. The relative error of both is at most (len(x)+1)·2⁻⁵³.
func (n *Norms[T]) Of(x []T) (square, rounding float64) {
	return n.of(x, roundings)
}

// OfLinks is Of for a [Product] with Links.
func (n *Norms[T]) OfLinks(x []T) (square, rounding float64) { return n.of(x, linkRoundings) }

// OfChains is Of for [AddChains] in place of a product: rounding ≥ Σ N_k·x[k]² for the roundings to float32, of which there are at most
// ChainRoundings.
func (n *Norms[T]) OfChains(x []T) (square, rounding float64) {
	return n.of(x, func(k, _ int) int { return ChainRoundings - k%ChainDepth/chainLanes })
}

// ChainRoundings is the largest number of roundings to float32 that a term of [AddChains] passes through.
const ChainRoundings = ChainDepth/chainLanes + 1

// of is Of where a term passes through so many roundings.
func (n *Norms[T]) of(x []T, roundings func(k, depth int) int) (square, rounding float64) {
	count := (len(x) + squaresGroup - 1) / squaresGroup
	n.groups = slices.Grow(n.groups[:0], count)[:count]
	if narrow, ok := any(x).([]float32); ok {
		active.Load().rows.groupSquares(n.groups, narrow)
	} else {
		groupSquaresGeneric(n.groups, x)
	}
	// The roundings of a group are those of its first element.
	for g, s := range n.groups {
		square += s
		rounding += float64(float64(roundings(g*squaresGroup, len(x))) * s)
	}
	return square, rounding
}

// roundings is N_k: those of the rest of its block and those of the blocks added from there on.
func roundings(k, depth int) int {
	block, blocks := k/KC, (depth+KC-1)/KC
	return min(KC, depth-block*KC) - k%KC + blocks - max(1, block)
}

// linkRoundings is N_k with links: those of the rest of its link, of the links added from there on and of the blocks.
func linkRoundings(k, depth int) int {
	block, blocks := k/KC, (depth+KC-1)/KC
	long := min(KC, depth-block*KC)
	at := k % KC
	link, links := at/LinkDepth, (long+LinkDepth-1)/LinkDepth
	return min(LinkDepth, long-link*LinkDepth) - at%LinkDepth + links - max(1, link) + blocks - max(1, block)
}

// groupSquaresGeneric sets dst[g] to the sum of the squares of group g: four running
// sums, added in a fixed order.
func groupSquaresGeneric[T Float](dst []float64, x []T) {
	for g := range dst {
		var l [4]float64
		for k, v := range x[g*squaresGroup : min((g+1)*squaresGroup, len(x))] {
			l[k&3] += float64(float64(v) * float64(v))
		}
		dst[g] = (l[0] + l[2]) + (l[1] + l[3])
	}
}
