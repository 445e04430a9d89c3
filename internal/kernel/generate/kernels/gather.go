// The micro-kernels whose rows are read where they lie.

package kernels

import "fmt"

// gatherUnroll is the number of elements of a row that one turn of the loop takes.
const gatherUnroll = 8

// The registers of gather: the end of a row's elements, the position before that end, the panel of B, and a temporary.
const at, panel, free = "DI", "DX", "BP"

var rowPointers = []string{"AX", "BX", "CX", "SI", "R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15"}

// gatherTile is a micro-kernel of one size whose rows are not in a panel. Its columns are vectors of any length,
// defined by the prefixes of their registers: the last one may be shorter than the first.
type gatherTile struct {
	micro
	rows    int
	vectors []string
}

// quads reports whether an element of a row is four bytes, whose rows and runs may begin at any byte, and the sums
// are integers that become floats.
func (t gatherTile) quads() bool { return t.element == "uint32" }

// scale is the unit of indices.
func (t gatherTile) scale() int {
	if t.quads() {
		return 1
	}
	return 4
}

// lanes is how many columns a vector has.
func lanes(vector string) int { return map[string]int{"Y": 8, "Z": 16}[vector] }

// columns is how many columns the tile has.
func (t gatherTile) columns() (n int) {
	for _, v := range t.vectors {
		n += lanes(v)
	}
	return n
}

func (t gatherTile) sum(r, v int) string {
	return fmt.Sprintf("%s%d", t.vectors[v], r*len(t.vectors)+v)
}

func (t gatherTile) column(v int) string {
	return fmt.Sprintf("%s%d", t.vectors[v], t.rows*len(t.vectors)+v)
}

// offset is where vector v begins in a row, in bytes.
func (t gatherTile) offset(v int) int { return v * 4 * lanes(t.vectors[0]) }

// gathers writes the gather kernels of a family of micro-kernels: of all heights, and for the columns of each list of
// vectors.
func (m micro) gathers(heights []int, vectors ...[]string) {
	for _, rows := range heights {
		for _, v := range vectors {
			gatherTile{m, rows, v}.gather()
		}
	}
}

// gather writes the micro-kernel: each row is a sequence of runs of contiguous elements at the same offsets relative to
// the row's start.
func (t gatherTile) gather() {
	// The frame holds the next run, the number of remaining runs, and the prefetch of the next panel; every register has
	// another use, the frame pointer too, which the assembler saves.
	t.FunctionWithFrame(fmt.Sprintf("%sGatherR%dC%d", t.name, t.rows, t.columns()),
		fmt.Sprintf("(data *%s, base *int, runs *piece, count int, b *%s, c *float32, stride int, ahead uintptr, next int, end *tileEnd)",
			map[bool]string{false: "float32", true: "uint8"}[t.quads()], t.element),
		fmt.Sprintf("multiplies rows in place by a panel into a %d×%d tile; see gatherKernel.", t.rows, t.columns()), 24, 80)
	t.Emit("MOVQ runs+16(FP), AX")
	t.Emit("MOVQ AX, next-8(SP)")
	t.Emit("MOVQ count+24(FP), AX")
	t.Emit("MOVQ AX, left-16(SP)")
	t.Emit("MOVQ ahead+56(FP), AX")
	t.Emit("MOVQ AX, ahead-24(SP)")
	t.claim()
	t.pointToVectors()
	t.Emit("MOVQ b+32(FP), %s", panel)
	for r := range t.rows {
		for v := range t.vectors {
			t.Emit("%s %s, %s, %s", t.zero, t.sum(r, v), t.sum(r, v), t.sum(r, v))
		}
	}
	step := t.panelB * 4
	t.Label("run")
	t.pointToRun()
	t.Emit("ADDQ $%d, %s", gatherUnroll, at)
	t.Emit("JGT rest")
	t.Label("loop")
	for k := range gatherUnroll {
		t.ask(k)
		t.step(k, k-gatherUnroll)
	}
	t.Emit("ADDQ $%d, %s", gatherUnroll*step, panel)
	t.Emit("ADDQ $%d, %s", gatherUnroll, at)
	t.Emit("JLE loop")
	t.Label("rest")
	t.Emit("SUBQ $%d, %s", gatherUnroll/2, at)
	t.Emit("JGT tail")
	for k := range gatherUnroll / 2 {
		t.step(k, k-gatherUnroll/2)
	}
	t.Emit("ADDQ $%d, %s", gatherUnroll/2*step, panel)
	t.Emit("ADDQ $%d, %s", gatherUnroll/2, at)
	t.Label("tail")
	t.Emit("SUBQ $%d, %s", gatherUnroll/2, at)
	t.Emit("JZ end")
	t.Label("single")
	t.step(0, 0)
	t.Emit("ADDQ $%d, %s", step, panel)
	t.Emit("INCQ %s", at)
	t.Emit("JNZ single")
	t.Label("end")
	t.Emit("DECQ left-16(SP)")
	t.Emit("JNZ run")

	t.gatherEnd()
}

