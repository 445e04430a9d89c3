//go:build cuda

// Reductions, the indices of greatest and least elements, running sums.

package cuda

import (
	"fmt"

	"repscope/model/graph"
	"repscope/model/operator"
)

var reduceOperators = map[string]constructor{
	".ReduceSum": buildReduce, ".ReduceMean": buildReduce, ".ReduceMax": buildReduce, ".ReduceMin": buildReduce,
	".ReduceProd": buildReduce, ".ReduceL1": buildReduce, ".ReduceL2": buildReduce, ".ReduceSumSquare": buildReduce,
	".ReduceLogSum": buildReduce, ".ReduceLogSumExp": buildReduce, ".GlobalAveragePool": buildReduce, ".GlobalMaxPool": buildReduce,
	".ArgMax": buildArg, ".ArgMin": buildArg, ".CumSum": buildCumSum,
}

// The terms and ends of kernels/reduce.cu.
const (
	termSum, termGreatest, termLeast, termProduct, termMagnitudes, termSquares, termPowers = 0, 1, 2, 3, 4, 5, 6

	endKeep, endMean, endRoot, endLogarithm, endLogarithmAndTop = 0, 1, 2, 3, 4
)

var reductions = map[string]struct{ term, end int }{
	"ReduceSum": {termSum, endKeep}, "ReduceMean": {termSum, endMean}, "GlobalAveragePool": {termSum, endMean},
	"ReduceMax": {termGreatest, endKeep}, "GlobalMaxPool": {termGreatest, endKeep}, "ReduceMin": {termLeast, endKeep}, "ReduceProd": {termProduct, endKeep},
	"ReduceL1": {termMagnitudes, endKeep}, "ReduceL2": {termSquares, endRoot}, "ReduceSumSquare": {termSquares, endKeep}, "ReduceLogSum": {termSum, endLogarithm},
}

func buildReduce(b *builder) error {
	axes := b.Step.Params.(operator.ReduceParams).Split(b.Shape(0))
	r := reduction{kept: newBox(axes.Kept, axes.KeptStrides), reduced: newBox(axes.Reduced, axes.ReducedStrides),
		total: graph.Count(axes.Kept), n: graph.Count(axes.Reduced), t: b.DType(0)}
	if b.Step.Node.Op != "ReduceLogSumExp" {
		how := reductions[b.Step.Node.Op]
		r.record(b, b.in(0), b.out(0), operand{}, how.term, how.end)
		return nil
	}
	top := b.scratch(4 * r.total)
	r.record(b, b.in(0), top, operand{}, termGreatest, endKeep)
	r.record(b, b.in(0), b.out(0), top, termPowers, endLogarithmAndTop)
	return nil
}

// reduction reduces n elements for each of total outputs.
type reduction struct {
	kept, reduced box
	total, n      int
	t             graph.DType
}

// record records the launches. The division of a sum among threads and chunks depends on the length and the strides of
// the input, not on the number of outputs.
func (r reduction) record(b *builder, x, y, top operand, term, end int) {
	if r.total == 0 {
		return
	}
	lanes, name, chunk := 32, "warp", 1<<10
	last := r.kept.rank() - 1
	switch {
	case last >= 0 && r.kept.strides[last][0] == 1 && r.kept.shape[last] >= 16:
		lanes, name = 1, "thread" // neighboring threads read neighboring elements
		if r.n <= 2*chunk {
			chunk = r.n
		}
	case r.n > chunk:
		lanes, name, chunk = 256, "block", 1<<15
	}
	chunk = max(chunk, ceil(r.n, 1<<15), 1)
	chunks := max(ceil(r.n, chunk), 1)
	var partial operand
	if chunks > 1 {
		partial = b.scratch(8 * r.total * chunks)
	}
	// Outputs beyond what the grid's first index can count do not fit into memory.
	b.launch(fmt.Sprintf("reduce_by_%s_%s", name, typeName(r.t)), [3]int{ceil(r.total*lanes, perBlock), chunks, 1}, line, 0, x, y, partial, top,
		r.kept.table(b), r.kept.rank(), r.reduced.table(b), r.reduced.rank(), r.total, r.n, chunk, term, end)
	if chunks > 1 {
		b.launch("join_chunks_"+typeName(r.t), [3]int{ceil(r.total*32, perBlock), 1, 1}, line, 0, partial, y, top, r.total, r.n, chunks, term, end)
	}
}

func buildArg(b *builder) error {
	p := b.Step.Params.(operator.ArgParams)
	outer, n, inner := graph.Around(b.Shape(0), p.Axis)
	name, lanes := "thread", 1
	if inner == 1 && n > 4 {
		name, lanes = "warp", 32
	}
	b.launch(fmt.Sprintf("argument_by_%s_%s", name, typeName(b.DType(0))), [3]int{ceil(outer*inner*lanes, perBlock), 1, 1}, line, 0,
		b.in(0), b.out(0), outer*inner, n, inner, b.Step.Node.Op == "ArgMin", p.Last)
	return nil
}

func buildCumSum(b *builder) error {
	p := b.Step.Params.(operator.CumSumParams)
	outer, n, inner := graph.Around(b.Shape(0), p.Axis)
	b.launch("running_sum_"+typeName(b.DType(0)), blocks(outer*inner), line, 0, b.in(0), b.out(0), outer*inner, n, inner, p.Exclusive, p.Reverse)
	return nil
}
