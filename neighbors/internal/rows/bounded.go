// The space whose rows are approximate distances with a proven error bound, from matrix products. Comparisons that the
// bound leaves open are decided by the direct computation.
//
// # The bound
//
// Let F be float32 (unit roundoff u = 2⁻²⁴) or float64 (u = w = 2⁻⁵³), D the dimension. Points are shifted by a common
// vector m, divided by their norm for the cosine, scaled by a power of two (exact) and rounded to F: v_i. With t_i the
// exact shifted and scaled point, v_i = t_i + e_i. For the Euclidean metric the float64 subtraction and the rounding to
// F (one of them is exact if F is float64) give ‖e_i‖ ≤ 1.002u‖v_i‖. For the cosine the division by the computed norm
// adds (D+16)w. Distances and their order are defined on the t_i.
//
// With r_i = ‖v_i‖, s = r_i + r_j and η = ‖e_i‖ + ‖e_j‖ ≤ 1.002u·s,
//
// 	| ‖t_i−t_j‖² − ‖v_i−v_j‖² | ≤ η(2s + η) ≤ 2.01u·s²                          (1)
//
// The product c of v_i and v_j has |c − v_i·v_j| ≤ u/(1−g)·q_i·q_j, where q_i² = Σ_k N_k·v_ik² counts the roundings of
// each term and g = kernel.Additions(D)·u (see kernel.Norms). The row value a = (n_i + n_j) − 2c is computed in F from
// the squared norms n, computed in float64 (relative error (D+1)w) and rounded to F. Both norms are rounded and their
// sum, each time by u of the norms at most, and the difference by u of itself:
//
// 	|a − ‖v_i−v_j‖²| ≤ 2u/(1−g)·q_i·q_j + (r_i²+r_j²)·( 2u + (D+8)w ) + 1.01u|a|   (2)
//
// The direct computation differs from ‖t_i−t_j‖², scaled, by at most (D+3)w relative, the direct cosine key from 1−cos
// by at most (4D+64)w. Together, with 1+2⁻¹⁰ for all second-order terms and r_i²+r_j² ≤ s² in the terms of w,
//
// 	|a − direct| ≤ E_ij + 1.01u|a|
// 	E_ij = (1+2⁻¹⁰)·( 2u/(1−g)·q_i·q_j + 2u·(r_i²+r_j²) + s²·( 2.01u + (4D+64)w ) )
// 	       + cosine: 4(D+16)w(s+1) + (8D+128)w
// 	       + underflow
//
// If many ranks are needed and η is measured (see productKeys), 2η·s replaces 2.01u·s². The cosine's value is
// ‖t_i−t_j‖² = 2(1−cos). Underflow is the sum of at most D products and D stored values, each off by at most half the
// smallest subnormal of F, and the same for the direct computation, scaled. One row uses E_i, from the largest r_j and
// q_j, for all columns; open comparisons use the E_ij of the two pairs.
//
// A few outliers, points much farther out than the rest, would make the largest r_j and with it every row's bound
// useless. Their columns hold the direct key, rounded to F, and do not count for it; rows of points still farther out
// need no products either. Such a value has |a − direct| ≤ 1.01u·a, apart from underflow, or is the largest finite
// value.
//
// Values a, b of one row with b > a + 2E_i + 4u|a| are certainly in this order, as b−a ≥ 2E_i + 1.01u(|a|+|b|) follows.
// The same holds for points j and k with b > a + E_ij + E_ik + 4u·max(|a|,|b|). The rounding of these limits to F is
// outward.

package rows

import (
	"context"
	"math"
	"slices"
	"sync"
	"unsafe"

	"repscope/internal/kernel"
	"repscope/internal/parallel"
	"repscope/neighbors/internal/scan"
	"repscope/points"
)

// bounded is a space of approximate rows.
type bounded[F kernel.Float] struct {
	base
	points, queries *centered[F]
	sources         points.Points // the queries as they came
	maxRadius       float64
	maxRounding     float64
	farthest        struct{ radius, rounding float64 } // the largest of queries whose rows are products
	outliers        []int32                            // points whose columns are direct
	directRows      []bool                             // queries whose rows are direct
	keyExponent     int                                // rows are direct keys times this power of two
	relative        float64                            // 4u
	largest         F                                  // finite value
	links           bool                               // see Options.ManyRanks; queries and points are the same
	errors          errorBound                         // E
	measured        errorBound                         // E without η, which is in refined.rounding, if links is set
	maxMeasured     float64                            // the largest η of a row
	symmetric       symmetricTiles[F]
	refineOnce      sync.Once
	refined         refined
	left            kernel.Packed[F] // the block
	rows            []F
	lo, hi          int
}

// errorBound holds the terms of E: the factors of q_i·q_j, of r_i²+r_j², of s² and of s, and a constant.
type errorBound struct{ product, squares, slope, linear, constant float64 }

// of is E for two points of these radii and roundings, with a margin for its own rounding.
func (b *errorBound) of(radius, rounding, radius2, rounding2 float64) float64 {
	sum := radius + radius2
	squares := b.squares * (radius*radius + radius2*radius2)
	return (1 + 0x1p-20) * (b.product*rounding*rounding2 + squares + b.slope*sum*sum + b.linear*sum + b.constant)
}

