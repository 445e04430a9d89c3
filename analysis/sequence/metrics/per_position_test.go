// Scores by position in the chain against plain loops.

package metrics

import (
	"fmt"
	"testing"

	"repscope/measure/measuretest"
)

func TestPerPosition(t *testing.T) {
	t.Parallel()
	for mode, c := range tokenCases(t) {
		place := func(p scoredResidue) string {
			n := 0
			for i := range p.Position + 1 {
				if p.Chains[i] == p.Chains[p.Position] && !p.Special[i] {
					n++
				}
			}
			return fmt.Sprintf("%c%d", "HL"[p.Chains[p.Position]], n)
		}
		total := 0.0
		for _, row := range rowsOf(t, c.ModelResult, "per_position") {
			of := func(p scoredResidue) bool { return place(p) == row["position"] }
			accuracy, n := c.mean(of, correctOf)
			nll, _ := c.mean(of, nllOf)
			prob, _ := c.mean(of, probOf)
			if row["count"] != float64(n) {
				t.Fatalf("%s: %v has %v predictions, want %d", mode, row["position"], row["count"], n)
			}
			measuretest.Near(t, "accuracy", row["accuracy"].(float64), accuracy, 1e-12)
			measuretest.Near(t, "loss", row["loss"].(float64), nll, 1e-9) // added up in steps of 2⁻³²
			measuretest.Near(t, "prob", row["prob"].(float64), prob, 1e-9)
			total += row["count"].(float64)
		}
		if int(total) != len(c.scored) {
			t.Errorf("%s: %v predictions in the table, want %d", mode, total, len(c.scored))
		}
	}
}
