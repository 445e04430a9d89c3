// Structural similarity at several scales.

package image

import (
	"fmt"
	"math"

	"repscope/internal/kernel/vector"
)

// scaleWeights are the exponents of the scales from the finest on.
var scaleWeights = [...]float64{0.0448, 0.2856, 0.3001, 0.2363, 0.1333}

// multiscaleSide is the smallest side of frames that MultiscaleSSIM takes: four halvings leave a window of 11.
const multiscaleSide = 2*radius<<(len(scaleWeights)-1) + 1

// MultiscaleSSIM returns the multi-scale structural similarity (Wang, Simoncelli & Bovik, Asilomar 2003) of two planes
// [height, width] of brightness, see [Luma], whose pixels have the range dataRange:
//
//	S₅^0.1333 · C₁^0.0448 · C₂^0.2856 · C₃^0.3001 · C₄^0.2363,
//
// with Cⱼ the mean of (2·σxy + C2)/(σx² + σy² + C2) and Sⱼ the mean of the structural similarity over the Gaussian
// windows of [NewGaussianSSIM] that lie inside scale j. Scale j + 1 is scale j in means of 2 × 2 pixels; an odd last
// row or column is paired with itself, as in the authors' code. A factor below 0 counts as 0. In [0, 1], 1 for equal
// planes, symmetric in them. Planes of a side below multiscaleSide (161), of other sizes than said, and ranges that
// are no positive number are an error; a NaN gives NaN.
func MultiscaleSSIM(height, width int, dataRange float64, a, b []float64) (float64, error) {
	if height < multiscaleSide || width < multiscaleSide {
		return math.NaN(), fmt.Errorf("MS-SSIM of frames of %d × %d: want at least %d × %d pixels, five scales of its window",
			height, width, multiscaleSide, multiscaleSide)
	}
	if len(a) != height*width || len(b) != len(a) {
		return math.NaN(), fmt.Errorf("MS-SSIM of %d and %d pixels: want %d × %d", len(a), len(b), height, width)
	}
	product := 1.0
	for j, weight := range scaleWeights {
		s, err := NewGaussianSSIM(Shape{Channels: 1, Height: height, Width: width}, dataRange)
		if err != nil {
			return math.NaN(), err
		}
		var part float64
		if j+1 < len(scaleWeights) {
			part = s.contrast(a, b)
			a, b = halved(a, height, width), halved(b, height, width)
			height, width = (height+1)/2, (width+1)/2
		} else {
			part = MeanSSIM(s, a, b)
		}
		product *= math.Pow(max(part, 0), weight)
	}
	return product, nil
}

// contrast is the mean of (2·σxy + C2)/(σx² + σy² + C2).
func (s *SSIM) contrast(a, b []float64) float64 {
	h, w := s.MapSize()
	total := s.bell.total
	clear(total)
	s.bell.rows(s.shape.Width, s.shape.Height, func(x, y []float64, row int) {
		copy(x, a[row*len(x):])
		copy(y, b[row*len(y):])
	}, func(_ int, m *[4][]float64) {
		x, y, q, p := m[0][:len(total)], m[1][:len(total)], m[2][:len(total)], m[3][:len(total)]
		for j := range total {
			xy := float64(x[j] * y[j])
			xy += xy
			squares := float64(x[j]*x[j]) + float64(y[j]*y[j])
			total[j] += (p[j] - xy + s.c2) / (q[j] - squares + s.c2)
		}
	})
	return vector.Sum64(total) / float64(h*w)
}

// halved is a plane in means of 2 × 2 pixels; an odd last row or column is paired with itself.
func halved(plane []float64, height, width int) []float64 {
	rows, columns := (height+1)/2, (width+1)/2
	out := make([]float64, rows*columns)
	for i := range rows {
		upper := plane[2*i*width:][:width]
		lower := plane[min(2*i+1, height-1)*width:][:width]
		to := out[i*columns:][:columns]
		for j := range width / 2 {
			to[j] = (upper[2*j] + upper[2*j+1] + (lower[2*j] + lower[2*j+1])) / 4
		}
		if width%2 == 1 {
			to[columns-1] = (upper[width-1] + lower[width-1]) / 2
		}
	}
	return out
}
