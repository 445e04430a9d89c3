// Products of integers, which make up quantized models: bytes instead of floats that hold integers. Sums are exact, so
// that all kernels give the same bits, and a row does not depend on its neighbors.

package cpu

import (
	"repscope/internal/kernel"
	"repscope/internal/kernel/vector"
	"repscope/model/graph"
	"repscope/model/operator"
)

// integerWeights are n columns of weights as bytes: v represents the integer v + low of its column.
type integerWeights struct {
	n, k     int
	signed   *kernel.SignedWeights // instead of packed, for signed bytes
	row      []kernel.Run          // of signed, of a row whose runs follow each other
	packed   kernel.PackedUint8
	lows     []int32
	columns  []int32 // Σ (v + low)
	fallback func() (*kernel.Packed[float32], error)
}

const (
	// leastIntegerDepth and leastIntegerColumns are the sizes from which bytes pay for their conversion, for signed
	// weights and kernels that read rows in place.
	leastIntegerDepth   = 8
	leastIntegerColumns = 16
	// packedIntegerDepth is the depth for the others. fewIntegerColumns is the number of columns from depthOfFloats on,
	// where floats would not be exact.
	packedIntegerDepth = 32
	fewIntegerColumns  = 64
	depthOfFloats      = 259
	// furthestLow bounds low of an operand: with the greatest depth, sums stay within 32 bits.
	furthestLow = 255
)

// integers returns a constant packed as bytes, for rows of some runs; nil if it holds other numbers, or packing does
// not pay.
func (w *weights) integers(key packKey, m *matrix, runs []kernel.Run) (*integerWeights, error) {
	few := m.k < packedIntegerDepth || m.n < fewIntegerColumns && m.k < depthOfFloats
	if m.k < leastIntegerDepth || m.k > operator.MaxIntegerDepth || m.n < leastIntegerColumns || few && !kernel.GathersBytes() {
		return nil, nil
	}
	if q, ok := w.bytes[key]; ok {
		return q, nil
	}
	t, err := w.inParts(key.tensor)
	if err != nil {
		return nil, err
	}
	values, err := m.vectors(t)
	if err != nil {
		return nil, err
	}
	q := &integerWeights{n: m.n, k: m.k, lows: make([]int32, m.n), columns: make([]int32, m.n)}
	stored := *m
	q.fallback = func() (*kernel.Packed[float32], error) {
		w.late.Lock()
		defer w.late.Unlock()
		return w.right(key, &stored)
	}
	if ok, err := q.sign(values, runs); ok || err != nil {
		w.bytes[key] = q
		return q, err
	}
	if few {
		w.bytes[key] = nil
		return nil, nil
	}
	bytes := make([]uint8, m.n*m.k)
	for j := range m.n {
		low, ok := vector.ToBytes(bytes[j*m.k:], values[j*m.k:(j+1)*m.k])
		if !ok || low < -furthestLow || low > furthestLow {
			w.bytes[key] = nil
			return nil, nil
		}
		q.lows[j] = low
		q.columns[j] = int32(kernel.SumUint8(bytes[j*m.k:(j+1)*m.k])) + int32(m.k)*low
	}
	if err := q.packed.Right(kernel.Uint8Rows(bytes, m.k), m.n, m.k); err != nil {
		return nil, err
	}
	w.bytes[key] = q
	return q, nil
}

// sign packs the columns as signed bytes, if they are, for kernels that there are.
func (q *integerWeights) sign(values []float32, runs []kernel.Run) (ok bool, err error) {
	if !kernel.GathersBytes() {
		return false, nil
	}
	columns, ok := signedBytes(values)
	if !ok {
		return false, nil
	}
	for j := range q.n {
		for _, v := range columns[j*q.k : (j+1)*q.k] {
			q.columns[j] += int32(v)
		}
	}
	offset := 0
	for _, r := range runs {
		q.row = append(q.row, kernel.Run{Offset: offset, Length: r.Length})
		offset += r.Length
	}
	q.signed, err = kernel.NewSignedWeights(columns, q.n, runs)
	return true, err
}

