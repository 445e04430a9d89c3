// The layout of the published results: {checkpoint, metrics}.

package command

import (
	"repscope/analysis/generation"
	"repscope/report"
)

// documentedKeys are the published numbers of a metric, and the numbers of every label.
type documentedKeys struct {
	name   string // of the metric
	keys   []string
	labels string // the key of what belongs to labels
	each   []string
}

// documentedMetrics are those that were published, by our names.
var documentedMetrics = map[string]documentedKeys{
	"reconstruction": {"reconstruction", []string{"mean_iou", "std_iou", "per_channel_iou", "per_grade_iou",
		"num_samples", "threshold"},
		"per_grade_iou", []string{"mean_iou", "std_iou", "num_samples"}},
	"diversity": {"diversity", []string{"overall_mean_diversity", "overall_std_diversity", "overall_uniqueness_ratio",
		"per_grade"},
		"per_grade", []string{"mean_diversity", "std_diversity", "unique_problems", "total_valid", "uniqueness_ratio"}},
	"similarity": {"statistical", []string{"overall_mean_distance", "per_grade", "per_statistic"},
		"per_grade", []string{"wasserstein_distances", "mean_distance", "num_generated", "num_real"}},
	"clusters": {"latent_space", []string{"silhouette_score", "latent_mean", "latent_std", "grade_separation",
		"grade_separation_std", "num_grades", "num_samples",
		"latent_dim", "per_grade_centroids"}, "per_grade_centroids", []string{"mean", "std", "count"}},
	"conditioning": {"grade_conditioning", []string{"overall_exact_accuracy", "overall_tolerance_1_accuracy",
		"per_grade", "warnings"},
		"per_grade", []string{"exact_accuracy", "tolerance_1_accuracy", "num_valid", "num_generated"}},
}

// documentedObject is the published layout of one of the generators, whose name stands for its checkpoint.
func documentedObject(r *generation.Result, m *generation.Model, models report.Object) *report.Object {
	var all, metrics report.Object
	model, _ := models.Get(m.Name)
	part := model.(report.Object)
	for _, name := range r.Metrics {
		keys, published := documentedMetrics[name]
		if !published {
			continue
		}
		value, _ := part.Get(name)
		metric, _ := value.(report.Object)
		if name == "conditioning" {
			if own, ok := metric.Get("documented"); ok {
				metric = own.(report.Object)
			}
		}
		metrics.Set(keys.name, keys.of(metric, m.Similarity))
	}
	all.Set("checkpoint", m.Name)
	all.Set("metrics", metrics)
	return &all
}

// of are the published ones among the numbers of a metric; a metric that was skipped says why.
func (d *documentedKeys) of(metric report.Object, similarity *generation.Similarity) report.Object {
	if _, skipped := metric.Get("skipped"); skipped {
		return metric
	}
	out := picked(metric, d.keys...)
	for _, key := range out.Keys() {
		value, _ := out.Get(key)
		part, ok := value.(report.Object)
		if !ok {
			continue
		}
		switch key {
		case d.labels:
			part = d.ofLabels(part, similarity)
		case "per_statistic":
			part = picked(part, publishedStatistics(similarity)...)
			for _, name := range part.Keys() {
				v, _ := part.Get(name)
				part.Set(name, picked(v.(report.Object), "mean", "std", "min", "max", "generated_mean", "generated_std",
					"real_mean", "real_std"))
			}
		default:
			part = picked(part, part.Keys()...)
		}
		out.Set(key, part)
	}
	return out
}

// ofLabels are the published numbers of labels; those that were left out are not among them.
func (d *documentedKeys) ofLabels(labels report.Object, similarity *generation.Similarity) report.Object {
	var out report.Object
	for _, name := range labels.Keys() {
		value, _ := labels.Get(name)
		label := value.(report.Object)
		if _, skipped := label.Get("skipped"); skipped {
			continue
		}
		part := picked(label, d.each...)
		if distances, ok := part.Get("wasserstein_distances"); ok {
			part.Set("wasserstein_distances", picked(distances.(report.Object), publishedStatistics(similarity)...))
		}
		out.Set(name, part)
	}
	return out
}

// publishedStatistics are the names of the statistics that make up mean distances.
func publishedStatistics(s *generation.Similarity) []string {
	var names []string
	for _, statistic := range s.ByLabel[0].Statistics {
		if statistic.Published {
			names = append(names, statistic.Name)
		}
	}
	return names
}

// picked are some members of an object, in the order of the keys, numbers without their intervals.
func picked(o report.Object, keys ...string) (out report.Object) {
	for _, key := range keys {
		value, ok := o.Get(key)
		if e, estimated := value.(report.Estimate); estimated {
			value = e.Value
		}
		if ok {
			out.Set(key, value)
		}
	}
	return out
}
