// The wait of a goroutine that expects work in a moment, of package kernel.

package main

// pause marks a waiting loop for the processor, which saves power and leaves the core to its sibling.
func (a *assembler) pause() {
	a.function("pauseAsm", "(times int)", "waits for some tens of cycles, times over.", 8)
	a.emit("MOVQ times+0(FP), CX")
	a.label("again")
	a.emit("PAUSE")
	a.emit("DECQ CX")
	a.emit("JNZ again")
	a.emit("RET")
}
