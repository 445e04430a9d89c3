// Matrix products.

package operator

import (
	"slices"

	"repscope/model/graph"
)

var productRows = []Row{
	{Name: "MatMul", Since: 1, Types: "f", Inputs: exactly(2), Outputs: 1, infer: inferMatMul},
	{Name: "Gemm", Since: 1, Types: "f", Inputs: between(2, 3), Outputs: 1,
		Attributes: []string{"alpha", "beta", "transA", "transB"}, infer: inferGemm},
	{Name: "Linear", Domain: own, Inputs: between(2, 4), Outputs: 1, infer: inferLinear},
}

// GemmParams is Y = act(α·A'·B' + β·C).
type GemmParams struct {
	TransA, TransB bool
	Alpha, Beta    float32
	Activation     Activation
	// Of Gemm: the strides of C along rows and columns, 0 where it is broadcast.
	Row, Column int
	// Of repscope.Linear: the rows of the weights belong to the elements of the
	// input, which have this shape, after they were permuted. Nil if they agree.
	Shape, Perm []int
	// The kernels of package cuda do not take what follows, of repscope.Linear. The columns of the product are those from First on of
	// the product with all weights, of which there are Columns; 0: all of them. Gated says that the last operand, of the result's shape,
	// is not added before the activation but multiplied after it.
	First, Columns int
	Gated          bool
	// Integers says that the operands are integers, those of a quantized model. Kernels may multiply them as such, but need not believe it.
	Integers bool
}

func inferGemm(c *context) {
	a, b := c.shape(0), c.shape(1)
	for i := range c.In {
		c.want(i, graph.Float32)
	}
	if len(a) != 2 || len(b) != 2 {
		c.failf("operands %v and %v, want matrices", a, b)
	}
	p := &GemmParams{TransA: c.integer("transA", 0) != 0, TransB: c.integer("transB", 0) != 0, Alpha: c.float("alpha", 1), Beta: c.float("beta", 1)}
	m, k, k2, n := a[0], a[1], b[0], b[1]
	if p.TransA {
		m, k = k, m
	}
	if p.TransB {
		k2, n = n, k2
	}
	if k != k2 {
		c.failf("the inner axes of %v and %v differ (%d and %d)", a, b, k, k2)
	}
	if c.has(2) && !slices.Equal(c.broadcast(c.shape(2), []int{m, n}), []int{m, n}) {
		c.failf("bias %v does not broadcast to [%d %d]", c.shape(2), m, n)
	}
	if c.has(2) {
		strides := graph.BroadcastStrides([]int{m, n}, c.shape(2))
		p.Row, p.Column = strides[0], strides[1]
	}
	c.Params = p
	c.emit(graph.Float32, m, n)
}

// inferLinear is for the readers of weights: x·wᵀ with w [n, k], and no bias yet.
func inferLinear(c *context) {
	x, w := c.shape(0), c.shape(1)
	c.want(0, graph.Float32)
	c.want(1, graph.Float32)
	if len(x) < 2 || len(w) != 2 || x[len(x)-1] != w[1] || c.In[1].Const == nil {
		c.failf("operands %v and %v, want […, k] and constant weights [n, k]", x, w)
	}
	c.Params = &GemmParams{TransB: true, Alpha: 1, Beta: 1}
	c.emit(graph.Float32, append(slices.Clone(x[:len(x)-1]), w[0])...)
}

// MatMulParams is products of m×k and k×n matrices over batch axes. Left and Right are the strides of the
// factors along these, counted in matrices: 0 where a factor is broadcast.
type MatMulParams struct {
	M, K, N            int
	Batch, Left, Right []int
}

func inferMatMul(c *context) {
	a, b := c.shape(0), c.shape(1)
	c.want(0, graph.Float32)
	c.want(1, graph.Float32)
	if len(a) == 0 || len(b) == 0 {
		c.failf("operands %v and %v", a, b)
	}
	// A vector counts as a row on the left and as a column on the right.
	left, right := a, b
	if len(a) == 1 {
		left = []int{1, a[0]}
	}
	if len(b) == 1 {
		right = []int{b[0], 1}
	}
	m, k := left[len(left)-2], left[len(left)-1]
	k2, n := right[len(right)-2], right[len(right)-1]
	if k != k2 {
		c.failf("the inner axes of %v and %v differ", a, b)
	}
	shape := c.broadcast(left[:len(left)-2], right[:len(right)-2])
	c.Params = &MatMulParams{M: m, K: k, N: n, Batch: slices.Clone(shape),
		Left:  graph.BroadcastStrides(shape, left[:len(left)-2]),
		Right: graph.BroadcastStrides(shape, right[:len(right)-2])}
	if len(a) > 1 {
		shape = append(shape, m)
	}
	if len(b) > 1 {
		shape = append(shape, n)
	}
	c.emit(graph.Float32, shape...)
}
