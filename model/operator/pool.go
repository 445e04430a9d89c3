// Poolings over windows.

package operator

import (
	"slices"

	"repscope/model/graph"
)

var poolRows = []tableRow{
	{Name: "MaxPool", Since: 1, Types: "fi", Inputs: exactly(1), Outputs: 2,
		Attributes: windowAttributes("ceil_mode", "storage_order"), NoFold: true, infer: inferPool},
	{Name: "AveragePool", Since: 1, Types: "f", Inputs: exactly(1), Outputs: 1,
		Attributes: windowAttributes("ceil_mode", "count_include_pad"), NoFold: true, infer: inferPool},
	{Name: "LpPool", Since: 1, Types: "f", Inputs: exactly(1), Outputs: 1, Attributes: windowAttributes("ceil_mode", "p"), infer: inferLpPool},
	{Name: "GlobalLpPool", Since: 1, Types: "f", Inputs: exactly(1), Outputs: 1, Attributes: []string{"p"}, infer: inferLpPool},
	{Name: "MaxUnpool", Since: 9, Types: "fi", Inputs: between(2, 3), Outputs: 1, Attributes: []string{"kernel_shape", "pads", "strides"},
		infer: inferMaxUnpool},
}

// PoolParams is a pooling over spatial axes.
type PoolParams struct {
	Kernel, Strides, Dilations []int
	Before, After              []int
	CountPadding               bool
	// ColumnMajor says that the indices of maxima count the first spatial axis fastest.
	ColumnMajor bool
	// ChannelsLast is set if input and output are [N, spatial…, C] (chosen by the fusion pass).
	ChannelsLast bool
}

func inferPool(c *context) {
	x := c.shape(0)
	c.want(0, graph.Float32, graph.Int64)
	if c.In[0].DType == graph.Int64 && c.Node.Op != "MaxPool" {
		c.failf("input 0 has type int64, want float32")
	}
	if len(x) < 3 {
		c.failf("input %v, want [N, C, spatial…]", x)
	}
	kernel, ok := c.integers("kernel_shape")
	if !ok {
		c.failf("kernel_shape is missing")
	}
	p := &PoolParams{Kernel: kernel, CountPadding: c.flag("count_include_pad", false), ColumnMajor: c.flag("storage_order", false)}
	var out []int
	p.Strides, p.Dilations, p.Before, p.After, out = c.window(x[2:], kernel, c.integer("ceil_mode", 0) != 0)
	c.Params = p
	c.emitLike(0, append(slices.Clone(x[:2]), out...)...)
	if c.Node.Op == "MaxPool" {
		c.emit(graph.Int64, c.Out[0].Shape...)
	}
}

// inferLpPool is (Σ|x|^p)^(1/p) over windows, whose elements beyond the input are 0: the mean of |x|^p times their
// number.
func inferLpPool(c *context) {
	c.want(0, graph.Float32)
	x, order := c.shape(0), c.integer("p", 2)
	if len(x) < 3 || order < 1 {
		c.failf("input %v and p %d, want [N, C, spatial…] and at least 1", x, order)
	}
	l := c.lower()
	y := l.add("Abs", nil, c.Node.Inputs[0])
	exponent := func(y string, v float64) string {
		return l.add("Pow", nil, y, l.constant(graph.Floats([]float32{float32(v)})))
	}
	switch order {
	case 1:
	case 2:
		y = l.add("Mul", nil, y, y)
	default:
		y = exponent(y, float64(order))
	}
	if c.Node.Op == "GlobalLpPool" {
		axes := make([]int, len(x)-2)
		for i := range axes {
			axes[i] = 2 + i
		}
		y = l.add("ReduceSum", nil, y, l.constant(integerVector(axes...)))
	} else {
		y = c.sumWindows(l, y)
	}
	switch order {
	case 1:
	case 2:
		y = l.add("Sqrt", nil, y)
	default:
		y = exponent(y, 1/float64(order))
	}
	l.finish(y)
}

// sumWindows is the sums over the node's windows of a value of its input's shape.
func (c *context) sumWindows(l *lowering, y string) string {
	x := c.shape(0)
	kernel, ok := c.integers("kernel_shape")
	if !ok {
		c.failf("kernel_shape is missing")
	}
	strides, dilations, before, _, out := c.window(x[2:], kernel, c.flag("ceil_mode", false))
	count := 1.0
	for i, d := range x[2:] {
		after := (out[i]-1)*strides[i] + (kernel[i]-1)*dilations[i] + 1 - d - before[i]
		if after = max(after, 0); before[i] > 0 || after > 0 {
			y = l.pad(y, len(x), 2+i, before[i], after, 0)
		}
		count *= float64(kernel[i])
	}
	mean := l.add("AveragePool", map[string]graph.Attribute{"kernel_shape": graph.IntsAttribute(kernel...),
		"strides": graph.IntsAttribute(strides...), "dilations": graph.IntsAttribute(dilations...)}, y)
	return l.add("Mul", nil, mean, l.number(float32(count)))
}

// inferMaxUnpool writes elements at the indices of a MaxPool, among zeros. The indices count the elements of the input
// of such a pool; a larger output has zeros at the ends of its axes.
func inferMaxUnpool(c *context) {
	c.want(0, graph.Float32, graph.Int64)
	c.want(1, graph.Int64)
	x := c.shape(0)
	kernel, ok := c.integers("kernel_shape")
	n := len(x) - 2
	if n < 1 || !ok || len(kernel) != n || !slices.Equal(c.shape(1), x) {
		c.failf("input %v, indices %v, kernel %v", x, c.shape(1), kernel)
	}
	strides, pads := c.perAxis("strides", n, n, 1), c.perAxis("pads", n, 2*n, 0)
	shape := slices.Clone(x[:2])
	for i, d := range x[2:] {
		shape = append(shape, (d-1)*strides[i]-pads[i]-pads[n+i]+kernel[i])
	}
	total, err := graph.Elements(shape)
	if err != nil {
		c.failf("output: %w", err)
	}
	l := c.lower()
	zero := l.number(0)
	if c.In[0].DType == graph.Int64 {
		zero = l.reshape(l.whole(c.In[0].Type, 0), []int{1})
	}
	flat := []int{graph.Count(x)}
	y := l.add("ScatterElements", nil, l.expand(zero, total), l.reshape(c.Node.Inputs[1], flat), l.reshape(c.Node.Inputs[0], flat))
	y = l.reshape(y, shape)
	if want, ok := c.constants(2); ok {
		if len(want) != len(shape) {
			c.failf("output_shape %v for %v", want, shape)
		}
		for i, d := range shape {
			if want[i] < d || want[i] > graph.MaxElements || i < 2 && want[i] != d {
				c.failf("output_shape is %v, want at least %v, and the same batch and channels", want, shape)
			}
			if want[i] > d {
				y = l.pad(y, len(shape), i, 0, want[i]-d, 0)
			}
		}
	}
	l.finish(y)
}
