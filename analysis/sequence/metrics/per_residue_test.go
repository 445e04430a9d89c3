// Scores by residue against plain loops.

package metrics

import (
	"testing"

	"repscope/analysis/sequence"
	"repscope/measure/measuretest"
	"repscope/measure/token"
)

func TestPerResidue(t *testing.T) {
	t.Parallel()
	c := tokenCases(t)[sequence.RegionStandard]
	balanced, residues := 0.0, 0
	total := 0
	for _, row := range rowsOf(t, c.ModelResult, "per_residue") {
		of := func(p scoredResidue) bool { return token.Antibody().Names[p.Target] == row["residue"] }
		accuracy, n := c.mean(of, correctOf)
		predicted := 0
		for _, p := range c.scored {
			if token.Antibody().Names[p.Predicted] == row["residue"] {
				predicted++
			}
		}
		if row["count"] != float64(n) || row["predicted"] != float64(predicted) {
			t.Errorf("%v: %v residues, %v predicted, want %d and %d", row["residue"], row["count"], row["predicted"], n, predicted)
		}
		if n == 0 {
			if row["accuracy"] != nil || row["loss"] != nil {
				t.Errorf("%v is never true, and scored", row["residue"])
			}
			continue
		}
		nll, _ := c.mean(of, nllOf)
		prob, _ := c.mean(of, probOf)
		measuretest.Near(t, "accuracy", row["accuracy"].(float64), accuracy, 1e-12)
		measuretest.Near(t, "loss", row["loss"].(float64), nll, 1e-12)
		measuretest.Near(t, "prob", row["prob"].(float64), prob, 1e-12)
		balanced, residues, total = balanced+accuracy, residues+1, total+n
	}
	c.check(t, "residue_balanced_acc", balanced/float64(residues))
	if total != len(c.scored) {
		t.Errorf("%d predictions in the table, want %d", total, len(c.scored))
	}
}
