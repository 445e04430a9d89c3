// Row operations in float64: minima, sums in eight running sums, products of pairs of rows.

package main

import "fmt"

// rowSums writes the float64 row operations: minima, and operations that end in eight running sums.
func (a *assembler) rowSums() {
	a.lower()
	a.addDistances()
	a.sumExp()
	a.logarithms()
}

func (a *assembler) lower() {
	a.function("lowerAVX2", "(best *float64, at *int64, c *float64, blocks int, offset float64, index int64)",
		"lowers 4·blocks elements of best to offset − 2·c; see Lower.", 48)
	a.emit("MOVQ best+0(FP), DI")
	a.emit("MOVQ at+8(FP), DX")
	a.emit("MOVQ c+16(FP), SI")
	a.emit("MOVQ blocks+24(FP), CX")
	a.emit("VBROADCASTSD offset+32(FP), Y0")
	a.emit("VPBROADCASTQ index+40(FP), Y1")
	a.label("loop")
	a.emit("VMOVUPD (SI), Y2")
	a.emit("VADDPD Y2, Y2, Y2")
	a.emit("VSUBPD Y2, Y0, Y2")
	a.emit("VMOVUPD (DI), Y3")
	a.emit("VCMPPD $1, Y3, Y2, Y4") // less than best
	a.emit("VBLENDVPD Y4, Y2, Y3, Y3")
	a.emit("VMOVUPD Y3, (DI)")
	a.emit("VMOVUPD (DX), Y3")
	a.emit("VBLENDVPD Y4, Y1, Y3, Y3")
	a.emit("VMOVUPD Y3, (DX)")
	for _, p := range []string{"DI", "DX", "SI"} {
		a.emit("ADDQ $32, %s", p)
	}
	a.emit("DECQ CX")
	a.emit("JNZ loop")
	a.end()
}

func (a *assembler) addDistances() {
	a.function("addDistancesAVX2", "(sums8 *lanes, c, norms, sums *float64, small *int32, blocks int, norm, share float64) int",
		"adds the distances of 8·blocks products and returns how many are too small; see AddDistances.", 72)
	a.emit("MOVQ sums8+0(FP), R10")
	a.emit("MOVQ c+8(FP), DI")
	a.emit("MOVQ norms+16(FP), SI")
	a.emit("MOVQ sums+24(FP), DX")
	a.emit("MOVQ small+32(FP), R9")
	a.emit("MOVQ R9, R11")
	a.emit("MOVQ blocks+40(FP), CX")
	a.emit("VBROADCASTSD norm+48(FP), Y0")
	a.emit("VBROADCASTSD share+56(FP), Y1")
	a.emit("VMOVUPD (R10), Y14")
	a.emit("VMOVUPD 32(R10), Y15")
	a.emit("XORL R8, R8")
	a.label("loop")
	for half := range 2 {
		both, square := fmt.Sprintf("Y%d", 2+half), fmt.Sprintf("Y%d", 4+half)
		cut, sum := fmt.Sprintf("Y%d", 6+half), fmt.Sprintf("Y%d", 14+half)
		offset := 32 * half
		a.emit("VADDPD %d(SI), Y0, %s", offset, both)
		a.emit("VMOVUPD %d(DI), %s", offset, square)
		a.emit("VADDPD %s, %s, %s", square, square, square)
		a.emit("VSUBPD %s, %s, %s", square, both, square)
		a.emit("VMULPD %s, Y1, %s", both, both)
		a.emit("VCMPPD $1, %s, %s, %s", both, square, cut) // square < share·both
		a.emit("VSQRTPD %s, %s", square, square)
		a.emit("VANDNPD %s, %s, %s", square, cut, square)
		a.emit("VADDPD %d(DX), %s, %s", offset, square, both)
		a.emit("VMOVUPD %s, %d(DX)", both, offset)
		a.emit("VADDPD %s, %s, %s", square, sum, sum)
	}
	a.emit("VMOVMSKPD Y6, AX")
	a.emit("VMOVMSKPD Y7, BX")
	a.emit("SHLL $4, BX")
	a.emit("ORL BX, AX")
	a.appendIndices("R9")
	for _, p := range []string{"DI", "SI", "DX"} {
		a.emit("ADDQ $64, %s", p)
	}
	a.emit("ADDL $8, R8")
	a.emit("DECQ CX")
	a.emit("JNZ loop")
	a.emit("VMOVUPD Y14, (R10)")
	a.emit("VMOVUPD Y15, 32(R10)")
	a.emit("SUBQ R11, R9")
	a.emit("SHRQ $2, R9")
	a.emit("MOVQ R9, ret+64(FP)")
	a.end()
}

