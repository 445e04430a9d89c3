// Tests of the figure.

package command

import (
	"strings"
	"testing"

	"repscope/analysis/smoothness"
	"repscope/report"
)

// The caption says why there are no tests, and leaves out the number of independent pairs where it may not be used.
func TestCaption(t *testing.T) {
	t.Parallel()
	none := report.Undefined("one block is none")
	result := &smoothness.Result{Horizon: 1, PixelDistance: []float64{1, 2}, EffectivePairs: report.Number(2),
		Models:      []smoothness.Model{{Name: "a", Distance: []float64{1, 2}, Ratios: []float64{1, 1}}},
		Comparisons: []report.Comparison{{A: "a", B: "b", P: none, PHolm: none}}}
	for reliable, want := range map[bool]string{
		false: "2 of 2 pairs drawn; no tests: one block is none.",
		true:  "2 of 2 pairs drawn, effective number about 2; no tests: one block is none.",
	} {
		result.EffectiveReliable = reliable
		figure, err := Figure(result, 1)
		if err != nil {
			t.Fatal(err)
		}
		if strings.TrimSpace(figure.Footnote) != want {
			t.Errorf("caption %q, want %q", figure.Footnote, want)
		}
	}
}
