// Candidates put in order by direct distances.

package cells

import (
	"context"
	"slices"

	"repscope/neighbors/internal/rows"
	"repscope/neighbors/internal/scan"
	"repscope/points"
)

// refinement puts candidates in order by direct distances.
type refinement struct {
	points   points.Points
	vertices []int // nil: all points
	first    []int32
	// equals[starts[f]:starts[f+1]] are the points equal to f, ascending, where f
	// is the first of them; nil without duplicates.
	starts, equals []int32
	direct         *rows.Direct
	candidates     rows.Candidates
	found          *rows.Nearest
	short          []int // points with fewer than k candidates
	options        *rows.Options
}

// refineMemory is one goroutine's memory.
type refineMemory struct {
	x, keys     []float64
	list, kinds []int32
	order       []scan.Entry[float64]
	short       []int
}

func newRefinement(pts points.Points, vertices []int, first []int32, duplicates bool, result *rows.Nearest,
	o *rows.Options) *refinement {
	r := &refinement{
		points: pts, vertices: vertices, first: first,
		direct:     rows.NewDirect(pts, pts, o.Metric),
		candidates: o.Among(pts.N),
		found:      result, options: o,
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

// vertex finishes the lists of all points that vertex v represents; candidates are points near it.
func (r *refinement) vertex(m *refineMemory, v int, candidates []int32) {
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
func (r *refinement) point(m *refineMemory, i int, candidates []int32) {
	k, list := r.found.K, candidates
	if r.equals != nil {
		// One point represents its duplicates; k of each are enough.
		m.kinds = append(m.kinds[:0], r.first[i])
		for _, j := range candidates {
			m.kinds = append(m.kinds, r.first[j])
		}
		slices.Sort(m.kinds)
		m.kinds = slices.Compact(m.kinds)
		m.list = m.list[:0]
		for _, f := range m.kinds {
			count := 0
			for _, j := range r.equals[r.starts[f]:r.starts[f+1]] {
				if count == k {
					break
				}
				if !r.candidates.Excludes(i, int(j)) {
					m.list = append(m.list, j)
					count++
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
	m.keys = scan.Grown(m.keys, len(list))
	r.direct.Keys(i, m.x, list, m.keys)
	m.order = m.order[:0]
	for q, j := range list {
		m.order = append(m.order, scan.Entry[float64]{Key: m.keys[q], Index: j})
	}
	if len(m.order) > 2*k {
		scan.Partition(m.order, k)
		m.order = m.order[:k]
	}
	scan.SortEntries(m.order)
	for q, e := range m.order[:k] {
		r.found.Index[i*k+q], r.found.Distance[i*k+q] = e.Index, r.options.Metric.Distance(e.Key)
	}
}

// collect gathers the notes of the goroutines.
func (r *refinement) collect(memory []refineMemory) {
	for _, m := range memory {
		r.short = append(r.short, m.short...)
	}
	slices.Sort(r.short)
}

// complete searches exactly for the points that had too few candidates: points far from all others.
func (r *refinement) complete(ctx context.Context) error {
	if len(r.short) == 0 {
		return nil
	}
	k := r.found.K
	rest, err := rows.SearchReferences(ctx, r.points, r.short, k, r.options)
	if err != nil {
		return err
	}
	for q, i := range r.short {
		copy(r.found.Index[i*k:(i+1)*k], rest.Index[q*k:(q+1)*k])
		copy(r.found.Distance[i*k:(i+1)*k], rest.Distance[q*k:(q+1)*k])
	}
	return nil
}