// openBounded prepares the space; see Open.
func openBounded[F kernel.Float](ctx context.Context, b base, queries, pts points.Points) (Space, error) {
	b.direct = NewDirect(queries, pts, b.metric)
	same := SamePoints(queries, pts)
	links := same && b.manyRanks && unsafe.Sizeof(F(0)) == 4
	s := &bounded[F]{base: b, links: links, sources: queries, symmetric: symmetricTiles[F]{n: pts.N, dim: pts.Dim, threads: b.threads, computed: b.computed}}
	c := &centering[F]{metric: b.metric, threads: b.threads, links: links, shift: MedianPoint(pts, b.direct, 63, b.threads)}
	far, err := c.measure(ctx, pts, b.direct.PointNorms)
	if err != nil {
		return nil, err
	}
	s.outliers = c.findOutliers(far.distance)
	queryExtents := far
	if !same {
		if queryExtents, err = c.measure(ctx, queries, b.direct.queryNorms); err != nil {
			return nil, err
		}
	}
	c.setScale(pts) // also the shift: the measurement comes first
	if s.points, s.directRows, err = c.apply(ctx, pts, b.direct.PointNorms, far); err != nil {
		return nil, err
	}
	s.queries = s.points
	if !same {
		if s.queries, s.directRows, err = c.apply(ctx, queries, b.direct.queryNorms, queryExtents); err != nil {
			return nil, err
		}
	}
	s.setBound(c.exponent)
	if links {
		s.measure()
	}
	return s, nil
}

// measure adds the measured rounding changes of the points to the bound.
func (s *bounded[F]) measure() {
	s.measured = s.errors
	s.measured.slope = (1 + 0x1p-10) * float64(4*s.sources.Dim+64) * 0x1p-53
	next := 0
	for j, e := range s.refine().rounding {
		if next < len(s.outliers) && int(s.outliers[next]) == j {
			next++
			continue
		}
		s.maxMeasured = max(s.maxMeasured, e)
	}
}

// setBound computes the part of E that does not depend on the two points.
func (s *bounded[F]) setBound(exponent int) {
	var unit float64
	tiny := 0x1p-140
	s.method, unit = "float32 product with bound "+kernel.Name(), 0x1p-24
	if unsafe.Sizeof(F(0)) == 8 {
		s.method, unit, tiny = "float64 product with bound "+kernel.Name(), 0x1p-53, 0x1p-1060
	}
	next := 0
	for j, r := range s.points.radius {
		if next < len(s.outliers) && int(s.outliers[next]) == j {
			next++
			continue
		}
		s.maxRadius, s.maxRounding = max(s.maxRadius, r), max(s.maxRounding, s.points.rounding[j])
	}
	for i, r := range s.queries.radius {
		if !s.directRows[i] {
			s.farthest.radius, s.farthest.rounding = max(s.farthest.radius, r), max(s.farthest.rounding, s.queries.rounding[i])
		}
	}
	s.relative, s.largest = 4*unit, scan.NextDown(scan.Excluded[F]())

	const w = 0x1p-53
	dim := s.sources.Dim
	d := float64(dim)
	g := float64(kernel.Additions(dim)) * unit
	s.errors = errorBound{
		product: (1 + 0x1p-10) * 2 * unit / (1 - g), squares: (1 + 0x1p-10) * 2 * unit, slope: (1 + 0x1p-10) * (2.01*unit + (4*d+64)*w),
		// The direct computation underflows in its own scale.
		linear: (d + 16) * tiny, constant: (d+16)*tiny + (d+1)*math.Ldexp(0x1p-1073, -2*exponent),
	}
	s.keyExponent = -2 * exponent
	if s.metric == Cosine {
		s.keyExponent = 1 // ‖t_i−t_j‖² = 2(1−cos)
		s.errors.linear += 4 * (d + 16) * w
		s.errors.constant += 4*(d+16)*w + (8*d+128)*w
	}
}

// RowBytes counts the packed block, too.
func (s *bounded[F]) RowBytes() int64 {
	return int64(s.N+s.sources.Dim) * scan.SizeOf[F]()
}

// keepingPays is the smallest dimension in which computing distances takes
// longer than keeping and transposing them.
const keepingPays = 192

// Keepable implements Space.
func (s *bounded[F]) Keepable(lo, hi, step int) int64 {
	if !s.Self || s.sources.Dim < keepingPays {
		return 0
	}
	return symmetricBytes(lo, hi, step, scan.SizeOf[F]())
}

// Plan implements Space.
func (s *bounded[F]) Plan(step, end int, budget int64) {
	if s.Self && s.sources.Dim >= keepingPays {
		s.symmetric.plan(step, end, budget, scan.SizeOf[F]())
	}
}

// band is 2·E_i.
func (s *bounded[F]) band(i int) float64 {
	if s.links {
		return 2 * s.measuredBound(i, s.maxRadius, s.maxRounding, s.maxMeasured)
	}
	return 2 * s.bound(i, s.maxRadius, s.maxRounding)
}

