package neighbors

// This file holds the space whose rows are approximate distances with a proven
// error bound, from matrix products; what the bound leaves open is decided by
// the direct computation.
//
// # The bound
//
// Let F be float32 (unit roundoff u = 2⁻²⁴) or float64 (u = w = 2⁻⁵³), D the
// dimension. Points are shifted by a common vector m, divided by their norm for
// the cosine, scaled by a power of two (exact) and rounded to F: v_i. With
// t_i the exact shifted and scaled point, v_i = t_i + e_i. For the Euclidean
// metric the float64 subtraction and the rounding to F give
// ‖e_i‖ ≤ 2.01u‖v_i‖. For the cosine the division by the computed norm adds
// (D+16)w. Distances and their order are those of the t_i.
//
// With r_i = ‖v_i‖, s = r_i + r_j and η = ‖e_i‖ + ‖e_j‖,
//
//	| ‖t_i−t_j‖² − ‖v_i−v_j‖² | ≤ η(2s + η)                                   (1)
//
// The product c of v_i and v_j has |c − v_i·v_j| ≤ u/(1−g)·q_i·q_j, where
// q_i² = Σ_k N_k·v_ik² counts the roundings of each term and g = kernel.Additions(D)·u
// (see kernel.Norms). The row value a = (n_i + n_j) − 2c is computed in F from the
// squared norms n, computed in float64 (relative error (D+1)w) and rounded to F;
// n_i + n_j ≤ s² and |a| ≤ s² up to the errors themselves, so that
//
//	|a − ‖v_i−v_j‖²| ≤ 2u/(1−g)·q_i·q_j + s²·( 3.01u + (D+8)w )                (2)
//
// The direct computation differs from ‖t_i−t_j‖², scaled, by at most (D+3)w
// relative, the direct cosine key from 1−cos by at most (4D+64)w. Together,
// with 1+2⁻¹⁰ for all second-order terms,
//
//	|a − direct| ≤ E_ij = (1+2⁻¹⁰)·( 2u/(1−g)·q_i·q_j + s²·( 8u + (4D+64)w ) )
//	                      + cosine: 4(D+16)w(s+1) + (8D+128)w
//	                      + underflow
//
// where the cosine's value is ‖t_i−t_j‖² = 2(1−cos). Underflow is the sum of at
// most D products and D stored values, each off by at most half the smallest
// subnormal of F, and the same for the direct computation, scaled. One row uses
// E_i, from the largest r_j and q_j, for all columns; what that leaves open is looked at
// with the E_ij of the two pairs.
//
// A few outliers, points much farther out than the rest, would make the largest r_j and with
// it every row's bound useless. Their columns hold the direct key, rounded to F,
// and do not count for it; neither do rows of points still farther out need
// products. Such a value has |a − direct| ≤ 1.01u·a, besides underflow, or is the largest
// finite value.
//
// Values a, b of one row with b > a + 2E_i + 4u·a are certainly in this order,
// whether they are bounded by E_i or by 1.01u times themselves, and so are those of points j
// and k with b > a + E_ij + E_ik + 4u·b. The rounding of these limits to F is outward.

import (
	"context"
	"math"
	"slices"
	"sync"
	"unsafe"

	"repscope/internal/kernel"
	"repscope/points"
)

// bounded is a space of approximate rows.
type bounded[F kernel.Float] struct {
	base
	points, queries  *centred[F]
	sources          points.Points // the queries as they came
	maxRadius        float64
	maxRounding      float64
	outliers         []int32 // points whose columns are direct
	wild             []bool  // queries whose rows are direct
	keyExponent      int     // rows are direct keys times this power of two
	relative         float64 // 4u
	product          float64 // of q_i·q_j in E
	slope            float64 // of s² in E
	linear, constant float64 // of s and 1 in E
	half             half[F]
	squaresOnce      sync.Once
	squared          []float64
	left             kernel.Packed[F] // the block
	rows             []F
	lo, hi           int
}

