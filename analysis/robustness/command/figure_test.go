// Tests of the figures and of the console.

package command

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"repscope/analysis/robustness"
	"repscope/plots"
	"repscope/report"
)

// The second figure has the raw curve and the raw distances of up to four levels above 0, first and last
// among them.
func TestDistancesFigure(t *testing.T) {
	r := &robustness.Result{Corruption: "gaussian", Unit: "Noise", Models: []robustness.Model{{Name: "a", RMSDistance: report.Estimate{Value: report.Number(4)}}}}
	for i := range 7 {
		mean := 2 * float64(i)
		r.Models[0].Levels = append(r.Models[0].Levels, robustness.Level{Sigma: float64(i), Mean: report.WithInterval(report.Number(mean), report.Between(mean, mean+1))})
		r.Models[0].Distances = append(r.Models[0].Distances, []float64{mean, mean + 1, mean + 2})
	}
	figure := DistancesFigure(r)
	if err := figure.Render(&bytes.Buffer{}, "svg"); err != nil {
		t.Fatal(err)
	}
	if y := figure.Tiles[0].Panel.(*plots.Curves).Series[0].Y; !slices.Equal(y, []float64{0, 2, 4, 6, 8, 10, 12}) {
		t.Errorf("curve %v", y)
	}
	var titles []string
	for _, tile := range figure.Tiles[1:] {
		titles = append(titles, tile.Title)
	}
	if want := []string{"Distances at level 1", "Distances at level 2", "Distances at level 4", "Distances at level 6"}; !slices.Equal(titles, want) {
		t.Errorf("box plots %q, want %q", titles, want)
	}
	if v := figure.Tiles[4].Panel.(*plots.BoxPlot).Boxes[0].Values; !slices.Equal(v, []float64{12, 13, 14}) {
		t.Errorf("last box %v", v)
	}
}

// The caption says what was deleted and why nothing was tested; a collapsed model has one reason for all its curves.
func TestFigure(t *testing.T) {
	constant := report.Undefined("the points are constant")
	level := robustness.Level{Sigma: 0.1, RelativeMean: report.Estimate{Value: constant}, FlipRate: report.NoEstimate("all clean latents are equal")}
	r := &robustness.Result{Corruption: "gaussian", Unit: "Noise", CompareLevel: 0.1, Blocks: "12 blocks (moving blocks of 10)",
		Models:      []robustness.Model{{Name: "flat", Levels: []robustness.Level{level}, Distances: [][]float64{{0}}, RMSDistance: report.Estimate{Value: constant}}},
		Comparisons: []report.Comparison{{P: report.Undefined("one episode")}}}
	figure := Figure(r, true)
	mean, flips := figure.Tiles[0].Panel.(*plots.Curves), figure.Tiles[2].Panel.(*plots.Curves)
	if a, b := mean.Series[0].Reason, flips.Series[0].Reason; a != b || a != "collapsed: the points are constant" {
		t.Errorf("the reasons %q and %q for one collapse", a, b)
	}
	if note := figure.Footnote; !strings.Contains(note, "No tests: one episode") || !strings.Contains(note, "jackknife over 12 blocks (moving blocks of 10)") {
		t.Errorf("caption %q", note)
	}
}

// The console has the comparisons of relative_mean at the compared level alone, and all others.
func TestShown(t *testing.T) {
	r := &robustness.Result{CompareLevel: 0.1}
	for _, metric := range []string{"relative_mean at 0.1", "relative_mean at 0.2", "auc_relative", "curve_slope"} {
		r.Comparisons = append(r.Comparisons, report.Comparison{Metric: metric})
	}
	if shown := shown(r); len(shown) != 3 || shown[0].Metric != "relative_mean at 0.1" || shown[1].Metric != "auc_relative" {
		t.Errorf("shown: %+v", shown)
	}
}
