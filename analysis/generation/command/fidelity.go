// How fidelity is written.

package command

import (
	"fmt"

	"repscope/analysis/generation"
	"repscope/report"
)

// fidelityLayout is how it is written.
var fidelityLayout = layout{
	metric: "fidelity", tier: "medium", summary: "precision, recall, density, coverage and memorization, by " +
		"nearest neighbors",
	object:         func(m *generation.Model, names labels) *report.Object { return fidelityObject(m.Fidelity, names) },
	interpretation: func(m *generation.Model) string { return fidelityInterpretation(m.Fidelity) },
	tables:         fidelityTables,
	file:           "generation_fidelity.csv",
	columns: []string{"Model", "Label", "K", "Precision", "Precision_Low", "Precision_High", "Recall", "Recall_Low",
		"Recall_High", "Density", "Density_Low", "Density_High", "Coverage", "Coverage_Low", "Coverage_High", "Real_Count", "Generated_Count", "Reason"},
	rows: fidelityRows,
}

func fidelityObject(f *generation.Fidelity, names labels) *report.Object {
	var o report.Object
	o.Set("space", f.Space)
	o.Set("num_real", f.Real)
	o.Set("num_generated", f.Generated)
	o.Set("dim", f.Dim)
	o.Set("k", f.Ball.K)
	setBall(&f.Ball, &o)
	if f.Degenerate != "" {
		o.Set("degenerate", f.Degenerate)
	}
	setDistances(&f.Distances, &o)
	o.Set("novelty", f.Memorization.Novelty.Estimate)
	o.Set("novelty_real", f.Memorization.RealNovelty)
	var rows []report.Object
	for i := range f.ByK {
		var row report.Object
		row.SetParameter("k", f.ByK[i].K)
		setBall(&f.ByK[i], &row)
		rows = append(rows, row)
	}
	o.Set("by_k", rows)
	for i := range f.Classifiers {
		c := &f.Classifiers[i]
		key := "classifier"
		if c.Name != "logistic" {
			key = c.Name + "_classifier"
		}
		o.Set(key, twoSamplesObject(c))
	}
	o.Set("memorization", memorizationObject(&f.Memorization))
	o.Set("real_halves", halvesObject(&f.Baseline))
	o.Set("per_grade", byLabel(names, f.ByLabel, func(l *generation.LabelFidelity) int { return l.Label }, labelFidelityObject, f.Left))
	return &o
}

func setBall(b *generation.Ball, o *report.Object) {
	o.Set("precision", b.Precision.Estimate)
	o.Set("recall", b.Recall.Estimate)
	o.Set("density", b.Density.Estimate)
	o.Set("coverage", b.Coverage.Estimate)
}

func setDistances(d *generation.Distances, o *report.Object) {
	o.Set("mmd", d.MMD.Estimate)
	o.Set("mmd_p", d.MMDP)
	o.Set("mmd_bandwidth", report.NumberOr(d.Bandwidth, "all samples are equal"))
	o.Set("energy_distance", d.Energy.Estimate)
	o.Set("energy_distance_p", d.EnergyP)
	o.Set("permutations", d.Permutations)
	o.Set("num_compared", d.Compared[:])
	o.Set("kid", d.KID.Estimate)
	o.Set("kid_p", d.KIDP)
	o.Set("frechet_distance", d.Frechet.Estimate)
	o.Set("frechet_distance_infinity", d.FrechetInfinity)
	o.Set("vendi_score", d.Vendi.Estimate)
	o.Set("vendi_two", d.VendiTwo.Estimate)
	o.Set("vendi_infinity", d.VendiInfinity)
	o.Set("vendi_score_real", d.VendiReal)
}

func twoSamplesObject(c *generation.TwoSamples) *report.Object {
	var o report.Object
	o.Set("auc", c.AUC.Estimate)
	o.Set("auc_p", c.P)
	o.Set("accuracy", c.Accuracy.Estimate)
	o.Set("jensen_shannon", report.WithInterval(c.JensenShannon, c.JensenShannonCI))
	if c.Dim > 0 {
		o.Set("principal_components", c.Dim)
	}
	return &o
}

func memorizationObject(m *generation.Memorization) *report.Object {
	var o report.Object
	o.Set("space", m.Space)
	o.Set("num_holdout", m.Holdout)
	o.Set("copies", m.Copies.Estimate)
	o.Set("copies_holdout", m.HoldoutCopies)
	o.Set("novelty", m.Novelty.Estimate)
	o.Set("novelty_real", m.RealNovelty)
	o.Set("novelty_holdout", m.HoldoutNovelty)
	o.Set("authentic", m.Authentic.Estimate)
	o.Set("authentic_holdout", m.HoldoutAuthentic)
	o.Set("distance_ratio", m.DistanceRatio)
	o.Set("closer_than_median", m.CloserThanMedian)
	o.Set("closer_than_five_percent", m.CloserThanFive)
	o.Set("ct", m.CT)
	o.Set("ct_p", m.CTP)
	o.Set("ct_cells", m.Cells)
	return &o
}

