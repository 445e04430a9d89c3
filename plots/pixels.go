// Images from the arrays that frames and decoders come in, for [ImageGrid].

package plots

import (
	"fmt"
	"image"
	"image/color"
	"math"
)

// GrayImage makes an image of height × width bytes in row order.
func GrayImage(pixels []uint8, height, width int) (image.Image, error) {
	if height <= 0 || width <= 0 || len(pixels) != height*width {
		return nil, fmt.Errorf("plots: gray image: %d bytes cannot be %d × %d pixels", len(pixels), height, width)
	}
	m := image.NewGray(image.Rect(0, 0, width, height))
	copy(m.Pix, pixels)
	return m, nil
}

// ScaledImage makes a gray image of height × width numbers in row order: low
// becomes black, high white, values outside are clipped. NaN becomes red.
func ScaledImage(values []float32, height, width int, low, high float64) (image.Image, error) {
	if height <= 0 || width <= 0 || len(values) != height*width {
		return nil, fmt.Errorf("plots: gray image: %d values cannot be %d × %d pixels", len(values), height, width)
	}
	if !(low < high) {
		return nil, fmt.Errorf("plots: gray image: want low < high, got [%g, %g]", low, high)
	}
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i, value := range values {
		v := float64(value)
		c := color.NRGBA{R: 200, A: 255}
		if !math.IsNaN(v) {
			level := uint8(math.Round(255 * min(1, max(0, (v-low)/(high-low)))))
			c = color.NRGBA{level, level, level, 255}
		}
		m.SetNRGBA(i%width, i/width, c)
	}
	return m, nil
}

// RGBImage makes an image of 3 × height × width bytes: the planes red, green and
// blue one after the other, as encoders take them.
func RGBImage(planes []uint8, height, width int) (image.Image, error) {
	size := height * width
	if height <= 0 || width <= 0 || len(planes) != 3*size {
		return nil, fmt.Errorf("plots: RGB image: %d bytes cannot be 3 × %d × %d", len(planes), height, width)
	}
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := range size {
		m.SetNRGBA(i%width, i/width, color.NRGBA{planes[i], planes[size+i], planes[2*size+i], 255})
	}
	return m, nil
}
