// The micro-kernels whose rows are read where they lie.

package main

import "fmt"

// gatherUnroll is the number of elements of a row that one turn of the loop takes.
const gatherUnroll = 4

// The registers of gather: where a row's elements end, the position before that end, the panel of B, and what is asked for.
const at, panel, ahead = "DI", "DX", "BP"

var rowPointers = []string{"AX", "BX", "CX", "SI", "R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15"}

// gather writes the micro-kernel whose rows are not in a panel: each is a sequence of runs
// of contiguous elements that lie at the same places relative to the row's start.
func (t tile) gather() {
	// The frame holds the next run and how many are left; every register has another
	// use, the frame pointer too, which the assembler saves.
	t.functionWithFrame(fmt.Sprintf("%sGatherR%dV%d", t.name, t.rows, t.vectors),
		"(data *float32, base *int, runs *Run, count int, b, c *float32, stride int, ahead uintptr, add bool)",
		fmt.Sprintf("multiplies rows in place by a panel into a %d×%d tile; see gatherKernel.", t.rows, t.vectors*t.bytes/t.size()), 16, 65)
	t.emit("MOVQ runs+16(FP), AX")
	t.emit("MOVQ AX, next-8(SP)")
	t.emit("MOVQ count+24(FP), AX")
	t.emit("MOVQ AX, left-16(SP)")
	t.emit("MOVQ b+32(FP), %s", panel)
	t.emit("MOVQ ahead+56(FP), %s", ahead)
	t.clear()
	t.label("run")
	t.pointToRun()
	t.emit("ADDQ $%d, %s", gatherUnroll, at)
	t.emit("JGT tail")
	t.label("loop")
	t.emit("PREFETCHT0 %d(%s)", 16*t.panelB*t.size(), panel)
	for k := range gatherUnroll {
		if k%2 == 1 {
			t.emit("PREFETCHT1 (%s)", ahead)
			t.emit("ADDQ $64, %s", ahead)
		}
		t.gatherStep(k, k-gatherUnroll)
	}
	t.emit("ADDQ $%d, %s", gatherUnroll*t.panelB*t.size(), panel)
	t.emit("ADDQ $%d, %s", gatherUnroll, at)
	t.emit("JLE loop")
	t.label("tail")
	t.emit("SUBQ $%d, %s", gatherUnroll, at)
	t.emit("JZ end")
	t.label("single")
	t.gatherStep(0, 0)
	t.emit("ADDQ $%d, %s", t.panelB*t.size(), panel)
	t.emit("INCQ %s", at)
	t.emit("JNZ single")
	t.label("end")
	t.emit("DECQ left-16(SP)")
	t.emit("JNZ run")

	t.emit("MOVQ c+40(FP), DI")
	t.emit("MOVQ stride+48(FP), R8")
	t.emit("SHLQ $%d, R8", t.shift)
	t.emit("MOVBLZX add+64(FP), AX")
	t.finish()
}

// pointToRun points the rows to the end of the next run; at counts up to 0.
func (t tile) pointToRun() {
	pointers := rowPointers[:t.rows]
	last := pointers[t.rows-1]
	t.emit("MOVQ next-8(SP), %s", at)
	t.emit("MOVQ data+0(FP), %s", last)
	t.emit("MOVQ (%s), %s", at, pointers[0])
	t.emit("ADDQ 8(%s), %s", at, pointers[0])
	t.emit("LEAQ (%s)(%s*%d), %s", last, pointers[0], t.size(), last)
	t.emit("MOVQ base+8(FP), %s", at)
	for r := range t.rows - 1 {
		t.emit("MOVQ %d(%s), %s", 8*r, at, pointers[r])
		t.emit("LEAQ (%s)(%s*%d), %s", last, pointers[r], t.size(), pointers[r])
	}
	t.emit("MOVQ %d(%s), %s", 8*(t.rows-1), at, at)
	t.emit("LEAQ (%s)(%s*%d), %s", last, at, t.size(), last)
	t.emit("MOVQ next-8(SP), %s", at)
	t.emit("ADDQ $16, next-8(SP)")
	t.emit("MOVQ 8(%s), %s", at, at)
	t.emit("NEGQ %s", at)
}

// gatherStep multiplies depth k of the panel by the rows' elements at at+offset.
func (t tile) gatherStep(k, offset int) {
	t.step(k, panel, func(r int) string {
		return fmt.Sprintf("%d(%s)(%s*%d)", offset*t.size(), rowPointers[r], at, t.size())
	})
}
