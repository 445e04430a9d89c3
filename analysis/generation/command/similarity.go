// How similarity is written.

package command

import (
	"cmp"
	"fmt"
	"math"

	"repscope/analysis/generation"
	"repscope/report"
)

// similarityLayout is how it is written.
var similarityLayout = layout{
	metric: "similarity", tier: "high", summary: "distance between the statistics of generated and real " +
		"samples", target: "distance < 0.1",
	object:         func(m *generation.Model, names labels) *report.Object { return similarityObject(m.Similarity, names) },
	interpretation: func(m *generation.Model) string { return similarityInterpretation(m.Similarity) },
	tables:         similarityTables,
	file:           "generation_similarity.csv",
	columns: []string{"Model", "Label", "Statistic", "Wasserstein", "Wasserstein_Low", "Wasserstein_High", "Scaled", "KS", "KS_P", "KS_P_Holm",
		"Baseline_Mean", "Baseline_Low", "Baseline_High", "Generated_Mean", "Generated_Std", "Real_Mean", "Real_Std", "Num_Generated", "Num_Real"},
	rows: similarityRows,
}

func similarityInterpretation(s *generation.Similarity) string {
	reachable := "no baseline of real samples"
	if !math.IsNaN(s.Expected) {
		reachable = fmt.Sprintf("a perfect generator has about %.3g at this sample size, estimated from two random "+
			"halves of the real samples", s.Expected)
	}
	return fmt.Sprintf("Lower is better, 0 for equal distributions, in the units of the statistics; %s; published target: mean distance < 0.1 (%s).",
		reachable, met(s.Overall.Value.Float() < 0.1))
}

// similarityObject is the part of the result file.
func similarityObject(s *generation.Similarity, names labels) *report.Object {
	var o, statistics report.Object
	o.Set("overall_mean_distance", s.Overall.Estimate)
	o.Set("overall_mean_distance_scaled", s.Scaled.Estimate)
	o.Set("baseline_mean_distance", report.NumberOr(s.Baseline, "no label has a baseline"))
	o.Set("expected_of_perfect", report.NumberOr(s.Expected, "no label has a baseline"))
	for _, statistic := range s.Statistics {
		var part report.Object
		part.Set("mean", report.Number(statistic.Mean))
		part.Set("std", report.Number(statistic.SD))
		part.Set("min", report.Number(statistic.Min))
		part.Set("max", report.Number(statistic.Max))
		setMoments(statistic.Generated, &part, "generated")
		setMoments(statistic.Real, &part, "real")
		part.Set("mean_scaled", report.NumberOr(statistic.Scaled, "the real values do not vary for any label"))
		part.Set("baseline_mean", report.NumberOr(statistic.Baseline, "no label has a baseline"))
		part.Set("inside_real_range", report.Number(statistic.Inside))
		statistics.Set(statistic.Name, part)
	}
	o.Set("per_statistic", statistics)
	setJointMeans(s, &o)
	if s.Labeled {
		o.Set("per_grade", byLabel(names, s.ByLabel, func(l *generation.LabelSimilarity) int { return l.Label }, labelSimilarityObject, s.Left))
	} else {
		o.Set("per_grade", report.Object{})
		o.Set("all", *labelSimilarityObject(&s.ByLabel[0]))
	}
	o.Set("num_grades", len(s.ByLabel))
	o.Set("definition", s.Definition)
	return &o
}

func setMoments(m generation.Moments, o *report.Object, key string) {
	o.Set(key+"_mean", report.Number(m.Mean))
	o.Set(key+"_std", report.Number(m.SD))
}

func labelSimilarityObject(l *generation.LabelSimilarity) *report.Object {
	var o, distances, statistics report.Object
	for _, of := range l.Statistics {
		distances.Set(of.Name, of.Distance.Value)
		statistics.Set(of.Name, *statisticObject(&of))
	}
	o.Set("wasserstein_distances", distances)
	o.Set("mean_distance", l.Mean.Estimate)
	o.Set("mean_distance_scaled", l.Scaled.Estimate)
	o.Set("baseline", *baselineObject(&l.Baseline))
	o.Set("num_generated", l.Generated)
	o.Set("num_real", l.Real)
	o.Set("statistics", statistics)
	setJoint(&l.Joint, &o)
	return &o
}

func statisticObject(d *generation.StatisticDistance) *report.Object {
	var o, ks report.Object
	setMoments(d.Generated, &o, "generated")
	setMoments(d.Real, &o, "real")
	o.Set("wasserstein", d.Distance.Estimate)
	o.Set("wasserstein_scaled", d.Scaled.Estimate)
	ks.Set("statistic", report.Number(d.KS.Statistic))
	ks.Set("p", report.NumberOr(d.KS.P, d.KS.Reason))
	ks.Set("p_holm", report.NumberOr(d.KSHolm, d.KS.Reason))
	grouped := cmp.Or(d.KS.Reason, "samples of a group depend on each other")
	ks.Set("p_without_ties", report.NumberOr(d.KS.PContinuous, grouped))
	ks.Set("ties", d.KS.Ties)
	ks.Set("exact", d.KS.Exact)
	o.Set("ks", ks)
	o.Set("baseline", *baselineObject(&d.Baseline))
	o.Set("inside_real_range", report.Number(d.Boundaries.Inside))
	return &o
}