func (a *assembler) sumExp() {
	a.function("sumExpAVX2", "(sums8 *lanes, x, table *float64, blocks int, scale, shift float64)",
		"adds the exponentials of 8·blocks elements; see SumExp and expTable.", 48)
	a.emit("MOVQ sums8+0(FP), R10")
	a.emit("VMOVUPD (R10), Y14")
	a.emit("VMOVUPD 32(R10), Y15")
	a.exponentials(func() {
		a.emit("VADDPD Y8, Y14, Y14")
		a.emit("VADDPD Y9, Y15, Y15")
	})
	a.emit("VMOVUPD Y14, (R10)")
	a.emit("VMOVUPD Y15, 32(R10)")
	a.end()

	a.function("expAVX2", "(dst, x, table *float64, blocks int, scale, shift float64)",
		"writes the exponentials of 8·blocks elements; see Exp and expTable.", 48)
	a.emit("MOVQ dst+0(FP), R10")
	a.exponentials(func() {
		a.emit("VMOVUPD Y8, (R10)")
		a.emit("VMOVUPD Y9, 32(R10)")
		a.emit("ADDQ $64, R10")
	})
	a.end()
}

// exponentials has use take the exponentials of eight elements after the other, in Y8 and Y9.
func (a *assembler) exponentials(use func()) {
	const coefficients = 14
	a.emit("MOVQ x+8(FP), SI")
	a.emit("MOVQ table+16(FP), DX")
	a.emit("MOVQ blocks+24(FP), CX")
	a.emit("VBROADCASTSD scale+32(FP), Y0")
	a.emit("VBROADCASTSD shift+40(FP), Y1")
	a.emit("VXORPD Y13, Y13, Y13")
	a.emit("VMOVUPD 64(DX), Y12") // expRound
	a.label("loop")
	x := []string{"Y2", "Y3"}
	integer := []string{"Y4", "Y5"}
	n := []string{"Y6", "Y7"}
	p := []string{"Y8", "Y9"}
	both := func(format string, registers ...[]string) {
		for half := range 2 {
			var args []any
			for _, r := range registers {
				args = append(args, r[half])
			}
			a.emit(format, args...)
		}
	}
	a.emit("VMOVUPD (SI), Y2")
	a.emit("VMOVUPD 32(SI), Y3")
	both("VFMADD213PD Y1, Y0, %s", x)
	both("VMINPD Y13, %s, %s", x, x)
	both("VMAXPD (DX), %s, %s", x, x)
	both("VMOVAPD Y12, %s", integer)
	both("VFMADD231PD 32(DX), %s, %s", x, integer)
	both("VSUBPD Y12, %s, %s", integer, n)
	both("VFMADD231PD 96(DX), %s, %s", n, x)
	both("VFMADD231PD 128(DX), %s, %s", n, x)
	both("VMOVUPD 160(DX), %s", p)
	for k := 1; k < coefficients; k++ {
		for half := range 2 {
			a.emit("VFMADD213PD %d(DX), %s, %s", 160+32*k, x[half], p[half])
		}
	}
	both("VPSLLQ $52, %s, %s", integer, integer)
	both("VPADDQ %s, %s, %s", integer, p, p)
	use()
	a.emit("ADDQ $64, SI")
	a.emit("DECQ CX")
	a.emit("JNZ loop")
}

// pairSums is the number of running sums of a product of two rows in float64; in float32, chainDepth depths make
// chainLanes chains.
const pairSums, chainLanes, chainDepth = 32, 64, 256

// pairs writes the float64 products of pairs of rows, in pairSums running sums.
func (a *assembler) pairs() {
	for _, w := range a.widths() {
		w.addProducts()
		w.addChains()
	}
	a.widen()
}

