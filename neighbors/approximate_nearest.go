package neighbors

// This file holds approximate nearest-neighbour search over all points: from
// duplicates to distinct points, through the cells, back to exact distances.

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"repscope/internal/kernel"
	"repscope/points"
	"repscope/stat"
)

// KNearestApproximate is [KNearest] for sets too large for O(n²): it finds most of
// the k nearest neighbours of every point and measures how many (Recall). Where an
// exact search takes seconds, which depends on the number, type and dimension of the
// points and on k alone, or would hardly take longer, it is made instead.
//
// The method is an inverted file with exact distances (Jégou, Douze and Schmid 2011,
// "Product quantization for nearest neighbor search", section IV, without the
// quantisation): about 2√n centres by k-means on a sample, each point in the cell of its nearest
// centre, and for each point a search through the members of the cells nearest to it. How many
// cells is found from the true neighbours of 256 points, so that 98 % of these lie in
// them. Distances are float32 (float64 for float64 points) products; the lists are a
// little longer than k and put in order by direct float64 distances, ties by index. Equal
// points are searched once and all get each other as neighbours.
//
// The working memory is 1.2 times that of the points in float32 (float64) and about 300 MB, less
// where Memory is less: cells are packed again and again then. The result takes 12·n·k bytes.
//
// The result depends on points, k, Metric, ExcludeWindow, Episode and Seed, not on
// Threads or Memory. Of o it uses these and Progress. Errors are those of
// KNearest, and a memory budget too small for the cells.
func KNearestApproximate(ctx context.Context, pts points.Points, k int, o Options, a Approximation) (*ApproximateNearest, error) {
	if o.Metric == Precomputed {
		return nil, errNoCoordinates
	}
	if err := checkPoints("points", pts, o.Metric); err != nil {
		return nil, err
	}
	o.Blocks = nil
	if err := o.checkCounts(pts.N); err != nil {
		return nil, err
	}
	if err := checkCandidates(pts.N, k, &o); err != nil {
		return nil, err
	}
	if a.Queries < -1 {
		return nil, fmt.Errorf("queries: %d, want −1 (none), 0 (%d) or more", a.Queries, DefaultQueries)
	}
	width := searchWidth(k)
	few := a.ExactPoints
	if few <= 0 {
		few = exactPoints(pts, width)
	}
	var result *ApproximateNearest
	if pts.N > max(few, 2*width) {
		var err error
		if result, err = searchDistinct(ctx, pts, k, width, few, &o, &a); err != nil {
			return nil, err
		}
	}
	if result == nil {
		nearest, err := KNearest(ctx, pts, k, o)
		if err != nil {
			return nil, err
		}
		return &ApproximateNearest{Nearest: *nearest, Recall: Recall{Value: 1, Queries: pts.N, K: k, Exact: true}}, nil
	}
	var err error
	if result.Recall, err = measureRecall(ctx, pts, &result.Nearest, &o, &a); err != nil {
		return nil, err
	}
	for i := range pts.N {
		row := result.Distance[i*k : (i+1)*k]
		for q := 1; q < k; q++ {
			if row[q] == row[q-1] {
				result.Counts.Ties++
			}
		}
	}
	if o.Progress != nil {
		o.Progress(pts.N, pts.N)
	}
	return result, nil
}

// exactSeconds of one core are not worth an approximation.
const exactSeconds = 4

// exactPoints is the number of points like these among which lists of the given width are found
// exactly in exactSeconds: an exact search takes time for every pair of points, to scan, the
// more the longer the lists, and to multiply. The constants are nanoseconds of one core,
// measured; they decide nothing but the time taken.
func exactPoints(pts points.Points, width int) int {
	const scan, scanWidth = 0.2, 0.02
	multiply := 0.01
	switch {
	case pts.U8 != nil:
		multiply /= 4
	case pts.F64 != nil:
		multiply *= 2
	}
	pair := scan + scanWidth*float64(width) + multiply*float64(pts.Dim)
	return int(math.Sqrt(exactSeconds * 1e9 / pair))
}

// searchWidth is the length of the lists of a search for k neighbours: a few entries more
// than k make up for the rounding of the distances they are chosen by.
func searchWidth(k int) int { return k + k/8 + 4 }

