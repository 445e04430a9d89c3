// Tests of the figures, and of distances that are given.

package command

import (
	"bytes"
	"fmt"
	"image/color"
	"image/png"
	"slices"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/analysis/neighborhood"
	"repscope/plots"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

func TestFigures(t *testing.T) {
	t.Parallel()
	frames := drift(60, 3)
	flat := points.Float32(slices.Repeat([]float32{1.5, -2}, 60), 2)
	analyze := func(o neighborhood.Options, models ...neighborhood.Encoded) *neighborhood.Result {
		t.Helper()
		r, err := neighborhood.Analyze(t.Context(), neighborhood.Input{Frames: frames, Models: models}, o)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	// Perfect scores have nothing to show on a log axis, a collapsed model has none at all.
	perfect := analyze(neighborhood.Options{Settings: analysis.Settings{Intervals: true}}, neighborhood.Encoded{Name: "same", Latents: frames})
	collapsed := analyze(neighborhood.Options{Settings: analysis.Settings{Intervals: true}, Permutations: 1}, neighborhood.Encoded{Name: "flat", Latents: flat}, neighborhood.Encoded{Name: "ok", Latents: frames})
	figures := []*plots.Figure{Figure(perfect), CurvesFigure(perfect), Figure(collapsed), CurvesFigure(collapsed)}
	for _, o := range []neighborhood.Options{{}, {Settings: analysis.Settings{Intervals: true}}, {Approximate: true}} {
		figures = append(figures, Figure(analyze(o, neighborhood.Encoded{Name: "flat", Latents: flat})))
	}
	for i, figure := range figures {
		for _, format := range []string{"png", "svg"} {
			if err := figure.Render(&bytes.Buffer{}, format); err != nil {
				t.Errorf("figure %d: %v", i, err)
			}
		}
	}
}

func drift(n, dim int) points.Points {
	r := stat.NewRandom(stat.StreamScatter.Key(1))
	values := make([]float64, n*dim)
	for i := range values {
		values[i] = r.Normal()
		if i >= dim {
			values[i] = 0.9*values[i-dim] + 0.4*values[i]
		}
	}
	return points.Float64(values, dim)
}

// Of a matrix of distances the columns of the chosen states are kept; distances of states from themselves
// are told from those of others.
func TestAmong(t *testing.T) {
	t.Parallel()
	matrix := points.Float64([]float64{1, 2, 3, 2, 1, 4, 3, 4, 1}, 3)
	for _, c := range []struct {
		states      []int
		want        []float64
		own, others float64
	}{{[]int{0, 1, 2}, matrix.F64, 1, 4}, {[]int{0, 2}, []float64{1, 3, 3, 1}, 1, 3}} {
		got := among(matrix.Select(c.states), c.states)
		if !slices.Equal(got.F64, c.want) {
			t.Errorf("among %v: %v, want %v", c.states, got.F64, c.want)
		}
		if own, others := extremes(got); own != c.own || others != c.others {
			t.Errorf("among %v: own distances %v, others %v; want %v, %v", c.states, own, others, c.own, c.others)
		}
	}
}

// Bands that reach 1 are drawn to the end of the axis of errors, and the caption says so; errors of more models
// than can be told apart have none, and their bars have the intervals.
func TestBandsAndCaption(t *testing.T) {
	for _, models := range []int{2, 12} {
		r := &neighborhood.Result{K: []int{5, 10}, Samples: 100, Blocks: "10 blocks"}
		for i := range models {
			m := neighborhood.Model{Name: fmt.Sprint("m", i)}
			for _, k := range r.K {
				v, ci := report.Number(0.99), report.Between(0.97, 1)
				m.ByK = append(m.ByK, neighborhood.AtK{K: k, Trustworthiness: v, TrustCI: ci, Continuity: v, ContCI: ci})
			}
			r.Models = append(r.Models, m)
		}
		figure := Figure(r)
		if err := figure.Render(&bytes.Buffer{}, "svg"); err != nil {
			t.Fatal(err)
		}
		want, bands := "bands that reach a score of 1 extend to the end of the axis", true
		if models > 6 {
			want, bands = "no bands on errors", false
		}
		if !strings.Contains(figure.Footnote, want) {
			t.Errorf("%d models: %s", models, figure.Footnote)
		}
		for _, tile := range figure.Tiles {
			switch panel := tile.Panel.(type) {
			case *plots.Curves:
				if (panel.Series[0].Low != nil) != bands {
					t.Errorf("%d models: bands %v", models, panel.Series[0].Low)
				}
			case *plots.GroupedBars:
				if panel.Series[0].Low == nil {
					t.Errorf("%d models: bars without intervals", models)
				}
			}
		}
	}
}

// The names of many models leave room for the curves: the longest upright line, which is the axis, is 35 mm or more.
func TestCurvesFigure_LongNames(t *testing.T) {
	t.Parallel()
	frames := drift(60, 3)
	var models []neighborhood.Encoded
	for m := range 12 {
		name := fmt.Sprintf("self_supervised_encoder_with_a_long_name_%02d", m)
		models = append(models, neighborhood.Encoded{Name: name, Latents: frames})
	}
	r, err := neighborhood.Analyze(t.Context(), neighborhood.Input{Frames: frames, Models: models}, neighborhood.Options{})
	if err != nil {
		t.Fatal(err)
	}
	figure, out := CurvesFigure(r), &bytes.Buffer{}
	if err := figure.Render(out, "png"); err != nil {
		t.Fatal(err)
	}
	page, err := png.Decode(out)
	if err != nil {
		t.Fatal(err)
	}
	b, longest := page.Bounds(), 0
	for x := b.Min.X; x < b.Max.X; x++ {
		run := 0
		for y := b.Min.Y; y < b.Max.Y; y++ {
			if run++; color.GrayModel.Convert(page.At(x, y)).(color.Gray).Y > 100 {
				run = 0
			}
			longest = max(longest, run)
		}
	}
	if mm := float64(longest) / float64(b.Dy()) * figure.HeightMM; mm < 35 {
		t.Errorf("the axis is %.0f of %.0f mm long", mm, figure.HeightMM)
	}
}