func (w width) addProducts() {
	vectors := 8 * pairSums / w.bytes
	w.function("addProducts"+w.name, "(sums, y *float64, x *float32, stride int, index *int32, count, blocks int, ahead, end uintptr)",
		"adds Σ x·y over 32·blocks depths for count rows of x; meanwhile it asks for the memory from ahead to end.", 72)
	w.firstPair()
	w.emit("MOVQ ahead+56(FP), R12")
	w.emit("MOVQ end+64(FP), R13")
	w.label("row")
	w.rowOfPair(0)
	w.emit("MOVQ y+8(FP), DX")
	w.emit("MOVQ blocks+48(FP), CX")
	for v := range vectors {
		w.emit("VXORPD %[1]s, %[1]s, %[1]s", w.reg(v))
	}
	w.label("loop")
	w.askAhead("ready")
	for v := range vectors {
		value := w.reg(vectors + v%4)
		w.emit("VCVTPS2PD %d(SI), %s", w.bytes/2*v, value)
		w.emit("VFMADD231PD %d(DX), %s, %s", w.bytes*v, value, w.reg(v))
	}
	w.emit("ADDQ $%d, SI", 4*pairSums)
	w.emit("ADDQ $%d, DX", 8*pairSums)
	w.emit("DECQ CX")
	w.emit("JNZ loop")
	for half := vectors / 2; half*w.bytes >= 64; half /= 2 {
		for v := range half {
			w.emit("VADDPD %s, %s, %s", w.reg(v+half), w.reg(v), w.reg(v))
		}
	}
	if w.bytes == 64 {
		w.emit("VEXTRACTF64X4 $1, Z0, Y1")
	}
	w.nextPair()
	w.end()
}

// firstPair begins the loop over the rows of x.
func (w width) firstPair() {
	w.emit("MOVQ sums+0(FP), DI")
	w.emit("MOVQ x+16(FP), R8")
	w.emit("MOVQ stride+24(FP), R9")
	w.emit("SHLQ $2, R9")
	w.emit("MOVQ index+32(FP), R10")
	w.emit("MOVQ count+40(FP), R11")
}

// rowOfPair sets SI to the next row, or to one of those after it.
func (w width) rowOfPair(r int) {
	w.emit("MOVLQSX %d(R10), SI", 4*r)
	w.emit("IMULQ R9, SI")
	w.emit("ADDQ R8, SI")
}

// askAhead prefetches the next line of the memory from R12 to R13 and goes on at a label.
func (w width) askAhead(register string) {
	w.emit("CMPQ R12, R13")
	w.emit("JCC %s", register)
	w.emit("PREFETCHT0 (R12)")
	w.emit("ADDQ $64, R12")
	w.label(register)
}

// addChains writes the float32 products of pairs of rows of chainDepth elements, in chainLanes chains.
func (w width) addChains() {
	together := 1 // rows
	if w.bytes == 64 {
		together = 4
	}
	w.functionWithFrame("addChains"+w.name,
		"(sums *float64, y, x *float32, stride int, index *int32, count int, ahead, end uintptr)",
		"adds Σ x·y over 256 depths for count rows of x; meanwhile it asks for the memory from ahead to end.",
		(together*128+64)*(together/4), 64)
	w.emit("MOVQ y+8(FP), DX")
	w.emit("MOVQ ahead+48(FP), R12")
	w.emit("MOVQ end+56(FP), R13")
	w.firstPair()
	if together > 1 {
		for v := range chainVectors {
			w.emit("VMOVUPS %d(DX), %s", w.bytes*v, w.reg(chainVectors+v))
		}
		w.fourChains()
	}
	w.label("row")
	w.rowOfPair(0)
	w.askAhead("ready")
	if together > 1 {
		w.chains(0, 0)
		w.emit("VEXTRACTF64X4 $1, Z0, Y1")
	} else {
		w.narrowChains()
	}
	w.nextPair()
	w.label("done")
	w.end()
}

// chainVectors is the number of vectors of chainDepth elements where these have 64 bytes; y is held in the upper
// registers.
const chainVectors = 16

// fourChains writes the loop over four rows at a time, whose last sums are added together.
func (w width) fourChains() {
	w.emit("LEAQ 63(SP), BX")
	w.emit("ANDQ $-64, BX")
	w.emit("SUBQ $4, R11")
	w.emit("JLT rest")
	w.label("four")
	for r := range 4 {
		w.rowOfPair(r)
		w.askAhead(fmt.Sprintf("ready%d", r))
		w.chains(r, []int{8, 10, 9, 11}[r]) // rows 0, 2, 1, 3
	}
	w.emit("VINSERTF64X4 $1, Y9, Z8, Z0")
	w.emit("VSHUFF64X2 $0xee, Z9, Z8, Z1")
	w.emit("VADDPD Z1, Z0, Z0") // four sums of rows 0 and 2
	w.emit("VINSERTF64X4 $1, Y11, Z10, Z2")
	w.emit("VSHUFF64X2 $0xee, Z11, Z10, Z3")
	w.emit("VADDPD Z3, Z2, Z2") // of rows 1 and 3
	w.emit("VSHUFF64X2 $0x88, Z2, Z0, Z1")
	w.emit("VSHUFF64X2 $0xdd, Z2, Z0, Z3")
	w.emit("VADDPD Z3, Z1, Z0") // two of rows 0, 2, 1, 3
	w.emit("VPERMILPD $0x55, Z0, Z1")
	w.emit("VADDPD Z1, Z0, Z0")
	w.emit("VEXTRACTF64X4 $1, Z0, Y1")
	w.emit("VUNPCKLPD Y1, Y0, Y0")
	w.emit("VADDPD (DI), Y0, Y0")
	w.emit("VMOVUPD Y0, (DI)")
	w.emit("ADDQ $32, DI")
	w.emit("ADDQ $16, R10")
	w.emit("SUBQ $4, R11")
	w.emit("JGE four")
	w.label("rest")
	w.emit("ADDQ $4, R11")
	w.emit("JZ done")
}

