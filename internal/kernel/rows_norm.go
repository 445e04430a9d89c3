// Norms of vectors and the bound on the error of products that follows from them.

package kernel

// squaresGroup is the number of elements whose squares are added before they are weighted.
const squaresGroup = 16

// Norms computes the squared norms of vectors. The zero value is ready; it keeps memory
// between calls and serves one goroutine at a time.
type Norms[T Float] struct{ groups, falling []float64 }

// Of returns, in float64,
//
//	square = Σ x[k]²,   rounding ≥ Σ N_k·x[k]²,
//
// where N_k ≤ Additions(len(x)) is the number of roundings that the term of depth k passes through in a [Product]. By
// the Cauchy–Schwarz inequality, a product c of x and y satisfies, with u and g of the package comment and barring
// underflow and overflow,
//
//	|c − Σ x[k]·y[k]| ≤ u/(1−g) · √(rounding of x · rounding of y)
//
// which is about half of the bound from the largest N_k. The sums are over groups of sixteen; all implementations
// return the same bits. The relative error of both is at most (len(x)+1)·2⁻⁵³.
func (n *Norms[T]) Of(x []T) (square, rounding float64) {
	return n.ofGroups(x, roundings)
}

// OfLinks is Of for a [Product] with Links, whose roundings are counted for every term: rounding = Σ N_k·x[k]².
func (n *Norms[T]) OfLinks(x []T) (square, rounding float64) {
	n.sum(x)
	for g, s := range n.groups {
		first := g * squaresGroup
		// From one term of a group to the next, a rounding less.
		last := linkRoundings(min(first+squaresGroup, len(x))-1, len(x))
		square += s
		rounding += float64(float64(last)*s) + n.falling[g]
	}
	return square, rounding
}

// OfChains is Of for [AddChains] instead of a product: rounding ≥ Σ N_k·x[k]² for the roundings to float32, at most
// ChainRoundings.
func (n *Norms[T]) OfChains(x []T) (square, rounding float64) {
	return n.ofGroups(x, func(k, _ int) int { return ChainRoundings - k%ChainDepth/chainLanes })
}

// ChainRoundings is the largest number of roundings to float32 that a term of [AddChains] passes through.
const ChainRoundings = ChainDepth/chainLanes + 1

// ofGroups is Of with another number of roundings of a term, at most the number of the first of its group.
func (n *Norms[T]) ofGroups(x []T, roundings func(k, depth int) int) (square, rounding float64) {
	n.sum(x)
	for g, s := range n.groups {
		square += s
		rounding += float64(float64(roundings(g*squaresGroup, len(x))) * s)
	}
	return square, rounding
}

// sum sums the squares of groups, plain and falling.
func (n *Norms[T]) sum(x []T) {
	count := (len(x) + squaresGroup - 1) / squaresGroup
	n.groups, n.falling = grow(n.groups, count), grow(n.falling, count)
	if narrow, ok := any(x).([]float32); ok {
		active.Load().rows.groupSquares(n.groups, n.falling, narrow)
	} else {
		groupSquaresGeneric(n.groups, n.falling, x)
	}
}

// roundings is N_k: the roundings of the rest of its block and of the later blocks.
func roundings(k, depth int) int {
	block, blocks := k/KC, (depth+KC-1)/KC
	return min(KC, depth-block*KC) - k%KC + blocks - max(1, block)
}

// linkRoundings is N_k with links: the roundings of the rest of its link, of the later links and of the blocks.
func linkRoundings(k, depth int) int {
	block, blocks := k/KC, (depth+KC-1)/KC
	long := min(KC, depth-block*KC)
	at := k % KC
	link, links := at/LinkDepth, (long+LinkDepth-1)/LinkDepth
	return min(LinkDepth, long-link*LinkDepth) - at%LinkDepth + links - max(1, link) + blocks - max(1, block)
}

// groupSquaresGeneric sets dst[g] to the sum of the squares of group g, and falling[g] to the same with weights that
// fall by one from element to element, to 0 for the last: four running sums each, added in a fixed order.
func groupSquaresGeneric[T Float](dst, falling []float64, x []T) {
	for g := range dst {
		var l, f [4]float64
		group := x[g*squaresGroup : min((g+1)*squaresGroup, len(x))]
		for k, v := range group {
			square := float64(float64(v) * float64(v))
			l[k&3] += square
			f[k&3] += float64(float64(len(group)-1-k) * square)
		}
		dst[g] = (l[0] + l[2]) + (l[1] + l[3])
		falling[g] = (f[0] + f[2]) + (f[1] + f[3])
	}
}
