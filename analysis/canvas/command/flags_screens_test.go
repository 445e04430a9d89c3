// Wrong values of the flags of screens and designs.

package command

import (
	"math"
	"strings"
	"testing"

	"repscope/analysis/canvas"
	"repscope/analysis/canvas/internal/screenshot"
)

// TestLayoutFlags: the tolerance is a share.
func TestLayoutFlags(t *testing.T) {
	t.Parallel()
	for tolerance, good := range map[float64]bool{0.02: true, 0.999: true, 1e-9: true, 0: false, 1: false, -1: false, math.NaN(): false} {
		o := canvas.Setting{Layout: canvas.LayoutSettings{Tolerance: tolerance}}
		if err := checkScreens(&o); (err == nil) != good || err != nil && !strings.Contains(err.Error(), "want a number between 0 and 1") {
			t.Errorf("tolerance %v: %v", tolerance, err)
		}
	}
}

func TestPerceptualScale(t *testing.T) {
	t.Parallel()
	wrong := canvas.Setting{Layout: canvas.LayoutSettings{Tolerance: canvas.AlignmentTolerance}}
	wrong.Images.Perceptual.Scale = screenshot.ScaleRaw
	if err := checkScreens(&wrong); err == nil || !strings.Contains(err.Error(), "needs --perceptual-model") {
		t.Errorf("a scale of nothing: %v", err)
	}
}
