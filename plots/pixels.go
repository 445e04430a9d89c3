// Images from the arrays that frames and decoders come in, for [ImageGrid].

package plots

import (
	"fmt"
	"image"
	"image/color"
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
