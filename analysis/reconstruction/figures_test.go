// The figures of one model and of twelve, in gray and in colors.

package reconstruction_test

import (
	"fmt"
	"testing"

	"repscope/analysis"
	"repscope/analysis/reconstruction"
	"repscope/analysis/reconstruction/command"
	"repscope/internal/runtest"
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

func TestFigures(t *testing.T) {
	t.Parallel()
	for _, models := range []int{0, 1, 12} {
		s := reconstruction.NewScene(11, 8, 12, 5)
		all := map[string]func(state, step int) []float64{}
		for m := range models {
			all[fmt.Sprintf("model number %02d", m)] = func(state, step int) []float64 {
				if m%2 == 0 {
					return s.Blurred(state + step)
				}
				return s.Frame(state)
			}
		}
		in := s.Input(all)
		r, err := reconstruction.Analyze(t.Context(), in, reconstruction.Options{Settings: analysis.Settings{Intervals: true}})
		if err != nil {
			t.Fatal(err)
		}
		keep(t, fmt.Sprintf("scores_%d", models), command.Figure(r))
		keep(t, fmt.Sprintf("horizon_%d", models), command.HorizonFigure(r))
		shown, err := reconstruction.Show(t.Context(), in, reconstruction.Options{Settings: analysis.Settings{Seed: 3}}, 6)
		if err != nil || len(shown) != 6 {
			t.Fatal(len(shown), err)
		}
		var names []string
		for _, m := range in.Models {
			names = append(names, m.Name)
		}
		figures := command.Sheets(shown, names, in.Shape)
		if want := max(1, (models+3)/4); len(figures) != want {
			t.Errorf("%d sheets of %d models, want %d", len(figures), models, want)
		}
		for k, f := range figures {
			keep(t, fmt.Sprintf("frames_%d_%d", models, k), f)
		}
	}
}

// Many samples fit on a page.
func TestManySamples(t *testing.T) {
	t.Parallel()
	s := reconstruction.NewScene(12, 3, 20, 1)
	in := s.Input(map[string]func(state, step int) []float64{"m": func(state, step int) []float64 { return s.Blurred(state + step) }})
	shown, err := reconstruction.Show(t.Context(), in, reconstruction.Options{}, 40)
	if err != nil {
		t.Fatal(err)
	}
	f := command.Sheets(shown, []string{"m"}, in.Shape)[0]
	if f.HeightMM > 260 {
		t.Errorf("40 samples are %v mm high", f.HeightMM)
	}
	keep(t, "frames_many", f)
}

// Numbers that are not defined are drawn as such: none varies, no episode lasts as long as the predictions, or
// no image comes before another.
func TestFiguresOfUndefined(t *testing.T) {
	t.Parallel()
	still := reconstruction.NewScene(5, 5, 6, 1).Input(nil)
	still.Frames = reconstruction.Memory(make([]float64, 30*still.Shape.Size()), still.Shape.Size())
	short := reconstruction.NewScene(7, 5, 4, 5)
	ahead := short.Input(map[string]func(state, step int) []float64{"blurred": func(state, step int) []float64 { return short.Blurred(state + step) }})
	single := reconstruction.NewScene(8, 6, 5, 1).Input(nil)
	single.Same = true
	single.Episode = make([]int, len(single.Episode))
	for i := range single.Episode {
		single.Episode[i] = i
	}
	for i := range single.Samples {
		single.Samples[i] = reconstruction.Sample{State: -1, Next: []int{i}}
	}
	for name, in := range map[string]reconstruction.Input{"still": still, "ahead": ahead, "single": single} {
		r, err := reconstruction.Analyze(t.Context(), in, reconstruction.Options{Settings: analysis.Settings{Intervals: true}})
		if err != nil {
			t.Fatal(name, err)
		}
		shown, err := reconstruction.Show(t.Context(), in, reconstruction.Options{}, 4)
		if err != nil {
			t.Fatal(name, err)
		}
		var names []string
		for _, m := range in.Models {
			names = append(names, m.Name)
		}
		figures := append(command.Sheets(shown, names, in.Shape), command.Figure(r))
		if horizon := command.HorizonFigure(r); horizon != nil {
			figures = append(figures, horizon)
		}
		for _, figure := range figures {
			if _, err := figure.Warnings(); err != nil {
				t.Error(name, err)
			}
		}
	}
}
