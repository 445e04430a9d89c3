package neighbors

// This file holds approximate nearest-neighbour search over all points: from
// duplicates to distinct points, through the graph, back to exact distances.

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/dataset"
	"repscope/internal/kernel"
)

// KNearestApproximate is [KNearest] for sets too large for O(n²): it finds most of
// the k nearest neighbours of every point and measures how many (Recall). Where an
// exact search is expected to be faster, which depends on the number, type and dimension of the
// points and on k alone, it is made instead.
//
// The method is NN-descent (Dong, Moses and Li 2011, "Efficient k-nearest
// neighbor graph construction for generic similarity measures") from a start by
// random projection trees (Dasgupta and Freund 2008): points that share a leaf
// of a tree are compared, then, round by round, the neighbours of each point
// with each other, until hardly any list changes. It works on float32 (float64
// for float64 points) products; the lists it ends with are a little longer than
// k and put in order by direct float64 distances, ties by index. Equal points
// are searched once and all get each other as neighbours.
//
// The result depends on points, k, Metric, ExcludeWindow, Episode and Seed, not on
// Threads or Memory. Of o it uses these and Progress. Errors are those of
// KNearest, and a memory budget too small for the lists.
func KNearestApproximate(ctx context.Context, points dataset.Points, k int, o Options, a Approximation) (*ApproximateNearest, error) {
	if o.Metric == Precomputed {
		return nil, errNoCoordinates
	}
	if err := checkPoints("points", points, o.Metric); err != nil {
		return nil, err
	}
	o.Blocks = nil
	if err := o.checkCounts(points.N); err != nil {
		return nil, err
	}
	if err := checkCandidates(points.N, k, &o); err != nil {
		return nil, err
	}
	if a.Queries < -1 {
		return nil, fmt.Errorf("queries: %d, want −1 (none), 0 (%d) or more", a.Queries, DefaultQueries)
	}
	width := graphWidth(k)
	few := a.ExactPoints
	if few <= 0 {
		few = exactPoints(points, width)
	}
	if points.N <= max(few, 2*width) {
		nearest, err := KNearest(ctx, points, k, o)
		if err != nil {
			return nil, err
		}
		return &ApproximateNearest{Nearest: *nearest, Recall: Recall{Value: 1, Queries: points.N, K: k, Exact: true}}, nil
	}

	found, rounds, err := searchGraph(ctx, points, k, width, few, &o, &a)
	if err != nil {
		return nil, err
	}
	result := &ApproximateNearest{Nearest: *found, Rounds: rounds}
	if result.Recall, err = measureRecall(ctx, points, found, &o, &a); err != nil {
		return nil, err
	}
	for i := range points.N {
		row := result.Distance[i*k : (i+1)*k]
		for q := 1; q < k; q++ {
			if row[q] == row[q-1] {
				result.Counts.Ties++
			}
		}
	}
	if o.Progress != nil {
		o.Progress(points.N, points.N)
	}
	return result, nil
}

// exactPoints is the number of points like these from which on lists of the given width are
// found faster by descent. An exact search takes time for every pair of points: to scan, the
// more the longer the lists, and to multiply. Descent takes time for every point, about
// in proportion to the width and a little for every coordinate. The constants are
// nanoseconds of one core, measured; they decide nothing but the time taken.
func exactPoints(points dataset.Points, width int) int {
	const scan, scanWidth, descentWidth, descentCoordinate = 0.2, 0.02, 3500, 500
	multiply, size := 0.01, 1.0
	switch {
	case points.U8 != nil:
		multiply /= 4
	case points.F64 != nil:
		multiply, size = 2*multiply, 2
	}
	w, dim := float64(width), float64(points.Dim)
	return int((descentWidth*w + descentCoordinate*size*dim) / (scan + scanWidth*w + multiply*dim))
}

// graphWidth is the length of the lists of a search for k neighbours: short lists
// lead nowhere, and a few entries more than k make up for the rounding of the
// distances they are chosen by.
func graphWidth(k int) int { return max(24, k+k/8+4) }

