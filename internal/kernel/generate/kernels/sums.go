// Row operations in float64: minima, sums in eight running sums, products of pairs of rows.

package kernels

import "fmt"

// rowSums writes the float64 row operations: minima, and operations that end in eight running sums.
func (a *assembler) rowSums() {
	a.lower()
	a.addDistances()
	a.sumExp()
	a.logarithms()
}

func (a *assembler) lower() {
	a.Function("lowerAVX2", "(best *float64, at *int64, c *float64, blocks int, offset float64, index int64)",
		"lowers 4·blocks elements of best to offset − 2·c; see Lower.", 48)
	a.Emit("MOVQ best+0(FP), DI")
	a.Emit("MOVQ at+8(FP), DX")
	a.Emit("MOVQ c+16(FP), SI")
	a.Emit("MOVQ blocks+24(FP), CX")
	a.Emit("VBROADCASTSD offset+32(FP), Y0")
	a.Emit("VPBROADCASTQ index+40(FP), Y1")
	a.Label("loop")
	a.Emit("VMOVUPD (SI), Y2")
	a.Emit("VADDPD Y2, Y2, Y2")
	a.Emit("VSUBPD Y2, Y0, Y2")
	a.Emit("VMOVUPD (DI), Y3")
	a.Emit("VCMPPD $1, Y3, Y2, Y4") // less than best
	a.Emit("VBLENDVPD Y4, Y2, Y3, Y3")
	a.Emit("VMOVUPD Y3, (DI)")
	a.Emit("VMOVUPD (DX), Y3")
	a.Emit("VBLENDVPD Y4, Y1, Y3, Y3")
	a.Emit("VMOVUPD Y3, (DX)")
	for _, p := range []string{"DI", "DX", "SI"} {
		a.Emit("ADDQ $32, %s", p)
	}
	a.Emit("DECQ CX")
	a.Emit("JNZ loop")
	a.End()
}

func (a *assembler) addDistances() {
	a.Function("addDistancesAVX2", "(sums8 *lanes, c, norms, sums *float64, small *int32, blocks int, norm, share float64) int",
		"adds the distances of 8·blocks products and returns how many are too small; see AddDistances.", 72)
	a.Emit("MOVQ sums8+0(FP), R10")
	a.Emit("MOVQ c+8(FP), DI")
	a.Emit("MOVQ norms+16(FP), SI")
	a.Emit("MOVQ sums+24(FP), DX")
	a.Emit("MOVQ small+32(FP), R9")
	a.Emit("MOVQ R9, R11")
	a.Emit("MOVQ blocks+40(FP), CX")
	a.Emit("VBROADCASTSD norm+48(FP), Y0")
	a.Emit("VBROADCASTSD share+56(FP), Y1")
	a.Emit("VMOVUPD (R10), Y14")
	a.Emit("VMOVUPD 32(R10), Y15")
	a.Emit("XORL R8, R8")
	a.Label("loop")
	for half := range 2 {
		both, square := fmt.Sprintf("Y%d", 2+half), fmt.Sprintf("Y%d", 4+half)
		cut, sum := fmt.Sprintf("Y%d", 6+half), fmt.Sprintf("Y%d", 14+half)
		offset := 32 * half
		a.Emit("VADDPD %d(SI), Y0, %s", offset, both)
		a.Emit("VMOVUPD %d(DI), %s", offset, square)
		a.Emit("VADDPD %s, %s, %s", square, square, square)
		a.Emit("VSUBPD %s, %s, %s", square, both, square)
		a.Emit("VMULPD %s, Y1, %s", both, both)
		a.Emit("VCMPPD $1, %s, %s, %s", both, square, cut) // square < share·both
		a.Emit("VSQRTPD %s, %s", square, square)
		a.Emit("VANDNPD %s, %s, %s", square, cut, square)
		a.Emit("VADDPD %d(DX), %s, %s", offset, square, both)
		a.Emit("VMOVUPD %s, %d(DX)", both, offset)
		a.Emit("VADDPD %s, %s, %s", square, sum, sum)
	}
	a.Emit("VMOVMSKPD Y6, AX")
	a.Emit("VMOVMSKPD Y7, BX")
	a.Emit("SHLL $4, BX")
	a.Emit("ORL BX, AX")
	a.appendIndices("R9")
	for _, p := range []string{"DI", "SI", "DX"} {
		a.Emit("ADDQ $64, %s", p)
	}
	a.Emit("ADDL $8, R8")
	a.Emit("DECQ CX")
	a.Emit("JNZ loop")
	a.Emit("VMOVUPD Y14, (R10)")
	a.Emit("VMOVUPD Y15, 32(R10)")
	a.Emit("SUBQ R11, R9")
	a.Emit("SHRQ $2, R9")
	a.Emit("MOVQ R9, ret+64(FP)")
	a.End()
}

