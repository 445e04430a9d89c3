// Deviation of the similarity of gradients.

package image

import (
	"fmt"
	"math"
)

// gmsdSide is the smallest side of frames that GMSD takes: halved, they hold the operator of the gradient.
const gmsdSide = 5

// GMSD returns the gradient magnitude similarity deviation (Xue, Zhang, Mou & Bovik, IEEE Transactions on Image
// Processing 23, 2014) of two planes [height, width] of brightness, see [Luma], whose pixels have the range R =
// dataRange: the standard deviation, over all pixels of the planes in means of 2 × 2 pixels, of
//
//	(2·g·h + T)/(g² + h² + T),  T = 170·(R/255)²,
//
// where g and h are the lengths of the gradients of both by Prewitt's operator over 3. As in the authors' code there
// are zeros beyond the border, for the means of an odd last row or column too; the deviation is as in the paper,
// over the number of pixels. In [0, 0.5), less is better, 0 for equal planes, symmetric in them. Planes of a side
// below gmsdSide (5), of other sizes than said, and ranges that are no positive number are an error; a NaN gives NaN.
func GMSD(height, width int, dataRange float64, a, b []float64) (float64, error) {
	if height < gmsdSide || width < gmsdSide {
		return math.NaN(), fmt.Errorf("GMSD of frames of %d × %d: want at least %d × %d pixels",
			height, width, gmsdSide, gmsdSide)
	}
	if len(a) != height*width || len(b) != len(a) {
		return math.NaN(), fmt.Errorf("GMSD of %d and %d pixels: want %d × %d", len(a), len(b), height, width)
	}
	if !(dataRange > 0) || math.IsInf(dataRange, 0) {
		return math.NaN(), fmt.Errorf("GMSD with pixels of range %g: want a positive number", dataRange)
	}
	t := 170 * float64(dataRange/255) * float64(dataRange/255)
	x, rows, columns := framed(a, height, width)
	y, _, _ := framed(b, height, width)
	similar := make([]float64, rows*columns)
	sum := 0.0
	for i := range rows {
		to := similar[i*columns:][:columns]
		stride := columns + 2
		prewittRows(to, x[i*stride:], y[i*stride:], stride, t)
		for _, v := range to {
			sum += v
		}
	}
	mean, squares := sum/float64(len(similar)), 0.0
	for _, v := range similar {
		squares += float64((v - mean) * (v - mean))
	}
	return math.Sqrt(squares / float64(len(similar))), nil
}

// framed is a plane in means of 2 × 2 pixels, with zeros beyond an odd end, in a frame of zeros of one pixel.
func framed(plane []float64, height, width int) (out []float64, rows, columns int) {
	rows, columns = (height+1)/2, (width+1)/2
	out = make([]float64, (rows+2)*(columns+2))
	nothing := make([]float64, width)
	for i := range rows {
		upper, lower := plane[2*i*width:][:width], nothing
		if 2*i+1 < height {
			lower = plane[(2*i+1)*width:][:width]
		}
		to := out[(i+1)*(columns+2)+1:][:columns]
		for j := range width / 2 {
			to[j] = (upper[2*j] + upper[2*j+1] + (lower[2*j] + lower[2*j+1])) / 4
		}
		if width%2 == 1 {
			to[columns-1] = (upper[width-1] + lower[width-1]) / 4
		}
	}
	return out, rows, columns
}

// prewittRows writes a row of similarities from the rows of x and y at, above and below it.
func prewittRows(to, x, y []float64, stride int, t float64) {
	for j := range to {
		g := prewitt(x[j:], stride)
		h := prewitt(y[j:], stride)
		to[j] = (2*math.Sqrt(float64(g*h)) + t) / (g + h + t)
	}
}

// prewitt is the squared length of the gradient in the middle of the 3 × 3 pixels that begin with p.
func prewitt(p []float64, stride int) float64 {
	upper, middle, lower := p[:3], p[stride:][:3], p[2*stride:][:3]
	dx := (upper[2] - upper[0]) + (middle[2] - middle[0]) + (lower[2] - lower[0])
	dy := (lower[0] + lower[1] + lower[2]) - (upper[0] + upper[1] + upper[2])
	return (float64(dx*dx) + float64(dy*dy)) / 9
}