// searchGraph finds the lists by the graph of the distinct points.
func searchGraph(ctx context.Context, points dataset.Points, k, width, few int, o *Options, a *Approximation) (*Nearest, int, error) {
	threads := o.threads()
	first, duplicates, err := findDuplicates(ctx, points, threads)
	if err != nil {
		return nil, 0, err
	}
	// With an exclusion window equal points have different candidates: all
	// points are vertices then.
	var vertices []int
	if duplicates > 0 && o.ExcludeWindow == 0 {
		for i, f := range first {
			if int(f) == i {
				vertices = append(vertices, i)
			}
		}
	}
	lists, method, rounds, err := vertexLists(ctx, points, vertices, first, width, few, o, a)
	if err != nil {
		return nil, 0, err
	}
	found := &Nearest{N: points.N, K: k, Index: make([]int32, points.N*k), Distance: make([]float64, points.N*k)}
	found.Counts = SpaceCounts{Duplicates: duplicates, Method: method}
	short, err := refine(ctx, points, lists, first, duplicates > 0, found, o)
	if err != nil || len(short) == 0 {
		return found, rounds, err
	}
	// Points far from everything may have been given too few candidates.
	rest, err := exactNearest(ctx, points, short, k, o)
	if err != nil {
		return nil, 0, err
	}
	for q, i := range short {
		copy(found.Index[i*k:(i+1)*k], rest.Index[q*k:(q+1)*k])
		copy(found.Distance[i*k:(i+1)*k], rest.Distance[q*k:(q+1)*k])
	}
	return found, rounds, nil
}

// candidateLists answers with the candidates found for a point: points near to
// it, in list's memory, without itself.
type candidateLists func(i int, list []int32) []int32

// vertexLists searches among the vertices, nil for all points. A point that is
// none has the list of the vertex equal to it, first of its kind.
func vertexLists(ctx context.Context, points dataset.Points, vertices []int, first []int32, width, few int, o *Options, a *Approximation) (candidateLists, string, int, error) {
	count := points.N
	var vertexOf []int32
	if vertices != nil {
		count = len(vertices)
		vertexOf = make([]int32, points.N)
		for v, i := range vertices {
			vertexOf[i] = int32(v)
		}
		for i, f := range first {
			vertexOf[i] = vertexOf[f]
		}
	}
	at := func(i int) int {
		if vertexOf != nil {
			return int(vertexOf[i])
		}
		return i
	}
	point := func(v int32) int32 {
		if vertices != nil {
			return int32(vertices[v])
		}
		return v
	}
	if count <= max(few, 2*width) {
		// Few distinct points among many equal ones.
		if count == 1 {
			return func(_ int, list []int32) []int32 { return list[:0] }, "float64 direct", 0, nil
		}
		quiet := *o
		quiet.Progress, quiet.Episode = nil, nil
		nearest, err := KNearest(ctx, points.Select(vertices), min(width, count-1), quiet)
		if err != nil {
			return nil, "", 0, err
		}
		return func(i int, list []int32) []int32 {
			list = list[:0]
			for _, v := range nearest.Index[at(i)*nearest.K : (at(i)+1)*nearest.K] {
				list = append(list, point(v))
			}
			return list
		}, nearest.Counts.Method, 0, nil
	}
	if points.F64 != nil {
		g, err := buildGraph[float64](ctx, points, vertices, width, o, a)
		if err != nil {
			return nil, "", 0, err
		}
		return func(i int, list []int32) []int32 { return g.list(at(i), point, list) },
			"float64 direct, found by NN-descent " + kernel.Name(), g.rounds, nil
	}
	g, err := buildGraph[float32](ctx, points, vertices, width, o, a)
	if err != nil {
		return nil, "", 0, err
	}
	return func(i int, list []int32) []int32 { return g.list(at(i), point, list) },
		"float64 direct, found by NN-descent " + kernel.Name(), g.rounds, nil
}

// refine puts the candidates of every point, and the points equal to them, in
// order by direct distances. It returns the points that have fewer than k.
func refine(ctx context.Context, points dataset.Points, lists candidateLists, first []int32, duplicates bool, found *Nearest, o *Options) (short []int, err error) {
	k, threads := found.K, o.threads()
	// equals[starts[f]:starts[f+1]] are the points equal to f, ascending, where f
	// is the first of them.
	var starts, equals []int32
	if duplicates {
		starts, equals = make([]int32, points.N+1), make([]int32, points.N)
		for _, f := range first {
			starts[f+1]++
		}
		for i := range points.N {
			starts[i+1] += starts[i]
		}
		next := slices.Clone(starts)
		for i, f := range first {
			equals[next[f]] = int32(i)
			next[f]++
		}
	}
	d := newDirect(points, points, o.Metric)
	b := base{n: points.N, self: true, window: o.ExcludeWindow, episode: o.Episode}
	type state struct {
		x, keys     []float64
		list, kinds []int32
		order       []entry[float64]
		short       []int
	}
	workers := make([]state, threads)
	const chunk = 256
	err = parallel(ctx, threads, (points.N+chunk-1)/chunk, func(w, c int) {
		s := &workers[w]
		for i := c * chunk; i < min(points.N, (c+1)*chunk); i++ {
			s.list = lists(i, s.list)
			if duplicates {
				// One point of a kind stands for all; k of each are enough.
				s.kinds = append(s.kinds[:0], first[i])
				for _, j := range s.list {
					s.kinds = append(s.kinds, first[j])
				}
				slices.Sort(s.kinds)
				s.kinds = slices.Compact(s.kinds)
				s.list = s.list[:0]
				for _, f := range s.kinds {
					taken := 0
					for _, j := range equals[starts[f]:starts[f+1]] {
						if taken == k {
							break
						}
						if !b.excludes(i, int(j)) {
							s.list = append(s.list, j)
							taken++
						}
					}
				}
			}
			s.x = points.Row(i, s.x)
			s.keys = slices.Grow(s.keys[:0], len(s.list))[:len(s.list)]
			d.keys(i, s.x, s.list, s.keys)
			s.order = s.order[:0]
			for q, j := range s.list {
				s.order = append(s.order, entry[float64]{s.keys[q], j})
			}
			sortEntries(s.order)
			if len(s.order) < k {
				s.short = append(s.short, i)
				continue
			}
			for q, e := range s.order[:k] {
				found.Index[i*k+q], found.Distance[i*k+q] = e.index, o.Metric.distanceOf(e.key)
			}
		}
	})
	for _, s := range workers {
		short = append(short, s.short...)
	}
	slices.Sort(short)
	return short, err
}

