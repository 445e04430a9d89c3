// How fidelity is written.

package generation

import (
	"fmt"

	"repscope/report"
)

func (f *Fidelity) object(names labels) *report.Object {
	var o report.Object
	o.Set("space", f.Space)
	o.Set("num_real", f.Real)
	o.Set("num_generated", f.Generated)
	o.Set("dim", f.Dim)
	o.Set("k", f.Ball.K)
	f.Ball.set(&o)
	if f.Degenerate != "" {
		o.Set("degenerate", f.Degenerate)
	}
	f.Distances.set(&o)
	f.Memorization.Novelty.set(&o, "novelty")
	o.Set("novelty_real", f.Memorization.RealNovelty)
	var rows []report.Object
	for i := range f.ByK {
		var row report.Object
		row.SetParameter("k", f.ByK[i].K)
		f.ByK[i].set(&row)
		rows = append(rows, row)
	}
	o.Set("by_k", rows)
	for i := range f.Classifiers {
		c := &f.Classifiers[i]
		key := "classifier"
		if c.Name != "logistic" {
			key = c.Name + "_classifier"
		}
		o.Set(key, c.object())
	}
	o.Set("memorization", f.Memorization.object())
	o.Set("real_halves", f.Baseline.object())
	o.Set("per_grade", byLabel(names, f.ByLabel, func(l *LabelFidelity) int { return l.Label }, (*LabelFidelity).object, f.Left))
	return &o
}

func (b *Ball) set(o *report.Object) {
	b.Precision.set(o, "precision")
	b.Recall.set(o, "recall")
	b.Density.set(o, "density")
	b.Coverage.set(o, "coverage")
}

func (d *Distances) set(o *report.Object) {
	d.MMD.set(o, "mmd")
	o.Set("mmd_p", d.MMDP)
	o.Set("mmd_bandwidth", report.NumberOr(d.Bandwidth, "all samples are equal"))
	d.Energy.set(o, "energy_distance")
	o.Set("energy_distance_p", d.EnergyP)
	o.Set("permutations", d.Permutations)
	o.Set("num_compared", d.Compared[:])
	d.KID.set(o, "kid")
	d.Frechet.set(o, "frechet_distance")
	o.Set("frechet_distance_infinity", d.FrechetInfinity)
	d.Vendi.set(o, "vendi_score")
	d.VendiTwo.set(o, "vendi_two")
	o.Set("vendi_infinity", d.VendiInfinity)
	o.Set("vendi_score_real", d.VendiReal)
}

func (c *TwoSamples) object() *report.Object {
	var o report.Object
	c.AUC.set(&o, "auc")
	o.Set("auc_p", c.P)
	c.Accuracy.set(&o, "accuracy")
	o.Set("jensen_shannon", report.WithInterval(c.JensenShannon, c.JensenShannonCI))
	if c.Dim > 0 {
		o.Set("principal_components", c.Dim)
	}
	return &o
}

func (m *Memorization) object() *report.Object {
	var o report.Object
	o.Set("space", m.Space)
	o.Set("num_holdout", m.Holdout)
	m.Copies.set(&o, "copies")
	o.Set("copies_holdout", m.HoldoutCopies)
	m.Novelty.set(&o, "novelty")
	o.Set("novelty_real", m.RealNovelty)
	o.Set("novelty_holdout", m.HoldoutNovelty)
	m.Authentic.set(&o, "authentic")
	o.Set("authentic_holdout", m.HoldoutAuthentic)
	o.Set("distance_ratio", m.DistanceRatio)
	o.Set("closer_than_median", m.CloserThanMedian)
	o.Set("closer_than_five_percent", m.CloserThanFive)
	o.Set("ct", m.CT)
	o.Set("ct_p", m.CTP)
	o.Set("ct_cells", m.Cells)
	return &o
}

func (b *FidelityBaseline) object() *report.Object {
	var o report.Object
	if b.Reason != "" {
		o = skippedObject(b.Reason)
		return &o
	}
	const none = "it is not defined for these samples"
	o.Set("num_first", b.First)
	o.Set("num_second", b.Second)
	o.Set("splits", b.Splits)
	o.Set("precision", report.Number(b.Ball.Precision))
	o.Set("recall", report.Number(b.Ball.Recall))
	o.Set("density", report.Number(b.Ball.Density))
	o.Set("coverage", report.Number(b.Ball.Coverage))
	o.Set("mmd", report.NumberOr(b.MMD, none))
	o.Set("energy_distance", report.NumberOr(b.Energy, none))
	o.Set("kid", report.NumberOr(b.KID, none))
	o.Set("frechet_distance", report.NumberOr(b.Frechet, none))
	return &o
}

func (l *LabelFidelity) object() *report.Object {
	var o report.Object
	l.Ball.set(&o)
	o.Set("num_real", l.Real)
	o.Set("num_generated", l.Generated)
	return &o
}