// searchDistinct finds the lists by searching among the distinct points. It returns nil
// where an exact search would be faster.
func searchDistinct(ctx context.Context, pts points.Points, k, width, few int, o *Options, a *Approximation) (*ApproximateNearest, error) {
	first, duplicates, err := findDuplicates(ctx, pts, o.threads())
	if err != nil {
		return nil, err
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
	result := &ApproximateNearest{Nearest: Nearest{N: pts.N, K: k, Index: make([]int32, pts.N*k), Distance: make([]float64, pts.N*k)}}
	result.Counts.Duplicates = duplicates
	r := newRefinement(pts, vertices, first, duplicates > 0, &result.Nearest, o)
	switch {
	case vertices != nil && len(vertices) <= max(few, 2*width):
		err = searchFew(ctx, pts, vertices, width, r, o)
	case pts.F64 != nil:
		err = searchCells[float64](ctx, pts, vertices, width, r, result, o, a)
	default:
		err = searchCells[float32](ctx, pts, vertices, width, r, result, o, a)
	}
	if err == errTooManyCells {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return result, r.complete(ctx)
}

// searchFew searches exactly among few distinct points.
func searchFew(ctx context.Context, pts points.Points, vertices []int, width int, r *refinement, o *Options) error {
	r.found.Counts.Method = "float64 direct"
	nearest := &Nearest{N: 1}
	if len(vertices) > 1 {
		quiet := *o
		quiet.Progress, quiet.Episode = nil, nil
		var err error
		if nearest, err = KNearest(ctx, pts.Select(vertices), min(width, len(vertices)-1), quiet); err != nil {
			return err
		}
		r.found.Counts.Method = nearest.Counts.Method
	}
	memory := make([]refiner, o.threads())
	err := parallel(ctx, o.threads(), len(vertices), func(w, v int) {
		r.vertex(&memory[w], v, nearest.Index[v*nearest.K:(v+1)*nearest.K])
	})
	r.collect(memory)
	return err
}

// largestShare is the share of the cells from which on looking into them takes about as long
// as an exact search, which computes every pair once.
const largestShare = 0.4

var errTooManyCells = errors.New("an exact search is faster")

// searchCells searches in the cells nearest to each vertex, in as many as the true
// neighbours of a few points ask for.
func searchCells[F kernel.Float](ctx context.Context, pts points.Points, vertices []int, width int, r *refinement, result *ApproximateNearest, o *Options, a *Approximation) error {
	result.Counts.Method = "float64 direct, found in cells " + kernel.Name()
	c, err := openCells[F](ctx, pts, vertices, o, a)
	if err != nil {
		return err
	}
	// The pilot's queries are vertices; so are its neighbours, first of their kind.
	queries, err := stat.NewRandom(stat.StreamPilot.Key(a.Seed)).SampleWithoutReplacement(c.n, pilotQueries)
	if err != nil {
		return err
	}
	index := queries
	if vertices != nil {
		index = nil
		for _, v := range queries {
			index = append(index, vertices[v])
		}
	}
	truth, err := exactNearest(ctx, pts, index, result.K, o)
	if err != nil {
		return err
	}
	result.Cells = c.count
	result.Probes, err = c.probes(ctx, queries, func(q int) []int {
		var out []int
		for _, j := range truth.Index[q*truth.K : (q+1)*truth.K] {
			v := int(j)
			if vertices != nil {
				v, _ = slices.BinarySearch(vertices, int(r.first[j]))
			}
			out = append(out, v)
		}
		return out
	})
	if err != nil {
		return err
	}
	if a.ExactPoints <= 0 && float64(result.Probes) > largestShare*float64(c.count) {
		return errTooManyCells
	}
	memory := make([]refiner, o.threads())
	err = c.search(ctx, result.Probes, width, o.Progress, func(w, v int, list []int32) {
		if vertices != nil {
			for q, u := range list {
				list[q] = int32(vertices[u])
			}
		}
		r.vertex(&memory[w], v, list)
	})
	r.collect(memory)
	return err
}

// refinement puts candidates in order by direct distances.
type refinement struct {
	points   points.Points
	vertices []int // nil: all points
	first    []int32
	// equals[starts[f]:starts[f+1]] are the points equal to f, ascending, where f
	// is the first of them; nil without duplicates.
	starts, equals []int32
	direct         *direct
	base           base
	found          *Nearest
	short          []int // points with fewer than k candidates
	options        *Options
}

// refiner is one goroutine's memory.
type refiner struct {
	x, keys     []float64
	list, kinds []int32
	order       []entry[float64]
	short       []int
}

func newRefinement(pts points.Points, vertices []int, first []int32, duplicates bool, found *Nearest, o *Options) *refinement {
	r := &refinement{
		points: pts, vertices: vertices, first: first,
		direct: newDirect(pts, pts, o.Metric),
		base:   base{n: pts.N, self: true, window: o.ExcludeWindow, episode: o.Episode},
		found:  found, options: o,
	}
	if !duplicates {
		return r
	}
	r.starts, r.equals = make([]int32, pts.N+1), make([]int32, pts.N)
	for _, f := range first {
		r.starts[f+1]++
	}
	for i := range pts.N {
		r.starts[i+1] += r.starts[i]
	}
	next := slices.Clone(r.starts)
	for i, f := range first {
		r.equals[next[f]] = int32(i)
		next[f]++
	}
	return r
}

// vertex finishes the lists of all points that vertex v stands for; candidates are points
// near to it.
func (r *refinement) vertex(m *refiner, v int, candidates []int32) {
	if r.vertices == nil {
		r.point(m, v, candidates)
		return
	}
	f := r.vertices[v]
	for _, i := range r.equals[r.starts[f]:r.starts[f+1]] {
		r.point(m, int(i), candidates)
	}
}

// point finishes the list of point i from candidates and the points equal to them and to it.
func (r *refinement) point(m *refiner, i int, candidates []int32) {
	k, list := r.found.K, candidates
	if r.equals != nil {
		// One point of a kind stands for all; k of each are enough.
		m.kinds = append(m.kinds[:0], r.first[i])
		for _, j := range candidates {
			m.kinds = append(m.kinds, r.first[j])
		}
		slices.Sort(m.kinds)
		m.kinds = slices.Compact(m.kinds)
		m.list = m.list[:0]
		for _, f := range m.kinds {
			taken := 0
			for _, j := range r.equals[r.starts[f]:r.starts[f+1]] {
				if taken == k {
					break
				}
				if !r.base.excludes(i, int(j)) {
					m.list = append(m.list, j)
					taken++
				}
			}
		}
		list = m.list
	}
	if len(list) < k {
		m.short = append(m.short, i)
		return
	}
	m.x = r.points.Row(i, m.x)
	m.keys = grown(m.keys, len(list))
	r.direct.keys(i, m.x, list, m.keys)
	m.order = m.order[:0]
	for q, j := range list {
		m.order = append(m.order, entry[float64]{m.keys[q], j})
	}
	if len(m.order) > 2*k {
		partition(m.order, k)
		m.order = m.order[:k]
	}
	sortEntries(m.order)
	for q, e := range m.order[:k] {
		r.found.Index[i*k+q], r.found.Distance[i*k+q] = e.index, r.options.Metric.distanceOf(e.key)
	}
}

// collect takes over what the goroutines noted.
func (r *refinement) collect(memory []refiner) {
	for _, m := range memory {
		r.short = append(r.short, m.short...)
	}
	slices.Sort(r.short)
}

// complete searches exactly for the points that had too few candidates: those far from
// everything.
func (r *refinement) complete(ctx context.Context) error {
	if len(r.short) == 0 {
		return nil
	}
	k := r.found.K
	rest, err := exactNearest(ctx, r.points, r.short, k, r.options)
	if err != nil {
		return err
	}
	for q, i := range r.short {
		copy(r.found.Index[i*k:(i+1)*k], rest.Index[q*k:(q+1)*k])
		copy(r.found.Distance[i*k:(i+1)*k], rest.Distance[q*k:(q+1)*k])
	}
	return nil
}

// excludes reports whether point j is no candidate of point i.
func (b *base) excludes(i, j int) bool {
	return i == j || max(i-j, j-i) <= b.window && (b.episode == nil || b.episode[i] == b.episode[j])
}

// vertexRows gives the cells their coordinates: points shifted by a middle one,
// divided by their norms for the cosine, and scaled to usual distances near 1,
// so that products in F neither overflow nor cancel more than they must.
type vertexRows[F kernel.Float] struct {
	points   points.Points
	vertices []int // nil: all points
	shift    []F
	scale    F
	factor   []F // per point, for the cosine
}

func newVertexRows[F kernel.Float](pts points.Points, vertices []int, d *direct) *vertexRows[F] {
	r := &vertexRows[F]{points: pts, vertices: vertices, shift: make([]F, pts.Dim), scale: 1}
	if d.metric == Cosine {
		r.factor = make([]F, pts.N)
		for i, n := range d.pointNorm {
			r.factor[i] = F(1 / math.Sqrt(n))
		}
	}
	middle := medianPoint(pts, d)
	for c, v := range middle {
		r.shift[c] = F(v)
	}
	if d.metric == Cosine {
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
func (r *vertexRows[F]) compute(v, k int, dst []F) F {
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
