// Figures of tests, to be looked at.

package runtest

import (
	"os"
	"path/filepath"
	"testing"

	"repscope/plots"
)

// SaveFigure writes a figure as NAME.png to the folder that REPSCOPE_FIGURES names; without
// one it does nothing.
func SaveFigure(t *testing.T, name string, figure *plots.Figure) {
	t.Helper()
	folder := os.Getenv("REPSCOPE_FIGURES")
	if folder == "" {
		return
	}
	out, err := os.Create(filepath.Join(folder, name+".png"))
	if err != nil {
		t.Fatal(err)
	}
	if err := figure.Render(out, "png"); err != nil {
		t.Error(err)
	}
	if err := out.Close(); err != nil {
		t.Error(err)
	}
}
