// Matrix products.

package operator

import (
	"slices"

	"repscope/model/graph"
)

var productRows = []tableRow{
	{Name: "MatMul", Since: 1, Types: "fi", Note: "integers as sums of products", Inputs: exactly(2), Outputs: 1,
		infer: inferMatMul},
	{Name: "Gemm", Since: 1, Types: "f", Inputs: between(2, 3), Outputs: 1,
		Attributes: []string{"alpha", "beta", "transA", "transB"}, infer: inferGemm},
	{Name: "Det", Since: 11, Types: "f", Note: "unrolled", Inputs: exactly(1), Outputs: 1, infer: inferDet},
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
	// The kernels of package cuda do not support the following, of repscope.Linear. The columns of the product are the
	// columns from First on of the product with all weights, which has Columns; 0: all of them. Gated says that the last
	// operand, of the result's shape, is not added before the activation but multiplied after it.
	First, Columns int
	Gated          bool
	// Integers says that the operands are integers of a quantized model. Kernels may multiply them as such, but must not
	// rely on it.
	Integers bool
	// FollowUps come after the activation, in their order; there are none if it is gated.
	FollowUps []FollowUp
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
	whole := c.In[0].DType == graph.Int64
	if !whole {
		c.want(0, graph.Float32)
		c.want(1, graph.Float32)
	} else {
		c.alike(1, 0)
	}
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
	if whole {
		c.wholeProduct(left, right, append(slices.Clone(shape), m, k, n), len(a) == 1, len(b) == 1)
		return
	}
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

// wholeProduct is the product of matrices of integers, which wraps around as sums and products of their type do: all
// products of an element of a row and one of a column, [batch…, m, k, n], are added up along k. A factor that is a
// vector has no axis of its own in the result.
func (c *context) wholeProduct(left, right, products []int, row, column bool) {
	if n, err := graph.Elements(products); err != nil || n > maxWholeProducts {
		c.unsupported("%v products of integers, want at most %d: convert the operands to float32", products, maxWholeProducts)
	}
	l := c.lower()
	x := l.reshape(c.Node.Inputs[0], append(slices.Clone(left), 1))
	y := l.reshape(c.Node.Inputs[1], slices.Insert(slices.Clone(right), len(right)-2, 1))
	y = l.add("Mul", nil, x, y)
	rank := len(products)
	drop := map[string]graph.Attribute{"keepdims": graph.IntAttribute(0)}
	y = l.add("ReduceSum", drop, y, l.constant(integerVector(rank-2)))
	if row || column {
		shape := slices.Clone(products[:rank-3])
		if !row {
			shape = append(shape, products[rank-3])
		}
		if !column {
			shape = append(shape, products[rank-1])
		}
		y = l.reshape(y, shape)
	}
	l.finish(y)
}

// maxWholeProducts is the largest number of products of integers that are held at once.
const maxWholeProducts = 1 << 24

// inferDet multiplies the pivots of Gauss's elimination. In each step the row with the largest first element is
// removed, the first row takes its position, and the remaining rows lose their first column.
func inferDet(c *context) {
	c.want(0, graph.Float32)
	s := c.shape(0)
	k := len(s) - 2
	if k < 0 || s[k] != s[k+1] || s[k] < 1 {
		c.failf("input %v, want square matrices", s)
	}
	n, batch := s[k], graph.Count(s[:k])
	l := c.unroll(n, 60)
	a, det := l.reshape(c.Node.Inputs[0], []int{batch, n, n}), l.number(1)
	axis := func(i int) map[string]graph.Attribute {
		return map[string]graph.Attribute{"axis": graph.IntAttribute(i)}
	}
	zero := l.number(0)
	for ; n > 1; n-- {
		first := l.slice(a, 2, 0, 1)
		top := l.add("ArgMax", axis(1), l.add("Abs", nil, first)) // [batch, 1, 1]
		row := l.add("GatherElements", axis(1), a, l.expand(top, batch, 1, n))
		pivot := l.slice(row, 2, 0, 1)
		indices := graph.Ints()
		for i := 1; i < n; i++ {
			indices.I64 = append(indices.I64, int64(i))
		}
		indices.Shape = []int{n - 1, 1}
		rest := l.add("Where", nil, l.add("Equal", nil, top, l.constant(indices)), l.slice(a, 1, 0, 1), l.slice(a, 1, 1, n))
		// A column of zeros makes the determinant 0, whatever is left.
		divisor := l.add("Where", nil, l.add("Equal", nil, pivot, zero), l.number(1), pivot)
		factors := l.add("Div", nil, l.slice(rest, 2, 0, 1), divisor)
		a = l.add("Sub", nil, l.slice(rest, 2, 1, n), l.add("Mul", nil, factors, l.slice(row, 2, 1, n)))
		// An exchange of rows changes the sign.
		signed := l.add("Where", nil, l.add("Equal", nil, top, l.constant(graph.Ints(0))), pivot, l.add("Neg", nil, pivot))
		det = l.add("Mul", nil, det, signed)
	}
	l.finish(l.reshape(l.add("Mul", nil, det, a), s[:k]))
}
