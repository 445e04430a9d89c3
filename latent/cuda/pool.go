//go:build cuda

// Pooling over windows.

package cuda

import (
	"errors"

	"repscope/latent/graph"
)

func init() {
	operators[".MaxPool"] = buildPool
	operators[".AveragePool"] = buildPool
}

func buildPool(b *builder) error {
	if len(b.step.Out) > 1 {
		return errors.New("the indices of maxima are computed by the processor only")
	}
	p := b.step.Params.(*graph.PoolParams)
	in, out := b.shape(0)[2:], b.outShape(0)[2:]
	apart := contiguous(in)
	if err := fits(size(in), size(out), size(p.Kernel)); err != nil {
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
	n := size(b.outShape(0))
	if n == 0 {
		return nil
	}
	kernel, average := "max_pool_", b.step.Node.Op == "AveragePool"
	if average {
		kernel = "average_pool_"
	}
	list := []any{b.in(0), b.out(0), n, table(b, windows)}
	if len(in) == 2 && b.dtype(0) == graph.Float32 {
		kernel += "images_"
	} else {
		list = append(list, len(in), size(in), size(out), size(p.Kernel))
	}
	if average {
		list = append(list, p.CountPadding)
	}
	b.launch(kernel+typeName(b.dtype(0)), blocks(n), line, 0, list...)
	return nil
}
