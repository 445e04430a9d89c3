// How points are shifted and scaled for a bounded space, and which lie too far out.

package rows

import (
	"context"
	"math"
	"slices"
	"unsafe"

	"repscope/internal/kernel"
	"repscope/internal/parallel"
	"repscope/neighbors/internal/scan"
	"repscope/points"
)

// centering is how the points of a space are shifted and scaled.
type centering[F kernel.Float] struct {
	metric   Metric
	threads  int
	links    bool // products have links
	shift    []float64
	reach    float64 // the largest distance of a usual point from the shift
	exponent int     // scaling is by 2^−exponent
	scale    float64
	narrow   []float32 // the shift in float32; see narrowShift
}

// normFactor is the factor that gives point i norm 1, or 1 without squared norms.
func normFactor(norms []float64, i int) float64 {
	if norms != nil {
		return 1 / math.Sqrt(norms[i])
	}
	return 1
}

// measure finds the distances from the shift, for outliers and the scale.
func (c *centering[F]) measure(ctx context.Context, p points.Points, norms []float64) (extents, error) {
	dim := p.Dim
	e := extents{distance: make([]float64, p.N), square: make([]float64, p.N), rounding: make([]float64, p.N)}
	x := make([][]float64, c.threads)
	narrow := narrowShift(p, c.metric, c.shift, 0)
	e.narrow = narrow != nil
	rows, squares := make([][]float32, c.threads), make([]kernel.Norms[float32], c.threads)
	err := parallel.For(ctx, c.threads, p.N, func(w, i int) {
		if narrow != nil {
			rows[w] = scan.Grown(rows[w], dim)
			kernel.ScaleShift(rows[w], p.F32[i*dim:(i+1)*dim], narrow, 1)
			e.square[i], e.rounding[i] = normsOf(&squares[w], rows[w], c.links)
			if e.distance[i] = math.Sqrt(e.square[i]); !math.IsInf(e.distance[i], 1) {
				return
			}
		}
		x[w] = p.Row(i, x[w])
		f, sum := normFactor(norms, i), 0.0
		for k, v := range x[w] {
			d := v*f - c.shift[k]
			sum += d * d
		}
		e.distance[i] = math.Sqrt(sum)
	})
	return e, err
}

// normsOf are the norms of x for products with or without links.
func normsOf[F kernel.Float](n *kernel.Norms[F], x []F, links bool) (square, rounding float64) {
	if links {
		return n.OfLinks(x)
	}
	return n.Of(x)
}

// findOutliers returns the points much farther from the shift than the rest, and sets the
// reach of the rest.
func (c *centering[F]) findOutliers(distance []float64) (outliers []int32) {
	n := len(distance)
	limit := outlierFactor * placed(slices.Clone(distance), max(0, n-2-n/500))
	for j, r := range distance {
		if r > limit {
			outliers = append(outliers, int32(j))
		} else {
			c.reach = max(c.reach, r)
		}
	}
	return outliers
}

// setScale chooses the power of two that brings the usual points near 1, away from overflow
// and underflow, and scales the shift. For the cosine they are there already.
func (c *centering[F]) setScale(p points.Points) {
	_, exponent := math.Frexp(c.reach)
	c.exponent = max(-1000, min(1000, exponent))
	if c.metric == Cosine {
		c.exponent = 0
	}
	c.scale = math.Ldexp(1, -c.exponent)
	for k := range c.shift {
		c.shift[k] *= c.scale
	}
	c.narrow = narrowShift(p, c.metric, c.shift, c.exponent)
}

