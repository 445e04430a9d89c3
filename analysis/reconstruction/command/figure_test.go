// Pictures of frames and of errors.

package command

import (
	"fmt"
	"image/color"
	"testing"

	"repscope/analysis/reconstruction"
	"repscope/internal/runtest"
	"repscope/measure/image"
	"repscope/plots"
)

// keep keeps a figure where REPSCOPE_FIGURES says, to be looked at.
func keep(t *testing.T, name string, f *plots.Figure) {
	t.Helper()
	warnings, err := f.Warnings()
	if err != nil || len(warnings) > 0 {
		t.Errorf("%s: %v %v", name, warnings, err)
	}
	runtest.SaveFigure(t, name, f)
}

// Frames of three channels are colors, of others the last channel is shown; errors reach
// from black to the light end of the scale.
func TestPictures(t *testing.T) {
	t.Parallel()
	colours := image.Shape{Channels: 3, Height: 1, Width: 2}
	m := picture([]float64{1, 0, 0.5, 0, -1, 2}, colours)
	if m.At(0, 0) != (color.NRGBA{255, 128, 0, 255}) || m.At(1, 0) != (color.NRGBA{0, 0, 255, 255}) {
		t.Errorf("%v %v", m.At(0, 0), m.At(1, 0))
	}
	if d := difference([]float64{1, 0, 0.5, 0, 0, 0}, make([]float64, 6), colours); d[0] != 0.5 || d[1] != 0 {
		t.Errorf("difference %v, want the mean over channels", d)
	}
	stacked := image.Shape{Channels: 2, Height: 1, Width: 2}
	if m := picture([]float64{1, 1, 0, 1}, stacked); m.At(0, 0) != (color.Gray{0}) || m.At(1, 0) != (color.Gray{255}) {
		t.Errorf("%v", m)
	}
	if m := heat([]float64{0, 0.4}, stacked, 0.4); m.At(0, 0) != heatColors[0] || m.At(1, 0) != heatColors[len(heatColors)-1] {
		t.Errorf("%v %v", m.At(0, 0), m.At(1, 0))
	}
	shown := []reconstruction.Shown{{Truth: []float64{0, 0, 0, 0}, Predicted: [][]float64{{1, 1, 0, 0.23}}}}
	if v := errorScale(shown, stacked); v < 0.3-1e-12 || v > 0.3+1e-12 {
		t.Errorf("scale %v, want 0.3", v)
	}
	for _, shape := range []image.Shape{colours, stacked} {
		frame := make([]float64, shape.Size())
		keep(t, fmt.Sprintf("channels_%d", shape.Channels), Sheets([]reconstruction.Shown{{Current: frame, Truth: frame, Predicted: [][]float64{frame}}}, []string{"m"}, shape)[0])
	}
}
