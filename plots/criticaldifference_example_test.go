// A critical-difference diagram in a plot of gonum's.

package plots_test

import (
	"log"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"repscope/plots"
)

// Average ranks of five models. The second group has a gap: pixel_pca differs from
// dqn, which jepa and encoder_decoder do not.
func ExampleCriticalDifference() {
	panel := &plots.CriticalDifference{
		X: plots.Axis{Label: "Average rank over 8 tasks (1 is best)"},
		Models: []plots.RankedModel{
			{Name: "encoder_decoder", Rank: 2.12}, {Name: "jepa", Rank: 1.5}, {Name: "dqn", Rank: 3.69},
			{Name: "pixel_pca", Rank: 2.94}, {Name: "random", Rank: 4.75},
		},
		Groups: [][]string{{"jepa", "encoder_decoder", "pixel_pca"}, {"encoder_decoder", "dqn"}},
	}
	p := plot.New()
	if _, err := plots.Add(p, nil, panel); err != nil {
		log.Fatal(err)
	}
	if err := p.Save(89*vg.Millimeter, 30*vg.Millimeter, filepath.Join(exampleFolder, "criticaldifference.png")); err != nil {
		log.Fatal(err)
	}
}
