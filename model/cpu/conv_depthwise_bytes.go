// Depthwise convolution of bytes that are kept as such, in integers. The rows of the image that a few output lines
// read are brought together, four bytes of neighboring rows at a time, with its padding, which are bytes of zero;
// columns of the kernel are positions of such quads.

package cpu

import (
	"repscope/internal/kernel/vector"
	"repscope/model/operator"
)

// byteChannelwise is a convolution over two axes with one channel per group, signed bytes as weights, and an image of
// bytes less zero.
type byteChannelwise struct {
	*geometry
	lines   int            // of the output that share their quads: as many as these have rows for
	quads   int            // of a column
	pixels  int            // of the output that are worked on at a time
	columns int            // of the image, with its padding, that these read
	outside []uint8        // of zero
	taps    [][]vector.Tap // by line of the lines that share them
	vector.ByteDepthwise
}

// quadBytes is about how many bytes of quads are made at a time, which then stay in the first-level cache.
const quadBytes = 1 << 15

// newByteChannelwise takes the weights by position and filter; it is nil if they are no signed bytes.
func newByteChannelwise(g *geometry, weights []float32, zero uint8) *byteChannelwise {
	signed, ok := signedBytes(weights)
	if !ok {
		return nil
	}
	n := g.channels
	c := &byteChannelwise{geometry: g, lines: 1, quads: (g.kernel[1] + vector.Quad - 1) / vector.Quad}
	if g.dilation[1] == 1 {
		c.lines += (vector.Quad*c.quads - g.kernel[1]) / g.stride[1]
	}
	reach := (g.kernel[2]-1)*g.dilation[2] + 1
	c.pixels = min(max((quadBytes/(vector.Quad*c.quads*n)-reach)/g.stride[2]+1, 8)&^7, g.out[2])
	c.columns = (c.pixels-1)*g.stride[2] + reach
	c.outside = make([]uint8, max(g.in[2], vector.Quad*c.columns)*n)
	for i := range c.outside {
		c.outside[i] = zero
	}
	c.Channels, c.Terms, c.taps = n, make([]int32, n), make([][]vector.Tap, c.lines)
	for i, v := range signed {
		c.Terms[i%n] -= int32(zero) * int32(v)
	}
	for line := range c.taps {
		for q := range c.quads {
			for x := range g.kernel[2] {
				tap := vector.Tap{Source: (q*c.columns + x*g.dilation[2]) * n, Weights: len(c.Weights)}
				words, any := make([]uint32, n), false
				for k := range vector.Quad {
					row := q*vector.Quad + k - line*g.stride[1]
					if row < 0 || row >= g.kernel[1] {
						continue
					}
					any = true
					for f, v := range signed[(row*g.kernel[2]+x)*n:][:n] {
						words[f] |= uint32(uint8(v)) << (8 * k)
					}
				}
				if any {
					c.taps[line], c.Weights = append(c.taps[line], tap), append(c.Weights, words...)
				}
			}
		}
	}
	return c
}

// fill makes the quads for pixels x … x+pixels−1 of lines from l on.
func (c *byteChannelwise) fill(dst, image []uint8, l, x, pixels int) {
	n, width := c.channels, c.in[2]
	first := x*c.stride[2] - c.before[2]
	count := (pixels-1)*c.stride[2] + (c.kernel[2]-1)*c.dilation[2] + 1
	left, right := min(max(-first, 0), count), min(max(width-first, 0), count)
	right = max(left, right)
	for q := range c.quads {
		quads := dst[vector.Quad*q*c.columns*n:][:vector.Quad*count*n]
		var rows [vector.Quad][]uint8
		for k := range rows {
			rows[k] = c.outside[:(right-left)*n]
			if y := l*c.stride[1] - c.before[1] + (q*vector.Quad+k)*c.dilation[1]; y >= 0 && y < c.in[1] && right > left {
				rows[k] = image[(y*width+first+left)*n:][:(right-left)*n]
			}
		}
		copy(quads[:vector.Quad*left*n], c.outside)
		vector.Interleave(quads[vector.Quad*left*n:], &rows)
		copy(quads[vector.Quad*right*n:], c.outside)
	}
}

// eachPart computes output lines l0 … l1−1 of an image and calls finish with the sums of some pixels, in the memory
// returned by room.
func (c *byteChannelwise) eachPart(s *scratch, image []uint8, l0, l1 int,
	memory func(line, pixel, pixels int) []float32,
	finish func(sums []float32, line, pixel, pixels int)) {
	if size := vector.Quad * c.quads * c.columns * c.channels; cap(s.quads) < size {
		s.quads = make([]uint8, size)
	}
	for l := l0; l < l1; l += c.lines {
		for x := 0; x < c.out[2]; x += c.pixels {
			pixels := min(c.pixels, c.out[2]-x)
			c.fill(s.quads[:cap(s.quads)], image, l, x, pixels)
			for k, taps := range c.taps[:min(c.lines, l1-l)] {
				sums := memory(l+k, x, pixels)
				c.Line(sums, c.channels, s.quads[:cap(s.quads)], c.stride[2]*c.channels, pixels, taps)
				finish(sums, l+k, x, pixels)
			}
		}
	}
}

// byteChannelwise is the convolution of a step if it is one of bytes with a vector of channels or more, else nil.
func (g *geometry) byteChannelwise(p *operator.ConvParams, x *levels, weights []float32) *byteChannelwise {
	plane := g.in[0] == 1 && g.out[0] == 1 && g.kernel[0] == 1 && g.before[0] == 0
	if !plane || g.groups != g.filters || g.channels != g.filters || g.filters < vector.Lanes || p.Norm != nil || !p.Integers ||
		!x.direct() {
		return nil
	}
	return newByteChannelwise(g, weights, uint8(-x.low))
}

// build works on some lines of an image at a time.
func (c *byteChannelwise) build(b *builder, p *operator.ConvParams) func() error {
	images, lines, n := b.Shape(0)[0], c.out[1], c.channels
	groups := (lines + c.lines - 1) / c.lines
	each := max(1, unitElements/(c.lines*c.out[2]*n))
	parts := max((groups+each-1)/each, min(groups, (4*(*b.pool).threads+images-1)/images))
	x, y, residual := b.operand(b.Step.In[0]), b.operand(b.Step.Out[0]), b.in(5)
	added, bias := integerBias(b, c.depth())
	for i, v := range added {
		c.Terms[i] += v
	}
	ending := newEpilogue(b, p.Activation, bias)
	scratches, size := b.weights, c.in[1]*c.in[2]*n
	return b.each(images*parts, func(worker, lo, hi int) {
		s := scratches.scratch[worker]
		for t := lo; t < hi; t++ {
			i, part := t/parts, t%parts
			offset := func(line, pixel int) int { return ((i*lines+line)*c.out[2] + pixel) * n }
			c.eachPart(s, x.memory.u8[x.id][i*size:(i+1)*size], part*groups/parts*c.lines, min((part+1)*groups/parts*c.lines, lines),
				func(line, pixel, pixels int) []float32 {
					from := offset(line, pixel)
					return y.room(&s.block, from, from+pixels*n)
				},
				func(sums []float32, line, pixel, pixels int) {
					from, added := offset(line, pixel), residual()
					if added != nil {
						added = added[from:][:pixels*n]
					}
					ending.finish(sums, added, pixels, n)
					y.finish(sums, from, n, ending.last)
				})
		}
	})
}