func (a *assembler) sumExp() {
	a.Function("sumExpAVX2", "(sums8 *lanes, x, table *float64, blocks int, scale, shift float64)",
		"adds the exponentials of 8·blocks elements; see SumExp and expTable.", 48)
	a.Emit("MOVQ sums8+0(FP), R10")
	a.Emit("VMOVUPD (R10), Y14")
	a.Emit("VMOVUPD 32(R10), Y15")
	a.exponentials(func() {
		a.Emit("VADDPD Y8, Y14, Y14")
		a.Emit("VADDPD Y9, Y15, Y15")
	})
	a.Emit("VMOVUPD Y14, (R10)")
	a.Emit("VMOVUPD Y15, 32(R10)")
	a.End()

	a.Function("expAVX2", "(dst, x, table *float64, blocks int, scale, shift float64)",
		"writes the exponentials of 8·blocks elements; see Exp and expTable.", 48)
	a.Emit("MOVQ dst+0(FP), R10")
	a.exponentials(func() {
		a.Emit("VMOVUPD Y8, (R10)")
		a.Emit("VMOVUPD Y9, 32(R10)")
		a.Emit("ADDQ $64, R10")
	})
	a.End()
}

// exponentials has use take the exponentials of eight elements after the other, in Y8 and Y9.
func (a *assembler) exponentials(use func()) {
	const coefficients = 14
	a.Emit("MOVQ x+8(FP), SI")
	a.Emit("MOVQ table+16(FP), DX")
	a.Emit("MOVQ blocks+24(FP), CX")
	a.Emit("VBROADCASTSD scale+32(FP), Y0")
	a.Emit("VBROADCASTSD shift+40(FP), Y1")
	a.Emit("VXORPD Y13, Y13, Y13")
	a.Emit("VMOVUPD 64(DX), Y12") // expRound
	a.Label("loop")
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
			a.Emit(format, args...)
		}
	}
	a.Emit("VMOVUPD (SI), Y2")
	a.Emit("VMOVUPD 32(SI), Y3")
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
			a.Emit("VFMADD213PD %d(DX), %s, %s", 160+32*k, x[half], p[half])
		}
	}
	both("VPSLLQ $52, %s, %s", integer, integer)
	both("VPADDQ %s, %s, %s", integer, p, p)
	use()
	a.Emit("ADDQ $64, SI")
	a.Emit("DECQ CX")
	a.Emit("JNZ loop")
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
	vectors := 8 * pairSums / w.Size
	w.Function("addProducts"+w.Name, "(sums, y *float64, x *float32, stride int, index *int32, count, blocks int, ahead, end uintptr)",
		"adds Σ x·y over 32·blocks depths for count rows of x; meanwhile it asks for the memory from ahead to end.", 72)
	w.firstPair()
	w.Emit("MOVQ ahead+56(FP), R12")
	w.Emit("MOVQ end+64(FP), R13")
	w.Label("row")
	w.rowOfPair(0)
	w.Emit("MOVQ y+8(FP), DX")
	w.Emit("MOVQ blocks+48(FP), CX")
	for v := range vectors {
		w.Emit("VXORPD %[1]s, %[1]s, %[1]s", w.Reg(v))
	}
	w.Label("loop")
	w.askAhead("ready")
	for v := range vectors {
		value := w.Reg(vectors + v%4)
		w.Emit("VCVTPS2PD %d(SI), %s", w.Size/2*v, value)
		w.Emit("VFMADD231PD %d(DX), %s, %s", w.Size*v, value, w.Reg(v))
	}
	w.Emit("ADDQ $%d, SI", 4*pairSums)
	w.Emit("ADDQ $%d, DX", 8*pairSums)
	w.Emit("DECQ CX")
	w.Emit("JNZ loop")
	for half := vectors / 2; half*w.Size >= 64; half /= 2 {
		for v := range half {
			w.Emit("VADDPD %s, %s, %s", w.Reg(v+half), w.Reg(v), w.Reg(v))
		}
	}
	if w.Size == 64 {
		w.Emit("VEXTRACTF64X4 $1, Z0, Y1")
	}
	w.nextPair()
	w.End()
}

