// What follows a product while its result is still in the cache: bias and activation.

package cpu

import (
	"repscope/internal/kernel/vector"
	"repscope/model/operator"
)

// finisher adds a bias to columns col … col+cols−1 of rows, and the same part of another matrix unless it is nil, and applies a
// function.
type finisher func(c, other []float32, stride, rows, col, cols int)

// newFinish returns the finisher of a step; bias may read as nil.
func newFinish(b *builder, a operator.Activation, bias func() []float32) finisher {
	if !vectorized[a.Op] {
		b.scalar(a.Op)
	}
	active := a.Op != ""
	f := functionOf(a)
	relu := a.Op == "Relu"
	return func(c, other []float32, stride, rows, col, cols int) {
		v := bias()
		if v != nil {
			vector.FinishRows(c, v[col:col+cols], other, stride, cols, rows, relu)
			if relu {
				return
			}
		} else if other != nil {
			for i := range rows {
				row := c[i*stride : i*stride+cols]
				vector.AddRows(row, row, other[i*stride:], 1, 1)
			}
		}
		switch {
		case !active:
		case stride == cols:
			f(c[:rows*cols], c[:rows*cols])
		default:
			for i := range rows {
				row := c[i*stride : i*stride+cols]
				f(row, row)
			}
		}
	}
}
