// Convolution of the bytes of images with few channels that come first, as images of colors do: planes are brought
// together four at a time.

package cpu

import (
	"repscope/internal/kernel"
	"repscope/internal/kernel/vector"
	"repscope/model/operator"
)

// boundPlanes is newBoundConv for an input of bytes that are few planes, and weights of signed bytes; nil if it is
// not one of these.
func boundPlanes(b *builder, p *operator.ConvParams, g *geometry) (*boundConv, error) {
	x, w := newLevels(b.Values[b.Step.In[0]].Levels), b.Constant(1)
	if !p.Integers || !x.direct() || w == nil || !kernel.GathersBytes() || !g.first || g.channels < 2 || g.channels > vector.Quad || g.groups > 1 ||
		g.in[0] > 1 || g.kernel[0] > 1 || g.frame[0] > 1 || g.depth() > operator.MaxIntegerDepth || g.filters < leastIntegerColumns {
		return nil, nil
	}
	quads := *g
	quads.planes, quads.channels, quads.first, quads.copied = g.channels, vector.Quad, false, true
	quads.runs = quads.patchRuns()
	key := packKey{w, "planes", 0}
	q, ok := b.weights.bytes[key]
	if !ok {
		values, err := w.Load(nil)
		if err != nil {
			return nil, err
		}
		if q, err = quads.signedPlanes(values); err != nil {
			return nil, err
		}
		b.weights.bytes[key] = q
	}
	if q == nil {
		return nil, nil
	}
	input := g.channels * g.in[1] * g.in[2]
	c, err := boundOf(b, &quads, b.Shape(0)[0], input)
	if err != nil {
		return nil, err
	}
	c.integers = q
	c.oneImage()
	return c, nil
}

// signedPlanes packs weights [filters, planes, kernel…] by pixel, with zeros for missing planes; nil if they are no
// signed bytes.
func (g *geometry) signedPlanes(values []float32) (*integerWeights, error) {
	pixels, k := g.kernel[1]*g.kernel[2], g.depth()
	q, columns := &integerWeights{n: g.filters, k: k, columns: make([]int32, g.filters)}, make([]int8, g.filters*k)
	signed, ok := signedBytes(values)
	if !ok {
		return nil, nil
	}
	for i, w := range signed {
		j := i / (g.planes * pixels)
		columns[j*k+i%pixels*g.channels+i/pixels%g.planes] = w
		q.columns[j] += int32(w)
	}
	var err error
	q.signed, err = kernel.NewSignedWeights(columns, q.n, g.runs)
	return q, err
}

// linePixels writes the first pixels of a line of an image of bytes, whose planes are brought together if it has any.
func (g *geometry) linePixels(dst, src []uint8, z, y int) {
	if g.planes == 0 {
		copy(dst, src[(z*g.in[1]+y)*g.in[2]*g.channels:])
		return
	}
	width, plane := g.in[2], g.in[1]*g.in[2]
	var rows [vector.Quad][]uint8
	for k := range rows {
		rows[k] = src[min(k, g.planes-1)*plane+y*width:][:len(dst)/vector.Quad]
	}
	vector.Interleave(dst, &rows)
}
