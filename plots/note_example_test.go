// A note in a plot of gonum's.

package plots_test

import (
	"log"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"repscope/plots"
)

// A note in place of a plot's data.
func ExampleText() {
	panel := &plots.Text{Body: "Retrieval flips count latents whose nearest clean latent is not their own: r^{2} = 0.93.\n\nλ_{1} ≥ λ_{2}"}
	p := plot.New()
	if _, err := plots.Add(p, nil, panel); err != nil {
		log.Fatal(err)
	}
	if err := p.Save(60*vg.Millimeter, 25*vg.Millimeter, filepath.Join(exampleFolder, "text.png")); err != nil {
		log.Fatal(err)
	}
}