// chains sets a register to eight sums of the row at SI: 64 and 32 sums are in float32. They are widened on their way
// from the memory at BX, slot r, which takes half of the time from a register.
func (w width) chains(r, to int) {
	for v := range chainVectors {
		operation := "VFMADD231PS"
		if v < 4 {
			operation = "VMULPS"
		}
		w.emit("%s %d(SI), %s, %s", operation, w.bytes*v, w.reg(chainVectors+v), w.reg(v%4))
	}
	for v := range 2 {
		w.emit("VADDPS %s, %s, %s", w.reg(v+2), w.reg(v), w.reg(v))
		w.emit("VMOVUPS %s, %d(BX)", w.reg(v), 128*r+64*v)
	}
	for q := range 4 {
		w.emit("VCVTPS2PD %d(BX), %s", 128*r+32*q, w.reg(4+q))
	}
	w.emit("VADDPD Z6, Z4, Z4")
	w.emit("VADDPD Z7, Z5, Z5")
	w.emit("VADDPD Z5, Z4, %s", w.reg(to))
}

// narrowChains sets Y0 and Y1 to eight sums of the row at SI.
func (w width) narrowChains() {
	const vectors, chains = 32, 8
	for v := range vectors {
		x := w.reg(chains + v%(16-chains))
		w.emit("VMOVUPS %d(SI), %s", w.bytes*v, x)
		operation := "VFMADD231PS"
		if v < chains {
			operation = "VMULPS"
		}
		w.emit("%s %d(DX), %s, %s", operation, w.bytes*v, x, w.reg(v%chains))
	}
	// 64 and 32 sums in float32, the rest in float64.
	for v := range chains / 2 {
		w.emit("VADDPS %s, %s, %s", w.reg(v+chains/2), w.reg(v), w.reg(v))
	}
	for v := range chains / 2 {
		w.emit("VEXTRACTF128 $1, %s, X4", w.reg(v))
		w.emit("VCVTPS2PD X%d, %s", v, w.reg(chains+2*v))
		w.emit("VCVTPS2PD X4, %s", w.reg(chains+2*v+1))
	}
	for half := chains / 2; half*w.bytes >= 64; half /= 2 {
		for v := range half {
			to := chains + v
			if half*w.bytes == 64 {
				to = v
			}
			w.emit("VADDPD %s, %s, %s", w.reg(chains+v+half), w.reg(chains+v), w.reg(to))
		}
	}
}

// nextPair adds the upper half of the eight float64 sums in Y0 and Y1 to the lower until one remains. It adds this one
// to the pair's sum, and goes on to the next row.
func (w width) nextPair() {
	w.emit("VADDPD Y1, Y0, Y0")
	w.emit("VEXTRACTF128 $1, Y0, X1")
	w.emit("VADDPD X1, X0, X0")
	w.emit("VPERMILPD $1, X0, X1")
	w.emit("VADDSD X1, X0, X0")
	w.emit("VADDSD (DI), X0, X0")
	w.emit("VMOVSD X0, (DI)")
	w.emit("ADDQ $8, DI")
	w.emit("ADDQ $4, R10")
	w.emit("DECQ R11")
	w.emit("JNZ row")
}

func (a *assembler) widen() {
	a.function("widenAVX2", "(dst *float64, src *float32, blocks int)", "is dst[k] ← src[k] for 16·blocks elements.", 24)
	a.emit("MOVQ dst+0(FP), DI")
	a.emit("MOVQ src+8(FP), SI")
	a.emit("MOVQ blocks+16(FP), CX")
	a.label("loop")
	for v := range 4 {
		a.emit("VCVTPS2PD %d(SI), Y%d", 16*v, v)
		a.emit("VMOVUPD Y%d, %d(DI)", v, 32*v)
	}
	a.emit("ADDQ $64, SI")
	a.emit("ADDQ $128, DI")
	a.emit("DECQ CX")
	a.emit("JNZ loop")
	a.end()
}
