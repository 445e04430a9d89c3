// Softmax and its logarithm.

package cpu

import (
	"math"

	"repscope/internal/kernel/vector"
	"repscope/model/graph"
)

// softmaxColumns is the softmax of columns of n elements, inner elements apart.
func softmaxColumns(b *builder, n, inner int) func() error {
	logarithm := b.Step.Node.Op == "LogSoftmax"
	parts := (inner + reducedPart - 1) / reducedPart
	x, y := b.in(0), b.out(0)
	return b.span(graph.Count(b.OutShape(0))/(n*inner)*parts, max(1, grain/4/(n*reducedPart)), func(_, lo, hi int) {
		for t := lo; t < hi; t++ {
			c := t % parts * reducedPart
			at := t/parts*n*inner + c
			columnsSoftmax(y()[at:], x()[at:], n, inner, min(reducedPart, inner-c), logarithm)
		}
	})
}

// columnsSoftmax is the softmax of at most reducedPart neighboring columns of n elements. dst and src may be the same.
func columnsSoftmax(dst, src []float32, n, stride, width int, logarithm bool) {
	var tops, powers [reducedPart]float32
	var sums [reducedPart]float64
	top := tops[:width]
	fill(top, float32(math.Inf(-1)))
	for i := range n {
		vector.MaxRows(top, src[i*stride:], top, 1, 1)
	}
	for i := range n {
		row, e := dst[i*stride:][:width], powers[:width]
		vector.SubRows(row, src[i*stride:], top, 1, 1)
		if !logarithm {
			e = row
		}
		vector.Exp(e, row)
		vector.ReduceSum.Columns(sums[:], e, []int{0}, width)
	}
	join := vector.MulRows
	for k, v := range sums[:width] {
		powers[k] = float32(1 / v)
	}
	if logarithm {
		for k, v := range sums[:width] {
			powers[k] = float32(v)
		}
		vector.Log(powers[:], powers[:])
		join = vector.SubRows
	}
	for i := range n {
		row := dst[i*stride:][:width]
		join(row, row, powers[:], 1, 1)
	}
}
