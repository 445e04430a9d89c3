// Points shifted, scaled and rounded for the products of a bounded space, and packed on the fly.

package rows

import (
	"context"
	"slices"
	"sync"

	"repscope/internal/kernel"
	"repscope/internal/parallel"
	"repscope/points"
)

// centered are points shifted, scaled and rounded to F on the fly.
type centered[F kernel.Float] struct {
	source points.Points
	shift  []float64 // m, scaled
	// exact is the shift in float32 where scaling and shifting in float32 rounds
	// only once; nil elsewhere.
	exact  []float32
	factor []float64 // per point: the power of two, over the norm for the cosine
	// scales are the factors in float32 where exact is set.
	scales []float32
	square []float64 // ‖v‖²
	norm   []F       // the same, rounded to F
	radius []float64 // ‖v‖
	// q, the bound on the roundings of products.
	rounding []float64
	rows     sync.Pool // of *[]F, for packing
}

// row writes coordinates k … k+len(dst)−1 of v_i.
func (c *centered[F]) row(i, k int, dst []F) {
	offset := i*c.source.Dim + k
	if narrow, ok := any(dst).([]float32); ok && c.exact != nil {
		kernel.ScaleShift(narrow, c.source.F32[offset:offset+len(dst)], c.exact[k:k+len(dst)], c.scales[i])
		return
	}
	f, shift := c.factor[i], c.shift[k:k+len(dst)]
	if narrow, ok := any(dst).([]float32); ok && c.source.F64 != nil {
		kernel.NarrowShifted(narrow, c.source.F64[offset:offset+len(dst)], shift, f)
		return
	}
	switch {
	case c.source.F32 != nil:
		for d, x := range c.source.F32[offset : offset+len(dst)] {
			dst[d] = F(float64(float64(x)*f) - shift[d])
		}
	default:
		for d, x := range c.source.F64[offset : offset+len(dst)] {
			dst[d] = F(float64(x*f) - shift[d])
		}
	}
}

// Pack implements kernel.Packer.
func (c *centered[F]) Pack(dst []F, width, first, count, k, depth int) {
	if narrow, ok := any(dst).([]float32); ok && c.exact != nil {
		kernel.PackShifted(narrow, width, c.source.F32[first*c.source.Dim+k:], c.source.Dim, count, depth, c.scales[first:],
			c.exact[k:])
		return
	}
	p, _ := c.rows.Get().(*[]F)
	if p == nil {
		p = new([]F)
	}
	for q := 0; q < count; q += width {
		n := min(width, count-q)
		*p = slices.Grow((*p)[:0], n*depth)[:n*depth]
		for r := range n {
			c.row(first+q+r, k, (*p)[r*depth:(r+1)*depth])
		}
		kernel.PackRows(dst[q*depth:q*depth+width*depth], width, *p, depth, n, depth)
	}
	c.rows.Put(p)
}

// offsetPoints is c with point first as its point 0.
type offsetPoints[F kernel.Float] struct {
	points *centered[F]
	first  int
}

// Pack implements kernel.Packer.
func (f offsetPoints[F]) Pack(dst []F, width, first, count, k, depth int) {
	f.points.Pack(dst, width, f.first+first, count, k, depth)
}

// parallelPacker packs with several goroutines.
type parallelPacker[F kernel.Float] struct {
	points  offsetPoints[F]
	threads int
}

// Pack implements kernel.Packer.
func (s parallelPacker[F]) Pack(dst []F, width, first, count, k, depth int) {
	panels := (count + width - 1) / width
	// The context is not consulted: one depth block takes milliseconds.
	_ = parallel.For(context.Background(), s.threads, panels, func(_, q int) {
		s.points.Pack(dst[q*width*depth:(q+1)*width*depth], width, first+q*width, min(width, count-q*width), k, depth)
	})
}
