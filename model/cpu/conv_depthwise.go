// Convolution with a group for each channel or few channels, which is computed without a product: its filters lie as
// the lanes of a vector do. Nothing is copied; a kernel that hangs over the border of an image takes fewer positions.
// Where a group's channel has several filters, the image is copied with each channel repeated, and so it is with
// fewer channels than lanes: see tiled.

package cpu

import (
	"repscope/internal/kernel"
	"repscope/internal/kernel/vector"
	"repscope/model/graph"
	"repscope/model/operator"
)

// channelwise is a convolution with few channels per group whose weights are known. Its geometry has as many channels
// as filters.
type channelwise struct {
	*geometry
	each    int       // channels of a group
	repeat  int       // filters of a channel
	weights []float32 // [position, channel of the group, filter]
	lines   []crossed // of the output, in all planes
	tiled   *tiled    // of few channels, else nil
}

// crossed is a line of output pixels: where in the image its first patch begins, and in which pieces its patches lie
// inside.
type crossed struct {
	at     int // of position 0, 0, 0, which may lie outside
	strips []strip
	next   [2]int // the elements that the next line of the plane reads and this one does not
}

// strip is neighboring pixels whose patches have the same positions inside the image.
type strip struct {
	from, to int
	first    int // the first tap, from where the line's patch begins
	taps     []vector.Tap
}

// span is the positions k0 ≤ k < k1 of an axis of the kernel that lie inside the image.
type span struct{ k0, k1 int }

// within is the positions of axis a of the patch of output o.
func (g *geometry) within(a, o int) span {
	begin := o*g.stride[a] - g.before[a]
	s := span{0, 0}
	for k := range g.kernel[a] {
		if i := begin + k*g.dilation[a]; i >= 0 && i < g.in[a] {
			if s.k1 == 0 {
				s.k0 = k
			}
			s.k1 = k + 1
		}
	}
	return s
}

// channelwise reports whether the convolution has groups that are computed without a product, and sums that a product
// would not split.
func (g *geometry) channelwise() bool {
	if g.groups == 1 || g.depth() > kernel.KC {
		return false
	}
	switch g.channels / g.groups {
	case 1:
		return true
	case 2, 4, 8:
		return g.filters == g.channels
	}
	return false
}

// newChannelwise takes the weights by position, channel of the group and filter. An image that is copied has its
// padding in it.
func newChannelwise(g *geometry, weights []float32) *channelwise {
	c := &channelwise{geometry: g, each: g.channels / g.groups, repeat: g.filters / g.channels, weights: weights}
	if c.repeat > 1 || g.filters < vector.Lanes {
		g.copied = true
	}
	if g.copied {
		copied := *g
		copied.in, copied.before = g.frame, [3]int{}
		copied.channels = g.filters
		c.geometry = &copied
	}
	if g.filters < vector.Lanes {
		c.tiled = newTiled(c)
	}
	strips := map[[3]span][]strip{}
	g = c.geometry
	for z := range g.out[0] {
		for y := range g.out[1] {
			key := [3]span{g.within(0, z), g.within(1, y)}
			if strips[key] == nil {
				strips[key] = g.strips(key, c.each)
			}
			at := ((z*g.stride[0]-g.before[0])*g.in[1]+y*g.stride[1]-g.before[1])*g.in[2] - g.before[2]
			c.lines = append(c.lines, crossed{at: at * g.channels, strips: strips[key], next: g.next(z, y)})
		}
	}
	return c
}

// next is the rows of the image that line y+1 of a plane reads and line y does not, for the last position of the
// first axis.
func (g *geometry) next(z, y int) [2]int {
	plane := g.within(0, z)
	last := func(y int) int { return y*g.stride[1] - g.before[1] + (g.kernel[1]-1)*g.dilation[1] + 1 }
	if y+1 == g.out[1] || plane.k1 == 0 {
		return [2]int{}
	}
	row, first := g.in[2]*g.channels, (z*g.stride[0]-g.before[0]+(plane.k1-1)*g.dilation[0])*g.in[1]
	return [2]int{(first + min(max(last(y), 0), g.in[1])) * row, (first + min(max(last(y+1), 0), g.in[1])) * row}
}

// strips cuts a line of outputs; inside are the positions of the other axes.
func (g *geometry) strips(inside [3]span, each int) (list []strip) {
	var last span
	for x := range g.out[2] {
		s := g.within(2, x)
		if k := len(list) - 1; k >= 0 && s == last {
			list[k].to = x + 1
			continue
		}
		last = s
		list = append(list, g.strip(x, [3]span{inside[0], inside[1], s}, each))
	}
	return list
}

// strip is the strip that begins at output x of a line.
func (g *geometry) strip(x int, inside [3]span, each int) strip {
	s := strip{from: x, to: x + 1}
	for z := inside[0].k0; z < inside[0].k1; z++ {
		for y := inside[1].k0; y < inside[1].k1; y++ {
			for k := inside[2].k0; k < inside[2].k1; k++ {
				offset := ((z*g.dilation[0]*g.in[1]+y*g.dilation[1])*g.in[2] + x*g.stride[2] + k*g.dilation[2]) * g.channels
				if len(s.taps) == 0 {
					s.first = offset
				}
				position := (z*g.kernel[1]+y)*g.kernel[2] + k
				s.taps = append(s.taps, vector.Tap{Source: offset - s.first, Weights: position * g.channels * each})
			}
		}
	}
	return s
}

