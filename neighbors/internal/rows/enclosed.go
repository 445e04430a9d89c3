// Pairs across two sets in which one point lies among the nearest neighbors of the other within its own set: exactly,
// row by row, with at most one block of rows in memory.

package rows

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/internal/parallel"
	"repscope/neighbors/internal/scan"
	"repscope/points"
)

// Enclosed is a pair of a query and a point.
type Enclosed struct {
	Point int32
	// OfQuery is the number of listed neighbors of the query in its own set that are as near to it as the point, or
	// nearer; OfPoint is the same for the point. A point at distance 0 has 0 for both.
	OfQuery, OfPoint int32
}

// Enclose calls visit once for every query, with the pairs in which not all listed neighbors are as near or
// nearer, in ascending order of the points. Calls of different workers, below o.ThreadCount(), run at the same time.
func Enclose(
	ctx context.Context, queries, pts points.Points, ofQueries, ofPoints *Nearest, o *Options,
	visit func(worker, query int, pairs []Enclosed),
) (SpaceCounts, error) {
	s, err := Open(ctx, queries, pts, false, false, o, nil)
	if err != nil {
		return SpaceCounts{}, err
	}
	switch s := s.(type) {
	case *exact[int32]:
		return enclose(ctx, s, queries, pts, ofQueries, ofPoints, o, visit)
	case *exact[int64]:
		return enclose(ctx, s, queries, pts, ofQueries, ofPoints, o, visit)
	case *exact[float64]:
		return enclose(ctx, s, queries, pts, ofQueries, ofPoints, o, visit)
	case *bounded[float32]:
		return enclose(ctx, s, queries, pts, ofQueries, ofPoints, o, visit)
	case *bounded[float64]:
		return enclose(ctx, s, queries, pts, ofQueries, ofPoints, o, visit)
	}
	return SpaceCounts{}, fmt.Errorf("pairs across two sets are not available for %s", s.Counts().Method)
}

// enclosing is a space whose rows can be compared with radii.
type enclosing[K scan.Key] interface {
	Space
	row(i int) []K
	// scaled turns keys of the definition into units of rows.
	scaled(keys []float64)
	// rowLimit is at least every value of row i whose distance is at most r, and columnLimit
	// every value of column j.
	rowLimit(i int, r float64) K
	columnLimit(j int, r float64) K
	// between bounds the distance of a pair by the value in its row.
	between(v K, i int, j int32) (low, high float64)
}

// radii are the distances of listed neighbors of each point, ascending, in units of rows.
type radii struct {
	count int
	keys  []float64
}

func (r *radii) of(i int) []float64 { return r.keys[i*r.count : (i+1)*r.count] }

func (r *radii) largest(i int) float64 { return r.keys[(i+1)*r.count-1] }

// newRadii computes the keys of the listed neighbors.
func newRadii(ctx context.Context, pts points.Points, list *Nearest, metric Metric, threads int) (*radii, error) {
	r := &radii{count: list.K, keys: make([]float64, len(list.Index))}
	d := NewDirect(pts, pts, metric)
	rows := make([][]float64, parallel.Workers(threads, pts.N))
	err := parallel.For(ctx, threads, pts.N, func(w, i int) {
		rows[w] = pts.Row(i, rows[w])
		d.Keys(i, rows[w], list.Index[i*r.count:(i+1)*r.count], r.of(i))
	})
	return r, err
}

// encloser is one goroutine's view.
type encloser struct {
	x         []float64
	found     []Enclosed
	open      []int32 // indices in found that the bound leaves open
	index     []int32
	keys      []float64
	redecided int64
}

func enclose[K scan.Key](
	ctx context.Context, s enclosing[K], queries, pts points.Points, ofQueries, ofPoints *Nearest, o *Options,
	visit func(worker, query int, pairs []Enclosed),
) (SpaceCounts, error) {
	threads := o.ThreadCount()
	queryRadii, err := newRadii(ctx, queries, ofQueries, o.Metric, threads)
	if err != nil {
		return SpaceCounts{}, err
	}
	other, err := newRadii(ctx, pts, ofPoints, o.Metric, threads)
	if err != nil {
		return SpaceCounts{}, err
	}
	// Keys of the definition, and the same in units of rows.
	exactOwn := radii{queryRadii.count, slices.Clone(queryRadii.keys)}
	exactOther := radii{other.count, slices.Clone(other.keys)}
	s.scaled(queryRadii.keys)
	s.scaled(other.keys)
	limits := make([]K, pts.N)
	for j := range limits {
		limits[j] = s.columnLimit(j, other.largest(j))
	}
	direct := NewDirect(queries, pts, o.Metric)
	l, err := NewLayout(o, pts.N, 0, queries.N, s, nil)
	if err != nil {
		return SpaceCounts{}, err
	}
	workers := make([]encloser, threads)
	for lo := 0; lo < queries.N; lo += l.Rows {
		hi := min(queries.N, lo+l.Rows)
		if err := s.Load(ctx, lo, hi); err != nil {
			return SpaceCounts{}, err
		}
		err := parallel.For(ctx, threads, hi-lo, func(w, r int) {
			i, e := lo+r, &workers[w]
			e.candidates(reached(s.row(i), limits, s.rowLimit(i, queryRadii.largest(i)), e.index[:0]))
			decide(s, e, i, queryRadii.of(i), other)
			e.settle(direct, queries, i, exactOwn.of(i), &exactOther)
			visit(w, i, e.found)
		})
		if err != nil {
			return SpaceCounts{}, err
		}
		if o.Progress != nil {
			o.Progress(hi, queries.N)
		}
	}
	counts := s.Counts()
	for w := range workers {
		counts.Redecided += workers[w].redecided
	}
	return counts, nil
}