func baselineObject(b *generation.Baseline) *report.Object {
	var o report.Object
	o.Set("mean", report.NumberOr(b.Mean, b.Reason))
	o.Set("range", report.Between(b.Low, b.High))
	if b.Reason != "" {
		o.Set("range", report.NoInterval("%s", b.Reason))
		return &o
	}
	o.Set("sizes", b.Sizes[:])
	o.Set("reduced", b.Reduced)
	o.Set("expected_of_perfect", report.NumberOr(b.Expected, "undefined for all splits"))
	return &o
}

func similarityTables(r *generation.Result) []*report.Table {
	header := []string{"Generator", "Mean distance", "In SD", "Real against real", "Perfect", "Energy p", "MMD p", "Labels"}
	t := report.NewTable("Similarity (Wasserstein distance)", header...)
	var each *report.Table
	for i := range r.Models {
		similarity := r.Models[i].Similarity
		if similarity == nil {
			continue
		}
		energy, mmd := similarity.SmallestP()
		t.Row(r.Models[i].Name, similarity.Overall.Estimate, similarity.Scaled.Value,
			report.NumberOr(similarity.Baseline, "no baseline"), report.NumberOr(similarity.Expected,
				"no baseline"), energy, mmd, len(similarity.ByLabel))
		if each == nil {
			columns := []string{"Generator"}
			for _, s := range similarity.Statistics {
				columns = append(columns, s.Name)
			}
			each = report.NewTable("Distance by statistic (mean over labels; in brackets real against real)", columns...)
		}
		cells := []any{r.Models[i].Name}
		for _, s := range similarity.Statistics {
			cell := fmt.Sprintf("%.4g", s.Mean)
			if !math.IsNaN(s.Baseline) {
				cell += fmt.Sprintf(" (%.4g)", s.Baseline)
			}
			cells = append(cells, cell)
		}
		each.Row(cells...)
	}
	t.Note("Real against real: two random halves of the real samples; perfect: expected for two real samples of these sizes; p: the smallest over labels (Holm)")
	return []*report.Table{t, each}
}

func similarityRows(m *generation.Model, names labels, row func(cells ...any) error) error {
	if m.Similarity == nil {
		return nil
	}
	for _, l := range m.Similarity.ByLabel {
		name := "all"
		if m.Similarity.Labeled {
			name = names.name(l.Label)
		}
		for _, s := range l.Statistics {
			ends := ends(s.Distance.CI)
			base := [3]report.Value{}
			for k, v := range []float64{s.Baseline.Mean, s.Baseline.Low, s.Baseline.High} {
				base[k] = report.NumberOr(v, s.Baseline.Reason)
			}
			err := row(m.Name, name, s.Name, s.Distance.Value, ends[0], ends[1], s.Scaled.Value, s.KS.Statistic,
				report.NumberOr(s.KS.P, s.KS.Reason), report.NumberOr(s.KSHolm, s.KS.Reason), base[0], base[1], base[2],
				s.Generated.Mean, s.Generated.SD, s.Real.Mean, s.Real.SD, l.Generated, l.Real)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// setJointMeans enters means over labels and the smallest p values.
func setJointMeans(s *generation.Similarity, o *report.Object) {
	energy, mmd := s.SmallestP()
	energies, mmds, trends, trendBaselines := s.JointMeans()
	o.Set("mean_energy_distance", report.NumberOr(energies, "no label has one"))
	o.Set("energy_p_holm", report.Value(energy))
	o.Set("mean_mmd_squared", report.NumberOr(mmds, "no label has one"))
	o.Set("mmd_p_holm", report.Value(mmd))
	o.Set("column_pair_similarity", report.NumberOr(trends, "fewer than two statistics vary"))
	o.Set("column_pair_baseline", report.NumberOr(trendBaselines, "no label has a baseline"))
}

// setJoint enters the joint numbers of one label.
func setJoint(j *generation.JointDistance, o *report.Object) {
	var trends, pairs report.Object
	o.Set("energy_distance", *testedObject(&j.Energy))
	mmd := testedObject(&j.MMD)
	mmd.Set("bandwidth", report.NumberOr(j.Bandwidth, j.MMD.Reason))
	o.Set("mmd_squared", *mmd)
	o.Set("num_tested", j.Samples[:])
	for _, t := range j.Pairs {
		var part report.Object
		part.Set("generated", report.NumberOr(t.Generated, "a statistic is constant"))
		part.Set("real", report.NumberOr(t.Real, "a statistic is constant"))
		part.Set("similarity", report.NumberOr(t.Similarity, "a statistic is constant"))
		pairs.Set(t.First+" "+t.Second, part)
	}
	trends.Set("similarity", report.NumberOr(j.Trends, "fewer than two statistics vary"))
	trends.Set("baseline", *baselineObject(&j.TrendsBaseline))
	trends.Set("pairs", pairs)
	o.Set("column_pair_trends", trends)
}

func testedObject(t *generation.Tested) *report.Object {
	var o report.Object
	o.Set("value", report.NumberOr(t.Value, t.Reason))
	o.Set("p", report.NumberOr(t.P, t.Reason))
	o.Set("p_holm", report.NumberOr(t.Holm, t.Reason))
	return &o
}
