// Package screenshot makes the images of two screens comparable, and runs a model of how far apart they look.
package screenshot

import (
	"fmt"

	"repscope/analysis/canvas/internal/design"
	"repscope/analysis/canvas/internal/source"
	"repscope/dataset"
	"repscope/internal/resize"
	"repscope/measure/image"
)

// ByteRange is the distance of the smallest and the largest value of a pixel.
const ByteRange = 255

// Pixels are both screens without alpha and of one size: red, green and blue [Height, Width, 3] of 8 bits.
type Pixels struct {
	image.Shape
	Reference, Generated []uint8
	// Resized says which screen was resized and from what size, empty if none was.
	Resized string
	luma    source.Lazy[[2][]float64]
}

// Read reads both images and makes them comparable: alpha is laid on white or dropped, and the one with more pixels is
// resized to the size of the other, the generated one where they have as many.
func Read(s *design.Screens) (*Pixels, error) {
	reference, err := s.Reference.Screen()
	if err != nil {
		return nil, err
	}
	generated, err := s.Generated.Screen()
	if err != nil {
		return nil, err
	}
	return NewPixels(reference, generated, s.DropAlpha), nil
}

// Brightness is the brightness of both screens [Height, Width], from 0 to 255.
func (s *Pixels) Brightness() (reference, generated []float64) {
	both, _ := s.luma.Get(func() ([2][]float64, error) {
		return [2][]float64{image.Luma(s.Shape, s.Reference), image.Luma(s.Shape, s.Generated)}, nil
	})
	return both[0], both[1]
}

// NewPixels makes two screens comparable; drop drops their alpha.
func NewPixels(reference, generated *dataset.Screen, drop bool) *Pixels {
	s := &Pixels{Reference: Opaque(reference, drop), Generated: Opaque(generated, drop)}
	size := reference
	switch r, g := reference.Width*reference.Height, generated.Width*generated.Height; {
	case r == g && reference.Width == generated.Width:
	case g < r:
		size = generated
		s.Reference = Resize(s.Reference, reference, size)
		s.Resized = fmt.Sprintf("reference, %d × %d", reference.Width, reference.Height)
	default:
		s.Generated = Resize(s.Generated, generated, size)
		s.Resized = fmt.Sprintf("generated, %d × %d", generated.Width, generated.Height)
	}
	s.Shape = image.Shape{Channels: 3, Height: size.Height, Width: size.Width, ChannelsLast: true}
	return s
}

// Opaque is a screen [Height, Width, 3] without alpha: laid on white, rounded to the nearest byte, or as the colors
// are.
func Opaque(s *dataset.Screen, drop bool) []uint8 {
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

// Resize is a screen in the size of another.
func Resize(pixels []uint8, from, to *dataset.Screen) []uint8 {
	out := make([]uint8, 3*to.Width*to.Height)
	resize.NewCubic(from.Height, from.Width, to.Height, to.Width).Bytes(out, pixels, 3)
	return out
}

// Channel is the number of a channel: of a list of one, that for all.
func Channel(list []float64, c int, otherwise float64) float64 {
	if len(list) == 0 {
		return otherwise
	}
	return list[min(c, len(list)-1)]
}
