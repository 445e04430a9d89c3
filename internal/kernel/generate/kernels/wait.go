// The wait of a goroutine that expects work in a moment, of package kernel.

package kernels

// pause marks a waiting loop for the processor, which saves power and leaves the core to its sibling.
func (a *assembler) pause() {
	a.Function("pauseAsm", "(times int)", "waits for some tens of cycles, times over.", 8)
	a.Emit("MOVQ times+0(FP), CX")
	a.Label("again")
	a.Emit("PAUSE")
	a.Emit("DECQ CX")
	a.Emit("JNZ again")
	a.Emit("RET")
}
