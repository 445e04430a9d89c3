// Convolutions and transposed ones, and the windows that poolings share with them.

package operator

import (
	"slices"

	"repscope/model/graph"
)

var convRows = []tableRow{
	{Name: "Conv", Since: 1, Types: "f", Inputs: between(2, 3), Outputs: 1, Attributes: windowAttributes("group"), NoFold: true,
		infer: inferConv},
	{Name: "Conv", Domain: own, Inputs: between(2, 5), Outputs: 1},
	{Name: "ConvTranspose", Since: 1, Types: "f", Inputs: between(2, 3), Outputs: 1,
		Attributes: windowAttributes("group", "output_padding", "output_shape"), NoFold: true, infer: inferConvTranspose},
	{Name: "Col2Im", Since: 18, Types: "fi", Inputs: exactly(3), Outputs: 1, Attributes: []string{"dilations", "pads", "strides"},
		infer: inferCol2Im},
}

// ConvParams is a convolution over one to three spatial axes. Layout is false
// for [N, C, spatial…], true for [N, spatial…, C] (chosen by the fusion pass).
type ConvParams struct {
	Kernel, Strides, Dilations []int
	Before, After              []int // padding
	Group                      int
	ChannelsLast               bool
	// ChannelsFirstInput is set if the input alone still has its channels first.
	ChannelsFirstInput bool
	Activation         Activation
	// A value of the result's shape that is added before the activation is input 5.
	//
	// Norm, if not nil, is a layer normalization over the channels after the activation
	// (channels last only); its scale and bias are inputs 3 and 4.
	Norm *NormParams
	// Integers and FollowUps are as in [GemmParams].
	Integers  bool
	FollowUps []FollowUp
}

// A TransposedPhase is the pixels of a transposed convolution's result whose indices on one axis leave the same
// remainder after division by the stride. They are a convolution of the input with stride 1 whose kernel has the
// positions First, First−Step, … of the whole.
type TransposedPhase struct {
	First, Step, Count int
	Dilation, Before   int // of that convolution
}

// TransposedPhases are the phases on an axis by their remainders; nil if some phase has no position, or begins inside
// the input, so that it is no convolution as [ConvParams] describes it.
func TransposedPhases(kernel, stride, dilation, before int) []TransposedPhase {
	var phases []TransposedPhase
	for r := range stride {
		p := TransposedPhase{First: -1}
		for k := kernel - 1; k >= 0; k-- {
			if (r+before-k*dilation)%stride != 0 {
				continue
			}
			index := (r + before - k*dilation) / stride // the input's index, from the result's divided by the stride
			switch p.Count {
			case 0:
				p.First, p.Step, p.Before, p.Dilation = k, 1, -index, 1
			case 1:
				p.Step, p.Dilation = p.First-k, index+p.Before
			}
			p.Count++
		}
		if p.Count == 0 || p.Before < 0 {
			return nil
		}
		phases = append(phases, p)
	}
	return phases
}

// windowAttributes are the attributes of all operators that move a window over an image, and more.
func windowAttributes(more ...string) []string {
	return append([]string{"auto_pad", "dilations", "kernel_shape", "pads", "strides"}, more...)
}

// window resolves kernel_shape, strides, dilations, pads and auto_pad for the
// spatial axes of an input and returns the output's spatial shape.
func (c *context) window(spatial, kernel []int, roundUp bool) (strides, dilations, before, after, out []int) {
	n := len(spatial)
	strides, dilations = c.perAxis("strides", n, n, 1), c.perAxis("dilations", n, n, 1)
	if len(kernel) != n {
		c.failf("kernel %v for %d spatial axes", kernel, n)
	}
	for _, k := range kernel {
		if k < 1 || k > 1<<20 {
			c.failf("kernel %v", kernel)
		}
	}
	mode := c.text("auto_pad", "NOTSET")
	before, after, out = make([]int, n), make([]int, n), make([]int, n)
	if mode == "NOTSET" {
		pads := c.perAxis("pads", n, 2*n, 0)
		before, after = slices.Clone(pads[:n]), slices.Clone(pads[n:])
	}
	for i := range n {
		extent := (kernel[i]-1)*dilations[i] + 1
		switch mode {
		case "NOTSET", "VALID":
			space := spatial[i] + before[i] + after[i] - extent
			if space < 0 {
				c.failf("a kernel of extent %d does not fit into axis of size %d with padding %d and %d", extent, spatial[i], before[i], after[i])
			}
			out[i] = space/strides[i] + 1
			if roundUp && space%strides[i] != 0 && out[i]*strides[i] < spatial[i]+before[i] {
				// ceil_mode, but no window may start in the padding after the end.
				out[i]++
			}
		case "SAME_UPPER", "SAME_LOWER":
			out[i] = (spatial[i] + strides[i] - 1) / strides[i]
			total := max(0, (out[i]-1)*strides[i]+extent-spatial[i])
			before[i] = total / 2
			if mode == "SAME_LOWER" {
				before[i] = total - total/2
			}
			after[i] = total - before[i]
		default:
			c.failf("auto_pad is %q", mode)
		}
	}
	return strides, dilations, before, after, out
}