// claim prefetches the tiles of C and of the other matrix.
func (t gatherTile) claim() {
	t.Emit("MOVQ c+40(FP), R9")
	t.Emit("MOVQ stride+48(FP), R8")
	t.eachLine(t.prefetchWrite)
	t.Emit("MOVQ end+72(FP), AX")
	t.Emit("TESTL $4, 12(AX)")
	t.Emit("JZ claimed")
	t.Emit("MOVQ 24(AX), R9")
	t.Emit("MOVQ 32(AX), R8")
	t.eachLine(func(offset int) { t.Emit("PREFETCHT1 %d(R9)", offset) })
	t.Label("claimed")
}

// eachLine prefetches the lines of a tile at R9, rows R8 elements apart.
func (t gatherTile) eachLine(ask func(offset int)) {
	for r := range t.rows {
		for o := 0; o < 4*t.columns(); o += 64 {
			ask(o)
		}
		if r < t.rows-1 {
			t.Emit("LEAQ (R9)(R8*4), R9")
		}
	}
}

// ask prefetches, in step k of a turn, a part of later data: of the panel, of the rows of the next tile at this depth,
// and of the next panel. Many requests at once would delay the loads of this tile.
func (t gatherTile) ask(k int) {
	if k%4 == 0 {
		t.Emit("PREFETCHT0 %d(%s)", (16+k)*t.panelB*4, panel)
	}
	const half = gatherUnroll / 2
	switch k {
	case 0:
		t.Emit("MOVQ next+64(FP), %s", free)
		t.Emit("LEAQ %d(%s)(%s*4), %s", -4*gatherUnroll, free, at, free)
	case half:
		t.Emit("MOVQ ahead-24(SP), %s", free)
		t.Emit("ADDQ $%d, ahead-24(SP)", half*64)
	}
	if k >= half {
		t.Emit("PREFETCHT1 %d(%s)", (k-half)*64, free)
		return
	}
	for r := k * t.rows / half; r < (k+1)*t.rows/half; r++ {
		t.Emit("PREFETCHT1 (%s)(%s*1)", rowPointers[r], free)
	}
}

