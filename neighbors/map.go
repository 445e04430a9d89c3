// Map: the part of a range of points, on the processor or on GPUs.

package neighbors

import (
	"context"
	"fmt"

	"repscope/internal/parallel"
	"repscope/neighbors/internal/gpu"
	"repscope/neighbors/internal/rows"
)

// Map computes the part of points lo … hi−1, on the GPUs of Options.Device if possible (see there), else on the CPU.
// Both give the same sums. They differ in the method named in the counts and in the number of comparisons decided
// again, which is 0 on GPUs. Goroutines may call it at the same time, but not with the same GPUs.
func (p *Pass) Map(ctx context.Context, lo, hi int) (*Partial, error) {
	if lo < 0 || hi > p.n || lo >= hi {
		return nil, fmt.Errorf("points %d to %d: want a range within 0 to %d", lo, hi, p.n)
	}
	if !p.onGPU() {
		return p.mapOnProcessor(ctx, lo, hi)
	}
	return p.mapOnGPUs(ctx, lo, hi)
}

// onGPU reports whether the pass is computed on GPUs. Curves over all k and random orders need whole rows, precomputed
// distances are no points, and the kernels' windows count positions.
func (p *Pass) onGPU() bool {
	among := p.among()
	if p.curves || p.options.Ties == TiesRandom || among.InTime() || !gpu.Possible(p.options.Device, p.n, len(p.blockIDs)) || p.original.metric == Precomputed {
		return false
	}
	for _, s := range p.embedded {
		if s.metric == Precomputed {
			return false
		}
	}
	return true
}

// newPart returns an empty part of the points lo … hi−1.
func (p *Pass) newPart(ctx context.Context, lo, hi int) (*Partial, error) {
	identity, err := p.Identity(ctx)
	if err != nil {
		return nil, err
	}
	part := &Partial{Pass: identity, Lo: lo, Hi: hi}
	for range p.embedded {
		part.Spaces = append(part.Spaces, p.newPartialSpace(hi-lo))
	}
	return part, nil
}

// precisePermuted is the number of permuted neighbors of a row from which on deciding
// comparisons one by one takes longer than computing all products in float64: they
// lie anywhere in the row, where many distances are close to theirs.
const precisePermuted = 300

// mapping is one Map on the processor.
type mapping struct {
	*Pass
	lo, hi   int
	threads  int
	part     *Partial
	original rows.Space
	spaces   []rows.Space
	layout   rows.Layout
	workers  []*rowCounter
	null     *null         // nil without permutations
	lists    []rows.Listed // the neighbors in the original of a block's points

	done, total int
}

func (p *Pass) mapOnProcessor(ctx context.Context, lo, hi int) (*Partial, error) {
	m := &mapping{Pass: p, lo: lo, hi: hi, total: (hi - lo) * len(p.embedded)}
	if err := m.open(ctx); err != nil {
		return nil, err
	}
	for start := lo; start < hi; start += m.layout.Rows {
		if err := m.block(ctx, start, min(hi, start+m.layout.Rows)); err != nil {
			return nil, err
		}
	}
	if m.null != nil {
		if err := m.finishNull(ctx); err != nil {
			return nil, err
		}
	}
	for _, w := range m.workers {
		for e := range m.spaces {
			w.sums[e].EmbeddedRedecided += w.embeddedRows[e].Redecided()
			m.part.Spaces[e].add(&w.sums[e])
		}
		m.part.Original.Redecided += w.listedRedecided()
	}
	return m.part, nil
}

