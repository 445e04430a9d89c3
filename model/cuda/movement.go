//go:build cuda

// Operators that move or create elements, and the boxes that kernels traverse.

package cuda

import (
	"fmt"
	"math"
	"math/bits"

	"repscope/model/graph"
	"repscope/model/operator"
)

var movementOperators = map[string]constructor{
	".Transpose": buildTranspose, ".Slice": buildSlice, ".Expand": buildExpand, ".Tile": buildTile, ".Concat": buildConcat,
	".Split": buildSplit, ".Pad": buildPad, ".ConstantOfShape": buildConstantOfShape, ".Range": buildRange, ".Trilu": buildTrilu,
}

// box is a shape that several operands traverse, each with its own strides. Axes that all of them traverse evenly are
// one; there are no axes of length 1.
type box struct {
	shape   []int
	strides [][]int // by axis and operand
}

// newBox takes the strides by operand.
func newBox(shape []int, strides ...[]int) box {
	merged, apart := graph.Merge(shape, strides...)
	return box{merged, apart}
}

func (w box) rank() int { return len(w.shape) }

// fixedReciprocal is the reciprocal of kernels/walk.h, by which indices are divided by d.
func fixedReciprocal(d int) uint64 { return math.MaxUint64 / uint64(max(d, 1)) }

// table enters the axes in the form of kernels/walk.h.
func (w box) table(b *builder) operand {
	if w.rank() == 0 {
		return operand{}
	}
	var cells []uint64
	for i, d := range w.shape {
		n := uint(bits.Len64(uint64(max(d, 1) - 1)))
		var magic, shift uint64
		if d > 0 && d <= math.MaxInt32 {
			magic, shift = 1<<(31+n)/uint64(d)+1, uint64(31+n)
		}
		cells = append(cells, uint64(d), magic|shift<<32, fixedReciprocal(d))
		for _, s := range w.strides[i] {
			cells = append(cells, uint64(s))
		}
	}
	return table(b, cells)
}

// quarters is the box in groups of four elements along the last axis, if every operand has stride 0 or lies on
// multiples of four elements there.
func (w box) quarters() (box, bool) {
	last := w.rank() - 1
	if last < 0 || w.shape[last]%4 != 0 {
		return box{}, false
	}
	q := box{shape: append([]int{}, w.shape...), strides: append([][]int{}, w.strides...)}
	q.shape[last] /= 4
	q.strides[last] = make([]int, len(w.strides[last]))
	for o, s := range w.strides[last] {
		if s != 0 && s != 1 {
			return box{}, false
		}
		q.strides[last][o] = 4 * s
		for i := range last {
			if s == 1 && w.strides[i][o]%4 != 0 {
				return box{}, false
			}
		}
	}
	return q, true
}

// widest is the box and its operands' offsets in units of the largest element of
// 16, 8, 4 or `element` bytes that every row of the last axis consists of.
func (w box) widest(element int, offsets []int) (box, []int, int) {
	last := w.rank() - 1
	for _, wide := range []int{16, 8, 4} {
		k := wide / element
		if k <= 1 || last < 0 || w.shape[last]%k != 0 {
			continue
		}
		v := box{shape: append([]int{}, w.shape...)}
		v.shape[last] /= k
		ok := true
		for i, axis := range w.strides {
			strides := append([]int{}, axis...)
			for o, s := range axis {
				if i == last {
					ok = ok && s == 1
				} else {
					ok = ok && s%k == 0
					strides[o] /= k
				}
			}
			v.strides = append(v.strides, strides)
		}
		moved := append([]int{}, offsets...)
		for o := range moved {
			ok = ok && moved[o]%k == 0
			moved[o] /= k
		}
		if ok {
			return v, moved, wide
		}
	}
	return w, offsets, element
}

// copyBox records a copy of a box of elements of t from x to y: the strides and the
// first elements of both.
func (b *builder) copyBox(t graph.DType, x, y operand, shape, from, to []int, fromAt, toAt int) {
	n := graph.Count(shape)
	if n == 0 {
		return
	}
	w := newBox(shape, from, to)
	if w.rank() == 0 || w.rank() == 1 && w.strides[0][0] == 1 && w.strides[0][1] == 1 {
		b.copy(y.at(toAt*t.Size()), x.at(fromAt*t.Size()), n*t.Size())
		return
	}
	w, at, bytes := w.widest(t.Size(), []int{fromAt, toAt})
	n = graph.Count(w.shape)
	b.launch(fmt.Sprint("copy_box_", bytes), blocks(n), line, 0, x.at(at[0]*bytes), y.at(at[1]*bytes), n, w.table(b), w.rank())
}

// shortAxis is the longest of two axes that are swapped without tiles: neighboring
// threads then still read whole sectors of memory.
const shortAxis = 8

