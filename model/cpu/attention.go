// Attention, one batch element and head at a time: the scores of a block of
// queries against all keys stay in the cache until they are weights of the values.

package cpu

import (
	"math"

	"repscope/internal/kernel"
	"repscope/internal/kernel/vector"
	"repscope/model/graph"
	"repscope/model/operator"
)

var attentionKernels = map[string]constructor{
	"repscope.Attention": buildAttention,
}

// queryBlock is the number of queries whose scores a worker holds at a time.
const queryBlock = 48

// attention is a worker's buffers.
type attention struct {
	keys, values kernel.Packed[float32]
	turned       []float32 // rows after the rotary embedding
	scores       []float32
}

// offset is where batch element i begins.
func batchOffset(v int, strides, batch []int, i int) int {
	for k := len(batch) - 1; k >= 0; k-- {
		v += i % batch[k] * strides[k]
		i /= batch[k]
	}
	return v
}

// turn writes x·cos + (−x₂, x₁)·sin for rows r0 … r1−1 of width elements that lie stride apart.
func turn(dst, src, cos, sin []float32, r0, r1, stride, width int) {
	half := width / 2
	for r := r0; r < r1; r++ {
		x := src[r*stride : r*stride+width]
		c, s := cos[r*width:(r+1)*width], sin[r*width:(r+1)*width]
		to := dst[(r-r0)*width : (r-r0+1)*width]
		for i, a := range x[:half] {
			b := x[half+i]
			to[i] = float32(a*c[i]) + float32(-b*s[i])
			to[half+i] = float32(b*c[half+i]) + float32(a*s[half+i])
		}
	}
}

func buildAttention(b *builder) (func() error, error) {
	p := b.Step.Params.(*operator.AttentionParams)
	axis := len(p.Batch)
	q, k, v, mask, y := b.in(0), b.in(1), b.in(2), b.in(3), b.out(0)
	cosQ, sinQ, cosK, sinK := b.in(4), b.in(5), b.in(6), b.in(7)
	heads := graph.Count(p.Batch)
	// All queries of a head at once, unless there are few heads for the workers.
	share := p.Queries
	for heads*((p.Queries+share-1)/share) < 2*(*b.pool).threads && share > queryBlock {
		share = roundUp((share+1)/2, queryBlock)
	}
	parts := (p.Queries + share - 1) / share
	padded := roundUp(p.Keys, vector.Lanes)
	width, result := []kernel.Run{{Length: p.Width}}, []kernel.Run{{Length: p.Keys}}
	pool, weights := b.pool, b.weights
	return b.each(heads*parts, func(worker, lo, hi int) {
		s := weights.scratch[worker]
		a, g := &s.attention, &s.gathered
		a.scores = grow(a.scores, queryBlock*padded)
		a.turned = grow(a.turned, max(queryBlock, p.Keys)*p.Width)
		for t := lo; t < hi; t++ {
			head, q0 := t/parts, t%parts*share
			q1 := min(q0+share, p.Queries)
			queries := q()[batchOffset(p.Q.Offset, p.Q.Strides, p.Batch, head):]
			keys := k()[batchOffset(p.K.Offset, p.K.Strides, p.Batch, head):]
			values := v()[batchOffset(p.V.Offset, p.V.Strides, p.Batch, head):]
			out := y()[batchOffset(0, p.Result.Strides, p.Batch, head):]
			step := p.K.Strides[axis]
			if c := cosK(); c != nil {
				turn(a.turned, keys, c, sinK(), 0, p.Keys, step, p.Width)
				keys, step = a.turned, p.Width
			}
			if err := a.keys.Right(kernel.Rows(keys, step), p.Keys, p.Width); err != nil {
				(*pool).fail(err)
				return
			}
			if err := a.values.Right(kernel.Columns(values, p.V.Strides[axis]), p.Values, p.Keys); err != nil {
				(*pool).fail(err)
				return
			}
			for r0 := q0; r0 < q1; r0 += queryBlock {
				n := min(queryBlock, q1-r0)
				from, step := queries, p.Q.Strides[axis]
				if c := cosQ(); c != nil {
					turn(a.turned, queries, c, sinQ(), r0, r0+n, step, p.Width)
					from, step = a.turned, p.Width
				} else {
					from = queries[r0*step:]
				}
				g.M, g.N, g.Data, g.Base, g.Runs = n, p.Keys, from, s.bases(n, step), width
				g.B, g.First, g.C, g.Stride = &a.keys, 0, a.scores, padded
				if err := g.Run(); err != nil {
					(*pool).fail(err)
					return
				}
				var inverse [queryBlock]float32
				for i := range n {
					row := a.scores[i*padded : (i+1)*padded]
					scale := p.Scale
					if m := mask(); m != nil {
						at := batchOffset((r0+i)*p.Mask[axis], p.Mask, p.Batch, head)
						for j, w := range m[at : at+p.Keys] {
							row[j] = float32(row[j]*scale) + w
						}
						scale = 1
					}
					for j := p.Keys; j < padded; j++ {
						row[j] = float32(math.Inf(-1))
					}
					inverse[i] = 1 / vector.SoftmaxRow(row, scale)
				}
				c := out[r0*p.Result.Strides[axis]:]
				g.M, g.N, g.Data, g.Base, g.Runs = n, p.Values, a.scores, s.bases(n, padded), result
				g.B, g.C, g.Stride = &a.values, c, p.Result.Strides[axis]
				if err := g.Run(); err != nil {
					(*pool).fail(err)
					return
				}
				for i := range n {
					f := inverse[i]
					row := c[i*g.Stride : i*g.Stride+p.Values]
					for j := range row {
						row[j] *= f
					}
				}
			}
		}
	}), nil
}
