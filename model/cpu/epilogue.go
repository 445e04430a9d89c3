// What follows a product while its result is still in the cache: bias and activation.

package cpu

import (
	"repscope/internal/kernel/vector"
	"repscope/model/operator"
)

// finisher adds a bias, and unless it is nil the same part of other, to columns col … col+cols−1 of rows and
// applies a function.
type finisher func(c, other []float32, stride, rows, col, cols int)

// newFinish returns the finisher of a step; bias may read as nil.
func newFinish(b *builder, a operator.Activation, bias func() []float32) finisher {
	active := a.Op != ""
	f := functionOf(a)
	relu := a.Op == "Relu"
	return func(c, other []float32, stride, rows, col, cols int) {
		switch v := bias(); {
		case v != nil:
			vector.FinishRows(c, v[col:col+cols], other, stride, cols, rows, relu && other == nil)
			if relu && other == nil {
				return
			}
		case other != nil: // stride is cols
			vector.AddRows(c[:rows*cols], c[:rows*cols], other[:rows*cols], 1, 1)
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
