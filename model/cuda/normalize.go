//go:build cuda

// Softmax and normalisations.

package cuda

import (
	"errors"

	"repscope/model/graph"
	"repscope/model/operator"
)

var normalizeOperators = map[string]constructor{
	".Softmax": buildSoftmax, ".LogSoftmax": buildSoftmax, ".LayerNormalization": buildLayerNorm, ".RMSNormalization": buildRootMeanSquare,
	".BatchNormalization": buildBatchNorm, ".InstanceNormalization": buildGroupNorm, ".GroupNormalization": buildGroupNorm,
	".LRN": buildLRN,
}

func buildSoftmax(b *builder) error {
	p := b.Step.Params.(operator.SoftmaxParams)
	total := graph.Count(b.OutShape(0))
	if total == 0 {
		return nil
	}
	rows, logarithm := total/p.Length, b.Step.Node.Op == "LogSoftmax"
	switch {
	case p.Inner > 1:
		b.launch("softmax_columns_f32", blocks(rows), line, 0, b.in(0), b.out(0), rows, p.Length, p.Inner, logarithm)
	case p.Length > 1024 || logarithm:
		b.launch("softmax_block_f32", [3]int{rows, 1, 1}, line, 0, b.in(0), b.out(0), p.Length, logarithm)
	default:
		b.launch("softmax_warp_f32", [3]int{ceil(rows*32, perBlock), 1, 1}, line, 0, b.in(0), b.out(0), rows, p.Length)
	}
	return nil
}

func buildLayerNorm(b *builder) error {
	p := b.Step.Params.(operator.NormParams)
	s := b.Shape(0)
	width, rows := graph.Count(s[p.Axis:]), graph.Count(s[:p.Axis])
	for i := 1; i < len(b.Step.In); i++ {
		if b.Has(i) && graph.Count(b.Shape(i)) != width {
			return errors.New("broadcasting of scale and bias is not supported")
		}
	}
	b.layerNorm(b.in(0), b.in(1), b.in(2), b.out(0), b.out(1), b.out(2), rows, width, p.Epsilon, false)
	return nil
}

func buildRootMeanSquare(b *builder) error {
	p := b.Step.Params.(operator.NormParams)
	s := b.Shape(0)
	b.layerNorm(b.in(0), b.in(1), operand{}, b.out(0), operand{}, operand{}, graph.Count(s[:p.Axis]), graph.Count(s[p.Axis:]), p.Epsilon, true)
	return nil
}

// layerNorm records a normalization of rows, with root by their squares alone; operands but x and y may be absent, y
// may be x.
func (b *builder) layerNorm(x, scale, bias, y, mean, inverse operand, rows, width int, epsilon float32, root bool) {
	kernel := ""
	switch {
	case rows == 0:
		return
	case width == 0:
		// The mean of an empty set counts as 0, and so does its divisor.
		for _, o := range []operand{mean, inverse} {
			if o.region != nowhere {
				b.zero(o, 4*rows)
			}
		}
		return
	case width%4 != 0 || width > 2048:
		b.launch("normalize_block_f32", [3]int{rows, 1, 1}, line, 0, x, scale, bias, y, mean, inverse, width, epsilon, 0, 1, 1, root)
		return
	case width <= 512:
		kernel = "layer_norm_512_f32"
	case width <= 1024:
		kernel = "layer_norm_1024_f32"
	default:
		kernel = "layer_norm_2048_f32"
	}
	b.launch(kernel, [3]int{ceil(rows*32, perBlock), 1, 1}, line, 0, x, scale, bias, y, mean, inverse, rows, width, epsilon, root)
}

func buildBatchNorm(b *builder) error {
	p := b.Step.Params.(operator.NormParams)
	s := b.Shape(0)
	channels, inner, n := s[1], graph.Count(s[2:]), graph.Count(s)
	if n == 0 {
		return nil
	}
	factors := b.scratch(16 * channels)
	b.launch("batch_norm_factors", blocks(channels), line, 0, b.in(1), b.in(2), b.in(3), b.in(4), factors, channels, p.Epsilon)
	b.launch("batch_norm_f32", blocks(n), line, 0, b.in(0), factors, b.out(0), n, inner, channels)
	return nil
}

func buildGroupNorm(b *builder) error {
	p := b.Step.Params.(operator.NormParams)
	s := b.Shape(0)
	inner, channels := graph.Count(s[2:]), s[1]/p.Groups
	width := channels * inner
	if graph.Count(s) == 0 {
		return nil
	}
	if !p.PerChannel {
		inner, channels = width, 1
	}
	b.launch("normalize_block_f32", [3]int{s[0] * p.Groups, 1, 1}, line, 0, b.in(0), b.in(1), b.in(2), b.out(0), operand{}, operand{},
		width, p.Epsilon, inner, p.Groups, channels, false)
	return nil
}

func buildLRN(b *builder) error {
	p := b.Step.Params.(operator.LRNParams)
	s := b.Shape(0)
	n := graph.Count(s)
	b.launch("local_response_f32", blocks(n), line, 0, b.in(0), b.out(0), n, graph.Count(s[2:]), s[1], (p.Size-1)/2, p.Size/2, p.Alpha, p.Beta, p.Bias)
	return nil
}
