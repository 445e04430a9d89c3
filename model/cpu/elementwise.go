// Elementwise operators and broadcasting.

package cpu

import (
	"errors"
	"math"
	"slices"

	"repscope/internal/dtype"
	"repscope/internal/kernel/vector"
	"repscope/model/graph"
	"repscope/model/operator"
)

// elementwiseKernels has the functions of one element from [functions], and of several elements.
func elementwiseKernels() map[string]constructor {
	list := map[string]constructor{
		"repscope.Silu": buildUnary, "repscope.Chain": buildChain, ".Clip": buildClip,
		".Add": buildBinary, ".Sub": buildBinary, ".Mul": buildBinary, ".Div": buildBinary, ".Mod": buildBinary, ".Pow": buildBinary, ".PRelu": buildBinary,
		".Max": buildVariadic, ".Min": buildVariadic, ".Sum": buildVariadic, ".Mean": buildVariadic,
		".Equal": buildComparison, ".Greater": buildComparison, ".GreaterOrEqual": buildComparison, ".Less": buildComparison, ".LessOrEqual": buildComparison,
		".And": buildLogic, ".Or": buildLogic, ".Xor": buildLogic, ".Not": buildNot, ".IsNaN": buildIsNaN, ".IsInf": buildIsInf,
		".BitwiseAnd": buildBinary, ".BitwiseOr": buildBinary, ".BitwiseXor": buildBinary, ".BitShift": buildBinary,
		".Where": buildWhere, ".Cast": buildCast, ".CastLike": buildCast, "repscope.BitsOf": buildBitsOf, "repscope.OfBits": buildOfBits,
	}
	for name := range functions {
		switch name {
		case "", "Clip", "GeluTanh", "Silu": // not operators of ONNX of this form
		default:
			list["."+name] = buildUnary
		}
	}
	return list
}

func buildNot(b *builder) (func() error, error) {
	m, x, y := b.memory, b.Step.In[0], b.Step.Out[0]
	return b.span(graph.Count(b.OutShape(0)), grain, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			m.bits[y][i] = !m.bits[x][i]
		}
	}), nil
}

func buildIsNaN(b *builder) (func() error, error) {
	m, x, y := b.memory, b.Step.In[0], b.Step.Out[0]
	return b.span(graph.Count(b.OutShape(0)), grain, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			m.bits[y][i] = m.f32[x][i] != m.f32[x][i]
		}
	}), nil
}

func buildIsInf(b *builder) (func() error, error) {
	p := b.Step.Params.(operator.IsInfParams)
	m, x, y := b.memory, b.Step.In[0], b.Step.Out[0]
	return b.span(graph.Count(b.OutShape(0)), grain, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			v := float64(m.f32[x][i])
			m.bits[y][i] = p.Positive && math.IsInf(v, 1) || p.Negative && math.IsInf(v, -1)
		}
	}), nil
}

// grain is the least number of elements for another worker.
const grain = 1 << 13

func buildUnary(b *builder) (func() error, error) {
	a := b.Step.Params.(operator.Activation)
	n := graph.Count(b.OutShape(0))
	if b.DType(0) == graph.Int64 {
		f := integerFunction(a.Op)
		m, x, y := b.memory, b.Step.In[0], b.Step.Out[0]
		return b.span(n, grain, func(_, lo, hi int) {
			dst := m.i64[y]
			for i, v := range m.i64[x][lo:hi] {
				dst[lo+i] = f(v)
			}
		}), nil
	}
	f := functionOf(a)
	if f == nil {
		return nil, errors.New("no kernel for " + a.Op)
	}
	x, y := b.in(0), b.out(0)
	return b.span(n, grain, func(_, lo, hi int) { f(y()[lo:hi], x()[lo:hi]) }), nil
}

func buildClip(b *builder) (func() error, error) {
	if b.DType(0) == graph.Float32 {
		return buildUnary(b)
	}
	p := b.Step.Params.(operator.ClipBounds)
	m, x, y := b.memory, b.Step.In[0], b.Step.Out[0]
	return b.span(graph.Count(b.OutShape(0)), grain, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			m.i64[y][i] = min(max(m.i64[x][i], p.Low), p.High)
		}
	}), nil
}

