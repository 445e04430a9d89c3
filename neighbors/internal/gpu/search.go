//go:build cuda

// The search for nearest neighbors on a GPU.

package gpu

import (
	"context"

	"repscope/internal/device"
	"repscope/internal/parallel"
	"repscope/neighbors/internal/rows"
	"repscope/points"
)

// Search finds the k nearest points of every query on the first GPU of a device; ok is
// false where that is not possible.
func Search(
	ctx context.Context, d *device.Device, queries, pts points.Points, k int, self bool, o *rows.Options,
) (result *rows.Nearest, ok bool, err error) {
	devices := d.Contexts()
	if len(devices) == 0 || o.Metric == rows.Precomputed || pts.N > maxPoints || o.ExcludeWindow > 0 && o.Time != nil {
		return nil, false, nil
	}
	equal, err := rows.FindDuplicates(ctx, pts, o.Metric, o.ThreadCount())
	if err != nil {
		return nil, true, err
	}
	g, err := openSession(devices[0])
	if err != nil {
		return nil, true, err
	}
	defer g.end(&err)
	u := &search{options: o}
	u.deviceRows = deviceRows{session: g, metric: o.Metric, self: self, window: o.ExcludeWindow, groups: 1, keys: &growingMemory{}}
	step, err := u.open(ctx, queries, pts, k)
	if err != nil {
		return nil, true, err
	}
	result = rows.NewNearest(queries.N, k)
	u.direct = rows.NewDirect(queries, pts, o.Metric)
	for lo := 0; lo < queries.N; lo += step {
		hi := min(queries.N, lo+step)
		if err := u.block(ctx, lo, hi, result); err != nil {
			return nil, true, err
		}
		if o.Progress != nil {
			o.Progress(hi, queries.N)
		}
	}
	result.Counts = rows.SpaceCounts{Duplicates: equal.Count, Method: Method(pts)}
	return result, true, nil
}

// search is a search for nearest neighbors on one GPU.
type search struct {
	deviceRows
	options *rows.Options
	direct  *rows.Direct
}

// open uploads the points and returns the number of rows computed at a time.
func (s *search) open(ctx context.Context, queries, pts points.Points, k int) (step int, err error) {
	o := s.options
	err = s.do(ctx, func() (err error) {
		if s.points, err = s.upload(pts, o.Metric); err != nil {
			return err
		}
		if s.queries = s.points; !rows.SamePoints(queries, pts) {
			if s.queries, err = s.upload(queries, o.Metric); err != nil {
				return err
			}
		}
		if s.episode, err = s.episodes(o.Episode); err != nil {
			return err
		}
		step, err = s.rowsWithin(s.keySize()*pts.N+4*12*k, queries.N, o.MaxRows)
		return err
	})
	return step, err
}

// block fills the lists of queries lo … hi−1.
func (s *search) block(ctx context.Context, lo, hi int, result *rows.Nearest) error {
	k, threads := result.K, s.options.ThreadCount()
	if err := s.do(ctx, func() error { return s.load(lo, hi) }); err != nil {
		return err
	}
	if err := s.findLists(ctx, threads, k, func(_, _ int, list []int32) (int, bool) { return k, len(list) >= k }); err != nil {
		return err
	}
	return parallel.For(ctx, threads, hi-lo, func(_, r int) {
		offset := (lo + r) * k
		index, distance := result.Index[offset:offset+k], result.Distance[offset:offset+k]
		copy(index, s.lists[r].Index)
		s.direct.Keys(lo+r, s.queries.Row(lo+r, nil), index, distance)
		for q, key := range distance {
			distance[q] = s.metric.Distance(key)
		}
	})
}
