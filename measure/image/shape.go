// Shapes of frames, and the energy of their gradients.

package image

import (
	"fmt"
	"math"
)

// Shape is the shape of a frame: Height × Width pixels of Channels values each, row by
// row, the channels one after the other as planes or, with ChannelsLast, next to each
// other in every pixel. Stacked frames are channels too.
type Shape struct {
	Channels, Height, Width int
	ChannelsLast            bool
}

// Size is the number of values.
func (s Shape) Size() int { return s.Channels * s.Height * s.Width }

func (s Shape) String() string {
	if s.ChannelsLast {
		return fmt.Sprintf("%d × %d × %d", s.Height, s.Width, s.Channels)
	}
	return fmt.Sprintf("%d × %d × %d", s.Channels, s.Height, s.Width)
}

func (s Shape) valid() bool { return s.Channels > 0 && s.Height > 0 && s.Width > 0 }

// strides are how far apart values are of one channel and the next, and of one pixel
// and its right neighbor.
func (s Shape) strides() (channel, pixel int) {
	if s.ChannelsLast {
		return 1, s.Channels
	}
	return s.Height * s.Width, 1
}

// GradientEnergy returns the mean squared difference of horizontally and vertically adjacent pixels,
// over all pairs of all channels, in squared pixel units: 0 for constant frames, larger for sharper
// frames. NaN for a frame of a single pixel or of a size other than the shape.
func GradientEnergy[A Number](shape Shape, frame []A) float64 {
	if !shape.valid() || len(frame) != shape.Size() {
		return math.NaN()
	}
	channel, pixel := shape.strides()
	row := shape.Width * pixel
	sum := 0.0
	for c := range shape.Channels {
		for i := range shape.Height {
			first := c*channel + i*row
			if shape.Width > 1 {
				sum += steps(frame[first:], frame[first+pixel:], shape.Width-1, pixel)
			}
			if i+1 < shape.Height {
				sum += steps(frame[first:], frame[first+row:], shape.Width, pixel)
			}
		}
	}
	pairs := shape.Channels * (shape.Height*(shape.Width-1) + (shape.Height-1)*shape.Width)
	return sum / float64(pairs)
}

// steps is Σ (bᵢ − aᵢ)² over n values that lie stride apart.
func steps[A Number](a, b []A, n, stride int) float64 {
	sum := 0.0
	for i := range n {
		d := float64(b[i*stride]) - float64(a[i*stride])
		sum += float64(d * d)
	}
	return sum
}

// SharpnessRatio returns the gradient energy of a prediction divided by the gradient energy of the
// truth: 1 for the truth itself, below 1 for blurred and above 1 for noisy predictions. NaN if the
// truth is constant.
func SharpnessRatio[A, B Number](shape Shape, predicted []A, truth []B) float64 {
	energy := GradientEnergy(shape, truth)
	if energy == 0 {
		return math.NaN()
	}
	return GradientEnergy(shape, predicted) / energy
}