// signedBytes are values as such bytes, if they are.
func signedBytes(values []float32) (bytes []int8, ok bool) {
	bytes = make([]int8, len(values))
	for i, v := range values {
		if bytes[i] = int8(v); float32(bytes[i]) != v {
			return nil, false
		}
	}
	return bytes, true
}

// vectors are the columns of the right operand, one after another.
func (m *matrix) vectors(t *graph.Tensor) ([]float32, error) {
	first, count, row, column := m.first+m.from*m.k, m.n*m.k, m.k, 1
	if m.turned {
		of := max(m.of, m.n)
		first, count, row, column = m.first, m.k*of, 1, of
	}
	part, err := t.Part(first, count, make([]float32, count))
	if err != nil {
		return nil, err
	}
	if m.turned {
		part = part[m.from:]
	}
	out := make([]float32, m.n*m.k)
	for i := range m.k {
		d := i
		if m.depth != nil {
			d = m.depth[i]
		}
		for j := range m.n {
			out[j*m.k+d] = part[j*row+i*column]
		}
	}
	return out, nil
}

// integerScratch is a worker's memory for products of integers.
type integerScratch struct {
	gathered  kernel.GatheredBytes
	terms     []int32
	product   kernel.Uint8Product[int32]
	workspace kernel.Uint8Workspace
	bytes     []uint8 // rows of the left operand
	image     []uint8
	patches   []float32
	rows      []int32 // Σ of each row's bytes
	lows      []int32
	sums      []int32
}

// reserve allocates rows of depth k.
func (s *integerScratch) reserve(rows, k int) {
	if cap(s.bytes) < rows*k {
		s.bytes = make([]uint8, rows*k)
	}
	if cap(s.rows) < rows {
		s.rows, s.lows = make([]int32, rows), make([]int32, rows)
	}
	s.bytes, s.rows, s.lows = s.bytes[:rows*k], s.rows[:rows], s.lows[:rows]
}

// row is the memory of one of the reserved rows.
func (s *integerScratch) row(i, k int) []uint8 { return s.bytes[i*k : (i+1)*k] }

// multiply computes the products of the reserved rows and all columns; c has q.n columns.
func (s *integerScratch) multiply(q *integerWeights, c []float32) error {
	rows := len(s.rows)
	if cap(s.sums) < rows*q.n {
		s.sums = make([]int32, rows*q.n)
	}
	s.sums = s.sums[:rows*q.n]
	for i := range rows {
		s.rows[i] = int32(kernel.SumUint8(s.row(i, q.k)))
	}
	s.product = kernel.Uint8Product[int32]{M: rows, N: q.n, K: q.k, A: kernel.Uint8Rows(s.bytes, q.k), B: q.packed.Operand(0),
		C: s.sums, Stride: q.n, Threads: 1, Workspace: &s.workspace}
	if err := s.product.Run(); err != nil {
		return err
	}
	for i := range rows {
		vector.FromSums(c[i*q.n:(i+1)*q.n], s.sums[i*q.n:], q.lows, q.columns, s.rows[i], s.lows[i])
	}
	return nil
}

// gather computes the products of rows of bytes, each low more than it is, that begin at base in data; bias, if not
// nil, is added.
func (s *integerScratch) gather(q *integerWeights, c []float32, data []uint8, base []int, runs []kernel.Run, low int32, bias []int32) error {
	if cap(s.terms) < q.n {
		s.terms = make([]int32, q.n)
	}
	s.terms = s.terms[:q.n]
	for j, sum := range q.columns {
		s.terms[j] = low * sum
	}
	for j, v := range bias {
		s.terms[j] += v
	}
	g := &s.gathered
	g.M, g.N, g.Data, g.Base, g.Runs, g.B, g.Terms, g.C = len(base), q.n, data, base, runs, q.signed, s.terms, c
	return g.Run()
}

// integerRows cuts m rows into blocks for the workers.
func integerRows(m, threads int) int {
	return min(rowBlock, roundUp(max(1, (m+4*threads-1)/(4*threads)), 16))
}

