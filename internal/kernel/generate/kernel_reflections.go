// Products and sums of rows in float64, and the reflections of blocks of a band matrix.

package main

import "fmt"

// reflectSums is the number of running sums of a row that is reflected.
const reflectSums = 16

// reflections writes the reflections for both vector lengths, of blocks for 32 and 64 columns.
func (a *assembler) reflections() {
	for _, w := range a.widths() {
		w.dotFloat64()
		w.addScaledFloat64()
		for _, columns := range []int{32, 64} {
			b := blockOf{w, columns, 8 * columns / w.bytes}
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
			w.emit("VADDPD %s, %s, %s", w.reg(first+v+half), w.reg(first+v), w.reg(first+v))
		}
	}
	w.fold("VADDPD", "D", first, scratch)
}

func (w width) dotFloat64() {
	vectors := 8 * pairSums / w.bytes
	w.function("dotFloat64"+w.name, "(x, y *float64, blocks int) float64",
		"is Σ x·y over 32·blocks elements; see Dot.", 32)
	w.emit("MOVQ x+0(FP), SI")
	w.emit("MOVQ y+8(FP), DX")
	w.emit("MOVQ blocks+16(FP), CX")
	for v := range vectors {
		w.emit(w.zero(v))
	}
	w.label("loop")
	for v := range vectors {
		value := w.reg(vectors + v%4)
		w.emit("VMOVUPD %d(SI), %s", w.bytes*v, value)
		w.emit("VFMADD231PD %d(DX), %s, %s", w.bytes*v, value, w.reg(v))
	}
	w.emit("ADDQ $%d, SI", 8*pairSums)
	w.emit("ADDQ $%d, DX", 8*pairSums)
	w.emit("DECQ CX")
	w.emit("JNZ loop")
	w.folded(0, vectors, vectors)
	w.emit("VMOVSD X0, ret+24(FP)")
	w.end()
}

func (w width) addScaledFloat64() {
	vectors := 8 * pairSums / w.bytes
	w.function("addScaledFloat64"+w.name, "(y, x *float64, blocks int, f float64)",
		"adds f·x to 32·blocks elements of y; see AddScaled.", 32)
	w.emit("MOVQ y+0(FP), DI")
	w.emit("MOVQ x+8(FP), SI")
	w.emit("MOVQ blocks+16(FP), CX")
	w.emit("VBROADCASTSD f+24(FP), %s", w.reg(vectors))
	w.label("loop")
	for v := range vectors {
		w.emit("VMOVUPD %d(DI), %s", w.bytes*v, w.reg(v))
		w.emit("VFMADD231PD %d(SI), %s, %s", w.bytes*v, w.reg(vectors), w.reg(v))
		w.emit("VMOVUPD %s, %d(DI)", w.reg(v), w.bytes*v)
	}
	w.emit("ADDQ $%d, SI", 8*pairSums)
	w.emit("ADDQ $%d, DI", 8*pairSums)
	w.emit("DECQ CX")
	w.emit("JNZ loop")
	w.end()
}

// blockOf writes the functions of blocks of this many columns, with a fixed number of vectors per row.
type blockOf struct {
	width
	columns, vectors int
}

