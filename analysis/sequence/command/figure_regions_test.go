// Tests of the figure by region.

package command

import (
	"fmt"
	"testing"

	"repscope/analysis/sequence"
	"repscope/internal/runtest"
	"repscope/measure/token"
	"repscope/plots"
	"repscope/report"
)

// madeRegions is a dataset of so many models with made scores by region; chains without scores are left
// out of all.
func madeRegions(models int, chains ...string) *sequence.DatasetResult {
	d := &sequence.DatasetResult{Name: "made", Blocks: "40 clusters"}
	for m := range models {
		r := sequence.ModelResult{Name: fmt.Sprintf("model_%d", m+1)}
		for region := token.HeavyFWR1; region <= token.LightFWR4; region++ {
			for _, chain := range chains {
				if region.String()[:1] != chain {
					continue
				}
				accuracy := 0.95 - 0.06*float64(m) - 0.03*float64(region%7)
				r.Object.Set(regionKey(region, "accuracy"), report.WithInterval(report.Number(accuracy), report.Between(accuracy-0.03, accuracy+0.03)))
				r.Object.Set(regionKey(region, "ppl"), report.WithInterval(report.Number(2/accuracy), report.Between(1.8/accuracy, 2.3/accuracy)))
			}
		}
		d.Models = append(d.Models, r)
	}
	return d
}

// The figure is drawn with one model and with twelve, of one chain and of two, and leaves out what nobody has.
// REPSCOPE_FIGURES names a folder where the files stay, to be looked at.
func TestRegionFigure(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		d     *sequence.DatasetResult
		tiles int
	}{
		"one": {madeRegions(1, "h", "l"), 4}, "twelve": {madeRegions(12, "h", "l"), 4},
		"light": {madeRegions(3, "l"), 2}, "many_light": {madeRegions(8, "l"), 2},
	} {
		f := regionFigure(c.d)
		if len(f.Tiles) != c.tiles {
			t.Errorf("%s: %d panels, want %d", name, len(f.Tiles), c.tiles)
		}
		if warnings, err := f.Warnings(); err != nil || len(warnings) > 0 {
			t.Errorf("%s: %v %q", name, err, warnings)
		}
		runtest.SaveFigure(t, "regions_"+name, f)
	}
	if f := regionFigure(madeRegions(2)); f != nil {
		t.Error("a figure of models without scores")
	}
	// Bars of both chains have one scale.
	f := regionFigure(madeRegions(2, "h", "l"))
	if a, b := f.Tiles[2].Panel.(*plots.GroupedBars).Y.Max, f.Tiles[3].Panel.(*plots.GroupedBars).Y.Max; a != b || a == 0 {
		t.Errorf("perplexities up to %g and %g", a, b)
	}
}