// open opens the spaces and divides the memory among them.
func (m *mapping) open(ctx context.Context) error {
	equal, err := m.duplicates(ctx)
	if err != nil {
		return err
	}
	if m.part, err = m.newPart(ctx, m.lo, m.hi); err != nil {
		return err
	}
	precise := m.curves || len(m.permutations)*m.kmax >= precisePermuted
	o := m.rowOptions(ctx, m.Pass.original)
	o.ManyRanks = len(m.permutations) > 0
	m.threads = o.ThreadCount()
	if m.original, err = rows.Open(ctx, m.Pass.original.points, m.Pass.original.points, true, precise, o, equal[0]); err != nil {
		return err
	}
	m.part.Original = m.original.Counts()
	for e, embedded := range m.embedded {
		s, err := rows.Open(ctx, embedded.points, embedded.points, true, m.curves, m.rowOptions(ctx, embedded), equal[1+e])
		if err != nil {
			return err
		}
		m.spaces = append(m.spaces, s)
		m.part.Embedded = append(m.part.Embedded, s.Counts())
	}
	// A quarter of the budget goes to the lists of permuted spaces, one to their rows.
	main, budget := *o, o.Budget()
	if m.null, err = m.openNull(ctx, m.lo, m.hi, budget/4); err != nil {
		return err
	}
	if m.null != nil {
		main.Memory = max(1, budget/2)
	}
	if m.layout, err = rows.NewLayout(&main, m.n, m.lo, m.hi, m.original, m.spaces); err != nil {
		return err
	}
	for range m.threads {
		m.workers = append(m.workers, m.newMapCounter(m.original, m.spaces))
	}
	m.lists = make([]rows.Listed, m.layout.Rows)
	if m.null == nil {
		return nil
	}
	return m.beginNull(ctx)
}

// beginNull finds the neighbors in the embedded spaces.
func (m *mapping) beginNull(ctx context.Context) error {
	m.total += 2 * m.null.rowsOfSpace() * len(m.spaces)
	m.null.advance = m.advance
	if m.sharesRows(m.lo, m.hi) {
		m.null.counters, m.null.out = m.workers, m.part.Spaces
	}
	for range m.threads {
		m.null.original = append(m.null.original, m.original.Worker())
	}
	return m.null.begin(ctx)
}

// shared reports whether the null compares the points themselves, too.
func (m *mapping) shared() bool { return m.null != nil && m.null.counters != nil }

// advance reports finished rows.
func (m *mapping) advance(finished int) {
	m.done += finished
	if m.options.Progress != nil {
		m.options.Progress(m.done, m.total)
	}
}

// block adds the points start … end−1. Their neighbors in the original are found once for
// all embedded spaces.
func (m *mapping) block(ctx context.Context, start, end int) error {
	if err := m.original.Load(ctx, start, end); err != nil {
		return err
	}
	err := parallel.Try(ctx, m.threads, end-start, func(w, r int) error {
		worker := m.workers[w]
		m.lists[r] = worker.neighbors(worker.originalRows, start+r, m.lists[r])
		if m.shared() {
			m.null.trust(w, start+r)
		}
		if m.null != nil {
			return m.null.remember(start+r, m.lists[r], worker.originalRows)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if m.null != nil {
		if err := m.null.visit(ctx, start, end); err != nil {
			return err
		}
	}
	for e := range m.spaces {
		if m.shared() {
			m.advance(end - start)
			continue
		}
		for first := start; first < end; first += m.layout.Embedded[e] {
			last := min(end, first+m.layout.Embedded[e])
			if err := m.compare(ctx, e, start, first, last); err != nil {
				return err
			}
			m.advance(last - first)
		}
	}
	return nil
}

// compare adds the points first … last−1 of a block that begins at start in embedded space e.
func (m *mapping) compare(ctx context.Context, e, start, first, last int) error {
	if err := m.spaces[e].Load(ctx, first, last); err != nil {
		return err
	}
	return parallel.For(ctx, m.threads, last-first, func(w, r int) {
		i, worker := first+r, m.workers[w]
		worker.list = worker.neighbors(worker.embeddedRows[e], i, worker.list)
		worker.row(e, i, worker.list, m.lists[i-start], &m.part.Spaces[e], i-m.lo)
	})
}

// finishNull adds the null to the part.
func (m *mapping) finishNull(ctx context.Context) error {
	if err := m.null.finish(ctx); err != nil {
		return err
	}
	for _, sums := range m.null.sums {
		for e := range m.spaces {
			m.part.Spaces[e].add(&PartialSpace{Null: sums[e]})
		}
	}
	return nil
}
