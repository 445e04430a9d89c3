// Softmax and its logarithm.

package cpu

import (
	"math"

	"repscope/internal/kernel"
	"repscope/internal/kernel/vector"
	"repscope/model/graph"
)

// softmaxRows writes the softmax of rows of n elements; buffer holds one row. dst and src may be the same.
func softmaxRows(dst, src []float32, n int, buffer *[]float32) {
	padded := roundUp(n, vector.Lanes)
	*buffer = grow(*buffer, padded)
	row := *buffer
	var factor [1]float32
	for i := 0; i < len(src); i += n {
		if n == padded { // in place
			row = dst[i : i+n]
		}
		copy(row, src[i:i+n])
		for k := n; k < padded; k++ {
			row[k] = float32(math.Inf(-1))
		}
		factor[0] = 1 / vector.SoftmaxRow(row, 1)
		vector.MulRows(dst[i:i+n], row, factor[:], 1, 0)
	}
}

// logSoftmaxRows writes x − max − ln Σ exp(x − max) of rows of n elements.
func logSoftmaxRows(dst, src []float32, n int, buffer *[]float32) {
	*buffer = grow(*buffer, n)
	row := *buffer
	var greatest [1]float64
	var top, logarithm [1]float32
	for i := 0; i < len(src); i += n {
		vector.ReduceMax.Rows(greatest[:], src[i:], n, 1, n)
		top[0] = float32(greatest[0])
		vector.SubRows(dst[i:i+n], src[i:], top[:], 1, 0)
		vector.Exp(row, dst[i:i+n])
		logarithm[0] = float32(math.Log(vector.Sum(row)))
		vector.SubRows(dst[i:i+n], dst[i:], logarithm[:], 1, 0)
	}
}

// softmaxColumns is that of columns of n elements, each inner elements after the other.
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

// shortRows is the greatest length of rows whose logarithms are taken as columns.
const shortRows = 128

// logSoftmaxShort takes rows of n elements, some at a time, as columns.
func logSoftmaxShort(b *builder, n int) func() error {
	rows := graph.Count(b.OutShape(0)) / n
	x, y, weights := b.in(0), b.out(0), b.weights
	return b.span((rows+reducedPart-1)/reducedPart, max(1, grain/4/(n*reducedPart)), func(worker, lo, hi int) {
		s := weights.scratch[worker]
		s.frames = grow(s.frames, n*reducedPart)
		for t := lo; t < hi; t++ {
			from := t * reducedPart
			count := min(reducedPart, rows-from)
			kernel.Transpose(s.frames, reducedPart, x()[from*n:], n, count, n)
			columnsSoftmax(s.frames, s.frames, n, reducedPart, count, true)
			kernel.Transpose(y()[from*n:], n, s.frames, reducedPart, n, count)
		}
	})
}

// columnsSoftmax is that of at most reducedPart neighboring columns of n elements. dst and src may be the same.
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
