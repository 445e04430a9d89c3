// How mistakes of kernels are reported.

package ptxvm

import "fmt"

// Kinds of mistakes, for tests and for the driver that reports them.
const (
	Unwritten  = "unwritten"  // a read of unwritten memory
	Bounds     = "bounds"     // an address that is not the launch's memory
	Misaligned = "misaligned" // an address that is not a multiple of the size
	Pending    = "pending"    // bytes that an asynchronous copy still brings
	Race       = "race"       // two threads without a barrier between
	Divergence = "divergence" // a barrier or warp operation that lanes do not reach
	Mask       = "mask"       // a lane that is not in the mask, or in it and not there
	Division   = "division"   // an integer divided by zero
	Endless    = "endless"    // no end
	Refused    = "refused"    // a launch that no device takes
)

// A Fault is a mistake of a kernel.
type Fault struct {
	Kind       string
	File       string
	Line       int // in the PTX; 0 before the first instruction
	Kernel     string
	Block      [3]int
	Warp, Lane int // −1: not of one lane
	What       string
}

func (f *Fault) Error() string {
	where := ""
	if f.Line > 0 {
		where = fmt.Sprintf(", %s line %d, block (%d %d %d)", f.File, f.Line, f.Block[0], f.Block[1], f.Block[2])
	}
	if f.Warp >= 0 && f.Line > 0 {
		where += fmt.Sprintf(", warp %d", f.Warp)
	}
	if f.Lane >= 0 && f.Line > 0 {
		where += fmt.Sprintf(" lane %d", f.Lane)
	}
	return f.Kernel + where + ": " + f.What
}

// fail ends the launch with a mistake of a lane, or of the warp if lane is −1.
func (w *warp) fail(in *instruction, lane int, kind, format string, a ...any) {
	panic(&Fault{Kind: kind, File: w.program.module.name, Line: int(in.line), Kernel: w.program.name,
		Block: w.block, Warp: w.index, Lane: lane, What: fmt.Sprintf(format, a...)})
}
