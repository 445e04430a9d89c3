// Shape and magnification of images.

package plots

import (
	"image"
	"image/color"
	"testing"

	"gonum.org/v1/plot/vg"
)

// Images keep their shape, and pixels are repeated, not smoothed.
func TestImages(t *testing.T) {
	t.Parallel()
	m := image.NewGray(image.Rect(5, 5, 9, 7)) // 4 × 2
	m.SetGray(6, 6, color.Gray{200})
	if size := fitted(m, vg.Point{X: 20, Y: 20}); size != (vg.Point{X: 20, Y: 10}) {
		t.Errorf("fitted into %v", size)
	}
	large := magnify(m, vg.Point{X: 20, Y: 10})
	factor := large.Bounds().Dx() / 4
	if factor < 2 || large.Bounds().Dy() != 2*factor {
		t.Fatalf("magnified to %v", large.Bounds())
	}
	seen := map[color.Color]int{}
	for y := range large.Bounds().Dy() {
		for x := range large.Bounds().Dx() {
			seen[large.At(x, y)]++
		}
	}
	if len(seen) != 2 || seen[color.NRGBA{200, 200, 200, 255}] != factor*factor {
		t.Errorf("colors %v", seen)
	}
}