// buildChain is a step of one operand or of two.
func buildChain(b *builder) (func() error, error) {
	p := b.Step.Params.(*operator.ChainParams)
	c := newChain(b, p)
	n := graph.Count(b.OutShape(0))
	if n == 0 {
		return func() error { return nil }, nil
	}
	x, y := b.operand(b.Step.In[0]), b.operand(b.Step.Out[0])
	if p.Op == "" {
		return c.span(b, n, c.cols, func(s *scratch, from, to int) {
			dst := y.room(&s.block, from, to)
			c.load(dst, &x, from)
			c.apply(c.then, dst)
			y.finish(dst, from, c.cols, c.last)
		}), nil
	}
	w, other := c.broadcast, b.operand(b.Step.In[1])
	unit := w.row
	if w.rows() == 1 {
		unit = c.cols
	}
	return c.span(b, n, unit, func(s *scratch, from, to int) {
		dst, operands, moved := y.room(&s.block, from, to), [2][]float32{x.floats(), other.floats()}, [2]int{}
		if c.before[0] != nil || x.levels != nil {
			c.load(dst, &x, from)
			c.apply(c.before[0], dst)
			operands[0], moved[0] = dst, -from
		}
		if c.before[1] != nil || other.levels != nil {
			s.chain = grow(s.chain, to-from)
			c.load(s.chain, &other, from)
			c.apply(c.before[1], s.chain)
			operands[1], moved[1] = s.chain, -from
		}
		c.rows(dst, operands, from, moved)
		c.apply(c.then, dst)
		y.finish(dst, from, c.cols, c.last)
	}), nil
}

// broadcast traverses an output shape whose operands may have shorter shapes. Axes are merged if all operands allow it;
// the innermost is passed on as a row.
type broadcast struct {
	shape   []int   // merged output shape without the innermost axis
	row     int     // length of the innermost axis
	strides [][]int // by operand, over shape
	step    []int   // by operand: 1 or 0 along the row
}

func newBroadcast(out []int, operands ...[]int) *broadcast {
	strides := make([][]int, len(operands))
	for k, s := range operands {
		strides[k] = graph.BroadcastStrides(out, s)
	}
	shape, apart := graph.Merge(out, strides...)
	if len(shape) == 0 {
		shape, apart = []int{1}, [][]int{make([]int, len(operands))}
	}
	last := len(shape) - 1
	b := &broadcast{shape: shape[:last], row: shape[last], step: apart[last]}
	for k := range operands {
		var strides []int
		for _, at := range apart[:last] {
			strides = append(strides, at[k])
		}
		b.strides = append(b.strides, strides)
	}
	return b
}

// rows is the number of rows.
func (b *broadcast) rows() int { return graph.Count(b.shape) }

// offset is where operand k's row r begins.
func (b *broadcast) offset(k, r int) int {
	index := 0
	for i := len(b.shape) - 1; i >= 0; i-- {
		index += r % b.shape[i] * b.strides[k][i]
		r /= b.shape[i]
	}
	return index
}

// broadcastSpan loops over parts of rows: f gets the output range and, per
// operand, where its range begins and whether it advances. A single long row is
// cut into parts too.
func broadcastSpan(b *builder, w *broadcast, f func(lo, hi int, offsets [3]int)) func() error {
	rows, row, operands := w.rows(), w.row, len(w.step)
	if rows == 0 || row == 0 {
		return func() error { return nil }
	}
	if rows == 1 {
		return b.span(row, grain, func(_, lo, hi int) {
			var offsets [3]int
			for k := range operands {
				offsets[k] = lo * w.step[k]
			}
			f(lo, hi, offsets)
		})
	}
	return b.span(rows, max(1, grain/row), func(_, lo, hi int) {
		var offsets [3]int
		for r := lo; r < hi; r++ {
			for k := range operands {
				offsets[k] = w.offset(k, r)
			}
			f(r*row, (r+1)*row, offsets)
		}
	})
}

