// Attention as one step: what the fusion hands to the executors.

package operator

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
}

func init() {
	register(&Row{Name: "Attention", Domain: "repscope", Inputs: [2]int{8, 8}, Outputs: 1})
}
