// How many processors a process uses while runs with --threads are under way.

package run

import (
	"runtime"
	"slices"
	"sync"
)

// limits are the limits of the current runs: of several concurrent runs, each would otherwise reset what another has
// set.
var limits struct {
	sync.Mutex
	most    int // what the process had before the first of them
	running []int
}

// mostThreads bounds --threads. More than there are processors gain nothing, and many times as many bring the machine
// to a halt; a few more than a small machine has are left to whoever wants to see that results stay the same.
func mostThreads() int { return max(64, 4*runtime.NumCPU()) }

// useProcessors lets the process use as many processors as the run under way that wants most, until done is called.
func useProcessors(threads int) (done func()) {
	limits.Lock()
	defer limits.Unlock()
	if len(limits.running) == 0 {
		limits.most = runtime.GOMAXPROCS(0)
	}
	limits.running = append(limits.running, threads)
	runtime.GOMAXPROCS(slices.Max(limits.running))
	return func() {
		limits.Lock()
		defer limits.Unlock()
		i := slices.Index(limits.running, threads)
		limits.running = slices.Delete(limits.running, i, i+1)
		if len(limits.running) == 0 {
			runtime.GOMAXPROCS(limits.most)
			return
		}
		runtime.GOMAXPROCS(slices.Max(limits.running))
	}
}
