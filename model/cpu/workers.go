// The workers that share the loops of a step.

package cpu

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"repscope/internal/kernel"
	"repscope/internal/parallel"
)

// body works on the indices lo ≤ i < hi as this worker.
type body func(worker, lo, hi int)

// pool runs loops on a fixed number of workers, the caller among them. Which
// worker takes which part is left to chance, so a body's result for an index
// must not depend on the part it belongs to.
//
// The loops of a small network take microseconds, less than it takes to wake a goroutine. So a worker that has
// nothing to do looks for the next loop for a while before it sleeps; and a loop does not wait for workers that have
// not joined it. A worker that finds itself on the processor of a caller that it should help moves to another one.
type pool struct {
	threads int
	sleep   []sleeper // of workers 1 …

	// state is the number of loops so far, in units of loopUnit, with loopClosed set while none can be joined, and the
	// number of workers in it besides the caller.
	state atomic.Int64
	quit  atomic.Bool
	// waiting says that the caller sleeps until the last worker has left.
	waiting atomic.Bool
	left    chan struct{}

	// alone is one more than the processor on which the caller went through a loop without help, 0 if it has not lately.
	alone atomic.Int64

	// The loop in progress.
	f           body
	total, part int
	next        atomic.Int64
	mu          sync.Mutex
	err         error
}

// sleeper is a worker's bed.
type sleeper struct {
	asleep atomic.Bool
	wake   chan struct{}
	_      [48]byte // each on a cache line of its own
}

const (
	loopClosed = 1 << 16
	loopUnit   = loopClosed << 1
	// patience is how long a worker polls for the next loop, and the caller for the last worker to leave, before it
	// sleeps: longer than a network computes between two loops.
	patience = 2 * time.Millisecond
	// looksAside is after how many looks, of a quarter of a microsecond to one, it sees to the clock and lets others
	// go first.
	looksAside = 64
	// turn is how long it takes to let others go first if there are none.
	turn = 20 * time.Microsecond
)

// wait is a time spent looking for something.
type wait struct {
	looks int
	since time.Time // of the first look at the clock
}

// pass lets a moment pass. It reports whether to go on looking, and whether another thread had the processor meanwhile.
func (w *wait) pass() (more, crowded bool) {
	if w.looks++; w.looks%looksAside == 0 {
		begin := time.Now()
		if w.looks == looksAside {
			w.since = begin
		} else if begin.Sub(w.since) > patience {
			return false, false
		}
		// The awaited goroutine or thread may need this thread's processor.
		runtime.Gosched()
		yield()
		crowded = time.Since(begin) > turn
	}
	kernel.Pause()
	return true, crowded
}

// newPool starts threads−1 goroutines; 0 means GOMAXPROCS. close ends them.
func newPool(threads int) *pool {
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	p := &pool{threads: threads, sleep: make([]sleeper, threads-1), left: make(chan struct{}, 1)}
	p.state.Store(loopClosed)
	for w := 1; w < threads; w++ {
		p.sleep[w-1].wake = make(chan struct{}, 1)
		go p.attend(w)
	}
	return p
}

func (p *pool) close() {
	p.quit.Store(true)
	p.wake(len(p.sleep))
}

// wake wakes the first n workers as far as they sleep.
func (p *pool) wake(n int) {
	for i := range p.sleep[:n] {
		if s := &p.sleep[i]; s.asleep.CompareAndSwap(true, false) {
			s.wake <- struct{}{}
		}
	}
}

// span runs f over 0 ≤ i < total in parts of at least grain indices.
func (p *pool) span(total, grain int, f body) error {
	return p.run(total, max(grain, (total+4*p.threads-1)/(4*p.threads), 1), f)
}

// each runs f once per index, in parts of one.
func (p *pool) each(total int, f body) error { return p.run(total, 1, f) }

// run runs f over 0 ≤ i < total in parts of part indices.
func (p *pool) run(total, part int, f body) error {
	if total <= 0 {
		return nil
	}
	p.f, p.total, p.part, p.err = f, total, part, nil
	p.next.Store(0)
	if helpers := min(parallel.Own(p.threads), (total+part-1)/part) - 1; helpers > 0 {
		p.state.Add(loopUnit - loopClosed)
		p.wake(helpers)
		if p.work(0) == total {
			p.alone.Store(int64(processor()) + 1)
		}
		p.state.Add(loopClosed)
		p.emptied()
	} else {
		p.work(0)
	}
	p.f = nil
	return p.err
}

// emptied waits until no worker is in the closed loop.
func (p *pool) emptied() {
	for w := (wait{}); !p.empty(); {
		if more, _ := w.pass(); more {
			continue
		}
		p.waiting.Store(true)
		if !p.empty() || !p.waiting.CompareAndSwap(true, false) {
			<-p.left
		}
		return
	}
}

// empty reports whether no worker is in the closed loop.
func (p *pool) empty() bool { return p.state.Load()%loopClosed == 0 }

// attend joins every loop that it meets open.
func (p *pool) attend(worker int) {
	bed := &p.sleep[worker-1]
	done := int64(0) // the number of the last loop that was joined
	var w wait
	for !p.quit.Load() {
		state := p.state.Load()
		if loop := state / loopUnit; state&loopClosed == 0 && loop != done {
			if p.state.CompareAndSwap(state, state+1) {
				p.work(worker)
				p.leave()
				done, w = loop, wait{}
			}
			continue
		}
		if more, crowded := w.pass(); more {
			if place := p.alone.Load(); crowded && place > 0 && p.alone.CompareAndSwap(place, 0) {
				leaveProcessor(int(place - 1))
			}
			continue
		}
		// A loop that is opened, or the end, after this wakes a sleeper.
		bed.asleep.Store(true)
		if state = p.state.Load(); p.quit.Load() || state&loopClosed == 0 && state/loopUnit != done {
			if bed.asleep.CompareAndSwap(true, false) {
				continue
			}
		}
		<-bed.wake
		w = wait{}
	}
}

// leave ends a worker's part in a loop.
func (p *pool) leave() {
	if state := p.state.Add(-1); state&loopClosed != 0 && state%loopClosed == 0 && p.waiting.CompareAndSwap(true, false) {
		p.left <- struct{}{}
	}
}

// work takes parts of the loop while there are any, and returns how many indices that were.
func (p *pool) work(worker int) (count int) {
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
			return count
		}
		hi := min(lo+p.part, p.total)
		p.f(worker, lo, hi)
		count += hi - lo
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
