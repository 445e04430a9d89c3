// How conditioning is written.

package generation

import (
	"fmt"

	"repscope/report"
)

func (c *Conditioning) object(names labels) *report.Object {
	var o, distribution report.Object
	for _, of := range []struct {
		key string
		e   *Estimate
	}{{"exact_accuracy", &c.Exact}, {"within_one_accuracy", &c.WithinOne}, {"within_two_accuracy", &c.WithinTwo},
		{"macro_exact_accuracy", &c.MacroExact}, {"macro_within_one_accuracy", &c.MacroWithinOne}, {"macro_within_two_accuracy", &c.MacroWithinTwo},
		{"mean_absolute_error", &c.MeanAbsoluteError}, {"quadratic_weighted_kappa", &c.Kappa}} {
		of.e.set(&o, of.key)
	}
	o.Set("num_samples", c.N)
	o.Set("per_grade", byLabel(names, c.ByLabel, func(l *LabelConditioning) int { return l.Label }, func(l *LabelConditioning) *report.Object { return c.labelObject(l, names) }, nil))
	for p, label := range c.Labels {
		n := int64(0)
		for t := range c.Labels {
			n += c.Confusion[t][p]
		}
		distribution.Set(names.name(label), n)
	}
	o.Set("prediction_distribution", distribution)
	o.Set("confusion", confusion(names, c.Labels, c.Confusion))
	if u := c.Ceiling; u != nil {
		o.Set("ceiling", u.object(names))
	}
	o.Set("warnings", c.warnings(names))
	o.Set("documented", c.documented(names))
	return &o
}

// labelObject is the part of one target.
func (c *Conditioning) labelObject(l *LabelConditioning, names labels) *report.Object {
	var o, distribution report.Object
	l.Exact.set(&o, "exact_accuracy")
	l.WithinOne.set(&o, "within_one_accuracy")
	l.WithinTwo.set(&o, "within_two_accuracy")
	l.MeanAbsoluteError.set(&o, "mean_absolute_error")
	o.Set("num_samples", l.N)
	for t, label := range c.Labels {
		if label != l.Label {
			continue
		}
		for p, n := range c.Confusion[t] {
			if n > 0 {
				distribution.Set(names.name(c.Labels[p]), n)
			}
		}
	}
	o.Set("prediction_distribution", distribution)
	return &o
}

// confusion is a confusion matrix with the names of its rows and columns.
func confusion(names labels, of []int, counts [][]int64) report.Object {
	var o report.Object
	var text []string
	for _, label := range of {
		text = append(text, names.name(label))
	}
	o.Set("labels", text)
	o.Set("counts", counts)
	return o
}

func (u *ConditioningCeiling) object(names labels) report.Object {
	var o report.Object
	u.Exact.set(&o, "exact_accuracy")
	u.WithinOne.set(&o, "within_one_accuracy")
	u.WithinTwo.set(&o, "within_two_accuracy")
	u.MacroExact.set(&o, "macro_exact_accuracy")
	u.OfCeiling.set(&o, "exact_of_ceiling")
	o.Set("num_real", u.N)
	missing := []string{}
	for _, label := range u.Missing {
		missing = append(missing, names.name(label))
	}
	o.Set("labels_without_real", missing)
	o.Set("confusion", confusion(names, u.Labels, u.Confusion))
	return o
}

// warnings are what a reader should know.
func (c *Conditioning) warnings(names labels) []string {
	out := []string{"these accuracies are bounded by the classifier: its errors count as the generator's"}
	for _, label := range c.NotClassified {
		out = append(out, fmt.Sprintf("%s: none of the samples that were generated was classified", names.name(label)))
	}
	for i := range c.ByLabel {
		if l := &c.ByLabel[i]; l.N < 10 {
			out = append(out, fmt.Sprintf("%s: %d samples are few", names.name(l.Label), l.N))
		}
	}
	return out
}

// documented are the published numbers: in percent, the mean over labels.
func (c *Conditioning) documented(names labels) report.Object {
	percent := func(e *Estimate) report.Value {
		if !e.Value.Defined() {
			return e.Value
		}
		return report.Number(100 * e.Value.V)
	}
	var o report.Object
	o.Set("overall_exact_accuracy", percent(&c.MacroExact))
	o.Set("overall_tolerance_1_accuracy", percent(&c.MacroWithinOne))
	o.Set("per_grade", byLabel(names, c.ByLabel, func(l *LabelConditioning) int { return l.Label }, func(l *LabelConditioning) *report.Object {
		var part report.Object
		part.Set("exact_accuracy", percent(&l.Exact))
		part.Set("tolerance_1_accuracy", percent(&l.WithinOne))
		part.Set("num_valid", l.N)
		part.Set("num_generated", l.Generated)
		return &part
	}, nil))
	o.Set("warnings", c.warnings(names))
	return o
}

func conditioningTables(r *Result) []*report.Table {
	t := report.NewTable("Conditioning", "Generator", "Exact", "±1", "±2", "Macro exact", "MAE", "Kappa (quadratic)", "Ceiling (exact)", "Samples")
	ceiling := false
	for i := range r.Models {
		c := r.Models[i].Conditioning
		if c == nil {
			continue
		}
		cell := any("")
		if c.Ceiling != nil {
			cell, ceiling = c.Ceiling.Exact.Estimate, true
		}
		t.Row(r.Models[i].Name, c.Exact.Estimate, c.WithinOne.Estimate, c.WithinTwo.Estimate, c.MacroExact.Estimate, c.MeanAbsoluteError.Estimate, c.Kappa.Estimate, cell, c.N)
	}
	note := "bounded by the classifier, whose errors count as the generator's"
	if ceiling {
		note += "; ceiling: how often it finds the label of real samples, over the labels that were asked for"
	}
	t.Note("%s", note)
	return []*report.Table{t}
}

func conditioningRows(m *Model, names labels, row func(cells ...any) error) error {
	c := m.Conditioning
	if c == nil {
		return nil
	}
	exact := ends(c.Exact.CI)
	if err := row(m.Name, "", c.Exact.Value, exact[0], exact[1], c.WithinOne.Value, c.WithinTwo.Value, c.MeanAbsoluteError.Value, c.N, ""); err != nil {
		return err
	}
	for i := range c.ByLabel {
		l := &c.ByLabel[i]
		exact := ends(l.Exact.CI)
		if err := row(m.Name, names.name(l.Label), l.Exact.Value, exact[0], exact[1], l.WithinOne.Value, l.WithinTwo.Value, l.MeanAbsoluteError.Value, l.N, l.Generated); err != nil {
			return err
		}
	}
	return nil
}
