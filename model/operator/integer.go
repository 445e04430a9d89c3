// Products of quantized integers, rewritten as products of float32 numbers.
//
// x − zero point of 8-bit numbers is at most 255, exact in every precision that executors multiply in. Sums are exact,
// hence equal to integer arithmetic, as long as every partial sum stays below 2^24: always with up to 258 summands, in
// practice with many more, since they cancel. Integer results are exact for any number of summands: beyond 258,
// operands are cut into halves of 4 bits. If the result only becomes floats, each addition beyond rounds by at most
// 2^-24 of the partial sum, far less than one step of the result's quantization.
//
// Package cpu multiplies them as bytes, with sums in 32 bits, if the weights are constants of 32 to 8,192 summands and
// 64 columns or more, or 16 from 259 summands on. With AVX-512 and VNNI, and signed bytes, it does so from 8 summands
// and 16 columns on.

package operator

import (
	"maps"
	"math"
	"slices"
	"strings"

	"repscope/model/graph"
)

var integerRows = []tableRow{
	{Name: "MatMulInteger", Since: 10, Types: "i", Note: roundedSums, Inputs: between(2, 4), Outputs: 1,
		infer: inferIntegerProduct, weights: productWeights},
	{Name: "MatMulInteger", Domain: own, Inputs: between(2, 4), Outputs: 1, Attributes: []string{"rounded"},
		infer: inferIntegerProduct, weights: productWeights},
	{Name: "ConvInteger", Since: 10, Types: "i", Note: roundedSums, Inputs: between(2, 4), Outputs: 1,
		Attributes: windowAttributes("group"), infer: inferIntegerProduct, weights: productWeights},
	{Name: "ConvInteger", Domain: own, Inputs: between(2, 4), Outputs: 1, Attributes: windowAttributes("group", "rounded"),
		infer: inferIntegerProduct, weights: productWeights},
	{Name: "QLinearMatMul", Since: 10, Types: "i", Note: "sums are exact; on GPUs below 2^24", Inputs: exactly(8), Outputs: 1,
		Attributes: []string{"output_dtype"}, infer: inferQuantizedProduct, weights: centerWeights},
	{Name: "QLinearMatMul", Domain: own, Inputs: exactly(8), Outputs: 1, Attributes: []string{"output_dtype"},
		infer: inferQuantizedProduct, weights: centerWeights},
	{Name: "QLinearConv", Since: 10, Types: "i", Note: "sums are exact; on GPUs below 2^24", Inputs: between(8, 9), Outputs: 1,
		Attributes: windowAttributes("group", "output_dtype"), infer: inferQuantizedProduct, weights: centerWeights},
	{Name: "QLinearConv", Domain: microsoft, Types: "i", Note: "of constant weights", Inputs: between(8, 9), Outputs: 1,
		Attributes: windowAttributes("channels_last", "group"), infer: inferUnwritten},
	{Name: "QLinearConv", Domain: own, Inputs: between(8, 9), Outputs: 1, Attributes: windowAttributes("group", "output_dtype"),
		infer: inferQuantizedProduct, weights: centerWeights},
}

// roundedSums notes where sums of integers are not exact.
const roundedSums = "sums are exact; on GPUs below 2^24 if they become floats only"

// centered is the domain of integer products whose weights were replaced by w − zero point; see centerWeights.
const centered = own

// centeredPrefix begins the names of such weights.
const centeredPrefix = "\x00centred\x00"

// CenteredName is a name for such weights, CenteredDomain the domain of their products.
func CenteredName(name string) string { return centeredPrefix + name }

// CenteredDomain is the domain of integer products of weights of a [CenteredName].
const CenteredDomain = centered

// Centered reports whether a constant of that name is the weights of an integer product, less their zero points:
// integers.
func Centered(name string) bool { return strings.HasPrefix(name, centeredPrefix) }

// MaxIntegerDepth is the greatest depth at which sums of products of integers of 9 bits and a sign are within 32 bits.
const MaxIntegerDepth = 1 << 13

// integerProducts are the operators with the inputs that hold their weights and the zero point of these.
var integerProducts = map[string][2]int{"MatMulInteger": {1, 3}, "ConvInteger": {1, 3}, "QLinearMatMul": {3, 5},
	"QLinearConv": {3, 5}, "QGemm": {3, 5},
	"DynamicQuantizeMatMul": {1, 3}, "MatMulIntegerToFloat": {1, 5}}

// integerProduct is a node under replacement.
type integerProduct struct {
	c    *context
	l    *lowering
	conv bool
}

// inferIntegerProduct is (a − zero)·(b − zero) in integers.
func inferIntegerProduct(c *context) {
	p := &integerProduct{c, c.lower(), c.Node.Op == "ConvInteger"}
	depth := p.depth()
	if c.flag("rounded", false) || depth <= exactDepth {
		product, _ := p.product(0, 2, 1, 3)
		p.l.finish(p.l.add("Cast", castTo(graph.ElementInt32), product))
		return
	}
	p.l.finish(p.l.add("Cast", castTo(graph.ElementInt32), p.inHalves(depth)))
}

