// Tests of scores per sample in the order of a file.

package compare

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Rows that follow each other, with a group each, are not tested as if they were independent; independent rows are.
func TestNeighborsAreAlike(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 1))
	models := []string{"a", "b", "c"}
	table := func(rho float64) string {
		var rows strings.Builder
		rows.WriteString("model,sample,group,rmse\n")
		for _, model := range models {
			x := 0.0
			for i := range 600 {
				x = rho*x + random.NormFloat64()
				fmt.Fprintf(&rows, "%s,%d,%d,%g\n", model, i, i, 10+x)
			}
		}
		path := filepath.Join(t.TempDir(), "s.csv")
		if err := os.WriteFile(path, []byte(rows.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	width := func(r *Result, x int) float64 {
		ci := r.Table[0].Cells[x].of.interval
		return ci.High - ci.Low
	}
	var widths [2]float64
	for k, rho := range []float64{0, 0.9} {
		r, err := compared(t, Options{Baseline: "a"}, table(rho))
		if err != nil {
			t.Fatal(err)
		}
		widths[k] = width(r, 0)
		warned := strings.Contains(strings.Join(r.Warnings, "\n"), "neighboring samples are alike")
		if warned != (rho > 0) {
			t.Errorf("ρ of %g: warnings %q", rho, r.Warnings)
		}
		for x, cell := range r.Table[0].Cells[1:] {
			if (cell.P != nil && cell.P.Defined()) == (rho > 0) || cell.Best || (cell.BestP != nil) == (rho > 0) {
				t.Errorf("ρ of %g, model %s: p %v, best %v with %v", rho, models[x+1], cell.P, cell.Best, cell.BestP)
			}
		}
	}
	r, err := compared(t, Options{Baseline: "a", Independent: true}, table(0.9))
	if err != nil || !r.Table[0].Cells[1].P.Defined() {
		t.Errorf("with --independent: %v, p %v", err, r.Table[0].Cells[1].P)
	}
	if widths[1] < 5*widths[0] { // the mean of many rows with ρ of 0.9 varies 1/(1−ρ) = 10 times as much
		t.Errorf("widths %v: rows that follow each other should have wider intervals", widths)
	}
}
