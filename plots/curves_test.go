// Gaps and thinning of curves.

package plots

import (
	"math"
	"testing"

	"gonum.org/v1/plot/vg"
)

// A gap divides a curve; values that the axes cannot show are gaps too.
func TestPieces(t *testing.T) {
	t.Parallel()
	c, err := newNumeric(&preparation{}, Axis{}, Axis{}, extent{0, 6, true}, extent{0, 10, true})
	if err != nil {
		t.Fatal(err)
	}
	a := c.area(vg.Rectangle{Max: vg.Point{X: 100, Y: 100}})
	parts := pieces([]float64{0, 1, 2, 3, 4, 5}, []float64{1, 2, math.NaN(), 4, math.Inf(1), 6}, Axis{}, Axis{}, a)
	if len(parts) != 3 || len(parts[0]) != 2 || len(parts[1]) != 1 || parts[1][0] != a.point(3, 4) {
		t.Errorf("pieces %v", parts)
	}
}

// Thinning keeps both ends and every step that can be seen.
func TestThin(t *testing.T) {
	t.Parallel()
	points := make([]vg.Point, 5000)
	for i := range points {
		points[i] = vg.Point{X: vg.Length(i) * 0.01}
	}
	points[2500].Y = 7
	kept := thin(points)
	if len(kept) > 600 || kept[0] != points[0] || kept[len(kept)-1] != points[len(points)-1] {
		t.Errorf("%d points from %v to %v", len(kept), kept[0], kept[len(kept)-1])
	}
	peak := false
	for _, p := range kept {
		peak = peak || p.Y == 7
	}
	if !peak {
		t.Error("the peak is lost")
	}
	if few := thin(points[:500]); len(few) != 500 {
		t.Errorf("%d of 500 points are kept", len(few))
	}
}
