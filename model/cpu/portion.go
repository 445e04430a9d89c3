// How much of a batch goes through a graph at a time.

package cpu

import (
	"slices"

	"repscope/model/graph"
)

const (
	// portionBytes bounds the intermediate values of a portion, so that the output of a step is still in a cache when the
	// next one reads it.
	portionBytes = 16 << 20
	// portionWeights bounds the constants, which every portion reads again, as a multiple of its intermediate values,
	// which many steps write and read.
	portionWeights = 4
)

// portion is the result of Portion for rows of some shapes.
type portion struct {
	shapes [][]int // without the batch
	rows   int     // at most
}

// Portion is how many of a batch's rows, the first axis of every input, had better be run at a time: fewer than all
// of them where the intermediate values of all would not stay in the caches. Whether the rows are independent is for
// the caller to know.
func (x *Executor) Portion(inputs []*graph.Tensor, rows int) int {
	i := slices.IndexFunc(x.portions, func(p portion) bool {
		return slices.EqualFunc(p.shapes, inputs, func(s []int, t *graph.Tensor) bool { return slices.Equal(s, t.Shape[1:]) })
	})
	if i < 0 {
		p := portion{rows: x.portionOf(inputs, rows)}
		for _, t := range inputs {
			p.shapes = append(p.shapes, slices.Clone(t.Shape[1:]))
		}
		if i = len(x.portions); i == kept {
			i = 0 // any of them
			x.portions = x.portions[:0]
		}
		x.portions = append(x.portions, p)
	}
	limit := x.portions[i].rows
	if limit >= rows {
		return rows
	}
	pieces := (rows + limit - 1) / limit
	return (rows + pieces - 1) / pieces
}

func (x *Executor) portionOf(inputs []*graph.Tensor, rows int) int {
	operands := make([]graph.Operand, len(inputs))
	for i, t := range inputs {
		operands[i].Type = graph.Type{DType: t.DType, Shape: append([]int{1}, t.Shape[1:]...)}
	}
	bound, err := x.graph.Specialize(operands)
	if err != nil {
		return rows // the run reports the error
	}
	weights, values := 0, 0
	for _, v := range bound.Values {
		if v.Const != nil {
			weights += v.Const.Len() * v.Const.DType.Size()
		}
	}
	for t, n := range layoutOf(bound).Size {
		values += n * graph.DType(t).Size()
	}
	values = max(values, 1)
	return max(portionBytes/values, (weights+portionWeights*values-1)/(portionWeights*values), 1)
}