// combine applies a function to two ranges; a step of 0 repeats an element.
func combine[T any, R any](dst []R, a, b []T, stepA, stepB int, f func(x, y T) R) {
	switch {
	case stepA == 1 && stepB == 1:
		a, b = a[:len(dst)], b[:len(dst)]
		for i := range dst {
			dst[i] = f(a[i], b[i])
		}
	case stepA == 1:
		y := b[0]
		a = a[:len(dst)]
		for i := range dst {
			dst[i] = f(a[i], y)
		}
	case stepB == 1:
		x := a[0]
		b = b[:len(dst)]
		for i := range dst {
			dst[i] = f(x, b[i])
		}
	default:
		y := f(a[0], b[0])
		for i := range dst {
			dst[i] = y
		}
	}
}

func add[T number](x, y T) T { return x + y }
func sub[T number](x, y T) T { return x - y }
func mul[T number](x, y T) T { return x * y }

// arithmetic is the operations on rows that have assembly.
var arithmetic = map[string]func(dst, x, y []float32, stepX, stepY int){
	"Add": vector.AddRows, "Sub": vector.SubRows, "Mul": vector.MulRows, "Div": vector.DivRows,
	"Max": vector.MaxRows, "Min": vector.MinRows, "PRelu": vector.PReluRows, "Pow": vector.PowRows, "Mod": vector.ModRows, "Sum": vector.AddRows, "Mean": vector.AddRows,
}

func maximum(x, y float32) float32 {
	if x > y || x != x {
		return x
	}
	return y
}

func minimum(x, y float32) float32 {
	if x < y || x != x {
		return x
	}
	return y
}

func integerOperation(op string, params any) func(x, y int64) int64 {
	switch op {
	case "Add", "Sum":
		return add[int64]
	case "Sub":
		return sub[int64]
	case "Mul":
		return mul[int64]
	case "Div":
		return func(x, y int64) int64 {
			if y == 0 {
				return 0 // ONNX leaves this undefined; a fault would end the program
			}
			return x / y
		}
	case "Pow":
		return power
	case "Mod":
		truncate, _ := params.(bool)
		return func(x, y int64) int64 {
			if y == 0 {
				return 0
			}
			r := x % y
			if !truncate && r != 0 && (r < 0) != (y < 0) {
				r += y // the sign of the divisor, as Python has it
			}
			return r
		}
	case "Max":
		return func(x, y int64) int64 { return max(x, y) }
	case "Min":
		return func(x, y int64) int64 { return min(x, y) }
	case "BitwiseAnd":
		return func(x, y int64) int64 { return x & y }
	case "BitwiseOr":
		return func(x, y int64) int64 { return x | y }
	case "BitwiseXor":
		return func(x, y int64) int64 { return x ^ y }
	case "BitShift":
		return shift(params.(operator.ShiftParams))
	}
	return nil
}

// power is x to the power of y in integers, exact modulo 2⁶⁴; fractions, from a negative y, are 0.
func power(x, y int64) int64 {
	switch {
	case y >= 0:
	case x == 1 || x == -1:
		y &= 1
	default:
		return 0
	}
	result := int64(1)
	for ; y > 0; y >>= 1 {
		if y&1 != 0 {
			result *= x
		}
		x *= x
	}
	return result
}

// shift shifts bits. A count that is negative is one as large as that without a sign.
func shift(p operator.ShiftParams) func(x, y int64) int64 {
	switch {
	case p.Left:
		return func(x, y int64) int64 { return x << uint64(y) }
	case p.Unsigned:
		return func(x, y int64) int64 { return int64(uint64(x) >> uint64(y)) }
	}
	return func(x, y int64) int64 { return x >> uint64(y) }
}

