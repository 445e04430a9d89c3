// Attention as one step, which package fuse finds.

package operator

var attentionRows = []Row{
	{Name: "Attention", Domain: own, Inputs: exactly(8), Outputs: 1},
}

// View is how an operand of [AttentionParams] lies in memory: the element with the given
// index lies at Offset + Σ index·stride.
type View struct {
	Offset  int
	Strides []int
}

// AttentionParams is a fused attention over batch axes (heads among them). The
// inputs are Q, K, V, mask, cosine and sine for Q, cosine and sine for K; the last five may be absent.
// With cosine and sine [length, width], a row x becomes x·cos + (−x₂, x₁)·sin, where x₁ and x₂ are its halves.
type AttentionParams struct {
	Batch           []int
	Queries, Keys   int
	Width, Values   int // length of a row of Q and K, and of V
	Scale           float32
	Q, K, V, Result View  // over the batch axes, then rows and columns
	Mask            []int // strides over the batch axes, queries and keys
	// ZeroUndefined makes the weights of a query 0 where they are no numbers, as where all its
	// scores are −Inf. The kernels of package cuda do not.
	ZeroUndefined bool
}
