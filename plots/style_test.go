// Series that can be told apart, also in gray.

package plots

import (
	"fmt"
	"image/color"
	"math"
	"testing"
)

func TestStyles(t *testing.T) {
	t.Parallel()
	type look struct {
		fill   color.NRGBA
		marker int
		hollow bool
	}
	seen := map[look]int{}
	lines := map[string]int{}
	for i := range 24 {
		s := SeriesStyle(i)
		l := look{s.Fill, s.Marker, s.Hollow}
		if j, twice := seen[l]; twice {
			t.Errorf("series %d looks like %d", i, j)
		}
		seen[l] = i
		key := fmt.Sprint(s.Line, s.Dash)
		if j, twice := lines[key]; twice {
			t.Errorf("the line of series %d looks like that of %d", i, j)
		}
		lines[key] = i
		// White paper has luminance 1: lines must stand out in gray too.
		if l := luminance(s.Line); l > 0.62 {
			t.Errorf("series %d: line luminance %.2f", i, l)
		}
	}
	// Neighboring colors that are close in gray differ in dash and marker.
	for i := range 8 {
		for j := range i {
			a, b := SeriesStyle(i), SeriesStyle(j)
			if math.Abs(luminance(a.Line)-luminance(b.Line)) < 0.06 && (a.Marker == b.Marker || fmt.Sprint(a.Dash) == fmt.Sprint(b.Dash)) {
				t.Errorf("series %d and %d are alike in grey", i, j)
			}
		}
	}
}