// firstPair begins the loop over the rows of x.
func (w width) firstPair() {
	w.Emit("MOVQ sums+0(FP), DI")
	w.Emit("MOVQ x+16(FP), R8")
	w.Emit("MOVQ stride+24(FP), R9")
	w.Emit("SHLQ $2, R9")
	w.Emit("MOVQ index+32(FP), R10")
	w.Emit("MOVQ count+40(FP), R11")
}

// rowOfPair sets SI to the next row, or to one of those after it.
func (w width) rowOfPair(r int) {
	w.Emit("MOVLQSX %d(R10), SI", 4*r)
	w.Emit("IMULQ R9, SI")
	w.Emit("ADDQ R8, SI")
}

// askAhead prefetches the next line of the memory from R12 to R13 and goes on at a label.
func (w width) askAhead(register string) {
	w.Emit("CMPQ R12, R13")
	w.Emit("JCC %s", register)
	w.Emit("PREFETCHT0 (R12)")
	w.Emit("ADDQ $64, R12")
	w.Label(register)
}

// addChains writes the float32 products of pairs of rows of chainDepth elements, in chainLanes chains.
func (w width) addChains() {
	together := 1 // rows
	if w.Size == 64 {
		together = 4
	}
	w.FunctionWithFrame("addChains"+w.Name,
		"(sums *float64, y, x *float32, stride int, index *int32, count int, ahead, end uintptr)",
		"adds Σ x·y over 256 depths for count rows of x; meanwhile it asks for the memory from ahead to end.",
		(together*128+64)*(together/4), 64)
	w.Emit("MOVQ y+8(FP), DX")
	w.Emit("MOVQ ahead+48(FP), R12")
	w.Emit("MOVQ end+56(FP), R13")
	w.firstPair()
	if together > 1 {
		for v := range chainVectors {
			w.Emit("VMOVUPS %d(DX), %s", w.Size*v, w.Reg(chainVectors+v))
		}
		w.fourChains()
	}
	w.Label("row")
	w.rowOfPair(0)
	w.askAhead("ready")
	if together > 1 {
		w.chains(0, 0)
		w.Emit("VEXTRACTF64X4 $1, Z0, Y1")
	} else {
		w.narrowChains()
	}
	w.nextPair()
	w.Label("done")
	w.End()
}

// chainVectors is the number of vectors of chainDepth elements where these have 64 bytes; y is held in the upper
// registers.
const chainVectors = 16

// fourChains writes the loop over four rows at a time, whose last sums are added together.
func (w width) fourChains() {
	w.Emit("LEAQ 63(SP), BX")
	w.Emit("ANDQ $-64, BX")
	w.Emit("SUBQ $4, R11")
	w.Emit("JLT rest")
	w.Label("four")
	for r := range 4 {
		w.rowOfPair(r)
		w.askAhead(fmt.Sprintf("ready%d", r))
		w.chains(r, []int{8, 10, 9, 11}[r]) // rows 0, 2, 1, 3
	}
	w.Emit("VINSERTF64X4 $1, Y9, Z8, Z0")
	w.Emit("VSHUFF64X2 $0xee, Z9, Z8, Z1")
	w.Emit("VADDPD Z1, Z0, Z0") // four sums of rows 0 and 2
	w.Emit("VINSERTF64X4 $1, Y11, Z10, Z2")
	w.Emit("VSHUFF64X2 $0xee, Z11, Z10, Z3")
	w.Emit("VADDPD Z3, Z2, Z2") // of rows 1 and 3
	w.Emit("VSHUFF64X2 $0x88, Z2, Z0, Z1")
	w.Emit("VSHUFF64X2 $0xdd, Z2, Z0, Z3")
	w.Emit("VADDPD Z3, Z1, Z0") // two of rows 0, 2, 1, 3
	w.Emit("VPERMILPD $0x55, Z0, Z1")
	w.Emit("VADDPD Z1, Z0, Z0")
	w.Emit("VEXTRACTF64X4 $1, Z0, Y1")
	w.Emit("VUNPCKLPD Y1, Y0, Y0")
	w.Emit("VADDPD (DI), Y0, Y0")
	w.Emit("VMOVUPD Y0, (DI)")
	w.Emit("ADDQ $32, DI")
	w.Emit("ADDQ $16, R10")
	w.Emit("SUBQ $4, R11")
	w.Emit("JGE four")
	w.Label("rest")
	w.Emit("ADDQ $4, R11")
	w.Emit("JZ done")
}