func buildBinary(b *builder) (func() error, error) {
	op, y := b.Step.Node.Op, b.Step.Out[0]
	m, id0, id1 := b.memory, b.Step.In[0], b.Step.In[1]
	w := newBroadcast(b.OutShape(0), b.Shape(0), b.Shape(1))
	sa, sb := w.step[0], w.step[1]
	if b.DType(0) == graph.Int64 {
		if b.DType(1) == graph.Float32 { // Pow
			bits := b.Values[y].Bits
			return broadcastSpan(b, w, func(lo, hi int, off [3]int) {
				for i := range hi - lo {
					m.i64[y][lo+i] = integerOf(math.Pow(float64(m.i64[id0][off[0]+i*sa]), float64(m.f32[id1][off[1]+i*sb])), bits)
				}
			}), nil
		}
		f := integerOperation(op, b.Step.Params)
		return broadcastSpan(b, w, func(lo, hi int, at [3]int) {
			combine(m.i64[y][lo:hi], m.i64[id0][at[0]:], m.i64[id1][at[1]:], sa, sb, f)
		}), nil
	}
	if b.DType(1) == graph.Int64 { // Pow
		return broadcastSpan(b, w, func(lo, hi int, offsets [3]int) {
			for i := range hi - lo {
				m.f32[y][lo+i] = float32(math.Pow(float64(m.f32[id0][offsets[0]+i*sa]), float64(m.i64[id1][offsets[1]+i*sb])))
			}
		}), nil
	}
	if op == "Mod" && b.Step.Params != true {
		return nil, errors.New("float operands need fmod = 1")
	}
	if op == "Mul" {
		if run := scaleChannels(b, w); run != nil {
			return run, nil
		}
	}
	if c := b.Constant(1); op == "Pow" && c != nil && c.Len() == 1 && sa == 1 && sb == 0 {
		// Normalizations consist of squares and roots.
		v, err := c.Load(nil)
		if err != nil {
			return nil, err
		}
		switch v[0] {
		case 2:
			return broadcastSpan(b, w, func(lo, hi int, at [3]int) {
				vector.MulRows(m.f32[y][lo:hi], m.f32[id0][at[0]:], m.f32[id0][at[0]:], 1, 1)
			}), nil
		case 0.5:
			return broadcastSpan(b, w, func(lo, hi int, at [3]int) { vector.Sqrt(m.f32[y][lo:hi], m.f32[id0][at[0]:][:hi-lo]) }), nil
		}
	}
	rows := arithmetic[op]
	if rows == nil {
		return nil, errors.New("no kernel for " + op)
	}
	return broadcastSpan(b, w, func(lo, hi int, at [3]int) {
		rows(m.f32[y][lo:hi], m.f32[id0][at[0]:], m.f32[id1][at[1]:], sa, sb)
	}), nil
}

// scaleChannels is a product of images with channels last by one factor for each channel of an image; nil for other
// products.
func scaleChannels(b *builder, w *broadcast) func() error {
	k := len(w.shape) - 1
	if k < 0 || graph.Count(b.OutShape(0)) == 0 || w.step[0] != 1 || w.step[1] != 1 || w.shape[k] == 1 {
		return nil
	}
	image := slices.IndexFunc(w.strides, func(strides []int) bool { return strides[k] == w.row })
	if image < 0 || w.strides[1-image][k] != 0 {
		return nil
	}
	x, factors, y := b.in(image), b.in(1-image), b.out(0)
	pixels, row := w.shape[k], w.row
	part := max(1, min(pixels, 4*grain/row))
	parts := (pixels + part - 1) / part
	return b.span(w.rows()/pixels*parts, max(1, grain/(part*row)), func(_, lo, hi int) {
		for t := lo; t < hi; t++ {
			r := t/parts*pixels + t%parts*part
			n := min(part, pixels-t%parts*part)
			vector.ScaleRows(y()[r*row:], x()[w.offset(image, r):], factors()[w.offset(1-image, r):][:row], n)
		}
	})
}

