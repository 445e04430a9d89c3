// The memory of a run in this process.

package scale

import (
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// watchEvery is how often the memory is looked at.
const watchEvery = 2 * time.Millisecond

// watchMemory begins to watch the memory of the process; the function that it returns ends that, and says by how many
// bytes more than at the beginning were in use at most. Mapped files are not counted.
func watchMemory() (peak func() float64) {
	debug.FreeOSMemory()
	from, highest := inUse(), 0.0
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		for {
			highest = max(highest, inUse()-from)
			select {
			case <-tick.C:
			case <-stop:
				highest = max(highest, inUse()-from)
				return
			}
		}
	}()
	return func() float64 {
		close(stop)
		<-stopped
		return max(highest, 1)
	}
}

// inUse is the memory that package runtime has of the system and has not given back, in bytes.
func inUse() float64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return float64(samples[0].Value.Uint64()) - float64(samples[1].Value.Uint64())
}
