//go:build cuda

// A pass on GPUs: neighbor lists of all points and their ranks in the other spaces, row block by row block. A Counter
// interprets them.

package gpu

import (
	"context"
	"errors"
	"math"
	"sync"

	"repscope/internal/cuda"
	"repscope/internal/device"
	"repscope/internal/parallel"
	"repscope/neighbors/internal/rows"
	"repscope/points"
)

// Possible reports whether a pass over n points in that number of groups can be computed on a device: there is a GPU,
// and its kernels count that far.
func Possible(d *device.Device, n, groups int) bool {
	return len(d.Contexts()) > 0 && n <= maxPoints && groups <= maxGroups
}

// work is the work of one pass.
type work struct {
	Task
	counter Counter
	advance func(rows int)
}

// Run computes rows lo … hi−1 of a task, shared among the GPUs of a device. Every GPU has its own counter. advance is
// called, from one goroutine at a time, with the number of rows finished in one space.
func Run(
	ctx context.Context, d *device.Device, task Task, lo, hi int, counters []Counter, advance func(rows int),
) error {
	devices := d.Contexts()[:len(counters)]
	failed := make([]error, len(devices))
	var mutex sync.Mutex
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wait sync.WaitGroup
	for index, c := range devices {
		work := &work{Task: task, counter: counters[index], advance: func(rows int) {
			mutex.Lock()
			defer mutex.Unlock()
			advance(rows)
		}}
		wait.Go(func() {
			n := hi - lo
			if failed[index] = work.run(ctx, c, lo+n*index/len(devices), lo+n*(index+1)/len(devices)); failed[index] != nil {
				cancel()
			}
		})
	}
	wait.Wait()
	for _, err := range failed {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	return errors.Join(failed...)
}

// Devices is the number of GPUs that compute the rows.
func Devices(d *device.Device, rows int) int { return min(len(d.Contexts()), rows) }

// pass is the work of one device.
type pass struct {
	*work
	*session
	original *deviceRows
	embedded []*deviceRows
	permuted []*deviceRows  // the same in other orders, refilled for each
	orders   []cuda.Pointer // of each permutation, the embedding that each point has
	first    int            // of the lists that are ranked
}

// run computes rows lo … hi−1 on a GPU.
func (w *work) run(ctx context.Context, c *cuda.Context, lo, hi int) (err error) {
	g, err := openSession(c)
	if err != nil {
		return err
	}
	defer g.end(&err)
	u := &pass{work: w, session: g}
	if err := u.do(ctx, u.open); err != nil {
		return err
	}
	rows, err := u.blockRows(hi - lo)
	if err != nil {
		return err
	}
	for start := lo; start < hi; start += rows {
		if err := u.block(ctx, start, min(hi, start+rows)); err != nil {
			return err
		}
	}
	return nil
}

// Method names how distances are computed.
func Method(p points.Points) string {
	if p.U8 != nil {
		return "uint8 exact cuda"
	}
	return "float64 direct cuda"
}

// open uploads all points.
func (u *pass) open() error {
	o := u.Options
	shared := deviceRows{session: u.session, self: true, window: o.ExcludeWindow, groups: max(1, o.Groups), averages: u.Averages}
	var err error
	if shared.episode, err = u.episodes(o.Episode); err != nil {
		return err
	}
	if o.Group != nil {
		if shared.group, err = put(u.session, o.Group); err != nil {
			return err
		}
	}
	if u.original, err = u.space(shared, u.Original, &growingMemory{}); err != nil {
		return err
	}
	keys := &growingMemory{} // one embedded space is looked at at a time
	for _, space := range u.Embedded {
		s, err := u.space(shared, space, keys)
		if err != nil {
			return err
		}
		u.embedded = append(u.embedded, s)
		if len(u.Permutations) == 0 {
			continue
		}
		other := *s
		other.group, other.groups = 0, 1
		if other.points, err = u.session.permuted(&s.points); err != nil {
			return err
		}
		other.queries = other.points
		u.permuted = append(u.permuted, &other)
	}
	for _, order := range u.Permutations {
		p, err := put(u.session, order)
		if err != nil {
			return err
		}
		u.orders = append(u.orders, p)
	}
	return nil
}

// space uploads the points of one space.
func (u *pass) space(shared deviceRows, source Space, keys *growingMemory) (*deviceRows, error) {
	s, err := shared, error(nil)
	s.metric, s.keys = source.Metric, keys
	s.points, err = u.upload(source.Points, source.Metric)
	s.queries = s.points
	return &s, err
}

// blockRows is how many rows fit into the device's free memory.
func (u *pass) blockRows(pts int) (rows int, err error) {
	// Two lists per row, twice the initial length, with the counts of each entry.
	each := u.original.keySize()*u.Original.Points.N + 4*u.First*(16+4+8*u.original.groups)
	widest := 0
	for _, s := range u.embedded {
		widest = max(widest, s.keySize())
	}
	each += widest * u.Original.Points.N
	// The copies to the host have their own share of the budget.
	limit := max(1, u.Options.Budget()/4/int64(8*u.First*(3+u.original.groups)))
	if u.Options.MaxRows > 0 {
		limit = min(limit, int64(u.Options.MaxRows))
	}
	err = u.context.Do(func() (err error) {
		rows, err = u.rowsWithin(each, pts, int(min(limit, math.MaxInt32)))
		return err
	})
	return rows, err
}

// find loads rows lo … hi−1 of a space and finds their lists.
func (u *pass) find(ctx context.Context, s *deviceRows, lo, hi, count int,
	enough func(w, r int, list []int32) (int, bool)) error {
	if err := u.do(ctx, func() error { return s.load(lo, hi) }); err != nil {
		return err
	}
	return s.findLists(ctx, u.Options.ThreadCount(), count, enough)
}

// findCut is find for lists that are cut to the length needed when blocks are deleted.
func (u *pass) findCut(ctx context.Context, s *deviceRows, lo, hi int) error {
	return u.find(ctx, s, lo, hi, u.First, func(w, r int, list []int32) (int, bool) { return u.counter.Enough(w, lo+r, list) })
}

// block adds the points lo … hi−1.
func (u *pass) block(ctx context.Context, lo, hi int) error {
	u.first = lo
	if err := u.findCut(ctx, u.original, lo, hi); err != nil {
		return err
	}
	neighbors := u.original.lists[:hi-lo]
	for e, s := range u.embedded {
		if err := u.findCut(ctx, s, lo, hi); err != nil {
			return err
		}
		lists := s.lists[:hi-lo]
		err := u.do(ctx, func() error { return errors.Join(u.original.rank(lo, lists), s.rank(lo, neighbors)) })
		if err != nil {
			return err
		}
		original, embedded := ranker{u.original, &u.first}, ranker{s, &u.first}
		err = parallel.For(ctx, u.Options.ThreadCount(), hi-lo, func(w, r int) {
			u.counter.Count(w, e, lo+r, lists[r], neighbors[r], original, embedded)
		})
		if err != nil {
			return err
		}
		u.advance(hi - lo)
		for q := range u.orders {
			if err := u.permute(ctx, e, q, lo, hi, neighbors); err != nil {
				return err
			}
			u.advance(hi - lo)
		}
	}
	return nil
}

// permute adds permutation q of embedded space e, whose points are put into that order.
func (u *pass) permute(ctx context.Context, e, q, lo, hi int, neighbors []rows.Listed) error {
	s, k := u.permuted[e], u.K
	err := u.do(ctx, func() error { return u.reorder(&s.points, &u.embedded[e].points, u.orders[q]) })
	if err != nil {
		return err
	}
	err = u.find(ctx, s, lo, hi, k, func(_, _ int, list []int32) (int, bool) { return k, len(list) >= k })
	if err != nil {
		return err
	}
	lists := s.lists[:hi-lo]
	nearest := make([]rows.Listed, hi-lo)
	for r := range nearest {
		nearest[r] = neighbors[r].Cut(k)
	}
	err = u.do(ctx, func() error { return errors.Join(u.original.rank(lo, lists), s.rank(lo, nearest)) })
	if err != nil {
		return err
	}
	original, permuted := ranker{u.original, &u.first}, ranker{s, &u.first}
	return parallel.For(ctx, u.Options.ThreadCount(), hi-lo, func(w, r int) {
		u.counter.CountPermuted(w, e, q, lo+r, lists[r], nearest[r], original, permuted)
	})
}
