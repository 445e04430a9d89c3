// Normalizations, softmax among them. Sums are taken in float64
// in a fixed order.

package cpu

import (
	"errors"
	"math"

	"repscope/internal/kernel"
	"repscope/internal/kernel/vector"
	"repscope/model/graph"
	"repscope/model/operator"
)

var normalizeKernels = map[string]constructor{
	".LayerNormalization": buildLayerNorm, ".RMSNormalization": buildRootMeanSquare, ".BatchNormalization": buildBatchNorm, ".InstanceNormalization": buildGroupNorm,
	".GroupNormalization": buildGroupNorm, ".Softmax": buildSoftmax, ".LogSoftmax": buildSoftmax, ".LRN": buildLRN,
}

func buildLayerNorm(b *builder) (func() error, error) {
	p := b.Step.Params.(operator.NormParams)
	s := b.Shape(0)
	width := graph.Count(s[p.Axis:])
	for i := 1; i < len(b.Step.In); i++ {
		if b.Has(i) && graph.Count(b.Shape(i)) != width {
			return nil, errors.New("broadcasting of scale and bias is not supported")
		}
	}
	x, scale, bias, y := b.in(0), b.in(1), b.in(2), b.out(0)
	mean, inverse := b.out(1), b.out(2)
	return b.span(graph.Count(s[:p.Axis]), max(1, grain/4/max(width, 1)), func(_, lo, hi int) {
		src, dst, w, v := x(), y(), scale(), bias()
		means, inverses := mean(), inverse()
		if means == nil && inverses == nil {
			vector.NormalizeRows(dst[lo*width:], src[lo*width:], w, v, width, hi-lo, p.Epsilon)
			return
		}
		for r := lo; r < hi; r++ {
			m, i := vector.Normalize(dst[r*width:(r+1)*width], src[r*width:(r+1)*width], w, v, p.Epsilon)
			if means != nil {
				means[r] = m
			}
			if inverses != nil {
				inverses[r] = i
			}
		}
	}), nil
}

func buildRootMeanSquare(b *builder) (func() error, error) {
	p := b.Step.Params.(operator.NormParams)
	s := b.Shape(0)
	width := graph.Count(s[p.Axis:])
	x, scale, y := b.in(0), b.in(1), b.out(0)
	return b.span(graph.Count(s[:p.Axis]), max(1, grain/4/max(width, 1)), func(_, lo, hi int) {
		vector.RootRows(y()[lo*width:], x()[lo*width:], scale(), width, hi-lo, p.Epsilon)
	}), nil
}

func buildBatchNorm(b *builder) (func() error, error) {
	p := b.Step.Params.(operator.NormParams)
	s := b.Shape(0)
	channels, inner := s[p.Axis], graph.Count(s[p.Axis+1:])
	x, scale, bias, mean, variance, y := b.in(0), b.in(1), b.in(2), b.in(3), b.in(4), b.out(0)
	if inner == 1 {
		padded := (channels + vector.Lanes - 1) / vector.Lanes * vector.Lanes
		factors, shifts := make([]float64, padded), make([]float64, padded)
		loop := b.span(graph.Count(s[:p.Axis]), max(1, grain/max(channels, 1)), func(_, lo, hi int) {
			vector.ShiftRows(y()[lo*channels:], x()[lo*channels:], factors, shifts, channels, hi-lo, p.Relu)
		})
		return func() error {
			for c := range channels {
				factors[c] = float64(scale()[c]) / math.Sqrt(float64(variance()[c])+float64(p.Epsilon))
				shifts[c] = float64(bias()[c]) - float64(float64(mean()[c])*factors[c])
			}
			return loop()
		}, nil
	}
	return b.span(s[0]*channels, max(1, grain/max(inner, 1)), func(_, lo, hi int) {
		var factors, shifts [vector.Lanes]float64
		for r := lo; r < hi; r++ {
			c := r % channels
			factor := float64(scale()[c]) / math.Sqrt(float64(variance()[c])+float64(p.Epsilon))
			shift := float64(bias()[c]) - float64(float64(mean()[c])*factor)
			for i := range factors {
				factors[i], shifts[i] = factor, shift
			}
			dst, src, whole := y()[r*inner:(r+1)*inner], x()[r*inner:(r+1)*inner], inner/vector.Lanes
			vector.ShiftRows(dst, src, factors[:], shifts[:], vector.Lanes, whole, p.Relu)
			offset := whole * vector.Lanes
			if offset < inner {
				vector.ShiftRows(dst[offset:], src[offset:], factors[:], shifts[:], inner-offset, 1, p.Relu)
			}
		}
	}), nil
}

