// How diversity is written.

package generation

import (
	"fmt"
	"strconv"

	"repscope/report"
)

func (d *Diversity) object(names labels) *report.Object {
	var o report.Object
	d.OverallMean.set(&o, "overall_mean_diversity")
	o.Set("overall_std_diversity", report.Number(d.OverallSD))
	d.OverallUniqueness.set(&o, "overall_uniqueness_ratio")
	d.PooledUniqueness.set(&o, "pooled_uniqueness_ratio")
	o.Set("unique_problems", d.Unique)
	d.Jaccard.set(&o, "mean_jaccard_distance")
	o.Set("ceiling", report.Number(d.Ceiling))
	d.OfCeiling.set(&o, "diversity_of_ceiling")
	o.Set("int_div_1", d.IntDiv1)
	o.Set("int_div_2", d.IntDiv2)
	var at []report.Object
	for _, u := range d.UniqueAt {
		var row report.Object
		row.SetParameter("k", u.K)
		row.Set("unique", report.WithInterval(report.Number(u.Share), u.CI))
		at = append(at, row)
	}
	o.Set("unique_at", at)
	var curve []report.Object
	for _, u := range d.Rarefaction {
		var row report.Object
		row.SetParameter("k", u.K)
		row.Set("distinct", report.Number(u.Share))
		curve = append(curve, row)
	}
	o.Set("rarefaction", curve)
	d.Validity.set(&o, "validity_rate")
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
		n.Share.set(&o, "novelty")
		n.Nearest.set(&o, "mean_nearest_jaccard")
		n.Joint.set(&o, "valid_unique_novel")
		o.Set("co_occurrence_distance", n.CoOccurrence)
		o.Set("co_occurrence_baseline", n.Baseline)
		o.Set("num_real", n.Real)
	}
	o.Set("per_grade", byLabel(names, d.ByLabel, func(l *LabelDiversity) int { return l.Label }, (*LabelDiversity).object, d.Left))
	return &o
}

func (l *LabelDiversity) object() *report.Object {
	var o report.Object
	l.Mean.set(&o, "mean_diversity")
	o.Set("std_diversity", report.Number(l.SD))
	o.Set("unique_problems", l.Unique)
	o.Set("total_valid", l.Valid)
	l.Uniqueness.set(&o, "uniqueness_ratio")
	l.Jaccard.set(&o, "mean_jaccard_distance")
	o.Set("std_jaccard_distance", report.Number(l.JaccardSD))
	o.Set("ceiling", report.Number(l.Ceiling))
	l.OfCeiling.set(&o, "diversity_of_ceiling")
	if l.HasReal {
		l.Novelty.set(&o, "novelty")
		l.NearestJaccard.set(&o, "mean_nearest_jaccard")
	}
	o.Set("total_generated", l.Generated)
	return &o
}

func (d *Diversity) interpretation() string {
	return fmt.Sprintf("Higher is more diverse; grids of these sizes reach a mean Hamming distance of %.4g at most, so that a published \"> 0.3\" is %s here, and %.4g times that is reached; "+
		"published target: more than 80 %% unique (%s).", d.Ceiling, possible(d.Ceiling > 0.3), d.OfCeiling.Value.Float(), met(d.OverallUniqueness.Value.Float() > 0.8))
}

func possible(yes bool) string {
	if yes {
		return "possible"
	}
	return "impossible"
}

func (d *Diversity) estimates() []Estimate {
	if d == nil {
		return nil
	}
	out := []Estimate{d.OverallMean, d.OverallUniqueness, d.Jaccard, d.Validity}
	if d.Novelty != nil {
		out = append(out, d.Novelty.Share, d.Novelty.Joint)
	}
	return out
}

func diversityTables(r *Result) []*report.Table {
	t := report.NewTable("Diversity", "Generator", "Hamming", "of ceiling", "Jaccard", "Unique", "Valid", "Novel", "Valid, unique, novel", "Samples")
	for i := range r.Models {
		d := r.Models[i].Diversity
		if d == nil {
			continue
		}
		novel, joint := any(""), any("")
		if d.Novelty != nil {
			novel, joint = d.Novelty.Share.Estimate, d.Novelty.Joint.Estimate
		}
		t.Row(r.Models[i].Name, d.OverallMean.Estimate, d.OfCeiling.Estimate, d.Jaccard.Estimate, d.OverallUniqueness.Estimate, d.Validity.Estimate, novel, joint, d.Generated)
	}
	t.Note("Hamming and Jaccard: mean distance of pairs of valid samples, the mean over labels; of ceiling: Hamming as a share of what as many grids of these sizes can reach")
	return []*report.Table{t}
}

func diversityRows(m *Model, names labels, row func(cells ...any) error) error {
	d := m.Diversity
	if d == nil {
		return nil
	}
	novelty, nearest := undefined("", ""), undefined("", "")
	if d.Novelty != nil {
		novelty, nearest = d.Novelty.Share, d.Novelty.Nearest
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
