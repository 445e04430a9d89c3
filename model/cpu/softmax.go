// Softmax and its logarithm.

package cpu

import (
	"math"

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
		var tops, powers [reducedPart]float32
		var sums [reducedPart]float64
		for t := lo; t < hi; t++ {
			c := t % parts * reducedPart
			width := min(reducedPart, inner-c)
			src, dst := x()[t/parts*n*inner+c:], y()[t/parts*n*inner+c:]
			top := tops[:width]
			fill(top, float32(math.Inf(-1)))
			clear(sums[:])
			for i := range n {
				vector.MaxRows(top, src[i*inner:], top, 1, 1)
			}
			for i := range n {
				row, e := dst[i*inner:][:width], powers[:width]
				if !logarithm {
					e = row
				}
				vector.SubRows(e, src[i*inner:], top, 1, 1)
				if logarithm {
					copy(row, e)
				}
				vector.Exp(e, e)
				vector.ReduceSum.Columns(sums[:], e, []int{0}, width)
			}
			for k, v := range sums[:width] {
				if logarithm {
					powers[k] = float32(math.Log(v))
				} else {
					powers[k] = float32(1 / v)
				}
			}
			for i := range n {
				row := dst[i*inner:][:width]
				if logarithm {
					vector.SubRows(row, row, powers[:], 1, 1)
				} else {
					vector.MulRows(row, row, powers[:], 1, 1)
				}
			}
		}
	})
}
