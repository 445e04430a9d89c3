// How conditioning is written.

package command

import (
	"fmt"

	"repscope/analysis/generation"
	"repscope/report"
)

// conditioningLayout is how it is written.
var conditioningLayout = layout{
	metric: "conditioning", tier: "low", summary: "agreement of samples with their requested label, according to a " +
		"classifier",
	object: func(m *generation.Model, names labels) *report.Object {
		return conditioningObject(m.Conditioning, names)
	},
	interpretation: func(m *generation.Model) string { return conditioningInterpretation(m.Conditioning) },
	tables:         conditioningTables,
	file:           "generation_conditioning.csv",
	columns: []string{"Model", "Label", "Exact_Accuracy", "Exact_Low", "Exact_High", "Within_One_Accuracy",
		"Within_Two_Accuracy", "Mean_Absolute_Error", "Sample_Count", "Generated_Count"},
	rows: conditioningRows,
}

func conditioningObject(c *generation.Conditioning, names labels) *report.Object {
	var o, distribution report.Object
	for _, part := range []struct {
		key string
		e   *generation.Estimate
	}{{"exact_accuracy", &c.Exact}, {"within_one_accuracy", &c.WithinOne}, {"within_two_accuracy", &c.WithinTwo},
		{"macro_exact_accuracy", &c.MacroExact}, {"macro_within_one_accuracy", &c.MacroWithinOne}, {"macro_within_two_accuracy", &c.MacroWithinTwo},
		{"mean_absolute_error", &c.MeanAbsoluteError}, {"quadratic_weighted_kappa", &c.Kappa}} {
		o.Set(part.key, part.e.Estimate)
	}
	o.Set("num_samples", c.N)
	o.Set("per_grade", byLabel(names, c.ByLabel, func(l *generation.LabelConditioning) int { return l.Label }, func(l *generation.LabelConditioning) *report.Object { return labelConditioningObject(c, l, names) }, nil))
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
		o.Set("ceiling", ceilingObject(u, names))
	}
	o.Set("warnings", conditioningWarnings(c, names))
	o.Set("documented", documentedConditioning(c, names))
	return &o
}

// labelConditioningObject is the part of one target.
func labelConditioningObject(c *generation.Conditioning, l *generation.LabelConditioning, names labels) *report.Object {
	var o, distribution report.Object
	o.Set("exact_accuracy", l.Exact.Estimate)
	o.Set("within_one_accuracy", l.WithinOne.Estimate)
	o.Set("within_two_accuracy", l.WithinTwo.Estimate)
	o.Set("mean_absolute_error", l.MeanAbsoluteError.Estimate)
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
func confusion(names labels, list []int, counts [][]int64) report.Object {
	var o report.Object
	var text []string
	for _, label := range list {
		text = append(text, names.name(label))
	}
	o.Set("labels", text)
	o.Set("counts", counts)
	return o
}

func ceilingObject(u *generation.ConditioningCeiling, names labels) report.Object {
	var o report.Object
	o.Set("exact_accuracy", u.Exact.Estimate)
	o.Set("within_one_accuracy", u.WithinOne.Estimate)
	o.Set("within_two_accuracy", u.WithinTwo.Estimate)
	o.Set("macro_exact_accuracy", u.MacroExact.Estimate)
	o.Set("exact_of_ceiling", u.OfCeiling.Estimate)
	o.Set("num_real", u.N)
	missing := []string{}
	for _, label := range u.Missing {
		missing = append(missing, names.name(label))
	}
	o.Set("labels_without_real", missing)
	o.Set("confusion", confusion(names, u.Labels, u.Confusion))
	return o
}

// conditioningWarnings are what a reader should know.
func conditioningWarnings(c *generation.Conditioning, names labels) []string {
	out := []string{"the accuracies are limited by the classifier, because its errors count as errors of the " +
		"generator; compare with the ceiling (--real-predictions)"}
	for _, label := range c.NotClassified {
		out = append(out, fmt.Sprintf("%s: no generated sample was classified", names.name(label)))
	}
	for i := range c.ByLabel {
		if l := &c.ByLabel[i]; l.N < 10 {
			out = append(out, fmt.Sprintf(
				"%s: only %d samples, so its accuracy is uncertain; generate more", names.name(l.Label), l.N))
		}
	}
	return out
}

// documentedConditioning are the published numbers: in percent, the mean over labels.
func documentedConditioning(c *generation.Conditioning, names labels) report.Object {
	percent := func(e *generation.Estimate) report.Value {
		if !e.Value.Defined() {
			return e.Value
		}
		return report.Number(100 * e.Value.V)
	}
	var o report.Object
	o.Set("overall_exact_accuracy", percent(&c.MacroExact))
	o.Set("overall_tolerance_1_accuracy", percent(&c.MacroWithinOne))
	o.Set("per_grade", byLabel(names, c.ByLabel, func(l *generation.LabelConditioning) int { return l.Label }, func(l *generation.LabelConditioning) *report.Object {
		var part report.Object
		part.Set("exact_accuracy", percent(&l.Exact))
		part.Set("tolerance_1_accuracy", percent(&l.WithinOne))
		part.Set("num_valid", l.N)
		part.Set("num_generated", l.Generated)
		return &part
	}, nil))
	o.Set("warnings", conditioningWarnings(c, names))
	return o
}

func conditioningTables(r *generation.Result) []*report.Table {
	t := report.NewTable("Conditioning", "Generator",
		"Exact", "±1", "±2", "Macro exact", "MAE", "Kappa (quadratic)", "Ceiling (exact)", "Samples")
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
		t.Row(r.Models[i].Name, c.Exact.Estimate, c.WithinOne.Estimate, c.WithinTwo.Estimate, c.MacroExact.Estimate,
			c.MeanAbsoluteError.Estimate, c.Kappa.Estimate, cell, c.N)
	}
	note := "bounded by the classifier, whose errors count as the generator's"
	if ceiling {
		note += "; ceiling: its accuracy on real samples, weighted by the requested labels"
	}
	t.Note("%s", note)
	return []*report.Table{t}
}

func conditioningRows(m *generation.Model, names labels, row func(cells ...any) error) error {
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

func conditioningInterpretation(c *generation.Conditioning) string {
	text := "Higher is better, except for the mean absolute error. Errors of the classifier count as errors of the " +
		"generator"
	if u := c.Ceiling; u != nil && u.Exact.Value.Defined() {
		text += fmt.Sprintf(": its exact accuracy on real samples, the ceiling, is %.4g, and %.4g of the ceiling "+
			"is reached", u.Exact.Value.V, u.OfCeiling.Value.Float())
	} else {
		text += ", so the ceiling is below 1; its predictions for real samples would give the ceiling"
	}
	if n := len(c.ByLabel); n > 1 {
		text += fmt.Sprintf("; guessing among %d labels gives about %.2g", n, 1/float64(n))
	}
	return text + "; there is no published target."
}
