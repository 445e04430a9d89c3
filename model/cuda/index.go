//go:build cuda

// Operators that read or write at indices.

package cuda

import (
	"fmt"

	"repscope/model/graph"
	"repscope/model/operator"
)

var indexOperators = map[string]constructor{
	".Gather": buildGather, ".GatherElements": buildGatherElements, ".GatherND": buildGatherND,
	".ScatterElements": buildScatterElements, ".ScatterND": buildScatterND, ".OneHot": buildOneHot, ".TopK": buildTopK,
}

// rangeFault is a cell for indices that are out of range for an axis of n: the kernels
// write 1 + 2·index there, or −2·index for a negative index.
func (b *builder) rangeFault(n int) operand {
	return b.fault(func(value int64) error {
		index := int64(uint64(value) / 2)
		if value%2 == 0 {
			index = -index
		}
		return fmt.Errorf("index %d is out of range for an axis of %d", index, n)
	})
}

// wideElement is the largest of 16, 8 and 4 bytes, or else of the element, that n elements of t consist of.
func wideElement(t graph.DType, n int) int {
	for _, wide := range []int{16, 8, 4} {
		if n*t.Size()%wide == 0 && wide > t.Size() {
			return wide
		}
	}
	return t.Size()
}

func buildGather(b *builder) error {
	axis := b.Step.Params.(operator.AxisParams).Axis
	_, n, inner := graph.Around(b.Shape(0), axis)
	bytes := wideElement(b.DType(0), inner)
	inner = inner * b.DType(0).Size() / bytes
	total := graph.Count(b.OutShape(0)) * b.DType(0).Size() / bytes
	b.launch(fmt.Sprint("gather_", bytes), blocks(total), line, 0, b.in(0), b.in(1), b.out(0), total, graph.Count(b.Shape(1)), n, inner, b.rangeFault(n))
	return nil
}

// elementPlaces records where the indices of input 1 point in input 0, whose other axes they share.
func (b *builder) elementPlaces(axis int) operand {
	in, index := b.Shape(0), b.Shape(1)
	n := graph.Count(index)
	strides := graph.RowMajor(in)
	apart := strides[axis]
	strides[axis] = 0
	places, w := b.scratch(8*n), newBox(index, strides)
	b.launch("element_places", blocks(n), line, 0, b.in(1), places, n, w.table(b), w.rank(), in[axis], apart, b.rangeFault(in[axis]))
	return places
}

// tuplePlaces records the offsets of the index tuples of input 1 in input 0, among its axes from batch on; the axes
// before are shared. It returns the number of tuples and the elements of a block.
func (b *builder) tuplePlaces(batch int) (offsets operand, tuples, block int) {
	in, index := b.Shape(0), b.Shape(1)
	width := index[len(index)-1]
	tuples = graph.Count(index[:len(index)-1])
	strides := graph.RowMajor(in)
	var w box
	var faults operand
	for a := batch; a < batch+width; a++ {
		// The cells of a step follow each other.
		if cell := b.rangeFault(in[a]); a == batch {
			faults = cell
		}
		w.shape, w.strides = append(w.shape, in[a]), append(w.strides, []int{strides[a]})
	}
	offsets = b.scratch(8 * tuples)
	b.launch("tuple_places", blocks(tuples), line, 0, b.in(1), offsets, tuples, w.table(b), width,
		graph.Count(index[batch:len(index)-1]), graph.Count(in[batch:]), faults)
	return offsets, tuples, graph.Count(in[batch+width:])
}

// take records that blocks of elements are read at offsets. From an empty array nothing can be read.
func (b *builder) take(offsets operand, block int) {
	if n := graph.Count(b.OutShape(0)); graph.Count(b.Shape(0)) > 0 {
		b.launch(fmt.Sprint("take_", b.DType(0).Size()), blocks(n), line, 0, b.in(0), offsets, b.out(0), n, block)
	}
}

func buildGatherElements(b *builder) error {
	b.take(b.elementPlaces(b.Step.Params.(operator.AxisParams).Axis), 1)
	return nil
}

func buildGatherND(b *builder) error {
	places, _, block := b.tuplePlaces(b.Step.Params.(operator.GatherNDParams).Batch)
	b.take(places, block)
	return nil
}

// scatter records that the updates of input 2 are applied to input 0 at offsets, in order.
func (b *builder) scatter(offsets operand, count, block int) {
	reduction := map[string]int{"none": 0, "add": 1, "mul": 2, "max": 3, "min": 4}[b.Step.Params.(operator.ScatterParams).Reduction]
	all := graph.Count(b.Shape(0))
	b.copy(b.out(0), b.in(0), all*b.DType(0).Size())
	if all == 0 || count == 0 || block == 0 {
		return
	}
	marks := b.scratch(16 * (all / block))
	b.launch("scatter_clear", blocks(all/block), line, 0, marks, all/block)
	b.launch("scatter_marks", blocks(count), line, 0, offsets, marks, count, block)
	b.launch("scatter_"+typeName(b.DType(0)), blocks(count*block), line, 0, b.in(2), offsets, marks, b.out(0), count*block, block, reduction)
}

func buildScatterElements(b *builder) error {
	b.scatter(b.elementPlaces(b.Step.Params.(operator.ScatterParams).Axis), graph.Count(b.Shape(1)), 1)
	return nil
}

func buildScatterND(b *builder) error {
	places, tuples, block := b.tuplePlaces(0)
	b.scatter(places, tuples, block)
	return nil
}

func buildOneHot(b *builder) error {
	_, depth, inner := graph.Around(b.OutShape(0), b.Step.Params.(operator.OneHotParams).Axis)
	n := graph.Count(b.OutShape(0))
	b.launch(fmt.Sprint("one_hot_", b.OutDType(0).Size()), blocks(n), line, 0, b.in(0), b.in(2), b.out(0), n, depth, inner, b.DType(0) == graph.Float32)
	return nil
}

func buildTopK(b *builder) error {
	p := b.Step.Params.(operator.TopKParams)
	outer, n, inner := graph.Around(b.Shape(0), p.Axis)
	if p.K == 0 || outer*inner == 0 {
		return nil
	}
	b.launch("top_"+typeName(b.DType(0)), [3]int{outer * inner * ceil(n, perBlock), 1, 1}, line, 0, b.in(0), b.out(0), b.out(1), n, inner, p.K, p.Largest)
	return nil
}