// The numbers of products whose sums are exact in float32: of two numbers of 9 bits, of one and one of 5, and of two of
// these.
const (
	exactDepth      = (1<<24 - 1) / (255 * 255)
	exactDepthHalf  = (1<<24 - 1) / (255 * 16)
	exactDepthHalfs = (1<<24 - 1) / (16 * 16)
)

// depth is how many products make an element of the result of inputs 0 and 1.
func (p *integerProduct) depth() int {
	w := p.c.shape(1)
	switch {
	case len(w) == 0:
		return 0
	case p.conv:
		return graph.Count(w[1:])
	}
	return w[max(len(w)-2, 0)]
}

// inHalves is the product in int64 of operands that are cut into 16·high + low, so that the sums of floats are exact.
func (p *integerProduct) inHalves(depth int) string {
	c, l := p.c, p.l
	for i := range 2 {
		if t := c.In[i]; t.DType == graph.Int64 && t.Bits != 8 && t.Bits != -8 {
			c.failf("input %d has type %s, want int8 or uint8", i, t.Element())
		}
	}
	if depth > exactDepthHalfs {
		c.unsupported("sums of %d products, want at most %d: they would not be exact", depth, exactDepthHalfs)
	}
	p.check(0, 2, 1, 3)
	op, left, right := p.operation(0, 1)
	a, b := []string{p.center(0, 2, left)}, l.halves(p.center(1, 3, right))
	if depth > exactDepthHalf {
		a = l.halves(a[0])
	}
	sum := ""
	for i, x := range a {
		for k, w := range b {
			part := l.int64Of(l.add(op, c.passed("rounded"), x, w))
			if i+k > 0 {
				part = l.add("Mul", nil, part, l.whole(graph.Type{}, 1<<(4*(i+k))))
			}
			if sum != "" {
				part = l.add("Add", nil, sum, part)
			}
			sum = part
		}
	}
	return sum
}

// halves are the numbers low and high of x = 16·high + low, integers as floats.
func (l *lowering) halves(x string) []string {
	high := l.add("Floor", nil, l.add("Mul", nil, x, l.number(1.0/16)))
	return []string{l.add("Sub", nil, x, l.add("Mul", nil, high, l.number(16))), high}
}

// inferQuantizedProduct is round(s_a·s_b/s_y · ((a − zero)·(b − zero) + bias)) + zero, kept within the range
// of y's type. The scales stay outside of the product, so that its sums are exact.
func inferQuantizedProduct(c *context) {
	p := &integerProduct{c, c.lower(), c.Node.Op == "QLinearConv"}
	l := p.l
	product, shape := p.product(0, 2, 3, 5)
	rows, columns := len(shape)-2, len(shape)-1
	if p.conv {
		rows, columns = -1, 1
	}
	if c.has(8) {
		c.want(8, graph.Int64)
		if !slices.Equal(c.shape(8), []int{shape[1]}) {
			c.failf("input 8 (bias) has shape %v, want [%d], the number of filters", c.shape(8), shape[1])
		}
		product = l.add("Add", nil, product, p.along(8, shape, 1))
	}
	for _, i := range []int{1, 4, 6} {
		c.want(i, graph.Float32)
	}
	c.want(7, graph.Int64)
	factor := l.add("Div", nil, l.add("Mul", nil, p.along(1, shape, rows), p.along(4, shape, columns)), p.along(6, shape, rows))
	l.finish(l.quantize(c, l.add("Mul", nil, product, factor), p.along(7, shape, rows)))
}

// product multiplies inputs a and b, centered by the zero points in inputs za and zb.
func (p *integerProduct) product(a, za, b, zb int) (name string, shape []int) {
	op, left, right := p.operation(a, b)
	shape = p.check(a, za, b, zb)
	return p.l.add(op, p.c.passed("rounded"), p.center(a, za, left), p.center(b, zb, right)), shape
}

// check checks the operands and gives the product's shape.
func (p *integerProduct) check(a, za, b, zb int) []int {
	c := p.c
	x, w := c.shape(a), c.shape(b)
	p.integers(a, b, za, zb)
	// The rule of the product itself checks the shapes, in the name of this node.
	inner := &context{Inference: &graph.Inference{Node: &graph.Node{Name: c.Node.Label(), Op: c.Node.Op, Attributes: c.Node.Attributes}, Opset: c.Opset,
		In: []graph.Operand{{Type: graph.Type{DType: graph.Float32, Shape: x}}, {Type: graph.Type{DType: graph.Float32, Shape: w}}}}}
	if p.conv {
		inferConv(inner)
	} else {
		inferMatMul(inner)
	}
	return inner.Out[0].Shape
}

// operation is the product of floats, and the axes of inputs a and b that zero points may follow.
func (p *integerProduct) operation(a, b int) (op string, left, right int) {
	if p.conv {
		return "Conv", -1, 0
	}
	return "MatMul", len(p.c.shape(a)) - 2, len(p.c.shape(b)) - 1
}

