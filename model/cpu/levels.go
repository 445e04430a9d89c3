// Values kept as bytes in quantized models, between steps that support it. Steps compute them as floats, part by part,
// and read them as floats; products of integers read the bytes directly.

package cpu

import (
	"unsafe"

	"repscope/internal/kernel/vector"
	"repscope/model/graph"
)

// bytesOf is the first n bytes of floats.
func bytesOf(x []float32, n int) []uint8 {
	if n > 4*len(x) {
		panic("bytes beyond the floats that they lie in")
	}
	return unsafe.Slice((*uint8)(unsafe.Pointer(unsafe.SliceData(x))), n)
}

// levels are the levels of a value, or nil for a value kept as floats.
type levels struct {
	*graph.Levels
	low  int32
	unit bool // a byte b represents b + First
}

func newLevels(l *graph.Levels) *levels {
	if l == nil {
		return nil
	}
	v := &levels{Levels: l, low: int32(l.First), unit: true}
	for i, x := range l.Values {
		v.unit = v.unit && x == l.First+float32(i)
	}
	return v
}

// direct reports whether the bytes represent integers offset by one of them that is zero.
func (l *levels) direct() bool { return l != nil && l.unit && l.low <= 0 && l.low >= -255 }

// decode writes the values of bytes.
func (l *levels) decode(dst []float32, src []uint8) {
	if l.unit {
		vector.Widen(dst, src, l.First)
		return
	}
	vector.Lookup(dst, src, &l.Values)
}

// encode writes First … First+255 as bytes, and NaN as 0.
func (l *levels) encode(dst []uint8, x []float32) { vector.Bytes(dst, x, l.low) }

// operand is a float32 operand of a step or its result: floats, or bytes.
type operand struct {
	memory *memory
	id     int
	levels *levels
}

func (b *builder) operand(id int) operand {
	return operand{b.memory, id, newLevels(b.Values[id].Levels)}
}

// floats are all elements, nil of bytes.
func (o *operand) floats() []float32 { return o.memory.f32[o.id] }

// part is elements from … to−1: as they lie, or decoded to the buffer, which grows.
func (o *operand) part(buffer *[]float32, from, to int) []float32 {
	if o.levels == nil {
		return o.memory.f32[o.id][from:to]
	}
	*buffer = grow(*buffer, to-from)
	o.levels.decode(*buffer, o.memory.u8[o.id][from:to])
	return *buffer
}

// room is the memory for elements from … to−1: the value's own, or the buffer, from which done copies them.
func (o *operand) room(buffer *[]float32, from, to int) []float32 {
	if o.levels == nil {
		return o.memory.f32[o.id][from:to]
	}
	*buffer = grow(*buffer, to-from)
	return *buffer
}

// ending takes the last operations apart if the result becomes bytes.
func (b *builder) ending(then []followUp) (list []followUp, last followUp) {
	n, levels := len(then)-1, b.Values[b.Step.Out[0]].Levels
	if n < 0 || levels == nil {
		return then, last
	}
	if last = then[n]; last.pass != nil {
		last.bytes = last.pass.ToBytes(int32(levels.First))
	}
	return then[:n], last
}

// finish applies the last operations to rows of cols elements computed in room, and stores them.
func (o *operand) finish(x []float32, from, cols int, last followUp) {
	if o.levels != nil && last.bytes != nil && (last.columns == 1 || last.columns == cols) {
		last.bytes.Bytes(o.memory.u8[o.id][from:], x)
		return
	}
	if last.apply != nil {
		last.apply(x, cols, len(x)/cols, cols, 0)
	}
	o.done(x, from)
}

// done stores elements computed in room, from index from on.
func (o *operand) done(x []float32, from int) {
	if o.levels != nil {
		o.levels.encode(o.memory.u8[o.id][from:from+len(x)], x)
	}
}
