// Measures of screens as the eye sees them: what is perfect, undefined or missing.

package canvas

import (
	"slices"
	"strings"
	"testing"

	"repscope/analysis/canvas/internal/screenshot"
	"repscope/dataset"
)

// TestSameQuality: a screen beside itself is perfect in every measure that is defined for its size.
func TestSameQuality(t *testing.T) {
	t.Parallel()
	perfect := map[string]float64{"ms_ssim": 1, "gmsd": 0, "fsim": 1, "fsimc": 1}
	least := map[string]int{"ms_ssim": 161, "gmsd": 5, "fsim": 12, "fsimc": 12}
	for _, size := range []int{1, 4, 5, 12, 161} {
		s := &dataset.Screen{Width: size, Height: size, Pixels: slices.Repeat([]byte{1, 99, 200, 255}, size*size)}
		for i := range s.Pixels {
			if i%4 < 3 && i%56 < 9 {
				s.Pixels[i] = byte(i)
			}
		}
		row, err := scoreKinds(t.Context(), []Kind{multiscale, gradients, features}, screensOf(t, screenshot.Options{}, s, s))
		if err != nil || row.Failures != nil || len(row.Values) != len(perfect) {
			t.Fatal(row, err)
		}
		for key, v := range row.Values {
			if size < least[key] && (v.Defined() || !strings.Contains(v.Reason, "want")) || size >= least[key] && (!v.Defined() || v.V != perfect[key]) {
				t.Errorf("%d pixels: %s is %v", size, key, v)
			}
		}
	}
}