// excludes reports whether point j is no candidate of point i.
func (b *base) excludes(i, j int) bool {
	return i == j || max(i-j, j-i) <= b.window && (b.episode == nil || b.episode[i] == b.episode[j])
}

// vertexRows gives the graph its coordinates: points shifted by a middle one,
// divided by their norms for the cosine, and scaled to usual distances near 1,
// so that products in F neither overflow nor cancel more than they must.
type vertexRows[F kernel.Float] struct {
	points   dataset.Points
	vertices []int // nil: all points
	shift    []F
	scale    F
	factor   []F // per point, for the cosine
	// kept and norms hold all rows where memory allows.
	kept, norms []F
}

func newVertexRows[F kernel.Float](points dataset.Points, vertices []int, d *direct) *vertexRows[F] {
	r := &vertexRows[F]{points: points, vertices: vertices, shift: make([]F, points.Dim), scale: 1}
	if d.metric == Cosine {
		r.factor = make([]F, points.N)
		for i, n := range d.pointNorm {
			r.factor[i] = F(1 / math.Sqrt(n))
		}
	}
	middle := medianPoint(points, d)
	for c, v := range middle {
		r.shift[c] = F(v)
	}
	if d.metric == Cosine {
		return r
	}
	// The scale is from the median distance to the middle of some points.
	var distances []float64
	x := make([]float64, points.Dim)
	for i := 0; i < points.N; i += (points.N + 1023) / 1024 {
		x = points.Row(i, x)
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

// keep computes the rows of all n vertices, for speed.
func (r *vertexRows[F]) keep(ctx context.Context, n, threads int) error {
	kept, norms := make([]F, n*r.points.Dim), make([]F, n)
	const chunk = 256
	err := parallel(ctx, threads, (n+chunk-1)/chunk, func(_, c int) {
		for v := c * chunk; v < min(n, (c+1)*chunk); v++ {
			norms[v] = r.compute(v, kept[v*r.points.Dim:(v+1)*r.points.Dim])
		}
	})
	r.kept, r.norms = kept, norms
	return err
}

// row returns the coordinates of vertex v and their squared norm; dst is memory
// that may be used for them.
func (r *vertexRows[F]) row(v int, dst []F) ([]F, F) {
	if r.kept != nil {
		return r.kept[v*len(dst) : (v+1)*len(dst)], r.norms[v]
	}
	return dst, r.compute(v, dst)
}

// compute writes the coordinates of vertex v to dst and returns their squared norm.
func (r *vertexRows[F]) compute(v int, dst []F) F {
	i := v
	if r.vertices != nil {
		i = r.vertices[v]
	}
	factor := F(1)
	if r.factor != nil {
		factor = r.factor[i]
	}
	at := i * r.points.Dim
	switch {
	case r.points.U8 != nil:
		return scaledRow(dst, r.points.U8[at:at+len(dst)], r.shift, factor, r.scale)
	case r.points.F32 != nil:
		return scaledRow(dst, r.points.F32[at:at+len(dst)], r.shift, factor, r.scale)
	}
	return scaledRow(dst, r.points.F64[at:at+len(dst)], r.shift, factor, r.scale)
}

// scaledRow returns the squared norm in four lanes. The conversions keep the
// compiler from fusing a product with a sum.
func scaledRow[F kernel.Float, T number](dst []F, x []T, shift []F, factor, scale F) F {
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
