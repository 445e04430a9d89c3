// A table in a plot of gonum's.

package plots_test

import (
	"log"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"repscope/plots"
)

// A table in place of a plot's data; series fixes the keys' styles.
func ExampleTable() {
	panel := &plots.Table{
		Header: []string{"Model", "R^{2}", "Slope"},
		Keys:   true,
		Rows: [][]string{
			{"jepa", "0.93", plots.Number(1.2e-5, 2)},
			{"pixel_pca", "0.81", plots.Number(-3e-4, 2)},
		},
	}
	p := plot.New()
	if _, err := plots.Add(p, []string{"pixel_pca", "jepa"}, panel); err != nil {
		log.Fatal(err)
	}
	if err := p.Save(60*vg.Millimeter, 25*vg.Millimeter, filepath.Join(exampleFolder, "table.png")); err != nil {
		log.Fatal(err)
	}
}
