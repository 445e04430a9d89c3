// Products and sums of rows in float64, and the reflections of blocks of a band matrix.

package kernels

import "fmt"

// reflectSums is the number of running sums of a row that is reflected.
const reflectSums = 16

// reflections writes the reflections for both vector lengths, of blocks for 32 and 64 columns.
func (a *assembler) reflections() {
	for _, w := range a.widths() {
		w.dotFloat64()
		w.addScaledFloat64()
		for _, columns := range []int{32, 64} {
			b := blockOf{w, columns, 8 * columns / w.Size}
			b.weighRows()
			b.subtractOuter()
			b.reflectRows()
		}
	}
}

// folded adds the halves of the sums in registers first … first+n−1 until the first element of the first is left.
func (w width) folded(first, n, scratch int) {
	for half := n / 2; half > 0; half /= 2 {
		for v := range half {
			w.Emit("VADDPD %s, %s, %s", w.Reg(first+v+half), w.Reg(first+v), w.Reg(first+v))
		}
	}
	w.Fold("VADDPD", "D", first, scratch)
}

func (w width) dotFloat64() {
	vectors := 8 * pairSums / w.Size
	w.Function("dotFloat64"+w.Name, "(x, y *float64, blocks int) float64",
		"is Σ x·y over 32·blocks elements; see Dot.", 32)
	w.Emit("MOVQ x+0(FP), SI")
	w.Emit("MOVQ y+8(FP), DX")
	w.Emit("MOVQ blocks+16(FP), CX")
	for v := range vectors {
		w.Emit(w.Zero(v))
	}
	w.Label("loop")
	for v := range vectors {
		value := w.Reg(vectors + v%4)
		w.Emit("VMOVUPD %d(SI), %s", w.Size*v, value)
		w.Emit("VFMADD231PD %d(DX), %s, %s", w.Size*v, value, w.Reg(v))
	}
	w.Emit("ADDQ $%d, SI", 8*pairSums)
	w.Emit("ADDQ $%d, DX", 8*pairSums)
	w.Emit("DECQ CX")
	w.Emit("JNZ loop")
	w.folded(0, vectors, vectors)
	w.Emit("VMOVSD X0, ret+24(FP)")
	w.End()
}

func (w width) addScaledFloat64() {
	vectors := 8 * pairSums / w.Size
	w.Function("addScaledFloat64"+w.Name, "(y, x *float64, blocks int, f float64)",
		"adds f·x to 32·blocks elements of y; see AddScaled.", 32)
	w.Emit("MOVQ y+0(FP), DI")
	w.Emit("MOVQ x+8(FP), SI")
	w.Emit("MOVQ blocks+16(FP), CX")
	w.Emit("VBROADCASTSD f+24(FP), %s", w.Reg(vectors))
	w.Label("loop")
	for v := range vectors {
		w.Emit("VMOVUPD %d(DI), %s", w.Size*v, w.Reg(v))
		w.Emit("VFMADD231PD %d(SI), %s, %s", w.Size*v, w.Reg(vectors), w.Reg(v))
		w.Emit("VMOVUPD %s, %d(DI)", w.Reg(v), w.Size*v)
	}
	w.Emit("ADDQ $%d, SI", 8*pairSums)
	w.Emit("ADDQ $%d, DI", 8*pairSums)
	w.Emit("DECQ CX")
	w.Emit("JNZ loop")
	w.End()
}

// blockOf writes the functions of blocks of this many columns, with a fixed number of vectors per row.
type blockOf struct {
	width
	columns, vectors int
}

func (b blockOf) start(name, signature, comment string, size int) {
	b.Function(fmt.Sprintf("%s%d%s", name, b.columns, b.Name), signature, fmt.Sprintf(comment, b.columns), size)
}

// strips are the first vectors of strips of limited width.
func (b blockOf) strips(limit int) (first []int, size int) {
	size = min(limit, b.vectors)
	for v := 0; v < b.vectors; v += size {
		first = append(first, v)
	}
	return first, size
}

// registers is the number of vector registers.
func (w width) registers() int { return map[string]int{"Y": 16, "Z": 32}[w.R] }

func (b blockOf) weighRows() {
	b.start("weighRows", "(w, v, a *float64, stride, rows int)",
		"sums the rows of a block of %d columns, weighted by v; see WeighRows.", 40)
	b.Emit("MOVQ w+0(FP), DI")
	b.Emit("MOVQ v+8(FP), DX")
	b.Emit("MOVQ a+16(FP), SI")
	b.Emit("MOVQ stride+24(FP), R8")
	b.Emit("SHLQ $3, R8")
	b.Emit("MOVQ rows+32(FP), R9")
	strips, size := b.strips(8)
	for s, first := range strips {
		b.Emit("LEAQ %d(SI), R10", first*b.Size)
		b.Emit("MOVQ DX, R11")
		b.Emit("MOVQ R9, CX")
		for v := range size {
			b.Emit(b.Zero(v))
		}
		b.Label(fmt.Sprintf("loop%d", s))
		b.Emit("VBROADCASTSD (R11), %s", b.Reg(size))
		for v := range size {
			b.Emit("VFMADD231PD %d(R10), %s, %s", v*b.Size, b.Reg(size), b.Reg(v))
		}
		b.Emit("ADDQ R8, R10")
		b.Emit("ADDQ $8, R11")
		b.Emit("DECQ CX")
		b.Emit("JNZ loop%d", s)
		for v := range size {
			b.Emit("VMOVUPD %s, %d(DI)", b.Reg(v), (first+v)*b.Size)
		}
	}
	b.End()
}

