// Operators that sample images at points that are computed: the pixels around each point are gathered and mixed.

package operator

import (
	"math"
	"slices"

	"repscope/model/graph"
)

var samplingRows = []tableRow{
	{Name: "RoiAlign", Since: 10, Types: "f", Note: "with sampling_ratio 0 only for constant boxes", Inputs: exactly(3), Outputs: 1,
		Attributes: []string{"coordinate_transformation_mode", "mode", "output_height", "output_width", "sampling_ratio", "spatial_scale"},
		infer:      inferRoiAlign},
	{Name: "DeformConv", Since: 19, Types: "f", Note: "of images", Inputs: between(3, 5), Outputs: 1,
		Attributes: []string{"dilations", "group", "kernel_shape", "offset_group", "pads", "strides"}, infer: inferDeformConv},
}

// ends are, along one axis, the pixels on both sides of points and their weights.
type ends struct{ index, weight [2]string }

// integers converts whole numbers.
func (l *lowering) integers(x string) string { return l.add("Cast", castTo(graph.ElementInt64), x) }

// scalar is a constant without axes.
func (l *lowering) scalar(v float32) string { return l.constant(graph.Floats([]float32{v})) }

// index is an integer constant without axes.
func (l *lowering) index(v int) string {
	return l.constant(&graph.Tensor{DType: graph.Int64, I64: []int64{int64(v)}})
}

// corners mixes the rows of pixels at the four corners around each point; rows gathers them by their indices in images
// of the width.
func (l *lowering) corners(y, x ends, width int, rows func(place string) string, shape []int, mix string) string {
	sum := ""
	for i := range 2 {
		for j := range 2 {
			index := l.add("Add", nil, l.add("Mul", nil, y.index[i], l.index(width)), x.index[j])
			weight := l.reshape(l.add("Mul", nil, y.weight[i], x.weight[j]), shape)
			// One corner after the other, so that no more than two are in memory.
			if term := l.add("Mul", nil, rows(index), weight); sum == "" {
				sum = term
			} else {
				sum = l.add(mix, nil, sum, term)
			}
		}
	}
	return sum
}

// roiAlign is a RoiAlign under replacement.
type roiAlign struct {
	c       *context
	l       *lowering
	aligned bool
	scale   float32
	ratio   int
}

// inferRoiAlign cuts boxes of images into bins and takes the mean or the maximum of points in each.
func inferRoiAlign(c *context) {
	x, boxes := c.shape(0), c.shape(1)
	c.want(0, graph.Float32)
	c.want(1, graph.Float32)
	c.want(2, graph.Int64)
	if len(x) != 4 || len(boxes) != 2 || boxes[1] != 4 || !slices.Equal(c.shape(2), boxes[:1]) || x[2]*x[3] == 0 {
		c.failf("input %v, boxes %v and batch indices %v, want [N, C, H, W], [R, 4] and [R]", x, boxes, c.shape(2))
	}
	mode := c.text("mode", "avg")
	transformation := c.text("coordinate_transformation_mode", "half_pixel")
	if _, ok := c.Node.Attributes["coordinate_transformation_mode"]; !ok && c.Opset < 16 {
		transformation = "output_half_pixel"
	}
	if mode != "avg" && mode != "max" || transformation != "half_pixel" && transformation != "output_half_pixel" {
		c.failf("mode %q and coordinate_transformation_mode %q", mode, transformation)
	}
	p := &roiAlign{c: c, l: c.lower(), aligned: transformation == "half_pixel", scale: c.float("spatial_scale", 1),
		ratio: c.integer("sampling_ratio", 0)}
	height, width := c.integer("output_height", 1), c.integer("output_width", 1)
	if height < 1 || width < 1 || p.ratio < 0 || height > 1<<20 || width > 1<<20 || p.ratio > 1<<10 {
		c.failf("%d × %d bins of %d points", height, width, p.ratio)
	}
	l, rows := p.l, boxes[0]
	y, m := p.points(1, height, x[2], mode == "max")
	xs, n := p.points(0, width, x[3], mode == "max")
	for i := range 2 { // of [R, height·m] and [R, width·n]
		y.index[i], y.weight[i] = l.reshape(y.index[i], []int{rows, height * m, 1}), l.reshape(y.weight[i], []int{rows, height * m, 1})
		xs.index[i], xs.weight[i] = l.reshape(xs.index[i], []int{rows, 1, width * n}), l.reshape(xs.weight[i], []int{rows, 1, width * n})
	}
	first := l.reshape(l.add("Mul", nil, c.Node.Inputs[2], l.index(x[2]*x[3])), []int{rows, 1, 1})
	pixels := l.reshape(l.transpose(c.Node.Inputs[0], []int{0, 2, 3, 1}), []int{x[0] * x[2] * x[3], x[1]})
	gather := func(place string) string { return l.add("Gather", nil, pixels, l.add("Add", nil, place, first)) }
	mix, reduce := "Add", "ReduceSum"
	if mode == "max" {
		mix, reduce = "Max", "ReduceMax"
	}
	sampled := l.corners(y, xs, x[3], gather, []int{rows, height * m, width * n, 1}, mix)
	sampled = l.reshape(sampled, []int{rows, height, m, width, n, x[1]})
	bins := l.add(reduce, map[string]graph.Attribute{"keepdims": graph.IntAttribute(0)}, sampled, l.constant(integerVector(2, 4)))
	l.finish(l.transpose(bins, []int{0, 3, 1, 2}))
}