func buildVariadic(b *builder) (func() error, error) {
	op, y, m := b.Step.Node.Op, b.Step.Out[0], b.memory
	count := len(b.Step.In)
	rows, integers := arithmetic[op], integerOperation(op, nil)
	var runs []func() error
	for k, id := range b.Step.In {
		w := newBroadcast(b.OutShape(0), b.Shape(k))
		step := w.step[0]
		last := k == count-1
		first := k == 0
		runs = append(runs, broadcastSpan(b, w, func(lo, hi int, offsets [3]int) {
			if b.DType(0) == graph.Int64 {
				dst, x := m.i64[y][lo:hi], m.i64[id][offsets[0]:]
				for i := range dst {
					v := x[i*step]
					if !first {
						v = integers(dst[i], v)
					}
					dst[i] = v
				}
				return
			}
			dst, x := m.f32[y][lo:hi], m.f32[id][offsets[0]:]
			switch {
			case !first:
				rows(dst, dst, x, 1, step)
			case step == 0:
				fill(dst, x[0])
			default:
				copy(dst, x)
			}
			if last && op == "Mean" {
				vector.DivRows(dst, dst, []float32{float32(count)}, 1, 0)
			}
		}))
	}
	return func() error {
		for _, run := range runs {
			if err := run(); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

func compare[T number](op string) func(x, y T) bool {
	switch op {
	case "Equal":
		return func(x, y T) bool { return x == y }
	case "Greater":
		return func(x, y T) bool { return x > y }
	case "GreaterOrEqual":
		return func(x, y T) bool { return x >= y }
	case "Less":
		return func(x, y T) bool { return x < y }
	}
	return func(x, y T) bool { return x <= y }
}

func buildComparison(b *builder) (func() error, error) {
	m, id0, id1, y := b.memory, b.Step.In[0], b.Step.In[1], b.Step.Out[0]
	w := newBroadcast(b.OutShape(0), b.Shape(0), b.Shape(1))
	sa, sb := w.step[0], w.step[1]
	floats, integers := compare[float32](b.Step.Node.Op), compare[int64](b.Step.Node.Op)
	return broadcastSpan(b, w, func(lo, hi int, offsets [3]int) {
		dst := m.bits[y][lo:hi]
		switch b.Values[id0].DType {
		case graph.Float32:
			combine(dst, m.f32[id0][offsets[0]:], m.f32[id1][offsets[1]:], sa, sb, floats)
		case graph.Int64:
			combine(dst, m.i64[id0][offsets[0]:], m.i64[id1][offsets[1]:], sa, sb, integers)
		default:
			combine(dst, m.bits[id0][offsets[0]:], m.bits[id1][offsets[1]:], sa, sb, func(x, y bool) bool { return x == y })
		}
	}), nil
}

func buildLogic(b *builder) (func() error, error) {
	m, id0, id1, y := b.memory, b.Step.In[0], b.Step.In[1], b.Step.Out[0]
	w := newBroadcast(b.OutShape(0), b.Shape(0), b.Shape(1))
	f := map[string]func(x, y bool) bool{
		"And": func(x, y bool) bool { return x && y },
		"Or":  func(x, y bool) bool { return x || y },
		"Xor": func(x, y bool) bool { return x != y },
	}[b.Step.Node.Op]
	return broadcastSpan(b, w, func(lo, hi int, at [3]int) {
		combine(m.bits[y][lo:hi], m.bits[id0][at[0]:], m.bits[id1][at[1]:], w.step[0], w.step[1], f)
	}), nil
}

func buildWhere(b *builder) (func() error, error) {
	m, c, x, z, y := b.memory, b.Step.In[0], b.Step.In[1], b.Step.In[2], b.Step.Out[0]
	w := newBroadcast(b.OutShape(0), b.Shape(0), b.Shape(1), b.Shape(2))
	return broadcastSpan(b, w, func(lo, hi int, offsets [3]int) {
		condition := m.bits[c][offsets[0]:]
		switch b.DType(1) {
		case graph.Float32:
			choose(m.f32[y][lo:hi], condition, m.f32[x][offsets[1]:], m.f32[z][offsets[2]:], w.step)
		case graph.Int64:
			choose(m.i64[y][lo:hi], condition, m.i64[x][offsets[1]:], m.i64[z][offsets[2]:], w.step)
		default:
			choose(m.bits[y][lo:hi], condition, m.bits[x][offsets[1]:], m.bits[z][offsets[2]:], w.step)
		}
	}), nil
}

func choose[T any](dst []T, condition []bool, x, z []T, step []int) {
	for i := range dst {
		if condition[i*step[0]] {
			dst[i] = x[i*step[1]]
		} else {
			dst[i] = z[i*step[2]]
		}
	}
}

// narrower is the rounding of float32 to the type that a value is cast to.
func narrower(p operator.CastParams) func(float32) float32 {
	switch p.To {
	case graph.ElementFloat16:
		return func(v float32) float32 { return dtype.Float16ToFloat32(dtype.Float32ToFloat16(v)) }
	case graph.ElementBFloat16:
		return func(v float32) float32 { return dtype.BFloat16ToFloat32(dtype.Float32ToBFloat16(v)) }
	}
	if n := graph.NarrowElement(p.To); n != nil && n.IsFloat() {
		return func(v float32) float32 { return n.Round(v, p.Saturate, p.Mode) }
	}
	return func(v float32) float32 { return v }
}

func buildCast(b *builder) (func() error, error) {
	p := b.Step.Params.(operator.CastParams)
	m, x, y := b.memory, b.Step.In[0], b.Step.Out[0]
	from, target := b.DType(0), b.Values[y].DType
	narrow, bits := narrower(p), graph.IntegerBits(p.To)
	f := func(i int) {}
	switch {
	case target == graph.Float32 && from == graph.Float32:
		f = func(i int) { m.f32[y][i] = narrow(m.f32[x][i]) }
	case target == graph.Float32 && from == graph.Int64:
		f = func(i int) { m.f32[y][i] = narrow(float32(m.i64[x][i])) }
	case target == graph.Float32:
		f = func(i int) { m.f32[y][i] = narrow(number01[float32](m.bits[x][i])) }
	case target == graph.Int64 && from == graph.Float32:
		f = func(i int) { m.i64[y][i] = integerOf(float64(m.f32[x][i]), bits) }
	case target == graph.Int64 && from == graph.Int64:
		f = func(i int) { m.i64[y][i] = graph.Wrap(m.i64[x][i], bits) }
	case target == graph.Int64:
		f = func(i int) { m.i64[y][i] = number01[int64](m.bits[x][i]) }
	case from == graph.Float32:
		f = func(i int) { m.bits[y][i] = m.f32[x][i] != 0 }
	case from == graph.Int64:
		f = func(i int) { m.bits[y][i] = m.i64[x][i] != 0 }
	default:
		f = func(i int) { m.bits[y][i] = m.bits[x][i] }
	}
	return b.span(graph.Count(b.OutShape(0)), grain, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			f(i)
		}
	}), nil
}

func number01[T number](v bool) T {
	if v {
		return 1
	}
	return 0
}

// integerOf truncates to an integer of this many bits, on every machine as x86 does under PyTorch and ONNX Runtime. It
// converts to 32 bits, or to 64 for types of 64 bits and uint32, and keeps the low bits; values out of range become the
// least integer.
func integerOf(v float64, bits int) int64 {
	least := float64(-1 << 31)
	switch bits {
	case 0, -32:
		least = -1 << 63
	case graph.Uint64:
		if least = -1 << 63; v >= -least {
			return integerOf(v+least, 0) ^ math.MinInt64
		}
	}
	if !(v < -least && v > least-1) {
		v = least
	}
	return graph.Wrap(int64(v), bits)
}

func buildBitsOf(b *builder) (func() error, error) {
	m, x, y := b.memory, b.Step.In[0], b.Step.Out[0]
	bits := func(v float32) int64 { return int64(math.Float32bits(v)) }
	switch b.Step.Params.(operator.BitsParams).Kind {
	case graph.ElementFloat16:
		bits = func(v float32) int64 { return int64(dtype.Float32ToFloat16(v)) }
	case graph.ElementBFloat16:
		bits = func(v float32) int64 { return int64(dtype.Float32ToBFloat16(v)) }
	}
	return b.span(graph.Count(b.OutShape(0)), grain, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			m.i64[y][i] = bits(m.f32[x][i])
		}
	}), nil
}

func buildOfBits(b *builder) (func() error, error) {
	m, x, y := b.memory, b.Step.In[0], b.Step.Out[0]
	float := func(v int64) float32 { return math.Float32frombits(uint32(v)) }
	switch b.Step.Params.(operator.BitsParams).Kind {
	case graph.ElementFloat16:
		float = func(v int64) float32 { return dtype.Float16ToFloat32(uint16(v)) }
	case graph.ElementBFloat16:
		float = func(v int64) float32 { return dtype.BFloat16ToFloat32(uint16(v)) }
	case graph.ElementDouble:
		float = func(v int64) float32 { return float32(math.Float64frombits(uint64(v))) }
	}
	return b.span(graph.Count(b.OutShape(0)), grain, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			m.f32[y][i] = float(m.i64[x][i])
		}
	}), nil
}
