// Structural similarity.

package image

import (
	"fmt"
	"math"
)

// The constants of Wang et al. 2004, in shares of the range of the pixels.
const (
	k1 = 0.01
	k2 = 0.03
)

// gaussian is exp(−d²/(2·1.5²)) at distances 0 … 5: as numbers, because machines differ
// in the last bit of math.Exp.
var gaussian = [...]float64{
	1.0,
	0.8007374029168081,
	0.41111229050718745,
	0.1353352832366127,
	0.028565500784550377,
	0.0038659201394728076,
}

// SSIM computes the structural similarity of frames of one shape (Wang, Bovik, Sheikh
// & Simoncelli, IEEE Transactions on Image Processing 13, 2004),
//
//	S = (2·μx·μy + C1)·(2·σxy + C2) / ((μx² + μy² + C1)·(σx² + σy² + C2)),
//
// C1 = (0.01·R)², C2 = (0.03·R)², with the means, variances and the covariance of a
// window around every pixel. It has scratch memory: one for each goroutine.
type SSIM struct {
	shape   Shape
	weights []float64 // of the window in each direction, summing to 1; nil for equal ones
	size    int       // of the window
	norm    float64   // what variances are multiplied with
	c1, c2  float64
	x, y    []float64 // one channel of each frame
}

// NewSSIM prepares what scikit-image's structural_similarity does by default: windows
// of 7 × 7 equal weights and unbiased variances (over 48). dataRange is the distance R
// of the smallest and the largest value that a pixel can have, 255 for bytes. Frames
// smaller than the window and ranges that are no positive number are an error.
func NewSSIM(shape Shape, dataRange float64) (*SSIM, error) {
	return newSSIM(shape, dataRange, nil, 7, 49.0/48)
}

// NewGaussianSSIM prepares the windows of the paper, 11 × 11 weights of a Gaussian of
// standard deviation 1.5 and variances over the sum of the weights: in scikit-image
// gaussian_weights=True, sigma=1.5, use_sample_covariance=False. Arguments and errors
// are those of [NewSSIM].
func NewGaussianSSIM(shape Shape, dataRange float64) (*SSIM, error) {
	weights, sum := make([]float64, 11), 0.0
	for i := range weights {
		weights[i] = gaussian[max(i-5, 5-i)]
		sum += weights[i]
	}
	for i := range weights {
		weights[i] /= sum
	}
	return newSSIM(shape, dataRange, weights, len(weights), 1)
}

func newSSIM(shape Shape, dataRange float64, weights []float64, size int, norm float64) (*SSIM, error) {
	if !shape.valid() || shape.Height < size || shape.Width < size {
		return nil, fmt.Errorf("SSIM of frames of %v: want at least %d × %d pixels, the size of its window", shape, size, size)
	}
	if !(dataRange > 0) || math.IsInf(dataRange, 0) {
		return nil, fmt.Errorf("SSIM with pixels of range %g: want a positive number", dataRange)
	}
	plane := shape.Height * shape.Width
	s := &SSIM{shape: shape, weights: weights, size: size, norm: norm, x: make([]float64, plane), y: make([]float64, plane)}
	s.c1, s.c2 = float64(k1*dataRange)*float64(k1*dataRange), float64(k2*dataRange)*float64(k2*dataRange)
	return s, nil
}

// MeanSSIM returns the mean of the structural similarity over all windows that lie
// inside the frame, averaged over channels: in [−1, 1], 1 for equal frames, symmetric
// in them. NaN for frames of another size than the shape.
func MeanSSIM[A, B Number](s *SSIM, a []A, b []B) float64 {
	if len(a) != s.shape.Size() || len(b) != len(a) {
		return math.NaN()
	}
	sum := 0.0
	for c := range s.shape.Channels {
		take(s.shape, s.x, a, c)
		take(s.shape, s.y, b, c)
		sum += s.plane(nil)
	}
	return sum / float64(s.shape.Channels)
}

// MapSize is the height and width of the map of a channel: of the frame less the
// window, plus 1.
func (s *SSIM) MapSize() (height, width int) {
	return s.shape.Height - s.size + 1, s.shape.Width - s.size + 1
}

// MapSSIM writes the structural similarity of every window that lies inside the frame
// into dst [channels, height, width], see [SSIM.MapSize], and returns the mean as
// [MeanSSIM] does; NaN, and dst as it was, for wrong sizes.
func MapSSIM[A, B Number](s *SSIM, dst []float64, a []A, b []B) float64 {
	h, w := s.MapSize()
	if len(a) != s.shape.Size() || len(b) != len(a) || len(dst) != s.shape.Channels*h*w {
		return math.NaN()
	}
	sum := 0.0
	for c := range s.shape.Channels {
		take(s.shape, s.x, a, c)
		take(s.shape, s.y, b, c)
		sum += s.plane(dst[c*h*w:][:h*w])
	}
	return sum / float64(s.shape.Channels)
}

// take copies a channel.
func take[A Number](shape Shape, dst []float64, frame []A, c int) {
	channel, pixel := shape.strides()
	for i := range dst {
		dst[i] = float64(frame[c*channel+i*pixel])
	}
}

// plane is the mean similarity of x and y, with the map in dst unless it is nil.
func (s *SSIM) plane(dst []float64) float64 {
	h, w := s.MapSize()
	sum := 0.0
	for i := range h {
		for j := range w {
			v := s.window(i, j)
			if dst != nil {
				dst[i*w+j] = v
			}
			sum += v
		}
	}
	return sum / float64(h*w)
}

// window is the similarity in the window whose first pixel is (i, j).
func (s *SSIM) window(i, j int) float64 {
	var mx, my, q, p float64 // the means of x, y, x² + y² and 2xy
	for k := range s.size {
		for l := range s.size {
			weight := 1 / float64(s.size*s.size)
			if s.weights != nil {
				weight = s.weights[k] * s.weights[l]
			}
			x, y := s.x[(i+k)*s.shape.Width+j+l], s.y[(i+k)*s.shape.Width+j+l]
			mx += float64(weight * x)
			my += float64(weight * y)
			q += float64(weight * (float64(x*x) + float64(y*y)))
			p += float64(weight * (2 * float64(x*y)))
		}
	}
	xy, both := 2*float64(mx*my), float64(mx*mx)+float64(my*my)
	return (xy + s.c1) * (float64(s.norm*(p-xy)) + s.c2) / ((both + s.c1) * (float64(s.norm*(q-both)) + s.c2))
}