func buildGroupNorm(b *builder) (func() error, error) {
	p := b.Step.Params.(operator.NormParams)
	s := b.Shape(0)
	if p.ChannelsLast {
		return buildGroupNormLast(b, p, s[0], graph.Count(s[1:len(s)-1]), s[len(s)-1])
	}
	channels, inner := s[1], graph.Count(s[2:])
	each := channels / p.Groups
	width := each * inner
	x, scale, bias, y := b.in(0), b.in(1), b.in(2), b.out(0)
	return b.span(s[0]*p.Groups, 1, func(_, lo, hi int) {
		for r := lo; r < hi; r++ {
			dst := y()[r*width : (r+1)*width]
			vector.Normalize(dst, x()[r*width:(r+1)*width], nil, nil, p.Epsilon)
			group := r % p.Groups
			for c := range each {
				channel := group
				if p.PerChannel {
					channel = group*each + c
				}
				part := dst[c*inner : (c+1)*inner]
				vector.MulRows(part, part, scale()[channel:], 1, 0)
				vector.AddRows(part, part, bias()[channel:], 1, 0)
			}
		}
	}), nil
}

// normParts is the number of pixels whose sums are taken together.
const normParts = 256

// buildGroupNormLast computes Σ x and Σ x² of every channel, parts of the pixels by themselves, then the factor and the
// offset of each channel: all in float64.
func buildGroupNormLast(b *builder, p operator.NormParams, images, pixels, channels int) (func() error, error) {
	parts := (pixels + normParts - 1) / normParts
	padded := (channels + vector.Lanes - 1) / vector.Lanes * vector.Lanes
	sums, factors, shifts := make([]float64, images*parts*2*padded), make([]float64, images*padded), make([]float64, images*padded)
	x, scale, bias, y, weights := b.in(0), b.in(1), b.in(2), b.out(0), b.weights
	if images*pixels*channels == 0 {
		return func() error { return nil }, nil
	}
	sum := b.span(images*parts, 1, func(worker, lo, hi int) {
		scratch := weights.scratch[worker]
		for t := lo; t < hi; t++ {
			from := t % parts * normParts
			scratch.base = scratch.base[:0]
			for k := range min(normParts, pixels-from) {
				scratch.base = append(scratch.base, k*channels)
			}
			chunk, src := sums[t*2*padded:(t+1)*2*padded], x()[(t/parts*pixels+from)*channels:]
			clear(chunk)
			vector.ReduceSum.Columns(chunk[:padded], src, scratch.base, channels)
			vector.ReduceSquares.Columns(chunk[padded:], src, scratch.base, channels)
		}
	})
	each := channels / p.Groups
	count := float64(each * pixels)
	settle := func(image, group int) {
		total, squares := 0.0, 0.0
		for part := range parts {
			chunk := sums[(image*parts+part)*2*padded:]
			for c := group * each; c < (group+1)*each; c++ {
				total += chunk[c]
				squares += chunk[padded+c]
			}
		}
		mean := total / count
		inverse := 1 / math.Sqrt(max(squares/count-float64(mean*mean), 0)+float64(p.Epsilon))
		for c := group * each; c < (group+1)*each; c++ {
			channel := group
			if p.PerChannel {
				channel = c
			}
			factor := float64(scale()[channel]) * inverse
			factors[image*padded+c], shifts[image*padded+c] = factor, float64(bias()[channel])-float64(mean*factor)
		}
	}
	apply := b.span(images*parts, 1, func(_, lo, hi int) {
		for t := lo; t < hi; t++ {
			image, from := t/parts, t%parts*normParts
			at := (image*pixels + from) * channels
			vector.ShiftRows(y()[at:], x()[at:], factors[image*padded:], shifts[image*padded:], channels, min(normParts, pixels-from), false)
		}
	})
	return func() error {
		if err := sum(); err != nil {
			return err
		}
		for image := range images {
			for group := range p.Groups {
				settle(image, group)
			}
		}
		return apply()
	}, nil
}

