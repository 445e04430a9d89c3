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
		"(data *float32, base *int, runs *piece, count int, b, c *float32, stride int, ahead uintptr, end *tileEnd)",
		fmt.Sprintf("multiplies rows in place by a panel into a %d×%d tile; see gatherKernel.", t.rows, t.vectors*t.bytes/t.size()), 16, 72)
	t.emit("MOVQ runs+16(FP), AX")
	t.emit("MOVQ AX, next-8(SP)")
	t.emit("MOVQ count+24(FP), AX")
	t.emit("MOVQ AX, left-16(SP)")
	t.pointToVectors()
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

	t.gatherEnd()
}

// gatherEnd adds to the sums what tileEnd asks for and stores them.
func (t tile) gatherEnd() {
	const end, c, stride, rows = "AX", "DI", "R8", "R10"
	t.emit("MOVQ end+64(FP), %s", end)
	t.emit("MOVQ c+40(FP), %s", c)
	t.emit("MOVQ stride+48(FP), %s", stride)
	t.emit("SHLQ $%d, %s", t.shift, stride)
	t.emit("MOVLQZX 12(%s), DX", end)
	masked := t.vector == "Z"
	if masked {
		t.emit("KMOVW 8(%s), K1", end)
		t.emit("KMOVW 10(%s), K2", end)
	}
	// each walks along the stored rows, whose number is not known here.
	each := func(name, from, step string, do func(r int)) {
		t.emit("MOVQ (%s), %s", end, rows)
		for r := range t.rows {
			do(r)
			if r < t.rows-1 {
				t.emit("DECQ %s", rows)
				t.emit("JZ %s", name)
				t.emit("ADDQ %s, %s", step, from)
			}
		}
		t.label(name)
	}
	addRows := func(name, from, step string) {
		each(name, from, step, func(r int) {
			for v := range t.vectors {
				if masked {
					t.emit("%s %d(%s), %s, K%d, %s", t.add, v*t.bytes, from, t.sum(r, v), v+1, t.sum(r, v))
				} else {
					t.emit("%s %d(%s), %s, %s", t.add, v*t.bytes, from, t.sum(r, v), t.sum(r, v))
				}
			}
		})
	}
	bound := t.column(0)
	limit := func(bit, offset int, name, op string) {
		t.emit("TESTL $%d, DX", bit)
		t.emit("JZ %s", name)
		t.emit("%s %d(%s), %s", t.broadcast, offset, end, bound)
		for i := range t.rows * t.vectors {
			// The second source is the result if either is NaN or both are zero.
			t.emit("%s %s, %s, %s", op, t.register(i), bound, t.register(i))
		}
		t.label(name)
	}
	t.emit("TESTL $1, DX")
	t.emit("JZ added")
	t.emit("MOVQ %s, R9", c)
	addRows("added", "R9", stride)
	t.emit("TESTL $2, DX")
	t.emit("JZ biased")
	t.emit("MOVQ 16(%s), BX", end)
	for v := range t.vectors {
		if masked {
			t.emit("VMOVUPS.Z %d(BX), K%d, %s", v*t.bytes, v+1, t.column(v))
		} else {
			t.emit("%s %d(BX), %s", t.load, v*t.bytes, t.column(v))
		}
		for r := range t.rows {
			t.emit("%s %s, %s, %s", t.add, t.column(v), t.sum(r, v), t.sum(r, v))
		}
	}
	t.label("biased")
	t.emit("TESTL $4, DX")
	t.emit("JZ joined")
	t.emit("MOVQ 24(%s), R9", end)
	t.emit("MOVQ 32(%s), CX", end)
	t.emit("SHLQ $%d, CX", t.shift)
	addRows("joined", "R9", "CX")
	limit(8, 40, "low", "VMAXPS")
	limit(16, 44, "high", "VMINPS")
	store := func(name string, masked bool) {
		each(name, c, stride, func(r int) {
			for v := range t.vectors {
				if masked {
					t.emit("%s %s, K%d, %d(%s)", t.load, t.sum(r, v), v+1, v*t.bytes, c)
				} else {
					t.emit("%s %s, %d(%s)", t.load, t.sum(r, v), v*t.bytes, c)
				}
			}
		})
		t.end()
	}
	if masked {
		t.emit("TESTL $32, DX")
		t.emit("JNZ cut")
	}
	store("whole", false)
	if masked {
		t.label("cut")
		store("partial", true)
	}
}

// pointToVectors points the rows to where their vectors begin.
func (t tile) pointToVectors() {
	pointers := rowPointers[:t.rows]
	t.emit("MOVQ base+8(FP), %s", at)
	t.emit("MOVQ data+0(FP), %s", panel)
	for r, p := range pointers {
		t.emit("MOVQ %d(%s), %s", 8*r, at, p)
		t.emit("LEAQ (%s)(%s*%d), %s", panel, p, t.size(), p)
	}
}

// pointToRun points the rows to the end of the next run; at counts up to 0.
func (t tile) pointToRun() {
	t.emit("MOVQ next-8(SP), %s", at)
	t.emit("ADDQ $16, next-8(SP)")
	t.emit("MOVQ (%s), %s", at, at)
	for _, p := range rowPointers[:t.rows] {
		t.emit("LEAQ (%s)(%s*%d), %s", p, at, t.size(), p)
	}
	t.emit("MOVQ next-8(SP), %s", at)
	t.emit("MOVQ -8(%s), %s", at, at)
	t.emit("NEGQ %s", at)
}

// gatherStep multiplies depth k of the panel by the rows' elements at at+offset.
func (t tile) gatherStep(k, offset int) {
	if t.vectors == 1 && t.vector == "Z" {
		// One column vector: a row's value is used once, so that a broadcast of its own would not pay.
		t.emit("%s %d(%s), %s", t.load, k*t.panelB*t.size(), panel, t.column(0))
		for r := range t.rows {
			t.emit("VFMADD231PS.BCST %d(%s)(%s*%d), %s, %s", offset*t.size(), rowPointers[r], at, t.size(), t.column(0), t.sum(r, 0))
		}
		return
	}
	t.step(k, panel, func(r int) string {
		return fmt.Sprintf("%d(%s)(%s*%d)", offset*t.size(), rowPointers[r], at, t.size())
	})
}