// apply centers points. The rows of points marked far are direct: they are too far out for products.
func (c *centering[F]) apply(ctx context.Context, p points.Points, norms []float64,
	far extents) (out *centered[F], directRows []bool, err error) {
	out = &centered[F]{
		source: p, shift: c.shift, exact: c.narrow, scales: make([]float32, p.N),
		factor: make([]float64, p.N), square: make([]float64, p.N), norm: make([]F, p.N),
		radius: make([]float64, p.N), rounding: make([]float64, p.N),
	}
	directRows = make([]bool, p.N)
	buffers, norm := make([][]F, c.threads), make([]kernel.Norms[F], c.threads)
	// Scaling by a power of two changes no digits of the distances.
	exact := far.narrow && c.narrow != nil && unsafe.Sizeof(F(0)) == 4
	err = parallel.For(ctx, c.threads, p.N, func(w, i int) {
		if directRows[i] = far.distance[i] > directRowFactor*c.reach; directRows[i] {
			return // its factor 0 keeps the products finite; they are not used
		}
		out.factor[i] = c.scale * normFactor(norms, i)
		out.scales[i] = float32(out.factor[i])
		square, rounding := far.square[i]*c.scale*c.scale, far.rounding[i]*c.scale*c.scale
		if !exact {
			buffers[w] = scan.Grown(buffers[w], p.Dim)
			out.row(i, 0, buffers[w])
			square, rounding = normsOf(&norm[w], buffers[w], c.links)
		}
		out.square[i], out.norm[i] = square, F(square)
		out.radius[i], out.rounding[i] = math.Sqrt(square), math.Sqrt(rounding)
	})
	return out, directRows, err
}

// extents hold the distance of each point from the shift and, if that is computed in float32 (see narrowShift), the
// result of kernel.Norms for the difference.
type extents struct {
	distance, square, rounding []float64
	narrow                     bool
}

// narrowShift is the shift in float32 if the values of the points times 2^−exponent and the shift are float32 numbers,
// except for underflow, so that their float32 difference is the exact one rounded once; nil otherwise.
func narrowShift(p points.Points, metric Metric, shift []float64, exponent int) []float32 {
	if p.F32 == nil || metric != Euclidean || exponent < -100 || exponent > 100 {
		return nil
	}
	out := make([]float32, len(shift))
	for k, v := range shift {
		out[k] = float32(v)
		// The usual points are near the shift, the others not far enough to overflow.
		if float64(out[k]) != v || math.Abs(v) > 0x1p100 {
			return nil
		}
	}
	return out
}

// outlierFactor and directRowFactor are distances from the middle in units of the typical distance, above which a point
// is an outlier or its own row is computed directly.
const outlierFactor, directRowFactor = 4, 64

// MedianPoint is the coordinate-wise median of at most limit points, over their norms for the cosine. Any point would
// be right; a middle one makes the bound small, and a median does not follow outliers.
func MedianPoint(p points.Points, d *Direct, limit, threads int) []float64 {
	step := (p.N + limit - 1) / limit
	var sample [][]float64
	for i := step / 2; i < p.N; i += step {
		x := p.Row(i, nil)
		if d.Metric == Cosine {
			f := 1 / math.Sqrt(d.PointNorms[i])
			for k := range x {
				x[k] *= f
			}
		}
		sample = append(sample, x)
	}
	middle := make([]float64, p.Dim)
	// Waking a goroutine costs as much as some strips.
	const strip = 128
	strips := (p.Dim + strip - 1) / strip
	_ = parallel.For(context.Background(), min(threads, strips/4+1), strips, func(_, s int) {
		column := make([]float64, len(sample))
		for k := s * strip; k < min(p.Dim, (s+1)*strip); k++ {
			for c, x := range sample {
				column[c] = x[k]
			}
			middle[k] = placed(column, len(column)/2)
		}
	})
	return middle
}

// placed is the element at an index of the ascending order; it changes the order of x (Hoare's Find).
func placed[F kernel.Float](x []F, index int) F {
	for lo, hi := 0, len(x)-1; lo < hi; {
		pivot, i, j := x[index], lo, hi
		for i <= j {
			for x[i] < pivot {
				i++
			}
			for pivot < x[j] {
				j--
			}
			if i <= j {
				x[i], x[j] = x[j], x[i]
				i, j = i+1, j-1
			}
		}
		if j < index {
			lo = i
		}
		if index < i {
			hi = j
		}
	}
	return x[index]
}
