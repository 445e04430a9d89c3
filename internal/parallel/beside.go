// Processors that loops leave to what the process does beside them.

package parallel

import "sync/atomic"

// besides is how many things the process does beside each other.
var besides atomic.Int32

// Beside says, until done is called, that the process does one thing more beside others, each of which has loops of
// its own: a loop that begins meanwhile leaves a processor to each of the others (see [Own]), with which it would
// have to take turns.
func Beside() (done func()) {
	besides.Add(1)
	return func() { besides.Add(-1) }
}

// Idle calls wait, in which something that is done beside others computes nothing, so that loops need not leave it a
// processor.
func Idle(wait func()) {
	besides.Add(-1)
	defer besides.Add(1)
	wait()
}

// Own is on how many of so many goroutines a loop runs that begins now; at least 1.
func Own(workers int) int { return max(1, min(workers, workers-int(besides.Load())+1)) }