// buildLRN takes sums of squares over neighboring channels, of neighboring columns together.
func buildLRN(b *builder) (func() error, error) {
	p := b.Step.Params.(operator.LRNParams)
	s := b.Shape(0)
	channels, inner := s[1], graph.Count(s[2:])
	before, after := (p.Size-1)/2, p.Size/2
	if graph.Count(s) == 0 {
		return func() error { return nil }, nil
	}
	parts := (inner + reducedPart - 1) / reducedPart
	x, y, scratches := b.in(0), b.out(0), b.weights
	factor := float64(p.Alpha) / float64(p.Size)
	return b.span(s[0]*channels*parts, max(1, grain/16/reducedPart), func(worker, lo, hi int) {
		var sums [reducedPart]float64
		var powers [reducedPart]float32
		exponent := []float32{p.Beta}
		scratch := scratches.scratch[worker]
		for t := lo; t < hi; t++ {
			r, from := t/parts, t%parts*reducedPart
			c, width := r%channels, min(reducedPart, inner-from)
			first := max(c-before, 0)
			scratch.base = scratch.base[:0]
			for k := first; k <= min(c+after, channels-1); k++ {
				scratch.base = append(scratch.base, (k-first)*inner)
			}
			clear(sums[:])
			vector.ReduceSquares.Columns(sums[:], x()[(r-c+first)*inner+from:], scratch.base, width)
			for i, v := range sums {
				powers[i] = float32(float64(p.Bias) + float64(factor*v))
			}
			vector.PowRows(powers[:], powers[:], exponent, 1, 0)
			vector.DivRows(y()[r*inner+from:][:width], x()[r*inner+from:], powers[:], 1, 1)
		}
	}), nil
}

// buildSoftmax handles rows, adjacent columns, or rows of columns too few for a vector.
func buildSoftmax(b *builder) (func() error, error) {
	p := b.Step.Params.(operator.SoftmaxParams)
	n, inner := p.Length, p.Inner
	total := graph.Count(b.OutShape(0))
	if total == 0 {
		return func() error { return nil }, nil
	}
	rows := vector.SoftmaxRows
	if b.Step.Node.Op == "LogSoftmax" {
		rows = vector.LogSoftmaxRows
	}
	x, y, weights := b.in(0), b.out(0), b.weights
	switch {
	case inner == 1:
		return b.span(total/n, max(1, grain/4/n), func(_, lo, hi int) { rows(y()[lo*n:hi*n], x()[lo*n:hi*n], n) }), nil
	case inner < vector.Lanes:
		size := n * inner
		return b.span(total/size, max(1, grain/4/size), func(worker, lo, hi int) {
			s := weights.scratch[worker]
			s.frames = grow(s.frames, size)
			for i := lo; i < hi; i++ {
				kernel.Transpose(s.frames, n, x()[i*size:], inner, n, inner)
				rows(s.frames[:size], s.frames[:size], n)
				kernel.Transpose(y()[i*size:], inner, s.frames, n, inner, n)
			}
		}), nil
	}
	return softmaxColumns(b, n, inner), nil
}
