// Images of two screens, made comparable.

package canvas

import (
	"fmt"

	"repscope/dataset"
	"repscope/internal/resize"
	"repscope/measure/image"
)

// byteRange is the distance of the smallest and the largest value of a pixel.
const byteRange = 255

// The values of [ImageSettings].
const (
	uniformWindow  = "uniform"
	gaussianWindow = "gaussian"
	alphaWhite     = "white"
	alphaDrop      = "drop"
)

// ImageSettings are those of pixels. The zero value is that of the flags' defaults.
type ImageSettings struct {
	SSIM  string // "uniform" or "gaussian"
	Alpha string // "white" or "drop"
	// Perceptual is a model of how far apart screens look, if there is one.
	Perceptual PerceptualModel
}

// drops reports whether alpha is dropped.
func (o *ImageSettings) drops() bool { return o.Alpha == alphaDrop }

// preparation says in words how images become comparable.
func (o *ImageSettings) preparation() string {
	if o.drops() {
		return "RGB, alpha dropped, unequal sizes resized to the smaller (bicubic with antialiasing)"
	}
	return "RGB on white, unequal sizes resized to the smaller (bicubic with antialiasing)"
}

// screenPair are both screens without alpha and of one size: red, green and blue [Height, Width, 3] of 8 bits.
type screenPair struct {
	image.Shape
	reference, generated []uint8
	// resized says which screen was resized and from what size, empty if none was.
	resized string
	luma    once[[2][]float64]
}

// newPixels reads both images and makes them comparable: alpha is laid on white or dropped, and the one with more pixels is
// resized to the size of the other, the generated one where they have as many.
func newPixels(s *Screens) (*screenPair, error) {
	reference, err := s.Reference.Screen()
	if err != nil {
		return nil, err
	}
	generated, err := s.Generated.Screen()
	if err != nil {
		return nil, err
	}
	return newScreenPair(reference, generated, s.DropAlpha), nil
}

// brightness is that of both screens [Height, Width], from 0 to 255.
func (s *screenPair) brightness() (reference, generated []float64) {
	both, _ := s.luma.get(func() ([2][]float64, error) {
		return [2][]float64{image.Luma(s.Shape, s.reference), image.Luma(s.Shape, s.generated)}, nil
	})
	return both[0], both[1]
}

func newScreenPair(reference, generated *dataset.Screen, drop bool) *screenPair {
	s := &screenPair{reference: opaque(reference, drop), generated: opaque(generated, drop)}
	size := reference
	switch r, g := reference.Width*reference.Height, generated.Width*generated.Height; {
	case r == g && reference.Width == generated.Width:
	case g < r:
		size = generated
		s.reference = resized(s.reference, reference, size)
		s.resized = fmt.Sprintf("reference, %d × %d", reference.Width, reference.Height)
	default:
		s.generated = resized(s.generated, generated, size)
		s.resized = fmt.Sprintf("generated, %d × %d", generated.Width, generated.Height)
	}
	s.Shape = image.Shape{Channels: 3, Height: size.Height, Width: size.Width, ChannelsLast: true}
	return s
}

// opaque is a screen [Height, Width, 3] without alpha: laid on white, rounded to the nearest byte, or as the colors are.
func opaque(s *dataset.Screen, drop bool) []uint8 {
	out := make([]uint8, 3*s.Width*s.Height)
	to, from := out, s.Pixels
	if drop || !s.Alpha {
		for len(to) >= 3 && len(from) >= 4 {
			to[0], to[1], to[2] = from[0], from[1], from[2]
			to, from = to[3:], from[4:]
		}
		return out
	}
	for len(to) >= 3 && len(from) >= 4 {
		alpha := uint(from[3])
		white := 255*(255-alpha) + 127
		for c := range 3 {
			to[c] = uint8((uint(from[c])*alpha + white) / 255)
		}
		to, from = to[3:], from[4:]
	}
	return out
}

// resized is a screen in the size of another.
func resized(pixels []uint8, from, to *dataset.Screen) []uint8 {
	out := make([]uint8, 3*to.Width*to.Height)
	resize.NewCubic(from.Height, from.Width, to.Height, to.Width).Bytes(out, pixels, 3)
	return out
}

// channel is the number of a channel: of a list of one, that for all.
func channel(list []float64, c int, otherwise float64) float64 {
	if len(list) == 0 {
		return otherwise
	}
	return list[min(c, len(list)-1)]
}
