// The wait of a goroutine that expects work in a moment, of package kernel.

package main

// pause tells the processor that a loop only waits, so that it saves power and leaves the core to its sibling.
func (a *assembler) pause() {
	a.function("pauseAsm", "(times int)", "waits for some tens of cycles, times over.", 8)
	a.emit("MOVQ times+0(FP), CX")
	a.label("again")
	a.emit("PAUSE")
	a.emit("DECQ CX")
	a.emit("JNZ again")
	a.emit("RET")
}