// points are where the boxes are sampled along an axis: for each box as many points in each of the bins. For a mean
// their weights have the number of points as divisor.
func (p *roiAlign) points(axis, bins, size int, greatest bool) (e ends, each int) {
	l, boxes := p.l, p.c.shape(1)[0]
	var x, weight string
	if each = p.ratio; each > 0 {
		x = p.computed(axis, bins)
		if !greatest {
			weight = l.scalar(1 / float32(each))
		}
	} else {
		var constants [2]*graph.Tensor
		constants[0], constants[1], each = p.known(axis, bins, greatest)
		x, weight = l.constant(constants[0]), l.constant(constants[1])
	}
	outside := l.add("Or", nil, l.add("Less", nil, x, l.scalar(-1)), l.add("Greater", nil, x, l.scalar(float32(size))))
	x = l.clip(x, 0, float32(size-1))
	low := l.add("Floor", nil, x)
	far := l.add("Sub", nil, x, low)
	near := l.add("Sub", nil, l.scalar(1), far)
	e.index = [2]string{l.integers(low), l.integers(l.add("Min", nil, l.add("Add", nil, low, l.scalar(1)), l.scalar(float32(size-1))))}
	for i, w := range []string{near, far} {
		if weight != "" {
			w = l.add("Mul", nil, w, weight)
		}
		e.weight[i] = l.expand(l.add("Where", nil, outside, l.scalar(0), w), boxes, bins*each)
	}
	return e, each
}

// computed are the points of boxes of the run.
func (p *roiAlign) computed(axis, bins int) string {
	l, boxes := p.l, p.c.shape(1)[0]
	side := func(i int) string {
		v := l.add("Mul", nil, l.slice(p.c.Node.Inputs[1], 1, i, i+1), l.scalar(p.scale))
		if p.aligned {
			v = l.add("Sub", nil, v, l.scalar(0.5))
		}
		return v
	}
	start := side(axis)
	length := l.add("Sub", nil, side(axis+2), start)
	if !p.aligned {
		length = l.add("Max", nil, length, l.scalar(1))
	}
	bin := l.add("Div", nil, length, l.scalar(float32(bins)))
	whole, part := graph.Floats(make([]float32, bins*p.ratio), 1, bins*p.ratio), graph.Floats(make([]float32, bins*p.ratio), 1, bins*p.ratio)
	for i := range whole.F32 {
		whole.F32[i], part.F32[i] = float32(i/p.ratio), float32(i%p.ratio)+0.5
	}
	within := l.add("Div", nil, l.add("Mul", nil, l.constant(part), bin), l.scalar(float32(p.ratio)))
	at := l.add("Add", nil, l.add("Add", nil, start, l.add("Mul", nil, l.constant(whole), bin)), within)
	return l.reshape(at, []int{boxes, bins * p.ratio})
}

// maxPoints bounds the points of a bin along an axis.
const maxPoints = 1 << 10

