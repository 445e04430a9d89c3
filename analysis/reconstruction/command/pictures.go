// Images of frames and of errors.

package command

import (
	"image"
	"image/color"
	"math"
	"slices"

	"repscope/analysis/reconstruction"
	frame "repscope/measure/image"
)

// picture is the image of a frame: in colors if it has three channels, else its last
// channel in gray. What lies outside the pixel range is drawn at its ends.
func picture(pixels []float64, shape frame.Shape) image.Image {
	level := func(v float64) uint8 { return uint8(math.Round(255 * min(max(v, 0), 1))) }
	plane := shape.Height * shape.Width
	if shape.Channels != 3 {
		last := pixels[len(pixels)-plane:]
		m := image.NewGray(image.Rect(0, 0, shape.Width, shape.Height))
		for i, v := range last {
			m.Pix[i] = level(v)
		}
		return m
	}
	m := image.NewNRGBA(image.Rect(0, 0, shape.Width, shape.Height))
	for i := range plane {
		m.SetNRGBA(i%shape.Width, i/shape.Width,
			color.NRGBA{level(pixels[i]), level(pixels[plane+i]), level(pixels[2*plane+i]), 255})
	}
	return m
}

// difference is |a − b| by pixel: the mean over three channels, else of the last one.
func difference(a, b []float64, shape frame.Shape) []float64 {
	plane := shape.Height * shape.Width
	first := shape.Channels - 1
	if shape.Channels == 3 {
		first = 0
	}
	out := make([]float64, plane)
	for c := first; c < shape.Channels; c++ {
		for i := range plane {
			out[i] += math.Abs(a[c*plane+i]-b[c*plane+i]) / float64(shape.Channels-first)
		}
	}
	return out
}

// heat is the image of an error: black for none, over violet and orange to pale yellow
// for what reaches the end of the scale.
func heat(values []float64, shape frame.Shape, scale float64) image.Image {
	m := image.NewNRGBA(image.Rect(0, 0, shape.Width, shape.Height))
	for i, v := range values {
		m.SetNRGBA(i%shape.Width, i/shape.Width, heatColor(v/scale))
	}
	return m
}

// heatColors are the colors of heat at equal distances; their lightness grows steadily.
var heatColors = []color.NRGBA{{0, 0, 0, 255}, {52, 16, 92, 255}, {129, 37, 107, 255}, {203, 65, 73, 255}, {245, 125, 21, 255}, {250, 193, 60, 255}, {252, 255, 196, 255}}

func heatColor(v float64) color.NRGBA {
	position := min(max(v, 0), 1) * float64(len(heatColors)-1)
	i := min(int(position), len(heatColors)-2)
	a, b, t := heatColors[i], heatColors[i+1], position-float64(i)
	mix := func(x, y uint8) uint8 { return uint8(math.Round(float64(x) + t*(float64(y)-float64(x)))) }
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
}

// errorScale is the end of the scale of errors for the shown samples: the largest error,
// rounded up to one digit, at most 1.
func errorScale(shown []reconstruction.Shown, shape frame.Shape) float64 {
	largest := 0.0
	for _, s := range shown {
		for _, p := range s.Predicted {
			largest = max(largest, slices.Max(difference(p, s.Truth, shape)))
		}
	}
	if largest == 0 {
		return 1
	}
	digit := math.Pow(10, math.Floor(math.Log10(largest)))
	return min(math.Ceil(largest/digit-1e-9)*digit, 1)
}