// pairBound is E_ij.
func (s *bounded[F]) pairBound(i int, j int32) float64 {
	if s.links {
		return s.measuredBound(i, s.points.radius[j], s.points.rounding[j], s.refined.rounding[j])
	}
	return s.bound(i, s.points.radius[j], s.points.rounding[j])
}

// bound is E for query i and a point of that radius and rounding.
func (s *bounded[F]) bound(i int, radius, rounding float64) float64 {
	return s.errors.of(s.queries.radius[i], s.queries.rounding[i], radius, rounding)
}

// measuredBound is bound from the measured rounding changes of the two points.
func (s *bounded[F]) measuredBound(i int, radius, rounding, changed float64) float64 {
	own, p := s.queries.radius[i], s.queries
	return s.measured.of(own, p.rounding[i], radius, rounding) + (1+0x1p-10)*2*(s.refined.rounding[i]+changed)*(own+radius)
}

// above is the limit beyond which values of the row are certainly behind a.
func (s *bounded[F]) above(a F, band float64) F {
	v := float64(a)
	// Excluded entries stay above every limit.
	return min(scan.RoundUp[F](scan.NextUp(v+band+s.relative*math.Abs(v))), s.largest)
}

// around are limits beyond which values of the row are certainly in order with a, above or a step farther out: so no
// branch depends on how they are rounded.
func (s *bounded[F]) around(a F, band float64) (low, high F) {
	v := float64(a)
	band += s.relative * math.Abs(v)
	return scan.NextDown(F(v - band)), min(scan.NextUp(F(v+band)), s.largest)
}

// DistanceTile turns products into approximate squared distances.
type DistanceTile[F kernel.Float] struct{ Rows, Cols []F }

// Finish implements kernel.Epilogue.
func (t DistanceTile[F]) Finish(c []F, stride, row, col, rows, cols int) {
	norms := t.Cols[col : col+cols]
	for i := range rows {
		n, part := t.Rows[row+i], c[i*stride:i*stride+cols]
		part = part[:len(norms)]
		if narrow, ok := any(part).([]float32); ok {
			kernel.FinishDistances(narrow, any(norms).([]float32), float32(n))
			continue
		}
		for j, m := range norms {
			part[j] = (n + m) - 2*part[j]
		}
	}
}

// Load implements Space.
func (s *bounded[F]) Load(ctx context.Context, lo, hi int) error {
	s.lo, s.hi = lo, hi
	s.rows = scan.Grown(s.rows, (hi-lo)*s.N)
	dim := s.sources.Dim
	err := s.left.Left(kernel.Packing[F](parallelPacker[F]{offsetPoints[F]{s.queries, lo}, s.threads}), hi-lo, dim)
	if err != nil {
		return err
	}
	err = s.symmetric.load(ctx, lo, hi, s.rows, func(rows, col, cols int, upper bool) error {
		p := kernel.Product[F]{
			M: rows, N: cols, K: dim,
			A: s.left.Operand(0), B: kernel.Packing[F](offsetPoints[F]{s.points, col}),
			C: s.rows[col:], Stride: s.N, Threads: s.threads, Upper: upper, Links: s.links, Done: ctx.Done(),
			Epilogue: DistanceTile[F]{Rows: s.queries.norm[lo : lo+rows], Cols: s.points.norm[col : col+cols]},
		}
		return p.Run()
	})
	if err != nil {
		return err
	}
	if err := s.loadDirect(ctx); err != nil {
		return err
	}
	limit := scan.Excluded[F]()
	for i := lo; i < hi; i++ {
		row := s.row(i)
		s.Exclusions(i, func(j int) { row[j] = limit })
	}
	return nil
}

// loadDirect puts direct keys where products are not used.
func (s *bounded[F]) loadDirect(ctx context.Context) error {
	if len(s.outliers) == 0 && !slices.Contains(s.directRows[s.lo:s.hi], true) {
		return nil
	}
	largest := float64(scan.NextDown(scan.Excluded[F]()))
	return parallel.For(ctx, s.threads, s.hi-s.lo, func(_, r int) {
		i := s.lo + r
		columns := s.outliers
		if s.directRows[i] {
			columns = make([]int32, s.N)
			for j := range columns {
				columns[j] = int32(j)
			}
		}
		keys := make([]float64, len(columns))
		s.direct.Keys(i, s.sources.Row(i, nil), columns, keys)
		row := s.row(i)
		for c, j := range columns {
			row[j] = F(min(math.Ldexp(keys[c], s.keyExponent), largest))
		}
	})
}

func (s *bounded[F]) row(i int) []F { return s.rows[(i-s.lo)*s.N : (i-s.lo+1)*s.N] }

// Worker implements Space.
func (s *bounded[F]) Worker() Worker {
	return &boundedWorker[F]{
		space: s, i: -1, at: -1,
		x:     make([]float64, s.sources.Dim),
		value: make([]float64, s.N), known: make([]int32, s.N),
	}
}
