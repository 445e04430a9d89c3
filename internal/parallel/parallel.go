// Package parallel runs loops over indices on several goroutines, with results that do not depend on their number:
//
//	norms := make([]float64, len(rows))
//	err := parallel.For(ctx, threads, len(rows), func(_, i int) {
//		norms[i] = norm(rows[i])
//	})
//
// Every index is visited once. A loop computes the same for every number of goroutines if each index writes to memory
// of its own. An error always belongs to the lowest index that fails. The loops of packages kernel and cpu, whose
// pieces last microseconds, have standing pools of their own.
package parallel

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// mostAtOnce is how many indices a goroutine takes at most in one go, which
// keeps the counter out of the way of short pieces of work.
const mostAtOnce = 8

// Workers returns the number of goroutines of a loop over n indices: threads (≤ 0: one per processor), but no more than
// there are indices, and fewer with concurrent work (see [Own]). It is the length of a list of workers' states.
func Workers(threads, n int) int {
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	return max(0, min(threads, n))
}

// For calls work(worker, i) for 0 ≤ i < n on at most [Workers](threads, n) goroutines, identified by worker; the
// calling goroutine is worker 0. It stops early when ctx ends, and returns the error of ctx.
func For(ctx context.Context, threads, n int, work func(worker, i int)) error {
	return run(ctx, threads, n, func(worker int) func(i int) error {
		return func(i int) error {
			work(worker, i)
			return nil
		}
	})
}

// Try is For for work that may fail. It returns the error of the lowest index
// that fails, and starts no higher index once it knows of one; else the error of ctx.
func Try(ctx context.Context, threads, n int, work func(worker, i int) error) error {
	return run(ctx, threads, n, func(worker int) func(i int) error {
		return func(i int) error { return work(worker, i) }
	})
}

// With is Try for work with scratch memory: each goroutine calls newWorker once,
// and the function it returns for every index that it takes.
func With(ctx context.Context, threads, n int, newWorker func() func(i int) error) error {
	return run(ctx, threads, n, func(int) func(i int) error { return newWorker() })
}

// run is the loop that all others are.
func run(ctx context.Context, threads, n int, newWorker func(worker int) func(i int) error) error {
	workers := Workers(threads, n)
	if workers == 0 {
		return ctx.Err()
	}
	workers = Own(workers)
	l := loop{n: n, step: max(1, min(mostAtOnce, n/(32*workers)))}
	l.end.Store(int64(n))
	var group sync.WaitGroup
	for w := 1; w < workers; w++ {
		group.Go(func() { l.take(ctx, newWorker(w)) })
	}
	l.take(ctx, newWorker(0))
	group.Wait()
	if l.failed != nil {
		return l.failed
	}
	return ctx.Err()
}

// loop is a loop under way.
type loop struct {
	n, step int
	next    atomic.Int64 // the lowest index not taken
	end     atomic.Int64 // the lowest index that failed, or n
	lock    sync.Mutex
	failed  error // of index end
}

// take works on indices until none remains. Indices are taken in ascending order and all below a failed one are
// visited, so that the lowest that fails is found in any order of events.
func (l *loop) take(ctx context.Context, work func(i int) error) {
	for {
		hi := int(l.next.Add(int64(l.step)))
		for i := hi - l.step; i < min(hi, l.n); i++ {
			if int64(i) >= l.end.Load() || ctx.Err() != nil {
				return
			}
			if err := work(i); err != nil {
				l.fail(i, err)
				return
			}
		}
		if hi >= l.n {
			return
		}
	}
}

func (l *loop) fail(i int, err error) {
	l.lock.Lock()
	defer l.lock.Unlock()
	if int64(i) < l.end.Load() {
		l.end.Store(int64(i))
		l.failed = err
	}
}
