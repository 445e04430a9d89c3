// The micro-kernels of matrix products. One multiplies a panel of A (depth × rows) by a panel of B (depth × columns).
// The tile of C stays in registers. At each depth the columns are loaded once, each row's value is broadcast, and every
// element of the tile takes one fused multiply-add. The order of additions is therefore the depth order whatever the
// tile.

package kernels

import "fmt"

// micro describes a family of micro-kernels.
type micro struct {
	*assembler
	name           string
	element        string // of the panels
	result         string
	shift          int    // log2 of the size of an element
	vector         string // register prefix: Y or Z
	bytes          int    // of a vector
	panelA, panelB int    // elements
	zero, load     string
	broadcast      string
	add            string
	multiply       func(row, column, sum, scratch string)
	pairs          bool   // multiply needs scratch
	convert        string // of sums to the result, or ""
}

// tile is a micro-kernel of one size: the sums of rows × vectors stay in registers, the next ones hold the vectors of a
// depth's columns, and the rest holds broadcasts of rows.
type tile struct {
	micro
	rows, vectors int
}

func (t tile) register(i int) string { return fmt.Sprintf("%s%d", t.vector, i) }
func (t tile) sum(r, v int) string   { return t.register(r*t.vectors + v) }
func (t tile) column(v int) string   { return t.register(t.rows*t.vectors + v) }
func (t tile) size() int             { return 1 << t.shift }

// registers is the number of vector registers.
func (t tile) registers() int { return map[string]int{"Y": 16, "Z": 32}[t.vector] }

// scratch is the register that products without fused addition need, or "".
func (t tile) scratch() string {
	if t.pairs {
		return t.register(t.registers() - 1)
	}
	return ""
}

// broadcastTo is the register that holds row r's value.
func (t tile) broadcastTo(r int) string {
	first := t.rows*t.vectors + t.vectors
	free := t.registers() - first
	if t.scratch() != "" {
		free--
	}
	return t.register(first + r%free)
}

// clear sets the sums to zero.
func (t tile) clear() {
	for i := range t.rows * t.vectors {
		t.Emit("%s %s, %s, %s", t.zero, t.register(i), t.register(i), t.register(i))
	}
}

// step multiplies depth k of the right panel by the rows' values at these addresses.
func (t tile) step(k int, panel string, value func(r int) string) {
	for v := range t.vectors {
		t.Emit("%s %d(%s), %s", t.load, k*t.panelB*t.size()+v*t.bytes, panel, t.column(v))
	}
	for r := range t.rows {
		row := t.broadcastTo(r)
		t.Emit("%s %s, %s", t.broadcast, value(r), row)
		for v := range t.vectors {
			t.multiply(row, t.column(v), t.sum(r, v), t.scratch())
		}
	}
}

// finish stores the sums at DI, rows R8 bytes apart, or adds them to the old values if AX is not zero.
func (t tile) finish() {
	t.Emit("TESTL AX, AX")
	t.Emit("JZ store")
	t.Emit("MOVQ DI, R9")
	for r := range t.rows {
		for v := range t.vectors {
			t.Emit("%s %d(R9), %s, %s", t.add, v*t.bytes, t.sum(r, v), t.sum(r, v))
		}
		if r < t.rows-1 {
			t.Emit("ADDQ R8, R9")
		}
	}
	t.Label("store")
	for r := range t.rows {
		for v := range t.vectors {
			t.Emit("%s %s, %d(DI)", t.load, t.sum(r, v), v*t.bytes)
		}
		if r < t.rows-1 {
			t.Emit("ADDQ R8, DI")
		}
	}
	t.End()
}

// unroll is the number of depths that one turn of a product's loop takes.
const unroll = 8

// roundedDepth is the number of depths whose products are added before the sums are converted.
const roundedDepth = 64

// linkDepth is the number of depths whose products make one link of a linked kernel's sums.
const linkDepth = 32

