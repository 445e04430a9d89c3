// Waiting without giving the thread away.

package kernel

// Pause waits for about a microsecond or less. A goroutine that expects work within some microseconds calls it
// between its looks, as waking a sleeping one takes longer than many a kernel.
func Pause() { pause() }
