// Conveniences for callers: fitted lines, images from numbers, numbers as text.

package plots

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"strconv"
	"strings"
)

// LinearFit returns the line intercept + slope·x over [low, high] as a Fit of 64
// points, with the band that band returns at each x (nil: no band).
func LinearFit(slope, intercept, low, high float64, band func(x float64) (low, high float64)) *Fit {
	const points = 64
	fit := &Fit{X: make([]float64, points), Y: make([]float64, points)}
	if band != nil {
		fit.Low, fit.High = make([]float64, points), make([]float64, points)
	}
	for i := range points {
		x := low + (high-low)*float64(i)/(points-1)
		fit.X[i], fit.Y[i] = x, intercept+slope*x
		if band != nil {
			fit.Low[i], fit.High[i] = band(x)
		}
	}
	return fit
}

// GrayImage makes an image of height × width bytes in row order.
func GrayImage(pixels []uint8, height, width int) (image.Image, error) {
	if height <= 0 || width <= 0 || len(pixels) != height*width {
		return nil, fmt.Errorf("plots: grey image: %d bytes cannot be %d × %d pixels", len(pixels), height, width)
	}
	m := image.NewGray(image.Rect(0, 0, width, height))
	copy(m.Pix, pixels)
	return m, nil
}

// ScaledImage makes a grey image of height × width numbers in row order: low
// becomes black, high white, values outside are clipped. NaN becomes red.
func ScaledImage(values []float32, height, width int, low, high float64) (image.Image, error) {
	if height <= 0 || width <= 0 || len(values) != height*width {
		return nil, fmt.Errorf("plots: grey image: %d values cannot be %d × %d pixels", len(values), height, width)
	}
	if !(low < high) {
		return nil, fmt.Errorf("plots: grey image: want low < high, got [%g, %g]", low, high)
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

// Number writes a value with so many significant digits (1 to 17) for a label or
// a table cell: U+2212 for minus, "n/a" for NaN, "∞" for infinity, and a power of
// ten ("1.2×10^{−5}", to be drawn as a superscript) outside [1e−3, 1e5).
func Number(value float64, significant int) string {
	significant = min(17, max(1, significant))
	switch {
	case math.IsNaN(value):
		return "n/a"
	case math.IsInf(value, 1):
		return "∞"
	case math.IsInf(value, -1):
		return "−∞"
	case value == 0:
		return "0"
	}
	text := strconv.FormatFloat(value, 'e', significant-1, 64)
	mantissa, exponentText, _ := strings.Cut(text, "e")
	exponent, _ := strconv.Atoi(exponentText) // FormatFloat wrote it
	if exponent >= 5 || exponent < -3 {
		return minus(mantissa + "×10^{" + strconv.Itoa(exponent) + "}")
	}
	rounded, _ := strconv.ParseFloat(text, 64)
	return minus(strconv.FormatFloat(rounded, 'f', max(0, significant-1-exponent), 64))
}

// minus replaces every hyphen of a formatted number by the minus sign.
func minus(number string) string { return strings.ReplaceAll(number, "-", "−") }

// Escape protects a string whose "_{" or "^{" is meant literally.
func Escape(s string) string {
	return strings.NewReplacer(`\`, `\\`, "_{", `\_{`, "^{", `\^{`).Replace(s)
}
