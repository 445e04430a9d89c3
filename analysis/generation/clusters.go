// The metric clusters.

package generation

import "repscope/report"

// Clusters is how labels are arranged among the latents.
type Clusters struct{ N int }

// clustersMetric is its row of the registry.
var clustersMetric = Metric{
	Name: "clusters", Aliases: []string{"latent_space"}, Tier: Medium,
	Summary: "how labels are arranged among the latents", Target: "silhouette > 0.2", Needs: []Need{needLatents},
	object: func(*Model, labels) *report.Object { return &report.Object{} },
}