func (b blockOf) start(name, signature, comment string, size int) {
	b.function(fmt.Sprintf("%s%d%s", name, b.columns, b.name), signature, fmt.Sprintf(comment, b.columns), size)
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
func (w width) registers() int { return map[string]int{"Y": 16, "Z": 32}[w.r] }

func (b blockOf) weighRows() {
	b.start("weighRows", "(w, v, a *float64, stride, rows int)",
		"sums the rows of a block of %d columns, weighted by v; see WeighRows.", 40)
	b.emit("MOVQ w+0(FP), DI")
	b.emit("MOVQ v+8(FP), DX")
	b.emit("MOVQ a+16(FP), SI")
	b.emit("MOVQ stride+24(FP), R8")
	b.emit("SHLQ $3, R8")
	b.emit("MOVQ rows+32(FP), R9")
	strips, size := b.strips(8)
	for s, first := range strips {
		b.emit("LEAQ %d(SI), R10", first*b.bytes)
		b.emit("MOVQ DX, R11")
		b.emit("MOVQ R9, CX")
		for v := range size {
			b.emit(b.zero(v))
		}
		b.label(fmt.Sprintf("loop%d", s))
		b.emit("VBROADCASTSD (R11), %s", b.reg(size))
		for v := range size {
			b.emit("VFMADD231PD %d(R10), %s, %s", v*b.bytes, b.reg(size), b.reg(v))
		}
		b.emit("ADDQ R8, R10")
		b.emit("ADDQ $8, R11")
		b.emit("DECQ CX")
		b.emit("JNZ loop%d", s)
		for v := range size {
			b.emit("VMOVUPD %s, %d(DI)", b.reg(v), (first+v)*b.bytes)
		}
	}
	b.end()
}

func (b blockOf) subtractOuter() {
	b.start("subtractOuter", "(a *float64, stride, rows int, v, w *float64)",
		"subtracts v·wᵀ + w·vᵀ from a block of %d columns; see SubtractOuter.", 40)
	b.emit("MOVQ a+0(FP), SI")
	b.emit("MOVQ stride+8(FP), R8")
	b.emit("SHLQ $3, R8")
	b.emit("MOVQ rows+16(FP), R9")
	b.emit("MOVQ v+24(FP), DX")
	b.emit("MOVQ w+32(FP), BX")
	strips, size := b.strips((b.registers() - 2) / 3 / 4 * 4)
	u, right := b.reg(3*size), b.reg(3*size+1)
	for s, first := range strips {
		for v := range size {
			b.emit("VMOVUPD %d(DX), %s", (first+v)*b.bytes, b.reg(v))
			b.emit("VMOVUPD %d(BX), %s", (first+v)*b.bytes, b.reg(size+v))
		}
		b.emit("LEAQ %d(SI), R10", first*b.bytes)
		b.emit("MOVQ DX, R11")
		b.emit("MOVQ BX, R12")
		b.emit("MOVQ R9, CX")
		b.label(fmt.Sprintf("loop%d", s))
		b.emit("VBROADCASTSD (R11), %s", u)
		b.emit("VBROADCASTSD (R12), %s", right)
		for v := range size {
			row := b.reg(2*size + v)
			b.emit("VMOVUPD %d(R10), %s", v*b.bytes, row)
			b.emit("VFNMADD231PD %s, %s, %s", b.reg(size+v), u, row)
			b.emit("VFNMADD231PD %s, %s, %s", b.reg(v), right, row)
			b.emit("VMOVUPD %s, %d(R10)", row, v*b.bytes)
		}
		b.emit("ADDQ R8, R10")
		b.emit("ADDQ $8, R11")
		b.emit("ADDQ $8, R12")
		b.emit("DECQ CX")
		b.emit("JNZ loop%d", s)
	}
	b.end()
}

func (b blockOf) reflectRows() {
	b.start("reflectRows", "(a *float64, stride, rows int, f, w, u *float64, tau float64)",
		"subtracts f·wᵀ from a block of %d columns and reflects its rows; see ReflectRows.", 56)
	b.emit("MOVQ a+0(FP), DI")
	b.emit("MOVQ stride+8(FP), R8")
	b.emit("SHLQ $3, R8")
	b.emit("MOVQ rows+16(FP), CX")
	b.emit("MOVQ f+24(FP), DX")
	b.emit("MOVQ w+32(FP), BX")
	b.emit("MOVQ u+40(FP), SI")
	sums := 8 * reflectSums / b.bytes
	// The running sums come first, then the factor and a scratch register, the row, w and u if registers suffice.
	factor, row := b.reg(sums), sums+2
	rowStays, vectorsStay := row+b.vectors <= b.registers(), row+3*b.vectors <= b.registers()
	x := func(v int) string {
		if rowStays {
			return b.reg(row + v)
		}
		return b.reg(row + v%4)
	}
	w := func(v int) string { return fmt.Sprintf("%d(BX)", v*b.bytes) }
	u := func(v int) string { return fmt.Sprintf("%d(SI)", v*b.bytes) }
	if vectorsStay {
		for v := range b.vectors {
			b.emit("VMOVUPD %s, %s", w(v), b.reg(row+b.vectors+v))
			b.emit("VMOVUPD %s, %s", u(v), b.reg(row+2*b.vectors+v))
		}
		w = func(v int) string { return b.reg(row + b.vectors + v) }
		u = func(v int) string { return b.reg(row + 2*b.vectors + v) }
	}
	b.label("loop")
	b.emit("VBROADCASTSD (DX), %s", factor)
	for v := range sums {
		b.emit(b.zero(v))
	}
	for v := range b.vectors {
		b.emit("VMOVUPD %d(DI), %s", v*b.bytes, x(v))
		b.emit("VFNMADD231PD %s, %s, %s", w(v), factor, x(v))
		b.emit("VFMADD231PD %s, %s, %s", u(v), x(v), b.reg(v%sums))
		if !rowStays {
			b.emit("VMOVUPD %s, %d(DI)", x(v), v*b.bytes)
		}
	}
	b.folded(0, sums, sums+1)
	b.emit("VMULSD tau+48(FP), X0, X0")
	b.emit("VBROADCASTSD X0, %s", factor)
	for v := range b.vectors {
		if !rowStays {
			b.emit("VMOVUPD %d(DI), %s", v*b.bytes, x(v))
		}
		b.emit("VFNMADD231PD %s, %s, %s", u(v), factor, x(v))
		b.emit("VMOVUPD %s, %d(DI)", x(v), v*b.bytes)
	}
	b.emit("ADDQ R8, DI")
	b.emit("ADDQ $8, DX")
	b.emit("DECQ CX")
	b.emit("JNZ loop")
	b.end()
}
