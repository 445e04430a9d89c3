// Map on GPUs.

package neighbors

import (
	"context"
	"sync"

	"repscope/neighbors/internal/gpu"
	"repscope/neighbors/internal/rows"
)

// mapOnGPUs shares the points lo … hi−1 among the devices.
func (p *Pass) mapOnGPUs(ctx context.Context, lo, hi int) (*Partial, error) {
	part := &Partial{Lo: lo, Hi: hi}
	for range p.embedded {
		part.Spaces = append(part.Spaces, p.newPartialSpace(hi-lo))
	}
	task := p.gpuTask(ctx)
	counters := make([]*gpuCounter, gpu.Devices(p.options.Device, hi-lo))
	takers := make([]gpu.Counter, len(counters))
	for d := range counters {
		counters[d] = &gpuCounter{part: part}
		for range task.Options.ThreadCount() {
			counters[d].workers = append(counters[d].workers, p.newRowCounter())
		}
		takers[d] = counters[d]
	}
	done, total := 0, (hi-lo)*len(p.embedded)*(1+len(p.permutations))
	advance := func(finished int) {
		done += finished
		if p.options.Progress != nil {
			p.options.Progress(done, total)
		}
	}
	// The processor looks for duplicates while the devices work.
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wait sync.WaitGroup
	var equal []*rows.Duplicates
	wait.Go(func() {
		var err error
		if equal, err = p.duplicates(ctx); err == nil {
			part.Pass, err = p.Identity(ctx)
		}
		if err != nil {
			cancel(err)
		}
	})
	err := gpu.Run(ctx, p.options.Device, task, lo, hi, takers, advance)
	if err != nil {
		cancel(err)
	}
	wait.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	part.Original = SpaceCounts{Duplicates: equal[0].Count, Method: gpu.Method(p.original.points)}
	for e, s := range p.embedded {
		part.Embedded = append(part.Embedded, SpaceCounts{Duplicates: equal[1+e].Count, Method: gpu.Method(s.points)})
	}
	for _, c := range counters {
		for _, w := range c.workers {
			for e := range part.Spaces {
				part.Spaces[e].add(&w.sums[e])
			}
		}
	}
	return part, nil
}

// gpuTask is the task of the GPUs.
func (p *Pass) gpuTask(ctx context.Context) gpu.Task {
	task := gpu.Task{
		Original: gpu.Space{Points: p.original.points, Metric: p.original.metric},
		First:    p.firstCount(), K: p.kmax, Averages: p.averages(), Options: p.rowOptions(ctx, p.original),
	}
	for _, s := range p.embedded {
		task.Embedded = append(task.Embedded, gpu.Space{Points: s.points, Metric: s.metric})
	}
	for _, order := range p.permutations {
		task.Permutations = append(task.Permutations, order.to)
	}
	return task
}

// gpuCounter counts the results of one GPU.
type gpuCounter struct {
	workers []*rowCounter
	part    *Partial
}

// Enough implements gpu.Counter.
func (c *gpuCounter) Enough(w, i int, list []int32) (length int, ok bool) {
	return c.workers[w].enough(i, list)
}

// Count implements gpu.Counter.
func (c *gpuCounter) Count(w, e, i int, list, neighbors rows.Listed, original, embedded gpu.Ranker) {
	one := c.workers[w]
	one.original, one.embedded[e] = original, embedded
	one.row(e, i, list, neighbors, &c.part.Spaces[e], i-c.part.Lo)
}

// CountPermuted implements gpu.Counter.
func (c *gpuCounter) CountPermuted(w, e, q, i int, list, neighbors rows.Listed, original, permuted gpu.Ranker) {
	one := c.workers[w]
	sums := &one.sums[e].Null[q]
	one.permuted(i, list, original, sums.Trust, sums.Common)
	one.permuted(i, neighbors, permuted, sums.Cont, nil)
}

// permuted adds one point's penalties by the positions of its neighbors in the other space. Unless common is nil, it
// also adds how many of them are neighbors there.
func (w *rowCounter) permuted(i int, list rows.Listed, other gpu.Ranker, penalty, common []Fixed) {
	p := w.pass
	if !p.averages() {
		w.resize(len(list.Index), max(1, len(p.blockIDs)))
		other.Ranks(i, list.Index, 0, w.rank, w.closer)
		p.penalties(w.rank, penalty, common)
		return
	}
	other.Place(i, list.Index, false, &w.places)
	p.expectAll(list, &w.places, penalty, common, nil, nil)
}