// perAxis is an attribute of count numbers for n spatial axes, each of least, which they are if it is missing, to 2²⁰.
func (c *context) perAxis(name string, n, count, least int) []int {
	v, ok := c.integers(name)
	if !ok {
		return slices.Repeat([]int{least}, count)
	}
	if len(v) != count {
		c.failf("%s %v for %d spatial axes", name, v, n)
	}
	for _, x := range v {
		if x < least || x > 1<<20 {
			c.failf("%s %v", name, v)
		}
	}
	return v
}

func inferConv(c *context) {
	x, w := c.shape(0), c.shape(1)
	c.want(0, graph.Float32)
	c.want(1, graph.Float32)
	c.want(2, graph.Float32)
	switch {
	case len(x) < 3 || len(x) != len(w):
		c.failf("input %v and weights %v", x, w)
	case len(x) > 5:
		c.unsupported("%d spatial axes", len(x)-2)
	case graph.Count(w) == 0:
		c.failf("weights %v have no elements", w)
	}
	p := &ConvParams{Group: c.integer("group", 1)}
	switch {
	case p.Group < 1 || w[0]%p.Group != 0:
		c.failf("group %d for %d output channels", p.Group, w[0])
	case w[1]*p.Group != x[1]:
		c.failf("input %v has %d channels, weights %v in %d groups want %d", x, x[1], w, p.Group, w[1]*p.Group)
	case c.has(2) && !slices.Equal(c.shape(2), []int{w[0]}):
		c.failf("bias %v, want [%d]", c.shape(2), w[0])
	}
	p.Kernel = slices.Clone(w[2:])
	if k, ok := c.integers("kernel_shape"); ok && !slices.Equal(k, p.Kernel) {
		c.failf("kernel_shape %v, weights %v", k, w)
	}
	var out []int
	p.Strides, p.Dilations, p.Before, p.After, out = c.window(x[2:], p.Kernel, false)
	c.Params = p
	c.emit(graph.Float32, append([]int{x[0], w[0]}, out...)...)
}

func inferConvTranspose(c *context) {
	x, w := c.shape(0), c.shape(1)
	for i := range 3 {
		c.want(i, graph.Float32)
	}
	switch {
	case len(x) < 3 || len(x) != len(w):
		c.failf("input %v and weights %v", x, w)
	case len(x) > 5:
		c.unsupported("%d spatial axes", len(x)-2)
	}
	n := len(x) - 2
	p := &ConvParams{Group: c.integer("group", 1), Kernel: slices.Clone(w[2:])}
	switch {
	case p.Group < 1 || w[0]%p.Group != 0:
		c.failf("group %d for %d input channels", p.Group, w[0])
	case w[0] != x[1]:
		c.failf("input %v has %d channels, weights %v want %d", x, x[1], w, w[0])
	case p.Group > graph.MaxElements || c.has(2) && !slices.Equal(c.shape(2), []int{w[1] * p.Group}):
		c.failf("bias %v, want [%d]", c.shape(2), w[1]*p.Group)
	}
	if k, ok := c.integers("kernel_shape"); ok && !slices.Equal(k, p.Kernel) {
		c.failf("kernel_shape %v, weights %v", k, w)
	}
	p.Strides, p.Dilations = c.perAxis("strides", n, n, 1), c.perAxis("dilations", n, n, 1)
	extra, pads := c.perAxis("output_padding", n, n, 0), c.perAxis("pads", n, 2*n, 0)
	want, present := c.integers("output_shape")
	if present && len(want) == n+2 {
		want = want[2:] // some exporters state the whole shape
	}
	if present && len(want) != n {
		c.failf("output_shape %v for %d spatial axes", want, n)
	}
	c.Params = p
	c.emit(graph.Float32, p.transposedShape(c, extra, pads, want)...)
}

// transposedShape is the shape of a transposed convolution's result, and sets its padding; want is the requested
// spatial shape, or nil.
func (p *ConvParams) transposedShape(c *context, extra, pads, want []int) []int {
	x, w, requested := c.shape(0), c.shape(1), want != nil
	n := len(x) - 2
	mode := c.text("auto_pad", "NOTSET")
	shape := []int{x[0], w[1] * p.Group}
	p.Before, p.After = make([]int, n), make([]int, n)
	for i := range n {
		if x[2+i] == 0 || p.Kernel[i] == 0 || p.Kernel[i] > 1<<20 {
			c.failf("input %v and weights %v", x, w)
		}
		full := p.Strides[i]*(x[2+i]-1) + extra[i] + (p.Kernel[i]-1)*p.Dilations[i] + 1
		size := full - pads[i] - pads[n+i]
		switch mode {
		case "NOTSET":
			p.Before[i], p.After[i] = pads[i], pads[n+i]
		case "VALID":
			size = full
		case "SAME_UPPER", "SAME_LOWER":
			size = x[2+i] * p.Strides[i]
		default:
			c.failf("auto_pad is %q", mode)
		}
		if requested {
			size = want[i]
		}
		if requested || mode == "SAME_UPPER" || mode == "SAME_LOWER" {
			// The excess is cut off: at SAME_UPPER more at the end.
			total := max(0, full-size)
			p.Before[i], p.After[i] = total-total/2, total/2
			if mode == "SAME_UPPER" {
				p.Before[i], p.After[i] = total/2, total-total/2
			}
		}
		if size < 0 {
			c.failf("padding %v leaves nothing of the output", pads)
		}
		shape = append(shape, size)
	}
	return shape
}

