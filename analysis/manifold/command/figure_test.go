// Tests of the figure and the console.

package command

import (
	"testing"

	"repscope/analysis/manifold"
	"repscope/plots"
	"repscope/report"
)

// Console and panel c show the same usage: the corrected ratio in percent of the nominal dimension.
func TestUsage(t *testing.T) {
	t.Parallel()
	m := manifold.Model{Name: "a", NominalDimension: 64, ParticipationRatioCorrected: report.Estimate{Value: report.Number(16)}, UsagePercent: report.Estimate{Value: report.Number(20)}}
	if v := correctedUsage(&m); v.V != 25 {
		t.Errorf("usage %v, want 16 of 64 in percent", v)
	}
	for _, tile := range Figure(&manifold.Result{Models: []manifold.Model{m}}).Tiles {
		if tile.Title == "Usage" {
			if bar := tile.Panel.(*plots.Bars).Bars[0]; bar.Value != 25 {
				t.Errorf("panel c: %v", bar.Value)
			}
		}
	}
}
