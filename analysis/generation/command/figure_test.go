// Figures: complete and without warnings for one generator and for twelve, for boards and
// other grids, with and without labels.

package command

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"repscope/analysis"
	"repscope/analysis/generation"
	"repscope/plots"
	"repscope/points"
)

// manyModels is the example with so many generators, with or without reference rows.
func manyModels(t *testing.T, n int, rows bool) *generation.Input {
	t.Helper()
	in := exampleInput(t)
	all := in.Generators
	in.Generators = nil
	var few []int // latents, so that t-SNE is quick
	for i := 0; i < all[0].Latents.Points.N; i += 3 {
		few = append(few, i)
	}
	for i := range all {
		all[i].Latents = all[i].Latents.Select(few)
	}
	for i := range n {
		g := all[i%len(all)]
		if i >= len(all) {
			g.Name += fmt.Sprint("_", i/len(all)+1)
		}
		in.Generators = append(in.Generators, g)
	}
	if !rows {
		in.HoldOut, in.RealPredictions = nil, nil
		return in
	}
	if err := in.AddReferences(1); err != nil {
		t.Fatal(err)
	}
	return in
}

// drawAll draws all figures of an input and returns the names of their pages. Where the
// environment variable FIGURES names a folder, they are written there, to be looked at.
func drawAll(t *testing.T, in *generation.Input, metrics ...string) []string {
	t.Helper()
	r, err := generation.Analyze(context.Background(), *in, generation.Options{Metrics: metrics, Settings: analysis.Settings{Seed: 1}})
	if err != nil {
		t.Fatal(err)
	}
	d := &drawing{ctx: context.Background(), in: in, metrics: r.Metrics, names: in.LabelNames, seed: 1, r: r}
	var names []string
	for _, f := range figures {
		for k := range f.pages(d) {
			drawn, err := f.page(d, k)
			if err != nil {
				t.Fatalf("%s: %v", pageName(f.name, k), err)
			}
			warnings, err := drawn.Warnings()
			if err != nil || len(warnings) > 0 {
				t.Errorf("%s: %v %q", pageName(f.name, k), err, warnings)
			}
			if drawn.HeightMM > 245 || drawn.WidthMM > plots.DoubleColumnMM {
				t.Errorf("%s is %g × %g mm", pageName(f.name, k), drawn.WidthMM, drawn.HeightMM)
			}
			names = append(names, pageName(f.name, k))
			if folder := os.Getenv("FIGURES"); folder != "" {
				file, err := os.Create(filepath.Join(folder, fmt.Sprint(t.Name()[4:], "_", pageName(f.name, k), ".png")))
				if err != nil {
					t.Fatal(err)
				}
				if err := drawn.Render(file, "png"); err != nil {
					t.Error(err)
				}
				file.Close()
			}
		}
	}
	return names
}

var drawnMetrics = []string{"reconstruction", "diversity", "similarity", "clusters", "conditioning"}

func TestFiguresOfOneGenerator(t *testing.T) {
	t.Parallel()
	got := drawAll(t, manyModels(t, 1, false), drawnMetrics...)
	want := []string{"generation_samples", "generation_distances", "generation_statistics", "generation_latents_pca", "generation_latents_tsne",
		"generation_confusion", "generation_overview"}
	if !slices.Equal(got, want) {
		t.Errorf("figures %q, want %q", got, want)
	}
}

func TestFiguresOfTwelveGenerators(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out with -short: many figures, one after another")
	}
	got := drawAll(t, manyModels(t, 12, true), drawnMetrics...)
	for _, name := range []string{"generation_samples_3", "generation_confusion_2", "generation_latents_tsne"} {
		if !slices.Contains(got, name) {
			t.Errorf("no page %s: %q", name, got)
		}
	}
}

// Nineteen labels, of which one has no samples of a generator.
func TestFiguresOfManyLabels(t *testing.T) {
	t.Parallel()
	in := manyModels(t, 3, false)
	spread := func(labels []int) []int {
		out := slices.Clone(labels)
		for i := range out {
			out[i] = i % 19
		}
		return out
	}
	for i := range in.Generators {
		g := &in.Generators[i]
		s, l := *g.Generated, *g.Latents
		s.Labels, l.Labels = spread(s.Labels), spread(l.Labels)
		g.Generated, g.Latents = &s, &l
		g.Predictions = &generation.Predictions{Name: "p", Target: spread(g.Predictions.Target), Predicted: spread(g.Predictions.Predicted)}
		g.Reconstruction = nil
	}
	in.Generators[0].Generated = in.Generators[0].Generated.Select([]int{0, 1, 2, 3, 4, 19, 20, 21, 22, 23})
	real := *in.Real
	real.Labels = spread(real.Labels)
	in.Real = &real
	if got := drawAll(t, in, drawnMetrics...); !slices.Contains(got, "generation_distances_4") {
		t.Errorf("no page for the last label: %q", got)
	}
}

// Grids that are no boards, without labels, and rows of numbers.
func TestFiguresOfOtherSamples(t *testing.T) {
	t.Parallel()
	grids := func(shape ...int) *generation.Samples {
		cells := make([]uint8, 20*size(shape))
		for i := range cells {
			cells[i] = uint8(i * i % 7 % 2)
		}
		return &generation.Samples{Name: "grids", Rows: points.Uint8(cells, size(shape)), Shape: shape}
	}
	for _, shape := range [][]int{{6, 8}, {1, 6, 8}, {3, 6, 8}, {5, 6, 8}} {
		drawAll(t, &generation.Input{Generators: []generation.Generator{{Name: "g", Generated: grids(shape...)}}, Real: grids(shape...)}, "diversity")
	}
	rows := make([]float64, 60)
	for i := range rows {
		rows[i] = math.Sin(float64(i))
	}
	table := &generation.Samples{Name: "table", Rows: points.Float64(rows, 3), Statistics: []generation.Statistic{{Name: "a", Values: rows[:20], Published: true}, {Name: "b", Values: rows[20:40]}}}
	if got := drawAll(t, &generation.Input{Generators: []generation.Generator{{Name: "g", Generated: table}}, Real: table}, drawnMetrics...); !slices.Equal(got, []string{"generation_statistics", "generation_overview"}) {
		t.Errorf("figures of a table: %q", got)
	}
}

// What cannot be drawn says so: constant latents, too few samples.
func TestFiguresOfNothing(t *testing.T) {
	t.Parallel()
	z := &generation.Latents{Name: "z", Points: points.Float64(make([]float64, 40), 2), Labels: make([]int, 20)}
	if got := drawAll(t, &generation.Input{Generators: []generation.Generator{{Name: "vae", Latents: z}}}, "clusters"); len(got) != 3 {
		t.Errorf("figures %q", got)
	}
}
