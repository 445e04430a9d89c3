// The metric diversity.

package generation

import "repscope/report"

// Diversity is how different generated samples are from each other and from real ones.
type Diversity struct{}

// diversityMetric is its row of the registry.
var diversityMetric = Metric{
	Name: "diversity", Tier: High,
	Summary: "how different generated samples are from each other and from real ones", Target: "> 80 % unique", Needs: []Need{needGenerated},
	object: func(*Model, labels) *report.Object { return &report.Object{} },
}
