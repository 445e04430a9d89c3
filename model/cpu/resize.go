// Sampling of images at other points. Resize: every output element is a weighted sum of a few input elements, the
// same ones along each axis.

package cpu

import (
	"math"

	"repscope/internal/kernel/vector"
	"repscope/model/graph"
	"repscope/model/operator"
)

var resizeKernels = map[string]constructor{
	".Resize": buildResize, "repscope.Resize": buildResize, ".GridSample": buildGridSample,
}

// buildResize goes through rows of the last axis that changes; axes after it
// are copied or added as blocks.
func buildResize(b *builder) (func() error, error) {
	p := b.Step.Params.(*operator.ResizeParams)
	in, out := b.Shape(0), b.OutShape(0)
	strides := graph.RowMajor(in)
	last := -1
	for a, axis := range p.Axes {
		if axis.Count > 0 {
			last = a
		}
	}
	x, y := b.in(0), b.out(0)
	total := graph.Count(out)
	if last < 0 {
		return b.span(total, grain, func(_, lo, hi int) { copy(y()[lo:hi], x()[lo:hi]) }), nil
	}
	block := graph.Count(out[last+1:])
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
				offset, weight, inside := outerTap(p.Axes[:last], out, strides, r, combo)
				if outside = !inside; outside {
					break
				}
				resizeLine(line, src[offset:], &inner, weight, block)
			}
			for i := range out[last] {
				if outside || inner.Index[i*inner.Count] < 0 {
					fill(line[i*block:(i+1)*block], p.Outside)
				}
			}
		}
	}), nil
}

// outerTap is where the input's line begins that a combination of the outer axes' taps gives to row r of the result,
// and its weight; false where it is outside of the input.
func outerTap(axes []operator.ResizeAxis, out, strides []int, r, combo int) (offset int, weight float32, inside bool) {
	weight = 1
	for a := len(axes) - 1; a >= 0; a-- {
		i := r % out[a]
		r /= out[a]
		axis := &axes[a]
		if axis.Count == 0 {
			offset += i * strides[a]
			continue
		}
		t := i*axis.Count + combo%axis.Count
		combo /= axis.Count
		if axis.Index[t] < 0 {
			return 0, 0, false
		}
		offset += int(axis.Index[t]) * strides[a]
		weight *= axis.Weight[t]
	}
	return offset, weight, true
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
	if block == 1 {
		for i, sum := range line {
			index, weights := axis.Index[i*n:(i+1)*n], axis.Weight[i*n:(i+1)*n]
			if first := int(index[0]); first >= 0 && int(index[n-1]) == first+n-1 {
				for t, v := range src[first : first+n] {
					sum += float32(float32(weight*weights[t]) * v)
				}
				line[i] = sum
				continue
			}
			for t, k := range index {
				if k < 0 {
					break
				}
				sum += float32(float32(weight*weights[t]) * src[k])
			}
			line[i] = sum
		}
		return
	}
	var products [rowBlock]float32
	for i := range len(line) / block {
		for t, k := range axis.Index[i*n : (i+1)*n] {
			if k < 0 {
				break
			}
			w := [1]float32{float32(weight * axis.Weight[i*n+t])}
			for j := 0; j < block; j += rowBlock {
				dst := line[i*block+j : i*block+min(j+rowBlock, block)]
				part := products[:len(dst)]
				vector.MulRows(part, src[int(k)*block+j:], w[:], 1, 0)
				vector.AddRows(dst, dst, part, 1, 1)
			}
		}
	}
}

func buildGridSample(b *builder) (func() error, error) {
	p := b.Step.Params.(operator.GridSampleParams)
	s, points := b.Shape(0), graph.Count(b.Shape(1)[1:3])
	channels, height, width := s[1], s[2], s[3]
	image, grid, y := b.in(0), b.in(1), b.out(0)
	return b.span(s[0]*points, max(1, grain/32/max(channels, 1)), func(_, lo, hi int) {
		var rows, columns taps
		for t := lo; t < hi; t++ {
			rows.set(&p, grid()[2*t+1], height)
			columns.set(&p, grid()[2*t], width)
			n, point := t/points, t%points
			for c := range channels {
				plane := image()[(n*channels+c)*height*width:][:height*width]
				var sum float32
				for j := range rows.count {
					i := rows.index[j]
					if i < 0 {
						continue
					}
					var line float32
					for k := range columns.count {
						if x := columns.index[k]; x >= 0 {
							line += float32(columns.weight[k] * plane[i*width+x])
						}
					}
					sum += float32(rows.weight[j] * line)
				}
				y()[(n*channels+c)*points+point] = sum
			}
		}
	}), nil
}

// taps are the pixels along one axis that make up a sample, and their weights; −1 is outside the image.
type taps struct {
	count  int
	index  [4]int
	weight [4]float32
}

// set finds the pixels of a point between −1 and 1, the two ends of an axis of n pixels.
func (t *taps) set(p *operator.GridSampleParams, point float32, n int) {
	x := (float32((point+1)*float32(n)) - 1) / 2
	low, high := float32(-0.5), float32(n)-0.5
	if p.AlignCorners {
		x = float32((point+1)*float32(n-1)) / 2
		low, high = 0, float32(n-1)
	}
	switch {
	case !(math.Abs(float64(x)) < 1<<30):
		x = -1 << 30 // neither infinite nor NaN
	case p.Mode == "cubic":
	case p.Padding == "border":
		x = min(max(x, 0), float32(n-1))
	case p.Padding == "reflection":
		x = mirror(x, low, high)
	}
	pixel := func(i int) int {
		switch p.Padding {
		case "border":
			return min(max(i, 0), n-1)
		case "reflection":
			return min(max(int(mirror(float32(i), low, high)), 0), n-1)
		}
		if i < 0 || i >= n {
			return -1
		}
		return i
	}
	floor := float32(math.Floor(float64(x)))
	d := x - floor
	switch p.Mode {
	case "nearest":
		t.count = 1
		t.index[0], t.weight[0] = pixel(int(math.RoundToEven(float64(x)))), 1
	case "linear":
		t.count = 2
		t.weight[0], t.weight[1] = 1-d, d
		for k := range 2 {
			t.index[k] = pixel(int(floor) + k)
		}
	case "cubic":
		t.count = 4
		operator.Cubic(t.weight[:], d, -0.75)
		for k := range 4 {
			t.index[k] = pixel(int(floor) + k - 1)
		}
	}
}

// mirror folds x back between two mirrors.
func mirror(x, low, high float32) float32 {
	span := high - low
	if span == 0 {
		return low
	}
	distance := x - low
	if distance < 0 {
		distance = -distance
	}
	turns := float32(math.Floor(float64(distance / span)))
	rest := distance - float32(turns*span)
	if int(turns)%2 == 0 {
		return low + rest
	}
	return high - rest
}
