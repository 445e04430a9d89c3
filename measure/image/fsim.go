// Similarity of features: of phase congruency, gradients and colors.

package image

import (
	"fmt"
	"math"
)

// fsimSide is the smallest side of frames that NewFSIM takes, two of the shortest waves that it looks for.
const fsimSide = 12

// FSIM computes the feature similarity of frames of one shape (Zhang, Zhang, Mou & Zhang, IEEE Transactions on Image
// Processing 20, 2011),
//
//	FSIM = Σ P·G·w / Σ w,  FSIMc = Σ P·G·(I·Q)^0.03·w / Σ w,  w = max(p, q),
//
// over all pixels, where each factor is (2·x·y + T)/(x² + y² + T): P of the phase congruencies p and q, T = 0.85, G
// of the lengths of the gradients by Scharr's operator over 16, T = 160, I and Q of the colors of NTSC, T = 200, for
// pixels of 0 to 255. Frames are averaged to a smaller side of about 256 pixels first: by the factor F = side/256,
// rounded. All of it is as in the authors' code: zeros beyond the border, the real part of the power where I·Q is
// negative, and the smaller bandwidth of frequencies in frames of odd sides. Where no pixel of both has phase
// congruency, as in constant frames, all weigh alike. It has scratch memory, about 250 bytes for each pixel: one for
// each goroutine.
type FSIM struct {
	shape         Shape
	factor        int // of the size
	height, width int // of the compared planes
	phases        *phases
}

// NewFSIM prepares frames of one channel or of red, green and blue, of 0 to 255; sides below fsimSide (12) are an
// error.
func NewFSIM(shape Shape) (*FSIM, error) {
	if !shape.valid() || shape.Channels != 1 && shape.Channels != 3 || shape.Height < fsimSide || shape.Width < fsimSide {
		return nil, fmt.Errorf(
			"FSIM of frames of %v: want one or three channels, and at least %d × %d pixels", shape, fsimSide, fsimSide)
	}
	f := &FSIM{shape: shape, factor: max(1, int(math.Round(float64(min(shape.Height, shape.Width))/256)))}
	f.height, f.width = (shape.Height+f.factor-1)/f.factor, (shape.Width+f.factor-1)/f.factor
	f.phases = newPhases(f.height, f.width)
	return f, nil
}

// FeatureSimilarity returns FSIM and FSIMc of two frames, in [0, 1] but for rounding, 1 for equal ones, symmetric in
// them. FSIMc is NaN for frames of one channel. Both are NaN for frames of another size than the shape, and where a
// frame has one.
func FeatureSimilarity[A, B Number](f *FSIM, a []A, b []B) (fsim, fsimc float64) {
	if len(a) != f.shape.Size() || len(b) != len(a) {
		return math.NaN(), math.NaN()
	}
	x, y := reduce(f, a, lumaWeights), reduce(f, b, lumaWeights)
	p, q := f.phases.congruency(x), f.phases.congruency(y)
	g, h := scharr(x, f.height, f.width), scharr(y, f.height, f.width)
	var colors [4][]float64
	if f.shape.Channels == 3 {
		colors = [4][]float64{reduce(f, a, inPhase), reduce(f, b, inPhase), reduce(f, a, inQuadrature), reduce(f, b, inQuadrature)}
	}
	return pool(p, q, g, h, colors)
}

// pool is the weighted mean of the similarities of pixels, without and with the similarity of colors.
func pool(p, q, g, h []float64, colors [4][]float64) (fsim, fsimc float64) {
	var sum, colored, weights float64
	alike := true // no pixel has phase congruency
	for i := range p {
		if p[i] > 0 || q[i] > 0 {
			alike = false
			break
		}
	}
	for i := range p {
		w := max(p[i], q[i])
		if alike {
			w = 1
		}
		s := float64(alikeness(p[i], q[i], 0.85) * alikeness(g[i], h[i], 160) * w)
		sum += s
		weights += w
		if colors[0] == nil {
			continue
		}
		c := alikeness(colors[0][i], colors[1][i], 200) * alikeness(colors[2][i], colors[3][i], 200)
		if c >= 0 {
			colored += float64(s * math.Pow(c, chromaPower))
		} else {
			colored += float64(s * math.Pow(-c, chromaPower) * math.Cos(math.Pi*chromaPower))
		}
	}
	if colors[0] == nil {
		return sum / weights, math.NaN()
	}
	return sum / weights, colored / weights
}

const chromaPower = 0.03

// alikeness is (2·x·y + t)/(x² + y² + t).
func alikeness(x, y, t float64) float64 {
	return (2*float64(x*y) + t) / (float64(x*x) + float64(y*y) + t)
}

// reduce is a sum of the channels of a frame in means of factor × factor pixels, with zeros beyond the border.
func reduce[A Number](f *FSIM, frame []A, w [3]float64) []float64 {
	channel, pixel := f.shape.strides()
	out, row := make([]float64, f.height*f.width), make([]float64, f.shape.Width)
	before, area := (f.factor-1)/2, float64(f.factor*f.factor)
	for i := range f.height {
		to := out[i*f.width:][:f.width]
		for r := max(i*f.factor-before, 0); r < min(i*f.factor-before+f.factor, f.shape.Height); r++ {
			for j := range row {
				offset := (r*f.shape.Width + j) * pixel
				if f.shape.Channels == 1 {
					row[j] = float64(frame[offset])
				} else {
					row[j] = float64(w[0]*float64(frame[offset])) + float64(w[1]*float64(frame[offset+channel])) + float64(w[2]*float64(frame[offset+2*channel]))
				}
			}
			for j := range to {
				for c := max(j*f.factor-before, 0); c < min(j*f.factor-before+f.factor, len(row)); c++ {
					to[j] += row[c]
				}
			}
		}
		for j := range to {
			to[j] /= area
		}
	}
	return out
}

// scharr are the lengths of the gradients, with zeros beyond the border.
func scharr(plane []float64, height, width int) []float64 {
	out := make([]float64, len(plane))
	value := func(i, j int) float64 {
		if i < 0 || i >= height || j < 0 || j >= width {
			return 0
		}
		return plane[i*width+j]
	}
	for i := range height {
		for j := range width {
			dx := float64(3*(value(i-1, j+1)-value(i-1, j-1)+value(i+1, j+1)-value(i+1, j-1))) + float64(10*(value(i, j+1)-value(i, j-1)))
			dy := float64(3*(value(i+1, j-1)-value(i-1, j-1)+value(i+1, j+1)-value(i-1, j+1))) + float64(10*(value(i+1, j)-value(i-1, j)))
			out[i*width+j] = math.Sqrt(float64(dx*dx)+float64(dy*dy)) / 16
		}
	}
	return out
}
