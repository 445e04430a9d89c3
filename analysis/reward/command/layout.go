// Tables of probes in the layout of a paper.

package command

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"repscope/analysis/internal/output"
	"repscope/analysis/reward"
	"repscope/internal/escape"
	"repscope/internal/run"
	"repscope/report"
)

// layoutLeWM has a row for each property and model, and MSE and Pearson r of a linear and of an MLP probe, as
// LeWorldModel.
const layoutLeWM = "lewm"

// The files of a layout.
const (
	layoutCSV      = "reward_lewm.csv"
	layoutMarkdown = "reward_lewm.md"
	layoutLaTeX    = "reward_lewm.tex"
)

// layoutFiles are the files of a layout.
func layoutFiles() []string { return []string{layoutCSV, layoutMarkdown, layoutLaTeX} }

// checkLayout finds probes that the layout needs and the run lacks.
func (f *options) checkLayout() error {
	for _, probe := range []string{reward.Ridge, reward.MLP} {
		if f.layout == layoutLeWM && !slices.Contains(f.o.Probes, probe) {
			return run.Usage("--table-layout %s needs the probes %s and %s, but --probes has %s", layoutLeWM,
				reward.Ridge,
				reward.MLP, strings.Join(f.o.Probes, ","))
		}
	}
	return nil
}

// layoutRow is a property of a model: MSE and r of the linear probe, then of the MLP probe.
type layoutRow struct {
	property, model string
	scores          [4]report.Estimate
}

// layoutRows has every number that is regressed from true latents, by model.
func layoutRows(r *reward.Result) []layoutRow {
	var out []layoutRow
	for _, c := range r.Scorers {
		if c.Target.Classified() {
			continue
		}
		for i := range r.Models {
			row := layoutRow{property: c.Target.Name, model: r.Models[i].Name}
			for k, name := range []string{reward.Ridge, reward.MLP} {
				p := find(&r.Models[i], c.Target.Name, name, reward.True, reward.True)
				if p == nil {
					p = &reward.ProbeRow{}
				}
				row.scores[2*k], row.scores[2*k+1] = p.Score("mse"), p.Score("r")
			}
			if !r.Models[i].Baseline {
				out = append(out, row)
			}
		}
	}
	return out
}

// writeLayout writes the table to the console, and as CSV, Markdown and LaTeX.
func writeLayout(r *reward.Result, env *run.Env) error {
	rows := layoutRows(r)
	if len(rows) == 0 {
		env.Warn("--table-layout %s: no number is regressed; integers are classified without --regress", layoutLeWM)
	}
	header := []string{"Property", "Model"}
	table := report.NewTable("MSE and Pearson r of linear and MLP probes", "Property", "Model", "Linear MSE",
		"Linear r",
		"MLP MSE", "MLP r")
	for _, name := range []string{"Linear_MSE", "Linear_R", "MLP_MSE", "MLP_R"} {
		header = append(header, name, name+"_Low", name+"_High")
	}
	last := ""
	for _, row := range rows {
		cells := []any{nameOnce(row.property, &last), row.model}
		for _, score := range row.scores {
			cells = append(cells, score)
		}
		table.Row(cells...)
	}
	table.Note("r: correlation of predictions with the target inside folds; MSE in squared units of the target")
	if err := env.Table(table); err != nil {
		return err
	}
	if err := env.Files.CSV(layoutCSV, header, func(csv *report.CSV) error {
		for _, row := range rows {
			cells := []any{row.property, row.model}
			for _, score := range row.scores {
				low, high := output.Ends(score.CI)
				cells = append(cells, score, low, high)
			}
			if err := csv.Row(cells...); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	if err := env.Files.File(layoutMarkdown, func(w io.Writer) error { return layoutAsMarkdown(w, rows) }); err != nil {
		return err
	}
	return env.Files.File(layoutLaTeX, func(w io.Writer) error { return layoutAsLaTeX(w, rows) })
}

// shortScore is a number without its interval, – where undefined.
func shortScore(e report.Estimate) string {
	if !e.Defined() {
		return "–"
	}
	return report.FormatEstimate(e.V, report.NoInterval(""))
}

// layoutAsMarkdown writes a row for each property and model.
func layoutAsMarkdown(w io.Writer, rows []layoutRow) error {
	lines := []string{"| Property | Model | Linear MSE ↓ | Linear r ↑ | MLP MSE ↓ | MLP r ↑ |",
		"| --- | --- | ---: | ---: | ---: | ---: |"}
	for _, row := range rows {
		line := "| " + escape.Markdown(row.property) + " | " + escape.Markdown(row.model)
		for _, score := range row.scores {
			line += " | " + shortScore(score)
		}
		lines = append(lines, line+" |")
	}
	_, err := fmt.Fprintln(w, strings.Join(lines, "\n"))
	return err
}

// layoutAsLaTeX writes the table with both probes over their columns.
func layoutAsLaTeX(w io.Writer, rows []layoutRow) error {
	lines := []string{`% needs \usepackage{booktabs}`, `\begin{tabular}{@{}llrrrr@{}}`, `\toprule`,
		`& & \multicolumn{2}{c}{Linear} & \multicolumn{2}{c}{MLP} \\`,
		`\cmidrule(lr){3-4}\cmidrule(l){5-6}`,
		`Property & Model & MSE $\downarrow$ & $r$ $\uparrow$ & MSE $\downarrow$ & $r$ $\uparrow$ \\`, `\midrule`}
	last := ""
	for i, row := range rows {
		if i > 0 && row.property != last {
			lines = append(lines, `\addlinespace`)
		}
		line := escape.LaTeX(nameOnce(row.property, &last)) + " & " + escape.LaTeX(row.model)
		for _, score := range row.scores {
			line += " & " + escape.LaTeXNumber(shortScore(score))
		}
		lines = append(lines, line+` \\`)
	}
	_, err := fmt.Fprintln(w, strings.Join(append(lines, `\bottomrule`, `\end{tabular}`), "\n"))
	return err
}
