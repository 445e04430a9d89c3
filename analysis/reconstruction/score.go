// The scores of one predicted frame.

package reconstruction

import (
	"math"

	"repscope/measure/image"
	"repscope/measure/object"
)

// scorer compares frames of one shape. It has scratch memory: one for each goroutine.
type scorer struct {
	shape     image.Shape
	threshold float64
	ssim      *image.SSIM // nil where frames are too small for it
	mask      []bool
	finder    *object.Finder
}

func newScorer(shape image.Shape, o Options) *scorer {
	s := &scorer{shape: shape, threshold: o.MovingThreshold, mask: make([]bool, shape.Size()),
		finder: object.NewFinder(shape, o.ObjectThreshold, o.ObjectArea)}
	s.ssim, _ = newSSIM(shape, o.Window)
	return s
}

// newSSIM is the structural similarity of a window, of pixels in 0..1.
func newSSIM(shape image.Shape, window string) (*image.SSIM, error) {
	if window == WindowGaussian {
		return image.NewGaussianSSIM(shape, 1)
	}
	return image.NewSSIM(shape, 1)
}

// scores are the scores of one frame.
type scores struct{ mse, mae, ssim, energy, moving, static float64 }

// compare scores a prediction; current is the frame of the state that it is predicted
// from, nil where there is none, so that nothing is known to move or to stay.
func (s *scorer) compare(current, truth, predicted []float64) scores {
	v := scores{mse: image.MSE(predicted, truth), mae: image.MAE(predicted, truth), ssim: math.NaN(), energy: s.energy(predicted),
		moving: math.NaN(), static: math.NaN()}
	if s.ssim != nil {
		v.ssim = image.MeanSSIM(s.ssim, predicted, truth)
	}
	if current == nil {
		return v
	}
	image.Moving(s.mask, current, truth, s.threshold)
	moving, static := image.SquaresByMask(predicted, truth, s.mask)
	v.moving, v.static = moving.Total, static.Total
	return v
}

// truth returns the gradient energy of a true frame and the number of its pixels that
// moved, NaN without a current frame.
func (s *scorer) truth(current, truth []float64) (energy, moved float64) {
	if current == nil {
		return s.energy(truth), math.NaN()
	}
	return s.energy(truth), float64(image.Moving(s.mask, current, truth, s.threshold))
}

// energy is the gradient energy of a frame, 0 for one of a single pixel, which has no
// neighbors.
func (s *scorer) energy(frame []float64) float64 {
	if s.shape.Height*s.shape.Width == 1 {
		return 0
	}
	return image.GradientEnergy(s.shape, frame)
}

// undefined are n numbers that are not there.
func undefined(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = math.NaN()
	}
	return out
}
