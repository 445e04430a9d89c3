// The metric similarity.

package generation

import "repscope/report"

// Similarity is how near the statistics of generated samples are to those of real ones.
type Similarity struct{ N int }

// similarityMetric is its row of the registry.
var similarityMetric = Metric{
	Name: "similarity", Aliases: []string{"statistical"}, Tier: High,
	Summary: "how near the statistics of generated samples are to those of real ones", Target: "distance < 0.1", Needs: []Need{needReference},
	object: func(*Model, labels) *report.Object { return &report.Object{} },
}
