// Tests of the figures: with few and many models nothing is cut, covered or shortened.

package command

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"repscope/analysis/canvas"
	"repscope/analysis/canvas/internal/faketest"
	"repscope/analysis/canvas/internal/source"
	"repscope/internal/example/screens"
	"repscope/internal/runtest"
	"repscope/plots"
	"repscope/report"
)

// figureKinds are metrics with long names and units, one of which nobody has.
func figureKinds() []canvas.Kind {
	var out []canvas.Kind
	for i, name := range []string{"canvas_fill_difference", "ssim", "semantic_match", "saliency_cc", "element_ratio_symmetric", "layout_iou",
		"alignment_f1", "block_match", "text_similarity", "tree_edit_similarity", "visual_completeness", "struct_completeness",
		"saliency_information_gain", "missing"} {
		key := canvas.Key{Name: name, Direction: report.Higher, High: math.Inf(1), Compared: true, Improved: true}
		if i%5 == 0 {
			key.Direction, key.Unit = report.Lower, "levels of 0 to 255"
		}
		out = append(out, canvas.Kind{Name: name, Keys: []canvas.Key{key}, Score: func(p *canvas.Pair, row *canvas.Row) error {
			var seed uint64
			for _, c := range p.Case.Generated.Design {
				seed = 31*seed + uint64(c)
			}
			r := rand.New(rand.NewPCG(seed, uint64(i)))
			if name == "missing" || r.IntN(8) == 0 {
				return source.Absentf("neither a model nor embeddings of screens are given")
			}
			row.Set(name, r.Float64()/float64(1+i%3*20))
			return nil
		}})
	}
	return out
}

// manyModels is a run with snapshots, designs to begin with, and ratings.
func manyModels(models int) *faketest.Run {
	f := faketest.NewRun()
	for s := range 14 {
		sample := fmt.Sprintf("gid%d-%d", s/3, s)
		for m := range models {
			model := fmt.Sprintf("vision-language-model-%d", m)
			for step := range 3 {
				f.Add(sample, model, "x").Snapshot = step
				f.Cases[len(f.Cases)-1].Generated.Design += fmt.Sprint(step)
			}
			c := f.Add(sample, model, "x")
			c.Base = source.Side{Design: sample + "-base.json"}
			for person := range 2 {
				f.Ratings = append(f.Ratings, canvas.Rating{Case: c.ID, Rater: fmt.Sprint(person), Value: float64((s*m+person+m)%5 + 1)})
			}
			for person := range 3 * min(m, 1) {
				f.Preferences = append(f.Preferences, canvas.Preference{A: c.ID, B: fmt.Sprintf("%s-vision-language-model-%d", sample, (s+person)%m),
					Verdict: canvas.Verdict((s*m+person)%3 - 1), Rater: fmt.Sprint(person)})
			}
		}
	}
	return f
}

func TestFigures(t *testing.T) {
	t.Parallel()
	for _, models := range []int{1, 3, 12} {
		r := outcomeOf(t, manyModels(models), figureKinds())
		for name, draw := range map[string]func() *plots.Figure{
			"scores": r.scoresFigure, "spread": r.spreadFigure, "steps": r.stepsFigure,
			"improvements": r.improvementsFigure, "agreement": r.agreementFigure, "preferences": r.preferencesFigure,
			"bar": func() *plots.Figure { return r.metricFigure(r.mainKeys()[0], r.bars, "Means.") },
			"box": func() *plots.Figure { return r.metricFigure(r.mainKeys()[4], r.boxes, "Values.") },
		} {
			f := draw()
			if f == nil && name == "preferences" && models == 1 { // one model has nothing to be preferred to
				continue
			}
			if f == nil {
				t.Errorf("%d models: no %s", models, name)
				continue
			}
			warnings, err := f.Warnings()
			if err != nil || len(warnings) > 0 {
				t.Errorf("%d models, %s: %q, %v", models, name, warnings, err)
			}
			if f.HeightMM > 250 {
				t.Errorf("%d models, %s: %g mm high", models, name, f.HeightMM)
			}
			runtest.SaveFigure(t, fmt.Sprintf("canvas_%s_%d", name, models), f)
		}
	}
}

// Without snapshots, designs to begin with and ratings there are no figures of them.
func TestFiguresOfLittle(t *testing.T) {
	t.Parallel()
	f := faketest.NewRun()
	f.Add("s", "m", "quality=0.5")
	r := outcomeOf(t, f, faketest.Kinds())
	if r.stepsFigure() != nil || r.improvementsFigure() != nil || r.agreementFigure() != nil ||
		r.preferencesFigure() != nil {
		t.Error("a figure of nothing")
	}
	if w, err := r.scoresFigure().Warnings(); err != nil || len(w) > 0 {
		t.Errorf("%q, %v", w, err)
	}
}