// line computes output line l of an image that begins at element skipped; the pixels are stride elements apart in dst.
func (c *channelwise) line(
	s *scratch, d *vector.Depthwise, dst []float32, stride int, image []float32, skipped, l int,
) {
	plan := c.lines[l]
	if c.tiled != nil {
		c.tiled.line(s, d, dst, stride, image[plan.at-skipped:])
		return
	}
	if next := plan.next; next[0]-skipped < next[1]-skipped && next[1]-skipped <= len(image) {
		vector.Prefetch(image[next[0]-skipped : next[1]-skipped])
	}
	for _, s := range plan.strips {
		to := dst[s.from*stride:]
		if len(s.taps) == 0 {
			c.outside(d, to, stride, s.to-s.from)
			continue
		}
		d.Line(to, stride, image[plan.at+s.first-skipped:], c.stride[2]*c.channels, s.to-s.from, s.taps)
	}
}

// outside writes pixels whose patches lie outside of the image.
func (c *channelwise) outside(d *vector.Depthwise, dst []float32, stride, pixels int) {
	zeros := make([]float32, c.channels*c.each)
	e := *d
	e.Weights = zeros
	e.Line(dst, stride, zeros, 0, pixels, []vector.Tap{{}})
}

// copy is the frame of an image, or of a plane the rows that lines l0 … l1−1 need and how many elements come before.
func (c *channelwise) copy(s *scratch, image []float32, g *geometry, l0, l1 int) ([]float32, int) {
	y0, y1 := 0, g.frame[1]
	if g.frame[0] == 1 {
		y0, y1 = l0*g.stride[1], (l1-1)*g.stride[1]+(g.kernel[1]-1)*g.dilation[1]+1
	}
	row, rows := g.frame[2]*g.channels, g.frame[0]*(y1-y0)
	s.frames = grow(s.frames, rows*row+tileMost)
	g.fill(s.frames, image, y0, y1)
	if c.repeat == 1 {
		return s.frames, y0 * row
	}
	s.repeated = grow(s.repeated, rows*row*c.repeat+tileMost)
	repeatEach(s.repeated, s.frames[:rows*row], c.repeat)
	return s.repeated, y0 * row * c.repeat
}

// depthwise is the weights and the epilogue, as far as it is bias and bounds.
func (c *channelwise) depthwise(s *scratch, e *epilogue) vector.Depthwise {
	d := vector.Depthwise{Channels: c.channels, Each: c.each, Weights: c.weights, Bias: e.bias(), Cut: e.cut, Low: e.low, High: e.high}
	if c.tiled != nil {
		c.tiled.bind(s, &d)
	}
	return d
}

// turned is the weights [filter, channel of the group, kernel…] by position, channel of the group and filter.
func (g *geometry) turned(w *graph.Tensor) ([]float32, error) {
	values, err := w.Load(nil)
	if err != nil {
		return nil, err
	}
	k, each := g.depth(), g.channels/g.groups
	positions := k / each
	weights := make([]float32, k*g.filters)
	for f := range g.filters {
		for j := range each {
			for p := range positions {
				weights[(p*each+j)*g.filters+f] = values[f*k+j*positions+p]
			}
		}
	}
	return weights, nil
}

// unitElements is about how many outputs a unit of lines has.
const unitElements = 1 << 15

// buildChannelwise works on some lines of an image at a time.
func buildChannelwise(b *builder, p *operator.ConvParams, g *geometry) (func() error, error) {
	weights, err := g.turned(b.Constant(1))
	if err != nil {
		return nil, err
	}
	if c := g.byteChannelwise(p, newLevels(b.Values[b.Step.In[0]].Levels), weights); c != nil {
		return c.build(b, p), nil
	}
	c := newChannelwise(g, weights)
	images, lines, line := b.Shape(0)[0], len(c.lines), g.out[2]*g.filters
	each := max(1, unitElements/line)
	parts := max((lines+each-1)/each, min(lines, (4*(*b.pool).threads+images-1)/images))
	if g.copied && g.frame[0] > 1 {
		parts = 1
	}
	x, y, scale, shift, residual := b.operand(b.Step.In[0]), b.operand(b.Step.Out[0]), b.in(3), b.in(4), b.in(5)
	ending := newEpilogue(b, p.Activation, b.in(2))
	scratches := b.weights
	return b.each(images*parts, func(worker, lo, hi int) {
		s := scratches.scratch[worker]
		d := c.depthwise(s, ending)
		if residual() != nil {
			d.Bias, d.Cut = nil, false // they come after the sum
		}
		for t := lo; t < hi; t++ {
			i, l0, l1 := t/parts, t%parts*lines/parts, (t%parts+1)*lines/parts
			y0, y1 := 0, g.in[1]+g.before[1]
			if g.out[0] == 1 {
				y0, y1 = l0*g.stride[1], (l1-1)*g.stride[1]+(g.kernel[1]-1)*g.dilation[1]+1
			}
			image, skipped := g.decoded(s, &x, i, y0, y1), 0
			if g.copied {
				image, skipped = c.copy(s, image, g, l0, l1)
			}
			for l := l0; l < l1; l++ {
				offset := (i*lines + l) * line
				dst := y.room(&s.block, offset, offset+line)
				c.line(s, &d, dst, g.filters, image, skipped, l)
				if v := residual(); v != nil {
					ending.finish(dst, v[offset:][:line], g.out[2], g.filters)
				} else {
					ending.activate(dst, g.filters, g.out[2], g.filters)
				}
				if p.Norm != nil {
					vector.NormalizeRows(dst, dst, scale(), shift(), g.filters, g.out[2], p.Norm.Epsilon)
				}
				y.finish(dst, offset, g.filters, ending.last)
			}
		}
	}), nil
}
