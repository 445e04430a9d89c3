// Structural similarity.

package image

import (
	"fmt"
	"math"

	"repscope/internal/kernel/vector"
)

// SSIM computes the structural similarity of frames of one shape (Wang, Bovik, Sheikh
// & Simoncelli, IEEE Transactions on Image Processing 13, 2004),
//
//	S = (2·μx·μy + C1)·(2·σxy + C2) / ((μx² + μy² + C1)·(σx² + σy² + C2)),
//
// C1 = (0.01·R)², C2 = (0.03·R)², with the means, variances and the covariance of a
// window around every pixel. It has scratch memory: one for each goroutine.
type SSIM struct {
	shape  Shape
	size   int     // of the window
	factor float64 // of second moments, and constants, as vector.Similarities has them
	c1, c2 float64
	box    *boxWindow      // one of these two
	bell   *gaussianWindow // does the work
	bytes  *byteWindow     // of box, made when two frames of bytes come
}

// NewSSIM prepares what scikit-image's structural_similarity does by default: windows
// of 7 × 7 equal weights and unbiased variances (over 48). dataRange is the distance R
// of the smallest and the largest value that a pixel can have, 255 for bytes. Frames
// smaller than the window and ranges that are no positive number are an error.
//
// Moments of bytes are exact; moments of other pixels are computed in float64, for
// float32 too, where scikit-image computes in float32 and is up to about 10⁻⁶ off.
func NewSSIM(shape Shape, dataRange float64) (*SSIM, error) {
	s, err := newSSIM(shape, dataRange, vector.Window)
	if err != nil {
		return nil, err
	}
	// With sums in place of means, both sides of the fraction are 49²·49·48 times as large.
	const n = vector.Window * vector.Window
	s.factor, s.c1, s.c2 = n, n*n*s.c1, n*(n-1)*s.c2
	s.box = newBoxWindow(shape.Width)
	return s, nil
}

// NewGaussianSSIM prepares the windows of the paper: 11 × 11 weights of a Gaussian with standard
// deviation 1.5, and variances over the sum of the weights; in scikit-image gaussian_weights=True,
// sigma=1.5, use_sample_covariance=False. Arguments and errors as for [NewSSIM].
func NewGaussianSSIM(shape Shape, dataRange float64) (*SSIM, error) {
	s, err := newSSIM(shape, dataRange, 2*radius+1)
	if err != nil {
		return nil, err
	}
	s.bell = newGaussianWindow(shape.Width)
	return s, nil
}

func newSSIM(shape Shape, dataRange float64, size int) (*SSIM, error) {
	if !shape.valid() || shape.Height < size || shape.Width < size {
		return nil, fmt.Errorf("SSIM of frames of %v: want at least %d × %d pixels, the size of its window",
			shape, size, size)
	}
	if !(dataRange > 0) || math.IsInf(dataRange, 0) {
		return nil, fmt.Errorf("SSIM with pixels of range %g: want a positive number", dataRange)
	}
	square := func(k float64) float64 { return float64(k*dataRange) * float64(k*dataRange) }
	return &SSIM{shape: shape, size: size, factor: 1, c1: square(0.01), c2: square(0.03)}, nil
}

// MeanSSIM returns the mean of the structural similarity over all windows that lie
// inside the frame, averaged over channels: in [−1, 1], 1 for equal frames, symmetric
// in them. NaN for frames of another size than the shape.
func MeanSSIM[A, B Number](s *SSIM, a []A, b []B) float64 {
	if len(a) != s.shape.Size() || len(b) != len(a) {
		return math.NaN()
	}
	return mean(s, nil, a, b)
}

// MapSize is the height and width of the map of a channel: of the frame less the
// window, plus 1.
func (s *SSIM) MapSize() (height, width int) {
	return s.shape.Height - s.size + 1, s.shape.Width - s.size + 1
}

// mean is the mean over channels, with the map in dst unless it is nil.
func mean[A, B Number](s *SSIM, dst []float64, a []A, b []B) float64 {
	if x, y := bytesOf(a), bytesOf(b); s.box != nil && x != nil && y != nil {
		return s.meanOfBytes(dst, x, y)
	}
	h, w := s.MapSize()
	sum := 0.0
	for c := range s.shape.Channels {
		var part []float64
		if dst != nil {
			part = dst[c*h*w:][:h*w]
		}
		if s.box != nil {
			sum += slide(s, part, a, b, c)
		} else {
			sum += s.bell.slide(s, part, func(x, y []float64, row int) { take(s.shape, x, a, c, row); take(s.shape, y, b, c, row) })
		}
	}
	return sum / float64(s.shape.Channels)
}

// take copies a row of a channel.
func take[A Number](shape Shape, dst []float64, frame []A, c, row int) {
	channel, pixel := shape.strides()
	from := frame[c*channel+row*shape.Width*pixel:]
	if pixel == 1 {
		for i, v := range from[:len(dst)] {
			dst[i] = float64(v)
		}
		return
	}
	for i := range dst {
		dst[i] = float64(from[i*pixel])
	}
}

// boxWindow is the scratch memory of windows of equal weights.
type boxWindow struct {
	x, y       []float64         // a row of each frame, and zeros up to a multiple of vector.Lanes
	sums, last vector.Moments    // as vector.Slide has them
	pairs      [6]vector.Moments // of the last six rows
	row, total []float64         // similarities of a row of windows, and their sums over rows
}

func newBoxWindow(width int) *boxWindow {
	up := func(n int) int { return (n + vector.Lanes - 1) / vector.Lanes * vector.Lanes }
	w := &boxWindow{x: make([]float64, up(width)), y: make([]float64, up(width)), sums: vector.NewMoments(width), last: vector.NewMoments(width)}
	for i := range w.pairs {
		w.pairs[i] = vector.NewMoments(width)
	}
	w.row, w.total = make([]float64, up(width-vector.Window+1)), make([]float64, up(width-vector.Window+1))
	return w
}

// slide is the mean similarity of a channel, with the map in dst unless it is nil.
func slide[A, B Number](s *SSIM, dst []float64, a []A, b []B, c int) float64 {
	h, w := s.MapSize()
	box := s.box
	clear(box.total)
	for r := range s.shape.Height {
		take(s.shape, box.x[:s.shape.Width], a, c, r)
		take(s.shape, box.y[:s.shape.Width], b, c, r)
		ago := func(rows int) vector.Moments { return box.pairs[(r+6-rows)%6] }
		vector.Slide(box.sums, ago(0), box.last, ago(1), ago(3), ago(5), box.x, box.y)
		if first := r - vector.Window + 1; first >= 0 {
			vector.Similarities(box.row, box.total, box.sums, s.factor, s.c1, s.c2)
			if dst != nil {
				copy(dst[first*w:][:w], box.row)
			}
		}
	}
	return sumOf(box.total[:w]) / float64(h*w)
}

func sumOf(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum
}