func buildTranspose(b *builder) error {
	out, t := b.OutShape(0), b.DType(0)
	from := b.Step.Params.(operator.TransposeParams).Strides(b.Shape(0))
	to := graph.RowMajor(out)
	w := newBox(out, from, to)
	last, rows := w.rank()-1, -1
	for i := range w.shape {
		if w.strides[i][0] == 1 {
			rows = i
		}
	}
	if graph.Count(out) == 0 || rows < 0 || rows == last || w.shape[rows] <= shortAxis || w.shape[last] <= shortAxis ||
		fits(w.shape[rows], w.shape[last], graph.Count(out)/(w.shape[rows]*w.shape[last])) != nil {
		b.copyBox(t, b.in(0), b.out(0), out, from, to, 0, 0)
		return nil
	}
	var outer box
	for i := range last {
		if i != rows {
			outer.shape, outer.strides = append(outer.shape, w.shape[i]), append(outer.strides, w.strides[i])
		}
	}
	m := graph.Count(outer.shape)
	grid := [3]int{ceil(w.shape[rows], 32), min(ceil(w.shape[last], 32), 65535), min(m, 65535)}
	b.launch(fmt.Sprint("transpose_tiles_", t.Size()), grid, [3]int{32, 8, 1}, 0, b.in(0), b.out(0),
		w.shape[rows], w.shape[last], w.strides[last][0], w.strides[rows][1], m, outer.table(b), outer.rank())
	return nil
}

func buildSlice(b *builder) error {
	first, from := b.Step.Params.(operator.SliceParams).Window(b.Shape(0))
	out := b.OutShape(0)
	b.copyBox(b.DType(0), b.in(0), b.out(0), out, from, graph.RowMajor(out), first, 0)
	return nil
}

func buildExpand(b *builder) error {
	out := b.OutShape(0)
	b.copyBox(b.DType(0), b.in(0), b.out(0), out, graph.BroadcastStrides(out, b.Shape(0)), graph.RowMajor(out), 0, 0)
	return nil
}

func buildTile(b *builder) error {
	shape, from := operator.Rounds(b.Shape(0), b.OutShape(0))
	b.copyBox(b.DType(0), b.in(0), b.out(0), shape, from, graph.RowMajor(shape), 0, 0)
	return nil
}

func buildConcat(b *builder) error {
	axis := b.Step.Params.(operator.AxisParams).Axis
	outer, n, inner := graph.Around(b.OutShape(0), axis)
	offset := 0
	for i := range b.Step.In {
		own := b.Shape(i)[axis] * inner
		b.copyBox(b.DType(0), b.in(i), b.out(0), []int{outer, own}, []int{own, 1}, []int{n * inner, 1}, 0, offset)
		offset += own
	}
	return nil
}

func buildSplit(b *builder) error {
	p := b.Step.Params.(operator.SplitParams)
	outer, n, inner := graph.Around(b.Shape(0), p.Axis)
	offset := 0
	for i, length := range p.Sizes {
		width := length * inner
		if b.HasOut(i) {
			b.copyBox(b.DType(0), b.in(0), b.out(i), []int{outer, width}, []int{n * inner, 1}, []int{width, 1}, offset, 0)
		}
		offset += width
	}
	return nil
}

func buildPad(b *builder) error {
	p := b.Step.Params.(operator.PadParams)
	in, out, t := b.Shape(0), b.OutShape(0), b.DType(0)
	strides := graph.RowMajor(in)
	var offsets []int64
	var w box
	for a, places := range p.Places(in, out) {
		w.shape, w.strides = append(w.shape, out[a]), append(w.strides, []int{len(offsets)})
		for _, k := range places {
			if k >= 0 {
				k *= strides[a]
			}
			offsets = append(offsets, int64(k))
		}
	}
	n := graph.Count(out)
	if n == 0 {
		return nil
	}
	b.launch(fmt.Sprint("pad_", t.Size()), blocks(n), line, 0, b.in(0), b.out(0), n, w.table(b), w.rank(), table(b, offsets), scalar(t, p.Value))
	return nil
}

// scalar is the bits of a number as an element of t.
func scalar(t graph.DType, v operator.Number) uint64 {
	switch t {
	case graph.Float32:
		return uint64(math.Float32bits(float32(v.Float)))
	case graph.Int64:
		return uint64(v.Whole)
	}
	return uint64(min(max(v.Whole, -v.Whole), 1))
}

func buildConstantOfShape(b *builder) error {
	v := b.Step.Params.(*graph.Tensor)
	t, n := b.OutDType(0), graph.Count(b.OutShape(0))
	var cell uint64
	switch t {
	case graph.Float32:
		cell = uint64(math.Float32bits(v.F32[0]))
	case graph.Int64:
		cell = uint64(v.I64[0])
	case graph.Bool:
		if v.Bool[0] {
			cell = 1
		}
	}
	b.launch(fmt.Sprint("fill_", t.Size()), blocks(n), line, 0, b.out(0), n, cell)
	return nil
}

func buildRange(b *builder) error {
	n := graph.Count(b.OutShape(0))
	b.launch("range_"+typeName(b.OutDType(0)), blocks(n), line, 0, b.in(0), b.in(2), b.out(0), n)
	return nil
}

func buildTrilu(b *builder) error {
	p := b.Step.Params.(operator.TriluParams)
	s := b.Shape(0)
	n := graph.Count(s)
	b.launch(fmt.Sprint("trilu_", b.DType(0).Size()), blocks(n), line, 0, b.in(0), b.out(0), n, s[len(s)-2], s[len(s)-1], p.K, p.Upper)
	return nil
}
