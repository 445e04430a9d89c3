// Package resize changes the size of frames: in one channel as PyTorch's interpolate does
// without antialiasing, and as Pillow's bicubic filter does with it ([Cubic]):
//
//	frame, small := make([]float32, 210*160), make([]float32, 84*84)
//	resize.New(210, 160, 84, 84, false).Frame(small, frame)
package resize

// Resizer makes frames of one size into frames of another.
type Resizer struct {
	height, width int // of the input
	x, y          axis
	nearest       bool
}

// axis maps input positions to the output positions of one axis: (1 − weight)·from + weight·to.
type axis struct {
	from, to []int
	weight   []float32
}

// New returns a resizer of frames of height×width to toHeight×toWidth, all positive: bilinear
// between pixel centers, as interpolate(mode="bilinear", align_corners=False), or the pixel
// ⌊i·in/out⌋, as mode="nearest".
func New(height, width, toHeight, toWidth int, nearest bool) *Resizer {
	return &Resizer{height, width, newAxis(width, toWidth, nearest), newAxis(height, toHeight, nearest), nearest}
}

// newAxis computes the positions in float32 as PyTorch does, so that the same
// pixels are taken.
func newAxis(in, out int, nearest bool) axis {
	a := axis{from: make([]int, out), to: make([]int, out), weight: make([]float32, out)}
	scale := float32(in) / float32(out)
	for i := range out {
		if nearest {
			at := min(int(float32(i)*scale), in-1)
			a.from[i], a.to[i] = at, at
			continue
		}
		position := max(0, float32(scale*(float32(i)+0.5))-0.5)
		low := min(int(position), in-1)
		a.from[i], a.to[i] = low, min(low+1, in-1)
		a.weight[i] = min(max(position-float32(low), 0), 1)
	}
	return a
}

// Frame resizes one frame, row by row, into dst.
func (r *Resizer) Frame(dst, src []float32) {
	columns := len(r.x.from)
	for i := range r.y.from {
		upper, lower := src[r.y.from[i]*r.width:][:r.width], src[r.y.to[i]*r.width:][:r.width]
		row := dst[i*columns:][:columns]
		if r.nearest {
			for j, x := range r.x.from {
				row[j] = upper[x]
			}
			continue
		}
		h1 := r.y.weight[i]
		h0 := 1 - h1
		// The conversions keep compilers from fusing multiplications and
		// additions, which not every machine can.
		for j, x0 := range r.x.from {
			x1, w1 := r.x.to[j], r.x.weight[j]
			w0 := 1 - w1
			top := float32(w0*upper[x0]) + float32(w1*upper[x1])
			bottom := float32(w0*lower[x0]) + float32(w1*lower[x1])
			row[j] = float32(h0*top) + float32(h1*bottom)
		}
	}
}
