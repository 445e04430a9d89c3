// Figures of other widths.

package plots

import (
	"math"
	"testing"

	"gonum.org/v1/plot/vg/recorder"
)

// At the widths of journals no text is below 6 points, leaves the figure, or touches what it did not touch before. The
// figures are those that rooms draw, of up to twelve models with long names.
func TestFit(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: it lays out the gallery three times, on one goroutine")
	}
	t.Parallel()
	for name, f := range galleryFigures() {
		for _, width := range []float64{SingleColumnMM, DoubleColumnMM, 120} {
			f := f
			before, _ := f.attempt()
			panels := len(f.Tiles)
			if err := f.Fit(width); err != nil {
				t.Errorf("%s at %g mm: %v", name, width, err)
				continue
			}
			if f.WidthMM != width || len(f.Tiles) != panels || f.HeightMM > mostHeightMM {
				t.Errorf("%s at %g mm: %g × %g mm with %d panels, had %d", name, width, f.WidthMM, f.HeightMM, len(f.Tiles), panels)
			}
			s, err := f.compose(&recorder.Canvas{}, false)
			if err != nil {
				t.Errorf("%s at %g mm: %v", name, width, err)
				continue
			}
			for _, c := range s.collisions() {
				if !before[c.a.panel] && !before[c.b.panel] {
					t.Errorf("%s at %g mm: %v", name, width, c)
				}
			}
			for _, text := range s.marks {
				if text.size > 0 && text.size < smallestSize && len(before) == 0 {
					t.Errorf("%s at %g mm: %q has %g pt", name, width, text.text, text.size)
				}
			}
		}
	}
}

// A figure of that width stays as it is, a width that no figure has is refused.
func TestFit_Bounds(t *testing.T) {
	t.Parallel()
	f := manifoldFigure(longNames[:4])
	height := f.HeightMM
	if err := f.Fit(f.WidthMM); err != nil || f.HeightMM != height {
		t.Errorf("%v, height %g, had %g", err, f.HeightMM, height)
	}
	for _, width := range []float64{0, -1, 1001, math.NaN(), math.Inf(1)} {
		if f.Fit(width) == nil {
			t.Errorf("width %g: no error", width)
		}
	}
}
