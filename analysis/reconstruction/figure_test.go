// The figures of one model and of twelve, in gray and in colours.

package reconstruction

import (
	"fmt"
	"image/color"
	"testing"

	"repscope/internal/runtest"
	"repscope/measure/image"
	"repscope/plots"
)

// write keeps a figure where REPSCOPE_FIGURES says, to be looked at.
func write(t *testing.T, name string, f *plots.Figure) {
	t.Helper()
	warnings, err := f.Warnings()
	if err != nil || len(warnings) > 0 {
		t.Errorf("%s: %v %v", name, warnings, err)
	}
	runtest.SaveFigure(t, name, f)
}

func TestFigures(t *testing.T) {
	t.Parallel()
	for _, models := range []int{0, 1, 12} {
		s := newScene(11, 8, 12, 5)
		all := map[string]func(state, step int) []float64{}
		for m := range models {
			all[fmt.Sprintf("model number %02d", m)] = func(state, step int) []float64 {
				if m%2 == 0 {
					return s.blurred(state + step)
				}
				return s.frame(state)
			}
		}
		in := s.input(all)
		r := analyze(t, in, Options{Intervals: true})
		write(t, fmt.Sprintf("scores_%d", models), r.Figure())
		write(t, fmt.Sprintf("horizon_%d", models), r.HorizonFigure())
		shown, err := Show(t.Context(), in, Options{Seed: 3}, 6)
		if err != nil || len(shown) != 6 {
			t.Fatal(len(shown), err)
		}
		var names []string
		for _, m := range in.Models {
			names = append(names, m.Name)
		}
		figures := Sheets(shown, names, in.Shape)
		if want := max(1, (models+3)/4); len(figures) != want {
			t.Errorf("%d sheets of %d models, want %d", len(figures), models, want)
		}
		for k, f := range figures {
			write(t, fmt.Sprintf("frames_%d_%d", models, k), f)
		}
	}
}

// Many samples fit on a page.
func TestManySamples(t *testing.T) {
	t.Parallel()
	s := newScene(12, 3, 20, 1)
	in := s.input(map[string]func(state, step int) []float64{"m": func(state, step int) []float64 { return s.blurred(state + step) }})
	shown, err := Show(t.Context(), in, Options{}, 40)
	if err != nil {
		t.Fatal(err)
	}
	f := Sheets(shown, []string{"m"}, in.Shape)[0]
	if f.HeightMM > 260 {
		t.Errorf("40 samples are %v mm high", f.HeightMM)
	}
	write(t, "frames_many", f)
}

// Frames of three channels are colours, of others the last channel is shown; errors reach
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
	shown := []Shown{{Truth: []float64{0, 0, 0, 0}, Predicted: [][]float64{{1, 1, 0, 0.23}}}}
	if v := errorScale(shown, stacked); v < 0.3-1e-12 || v > 0.3+1e-12 {
		t.Errorf("scale %v, want 0.3", v)
	}
	for _, shape := range []image.Shape{colours, stacked} {
		frame := make([]float64, shape.Size())
		write(t, fmt.Sprintf("channels_%d", shape.Channels), Sheets([]Shown{{Current: frame, Truth: frame, Predicted: [][]float64{frame}}}, []string{"m"}, shape)[0])
	}
}