// product writes the micro-kernel whose operands lie in panels; linked, the one that keeps the sum of links in memory.
func (t tile) product(linked bool) {
	size := fmt.Sprintf("%d×%d tile", t.rows, t.vectors*t.bytes/t.size())
	if linked {
		t.Function(fmt.Sprintf("%sLinksR%dV%d", t.name, t.rows, t.vectors),
			fmt.Sprintf("(depth int, a, b *%s, c *%s, stride int, ahead uintptr, add bool, sum *%s)", t.element, t.result, t.result),
			fmt.Sprintf("multiplies panels into a %s, in links; see linkKernel.", size), 64)
		t.Emit("XORQ BX, BX")
		t.Emit("MOVQ $%d, R14", linkDepth/unroll)
	} else {
		t.Function(fmt.Sprintf("%sR%dV%d", t.name, t.rows, t.vectors),
			fmt.Sprintf("(depth int, a, b *%s, c *%s, stride int, ahead uintptr, add bool)", t.element, t.result),
			fmt.Sprintf("multiplies panels into a %s; see microKernel.", size), 49)
	}
	t.Emit("MOVQ depth+0(FP), CX")
	t.Emit("MOVQ a+8(FP), SI")
	t.Emit("MOVQ b+16(FP), DX")
	t.Emit("MOVQ c+24(FP), DI")
	t.Emit("MOVQ stride+32(FP), R8")
	t.Emit("MOVQ ahead+40(FP), R10")
	t.Emit("MOVBLZX add+48(FP), AX")
	t.Emit("SHLQ $%d, R8", t.shift)
	t.Emit("MOVQ DI, R9")
	t.Emit("MOVQ R8, R11")
	t.Emit("MOVQ $%d, R12", t.rows-1)
	t.Emit("XORQ R13, R13")
	if t.convert != "" {
		t.Emit("MOVQ $%d, R14", roundedDepth/unroll)
	}
	t.clear()
	t.Emit("SUBQ $%d, CX", unroll)
	t.Emit("JLT tail")
	t.Label("loop")
	for k := range unroll {
		t.prefetch(k)
		t.packedStep(k)
	}
	t.Emit("ADDQ $%d, SI", unroll*t.panelA*t.size())
	t.Emit("ADDQ $%d, DX", unroll*t.panelB*t.size())
	if linked {
		t.link()
	}
	if t.convert != "" {
		t.round()
	}
	t.Emit("SUBQ $%d, CX", unroll)
	t.Emit("JGE loop")
	t.Label("tail")
	t.Emit("ADDQ $%d, CX", unroll)
	t.Emit("JZ done")
	t.Label("single")
	t.packedStep(0)
	t.Emit("ADDQ $%d, SI", t.panelA*t.size())
	t.Emit("ADDQ $%d, DX", t.panelB*t.size())
	t.Emit("DECQ CX")
	t.Emit("JNZ single")
	t.Label("done")
	if linked {
		t.Emit("TESTQ BX, BX")
		t.Emit("JZ whole")
		t.addLinks()
		t.Label("whole")
	}
	if t.convert != "" {
		t.converted()
	}
	t.finish()
}

// converted converts the sums.
func (t tile) converted() {
	for i := range t.rows * t.vectors {
		t.Emit("%s %s, %s", t.convert, t.register(i), t.register(i))
	}
}

// round ends, every roundedDepth depths except the last, sums that are converted. It stores them at DI, or adds them
// to the old values if AX is not zero, and begins the next, which are added.
func (t tile) round() {
	t.Emit("DECQ R14")
	t.Emit("JNZ exact")
	t.Emit("TESTQ CX, CX")
	t.Emit("JZ exact")
	t.converted()
	each := func(do func(address, sum string)) {
		t.Emit("MOVQ DI, BX")
		for r := range t.rows {
			for v := range t.vectors {
				do(fmt.Sprintf("%d(BX)", v*t.bytes), t.sum(r, v))
			}
			if r < t.rows-1 {
				t.Emit("ADDQ R8, BX")
			}
		}
	}
	t.Emit("TESTL AX, AX")
	t.Emit("JZ begun")
	each(func(address, sum string) { t.Emit("%s %s, %s, %s", t.add, address, sum, sum) })
	t.Label("begun")
	each(func(address, sum string) { t.Emit("%s %s, %s", t.load, sum, address) })
	t.clear()
	t.Emit("MOVL $1, AX")
	t.Emit("MOVQ $%d, R14", roundedDepth/unroll)
	t.Label("exact")
}

// link ends a link, except for the last: it adds the sums to the earlier links and begins the next.
func (t tile) link() {
	t.Emit("DECQ R14")
	t.Emit("JNZ same")
	t.Emit("TESTQ CX, CX")
	t.Emit("JZ same")
	t.Emit("TESTQ BX, BX")
	t.Emit("JZ first")
	t.addLinks()
	t.Label("first")
	t.Emit("MOVQ sum+56(FP), BX")
	for i := range t.rows * t.vectors {
		t.Emit("%s %s, %d(BX)", t.load, t.register(i), i*t.bytes)
	}
	t.clear()
	t.Emit("MOVQ $%d, R14", linkDepth/unroll)
	t.Label("same")
}

// addLinks adds the sums of the links at BX.
func (t tile) addLinks() {
	for i := range t.rows * t.vectors {
		t.Emit("%s %d(BX), %s, %s", t.add, i*t.bytes, t.register(i), t.register(i))
	}
}

// packedStep multiplies depth k of both panels.
func (t tile) packedStep(k int) {
	t.step(k, "DX", func(r int) string { return fmt.Sprintf("%d(SI)", (k*t.panelA+r)*t.size()) })
}

// prefetch prefetches, in step k of a turn, a part of later data.
func (t tile) prefetch(k int) {
	// The tile of C and a part of the next panel are prefetched gradually: many requests at once would delay the loads of
	// this panel.
	switch k {
	case 0:
		t.prefetchWrite(0)
	case 2:
		t.Emit("PREFETCHT1 (R10)")
		t.Emit("ADDQ $64, R10")
	case 4:
		if t.vectors*t.bytes > 64 {
			t.prefetchWrite(64)
		}
	case 6:
		t.prefetchWrite(t.vectors*t.bytes - 1)
		// The next row, or the last one again.
		t.Emit("ADDQ R11, R9")
		t.Emit("DECQ R12")
		t.Emit("CMOVQEQ R13, R11")
	}
	// Both panels lie in the second-level cache beyond the capacity of the first.
	right, leftBytes := t.panelB*t.size(), t.panelA*t.size()
	for at := k * right; at < (k+1)*right; at += 64 {
		t.Emit("PREFETCHT0 %d(DX)", at+unroll*right)
	}
	for offset := k * leftBytes / 64 * 64; offset < (k+1)*leftBytes; offset += 64 {
		if offset >= k*leftBytes {
			t.Emit("PREFETCHT0 %d(SI)", offset+unroll*leftBytes)
		}
	}
}