// centred are points shifted, scaled and rounded to F on the fly.
type centred[F kernel.Float] struct {
	source points.Points
	shift  []float64 // m, scaled
	// exact is the shift in float32 where scaling and shifting in float32 rounds
	// only once; nil elsewhere.
	exact  []float32
	factor []float64 // per point: the power of two, over the norm for the cosine
	// scales are the factors in float32 where exact is set.
	scales []float32
	norm   []F       // ‖v‖², rounded to F
	radius []float64 // ‖v‖
	// q, the bound on the roundings of products.
	rounding []float64
	rows     sync.Pool // of *[]F, for packing
}

// row writes coordinates k … k+len(dst)−1 of v_i.
func (c *centred[F]) row(i, k int, dst []F) {
	at := i*c.source.Dim + k
	if narrow, ok := any(dst).([]float32); ok && c.exact != nil {
		kernel.ScaleShift(narrow, c.source.F32[at:at+len(dst)], c.exact[k:k+len(dst)], c.scales[i])
		return
	}
	f, shift := c.factor[i], c.shift[k:k+len(dst)]
	switch {
	case c.source.F32 != nil:
		for d, x := range c.source.F32[at : at+len(dst)] {
			dst[d] = F(float64(float64(x)*f) - shift[d])
		}
	default:
		for d, x := range c.source.F64[at : at+len(dst)] {
			dst[d] = F(float64(x*f) - shift[d])
		}
	}
}

