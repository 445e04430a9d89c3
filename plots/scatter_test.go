// The raster layer of heavy scatters.

package plots

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// Above 20,000 points the vector formats hold one image, below they hold none.
func TestRasterLayer(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out with -short: many figures, one after another")
	}
	for _, c := range []struct{ points, images int }{{1000, 0}, {20000, 0}, {20001, 1}} {
		r := rand.New(rand.NewPCG(7, 7))
		s := ScatterSeries{Name: "m"}
		for range c.points {
			s.X, s.Y = append(s.X, r.Float64()), append(s.Y, r.NormFloat64())
		}
		f := Figure{WidthMM: 60, HeightMM: 50, Tiles: []Tile{{Panel: &Scatter{Series: []ScatterSeries{s}}}}}
		svg := rendered(t, &f, "svg")
		if n := bytes.Count(svg, []byte("data:image/png;base64,")); n != c.images {
			t.Errorf("%d points: %d images in the SVG, want %d", c.points, n, c.images)
		}
		pdf := rendered(t, &f, "pdf")
		if n := min(1, bytes.Count(pdf, []byte("/Subtype /Image"))); n != c.images {
			t.Errorf("%d points: %d images in the PDF, want %d", c.points, n, c.images)
		}
		if c.images > 0 && (len(svg) > 1<<20 || len(pdf) > 1<<20) {
			t.Errorf("%d points: %d bytes of SVG, %d of PDF", c.points, len(svg), len(pdf))
		}
	}
}
