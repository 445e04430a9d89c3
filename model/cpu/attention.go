// Attention, one batch element and head at a time: the scores of a block of
// queries against all keys stay in the cache until they are weights of the values.

package cpu

import (
	"math"
	"slices"

	"repscope/internal/kernel"
	"repscope/internal/kernel/vector"
	"repscope/model/graph"
	"repscope/model/operator"
)

var attentionKernels = map[string]constructor{
	"repscope.Attention": buildAttention,
}

var negativeInfinity = float32(math.Inf(-1))

// queryBlock is the number of queries whose scores a worker holds at a time.
const queryBlock = 48

// attention is a worker's buffers.
type attention struct {
	keys, values kernel.Packed[float32]
	turned       []float32 // rows after the rotary embedding
	scores       []float32
}

// batchOffset is where batch element i begins.
func batchOffset(v int, strides, batch []int, i int) int {
	for k := len(batch) - 1; k >= 0; k-- {
		v += i % batch[k] * strides[k]
		i /= batch[k]
	}
	return v
}

// turn writes n rows from r0 on after the rotary embedding, without gaps.
func (t *boundAttention) turn(dst, src, cos, sin []float32, r0, n, stride int) {
	part := t.Turned
	src, cos, sin = src[r0*stride:], cos[r0*part:(r0+n)*part], sin[r0*part:(r0+n)*part]
	if t.Interleaved {
		vector.TurnPairs(dst, src, cos, sin, part, n, t.Width, stride)
	} else {
		vector.TurnHalves(dst, src, cos, sin, part/2, n, t.Width, stride)
	}
	if part < t.Width {
		for r := range n {
			copy(dst[r*t.Width+part:(r+1)*t.Width], src[r*stride+part:r*stride+t.Width])
		}
	}
}

// boundAttention is an attention whose operands are known.
type boundAttention struct {
	*operator.AttentionParams
	axis                   int // the axis of rows in the strides of views
	q, k, v, mask, y       func() []float32
	cosQ, sinQ, cosK, sinK func() []float32
	padded                 int   // keys, as many as fill whole vectors
	ends                   []int // how many of the keys each block of queries sees, of a constant mask; nil: all
	queryRun, weightRun    []kernel.Run
}

func buildAttention(b *builder) (func() error, error) {
	p := b.Step.Params.(*operator.AttentionParams)
	t := &boundAttention{AttentionParams: p, axis: len(p.Batch), padded: roundUp(p.Keys, vector.Lanes),
		q: b.in(0), k: b.in(1), v: b.in(2), mask: b.in(3), y: b.out(0), cosQ: b.in(4), sinQ: b.in(5), cosK: b.in(6), sinK: b.in(7),
		queryRun: []kernel.Run{{Length: p.Width}}, weightRun: []kernel.Run{{Length: p.Keys}}}
	if b.Has(3) && b.Values[b.Step.In[3]].Const != nil {
		t.ends = t.seen(b.Values[b.Step.In[3]].Const.F32)
	}
	heads := graph.Count(p.Batch)
	// All queries of a head at once, unless there are few heads for the workers.
	share := p.Queries
	for heads*((p.Queries+share-1)/share) < 2*(*b.pool).threads && share > queryBlock {
		share = roundUp((share+1)/2, queryBlock)
	}
	parts := (p.Queries + share - 1) / share
	pool, weights := b.pool, b.weights
	return b.each(heads*parts, func(worker, lo, hi int) {
		s := weights.scratch[worker]
		s.attention.scores = grow(s.attention.scores, queryBlock*t.padded)
		s.attention.turned = grow(s.attention.turned, max(queryBlock, p.Keys)*p.Width)
		for i := lo; i < hi; i++ {
			first := i % parts * share
			if err := t.head(s, i/parts, first, min(first+share, p.Queries)); err != nil {
				(*pool).fail(err)
				return
			}
		}
	}), nil
}

// seen is the number of keys up to the last one that a mask does not hide from every query of a block, for all
// blocks; nil if that is no use.
func (t *boundAttention) seen(mask []float32) []int {
	if slices.ContainsFunc(t.Mask[:t.axis], func(s int) bool { return s != 0 }) || len(mask) < t.Keys {
		return nil
	}
	var ends []int
	for r0 := 0; r0 < t.Queries; r0 += queryBlock {
		end := 1
		for r := r0; r < min(r0+queryBlock, t.Queries); r++ {
			row := mask[r*t.Mask[t.axis]:][:t.Keys]
			for end < t.Keys && !hidesAll(row[end:]) {
				end++
			}
		}
		ends = append(ends, end)
	}
	return ends
}