// integers checks the types of the operands a and b and of their zero points.
func (p *integerProduct) integers(a, b, za, zb int) {
	for _, i := range []int{a, b, za, zb} {
		if i != b || p.c.Node.Domain != centered || !Centered(p.c.Node.Inputs[b]) {
			p.c.want(i, graph.Int64)
		}
	}
}

// center is input i less its zero point in input z, a number or a vector along an axis.
func (p *integerProduct) center(i, z, axis int) string {
	name := p.c.Node.Inputs[i]
	if p.c.In[i].DType == graph.Float32 {
		return name
	}
	name = p.l.add("Cast", integersToFloat(), name)
	if p.c.has(z) {
		name = p.l.add("Sub", nil, name, p.along(z, p.c.shape(i), axis))
	}
	return name
}

// along is input i as a float that broadcasts to a shape: one number, a vector along an
// axis or, of a matrix product, an array of the same rank. Axis −1: only a number.
func (p *integerProduct) along(i int, shape []int, axis int) string {
	c, dims := p.c, p.c.shape(i)
	name := c.Node.Inputs[i]
	if c.In[i].DType == graph.Int64 {
		name = p.l.add("Cast", integersToFloat(), name)
	}
	switch {
	case len(dims) == 0:
		return name
	case graph.Count(dims) == 1:
		return p.l.reshape(name, nil)
	case len(dims) == 1 && axis >= 0 && dims[0] == shape[axis]:
		form := slices.Repeat([]int{1}, len(shape))
		form[axis] = dims[0]
		return p.l.reshape(name, form)
	case !p.conv && len(dims) == len(shape) && slices.Equal(c.broadcast(dims, shape), shape):
		return name
	case axis >= 0:
		c.failf("input %d has shape %v, want one element or [%d], axis %d of %v", i, dims, shape[axis], axis, shape)
	}
	c.failf("input %d has shape %v, want one element", i, dims)
	return ""
}

// productWeights is centerWeights for a product whose result is of integers, and marks it if they become floats alone.
func productWeights(g *graph.Graph, n *graph.Node) {
	centerWeights(g, n)
	read := func(name string) bool { return name == n.Outputs[0] }
	if slices.ContainsFunc(g.Outputs, func(p graph.Port) bool { return read(p.Name) }) {
		return
	}
	for _, user := range g.Nodes {
		t, _ := graph.ElementDType(int(user.Attributes["to"].Int))
		if (user.Op != "Cast" || t != graph.Float32) && slices.ContainsFunc(user.Inputs, read) {
			return
		}
	}
	n.Domain, n.Attributes = own, maps.Clone(n.Attributes)
	if n.Attributes == nil {
		n.Attributes = map[string]graph.Attribute{}
	}
	n.Attributes["rounded"] = graph.IntAttribute(1)
}

// centerWeights replaces the constant weights of an integer product by w − zero point in float32, so that their
// integers, 8 bytes each, need not be kept. Other cases are left to the operators' rules.
func centerWeights(g *graph.Graph, n *graph.Node) {
	operands, gemm := integerProducts[n.Op], n.Op == "QGemm"
	if n.Domain == centered || len(n.Inputs) <= operands[0] {
		return
	}
	w := g.Constants[n.Inputs[operands[0]]]
	if w == nil || w.DType != graph.Int64 || len(w.Shape) < 2 {
		return
	}
	zero := graph.Ints(0)
	if len(n.Inputs) > operands[1] && n.Inputs[operands[1]] != "" {
		zero = g.Constants[n.Inputs[operands[1]]]
	}
	// A vector of zero points belongs to filters or columns.
	inner, count := 1, w.Shape[len(w.Shape)-1]
	if n.Op == "ConvInteger" || n.Op == "QLinearConv" || gemm && n.Attributes["transB"].Int != 0 {
		count = w.Shape[0]
		inner = w.Len() / max(count, 1)
	}
	if zero == nil || zero.DType != graph.Int64 || zero.Len() != 1 && !slices.Equal(zero.Shape, []int{count}) {
		return
	}
	t := centeredWeights(w, zero.I64, inner)
	if t == nil {
		return
	}
	name := centeredPrefix + n.Outputs[0]
	g.Constants[name] = t
	n.Domain, n.Inputs = centered, slices.Clone(n.Inputs)
	n.Inputs[operands[0]] = name // the zero point stays but is not looked at
}

// centeredWeights is w less the zero points, each of them for inner elements. Large weights are deferred: two bytes
// each represent the executors' own form. It is nil if an element needs more than that.
func centeredWeights(w *graph.Tensor, zero []int64, inner int) *graph.Tensor {
	values := make([]int16, w.Len())
	for i, v := range w.I64 {
		v -= zero[i/inner%len(zero)]
		if v < math.MinInt16 || v > math.MaxInt16 {
			return nil
		}
		values[i] = int16(v)
	}
	read := func(dst []float32, first int) error {
		for i := range dst {
			dst[i] = float32(values[first+i])
		}
		return nil
	}
	if len(values) > graph.Resident {
		return graph.Defer(read, w.Shape...)
	}
	t := graph.Floats(make([]float32, len(values)), w.Shape...)
	_ = read(t.F32, 0)
	return t
}
