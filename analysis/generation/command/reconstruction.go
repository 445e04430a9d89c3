// How reconstruction is written.

package command

import (
	"fmt"
	"slices"

	"repscope/analysis/generation"
	"repscope/report"
)

// reconstructionLayout is how it is written.
var reconstructionLayout = layout{
	metric: "reconstruction", tier: "high", summary: "reconstruction quality, by the IoU of cells", target: "IoU > 0.7",
	object: func(m *generation.Model, names labels) *report.Object {
		return reconstructionObject(m.Reconstruction, names)
	},
	interpretation: func(m *generation.Model) string { return reconstructionInterpretation(m.Reconstruction) },
	tables:         reconstructionTables,
	file:           "generation_reconstruction.csv",
	columns:        []string{"Model", "Label", "Mean_IoU", "Mean_IoU_Low", "Mean_IoU_High", "Mean_IoU_Std", "Sample_Count"},
	rows:           reconstructionRows,
}

func reconstructionObject(r *generation.Reconstruction, names labels) *report.Object {
	var o, channels, excluded report.Object
	o.Set("mean_iou", r.Mean.Estimate)
	o.Set("std_iou", report.Number(r.SD))
	o.Set("median_iou", r.Median.Estimate)
	o.Set("exact_share", r.Exact.Estimate)
	for _, c := range r.Channels {
		channels.Set(c.Name, c.Mean.Estimate)
		excluded.Set(c.Name, c.Excluded)
	}
	o.Set("per_channel_iou", channels)
	o.Set("per_channel_excluded", excluded)
	o.Set("per_grade_iou", byLabel(names, r.ByLabel, func(l *generation.LabelIoU) int { return l.Label }, func(l *generation.LabelIoU) *report.Object {
		var part report.Object
		part.Set("mean_iou", l.Mean.Estimate)
		part.Set("std_iou", report.Number(l.SD))
		part.Set("num_samples", l.N)
		return &part
	}, nil))
	o.Set("num_samples", r.N)
	o.Set("num_empty", r.Both)
	o.Set("threshold", r.Threshold)
	draws := "decoded from the latent mean"
	if r.Draws > 0 {
		draws = fmt.Sprintf("%d draws of each", r.Draws)
	}
	o.Set("decoding", draws)
	return &o
}

func reconstructionInterpretation(r *generation.Reconstruction) string {
	return fmt.Sprintf("Higher is better, from 0 (no common cell) to 1 (perfect reconstruction); published target: "+
		"mean IoU > 0.7 (%s).",
		met(r.Mean.Value.Float() > 0.7))
}

// met says whether a published target is reached.
func met(reached bool) string {
	if reached {
		return "reached"
	}
	return "not reached"
}

func reconstructionTables(r *generation.Result) []*report.Table {
	header := []string{"Generator", "Mean IoU", "SD", "Median", "Exact"}
	var channels []string
	for i := range r.Models {
		if reconstruction := r.Models[i].Reconstruction; reconstruction != nil {
			for _, c := range reconstruction.Channels {
				if !slices.Contains(channels, c.Name) {
					channels = append(channels, c.Name)
				}
			}
		}
	}
	t := report.NewTable("Reconstruction (IoU)", append(append(header, channels...), "Samples")...)
	for i := range r.Models {
		reconstruction := r.Models[i].Reconstruction
		if reconstruction == nil {
			continue
		}
		cells := []any{r.Models[i].Name, reconstruction.Mean.Estimate, reconstruction.SD, reconstruction.Median.Value,
			reconstruction.Exact.Value}
		for _, name := range channels {
			cell := any("")
			for _, c := range reconstruction.Channels {
				if c.Name == name {
					cell = c.Mean.Value
				}
			}
			cells = append(cells, cell)
		}
		t.Row(append(cells, reconstruction.N)...)
	}
	return []*report.Table{t}
}

func reconstructionRows(m *generation.Model, names labels, row func(cells ...any) error) error {
	r := m.Reconstruction
	if r == nil {
		return nil
	}
	if err := row(m.Name, "", r.Mean.Value, ends(r.Mean.CI)[0], ends(r.Mean.CI)[1], r.SD, r.N); err != nil {
		return err
	}
	for _, l := range r.ByLabel {
		if err := row(m.Name, names.name(l.Label), l.Mean.Value, ends(l.Mean.CI)[0], ends(l.Mean.CI)[1], l.SD, l.N); err != nil {
			return err
		}
	}
	return nil
}