// gatherEnd applies tileEnd to the sums and stores them.
func (t gatherTile) gatherEnd() {
	const end, c, stride, rows = "AX", "DI", "R8", "R10"
	t.Emit("MOVQ end+72(FP), %s", end)
	t.Emit("MOVQ c+40(FP), %s", c)
	t.Emit("MOVQ stride+48(FP), %s", stride)
	t.Emit("SHLQ $2, %s", stride)
	t.Emit("MOVLQZX 12(%s), DX", end)
	masked := t.vector == "Z" // the family knows masks
	if masked {
		t.Emit("KMOVW 8(%s), K1", end)
		t.Emit("KMOVW 10(%s), K2", end)
	}
	// each traverses the stored rows, whose number is unknown here.
	each := func(name, from, step string, do func(r int)) {
		t.Emit("MOVQ (%s), %s", end, rows)
		for r := range t.rows {
			do(r)
			if r < t.rows-1 {
				t.Emit("DECQ %s", rows)
				t.Emit("JZ %s", name)
				t.Emit("ADDQ %s, %s", step, from)
			}
		}
		t.Label(name)
	}
	addRows := func(name, from, step string) {
		each(name, from, step, func(r int) {
			for v := range t.vectors {
				if masked {
					t.Emit("%s %d(%s), %s, K%d, %s", t.add, t.offset(v), from, t.sum(r, v), v+1, t.sum(r, v))
				} else {
					t.Emit("%s %d(%s), %s, %s", t.add, t.offset(v), from, t.sum(r, v), t.sum(r, v))
				}
			}
		})
	}
	bound := t.column(0)
	limit := func(bit, offset int, name, op string) {
		t.Emit("TESTL $%d, DX", bit)
		t.Emit("JZ %s", name)
		t.Emit("%s %d(%s), %s", t.broadcast, offset, end, bound)
		for r := range t.rows {
			for v, prefix := range t.vectors {
				// The second source is the result if either is NaN or both are zero.
				t.Emit("%s %s, %s, %s", op, t.sum(r, v), prefix+bound[1:], t.sum(r, v))
			}
		}
		t.Label(name)
	}
	if !t.quads() {
		t.Emit("TESTL $1, DX")
		t.Emit("JZ added")
		t.Emit("MOVQ %s, R9", c)
		addRows("added", "R9", stride)
	}
	t.Emit("TESTL $2, DX")
	t.Emit("JZ biased")
	t.Emit("MOVQ 16(%s), BX", end)
	for v := range t.vectors {
		if masked {
			t.Emit("VMOVUPS.Z %d(BX), K%d, %s", t.offset(v), v+1, t.column(v))
		} else {
			t.Emit("%s %d(BX), %s", t.load, t.offset(v), t.column(v))
		}
		for r := range t.rows {
			t.Emit("%s %s, %s, %s", t.add, t.column(v), t.sum(r, v), t.sum(r, v))
		}
	}
	t.Label("biased")
	if !t.quads() {
		t.Emit("TESTL $4, DX")
		t.Emit("JZ joined")
		t.Emit("MOVQ 24(%s), R9", end)
		t.Emit("MOVQ 32(%s), CX", end)
		t.Emit("SHLQ $2, CX")
		addRows("joined", "R9", "CX")
	}
	if t.quads() {
		for r := range t.rows {
			for v := range t.vectors {
				t.Emit("VCVTDQ2PS %s, %s", t.sum(r, v), t.sum(r, v))
			}
		}
	} else {
		limit(8, 40, "low", "VMAXPS")
		limit(16, 44, "high", "VMINPS")
	}
	store := func(name string, masked bool) {
		each(name, c, stride, func(r int) {
			for v := range t.vectors {
				if masked {
					t.Emit("%s %s, K%d, %d(%s)", t.load, t.sum(r, v), v+1, t.offset(v), c)
				} else {
					t.Emit("%s %s, %d(%s)", t.load, t.sum(r, v), t.offset(v), c)
				}
			}
		})
		t.End()
	}
	if masked {
		t.Emit("TESTL $32, DX")
		t.Emit("JNZ cut")
	}
	store("whole", false)
	if masked {
		t.Label("cut")
		store("partial", true)
	}
}

// pointToVectors points the rows to where their vectors begin.
func (t gatherTile) pointToVectors() {
	pointers := rowPointers[:t.rows]
	t.Emit("MOVQ base+8(FP), %s", at)
	t.Emit("MOVQ data+0(FP), %s", panel)
	for r, p := range pointers {
		t.Emit("MOVQ %d(%s), %s", 8*r, at, p)
		t.Emit("LEAQ (%s)(%s*%d), %s", panel, p, t.scale(), p)
	}
}

// pointToRun points the rows to the end of the next run; at counts up to 0.
func (t gatherTile) pointToRun() {
	t.Emit("MOVQ next-8(SP), %s", at)
	t.Emit("ADDQ $16, next-8(SP)")
	t.Emit("MOVQ (%s), %s", at, at)
	for _, p := range rowPointers[:t.rows] {
		t.Emit("LEAQ (%s)(%s*%d), %s", p, at, t.scale(), p)
	}
	t.Emit("MOVQ next-8(SP), %s", at)
	t.Emit("MOVQ -8(%s), %s", at, at)
	t.Emit("NEGQ %s", at)
}

// step multiplies depth k of the panel by the rows' elements at at+offset.
func (t gatherTile) step(k, offset int) {
	for v := range t.vectors {
		t.Emit("%s %d(%s), %s", t.load, k*t.panelB*4+t.offset(v), panel, t.column(v))
	}
	for r, p := range rowPointers[:t.rows] {
		value := fmt.Sprintf("%d(%s)(%s*4)", offset*4, p, at)
		if len(t.vectors) == 1 && t.vector == "Z" && !t.quads() {
			// A row's value is used once, so that a broadcast of its own would not pay.
			t.Emit("VFMADD231PS.BCST %s, %s, %s", value, t.column(0), t.sum(r, 0))
			continue
		}
		row := t.rowValue(r)
		t.Emit("%s %s, %s%d", t.broadcast, value, t.vectors[0], row)
		for v, prefix := range t.vectors {
			t.multiply(fmt.Sprintf("%s%d", prefix, row), t.column(v), t.sum(r, v), "")
		}
	}
}

// rowValue is the number of the register that holds row r's value.
func (t gatherTile) rowValue(r int) int {
	first := (t.rows + 1) * len(t.vectors)
	count := map[string]int{"Y": 16, "Z": 32}[t.vector] - first
	return first + r%count
}
