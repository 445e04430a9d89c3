// Tensor cores: fragments of matrices in the registers of a warp.
//
// With g = lane/4 and t = lane%4, a lane holds of D[16×8] += A[16×K]·B[K×8], with e values
// in a register (1 of tf32, 2 of bf16, 4 of u8; K = 8e):
//
//	A  register i: row g + 8·(i mod 2), columns e·t … e·t+e−1, from i = 2 on 4·e further
//	B  register i: column g, rows e·t … e·t+e−1, for i = 1 4·e further
//	D  value i: row g + 8·(i div 2), column 2t + i mod 2

package ptxvm

import "strings"

// compileMatrixLoad is ldmatrix…m8n8.xN[.trans].shared.b16 {registers}, [row]: lane i gives the
// address of row i%8 of matrix i/8.
func compileMatrixLoad(c *compiler, in *instruction) bool {
	c.wants(2)
	count, transposed, ok := 0, false, false
	switch rest := strings.TrimPrefix(c.s.op, "ldmatrix.sync.aligned.m8n8."); rest {
	case "x1.shared.b16", "x2.shared.b16", "x4.shared.b16":
		count, ok = suffix(rest[:2]), true
	case "x1.trans.shared.b16", "x2.trans.shared.b16", "x4.trans.shared.b16":
		count, transposed, ok = suffix(rest[:2]), true, true
	}
	o := c.s.operands[0]
	if !ok || o.kind != isList || len(o.list) != count {
		c.fail("unknown instruction %s, or another number of registers", c.s.op)
	}
	ac := &access{space: "shared", size: 16, count: 1, aligned: true}
	c.pointer(in, c.s.operands[1], ac)
	for _, o := range o.list {
		d := c.target(o, words)
		in.writes(d)
		ac.values = append(ac.values, d.number)
	}
	in.control = collective
	in.run = func(w *warp, in *instruction, _ uint32) { w.loadMatrices(in, transposed) }
	return true
}

func (w *warp) loadMatrices(in *instruction, transposed bool) {
	for i, r := range in.access.values {
		var rows [8][]byte
		for row := range rows {
			l := 8*i + row
			// Every lane gets something of the row, so it must be ordered for two of them.
			w.reach(in, l^1, "shared", w.address(in.access, l), 16, reading)
			rows[row] = w.reach(in, l, "shared", w.address(in.access, l), 16, reading)
		}
		element := func(row, column int) uint32 {
			if transposed {
				row, column = column, row
			}
			return uint32(rows[row][2*column]) | uint32(rows[row][2*column+1])<<8
		}
		d := &w.r32[r]
		for l := range d {
			g, t := l/4, l%4
			d[l] = element(g, 2*t) | element(g, 2*t+1)<<16
		}
	}
}

// products are the shapes that the kernels use: values per register, and how to read one.
var products = map[string]struct {
	values int
	value  func(register uint32, i int) float64
}{
	"m16n8k8.row.col.f32.tf32.tf32.f32":  {1, func(r uint32, _ int) float64 { return float64(float(r &^ 0x1fff)) }},
	"m16n8k16.row.col.f32.bf16.bf16.f32": {2, func(r uint32, i int) float64 { return float64(float(r >> (16 * i) << 16)) }},
	"m16n8k32.row.col.s32.u8.u8.s32":     {4, func(r uint32, i int) float64 { return float64(r >> (8 * i) & 255) }},
}

// compileProduct is mma.sync.aligned.SHAPE {d}, {a}, {b}, {c}: D = A·B + C.
func compileProduct(c *compiler, in *instruction) bool {
	c.wants(4)
	shape, ok := products[strings.TrimPrefix(c.s.op, "mma.sync.aligned.")]
	if !ok {
		c.fail("unknown instruction %s", c.s.op)
	}
	ac := &access{aligned: true}
	for i, n := range []int{4, 4, 2, 4} {
		o := c.s.operands[i]
		if o.kind != isList || len(o.list) != n {
			c.fail("%s with another number of registers", c.s.op)
		}
		for _, o := range o.list {
			var r register
			if i == 0 {
				r = c.target(o, words)
				in.writes(r)
			} else {
				r = c.value(o, words, false)
				in.needs(r)
			}
			ac.values = append(ac.values, r.number)
		}
	}
	in.access, in.control = ac, collective
	integer := shape.values == 4
	in.run = func(w *warp, in *instruction, _ uint32) {
		w.multiply(in.access.values, shape.values, shape.value, integer)
	}
	return true
}

// multiply computes D = A·B + C. Products are exact; the terms are added in the order of k,
// each sum rounded to float32, which is one of the orders that the instruction set leaves open.
// Sums of integers wrap around.
func (w *warp) multiply(r []int32, e int, value func(uint32, int) float64, integer bool) {
	var a [16][32]float64
	var b [8][32]float64
	for l := range 32 {
		g, t := l/4, l%4
		for i := range 4 {
			v := w.r32[r[4+i]][l]
			for k := range e {
				a[g+8*(i%2)][e*t+4*e*(i/2)+k] = value(v, k)
			}
		}
		for i := range 2 {
			v := w.r32[r[8+i]][l]
			for k := range e {
				b[g][e*t+4*e*i+k] = value(v, k)
			}
		}
	}
	for l := range 32 {
		g, t := l/4, l%4
		for i := range 4 {
			c := w.r32[r[10+i]][l]
			x, y := a[g+8*(i/2)][:8*e], b[2*t+i%2][:8*e]
			if integer {
				// At most 32·255² fit into float64, and into 32 bits.
				sum := 0.0
				for k, v := range x {
					sum += v * y[k]
				}
				w.r32[r[i]][l] = c + uint32(int64(sum))
				continue
			}
			w.r32[r[i]][l] = addProducts(x, y, float(c))
		}
	}
}

// addProducts adds exact products to c in their order.
func addProducts(x, y []float64, c float32) uint32 {
	for k, v := range x {
		c = addExact(v*y[k], c)
	}
	return bits32(c)
}