// buildIntegerLinear is a Linear step whose operands are integers.
func buildIntegerLinear(b *builder, q *integerWeights, m int) func() error {
	p := b.Step.Params.(*operator.GemmParams)
	x, y, other := b.in(0), b.out(0), b.in(3)
	ending := newEpilogue(b, p.Activation, b.in(2))
	pool, weights, n, k := b.pool, b.weights, q.n, q.k
	rows := integerRows(m, (*pool).threads)
	return b.each((m+rows-1)/rows, func(worker, lo, hi int) {
		s := weights.scratch[worker]
		for t := lo; t < hi; t++ {
			i0 := t * rows
			count := min(rows, m-i0)
			c := y()[i0*n : (i0+count)*n]
			if err := q.linear(s, c, x()[i0*k:(i0+count)*k]); err != nil {
				(*pool).fail(err)
				return
			}
			o := other()
			if o != nil {
				o = o[i0*n : (i0+count)*n]
			}
			if !p.Gated {
				ending.finish(c, o, count, n)
				continue
			}
			ending.finish(c, nil, count, n)
			vector.MulRows(c, c, o, 1, 1)
		}
	})
}

// linear multiplies rows; rows that are no bytes, possible in an invalid file, as floats.
func (q *integerWeights) linear(s *scratch, c, x []float32) error {
	count := len(x) / q.k
	if q.signed != nil {
		return q.linearSigned(s, c, x, count)
	}
	s.integers.reserve(count, q.k)
	var wide []int
	for i := range count {
		low, ok := vector.ToBytes(s.integers.row(i, q.k), x[i*q.k:(i+1)*q.k])
		if !ok || low < -furthestLow || low > furthestLow {
			wide, low = append(wide, i), 0
			clear(s.integers.row(i, q.k))
		}
		s.integers.lows[i] = low
	}
	if err := s.integers.multiply(q, c); err != nil || wide == nil {
		return err
	}
	return q.inFloats(s, c, x, wide)
}

// linearSigned multiplies rows by signed bytes, all together if they have one low.
func (q *integerWeights) linearSigned(s *scratch, c, x []float32, count int) error {
	b := &s.integers
	if cap(b.image) < len(x)+kernel.QuadSlack {
		b.image = make([]uint8, len(x)+kernel.QuadSlack)
	}
	b.image = b.image[:len(x)+kernel.QuadSlack]
	base := s.bases(count, q.k)
	if low, ok := vector.ToBytes(b.image, x); ok && low >= -furthestLow && low <= furthestLow {
		return b.gather(q, c, b.image, base, q.row, low, nil)
	}
	var wide []int
	for i := range count {
		low, ok := vector.ToBytes(b.image, x[i*q.k:(i+1)*q.k])
		if !ok || low < -furthestLow || low > furthestLow {
			wide = append(wide, i)
		} else if err := b.gather(q, c[i*q.n:], b.image[:q.k+kernel.QuadSlack], base[:1], q.row, low, nil); err != nil {
			return err
		}
	}
	if wide == nil {
		return nil
	}
	return q.inFloats(s, c, x, wide)
}

// inFloats multiplies some of the rows as floats.
func (q *integerWeights) inFloats(s *scratch, c, x []float32, rows []int) error {
	packed, err := q.fallback()
	if err != nil {
		return err
	}
	for _, i := range rows {
		s.product = kernel.Product[float32]{M: 1, N: q.n, K: q.k, A: kernel.Rows(x[i*q.k:], q.k), B: packed.Operand(0), C: c[i*q.n:], Stride: q.n,
			Threads: 1, Workspace: &s.workspace}
		if err := s.product.Run(); err != nil {
			return err
		}
	}
	return nil
}

// inIntegers takes the weights as integers, if they are, and makes every unit one image or a part of one.
func (c *boundConv) inIntegers(b *builder, w *graph.Tensor) (ok bool, err error) {
	if c.integers, err = b.weights.integers(packKey{w, "conv", 0}, c.stored, c.runs); c.integers == nil {
		return false, err
	}
	c.oneImage()
	return true, nil
}

// integerBias is a step's constant bias if it is integers that may be added to sums of products of bytes before these
// become floats: both are floats without a rounding, so that their sum is rounded once either way. left is the bias
// that is added to floats.
func integerBias(b *builder, depth int) (bias []int32, rest func() []float32) {
	rest = b.in(2)
	if !b.Has(2) {
		return nil, rest
	}
	t := b.Constant(2)
	if t == nil || t.DType != graph.Float32 || t.Deferred() || depth*255*128 > 1<<24 {
		return nil, rest
	}
	const limit = 1 << 30
	for _, v := range t.F32 {
		if !(v <= limit && v >= -limit) || v != float32(int32(v)) {
			return nil, rest
		}
		bias = append(bias, int32(v))
	}
	return bias, func() []float32 { return nil }
}

