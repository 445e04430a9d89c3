// The coordinates of vertices in the cells.

package cells

import (
	"math"
	"slices"

	"repscope/internal/kernel"
	"repscope/neighbors/internal/rows"
	"repscope/points"
)

// coordinates computes the coordinates of the cells. Points are shifted by a middle point, divided by their norms for
// the cosine, and scaled to typical distances near 1. Products in F then do not overflow and cancel as little as
// possible.
type coordinates[F kernel.Float] struct {
	points   points.Points
	vertices []int // nil: all points
	shift    []F
	scale    F
	factor   []F // per point, for the cosine
}

func newCoordinates[F kernel.Float](pts points.Points, vertices []int, d *rows.Direct) *coordinates[F] {
	r := &coordinates[F]{points: pts, vertices: vertices, shift: make([]F, pts.Dim), scale: 1}
	if d.Metric == rows.Cosine {
		r.factor = make([]F, pts.N)
		for i, n := range d.PointNorms {
			r.factor[i] = F(1 / math.Sqrt(n))
		}
	}
	middle := rows.MedianPoint(pts, d, 63, 1)
	for c, v := range middle {
		r.shift[c] = F(v)
	}
	if d.Metric == rows.Cosine {
		return r
	}
	// The scale is from the median distance to the middle of some points.
	var distances []float64
	x := make([]float64, pts.Dim)
	for i := 0; i < pts.N; i += (pts.N + 1023) / 1024 {
		x = pts.Row(i, x)
		sum := 0.0
		for c, v := range x {
			sum += float64((v - middle[c]) * (v - middle[c]))
		}
		distances = append(distances, math.Sqrt(sum))
	}
	slices.Sort(distances)
	if typical := distances[len(distances)/2]; typical > 0 {
		_, exponent := math.Frexp(typical)
		// Beyond these F itself cannot hold the scale; nor does it matter.
		r.scale = F(math.Ldexp(1, -max(-120, min(120, exponent))))
	}
	return r
}

// compute writes coordinates k … k+len(dst)−1 of vertex v to dst and returns the sum of
// their squares.
func (r *coordinates[F]) compute(v, k int, dst []F) F {
	i := v
	if r.vertices != nil {
		i = r.vertices[v]
	}
	factor := F(1)
	if r.factor != nil {
		factor = r.factor[i]
	}
	from, shift := i*r.points.Dim+k, r.shift[k:k+len(dst)]
	to := from + len(dst)
	switch {
	case r.points.U8 != nil:
		return scaledRow(dst, r.points.U8[from:to], shift, factor, r.scale)
	case r.points.F32 != nil:
		return scaledRow(dst, r.points.F32[from:to], shift, factor, r.scale)
	}
	return scaledRow(dst, r.points.F64[from:to], shift, factor, r.scale)
}

// scaledRow returns the squared norm in four lanes. The conversions keep the
// compiler from fusing a product with a sum.
func scaledRow[F kernel.Float, T rows.Number](dst []F, x []T, shift []F, factor, scale F) F {
	x, shift = x[:len(dst)], shift[:len(dst)]
	var s0, s1, s2, s3 F
	k := 0
	for ; k+4 <= len(dst); k += 4 {
		v0 := F((F(F(x[k])*factor) - shift[k]) * scale)
		v1 := F((F(F(x[k+1])*factor) - shift[k+1]) * scale)
		v2 := F((F(F(x[k+2])*factor) - shift[k+2]) * scale)
		v3 := F((F(F(x[k+3])*factor) - shift[k+3]) * scale)
		dst[k], dst[k+1], dst[k+2], dst[k+3] = v0, v1, v2, v3
		s0 += F(v0 * v0)
		s1 += F(v1 * v1)
		s2 += F(v2 * v2)
		s3 += F(v3 * v3)
	}
	for ; k < len(dst); k++ {
		v := F((F(F(x[k])*factor) - shift[k]) * scale)
		dst[k] = v
		s0 += F(v * v)
	}
	return (s0 + s1) + (s2 + s3)
}
