package cpu

// Resize: every output element is a weighted sum of a few input elements, the
// same ones along each axis.

import "repscope/model/operator"

func init() { kernels[".Resize"] = buildResize }

// buildResize goes through rows of the last axis that changes; axes after it
// are copied or added as blocks.
func buildResize(b *builder) (func() error, error) {
	p := b.step.Params.(*operator.ResizeParams)
	in, out := b.shape(0), b.outShape(0)
	strides := contiguous(in)
	last := -1
	for a, axis := range p.Axes {
		if axis.Count > 0 {
			last = a
		}
	}
	x, y := b.in(0), b.out(0)
	total := size(out)
	if last < 0 {
		return b.span(total, grain, func(_, lo, hi int) { copy(y()[lo:hi], x()[lo:hi]) }), nil
	}
	block := size(out[last+1:])
	row := out[last] * block
	if total == 0 {
		return func() error { return nil }, nil
	}
	// The outer axes' taps multiply: combos of them per row.
	combos := 1
	for _, axis := range p.Axes[:last] {
		combos *= max(axis.Count, 1)
	}
	inner := p.Axes[last]
	return b.span(total/row, max(1, grain/row), func(_, lo, hi int) {
		src, dst := x(), y()
		for r := lo; r < hi; r++ {
			line := dst[r*row : (r+1)*row]
			clear(line)
			outside := false
			for combo := range combos {
				at, weight := 0, float32(1)
				q, c := r, combo
				for a := last - 1; a >= 0; a-- {
					i := q % out[a]
					q /= out[a]
					axis := &p.Axes[a]
					if axis.Count == 0 {
						at += i * strides[a]
						continue
					}
					t := i*axis.Count + c%axis.Count
					c /= axis.Count
					if axis.Index[t] < 0 {
						outside = true
						break
					}
					at += int(axis.Index[t]) * strides[a]
					weight *= axis.Weight[t]
				}
				if outside {
					break
				}
				resizeLine(line, src[at:], &inner, weight, block)
			}
			for i := range out[last] {
				if outside || inner.Index[i*inner.Count] < 0 {
					fill(line[i*block:(i+1)*block], p.Outside)
				}
			}
		}
	}), nil
}

// resizeLine adds weight times the resized line.
func resizeLine(line, src []float32, axis *operator.ResizeAxis, weight float32, block int) {
	n := axis.Count
	if block == 1 && n == 2 {
		for i := range line {
			k, w := axis.Index[2*i:2*i+2:2*i+2], axis.Weight[2*i:2*i+2:2*i+2]
			if k[0] >= 0 {
				line[i] += float32(weight * (float32(src[k[0]]*w[0]) + float32(src[k[1]]*w[1])))
			}
		}
		return
	}
	for i := range len(line) / block {
		dst := line[i*block : (i+1)*block]
		for t := range n {
			k := int(axis.Index[i*n+t])
			if k < 0 {
				break
			}
			w := float32(weight * axis.Weight[i*n+t])
			for j, v := range src[k*block : (k+1)*block] {
				dst[j] += float32(w * v)
			}
		}
	}
}
