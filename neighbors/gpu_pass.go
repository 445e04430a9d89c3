//go:build cuda

package neighbors

// This file holds Compare and the searches on GPUs.

import (
	"context"
	"errors"
	"math"
	"sync"

	"repscope/internal/cuda"
	"repscope/points"
)

// onGPU reports whether the pass can be computed on GPUs: curves over all k need
// whole rows, and given distances are no points.
func (p *Pass) onGPU() bool {
	o := &p.options
	if len(o.Device.Contexts()) == 0 || p.curves || p.n > gpuMaxPoints || len(p.blockIDs) > gpuMaxGroups || o.Metric == Precomputed {
		return false
	}
	for e := range p.embedded {
		if o.embeddedMetric(e) == Precomputed {
			return false
		}
	}
	return true
}

// compareOnGPUs shares the points among the devices.
func (p *Pass) compareOnGPUs(ctx context.Context) ([]*Partial, error) {
	devices := p.options.Device.Contexts()
	devices = devices[:min(len(devices), p.n)]
	parts, failed := make([]*Partial, len(devices)), make([]error, len(devices))
	var mutex sync.Mutex
	done, total := 0, p.n*len(p.embedded)*(1+len(p.permutations))
	advance := func(rows int) {
		mutex.Lock()
		defer mutex.Unlock()
		done += rows
		if p.options.Progress != nil {
			p.options.Progress(done, total)
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wait sync.WaitGroup
	// The processor looks for duplicates while the devices work.
	var counts []SpaceCounts
	var counted error
	wait.Go(func() {
		if counts, counted = p.gpuCounts(ctx); counted != nil {
			cancel()
		}
	})
	for d, c := range devices {
		wait.Go(func() {
			parts[d], failed[d] = p.mapGPU(ctx, c, p.n*d/len(devices), p.n*(d+1)/len(devices), advance)
			if failed[d] != nil {
				cancel()
			}
		})
	}
	wait.Wait()
	failed = append(failed, counted)
	for _, err := range failed {
		if err != nil && !errors.Is(err, context.Canceled) {
			return nil, err
		}
	}
	if err := errors.Join(failed...); err != nil {
		return nil, err
	}
	for _, part := range parts {
		part.Original, part.Embedded = counts[0], counts[1:]
	}
	return parts, nil
}

// gpuCounts are the counts of the original and the embedded spaces that need no row.
func (p *Pass) gpuCounts(ctx context.Context) ([]SpaceCounts, error) {
	var counts []SpaceCounts
	for _, pts := range append([]points.Points{p.original}, p.embedded...) {
		_, duplicates, err := findDuplicates(ctx, pts, p.options.threads())
		if err != nil {
			return nil, err
		}
		counts = append(counts, SpaceCounts{Duplicates: duplicates, Method: gpuMethod(pts)})
	}
	return counts, nil
}

// gpuPass is the work of one device.
type gpuPass struct {
	*Pass
	*gpu
	threads  int
	original *gpuRows
	embedded []*gpuRows
	permuted []*gpuRows     // the same in other orders, filled anew for each
	orders   []cuda.Pointer // of each permutation, the embedding that each point has
	workers  []*rowWorker
	first    int // of the lists that are ranked
	part     *Partial
}

func (p *Pass) mapGPU(ctx context.Context, c *cuda.Context, lo, hi int, advance func(int)) (part *Partial, err error) {
	g, err := openGPU(c)
	if err != nil {
		return nil, err
	}
	defer g.end(&err)
	u := &gpuPass{Pass: p, gpu: g, threads: p.options.threads()}
	u.part = &Partial{Lo: lo, Hi: hi}
	for range p.embedded {
		u.part.Spaces = append(u.part.Spaces, p.newPartialSpace(hi-lo))
	}
	if err := u.open(ctx); err != nil {
		return nil, err
	}
	rows, err := u.blockRows(hi - lo)
	if err != nil {
		return nil, err
	}
	for start := lo; start < hi; start += rows {
		if err := u.block(ctx, start, min(hi, start+rows), advance); err != nil {
			return nil, err
		}
	}
	for _, w := range u.workers {
		for e := range u.embedded {
			u.part.Spaces[e].add(&w.sums[e])
		}
	}
	return u.part, nil
}

// gpuMethod names how distances are computed.
func gpuMethod(p points.Points) string {
	if p.U8 != nil {
		return "uint8 exact cuda"
	}
	return "float64 direct cuda"
}

// open uploads all points and makes the workers.
func (u *gpuPass) open(ctx context.Context) error {
	o := &u.options
	err := u.do(ctx, func() error {
		shared := gpuRows{gpu: u.gpu, self: true, window: o.ExcludeWindow, groups: max(1, len(u.blockIDs))}
		var err error
		if shared.episode, err = u.episodes(o.Episode); err != nil {
			return err
		}
		if u.group != nil {
			if shared.group, err = put(u.gpu, u.group); err != nil {
				return err
			}
		}
		space := func(pts points.Points, metric Metric, keys *room) (*gpuRows, error) {
			s := shared
			s.metric, s.keys = metric, keys
			s.points, err = u.upload(pts, metric)
			s.queries = s.points
			return &s, err
		}
		if u.original, err = space(u.Pass.original, o.Metric, &room{}); err != nil {
			return err
		}
		keys := &room{} // one embedded space is looked at at a time
		for e, pts := range u.Pass.embedded {
			s, err := space(pts, o.embeddedMetric(e), keys)
			if err != nil {
				return err
			}
			u.embedded = append(u.embedded, s)
			if len(u.permutations) == 0 {
				continue
			}
			other := *s
			other.group, other.groups = 0, 1
			if other.points, err = u.gpu.permuted(&s.points); err != nil {
				return err
			}
			other.queries = other.points
			u.permuted = append(u.permuted, &other)
		}
		for _, order := range u.permutations {
			p, err := put(u.gpu, order.to)
			if err != nil {
				return err
			}
			u.orders = append(u.orders, p)
		}
		return nil
	})
	for range u.threads {
		w := &rowWorker{pass: u.Pass, tally: make([]int32, len(u.blockIDs)), position: make([]int32, len(u.blockIDs))}
		w.original = gpuWorker{rows: u.original, first: &u.first}
		for _, s := range u.embedded {
			w.embedded = append(w.embedded, gpuWorker{rows: s, first: &u.first})
			w.sums = append(w.sums, u.newPartialSpace(0))
		}
		u.workers = append(u.workers, w)
	}
	return err
}

// blockRows is how many rows fit into the device's free memory.
func (u *gpuPass) blockRows(pts int) (rows int, err error) {
	// Two lists per row, twice as long as at first, with what is counted for each entry.
	each := u.original.keySize()*u.n + 4*u.firstCount()*(16+4+4*u.original.groups)
	widest := 0
	for _, s := range u.embedded {
		widest = max(widest, s.keySize())
	}
	each += widest * u.n
	// What comes back to the host has its share of the budget.
	most := max(1, u.options.budget()/4/int64(8*u.firstCount()*(3+u.original.groups)))
	if u.options.maxRows > 0 {
		most = min(most, int64(u.options.maxRows))
	}
	err = u.context.Do(func() (err error) {
		rows, err = u.rowsWithin(each, pts, int(min(most, math.MaxInt32)))
		return err
	})
	return rows, err
}

// block adds the points lo … hi−1.
func (u *gpuPass) block(ctx context.Context, lo, hi int, advance func(int)) error {
	u.first = lo
	find := func(s *gpuRows, count int, enough func(w, r int, list []int32) bool) error {
		if err := u.do(ctx, func() error { return s.load(lo, hi) }); err != nil {
			return err
		}
		return s.findLists(ctx, u.threads, count, enough)
	}
	// Lists are cut to what is needed when blocks are deleted.
	cut := func(s *gpuRows) func(w, r int, list []int32) bool {
		return func(w, r int, list []int32) bool {
			length, ok := u.workers[w].enough(lo+r, list)
			s.lists[r] = list[:length]
			return ok
		}
	}
	if err := find(u.original, u.firstCount(), cut(u.original)); err != nil {
		return err
	}
	neighbours := u.original.lists[:hi-lo]
	for e, s := range u.embedded {
		if err := find(s, u.firstCount(), cut(s)); err != nil {
			return err
		}
		lists := s.lists[:hi-lo]
		err := u.do(ctx, func() error { return errors.Join(u.original.rank(lo, lists), s.rank(lo, neighbours)) })
		if err != nil {
			return err
		}
		err = parallel(ctx, u.threads, hi-lo, func(w, r int) {
			u.workers[w].row(e, lo+r, lists[r], neighbours[r], &u.part.Spaces[e], lo+r-u.part.Lo)
		})
		if err != nil {
			return err
		}
		advance(hi - lo)
		for q := range u.permutations {
			if err := u.null(ctx, e, q, lo, hi, neighbours, find); err != nil {
				return err
			}
			advance(hi - lo)
		}
	}
	return nil
}

// null adds permutation q of embedded space e, whose points are put into that order.
func (u *gpuPass) null(ctx context.Context, e, q, lo, hi int, neighbours [][]int32, find func(*gpuRows, int, func(w, r int, list []int32) bool) error) error {
	s := u.permuted[e]
	err := u.do(ctx, func() error { return u.reorder(&s.points, &u.embedded[e].points, u.orders[q]) })
	if err != nil {
		return err
	}
	err = find(s, u.kmax, func(_, _ int, list []int32) bool { return len(list) >= u.kmax })
	if err != nil {
		return err
	}
	lists := make([][]int32, hi-lo)
	nearest := make([][]int32, hi-lo)
	for r := range lists {
		lists[r], nearest[r] = s.lists[r][:u.kmax], neighbours[r][:u.kmax]
	}
	err = u.do(ctx, func() error { return errors.Join(u.original.rank(lo, lists), s.rank(lo, nearest)) })
	if err != nil {
		return err
	}
	inPermuted := gpuWorker{rows: s, first: &u.first}
	return parallel(ctx, u.threads, hi-lo, func(w, r int) {
		worker := u.workers[w]
		worker.resize(u.kmax, u.original.groups)
		worker.original.ranks(lo+r, lists[r], 0, worker.rank, worker.closer)
		u.penalties(worker.rank, worker.sums[e].Null[q].Trust)
		inPermuted.ranks(lo+r, nearest[r], 0, worker.rank, nil)
		u.penalties(worker.rank, worker.sums[e].Null[q].Cont)
	})
}

// searchOnGPU fills the lists on the first device; ok is false where that is not possible.
func searchOnGPU(ctx context.Context, queries, pts points.Points, k int, self bool, o *Options, result *Nearest) (ok bool, err error) {
	devices := o.Device.Contexts()
	if len(devices) == 0 || o.Metric == Precomputed || pts.N > gpuMaxPoints {
		return false, nil
	}
	_, duplicates, err := findDuplicates(ctx, pts, o.threads())
	if err != nil {
		return true, err
	}
	g, err := openGPU(devices[0])
	if err != nil {
		return true, err
	}
	defer g.end(&err)
	s := &gpuRows{gpu: g, metric: o.Metric, self: self, window: o.ExcludeWindow, groups: 1, keys: &room{}}
	rows := 0
	err = s.do(ctx, func() (err error) {
		if s.points, err = g.upload(pts, o.Metric); err != nil {
			return err
		}
		if s.queries = s.points; !samePoints(queries, pts) {
			if s.queries, err = g.upload(queries, o.Metric); err != nil {
				return err
			}
		}
		if s.episode, err = g.episodes(o.Episode); err != nil {
			return err
		}
		rows, err = g.rowsWithin(s.keySize()*pts.N+4*12*k, queries.N, o.maxRows)
		return err
	})
	if err != nil {
		return true, err
	}
	direct := newDirect(queries, pts, o.Metric)
	for lo := 0; lo < queries.N; lo += rows {
		hi := min(queries.N, lo+rows)
		if err := s.do(ctx, func() error { return s.load(lo, hi) }); err != nil {
			return true, err
		}
		if err := s.findLists(ctx, o.threads(), k, func(_, _ int, list []int32) bool { return len(list) >= k }); err != nil {
			return true, err
		}
		err := parallel(ctx, o.threads(), hi-lo, func(_, r int) {
			at := (lo + r) * k
			index, distance := result.Index[at:at+k], result.Distance[at:at+k]
			copy(index, s.lists[r])
			direct.keys(lo+r, queries.Row(lo+r, nil), index, distance)
			for q, key := range distance {
				distance[q] = o.Metric.distanceOf(key)
			}
		})
		if err != nil {
			return true, err
		}
		if o.Progress != nil {
			o.Progress(hi, queries.N)
		}
	}
	result.Counts = SpaceCounts{Duplicates: duplicates, Method: gpuMethod(pts)}
	return true, nil
}
