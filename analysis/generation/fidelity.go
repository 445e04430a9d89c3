// The metric fidelity.

package generation

import "repscope/report"

// Fidelity is precision, recall, density, coverage and memorization by nearest neighbors.
type Fidelity struct{ N int }

// fidelityMetric is its row of the registry.
var fidelityMetric = Metric{
	Name: "fidelity", Tier: Medium,
	Summary: "precision, recall, density, coverage and memorization by nearest neighbors", Target: "", Needs: []Need{needReference},
	object: func(*Model, labels) *report.Object { return &report.Object{} },
}
