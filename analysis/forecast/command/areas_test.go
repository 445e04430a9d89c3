// Areas of cells on grids whose areas are known.

package command

import (
	"math"
	"testing"
)

// On a grid of latitudes and longitudes areas go with the cosine of the latitude; a rotation of the sphere changes none.
func TestCellAreas(t *testing.T) {
	t.Parallel()
	const height, width, step = 9, 7, 2.0
	for _, tilt := range []float64{0, 35} {
		var latitude, longitude, want []float64
		for row := range height {
			for column := range width {
				north, east := (30+step*float64(row))*math.Pi/180, step*float64(column)*math.Pi/180
				x, y, z := math.Cos(north)*math.Cos(east), math.Cos(north)*math.Sin(east), math.Sin(north)
				angle := tilt * math.Pi / 180
				x, z = math.Cos(angle)*x-math.Sin(angle)*z, math.Sin(angle)*x+math.Cos(angle)*z
				latitude = append(latitude, math.Asin(z)*180/math.Pi)
				longitude = append(longitude, math.Atan2(y, x)*180/math.Pi)
				want = append(want, math.Cos(north))
			}
		}
		got := cellAreas(latitude, longitude, height, width)
		center := height/2*width + width/2
		for i := range got {
			// At the edges differences of first order are off by the square of the step.
			if ratio := got[i] / got[center] / (want[i] / want[center]); math.Abs(ratio-1) > 1e-3 {
				t.Errorf("tilt %v, cell %d: ratio %v, want 1", tilt, i, ratio)
			}
		}
	}
	one := cellAreas([]float64{10, 12, 16}, []float64{5, 5, 5}, 1, 3)
	for i, want := range []float64{2, 3, 4} {
		if math.Abs(one[i]*180/math.Pi-want) > 0.01 {
			t.Errorf("one row: %v, want degrees %v", one[i]*180/math.Pi, want)
		}
	}
	if got := cellAreas([]float64{10}, []float64{5}, 1, 1); got[0] != 1 {
		t.Errorf("one cell: %v, want 1", got)
	}
}