func halvesObject(b *generation.FidelityBaseline) *report.Object {
	var o report.Object
	if b.Reason != "" {
		o = skippedObject(b.Reason)
		return &o
	}
	const none = "not defined for these samples"
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

func labelFidelityObject(l *generation.LabelFidelity) *report.Object {
	var o report.Object
	setBall(&l.Ball, &o)
	o.Set("num_real", l.Real)
	o.Set("num_generated", l.Generated)
	return &o
}

func fidelityInterpretation(f *generation.Fidelity) string {
	reached := "the real samples are too few for a baseline from their halves"
	if b := &f.Baseline; b.Reason == "" {
		reached = fmt.Sprintf("two halves of the real samples (%d and %d) have %.3g, %.3g and %.3g",
			b.First, b.Second, b.Ball.Precision, b.Ball.Recall, b.Ball.Coverage)
	}
	novel := "without hold-out samples memorization cannot be judged"
	if f.Memorization.Holdout > 0 {
		novel = fmt.Sprintf("a C_T far below 0 shows samples nearer to the training samples than hold-out samples "+
			"are (%s)", number(f.Memorization.CT))
	}
	return fmt.Sprintf("Higher precision (samples resemble real samples), recall and coverage (samples cover the "+
		"real samples) are better, at most 1; %s; %s; no published target.", reached, novel)
}

// number is a value for a sentence.
func number(v report.Value) string {
	if !v.Defined() {
		return "not defined here"
	}
	return fmt.Sprintf("%.3g", v.Float())
}

func fidelityTables(r *generation.Result) []*report.Table {
	balls := report.NewTable("Fidelity", "Generator", "Precision", "Recall", "Density", "Coverage", "Samples", "Real")
	apart := report.NewTable("Distance from real samples", "Generator",
		"MMD²", "p", "Energy distance", "p", "Fréchet", "Vendi", "Classifier AUC", "Jensen–Shannon ≥")
	copies := report.NewTable("Memorization", "Generator",
		"Copies", "Novelty", "of real samples", "Authentic", "Closer than half of hold-out", "C_T", "p")
	k := 0
	for i := range r.Models {
		m := &r.Models[i]
		f := m.Fidelity
		if f == nil {
			continue
		}
		k = f.Ball.K
		b, d, c := &f.Ball, &f.Distances, &f.Memorization
		balls.Row(m.Name, b.Precision.Estimate, b.Recall.Estimate, b.Density.Estimate, b.Coverage.Estimate, f.Generated,
			f.Real)
		if h := &f.Baseline; h.Reason == "" && i == 0 {
			balls.Row("(halves of real)", h.Ball.Precision, h.Ball.Recall, h.Ball.Density, h.Ball.Coverage, h.First, h.Second)
		}
		auc, bound := any(""), any("")
		if len(f.Classifiers) > 0 {
			auc, bound = f.Classifiers[0].AUC.Estimate, f.Classifiers[0].JensenShannon
		}
		apart.Row(m.Name, d.MMD.Estimate, d.MMDP, d.Energy.Estimate, d.EnergyP, d.Frechet.Estimate, d.Vendi.Estimate, auc,
			bound)
		copies.Row(m.Name, c.Copies.Estimate, c.Novelty.Estimate, c.RealNovelty, c.Authentic.Estimate, c.CloserThanMedian,
			c.CT, c.CTP)
	}
	balls.Note("By %d nearest neighbors; generation.json has other k", k)
	apart.Note("MMD² is unbiased and may be below 0; classifier: logistic regression, AUC 0.5: generated and real samples look alike")
	copies.Note("Novelty: mean distance to the nearest real sample, next to the same distance of real samples; C_T far below 0: closer to real samples than hold-out samples are")
	return []*report.Table{balls, apart, copies}
}

func fidelityRows(m *generation.Model, names labels, row func(cells ...any) error) error {
	f := m.Fidelity
	if f == nil {
		return nil
	}
	write := func(label string, b *generation.Ball, real, generated int) error {
		cells := []any{m.Name, label, b.K}
		for _, e := range []*generation.Estimate{&b.Precision, &b.Recall, &b.Density, &b.Coverage} {
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
