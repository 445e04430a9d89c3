// Running products against a loop.

package operator_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"repscope/model/graph"
)

func TestCumProd(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		x := random(r, 1+r.IntN(3), r.IntN(20), 1+r.IntN(3))
		axis, exclusive, reverse := r.IntN(3), r.IntN(2), r.IntN(2)
		outer, n, inner := graph.Around(x.Shape, axis)
		want := make([]float64, len(x.F32))
		for row := range outer * inner {
			product := 1.0
			for i := range n {
				if reverse == 1 {
					i = n - 1 - i
				}
				offset := row/inner*n*inner + i*inner + row%inner
				if exclusive == 1 {
					want[offset] = product
				}
				if product *= float64(x.F32[offset]); exclusive == 0 {
					want[offset] = product
				}
			}
		}
		attributes := map[string]graph.Attribute{"exclusive": integer(int64(exclusive)), "reverse": integer(int64(reverse))}
		y := compute(t, 26, "CumProd", attributes, 1, []*graph.Tensor{x, scalarInt(axis)}, 1)
		near(t, fmt.Sprint("CumProd of ", x.Shape, axis, exclusive, reverse), y[0], want, 1e-6, x.Shape...)
	}
}