func (b blockOf) subtractOuter() {
	b.start("subtractOuter", "(a *float64, stride, rows int, v, w *float64)",
		"subtracts v·wᵀ + w·vᵀ from a block of %d columns; see SubtractOuter.", 40)
	b.Emit("MOVQ a+0(FP), SI")
	b.Emit("MOVQ stride+8(FP), R8")
	b.Emit("SHLQ $3, R8")
	b.Emit("MOVQ rows+16(FP), R9")
	b.Emit("MOVQ v+24(FP), DX")
	b.Emit("MOVQ w+32(FP), BX")
	strips, size := b.strips((b.registers() - 2) / 3 / 4 * 4)
	u, right := b.Reg(3*size), b.Reg(3*size+1)
	for s, first := range strips {
		for v := range size {
			b.Emit("VMOVUPD %d(DX), %s", (first+v)*b.Size, b.Reg(v))
			b.Emit("VMOVUPD %d(BX), %s", (first+v)*b.Size, b.Reg(size+v))
		}
		b.Emit("LEAQ %d(SI), R10", first*b.Size)
		b.Emit("MOVQ DX, R11")
		b.Emit("MOVQ BX, R12")
		b.Emit("MOVQ R9, CX")
		b.Label(fmt.Sprintf("loop%d", s))
		b.Emit("VBROADCASTSD (R11), %s", u)
		b.Emit("VBROADCASTSD (R12), %s", right)
		for v := range size {
			row := b.Reg(2*size + v)
			b.Emit("VMOVUPD %d(R10), %s", v*b.Size, row)
			b.Emit("VFNMADD231PD %s, %s, %s", b.Reg(size+v), u, row)
			b.Emit("VFNMADD231PD %s, %s, %s", b.Reg(v), right, row)
			b.Emit("VMOVUPD %s, %d(R10)", row, v*b.Size)
		}
		b.Emit("ADDQ R8, R10")
		b.Emit("ADDQ $8, R11")
		b.Emit("ADDQ $8, R12")
		b.Emit("DECQ CX")
		b.Emit("JNZ loop%d", s)
	}
	b.End()
}

func (b blockOf) reflectRows() {
	b.start("reflectRows", "(a *float64, stride, rows int, f, w, u *float64, tau float64)",
		"subtracts f·wᵀ from a block of %d columns and reflects its rows; see ReflectRows.", 56)
	b.Emit("MOVQ a+0(FP), DI")
	b.Emit("MOVQ stride+8(FP), R8")
	b.Emit("SHLQ $3, R8")
	b.Emit("MOVQ rows+16(FP), CX")
	b.Emit("MOVQ f+24(FP), DX")
	b.Emit("MOVQ w+32(FP), BX")
	b.Emit("MOVQ u+40(FP), SI")
	sums := 8 * reflectSums / b.Size
	// The running sums come first, then the factor and a scratch register, the row, w and u if registers suffice.
	factor, row := b.Reg(sums), sums+2
	rowStays, vectorsStay := row+b.vectors <= b.registers(), row+3*b.vectors <= b.registers()
	x := func(v int) string {
		if rowStays {
			return b.Reg(row + v)
		}
		return b.Reg(row + v%4)
	}
	w := func(v int) string { return fmt.Sprintf("%d(BX)", v*b.Size) }
	u := func(v int) string { return fmt.Sprintf("%d(SI)", v*b.Size) }
	if vectorsStay {
		for v := range b.vectors {
			b.Emit("VMOVUPD %s, %s", w(v), b.Reg(row+b.vectors+v))
			b.Emit("VMOVUPD %s, %s", u(v), b.Reg(row+2*b.vectors+v))
		}
		w = func(v int) string { return b.Reg(row + b.vectors + v) }
		u = func(v int) string { return b.Reg(row + 2*b.vectors + v) }
	}
	b.Label("loop")
	b.Emit("VBROADCASTSD (DX), %s", factor)
	for v := range sums {
		b.Emit(b.Zero(v))
	}
	for v := range b.vectors {
		b.Emit("VMOVUPD %d(DI), %s", v*b.Size, x(v))
		b.Emit("VFNMADD231PD %s, %s, %s", w(v), factor, x(v))
		b.Emit("VFMADD231PD %s, %s, %s", u(v), x(v), b.Reg(v%sums))
		if !rowStays {
			b.Emit("VMOVUPD %s, %d(DI)", x(v), v*b.Size)
		}
	}
	b.folded(0, sums, sums+1)
	b.Emit("VMULSD tau+48(FP), X0, X0")
	b.Emit("VBROADCASTSD X0, %s", factor)
	for v := range b.vectors {
		if !rowStays {
			b.Emit("VMOVUPD %d(DI), %s", v*b.Size, x(v))
		}
		b.Emit("VFNMADD231PD %s, %s, %s", u(v), factor, x(v))
		b.Emit("VMOVUPD %s, %d(DI)", x(v), v*b.Size)
	}
	b.Emit("ADDQ R8, DI")
	b.Emit("ADDQ $8, DX")
	b.Emit("DECQ CX")
	b.Emit("JNZ loop")
	b.End()
}