// prefetchWrite emits PREFETCHW offset(R9), which Go's assembler does not know.
func (a *assembler) prefetchWrite(offset int) {
	a.Emit("BYTE $0x41; BYTE $0x0f; BYTE $0x0d; BYTE $0x49; BYTE $0x%02x // PREFETCHW %d(R9)", offset, offset)
}

// micros writes the micro-kernels of all element types and tile sizes.
func (a *assembler) micros() {
	fused := func(op string) func(row, column, sum, scratch string) {
		return func(row, column, sum, _ string) { a.Emit("%s %s, %s, %s", op, column, row, sum) }
	}
	wide := []micro{
		{name: "float32AVX512", element: "float32", result: "float32", shift: 2, panelA: 12, panelB: 32,
			zero: "VPXORD", load: "VMOVUPS", broadcast: "VBROADCASTSS", add: "VADDPS", multiply: fused("VFMADD231PS")},
		{name: "float64AVX512", element: "float64", result: "float64", shift: 3, panelA: 12, panelB: 16,
			zero: "VPXORD", load: "VMOVUPD", broadcast: "VBROADCASTSD", add: "VADDPD", multiply: fused("VFMADD231PD")},
		// The row holds four unsigned bytes, the column four signed ones per lane.
		{name: "uint8AVX512", element: "uint32", result: "int32", shift: 2, panelA: 12, panelB: 32,
			zero: "VPXORD", load: "VMOVDQU32", broadcast: "VPBROADCASTD", add: "VPADDD", multiply: fused("VPDPBUSD")},
		// Both hold two signed 16-bit numbers per lane.
		{name: "int16AVX512", element: "uint32", result: "float32", shift: 2, panelA: 12, panelB: 32,
			zero: "VPXORD", load: "VMOVDQU32", broadcast: "VPBROADCASTD", add: "VADDPS", multiply: fused("VPDPWSSD"), convert: "VCVTDQ2PS"},
	}
	a.tiles(wide, "Z", 64, []int{4, 8, 12})
	wide[0].gathers([]int{4, 8, 12}, []string{"Y"}, []string{"Z"}, []string{"Z", "Y"}, []string{"Z", "Z"})
	wide[2].gathers([]int{4, 8, 12}, []string{"Z"}, []string{"Z", "Z"})
	pairs := func(row, column, sum, scratch string) {
		a.Emit("VPMADDWD %s, %s, %s", column, row, scratch)
		a.Emit("VPADDD %s, %s, %s", scratch, sum, sum)
	}
	narrow := []micro{
		{name: "float32AVX2", element: "float32", result: "float32", shift: 2, panelA: 6, panelB: 16,
			zero: "VXORPS", load: "VMOVUPS", broadcast: "VBROADCASTSS", add: "VADDPS", multiply: fused("VFMADD231PS")},
		{name: "float64AVX2", element: "float64", result: "float64", shift: 3, panelA: 6, panelB: 8,
			zero: "VXORPD", load: "VMOVUPD", broadcast: "VBROADCASTSD", add: "VADDPD", multiply: fused("VFMADD231PD")},
		// Pairs of 16-bit numbers below 256: no intermediate result overflows.
		{name: "uint8AVX2", element: "uint32", result: "int32", shift: 2, panelA: 6, panelB: 16,
			zero: "VPXOR", load: "VMOVDQU", broadcast: "VPBROADCASTD", add: "VPADDD", multiply: pairs, pairs: true},
		// Signed ones, whose sums wrap around.
		{name: "int16AVX2", element: "uint32", result: "float32", shift: 2, panelA: 6, panelB: 16,
			zero: "VPXOR", load: "VMOVDQU", broadcast: "VPBROADCASTD", add: "VADDPS", multiply: pairs, pairs: true, convert: "VCVTDQ2PS"},
	}
	a.tiles(narrow, "Y", 32, []int{2, 4, 6})
	tile{wide[0], 12, 2}.product(true)
	tile{narrow[0], 6, 2}.product(true)
	narrow[0].gathers([]int{2, 4, 6}, []string{"Y"}, []string{"Y", "Y"})
}

// tiles writes the micro-kernels of one vector length.
func (a *assembler) tiles(micros []micro, vector string, bytes int, heights []int) {
	for i := range micros {
		micros[i].assembler, micros[i].vector, micros[i].bytes = a, vector, bytes
		m := micros[i]
		for _, rows := range heights {
			for vectors := 1; vectors <= 2; vectors++ {
				tile{m, rows, vectors}.product(false)
			}
		}
	}
}
