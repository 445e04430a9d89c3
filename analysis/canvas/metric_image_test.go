// Pixels of screens: what is perfect, undefined or missing.

package canvas

import (
	"slices"
	"strings"
	"testing"

	"repscope/analysis/canvas/internal/design"
	"repscope/analysis/canvas/internal/screenshot"
	"repscope/analysis/canvas/internal/source"
	"repscope/dataset"
)

// TestSamePixels: a screen is like itself, and has no ratio to an error of 0; one smaller than the window has no
// similarity.
func TestSamePixels(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1, 6, 7, 30} {
		s := &dataset.Screen{Width: size, Height: size, Pixels: slices.Repeat([]byte{1, 99, 200, 255}, size*size)}
		row, err := scoreKinds(t.Context(), []Kind{screenPixels}, screensOf(t, screenshot.Options{}, s, s))
		if err != nil || row.Failures != nil {
			t.Fatal(row, err)
		}
		if v := row.Values["rmse"]; v.V != 0 || !v.Defined() {
			t.Errorf("%d pixels: RMSE %v", size, v)
		}
		if v := row.Values["psnr"]; v.Defined() || v.Reason != "identical" {
			t.Errorf("%d pixels: PSNR %v", size, v)
		}
		if v := row.Values["ssim"]; size >= 7 && (v.V != 1 || !v.Defined()) || size < 7 && !strings.Contains(v.Reason, "want at least 7 × 7") {
			t.Errorf("%d pixels: SSIM %v", size, v)
		}
	}
}

// TestMissingPixels: without an image the numbers are undefined, and nothing failed.
func TestMissingPixels(t *testing.T) {
	t.Parallel()
	read := func(string) ([]byte, error) { return nil, source.Absentf("nothing") }
	c := &Case{}
	row, err := scoreKinds(t.Context(), []Kind{screenPixels}, NewPair(t.Context(), c, &Setting{}, read, design.NewView(c.Reference, "reference", read)))
	if err != nil || row.Failures != nil || len(row.Values) != 3 {
		t.Fatal(row, err)
	}
	for key, v := range row.Values {
		if v.Defined() || v.Reason != "no image of the reference" {
			t.Errorf("%s: %v", key, v)
		}
	}
}