// reached appends the indices at which a row is at most the row's limit or the column's.
func reached[K scan.Key](row, limits []K, limit K, index []int32) []int32 {
	limits = limits[:len(row)]
	for j, v := range row {
		if v <= limit || v <= limits[j] {
			index = append(index, int32(j))
		}
	}
	return index
}

func (e *encloser) candidates(index []int32) {
	e.index, e.found, e.open = index, e.found[:0], e.open[:0]
}

// decide keeps the candidates that some list reaches, and records the open ones.
func decide[K scan.Key](s enclosing[K], e *encloser, i int, queryRadii []float64, other *radii) {
	row := s.row(i)
	for _, j := range e.index {
		low, high := s.between(row[j], i, j)
		pointRadii := other.of(int(j))
		a, openA := place(queryRadii, low, high)
		b, openB := place(pointRadii, low, high)
		switch {
		case openA || openB:
			e.open = append(e.open, int32(len(e.found)))
		case int(a) == len(queryRadii) && int(b) == len(pointRadii):
			continue
		}
		e.found = append(e.found, Enclosed{Point: j, OfQuery: a, OfPoint: b})
	}
}

// place is the number of radii that are at most a distance between low and high, and whether that is open.
func place(radii []float64, low, high float64) (int32, bool) {
	n := 0
	for n < len(radii) && radii[n] <= low {
		n++
	}
	if n < len(radii) && radii[n] <= high {
		return 0, true
	}
	// Only the definition decides whether a distance is 0.
	return int32(n), low <= 0 && n > 0
}

// exactPlace is place for a key of the definition.
func exactPlace(radii []float64, key float64) int32 {
	n := 0
	for key > 0 && n < len(radii) && radii[n] <= key {
		n++
	}
	return int32(n)
}

// settle decides the open comparisons.
func (e *encloser) settle(d *Direct, queries points.Points, i int, queryRadii []float64, other *radii) {
	if len(e.open) == 0 {
		return
	}
	e.x = queries.Row(i, e.x)
	e.index = e.index[:0]
	for _, at := range e.open {
		e.index = append(e.index, e.found[at].Point)
	}
	e.keys = scan.Grown(e.keys, len(e.index))
	d.Keys(i, e.x, e.index, e.keys)
	e.redecided += int64(len(e.index))
	for q, at := range e.open {
		f := &e.found[at]
		f.OfQuery, f.OfPoint = exactPlace(queryRadii, e.keys[q]), exactPlace(other.of(int(f.Point)), e.keys[q])
	}
	e.found = slices.DeleteFunc(e.found, func(f Enclosed) bool {
		return int(f.OfQuery) == len(queryRadii) && int(f.OfPoint) == other.count
	})
}

// Rows of keys equal the definition.

func (s *exact[K]) scaled([]float64)                           {}
func (s *exact[K]) rowLimit(_ int, r float64) K                { return K(r) }
func (s *exact[K]) columnLimit(_ int, r float64) K             { return K(r) }
func (s *exact[K]) between(v K, _ int, _ int32) (_, _ float64) { return float64(v), float64(v) }

// scaled implements enclosing.
func (s *bounded[F]) scaled(keys []float64) {
	for q, k := range keys {
		keys[q] = math.Ldexp(k, s.keyExponent)
	}
}

// rowLimit implements enclosing.
func (s *bounded[F]) rowLimit(i int, r float64) F { return s.atMost(r, s.band(i)/2) }

// columnLimit implements enclosing.
func (s *bounded[F]) columnLimit(j int, r float64) F {
	return s.atMost(r, s.errors.of(s.farthest.radius, s.farthest.rounding, s.points.radius[j], s.points.rounding[j]))
}

// atMost is at least every value whose distance is at most r, by a bound or relative to itself.
func (s *bounded[F]) atMost(r, bound float64) F {
	v := r + bound
	return min(scan.RoundUp[F](scan.NextUp(v+s.relative*v)), scan.Excluded[F]())
}

// between implements enclosing.
func (s *bounded[F]) between(v F, i int, j int32) (low, high float64) {
	if v >= scan.NextDown(scan.Excluded[F]()) {
		return 0, math.Inf(1)
	}
	a := float64(v)
	e := s.pairBound(i, j) + s.relative*math.Abs(a)
	return scan.NextDown(a - e), scan.NextUp(a + e)
}