// head computes queries q0 … q1−1 of one batch element and head.
func (t *boundAttention) head(s *scratch, head, q0, q1 int) error {
	a := &s.attention
	queries := t.q()[batchOffset(t.Q.Offset, t.Q.Strides, t.Batch, head):]
	keys := t.k()[batchOffset(t.K.Offset, t.K.Strides, t.Batch, head):]
	values := t.v()[batchOffset(t.V.Offset, t.V.Strides, t.Batch, head):]
	out := t.y()[batchOffset(0, t.Result.Strides, t.Batch, head):]
	step := t.K.Strides[t.axis]
	if c := t.cosK(); c != nil {
		t.turn(a.turned, keys, c, t.sinK(), 0, t.Keys, step)
		keys, step = a.turned, t.Width
	}
	if err := a.keys.Right(kernel.Rows(keys, step), t.Keys, t.Width); err != nil {
		return err
	}
	if err := a.values.Right(kernel.Columns(values, t.V.Strides[t.axis]), t.Values, t.Keys); err != nil {
		return err
	}
	for r0 := q0; r0 < q1; r0 += queryBlock {
		if err := t.block(s, queries, out, head, r0, min(queryBlock, q1-r0)); err != nil {
			return err
		}
	}
	return nil
}

// block computes n queries from r0 on, with the keys and values of their head packed.
func (t *boundAttention) block(s *scratch, queries, out []float32, head, r0, n int) error {
	a, g := &s.attention, &s.gathered
	from, step := queries, t.Q.Strides[t.axis]
	if c := t.cosQ(); c != nil {
		t.turn(a.turned, queries, c, t.sinQ(), r0, n, step)
		from, step = a.turned, t.Width
	} else {
		from = queries[r0*step:]
	}
	keys := t.Keys
	if t.ends != nil {
		keys = t.ends[r0/queryBlock]
	}
	g.M, g.N, g.Data, g.Base, g.Runs = n, keys, from, s.bases(n, step), t.queryRun
	g.B, g.First, g.C, g.Stride = &a.keys, 0, a.scores, t.padded
	g.Places, g.Bias, g.Other, g.Cut = nil, nil, nil, false
	if err := g.Run(); err != nil {
		return err
	}
	var inverse [queryBlock]float32
	for i := range n {
		inverse[i] = t.weights(a.scores[i*t.padded:(i+1)*t.padded], keys, head, r0+i)
	}
	c := out[r0*t.Result.Strides[t.axis]:]
	g.M, g.N, g.Data, g.Base, g.Runs = n, t.Values, a.scores, s.bases(n, t.padded), t.weightRun
	g.B, g.C, g.Stride = &a.values, c, t.Result.Strides[t.axis]
	if err := g.Run(); err != nil {
		return err
	}
	for i := range n {
		row := c[i*g.Stride : i*g.Stride+t.Values]
		vector.MulRows(row, row, inverse[i:], 1, 0)
	}
	return nil
}

// weights turns a row of scores, with the first keys valid, into weights up to a factor, which it returns.
func (t *boundAttention) weights(row []float32, keys, head, query int) float32 {
	scores, scale := row[:keys], []float32{t.Scale}
	if t.Cap > 0 {
		vector.MulRows(scores, scores, scale, 1, 0)
		scale[0] = t.Cap
		vector.DivRows(scores, scores, scale, 1, 0)
		vector.Tanh(scores, scores)
	}
	var mask []float32
	if m := t.mask(); m != nil {
		offset := batchOffset(query*t.Mask[t.axis], t.Mask, t.Batch, head)
		mask = m[offset : offset+t.Keys]
		vector.MulRows(scores, scores, scale, 1, 0)
		vector.AddRows(scores, scores, mask, 1, 1)
		scale[0] = 1
	}
	whole := roundUp(keys, vector.Lanes)
	for j := keys; j < whole; j++ {
		row[j] = negativeInfinity
	}
	f := 1 / vector.SoftmaxRow(row[:whole], scale[0])
	clear(row[keys:])
	if f-f == 0 || !t.ZeroUndefined && !(t.ZeroMasked && hidesAll(mask)) {
		return f
	}
	clear(row) // the sum is no number
	return 1
}

// hidesAll reports whether all of a mask is −Inf.
func hidesAll(mask []float32) bool {
	for _, w := range mask {
		if w != negativeInfinity {
			return false
		}
	}
	return true
}