// known are the points and weights of constant boxes, each with as many points as its bins have pixels. A box with
// fewer points than another one has surplus indices: the mean ignores them, and for the maximum they repeat the first
// one.
func (p *roiAlign) known(axis, bins int, greatest bool) (centers, weight *graph.Tensor, each int) {
	boxes := p.c.In[1].Const
	if boxes == nil || boxes.Deferred() {
		p.c.unsupported("sampling_ratio 0 needs constant boxes (input 1, %q): the number of points "+
			"depends on them; export with sampling_ratio 2",
			p.c.Node.Inputs[1])
	}
	n := boxes.Shape[0]
	starts, sizes, counts := make([]float32, n), make([]float32, n), make([]int, n)
	each = 1
	for r := range n {
		start, end := boxes.F32[4*r+axis]*p.scale, boxes.F32[4*r+axis+2]*p.scale
		if p.aligned {
			start, end = start-0.5, end-0.5
		}
		length := end - start
		if !p.aligned {
			length = max(length, 1)
		}
		starts[r], sizes[r] = start, length/float32(bins)
		points := math.Ceil(float64(sizes[r]))
		if !(points <= maxPoints) {
			p.c.unsupported("box %d has %g points in a bin, want at most %d", r, points, maxPoints)
		}
		counts[r] = int(max(points, 0))
		each = max(each, counts[r])
	}
	centers, weight = graph.Floats(make([]float32, n*bins*each), n, bins*each), graph.Floats(make([]float32, n*bins*each), n, bins*each)
	for i := range centers.F32 {
		r, bin, k := i/(bins*each), i/each%bins, i%each
		switch {
		case k < counts[r] && greatest:
			weight.F32[i] = 1
		case k < counts[r]:
			weight.F32[i] = 1 / float32(counts[r])
		case counts[r] > 0 && greatest:
			k, weight.F32[i] = 0, 1
		}
		centers.F32[i] = starts[r] + float32(bin)*sizes[r] + (float32(k)+0.5)*sizes[r]/float32(max(counts[r], 1))
	}
	return centers, weight, each
}

// deformed is a DeformConv under replacement.
type deformed struct {
	c                       *context
	l                       *lowering
	batch, groups, channels int // of offsets, and the channels of each of their groups
	taps                    int // of the kernel
	pixels                  string
	first, last, points     int // of the output: rows that are sampled together
	whole                   bool
}

// inferDeformConv is a convolution whose kernel reads at points that are moved by offsets: the points are sampled
// into as many channels as the kernel has elements, which a convolution of one pixel then adds up.
func inferDeformConv(c *context) {
	for i := range c.In {
		c.want(i, graph.Float32)
	}
	x, w, offset := c.shape(0), c.shape(1), c.shape(2)
	if len(x) != 4 || len(w) != 4 || len(offset) != 4 {
		c.unsupported("input %v, weights %v and offsets %v; images are supported, [N, C, H, W]", x, w, offset)
	}
	kernel := []int{w[2], w[3]}
	list := func(name string, otherwise ...int) []int {
		v, ok := c.integers(name)
		if !ok {
			return otherwise
		}
		if len(v) != len(otherwise) || slices.Min(v) < min(1, slices.Max(otherwise)) || slices.Max(v) > 1<<20 {
			c.failf("attribute %s is %v", name, v)
		}
		return v
	}
	if k := list("kernel_shape", kernel...); !slices.Equal(k, kernel) {
		c.failf("kernel_shape %v for weights %v", k, w)
	}
	strides, dilations, pads := list("strides", 1, 1), list("dilations", 1, 1), list("pads", 0, 0, 0, 0)
	g, groups := c.integer("group", 1), c.integer("offset_group", 1)
	if g < 1 || groups < 1 || x[1]%groups != 0 || w[1]*g != x[1] || w[0]%g != 0 || x[2]*x[3] == 0 || w[2]*w[3] == 0 {
		c.failf("input %v and weights %v in %d groups, offsets in %d", x, w, g, groups)
	}
	out := make([]int, 2)
	for i := range out {
		if out[i] = x[2+i] + pads[i] + pads[2+i] - (kernel[i]-1)*dilations[i] - 1; out[i] < 0 {
			c.failf("a kernel of %v does not fit into %v", kernel, x)
		}
		out[i] = out[i]/strides[i] + 1
	}
	taps := kernel[0] * kernel[1]
	mask := []int{x[0], groups * taps, out[0], out[1]}
	if want := []int{x[0], 2 * groups * taps, out[0], out[1]}; !slices.Equal(offset, want) {
		c.failf("offsets %v, want %v", offset, want)
	}
	if c.has(4) && !slices.Equal(c.shape(4), mask) {
		c.failf("mask %v, want %v", c.shape(4), mask)
	}
	l := c.lower()
	d := &deformed{c: c, l: l, batch: x[0], groups: groups, channels: x[1] / groups, taps: taps}
	d.pixels = l.transpose(l.reshape(c.Node.Inputs[0], []int{d.batch * groups, d.channels, x[2] * x[3]}), []int{0, 2, 1})
	weights := l.reshape(c.Node.Inputs[1], []int{w[0], w[1] * taps, 1, 1})
	var bands []string
	for first, rows := 0, d.rows(graph.Count(x), graph.Count(offset), out); first < out[0]; first += rows {
		last := min(first+rows, out[0])
		d.first, d.last, d.points = first, last, (last-first)*out[1]
		d.whole = last-first == out[0]
		var sides [2]ends
		for axis := range sides {
			start := graph.Floats(make([]float32, taps*d.points), 1, taps, d.points)
			for i := range start.F32 {
				point, tap := i%d.points, i/d.points
				at, part := []int{first + point/out[1], point % out[1]}[axis], []int{tap / w[3], tap % w[3]}[axis]
				start.F32[i] = float32(at*strides[axis] - pads[axis] + part*dilations[axis])
			}
			sides[axis] = d.ends(axis, start, x[2+axis])
		}
		inputs := []string{l.reshape(d.sampled(sides, x), []int{x[0], x[1] * taps, last - first, out[1]}), weights}
		if c.has(3) {
			inputs = append(inputs, c.Node.Inputs[3])
		}
		bands = append(bands, l.add("Conv", map[string]graph.Attribute{"group": graph.IntAttribute(g)}, inputs...))
	}
	if len(bands) == 1 {
		l.finish(bands[0])
		return
	}
	l.finish(l.concat(2, bands...))
}

