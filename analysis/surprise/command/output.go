// CSV files and tables of the console.

package command

import (
	"fmt"
	"strings"

	"repscope/analysis/internal/output"
	"repscope/analysis/surprise"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/measure/violation"
	"repscope/report"
)

// write puts the result into the result file, the CSV files, the console and the figure.
func write(env *run.Env, r *surprise.Result, l *loaded, o surprise.Options) error {
	output.Enter(env, r.Warnings, r.Models, func(m surprise.Outcomes) string { return m.Name }, r.Comparisons)
	env.Result.Blocks = r.Blocks
	env.Result.Extra.Set("made", r.Made)
	warn(env, r)
	if err := output.All(env,
		func(env *run.Env) error { return writeErrors(env, r, l) },
		func(env *run.Env) error { return printTables(env, r, l, o) },
	); err != nil {
		return err
	}
	return env.Figure("surprise", Figure(r, l, o))
}

// warn tells violations that could be made nowhere.
func warn(env *run.Env, r *surprise.Result) {
	for _, last := range lastSizes(r) {
		made, still, short := 0, 0, 0
		for _, m := range r.Made {
			if m.Kind == last.Kind {
				made, still, short = made+m.Made, still+m.Still, short+m.Short
			}
		}
		if made == 0 && still+short > 0 {
			var why []string
			if still > 0 {
				why = append(why, "nothing moved at "+text.Count(still, "moment"))
			}
			if short > 0 {
				why = append(why, "too few frames followed at "+text.Count(short, "moment"))
			}
			env.Warn("%s: no episode has this violation: %s", last.Kind, strings.Join(why, ", and "))
		}
	}
}

// writeErrors writes the error of every transition.
func writeErrors(env *run.Env, r *surprise.Result, l *loaded) error {
	columns := []string{"Model", "Episode", "T", "Violation", "Size", "Draw", "Step", "Error", "P"}
	return output.ModelCSV(env, ErrorsFile, columns, func(csv *report.CSV) error {
		for _, row := range r.Rows {
			t := row.State
			if l != nil {
				t = l.states.Index[row.State]
			}
			var size, draw, step any = "", "", ""
			if row.Violation != "" {
				size, draw, step = row.Size, row.Draw, row.Step
			}
			if err := csv.Row(row.Model, row.Episode, t, string(row.Violation), size, draw, step,
				report.NumberOr(row.Error, "there is no prediction"), report.NumberOr(row.P, "there is no p value")); err != nil {
				return err
			}
		}
		return nil
	})
}

// printTables writes the tables to the console.
func printTables(env *run.Env, r *surprise.Result, l *loaded, o surprise.Options) error {
	summary := report.NewTable("", "Model", "Error", "AUROC", "Detected at 1 in 100", "Untouched p ≤ 0.05",
		"False alarms", "Alarm noticed")
	for _, m := range r.Models {
		summary.Row(m.Name, m.Error, m.AUROC, m.Detected100, m.Conformal.Level5, m.Alarm.False, m.Alarm.Noticed)
	}
	note := "means over violations and sizes; error: of untouched transitions"
	if inRMS(l, o) {
		note += " / RMS distance of two random states"
	}
	if r.Blocks != "" {
		note += "; [95 % intervals] by deleting each of " + r.Blocks
	}
	summary.Note("%s", note)
	summary.Note("AUROC: an impossible transition has a larger error than one of its untouched twin, 0.5 is chance")
	if err := output.ModelTable(env, summary); err != nil {
		return err
	}
	if err := env.Table(largest(r)); err != nil {
		return err
	}
	if err := env.Details(bySize(r)); err != nil {
		return err
	}
	return output.PrintComparisons(env, r.Comparisons)
}

// largest has the detection of every violation at its largest size.
func largest(r *surprise.Result) *report.Table {
	last := lastSizes(r)
	columns := []string{"Model"}
	for _, m := range last {
		columns = append(columns, fmt.Sprintf("%s %g", m.Kind, m.Size))
	}
	table := report.NewTable("AUROC at the largest size", columns...)
	for i := range r.Models {
		m := &r.Models[i]
		cells := []any{m.Name}
		for _, made := range last {
			var cell any = ""
			if row := m.Row(made.Kind, made.Size); row != nil {
				cell = row.AUROC.Value
			}
			cells = append(cells, cell)
		}
		table.Row(cells...)
	}
	return table
}

// lastSizes are the violations at their largest sizes.
func lastSizes(r *surprise.Result) []surprise.Made {
	var out []surprise.Made
	for i, m := range r.Made {
		if i+1 == len(r.Made) || r.Made[i+1].Kind != m.Kind {
			out = append(out, m)
		}
	}
	return out
}

// bySize has all numbers.
func bySize(r *surprise.Result) *report.Table {
	table := report.NewTable("By violation and size", "Model", "Violation", "Size", "n", "AUROC", "1 in 100",
		"1 in 1,000", "Noticed",
		"Untouched", "Delay", "Place", "Alarm")
	for i := range r.Models {
		m := &r.Models[i]
		for _, kind := range m.Violations.Keys() {
			rows, _ := m.Violations.Get(kind)
			for _, v := range rows.([]surprise.Violated) {
				table.Row(m.Name, kind, v.Size, v.N, v.AUROC, v.Detected100, v.Detected1000, v.Noticed, v.Untouched, v.Delay,
					v.Place, v.Alarmed)
			}
		}
	}
	for _, kind := range kindsOf(r) {
		if unit := kind.Unit(); unit != "" {
			table.Note("%s: size is the %s", kind, unit)
		}
	}
	return table
}

// kindsOf are the violations of a result.
func kindsOf(r *surprise.Result) []violation.Kind {
	var out []violation.Kind
	for _, m := range lastSizes(r) {
		out = append(out, m.Kind)
	}
	return out
}
