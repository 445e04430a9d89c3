//go:build cuda

// Pooling over windows.

package cuda

import (
	"repscope/model/graph"
	"repscope/model/operator"
)

var poolOperators = map[string]constructor{
	".MaxPool": buildPool, ".AveragePool": buildPool,
}

func buildPool(b *builder) error {
	p := b.Step.Params.(*operator.PoolParams)
	output := 0
	if !b.HasOut(0) {
		output = 1
	}
	in, out := b.Shape(0)[2:], b.OutShape(output)[2:]
	apart, positions := graph.RowMajor(in), graph.Count(p.Kernel)
	if err := fits(graph.Count(in), graph.Count(out), positions); err != nil {
		return err
	}
	var windows []int32
	for i := range in {
		for _, v := range []int{in[i], out[i], p.Kernel[i], p.Strides[i], p.Dilations[i], p.Before[i], p.After[i], apart[i]} {
			if err := fits(v); err != nil {
				return err
			}
			windows = append(windows, int32(v))
		}
	}
	n := graph.Count(b.OutShape(output))
	if n == 0 {
		return nil
	}
	images := len(in) == 2 && b.DType(0) == graph.Float32 && !b.HasOut(1)
	x, y, list := b.in(0), b.out(0), table(b, windows)
	switch average := b.Step.Node.Op == "AveragePool"; {
	case images && average:
		b.launch("average_pool_images_f32", blocks(n), line, 0, x, y, n, list, p.CountPadding)
	case images:
		b.launch("max_pool_images_f32", blocks(n), line, 0, x, y, n, list)
	case average:
		b.launch("average_pool_f32", blocks(n), line, 0, x, y, n, list, len(in), graph.Count(in), graph.Count(out), positions, p.CountPadding)
	default:
		b.launch("max_pool_"+typeName(b.DType(0)), blocks(n), line, 0, x, y, b.out(1), n, list, len(in), graph.Count(in), graph.Count(out), positions, p.ColumnMajor)
	}
	return nil
}
