// The table of regions and origins against plain loops.

package metrics

import (
	"math"
	"testing"

	"repscope/analysis/sequence"
	"repscope/measure/measuretest"
	"repscope/measure/token"
)

func TestRegionGermline(t *testing.T) {
	t.Parallel()
	c := tokenCases(t)[sequence.RegionLevel]
	seen := 0.0
	for _, row := range rowsOf(t, c.ModelResult, "region_germline") {
		origin := map[any]int8{"germline": 0, "nongermline": 1}[row["origin"]]
		of := func(p scoredResidue) bool {
			for _, g := range token.Groups() {
				if g.Name == row["region"] {
					return g.Has(p.Regions[p.Position], p.NonTemplated[p.Position]) && p.NonTemplated[p.Position] == origin
				}
			}
			return false
		}
		accuracy, n := c.mean(of, correctOf)
		nll, _ := c.mean(of, nllOf)
		prob, _ := c.mean(of, probOf)
		if row["count"] != float64(n) {
			t.Errorf("%v %v has %v predictions, want %d", row["region"], row["origin"], row["count"], n)
		}
		measuretest.Near(t, "accuracy", row["accuracy"].(float64), accuracy, 1e-12)
		measuretest.Near(t, "loss", row["loss"].(float64), nll, 1e-12)
		measuretest.Near(t, "ppl", row["ppl"].(float64), math.Exp(nll), 1e-12)
		measuretest.Near(t, "prob", row["prob"].(float64), prob, 1e-12)
		if row["region"] == "overall" {
			seen += row["count"].(float64)
		}
	}
	if int(seen) != len(c.scored) {
		t.Errorf("%v residues of both origins, want %d", seen, len(c.scored))
	}
}