// ThreeAxes is a list by spatial axes as one by z, y and x, filled at its beginning.
func ThreeAxes(v []int, fill int) (r [3]int) {
	r = [3]int{fill, fill, fill}
	copy(r[3-len(v):], v)
	return r
}

// cover is an index in a block and the position of the block that together cover a pixel along an axis.
type cover struct{ place, position int }

// inferCol2Im adds up blocks of pixels that overlap: each pixel is the sum over its blocks, in the order of its indices
// in them.
func inferCol2Im(c *context) {
	x := c.shape(0)
	axes, image, each, positions := c.covers()
	layers := slices.Repeat([]int{1}, len(axes))
	for i, axis := range axes {
		for _, list := range axis {
			layers[i] = max(layers[i], len(list))
		}
	}
	pixels := graph.Count(image)
	if count, err := graph.Elements(append(layers, image...)); err != nil || count > 4*graph.FoldLimit {
		c.unsupported("an image %v with %v overlapping blocks", image, layers)
	}
	l := c.lower()
	// One more column, of zeros, replaces missing blocks.
	size := graph.Count(each)
	columns := l.pad(l.reshape(c.Node.Inputs[0], []int{x[0], x[1] / size, size * graph.Count(positions)}), 3, 2, 0, 1, 0)
	sum := ""
	for layer := range graph.Count(layers) {
		index, nth := graph.Ints(), graph.Position(layers, layer)
		for p := range pixels {
			inner, position, covered := 0, 0, true
			for i, pixel := range graph.Position(image, p) {
				if covered = covered && nth[i] < len(axes[i][pixel]); covered {
					by := axes[i][pixel][nth[i]]
					inner, position = inner*each[i]+by.place, position*positions[i]+by.position
				}
			}
			if !covered {
				inner, position = graph.Count(each), 0
			}
			index.I64 = append(index.I64, int64(inner*graph.Count(positions)+position))
		}
		index.Shape = []int{pixels}
		part := l.add("Gather", map[string]graph.Attribute{"axis": graph.IntAttribute(2)}, columns, l.constant(index))
		if sum != "" {
			part = l.add("Add", nil, sum, part)
		}
		sum = part
	}
	l.finish(l.reshape(sum, slices.Concat(x[:1], []int{x[1] / graph.Count(each)}, image)))
}

// covers checks a Col2Im: the covers of each pixel along each axis of the image, the sizes of blocks, and their
// positions.
func (c *context) covers() (axes [][][]cover, image, block, positions []int) {
	c.want(0, graph.Float32, graph.Int64)
	x := c.shape(0)
	image, _ = c.constants(1)
	block, _ = c.constants(2)
	n := len(image)
	if n < 1 || len(block) != n || len(x) != 3 || graph.Count(x) == 0 {
		c.failf("input %v, image %v and blocks %v, want [N, channels·positions, blocks] and the same number of axes", x, image, block)
	}
	strides, dilations, pads := c.perAxis("strides", n, n, 1), c.perAxis("dilations", n, n, 1), c.perAxis("pads", n, 2*n, 0)
	for i := range n {
		if image[i] < 1 || image[i] > graph.FoldLimit || block[i] < 1 || block[i] > x[1] {
			c.failf("image %v and blocks %v of the input %v", image, block, x)
		}
		space := image[i] + pads[i] + pads[n+i] - dilations[i]*(block[i]-1) - 1
		if space < 0 {
			c.failf("blocks %v do not fit into the image %v", block, image)
		}
		positions = append(positions, space/strides[i]+1)
	}
	each, _ := graph.Elements(block)
	if count, _ := graph.Elements(positions); each == 0 || x[1]%each != 0 || x[2] != count {
		c.failf("input %v, want [N, channels·%d, %d] for the image %v of blocks %v", x, each, count, image, block)
	}
	for i := range n {
		axis := make([][]cover, image[i])
		for k := range block[i] {
			for position := range positions[i] {
				if pixel := position*strides[i] + k*dilations[i] - pads[i]; pixel >= 0 && pixel < image[i] {
					axis[pixel] = append(axis[pixel], cover{k, position})
				}
			}
		}
		axes = append(axes, axis)
	}
	return axes, image, block, positions
}
