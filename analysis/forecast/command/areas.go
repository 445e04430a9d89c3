// Areas of the cells of curvilinear grids.

package command

import (
	"math"

	"gonum.org/v1/gonum/spatial/r3"
)

// cellAreas are the areas of cells on the unit sphere, row by row, up to a factor: ‖∂r/∂row × ∂r/∂column‖, where r is
// the unit vector of a cell's center. Derivatives are half the difference of the two neighbors, at an edge the whole
// one to the only neighbor. Along an axis with one cell the spacing is taken as 1.
func cellAreas(latitude, longitude []float64, height, width int) []float64 {
	centers := make([]r3.Vec, height*width)
	for i := range centers {
		north, east := latitude[i]*math.Pi/180, longitude[i]*math.Pi/180
		centers[i] = r3.Vec{X: math.Cos(north) * math.Cos(east), Y: math.Cos(north) * math.Sin(east), Z: math.Sin(north)}
	}
	// along is the derivative of cell i, the k-th of n that lie step apart.
	along := func(i, k, n, step int) r3.Vec {
		before, after := min(k, 1), min(n-1-k, 1)
		return r3.Scale(1/float64(before+after), r3.Sub(centers[i+after*step], centers[i-before*step]))
	}
	out := make([]float64, len(centers))
	for i := range out {
		row, column := i/width, i%width
		switch {
		case height > 1 && width > 1:
			out[i] = r3.Norm(r3.Cross(along(i, row, height, width), along(i, column, width, 1)))
		case height > 1:
			out[i] = r3.Norm(along(i, row, height, width))
		case width > 1:
			out[i] = r3.Norm(along(i, column, width, 1))
		default:
			out[i] = 1
		}
	}
	return out
}
