// How diversity is written.

package command

import (
	"fmt"
	"strconv"

	"repscope/analysis/generation"
	"repscope/report"
)

// diversityLayout is how it is written.
var diversityLayout = layout{
	metric: "diversity", tier: "high", summary: "differences among generated samples, and from real " +
		"samples", target: "> 80 % unique",
	object:         func(m *generation.Model, names labels) *report.Object { return diversityObject(m.Diversity, names) },
	interpretation: func(m *generation.Model) string { return diversityInterpretation(m.Diversity) },
	tables:         diversityTables,
	file:           "generation_diversity.csv",
	columns: []string{"Model", "Label", "Mean_Diversity", "Mean_Diversity_Low", "Mean_Diversity_High", "Std_Diversity",
		"Jaccard_Distance", "Ceiling", "Of_Ceiling", "Uniqueness_Ratio", "Unique_Count", "Novelty", "Nearest_Jaccard", "Valid_Count", "Generated_Count", "Reason"},
	rows: diversityRows,
}

func diversityObject(d *generation.Diversity, names labels) *report.Object {
	var o report.Object
	o.Set("overall_mean_diversity", d.OverallMean.Estimate)
	o.Set("overall_std_diversity", report.Number(d.OverallSD))
	o.Set("overall_uniqueness_ratio", d.OverallUniqueness.Estimate)
	o.Set("pooled_uniqueness_ratio", d.PooledUniqueness.Estimate)
	o.Set("unique_problems", d.Unique)
	o.Set("mean_jaccard_distance", d.Jaccard.Estimate)
	o.Set("ceiling", report.Number(d.Ceiling))
	o.Set("diversity_of_ceiling", d.OfCeiling.Estimate)
	o.Set("int_div_1", d.IntDiv1)
	o.Set("int_div_2", d.IntDiv2)
	var rows []report.Object
	for _, u := range d.UniqueAt {
		var row report.Object
		row.SetParameter("k", u.K)
		row.Set("unique", report.WithInterval(report.Number(u.Share), u.CI))
		rows = append(rows, row)
	}
	o.Set("unique_at", rows)
	var curve []report.Object
	for _, u := range d.Rarefaction {
		var row report.Object
		row.SetParameter("k", u.K)
		row.Set("distinct", report.Number(u.Share))
		curve = append(curve, row)
	}
	o.Set("rarefaction", curve)
	o.Set("validity_rate", d.Validity.Estimate)
	o.Set("total_valid", d.Valid)
	o.Set("total_generated", d.Generated)
	o.Set("left_out", len(d.LeftOut))
	if len(d.LeftOut) > 0 {
		var reasons report.Object
		for _, b := range d.LeftOut {
			reasons.Set(strconv.Itoa(b.Index), b.Reason)
		}
		o.Set("left_out_reasons", reasons)
	}
	o.Set("validity_disagreements", d.Disagreements)
	var warned report.Object
	for _, w := range d.Warned {
		warned.Set(w.What, w.Count)
	}
	o.Set("unusual", warned)
	if n := d.Novelty; n != nil {
		o.Set("novelty", n.Share.Estimate)
		o.Set("mean_nearest_jaccard", n.Nearest.Estimate)
		o.Set("valid_unique_novel", n.Joint.Estimate)
		o.Set("co_occurrence_distance", n.CoOccurrence)
		o.Set("co_occurrence_baseline", n.Baseline)
		o.Set("num_real", n.Real)
	}
	o.Set("per_grade", byLabel(names, d.ByLabel, func(l *generation.LabelDiversity) int { return l.Label }, labelDiversityObject, d.Left))
	return &o
}

func labelDiversityObject(l *generation.LabelDiversity) *report.Object {
	var o report.Object
	o.Set("mean_diversity", l.Mean.Estimate)
	o.Set("std_diversity", report.Number(l.SD))
	o.Set("unique_problems", l.Unique)
	o.Set("total_valid", l.Valid)
	o.Set("uniqueness_ratio", l.Uniqueness.Estimate)
	o.Set("mean_jaccard_distance", l.Jaccard.Estimate)
	o.Set("std_jaccard_distance", report.Number(l.JaccardSD))
	o.Set("ceiling", report.Number(l.Ceiling))
	o.Set("diversity_of_ceiling", l.OfCeiling.Estimate)
	if l.HasReal {
		o.Set("novelty", l.Novelty.Estimate)
		o.Set("mean_nearest_jaccard", l.NearestJaccard.Estimate)
	}
	o.Set("total_generated", l.Generated)
	return &o
}

func diversityInterpretation(d *generation.Diversity) string {
	return fmt.Sprintf("Higher is more diverse. The largest mean Hamming distance for grids of these sizes is "+
		"%.4g, so the published target \"> 0.3\" is %s here; the samples reach %.4g of it. Published target: "+
		"more than 80 %% unique (%s).", d.Ceiling, possible(d.Ceiling > 0.3), d.OfCeiling.Value.Float(),
		met(d.OverallUniqueness.Value.Float() > 0.8))
}

func possible(yes bool) string {
	if yes {
		return "possible"
	}
	return "impossible"
}

func diversityTables(r *generation.Result) []*report.Table {
	t := report.NewTable("Diversity", "Generator",
		"Hamming", "of ceiling", "Jaccard", "Unique", "Valid", "Novel", "Valid, unique, novel", "Samples")
	for i := range r.Models {
		d := r.Models[i].Diversity
		if d == nil {
			continue
		}
		novel, joint := any(""), any("")
		if d.Novelty != nil {
			novel, joint = d.Novelty.Share.Estimate, d.Novelty.Joint.Estimate
		}
		t.Row(r.Models[i].Name, d.OverallMean.Estimate, d.OfCeiling.Estimate, d.Jaccard.Estimate,
			d.OverallUniqueness.Estimate, d.Validity.Estimate, novel, joint, d.Generated)
	}
	t.Note("Hamming and Jaccard: mean distance between valid samples of a label, mean over labels; of ceiling: share of the largest possible Hamming distance")
	return []*report.Table{t}
}

func diversityRows(m *generation.Model, names labels, row func(cells ...any) error) error {
	d := m.Diversity
	if d == nil {
		return nil
	}
	novelty, nearest := report.NoEstimate("%s", ""), report.NoEstimate("%s", "")
	if d.Novelty != nil {
		novelty, nearest = d.Novelty.Share.Estimate, d.Novelty.Nearest.Estimate
	}
	mean := ends(d.OverallMean.CI)
	if err := row(m.Name, "", d.OverallMean.Value, mean[0], mean[1], d.OverallSD, d.Jaccard.Value, d.Ceiling, d.OfCeiling.Value, d.OverallUniqueness.Value, d.Unique,
		novelty.Value, nearest.Value, d.Valid, d.Generated, ""); err != nil {
		return err
	}
	for i := range d.ByLabel {
		l := &d.ByLabel[i]
		mean := ends(l.Mean.CI)
		if err := row(m.Name, names.name(l.Label), l.Mean.Value, mean[0], mean[1], l.SD, l.Jaccard.Value, l.Ceiling, l.OfCeiling.Value, l.Uniqueness.Value, l.Unique,
			l.Novelty.Value, l.NearestJaccard.Value, l.Valid, l.Generated, ""); err != nil {
			return err
		}
	}
	for _, s := range d.Left {
		if err := row(m.Name, names.name(s.Label), "", "", "", "", "", "", "", "", "", "", "", "", "", s.Reason); err != nil {
			return err
		}
	}
	return nil
}
