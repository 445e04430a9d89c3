// Trustworthiness alone: one score of one neighborhood size.

package neighbors

import (
	"context"
	"slices"
	"sync"

	"repscope/internal/parallel"
	"repscope/neighbors/internal/rows"
	"repscope/points"
)

// Trustworthiness returns Scores.Trustworthiness of a pass with these ks and ties averaged, bit for bit, in a fraction
// of the time:
//
//	T(k) = 1 − 2/(n·k·(2n−3k−1)) · Σ_i Σ_{j ∈ N̂_i^k} max(0, r_ij − k)    for k < n/2
//
// where N̂_i^k are the k nearest neighbors of point i in the embedded space and r_ij is the rank of point j in the
// original. Continuity is the same with the spaces exchanged. Of o, Threads and Memory are used; windows and blocks are
// errors. Errors are the errors of [NewPass].
func Trustworthiness(ctx context.Context, original, embedded Space, ks []int, o Options) ([]float64, error) {
	p, o, err := scorePass(ctx, original, embedded, ks, o)
	if err != nil {
		return nil, err
	}
	values, err := shortScores(ctx, original, embedded, p, &o)
	if values != nil || err != nil {
		return values, err
	}
	trust, _, err := p.scores(ctx)
	return trust, err
}

// TrustworthinessAndContinuity are both, for each k.
func TrustworthinessAndContinuity(ctx context.Context, original, embedded Space, ks []int,
	o Options) (trust, continuity []float64, err error) {
	p, o, err := scorePass(ctx, original, embedded, ks, o)
	if err != nil {
		return nil, nil, err
	}
	if trust, err = shortScores(ctx, original, embedded, p, &o); trust != nil && err == nil {
		continuity, err = shortScores(ctx, embedded, original, p, &o)
	}
	if continuity != nil || err != nil {
		return trust, continuity, err
	}
	return p.scores(ctx)
}

func scorePass(ctx context.Context, original, embedded Space, ks []int, o Options) (*Pass, Options, error) {
	o = Options{Ks: ks, CoRanking: CoRankingOff, Threads: o.Threads, Memory: o.Memory}
	if o.Memory == 0 {
		o.Memory = o.rows(ctx, original.metric).Budget() // queries the machine once
	}
	p, err := NewPassOf(original, []Space{embedded}, o)
	return p, o, err
}

// scores are the scores of the whole pass.
func (p *Pass) scores(ctx context.Context) (trust, continuity []float64, err error) {
	result, err := p.Compare(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, s := range result[0].ByK {
		trust, continuity = append(trust, s.Trustworthiness), append(continuity, s.Continuity)
	}
	return trust, continuity, nil
}

// shortScores are trustworthinesses by the lists of the embedded space alone; nil where a pass is better.
func shortScores(ctx context.Context, original, embedded Space, p *Pass, o *Options) ([]float64, error) {
	if original.metric == Precomputed {
		return nil, nil
	}
	lists, err := embedded.short(ctx, p.kmax, o)
	if lists == nil || err != nil {
		return nil, err
	}
	done, err := rows.PlaceShort(ctx, floating(original.points), o.rows(ctx, original.metric), &lists.Short)
	if !done || err != nil {
		return nil, err
	}
	values := make([]float64, len(p.ks))
	for at, k := range p.ks {
		values[at] = lists.trustworthiness(k)
	}
	return values, nil
}

// shortLists are the nearest neighbors of all points; run holds, for each, the index of the first of its list at its
// distance.
type shortLists struct {
	rows.Short
	run []int32
}

// short finds the k nearest of every point and all ties of the last; nil where lists are too long to be short.
func (s Space) short(ctx context.Context, k int, o *Options) (*shortLists, error) {
	n := s.points.N
	if k >= rows.LongestShort || k+1 >= n || s.metric == Precomputed {
		return nil, nil
	}
	s.points = floating(s.points)
	within := o.rows(ctx, s.metric)
	// Few points have more than k.
	type tied struct{ index, run []int32 }
	longer := make(map[int]tied)
	var turn sync.Mutex
	indices, runs := make([]int32, n*k), make([]int32, n*k)
	enter := func(i int, list, run []int32) {
		copy(indices[i*k:(i+1)*k], list)
		if copy(runs[i*k:(i+1)*k], run); len(list) == k {
			return
		}
		turn.Lock()
		longer[i] = tied{slices.Clone(list), slices.Clone(run)}
		turn.Unlock()
	}
	done, err := rows.VisitShort(ctx, s.points, k, within, func(_, i int, list, run []int32) { enter(i, list, run) })
	if err == nil && !done {
		clear(longer)
		err = s.searchShort(ctx, k, within, enter)
	}
	if err != nil {
		return nil, err
	}
	lists := &shortLists{Short: rows.Short{Start: make([]int, n+1), Index: make([]int32, 0, n*k)}, run: make([]int32, 0, n*k)}
	for i := range n {
		if l, ok := longer[i]; ok {
			lists.Index, lists.run = append(lists.Index, l.index...), append(lists.run, l.run...)
		} else {
			lists.Index, lists.run = append(lists.Index, indices[i*k:(i+1)*k]...), append(lists.run, runs[i*k:(i+1)*k]...)
		}
		lists.Start[i+1] = len(lists.Index)
	}
	lists.Below, lists.Tied = make([]int32, len(lists.Index)), make([]int32, len(lists.Index))
	return lists, nil
}

// searchShort is VisitShort by the search for k+1 neighbors.
func (s Space) searchShort(
	ctx context.Context, k int, within *rows.Options, visit func(i int, index, run []int32),
) error {
	within.Narrow = true
	nearest, err := rows.Search(ctx, s.points, s.points, k+1, true, within)
	if err != nil {
		return err
	}
	return s.visitNearest(ctx, nearest, k, within, visit)
}

// trustworthiness is the score from the positions in the original.
func (l *shortLists) trustworthiness(k int) float64 {
	var penalty Fixed
	n := len(l.Start) - 1
	for i := range n {
		from, to := l.Start[i], l.Start[i+1]
		for lo := from; lo < to; {
			hi := from + rows.RunEnd(l.run[from:to], lo-from)
			here := position{lo - from, hi - lo}
			for at := lo; at < hi; at++ {
				other := position{int(l.Below[at]), int(l.Tied[at])}
				penalty.addRatio(uint64(here.within(k)), uint64(other.beyond(k)), uint64(here.tied)*uint64(other.tied))
			}
			lo = hi
		}
	}
	return 1 - penalty.Float()/float64(int64(n)*worstPenalty(k, n-1))
}

// floating are points with the distances of p, in a type whose rows are approximate. Integers up to 255 and their
// squared distances are exact in either.
func floating(p points.Points) points.Points {
	if p.U8 == nil {
		return p
	}
	out := points.Points{N: p.N, Dim: p.Dim, F32: make([]float32, len(p.U8))}
	_ = parallel.For(context.Background(), parallel.Workers(0, p.N), p.N, func(_, i int) {
		row := out.F32[i*p.Dim : (i+1)*p.Dim]
		for d, v := range p.U8[i*p.Dim : (i+1)*p.Dim] {
			row[d] = float32(v)
		}
	})
	return out
}
