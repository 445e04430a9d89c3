// The metric reconstruction.

package generation

import "repscope/report"

// Reconstruction is how well samples are reconstructed.
type Reconstruction struct{}

// reconstructionMetric is its row of the registry.
var reconstructionMetric = Metric{
	Name: "reconstruction", Tier: High, Summary: "how well samples are reconstructed, by IoU of their cells", Target: "IoU > 0.7",
	Needs:  []Need{needReconstruction},
	object: func(*Model, labels) *report.Object { return &report.Object{} },
}