// oneImage makes every unit one image or a part of one.
func (c *boundConv) oneImage() {
	if c.perUnit > 1 {
		c.perUnit = 1
		c.bases = c.geometry.bases(c.parts, c.perPart, 1)
	}
}

// multiplyIntegers is multiply for a unit of one image whose patches are of integers.
func (c *boundConv) multiplyIntegers(
	s *scratch, e *epilogue, block, other, image []float32, base []int, pixels int,
) error {
	q, last := c.integers, c.runs[len(c.runs)-1]
	size := last.Offset + last.Length
	for _, at := range base[:pixels] {
		size = max(size, at+last.Offset+last.Length)
	}
	i := &s.integers
	if cap(i.image) < size+kernel.QuadSlack {
		i.image = make([]uint8, size+kernel.QuadSlack)
	}
	i.image = i.image[:size+kernel.QuadSlack]
	low, ok := vector.ToBytes(i.image, image[:size])
	if !ok || low < -furthestLow || low > furthestLow {
		return c.multiplyPatches(s, e, block, other, image, base, pixels)
	}
	if q.signed != nil {
		if err := i.gather(q, block[:pixels*q.n], i.image, base[:pixels], c.runs, low, nil); err != nil {
			return err
		}
		e.finish(block, other, pixels, q.n)
		return nil
	}
	for p0 := 0; p0 < pixels; p0 += rowBlock {
		count := min(rowBlock, pixels-p0)
		i.reserve(count, q.k)
		for p := range count {
			row, offset := i.row(p, q.k), base[p0+p]
			for _, r := range c.runs {
				row = row[copy(row[:r.Length], i.image[offset+r.Offset:]):]
			}
			i.lows[p] = low
		}
		if err := i.multiply(q, block[p0*q.n:(p0+count)*q.n]); err != nil {
			return err
		}
	}
	e.finish(block, other, pixels, q.n)
	return nil
}

// directBlock is about how many results of bytes are worked on at a time, which then stay in a cache.
const directBlock = 1 << 13

// multiplyBytes multiplies the bytes of the input as they lie: some pixels of unit t at a time, the elements of the
// result from at on.
func (c *boundConv) multiplyBytes(s *scratch, e *epilogue, x, y *operand, other []float32, t, pixels,
	offset int) error {
	q, base := c.integers, c.bases[t%c.parts]
	image := c.bytes(s, x, t, false)
	step := max(kernel.ColumnAlign, directBlock/q.n)
	for p0 := 0; p0 < pixels; p0 += step {
		count := min(step, pixels-p0)
		from, to := p0*q.n, (p0+count)*q.n
		block := y.room(&s.block, offset+from, offset+to)
		if err := s.integers.gather(q, block, image, base[p0:p0+count], c.runs, x.levels.low, c.bias); err != nil {
			return err
		}
		var added []float32
		if other != nil {
			added = other[from:to]
		}
		e.finish(block, added, count, q.n)
		y.finish(block, offset+from, q.n, e.last)
	}
	return nil
}

// multiplyPatches is multiplyIntegers for an image that is no bytes, patch by patch: which of them are does not
// depend on the unit.
func (c *boundConv) multiplyPatches(
	s *scratch, e *epilogue, block, other, image []float32, base []int, pixels int,
) error {
	q := c.integers
	for p0 := 0; p0 < pixels; p0 += rowBlock {
		count := min(rowBlock, pixels-p0)
		rows := s.integers.patches[:0]
		for _, offset := range base[p0 : p0+count] {
			for _, r := range c.runs {
				rows = append(rows, image[offset+r.Offset:][:r.Length]...)
			}
		}
		s.integers.patches = rows
		if err := q.linear(s, block[p0*q.n:(p0+count)*q.n], rows); err != nil {
			return err
		}
	}
	e.finish(block, other, pixels, q.n)
	return nil
}
