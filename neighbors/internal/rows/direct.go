// The definition of every distance: the direct computation in float64 that all fast paths
// must agree with, comparison by comparison.

package rows

import (
	"math"

	"repscope/internal/kernel"
	"repscope/points"
)

// Number is the type points are measured in.
type Number interface{ uint8 | float32 | float64 }

// dots sets out[c] = Σ_k x_k·y_k for the rows y of data with these indices. Products are float64, added in index order;
// four rows are computed together, which changes no rounding. The explicit conversions keep the compiler from fusing a
// product with a sum.
func dots[T Number](x []float64, data []T, index []int32, out []float64) {
	dim := len(x)
	row := func(c int) []T {
		at := int(index[c]) * dim
		return data[at : at+dim : at+dim]
	}
	c := 0
	for ; c+4 <= len(index); c += 4 {
		y0, y1, y2, y3 := row(c)[:len(x)], row(c + 1)[:len(x)], row(c + 2)[:len(x)], row(c + 3)[:len(x)]
		var s0, s1, s2, s3 float64
		for k, v := range x {
			s0 += float64(v * float64(y0[k]))
			s1 += float64(v * float64(y1[k]))
			s2 += float64(v * float64(y2[k]))
			s3 += float64(v * float64(y3[k]))
		}
		out[c], out[c+1], out[c+2], out[c+3] = s0, s1, s2, s3
	}
	for ; c < len(index); c++ {
		var s float64
		y := row(c)[:len(x)]
		for k, v := range x {
			s += float64(v * float64(y[k]))
		}
		out[c] = s
	}
}

// squaredNorm is Σ_k v_k², in index order in float64.
func squaredNorm(x []float64) float64 {
	var s float64
	for _, v := range x {
		s += float64(v * v)
	}
	return s
}

// cosineKey is the key of the cosine distance from a dot product and the two
// squared norms, which lie in minNorm2 … maxNorm2 so that their product neither
// underflows nor overflows. It is 0 for equal points, since √(s·s) = s.
func cosineKey(dot, norm2x, norm2y float64) float64 {
	return max(0, 1-dot/math.Sqrt(norm2x*norm2y))
}

// minNorm2 and maxNorm2 bound the squared norms that have a cosine distance.
const minNorm2, maxNorm2 = 1e-150, 1e150

// Direct computes keys by the definition.
type Direct struct {
	queries, points points.Points
	Metric          Metric
	// Squared norms, for the cosine only.
	queryNorms, PointNorms []float64
}

// NewDirect prepares the definition for the distances from queries to points.
func NewDirect(queries, pts points.Points, metric Metric) *Direct {
	d := &Direct{queries: queries, points: pts, Metric: metric}
	if metric == Cosine {
		d.PointNorms = SquaredNorms(pts)
		d.queryNorms = d.PointNorms
		if !SamePoints(queries, pts) {
			d.queryNorms = SquaredNorms(queries)
		}
	}
	return d
}

// SquaredNorms are Σ_k x_k² of every point, in index order in float64.
func SquaredNorms(p points.Points) []float64 {
	norms, x := make([]float64, p.N), make([]float64, p.Dim)
	for i := range norms {
		norms[i] = squaredNorm(p.Row(i, x))
	}
	return norms
}

// SamePoints reports whether two point sets are the same memory.
func SamePoints(a, b points.Points) bool {
	switch {
	case a.N != b.N || a.Dim != b.Dim:
		return false
	case a.U8 != nil:
		return b.U8 != nil && &a.U8[0] == &b.U8[0]
	case a.F32 != nil:
		return b.F32 != nil && &a.F32[0] == &b.F32[0]
	}
	return b.F64 != nil && &a.F64[0] == &b.F64[0]
}

// Keys sets out[c] to the key of query i, whose coordinates are x, and point index[c].
func (d *Direct) Keys(i int, x []float64, index []int32, out []float64) {
	dim := d.points.Dim
	switch {
	case d.points.U8 != nil && d.Metric == Cosine:
		dots(x, d.points.U8, index, out)
	case d.points.U8 != nil:
		kernel.SquaredDistances(out, d.queries.U8[i*dim:(i+1)*dim], d.points.U8, dim, index)
	case d.points.F32 != nil && d.Metric == Cosine:
		dots(x, d.points.F32, index, out)
	case d.points.F32 != nil:
		kernel.SquaredDistances(out, d.queries.F32[i*dim:(i+1)*dim], d.points.F32, dim, index)
	case d.Metric == Cosine:
		dots(x, d.points.F64, index, out)
	default:
		kernel.SquaredDistances(out, d.queries.F64[i*dim:(i+1)*dim], d.points.F64, dim, index)
	}
	if d.Metric == Cosine {
		for c, j := range index {
			out[c] = cosineKey(out[c], d.queryNorms[i], d.PointNorms[j])
		}
	}
}
