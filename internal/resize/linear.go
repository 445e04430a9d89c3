// Bilinear resizing with antialiasing.

package resize

import "math"

// Linear resizes pixels as [Cubic] does, with the triangle k(t) = 1 − |t|, |t| < 1: no output lies beyond the range of
// the input. It equals PyTorch's interpolate(mode="bilinear", antialias=True), in float64.
type Linear struct{ by Cubic }

// NewLinear returns a resizer of pixels of height×width to toHeight×toWidth, all positive.
func NewLinear(height, width, toHeight, toWidth int) *Linear {
	return &Linear{Cubic{height: height, width: width, x: newWindow(width, toWidth, triangle, 1), y: newWindow(height, toHeight, triangle, 1)}}
}

func triangle(t float64) float64 { return max(0, 1-math.Abs(t)) }

// Floats resizes one channel of numbers from src into dst. A NaN spreads to every output it contributes to.
func (l *Linear) Floats(dst, src []float64) { l.by.Floats(dst, src) }

// Bytes resizes pixels of 8 bits as [Cubic.Bytes] does: the bytes equal Pillow's Image.resize(size, Image.BILINEAR).
func (l *Linear) Bytes(dst, src []uint8, channels int) { l.by.Bytes(dst, src, channels) }
