//go:build cuda

// Resizing and sampling of images.

package cuda

import (
	"repscope/model/graph"
	"repscope/model/operator"
)

var resizeOperators = map[string]constructor{
	".Resize": buildResize, "repscope.Resize": buildResize, ".GridSample": buildGridSample,
}

// resizeAxis is an axis as kernels/resize.cu reads it.
type resizeAxis struct {
	length, reciprocal uint64 // of the output
	apart              int64  // how far neighbors of the input lie apart
	taps               int32
	first              int32 // of the axis' taps
}

func buildResize(b *builder) error {
	p := b.Step.Params.(*operator.ResizeParams)
	in, out := b.Shape(0), b.OutShape(0)
	apart, n, last, combinations := graph.RowMajor(in), graph.Count(out), -1, 1
	var axes []resizeAxis
	var indices []int32
	var weights []float32
	for a, axis := range p.Axes {
		if axis.Count > 0 {
			if last >= 0 {
				combinations *= max(p.Axes[last].Count, 1)
			}
			last = a
		}
		axes = append(axes, resizeAxis{uint64(out[a]), fixedReciprocal(out[a]), int64(apart[a]), int32(axis.Count), int32(len(indices))})
		indices, weights = append(indices, axis.Index...), append(weights, axis.Weight...)
	}
	switch {
	case n == 0:
		return nil
	case last < 0:
		b.copy(b.out(0), b.in(0), 4*n)
		return nil
	}
	if err := fits(len(indices)); err != nil {
		return err
	}
	b.launch("resize_f32", blocks(n), line, 0, b.in(0), b.out(0), n, table(b, axes), len(out), last, combinations,
		table(b, indices), table(b, weights), p.Outside)
	return nil
}

func buildGridSample(b *builder) error {
	p := b.Step.Params.(operator.GridSampleParams)
	s, points := b.Shape(0), graph.Count(b.Shape(1)[1:3])
	if err := fits(s...); err != nil {
		return err
	}
	// A thread takes sixteen channels of a point.
	parts := ceil(s[1], 16)
	mode := map[string]int{"nearest": 0, "linear": 1, "cubic": 2}[p.Mode]
	padding := map[string]int{"zeros": 0, "border": 1, "reflection": 2}[p.Padding]
	b.launch("grid_sample_f32", blocks(s[0]*parts*points), line, 0, b.in(0), b.in(1), b.out(0), s[0], points, s[1], parts, s[2], s[3], mode, padding, p.AlignCorners)
	return nil
}