// rows is the number of the output's rows that are sampled together: the samples, and two more values of that size,
// take less memory than the image or the offsets do.
func (d *deformed) rows(image, offsets int, out []int) int {
	row := 4 * d.batch * d.groups * d.channels * d.taps * out[1]
	return max(1, max(image, offsets)/max(1, row), (out[0]+mostBands-1)/mostBands)
}

// mostBands bounds the number of steps that a DeformConv becomes.
const mostBands = 128

// band is the part of an operand that belongs to the rows that are sampled.
func (d *deformed) band(operand string) string {
	if d.whole {
		return operand
	}
	return d.l.slice(operand, 2, d.first, d.last)
}

// ends are the pixels around the kernel's points along an axis of the size: beyond the image their weight is 0.
func (d *deformed) ends(axis int, start *graph.Tensor, size int) (e ends) {
	l, all := d.l, d.batch*d.groups
	moved := l.reshape(d.band(d.c.Node.Inputs[2]), []int{all, d.taps, 2, d.points})
	moved = l.reshape(l.slice(moved, 2, axis, axis+1), []int{all, d.taps, d.points})
	points := l.add("Add", nil, l.constant(start), moved)
	low := l.add("Floor", nil, points)
	far := l.add("Sub", nil, points, low)
	for i, weight := range []string{l.add("Sub", nil, l.scalar(1), far), far} {
		pixel := low
		if i == 1 {
			pixel = l.add("Add", nil, low, l.scalar(1))
		}
		inside := l.add("And", nil, l.add("GreaterOrEqual", nil, pixel, l.scalar(0)), l.add("LessOrEqual", nil, pixel, l.scalar(float32(size-1))))
		e.weight[i] = l.add("Where", nil, inside, weight, l.scalar(0))
		e.index[i] = l.integers(l.clip(pixel, 0, float32(size-1)))
	}
	return e
}

// sampled is the image at the points of the kernel's elements, [N·groups, channels, taps, points].
func (d *deformed) sampled(sides [2]ends, x []int) string {
	l, all := d.l, d.batch*d.groups
	gather := func(place string) string {
		return l.add("GatherND", map[string]graph.Attribute{"batch_dims": graph.IntAttribute(1)}, d.pixels,
			l.reshape(place, []int{all, d.taps * d.points, 1}))
	}
	y := l.corners(sides[0], sides[1], x[3], gather, []int{all, d.taps * d.points, 1}, "Add")
	if d.c.has(4) {
		y = l.add("Mul", nil, y, l.reshape(d.band(d.c.Node.Inputs[4]), []int{all, d.taps * d.points, 1}))
	}
	return l.transpose(y, []int{0, 2, 1})
}
