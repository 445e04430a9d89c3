// The workers that share the loops of a step.

package cpu

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// body works on the indices lo ≤ i < hi as the given worker.
type body func(worker, lo, hi int)

// pool runs loops on a fixed number of workers, the caller among them. Which
// worker takes which part is left to chance, so a body's result for an index
// must not depend on the part it belongs to.
type pool struct {
	threads int
	start   chan struct{}
	wait    sync.WaitGroup

	// The loop in progress.
	f           body
	total, part int
	next        atomic.Int64
	mu          sync.Mutex
	err         error
}

// newPool starts threads−1 goroutines; 0 means GOMAXPROCS. close ends them.
func newPool(threads int) *pool {
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	p := &pool{threads: threads, start: make(chan struct{})}
	for w := 1; w < threads; w++ {
		go func() {
			for range p.start {
				p.work(w)
				p.wait.Done()
			}
		}()
	}
	return p
}

func (p *pool) close() { close(p.start) }

// span runs f over 0 ≤ i < total in parts of at least grain indices.
func (p *pool) span(total, grain int, f body) error {
	return p.run(total, max(grain, (total+4*p.threads-1)/(4*p.threads), 1), f)
}

// each runs f once per index, in parts of one.
func (p *pool) each(total int, f body) error { return p.run(total, 1, f) }

// run runs f over 0 ≤ i < total in parts of the given number of indices.
func (p *pool) run(total, part int, f body) error {
	if total <= 0 {
		return nil
	}
	p.f, p.total, p.part, p.err = f, total, part, nil
	p.next.Store(0)
	helpers := min(p.threads, (total+part-1)/part) - 1
	p.wait.Add(helpers)
	for range helpers {
		p.start <- struct{}{}
	}
	p.work(0)
	p.wait.Wait()
	p.f = nil
	return p.err
}

func (p *pool) work(worker int) {
	defer func() {
		// A fault in a kernel must not take the program down from a goroutine
		// that the caller cannot guard.
		if r := recover(); r != nil {
			p.fail(fmt.Errorf("internal error: %v", r))
		}
	}()
	for {
		lo := int(p.next.Add(int64(p.part))) - p.part
		if lo >= p.total {
			return
		}
		p.f(worker, lo, min(lo+p.part, p.total))
	}
}

// fail records the first error of the loop in progress.
func (p *pool) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.err = err
	}
}
