// The metric conditioning.

package generation

import "repscope/report"

// Conditioning is whether a classifier finds in samples the label that they were made for.
type Conditioning struct{}

// conditioningMetric is its row of the registry.
var conditioningMetric = Metric{
	Name: "conditioning", Aliases: []string{"grade_conditioning"}, Tier: Low,
	Summary: "whether a classifier finds in samples the label that they were made for", Target: "", Needs: []Need{needPredictions},
	object: func(*Model, labels) *report.Object { return &report.Object{} },
}