// Pack implements kernel.Packer.
func (c *centred[F]) Pack(dst []F, width, first, count, k, depth int) {
	if narrow, ok := any(dst).([]float32); ok && c.exact != nil {
		kernel.PackShifted(narrow, width, c.source.F32[first*c.source.Dim+k:], c.source.Dim, count, depth, c.scales[first:], c.exact[k:])
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

// from is c with point first as its point 0.
type from[F kernel.Float] struct {
	points *centred[F]
	first  int
}

func (f from[F]) Pack(dst []F, width, first, count, k, depth int) {
	f.points.Pack(dst, width, f.first+first, count, k, depth)
}

// spread packs with several goroutines.
type spread[F kernel.Float] struct {
	points  from[F]
	threads int
}

func (s spread[F]) Pack(dst []F, width, first, count, k, depth int) {
	panels := (count + width - 1) / width
	// The context is not consulted: one depth block takes milliseconds.
	_ = parallel(context.Background(), s.threads, panels, func(_, q int) {
		s.points.Pack(dst[q*width*depth:(q+1)*width*depth], width, first+q*width, min(width, count-q*width), k, depth)
	})
}

// openBounded prepares the space; see openSpace.
func openBounded[F kernel.Float](ctx context.Context, b base, queries, pts points.Points) (space, error) {
	b.direct = newDirect(queries, pts, b.metric)
	s := &bounded[F]{base: b, sources: queries, half: half[F]{n: pts.N, dim: pts.Dim, threads: b.threads, computed: b.computed}}
	var unit float64
	tiny := 0x1p-140
	s.method, unit = "float32 product with bound "+kernel.Name(), 0x1p-24
	if unsafe.Sizeof(F(0)) == 8 {
		s.method, unit, tiny = "float64 product with bound "+kernel.Name(), 0x1p-53, 0x1p-1060
	}

	shift := medianPoint(pts, b.direct)
	factor := func(norms []float64, i int) float64 {
		if norms != nil {
			return 1 / math.Sqrt(norms[i])
		}
		return 1
	}
	// Distances from the shift, to find outliers and the scale.
	dim := pts.Dim
	distances := func(p points.Points, norms []float64) (extents, error) {
		e := extents{distance: make([]float64, p.N), square: make([]float64, p.N), rounding: make([]float64, p.N)}
		x := make([][]float64, b.threads)
		narrow := narrowShift(p, b.metric, shift, 0)
		e.narrow = narrow != nil
		rows, squares := make([][]float32, b.threads), make([]kernel.Norms[float32], b.threads)
		err := parallel(ctx, b.threads, p.N, func(w, i int) {
			if narrow != nil {
				rows[w] = grown(rows[w], dim)
				kernel.ScaleShift(rows[w], p.F32[i*dim:(i+1)*dim], narrow, 1)
				e.square[i], e.rounding[i] = squares[w].Of(rows[w])
				if e.distance[i] = math.Sqrt(e.square[i]); !math.IsInf(e.distance[i], 1) {
					return
				}
			}
			x[w] = p.Row(i, x[w])
			f, sum := factor(norms, i), 0.0
			for k, v := range x[w] {
				d := v*f - shift[k]
				sum += d * d
			}
			e.distance[i] = math.Sqrt(sum)
		})
		return e, err
	}
	far, err := distances(pts, b.direct.pointNorm)
	if err != nil {
		return nil, err
	}
	usual := slices.Sorted(slices.Values(far.distance))
	limit := outlierFactor * usual[max(0, pts.N-2-pts.N/500)]
	reach := 0.0
	for j, r := range far.distance {
		if r > limit {
			s.outliers = append(s.outliers, int32(j))
		} else {
			reach = max(reach, r)
		}
	}
	// The power of two brings the usual points near 1, away from overflow and underflow.
	// For the cosine they are there already.
	_, exponent := math.Frexp(reach)
	exponent = max(-1000, min(1000, exponent))
	if b.metric == Cosine {
		exponent = 0
	}
	scale := math.Ldexp(1, -exponent)
	s.keyExponent = -2 * exponent
	if b.metric == Cosine {
		s.keyExponent = 1 // ‖t_i−t_j‖² = 2(1−cos)
	}
	for k := range shift {
		shift[k] *= scale
	}
	narrow := narrowShift(pts, b.metric, shift, exponent)
	centre := func(p points.Points, norms []float64, far extents) (*centred[F], []bool, error) {
		c := &centred[F]{
			source: p, shift: shift, exact: narrow, scales: make([]float32, p.N),
			factor: make([]float64, p.N), norm: make([]F, p.N), radius: make([]float64, p.N), rounding: make([]float64, p.N),
		}
		wild, buffers, norm := make([]bool, p.N), make([][]F, b.threads), make([]kernel.Norms[F], b.threads)
		// Scaling by a power of two changes no digits of what the distances were made of.
		known := far.narrow && narrow != nil && unsafe.Sizeof(F(0)) == 4
		err := parallel(ctx, b.threads, p.N, func(w, i int) {
			if wild[i] = far.distance[i] > wildFactor*reach; wild[i] {
				return // its factor 0 keeps the products finite; they are not used
			}
			c.factor[i] = scale * factor(norms, i)
			c.scales[i] = float32(c.factor[i])
			square, rounding := far.square[i]*scale*scale, far.rounding[i]*scale*scale
			if !known {
				buffers[w] = grown(buffers[w], dim)
				c.row(i, 0, buffers[w])
				square, rounding = norm[w].Of(buffers[w])
			}
			c.norm[i], c.radius[i], c.rounding[i] = F(square), math.Sqrt(square), math.Sqrt(rounding)
		})
		return c, wild, err
	}
	if s.points, s.wild, err = centre(pts, b.direct.pointNorm, far); err != nil {
		return nil, err
	}
	s.queries = s.points
	if !samePoints(queries, pts) {
		if far, err = distances(queries, b.direct.queryNorm); err != nil {
			return nil, err
		}
		if s.queries, s.wild, err = centre(queries, b.direct.queryNorm, far); err != nil {
			return nil, err
		}
	}
	next := 0
	for j, r := range s.points.radius {
		if next < len(s.outliers) && int(s.outliers[next]) == j {
			next++
			continue
		}
		s.maxRadius, s.maxRounding = max(s.maxRadius, r), max(s.maxRounding, s.points.rounding[j])
	}
	s.relative = 4 * unit

	const w = 0x1p-53
	d := float64(dim)
	g := float64(kernel.Additions(dim)) * unit
	s.product = (1 + 0x1p-10) * 2 * unit / (1 - g)
	s.slope = (1 + 0x1p-10) * (8*unit + (4*d+64)*w)
	// The direct computation underflows in its own scale.
	s.linear, s.constant = (d+16)*tiny, (d+16)*tiny+(d+1)*math.Ldexp(0x1p-1073, -2*exponent)
	if b.metric == Cosine {
		s.linear += 4 * (d + 16) * w
		s.constant += 4*(d+16)*w + (8*d+128)*w
	}

	return s, nil
}

// extents say how far each point lies from the shift and, where that is computed in float32
// (see narrowShift), what kernel.Norms tells about the difference.
type extents struct {
	distance, square, rounding []float64
	narrow                     bool
}

// narrowShift is the shift in float32 where the values of the points times 2^−exponent
// and the shift are float32 numbers, but for underflow, so that their float32 difference
// is the exact one rounded once; nil elsewhere.
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

// outlierFactor and wildFactor say how many times farther from the middle than
// the usual points an outlier is, and a point whose own row is computed directly.
const outlierFactor, wildFactor = 4, 64

// medianPoint is the coordinate-wise median of up to 63 points, over their
// norms for the cosine. Any point would be right; a middle one makes the bound
// small, and a median does not follow outliers.
func medianPoint(p points.Points, d *direct) []float64 {
	step := (p.N + 62) / 63
	var sample [][]float64
	for i := step / 2; i < p.N; i += step {
		x := p.Row(i, nil)
		if d.metric == Cosine {
			f := 1 / math.Sqrt(d.pointNorm[i])
			for k := range x {
				x[k] *= f
			}
		}
		sample = append(sample, x)
	}
	middle, column := make([]float64, p.Dim), make([]float64, len(sample))
	for k := range middle {
		for c, x := range sample {
			column[c] = x[k]
		}
		slices.Sort(column)
		middle[k] = column[len(column)/2]
	}
	return middle
}

// rowBytes counts the packed block, too.
func (s *bounded[F]) rowBytes() int64 {
	return int64(s.n+s.sources.Dim) * sizeOf[F]()
}

// keepingPays is the smallest dimension in which computing distances takes
// longer than keeping and transposing them.
const keepingPays = 192

func (s *bounded[F]) keepable(lo, hi, step int) int64 {
	if !s.self || s.sources.Dim < keepingPays {
		return 0
	}
	return halfBytes(lo, hi, step, sizeOf[F]())
}

func (s *bounded[F]) plan(step, end int, budget int64) {
	if s.self && s.sources.Dim >= keepingPays {
		s.half.plan(step, end, budget, sizeOf[F]())
	}
}

// band is 2·E_i.
func (s *bounded[F]) band(i int) float64 {
	return 2 * s.bound(i, s.maxRadius, s.maxRounding)
}

// pairBound is E_ij.
func (s *bounded[F]) pairBound(i int, j int32) float64 {
	return s.bound(i, s.points.radius[j], s.points.rounding[j])
}

// bound is E for query i and a point of that radius and rounding, with a little for its own rounding.
func (s *bounded[F]) bound(i int, radius, rounding float64) float64 {
	sum := s.queries.radius[i] + radius
	return (1 + 0x1p-20) * (s.product*s.queries.rounding[i]*rounding + s.slope*sum*sum + s.linear*sum + s.constant)
}

// above and below are the limits beyond which values of the row are certainly
// in order with a.
func (s *bounded[F]) above(a F, band float64) F {
	v := float64(a)
	// Excluded entries stay above every limit.
	return min(up[F](nextUp64(v+band+s.relative*math.Abs(v))), nextDown(excluded[F]()))
}

func (s *bounded[F]) below(a F, band float64) F {
	v := float64(a)
	return down[F](nextDown64(v - band - s.relative*math.Abs(v)))
}

// distanceTile turns products into approximate squared distances.
type distanceTile[F kernel.Float] struct{ rows, cols []F }

// Finish implements kernel.Epilogue.
func (t distanceTile[F]) Finish(c []F, stride, row, col, rows, cols int) {
	norms := t.cols[col : col+cols]
	for i := range rows {
		n, part := t.rows[row+i], c[i*stride:i*stride+cols]
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

func (s *bounded[F]) load(ctx context.Context, lo, hi int) error {
	s.lo, s.hi = lo, hi
	s.rows = grown(s.rows, (hi-lo)*s.n)
	dim := s.sources.Dim
	err := s.left.Left(kernel.Packing[F](spread[F]{from[F]{s.queries, lo}, s.threads}), hi-lo, dim)
	if err != nil {
		return err
	}
	err = s.half.load(ctx, lo, hi, s.rows, func(rows, col, cols int, upper bool) error {
		p := kernel.Product[F]{
			M: rows, N: cols, K: dim,
			A: s.left.Operand(0), B: kernel.Packing[F](from[F]{s.points, col}),
			C: s.rows[col:], Stride: s.n, Threads: s.threads, Upper: upper, Done: ctx.Done(),
			Epilogue: distanceTile[F]{s.queries.norm[lo : lo+rows], s.points.norm[col : col+cols]},
		}
		return p.Run()
	})
	if err != nil {
		return err
	}
	if err := s.loadDirect(ctx); err != nil {
		return err
	}
	limit := excluded[F]()
	for i := lo; i < hi; i++ {
		row := s.row(i)
		s.exclusions(i, func(j int) { row[j] = limit })
	}
	return nil
}

// loadDirect puts direct keys where products are not used.
func (s *bounded[F]) loadDirect(ctx context.Context) error {
	if len(s.outliers) == 0 && !slices.Contains(s.wild[s.lo:s.hi], true) {
		return nil
	}
	most := float64(nextDown(excluded[F]()))
	return parallel(ctx, s.threads, s.hi-s.lo, func(_, r int) {
		i := s.lo + r
		columns := s.outliers
		if s.wild[i] {
			columns = make([]int32, s.n)
			for j := range columns {
				columns[j] = int32(j)
			}
		}
		keys := make([]float64, len(columns))
		s.direct.keys(i, s.sources.Row(i, nil), columns, keys)
		row := s.row(i)
		for c, j := range columns {
			row[j] = F(min(math.Ldexp(keys[c], s.keyExponent), most))
		}
	})
}

func (s *bounded[F]) row(i int) []F { return s.rows[(i-s.lo)*s.n : (i-s.lo+1)*s.n] }

func (s *bounded[F]) worker() worker {
	return &boundedWorker[F]{
		space: s, i: -1, at: -1,
		x:     make([]float64, s.sources.Dim),
		value: make([]float64, s.n), known: make([]int32, s.n),
	}
}

// boundedWorker answers about one row after another. The direct keys of a row
// are computed when needed and kept until the next row, once for all equal points.
type boundedWorker[F kernel.Float] struct {
	space *bounded[F]
	i     int // the row that the direct keys belong to
	x     []float64
	at    int // the point whose coordinates x holds
	value []float64
	known []int32 // value[j] is known where known[j] == stamp
	stamp int32
	want  []int32
	keys  []float64
	open  int64

	buf        []entry[F]
	run        []entry[float64]
	thresholds []entry[F]
	place      []int32
	low, high  []F
	bounds     []float64 // E of each threshold
	ladder     ladder[F]
	hist       []int32
	pending    []openPair
	reach      []int32
	found      [segment]int32
	group      []int32
	// For rankLists.
	crowd     crowd[F]
	openRanks []openRank
	near      *nearly
	order     []int32
	whole     wholeRow
}

// openPair is a comparison left open: does point come before threshold?
type openPair struct{ threshold, point int32 }

func (w *boundedWorker[F]) redecided() int64 { return w.open }

// enter makes i the row of the direct keys.
func (w *boundedWorker[F]) enter(i int) {
	if w.i == i {
		return
	}
	w.i = i
	if w.stamp == math.MaxInt32 {
		clear(w.known)
		w.stamp = 0
	}
	w.stamp++
}

// need asks for the direct key of point j; compute answers all at once.
func (w *boundedWorker[F]) need(j int32) {
	j = w.space.first[j]
	if w.known[j] != w.stamp {
		w.known[j] = w.stamp
		w.want = append(w.want, j)
	}
}

func (w *boundedWorker[F]) compute() {
	if len(w.want) == 0 {
		return
	}
	if w.at != w.i {
		w.x, w.at = w.space.sources.Row(w.i, w.x), w.i
	}
	w.keys = slices.Grow(w.keys[:0], len(w.want))[:len(w.want)]
	w.space.direct.keys(w.i, w.x, w.want, w.keys)
	for c, j := range w.want {
		w.value[j] = w.keys[c]
	}
	w.want = w.want[:0]
}

// key is the direct key of point j after need and compute.
func (w *boundedWorker[F]) key(j int32) float64 { return w.value[w.space.first[j]] }

// up and down round v to F, outward.
func up[F kernel.Float](v float64) F {
	f := F(v)
	if float64(f) < v {
		return next(f, math.Inf(1))
	}
	return f
}

func down[F kernel.Float](v float64) F {
	f := F(v)
	if float64(f) > v {
		return next(f, math.Inf(-1))
	}
	return f
}

func nextDown[F kernel.Float](f F) F { return next(f, math.Inf(-1)) }

func next[F kernel.Float](f F, toward float64) F {
	if unsafe.Sizeof(f) == 4 {
		return F(math.Nextafter32(float32(f), float32(toward)))
	}
	return F(math.Nextafter(float64(f), toward))
}

func (w *boundedWorker[F]) nearest(i, count int, list []int32) []int32 {
	return w.collect(i, count, list, false)
}

// collect is nearest; with tied it goes on to the last tie of the last neighbour
// and appends to w.group a number for each that its ties share.
func (w *boundedWorker[F]) collect(i, count int, list []int32, tied bool) []int32 {
	w.enter(i)
	row, band := w.space.row(i), w.space.band(i)
	list = list[:0]
	w.selectWithin(row, count, band)
	return w.settle(count, band, list, tied)
}

// selectWithin sets w.buf, in ascending order, to the candidates that may be among the count nearest: those
// within the band of the count-th smallest value.
func (w *boundedWorker[F]) selectWithin(row []F, count int, band float64) {
	limit, buf := limitAround(row, count, w.i, w.buf)
	if limit < excluded[F]() {
		limit = w.space.above(limit, band)
	} else {
		limit = nextDown(limit)
	}
	buf = buf[:0]
	shrink := func() {
		partition(buf, count)
		limit = w.space.above(slices.MaxFunc(buf[:count], compareEntries[F]).key, band)
		kept := buf[:count]
		for _, e := range buf[count:] {
			if e.key <= limit {
				kept = append(kept, e)
			}
		}
		buf = kept
	}
	size := 4*count + 64
	for start := 0; start < len(row); start += segment {
		part := row[start:min(start+segment, len(row))]
		for _, l := range w.found[:atMost(w.found[:], part, limit)] {
			buf = append(buf, entry[F]{part[l], int32(start) + l})
		}
		if len(buf) >= size {
			shrink()
			size = max(size, 2*len(buf)) // many within the band
		}
	}
	if len(buf) > count {
		shrink()
	}
	sortEntries(buf)
	w.buf = buf
}

// settle appends the count first of w.buf, the row's smallest values in ascending order, to
// list. Values further apart than the band are in order; runs of closer ones are
// put in order by their direct keys.
func (w *boundedWorker[F]) settle(count int, band float64, list []int32, tied bool) []int32 {
	for lo := 0; lo < len(w.buf) && len(list) < count; {
		hi := lo + 1
		for hi < len(w.buf) && w.buf[hi].key <= w.space.above(w.buf[hi-1].key, band) {
			hi++
		}
		if hi-lo == 1 {
			if tied {
				w.group = append(w.group, int32(len(list)))
			}
			list = append(list, w.buf[lo].index)
			lo = hi
			continue
		}
		w.open += int64(hi - lo - 1)
		for _, e := range w.buf[lo:hi] {
			w.need(e.index)
		}
		w.compute()
		w.run = w.run[:0]
		for _, e := range w.buf[lo:hi] {
			w.run = append(w.run, entry[float64]{w.key(e.index), e.index})
		}
		sortEntries(w.run)
		for q, e := range w.run {
			if tied {
				at := int32(len(list))
				if q > 0 && w.run[q-1].key == e.key {
					at = w.group[at-1]
				} else if len(list) >= count {
					return list
				}
				w.group = append(w.group, at)
			}
			list = append(list, e.index)
		}
		lo = hi
	}
	if tied {
		return list
	}
	return list[:min(count, len(list))]
}

func nextUp64(v float64) float64 { return math.Nextafter(v, math.Inf(1)) }

func nextDown64(v float64) float64 { return math.Nextafter(v, math.Inf(-1)) }

func (w *boundedWorker[F]) distances(i int, list []int32, out []float64) {
	w.enter(i)
	for _, j := range list {
		w.need(j)
	}
	w.compute()
	for q, j := range list {
		out[q] = w.space.metric.distanceOf(w.key(j))
	}
}

// setThresholds makes the points of list the thresholds of row i, in ascending order, and returns the row.
func (w *boundedWorker[F]) setThresholds(i int, list []int32) []F {
	s := w.space
	row, band := s.row(i), s.band(i)
	w.thresholds, w.low, w.high = w.thresholds[:0], w.low[:0], w.high[:0]
	for _, j := range list {
		w.thresholds = append(w.thresholds, entry[F]{row[j], j})
	}
	w.place = sortedPlaces(w.thresholds, w.place)
	w.bounds = w.bounds[:0]
	for _, e := range w.thresholds {
		w.low = append(w.low, s.below(e.key, band))
		w.high = append(w.high, s.above(e.key, band))
		w.bounds = append(w.bounds, s.pairBound(i, e.index))
	}
	return row
}

func (w *boundedWorker[F]) ranks(i int, list []int32, tied int, rank, closer []int32) (ties int64) {
	if len(list) == 0 {
		return 0
	}
	w.enter(i)
	s := w.space
	row := w.setThresholds(i, list)
	group, groups := s.group, max(1, s.groups)
	if closer == nil {
		group, groups = nil, 1
	}
	w.hist = zeroed(w.hist, (len(list)+1)*groups)
	w.ladder.reset(w.high, 4, math.MaxInt)
	w.pending = w.pending[:0]
	w.reach = zeroed(w.reach, len(list)*groups)
	last := w.ladder.high
	for start := 0; start < len(row); start += segment {
		part := row[start:min(start+segment, len(row))]
		for _, l := range w.found[:atMost(w.found[:], part, last)] {
			v, p := part[l], 0
			l += int32(start)
			if v >= w.ladder.low {
				p = w.ladder.below(v)
			}
			if w.low[p] <= v {
				if len(w.pending) > 1<<16 {
					ties += w.decide(tied, group, groups)
				}
				bound := s.pairBound(i, l)
				for p < len(w.low) && w.low[p] <= v {
					if t := w.thresholds[p]; l != t.index {
						pair := openPair{int32(p), l}
						limit := bound + w.bounds[p] + s.relative*max(math.Abs(float64(v)), math.Abs(float64(t.key)))
						if difference := float64(v) - float64(t.key); math.Abs(difference) <= limit {
							w.pending = append(w.pending, pair)
						} else if difference < 0 {
							w.count(pair, group, groups)
						}
					}
					p++
				}
			}
			if group != nil {
				p = p*groups + int(group[l])
			}
			w.hist[p]++
		}
	}
	ties += w.decide(tied, group, groups)
	accumulateRanks(w.place, group != nil, groups, w.hist, rank, closer)
	// What the direct keys added belongs to single thresholds.
	for p, q := range w.place {
		for g, c := range w.reach[p*groups : (p+1)*groups] {
			rank[q] += c
			if group != nil {
				closer[int(q)*groups+g] += c
			}
		}
	}
	return ties
}

// decide settles the pending comparisons and returns the ties among them.
func (w *boundedWorker[F]) decide(tied int, group []int32, groups int) (ties int64) {
	s := w.space
	for _, c := range w.pending {
		t := w.thresholds[c.threshold].index
		if s.first[t] != s.first[c.point] {
			w.need(t)
			w.need(c.point)
		}
	}
	w.compute()
	w.open += int64(len(w.pending))
	for _, c := range w.pending {
		t := w.thresholds[c.threshold].index
		before := c.point < t
		if s.first[t] != s.first[c.point] {
			a, b := w.key(c.point), w.key(t)
			before = a < b || a == b && before
			if a != b {
				if before {
					w.count(c, group, groups)
				}
				continue
			}
		}
		if int(w.place[c.threshold]) < tied {
			ties++
		}
		if before {
			w.count(c, group, groups)
		}
	}
	w.pending = w.pending[:0]
	return ties
}

func (w *boundedWorker[F]) count(c openPair, group []int32, groups int) {
	at := int(c.threshold) * groups
	if group != nil {
		at += int(group[c.point])
	}
	w.reach[at]++
}
