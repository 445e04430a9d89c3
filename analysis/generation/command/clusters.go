// How clusters are written.

package command

import (
	"fmt"

	"repscope/analysis/generation"
	"repscope/plots"
	"repscope/report"
)

// clustersLayout is how it is written.
var clustersLayout = layout{
	metric: "clusters", tier: "medium", summary: "arrangement of labels in latent space", target: "silhouette > 0.2",
	object:         func(m *generation.Model, names labels) *report.Object { return clustersObject(m.Clusters, names) },
	interpretation: func(m *generation.Model) string { return clustersInterpretation(m.Clusters) },
	tables:         clusterTables,
	file:           "generation_clusters.csv",
	columns:        []string{"model", "label", "count", "std", "silhouette"},
	rows: func(m *generation.Model, names labels, row func(cells ...any) error) error {
		if m.Clusters == nil {
			return nil
		}
		for _, l := range m.Clusters.ByLabel {
			if err := row(m.Name, names.name(l.Label), l.Count, l.Std, l.Silhouette); err != nil {
				return err
			}
		}
		return nil
	},
}

// clustersObject is the metric's part of the result file.
func clustersObject(c *generation.Clusters, names labels) *report.Object {
	o := &report.Object{}
	o.Set("silhouette_score", c.Silhouette.Estimate)
	o.Set("silhouette_score_shuffled", c.ShuffledSilhouette)
	o.Set("latent_mean", c.LatentMean.Estimate)
	o.Set("latent_std", c.LatentStd.Estimate)
	o.Set("grade_separation", c.Separation.Estimate)
	o.Set("grade_separation_std", c.SeparationStd)
	o.Set("grade_separation_shuffled", c.ShuffledSeparation)
	o.Set("spread", c.Spread)
	o.Set("grade_separation_scaled", c.SeparationScaled.Estimate)
	o.Set("davies_bouldin", c.DaviesBouldin.Estimate)
	o.Set("neighbors", generation.Neighbors)
	o.Set("neighbor_accuracy", c.Accuracy.Estimate)
	o.Set("neighbor_accuracy_chance", c.AccuracyChance)
	o.Set("neighbor_purity", c.Purity.Estimate)
	o.Set("neighbor_purity_chance", c.PurityChance)
	o.Set("label_spearman", c.Spearman.Estimate)
	o.Set("label_spearman_ceiling", c.SpearmanCeiling)
	o.Set("num_grades", c.Labels)
	o.Set("num_samples", c.Samples)
	o.Set("latent_dim", c.Dim)
	o.Set("per_grade_centroids", byLabel(names, c.ByLabel, func(l *generation.LabelCluster) int { return l.Label }, func(l *generation.LabelCluster) *report.Object {
		part := &report.Object{}
		part.Set("mean", l.Mean)
		part.Set("std", l.Std)
		part.Set("count", l.Count)
		part.Set("silhouette", l.Silhouette)
		return part
	}, nil))
	return o
}

func clustersInterpretation(c *generation.Clusters) string {
	if !c.Silhouette.Value.Defined() {
		return "No groups to evaluate: " + c.Silhouette.Value.Reason + "."
	}
	return fmt.Sprintf("Higher silhouettes are better, from −1 to 1; shuffled labels have %s. Ordered labels "+
		"without gaps between them stay far below 1. Published target: above "+
		"0.2.", plots.Number(c.ShuffledSilhouette.Float(), 2))
}

// clusterTables is the table of the console.
func clusterTables(r *generation.Result) []*report.Table {
	table := report.NewTable("Latent space", "Model", "Silhouette", "shuffled", "Separation / spread", "Davies–Bouldin",
		fmt.Sprintf("Accuracy, %d neighbors", generation.Neighbors), "chance", "Spearman ρ", "at most")
	for i := range r.Models {
		if c := r.Models[i].Clusters; c != nil {
			table.Row(r.Models[i].Name, c.Silhouette.Estimate, c.ShuffledSilhouette, c.SeparationScaled.Estimate,
				c.DaviesBouldin.Estimate,
				c.Accuracy.Estimate, c.AccuracyChance, c.Spearman.Estimate, c.SpearmanCeiling)
		}
	}
	return []*report.Table{table}
}