// exampleCase is a case of the built-in example.
func exampleCase(set *screens.Set, gid, model string) source.Case {
	id := set.Case(gid, model)
	at, reference := "results/"+screens.Task+"/"+screens.Variant+"/"+id+"/"+id, set.Reference(gid)
	return source.Case{ID: id, Sample: gid, Model: model, Snapshot: -1, Reference: source.Side{Image: reference + ".png", Design: reference + ".json"},
		Generated:         source.Side{Image: at + "-canvas.png", Design: at + "-json-structure.json"},
		ReferenceSaliency: reference + "-saliency.png", GeneratedSaliency: at + "-saliency.png", Fixations: reference + "-fixations.csv"}
}

// The overlay shows both screens with boxes, where they differ, and saliency; what a case lacks is
// left out.
func TestOverlay(t *testing.T) {
	t.Parallel()
	set := screens.Example()
	whole := exampleCase(set, set.Samples()[0], "moderate")
	designs := whole
	designs.Reference.Image, designs.Generated.Image, designs.ReferenceSaliency = "", "", ""
	images := whole
	images.Reference.Design, images.ReferenceSaliency, images.Fixations = "", "", ""
	broken := whole
	broken.Generated.Design, broken.ReferenceSaliency = whole.Generated.Image, "missing.png"
	for name, c := range map[string]struct {
		of     source.Case
		titles []string
		boxes  bool
	}{
		"whole":   {whole, []string{"Reference", "Generated", "Difference", "Saliency, reference", "Saliency, generated"}, true},
		"designs": {designs, []string{"Reference", "Generated"}, true},
		"images":  {images, []string{"Reference", "Generated", "Difference"}, false},
		"broken":  {broken, []string{"Reference", "Generated", "Difference"}, false},
		"nothing": {source.Case{ID: "none", Snapshot: -1}, nil, false},
	} {
		r := &outcome{settings: &canvas.Setting{Definition: canvas.DefinitionDefault}, read: set.ReadFile}
		f, err := overlayOf(r.pair(t.Context(), &c.of))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if f == nil {
			if c.titles != nil {
				t.Errorf("%s: no overlay", name)
			}
			continue
		}
		var titles []string
		for _, tile := range f.Tiles {
			titles = append(titles, tile.Title)
		}
		if boxes := len(f.Tiles[0].Panel.(*plots.BoxedImage).Boxes) > 0; !slices.Equal(titles, c.titles) || boxes != c.boxes {
			t.Errorf("%s: %q with boxes: %v", name, titles, boxes)
		}
		if w, err := f.Warnings(); err != nil || len(w) > 0 {
			t.Errorf("%s: %q, %v", name, w, err)
		}
		runtest.SaveFigure(t, "canvas_overlay_"+name, f)
	}
}

// The worst and best designs are those of the example's worst and best models, each in a part of
// its own.
func TestContactSheet(t *testing.T) {
	t.Parallel()
	set := screens.Example()
	in := faketest.Run{}
	for _, gid := range set.Samples()[:2] {
		for _, model := range []string{"copy", "severe", "slight"} {
			in.Cases = append(in.Cases, exampleCase(set, gid, model))
		}
	}
	in.Read = set.ReadFile
	quality := []float64{1, 0.1, 0.6, 0.9, 0.2, 0.7}
	keys := []canvas.Key{{Name: "quality", Direction: report.Higher, High: math.Inf(1), Compared: true}}
	kinds := []canvas.Kind{{Name: "quality", Keys: keys, Score: func(p *canvas.Pair, row *canvas.Row) error {
		row.Set("quality", quality[slices.IndexFunc(in.Cases, func(c source.Case) bool { return c.ID == p.Case.ID })])
		return nil
	}}}
	for cases, want := range map[int][2]int{6: {3, 3}, 2: {1, 1}} {
		of := in
		of.Cases = in.Cases[:cases]
		r := outcomeOf(t, &of, kinds)
		rows, score := r.ranked()
		if len(rows) != cases || score[rows[0]] > score[rows[len(rows)-1]] {
			t.Errorf("%d cases: ranked %v by %v", cases, rows, score)
		}
		f, err := r.contactSheet(t.Context(), rows, score)
		if err != nil {
			t.Fatal(err)
		}
		var got [2]int
		for k, tile := range f.Tiles {
			got[k] = len(tile.Panel.(*plots.ImageGrid).ColumnLabels)
		}
		if got != want {
			t.Errorf("%d cases: %v designs, want %v", cases, got, want)
		}
		if first := f.Tiles[0].Panel.(*plots.ImageGrid).ColumnLabels[0]; !strings.Contains(first, "severe") {
			t.Errorf("%d cases: the worst is %s", cases, first)
		}
		if w, err := f.Warnings(); err != nil || len(w) > 0 {
			t.Errorf("%d cases: %q, %v", cases, w, err)
		}
		runtest.SaveFigure(t, fmt.Sprintf("canvas_cases_%d", cases), f)
	}
}
