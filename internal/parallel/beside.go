// Processors that loops leave to concurrent work of the process.

package parallel

import "sync/atomic"

// besides is the number of concurrent tasks of the process.
var besides atomic.Int32

// Beside announces, until done is called, one more concurrent task with loops of its own. A loop that begins meanwhile
// leaves a processor to each of the others (see [Own]), with which it would otherwise have to take turns.
func Beside() (done func()) {
	besides.Add(1)
	return func() { besides.Add(-1) }
}

// Idle calls wait, during which a concurrent task computes nothing, so that loops need not leave it a processor.
func Idle(wait func()) {
	besides.Add(-1)
	defer besides.Add(1)
	wait()
}

// Own is the number of goroutines, of workers, for a loop that begins now; at least 1.
func Own(workers int) int { return max(1, min(workers, workers-int(besides.Load())+1)) }
