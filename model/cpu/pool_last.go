// Pooling over windows of images with channels last.

package cpu

import (
	"math"

	"repscope/internal/kernel/vector"
	"repscope/model/graph"
	"repscope/model/operator"
)

// stretch is neighboring outputs of a line whose windows have the same part inside the image.
type stretch struct {
	from, to    int // outputs
	first, last int // positions of the kernel's last axis from first to last−1 lie inside
	counted     int // positions that do not lie beyond the padding
}

// stretches cuts an output line.
func (w *windows) stretches() (list []stretch) {
	last := len(w.in) - 1
	p, n := w.p, w.in[last]
	for o := range w.out[last] {
		begin, step := o*p.Strides[last]-p.Before[last], p.Dilations[last]
		s := stretch{from: o, to: o + 1}
		for k := range p.Kernel[last] {
			i := begin + k*step
			if i < 0 {
				s.first = k + 1
			}
			if i < n {
				s.last = k + 1
			}
			if i < n+p.After[last] {
				s.counted = k + 1
			}
		}
		s.first = min(s.first, s.last)
		if k := len(list) - 1; k >= 0 && list[k].first == s.first && list[k].last == s.last && list[k].counted == s.counted {
			list[k].to = s.to
			continue
		}
		list = append(list, s)
	}
	return list
}

// poolLast pools [N, …, C] with the sums and comparisons of [N, C, …].
func poolLast(b *builder) (func() error, error) {
	p := b.Step.Params.(*operator.PoolParams)
	in, out := b.Shape(0), b.OutShape(0)
	rank := len(in) - 2
	w := newWindowsOf(p, in[1:1+rank], out[1:1+rank])
	axis, channels := rank-1, in[1+rank]
	if graph.Count(out) == 0 {
		return func() error { return nil }, nil
	}
	mean := b.Step.Node.Op == "AveragePool"
	row, list := w.out[axis], w.stretches()
	x, y, weights := b.operand(b.Step.In[0]), b.operand(b.Step.Out[0]), b.weights
	return b.span(in[0]*w.lines, max(1, grain/max(1, w.capacity*row*channels/4)), func(worker, lo, hi int) {
		s := weights.scratch[worker]
		for t := lo; t < hi; t++ {
			from := t / w.lines * w.plane * channels
			var image, line []float32
			if x.levels == nil {
				image, line = x.floats()[from:][:w.plane*channels], y.floats()[t*row*channels:][:row*channels]
			}
			for _, r := range list {
				s.base = s.base[:0]
				positions := 0
				for k := range w.outer {
					offset, inside, counted := w.line(t%w.lines, k)
					if counted {
						positions += r.counted
					}
					if !inside {
						continue
					}
					offset += r.from*p.Strides[axis] - p.Before[axis]
					for q := r.first; q < r.last; q++ {
						s.base = append(s.base, (offset+q*p.Dilations[axis])*channels)
					}
				}
				if !p.CountPadding {
					positions = len(s.base)
				}
				if x.levels != nil { // bytes order like their numbers
					bytes := y.memory.u8[y.id][(t*row+r.from)*channels : (t*row+r.to)*channels]
					vector.MaxWindowsBytes(bytes, x.memory.u8[x.id][from:][:w.plane*channels], s.base, channels, p.Strides[axis]*channels, r.to-r.from)
					continue
				}
				dst := line[r.from*channels : r.to*channels]
				switch {
				case len(s.base) == 0 && mean:
					fill(dst, float32(0/float64(positions)))
				case len(s.base) == 0:
					fill(dst, float32(math.Inf(-1)))
				case mean:
					vector.MeanWindows(dst, image, s.base, channels, p.Strides[axis]*channels, r.to-r.from, float64(positions))
				default:
					vector.MaxWindows(dst, image, s.base, channels, p.Strides[axis]*channels, r.to-r.from)
				}
			}
		}
	}), nil
}
