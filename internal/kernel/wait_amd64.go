//go:build amd64 && !noasm

// Waiting by the processor's own instruction.

package kernel

// pauses is how often Pause waits: 16 times 40 to 140 cycles, depending on the processor.
const pauses = 16

func pause() { pauseAsm(pauses) }