func (f *Fidelity) interpretation() string {
	reached := "halves of the real samples are too small to say what can be reached"
	if b := &f.Baseline; b.Reason == "" {
		reached = fmt.Sprintf("two halves of the real samples (%d and %d) reach %.3g, %.3g and %.3g", b.First, b.Second, b.Ball.Precision, b.Ball.Recall, b.Ball.Coverage)
	}
	novel := "without hold-out samples nothing says how near to the real ones is too near"
	if f.Memorization.Holdout > 0 {
		novel = fmt.Sprintf("a C_T far below 0 says that they are nearer to the real ones than hold-out samples are (%s)", number(f.Memorization.CT))
	}
	return fmt.Sprintf("Higher precision (samples lie where real ones lie), recall and coverage (they reach all of them) are better, at most 1; %s; %s; there is no published target.", reached, novel)
}

// number is a value for a sentence.
func number(v report.Value) string {
	if !v.Defined() {
		return "not defined here"
	}
	return fmt.Sprintf("%.3g", v.Float())
}

func (f *Fidelity) estimates() []Estimate {
	if f == nil {
		return nil
	}
	d := &f.Distances
	out := []Estimate{f.Ball.Precision, f.Ball.Recall, f.Ball.Density, f.Ball.Coverage, d.MMD, d.Energy, d.KID, d.Frechet, d.Vendi, f.Memorization.Novelty}
	for _, c := range f.Classifiers {
		out = append(out, c.AUC)
	}
	return out
}

func fidelityTables(r *Result) []*report.Table {
	balls := report.NewTable("Fidelity", "Generator", "Precision", "Recall", "Density", "Coverage", "Samples", "Real")
	apart := report.NewTable("Distance from real samples", "Generator", "MMD²", "p", "Energy distance", "p", "Fréchet", "Vendi", "Classifier AUC", "Jensen–Shannon ≥")
	copies := report.NewTable("Memorization", "Generator", "Copies", "Novelty", "of real samples", "Authentic", "Closer than half of hold-out", "C_T", "p")
	for i := range r.Models {
		m := &r.Models[i]
		f := m.Fidelity
		if f == nil {
			continue
		}
		b, d, c := &f.Ball, &f.Distances, &f.Memorization
		balls.Row(m.Name, b.Precision.Estimate, b.Recall.Estimate, b.Density.Estimate, b.Coverage.Estimate, f.Generated, f.Real)
		if h := &f.Baseline; h.Reason == "" && i == 0 {
			balls.Row("(halves of real)", h.Ball.Precision, h.Ball.Recall, h.Ball.Density, h.Ball.Coverage, h.First, h.Second)
		}
		auc, bound := any(""), any("")
		if len(f.Classifiers) > 0 {
			auc, bound = f.Classifiers[0].AUC.Estimate, f.Classifiers[0].JensenShannon
		}
		apart.Row(m.Name, d.MMD.Estimate, d.MMDP, d.Energy.Estimate, d.EnergyP, d.Frechet.Estimate, d.Vendi.Estimate, auc, bound)
		copies.Row(m.Name, c.Copies.Estimate, c.Novelty.Estimate, c.RealNovelty, c.Authentic.Estimate, c.CloserThanMedian, c.CT, c.CTP)
	}
	balls.Note("by %d nearest neighbors; see generation.json for other numbers of them", usualK)
	apart.Note("MMD² is unbiased and may be below 0; the classifier is a logistic regression, which an AUC of ½ says tells nothing")
	copies.Note("novelty: mean distance to the nearest real sample, beside that of real samples to the nearest other one; C_T far below 0: nearer to real samples than hold-out samples are")
	return []*report.Table{balls, apart, copies}
}

func fidelityRows(m *Model, names labels, row func(cells ...any) error) error {
	f := m.Fidelity
	if f == nil {
		return nil
	}
	write := func(label string, b *Ball, real, generated int) error {
		cells := []any{m.Name, label, b.K}
		for _, e := range []*Estimate{&b.Precision, &b.Recall, &b.Density, &b.Coverage} {
			at := ends(e.CI)
			cells = append(cells, e.Value, at[0], at[1])
		}
		return row(append(cells, real, generated, "")...)
	}
	for i := range f.ByK {
		if err := write("", &f.ByK[i], f.Real, f.Generated); err != nil {
			return err
		}
	}
	for i := range f.ByLabel {
		l := &f.ByLabel[i]
		if err := write(names.name(l.Label), &l.Ball, l.Real, l.Generated); err != nil {
			return err
		}
	}
	for _, s := range f.Left {
		cells := []any{m.Name, names.name(s.Label)}
		for range 15 {
			cells = append(cells, "")
		}
		if err := row(append(cells, s.Reason)...); err != nil {
			return err
		}
	}
	return nil
}
