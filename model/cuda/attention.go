//go:build cuda

// Fused attention.

package cuda

import (
	"fmt"
	"slices"

	"repscope/model/graph"
	"repscope/model/operator"
)

var attentionOperators = map[string]constructor{
	"repscope.Attention": buildAttention,
}

// Flags of the kernels attention_: operands that may be read or written 16 bytes at a time.
const (
	vectorQueries = 1 << iota
	vectorKeys
	vectorValues
	vectorResult
)

// keysAtOnce is the number of keys that the kernels take at a time, wideKeys the number for attention_wide.
const (
	keysAtOnce = 32
	wideKeys   = 128
)

// headOffsets is Head of kernels/attention.cu.
type headOffsets struct{ Q, K, V, Result, Mask int64 }

// headTable is where the operands of every element of the batch begin.
func headTable(p *operator.AttentionParams) []headOffsets {
	heads := make([]headOffsets, graph.Count(p.Batch))
	for i := range heads {
		h := headOffsets{int64(p.Q.Offset), int64(p.K.Offset), int64(p.V.Offset), int64(p.Result.Offset), 0}
		rest := i
		for axis, n := range slices.Backward(p.Batch) {
			index := int64(rest % n)
			rest /= n
			h.Q += index * int64(p.Q.Strides[axis])
			h.K += index * int64(p.K.Strides[axis])
			h.V += index * int64(p.V.Strides[axis])
			h.Result += index * int64(p.Result.Strides[axis])
			if p.Mask != nil {
				h.Mask += index * int64(p.Mask[axis])
			}
		}
		heads[i] = h
	}
	return heads
}

// vector reports whether rows of n elements may be read four elements at a time.
func vector(v operator.View, n int) bool {
	axis := len(v.Strides) - 2
	return n%4 == 0 && v.Offset%4 == 0 && !slices.ContainsFunc(v.Strides[:axis+1], func(s int) bool { return s%4 != 0 })
}

func buildAttention(b *builder) error {
	p := b.Step.Params.(*operator.AttentionParams)
	axis, heads := len(p.Batch), graph.Count(p.Batch)
	flags := 0
	for _, operand := range []struct {
		view operator.View
		n    int
		flag int
	}{{p.Q, p.Width, vectorQueries}, {p.K, p.Width, vectorKeys}, {p.V, p.Values, vectorValues}, {p.Result, p.Values, vectorResult}} {
		if vector(operand.view, operand.n) {
			flags |= operand.flag
		}
	}
	maskStep := 0
	if p.Mask != nil {
		maskStep = p.Mask[axis]
	}
	if err := fits(p.Queries, p.Keys, p.Width, p.Values); err != nil {
		return err
	}
	record := func(kernel string, blocks, threads, shared int) error {
		if err := fits(heads * blocks); err != nil {
			return err
		}
		b.launch(kernel, [3]int{heads * blocks, 1, 1}, [3]int{threads, 1, 1}, shared,
			b.in(0), b.in(1), b.in(2), b.in(3), b.in(4), b.in(5), b.in(6), b.in(7), b.out(0), table(b, headTable(p)),
			p.Queries, p.Keys, p.Width, p.Values, p.Q.Strides[axis], p.K.Strides[axis], p.V.Strides[axis], p.Result.Strides[axis], maskStep, p.Scale, flags)
		return nil
	}
	longest := max(p.Width, p.Values)
	if longest > 128 {
		return record("attention_wide", p.Queries, 128, 4*(p.Width+p.Values+wideKeys+8))
	}
	width := 16
	for width < longest {
		width *= 2
	}
	stage := 2 * keysAtOnce * (width + 4) * 4
	if b.precision() == FP32 {
		width = max(width, 32)
		stage = 2 * keysAtOnce * (width + 4) * 4
		const queries = 64
		return record(fmt.Sprintf("attention_fp32_%d", width), ceil(p.Queries, queries), 128, stage+queries*(width+4+keysAtOnce+4)*4)
	}
	// A warp for each 16 queries, as many in a block as leave enough blocks for the GPU.
	warps := 4
	for warps > 1 && (heads*ceil(p.Queries, 16*warps) < processors || 8*warps >= p.Queries) {
		warps /= 2
	}
	return record(fmt.Sprintf("attention_%v_%d", b.precision(), width), ceil(p.Queries, 16*warps), 32*warps, 2*stage)
}