// chains sets a register to eight sums of the row at SI: 64 and 32 sums are in float32. They are widened on their way
// from the memory at BX, slot r, which takes half of the time from a register.
func (w width) chains(r, to int) {
	for v := range chainVectors {
		operation := "VFMADD231PS"
		if v < 4 {
			operation = "VMULPS"
		}
		w.Emit("%s %d(SI), %s, %s", operation, w.Size*v, w.Reg(chainVectors+v), w.Reg(v%4))
	}
	for v := range 2 {
		w.Emit("VADDPS %s, %s, %s", w.Reg(v+2), w.Reg(v), w.Reg(v))
		w.Emit("VMOVUPS %s, %d(BX)", w.Reg(v), 128*r+64*v)
	}
	for q := range 4 {
		w.Emit("VCVTPS2PD %d(BX), %s", 128*r+32*q, w.Reg(4+q))
	}
	w.Emit("VADDPD Z6, Z4, Z4")
	w.Emit("VADDPD Z7, Z5, Z5")
	w.Emit("VADDPD Z5, Z4, %s", w.Reg(to))
}

// narrowChains sets Y0 and Y1 to eight sums of the row at SI.
func (w width) narrowChains() {
	const vectors, chains = 32, 8
	for v := range vectors {
		x := w.Reg(chains + v%(16-chains))
		w.Emit("VMOVUPS %d(SI), %s", w.Size*v, x)
		operation := "VFMADD231PS"
		if v < chains {
			operation = "VMULPS"
		}
		w.Emit("%s %d(DX), %s, %s", operation, w.Size*v, x, w.Reg(v%chains))
	}
	// 64 and 32 sums in float32, the rest in float64.
	for v := range chains / 2 {
		w.Emit("VADDPS %s, %s, %s", w.Reg(v+chains/2), w.Reg(v), w.Reg(v))
	}
	for v := range chains / 2 {
		w.Emit("VEXTRACTF128 $1, %s, X4", w.Reg(v))
		w.Emit("VCVTPS2PD X%d, %s", v, w.Reg(chains+2*v))
		w.Emit("VCVTPS2PD X4, %s", w.Reg(chains+2*v+1))
	}
	for half := chains / 2; half*w.Size >= 64; half /= 2 {
		for v := range half {
			to := chains + v
			if half*w.Size == 64 {
				to = v
			}
			w.Emit("VADDPD %s, %s, %s", w.Reg(chains+v+half), w.Reg(chains+v), w.Reg(to))
		}
	}
}

// nextPair adds the upper half of the eight float64 sums in Y0 and Y1 to the lower until one remains. It adds this one
// to the pair's sum, and goes on to the next row.
func (w width) nextPair() {
	w.Emit("VADDPD Y1, Y0, Y0")
	w.Emit("VEXTRACTF128 $1, Y0, X1")
	w.Emit("VADDPD X1, X0, X0")
	w.Emit("VPERMILPD $1, X0, X1")
	w.Emit("VADDSD X1, X0, X0")
	w.Emit("VADDSD (DI), X0, X0")
	w.Emit("VMOVSD X0, (DI)")
	w.Emit("ADDQ $8, DI")
	w.Emit("ADDQ $4, R10")
	w.Emit("DECQ R11")
	w.Emit("JNZ row")
}

func (a *assembler) widen() {
	a.Function("widenAVX2", "(dst *float64, src *float32, blocks int)", "is dst[k] ← src[k] for 16·blocks elements.", 24)
	a.Emit("MOVQ dst+0(FP), DI")
	a.Emit("MOVQ src+8(FP), SI")
	a.Emit("MOVQ blocks+16(FP), CX")
	a.Label("loop")
	for v := range 4 {
		a.Emit("VCVTPS2PD %d(SI), Y%d", 16*v, v)
		a.Emit("VMOVUPD Y%d, %d(DI)", v, 32*v)
	}
	a.Emit("ADDQ $64, SI")
	a.Emit("ADDQ $128, DI")
	a.Emit("DECQ CX")
	a.Emit("JNZ loop")
	a.End()
}
