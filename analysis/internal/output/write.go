// Package output has what the commands of all analyzes enter, print and draw alike.
package output

import (
	"slices"

	"repscope/analysis/internal/results"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/report"
)

// Enter puts warnings, models and comparisons into the result of a run. A warning about several models in the same
// words is written once.
func Enter[M any](env *run.Env, warnings []string, models []M, name func(M) string, comparisons []report.Comparison) {
	names := make([]string, len(models))
	for i, m := range models {
		names[i] = name(m)
		env.Result.Models.Set(names[i], m)
	}
	for _, w := range text.Together(warnings, names) {
		env.Warn("%s", w)
	}
	env.Result.Comparisons = comparisons
}

// ModelCSV writes a CSV file with a row or more for each model, whose name is in the first
// column. A model that could not be measured has one row, empty but for its name;
// <analysis>_metrics.csv has the reason.
func ModelCSV(env *run.Env, name string, columns []string, rows func(*report.CSV) error) error {
	return env.Files.CSV(name, columns, func(csv *report.CSV) error {
		if err := rows(csv); err != nil {
			return err
		}
		for _, u := range env.Unmeasured() {
			cells := make([]any, len(columns))
			cells[0] = u.Name
			if err := csv.Row(cells...); err != nil {
				return err
			}
		}
		return nil
	})
}

// ModelTable writes a table with a row or more for each model, whose name is in the first
// column, to the console. A model that could not be measured has one row, with the reason,
// in the first of such tables.
func ModelTable(env *run.Env, table *report.Table) error {
	for _, u := range env.Untold() {
		table.Lacking(u.Name, u.Reason)
	}
	return env.Table(table)
}

// tellUnmeasured writes the models that could not be measured to the console, where no
// table of models has them.
func tellUnmeasured(env *run.Env) error {
	untold := env.Untold()
	if len(untold) == 0 {
		return nil
	}
	table := report.NewTable("Models that could not be measured", "Model", "Reason")
	for _, u := range untold {
		table.Row(u.Name, u.Reason)
	}
	return env.Table(table)
}

// maxPrinted is how many comparisons the console shows of all pairs of models.
const maxPrinted = 100

// PrintComparisons writes the comparisons, if there are any, to the console: which pairs of models differ in the
// headline metrics, and with --verbose a row for each comparison. Of more than 100 rows it shows the comparisons with
// the first model, and says where the others are.
func PrintComparisons(env *run.Env, comparisons []report.Comparison) error {
	if !env.Options.Verbose {
		return PrintDiffering(env, comparisons)
	}
	if len(comparisons) == 0 {
		return nil
	}
	table := printed(comparisons, env.Command.Name)
	noteDecisions(table, comparisons)
	return env.Table(table)
}

// printed is the table of the comparisons that are shown.
func printed(comparisons []report.Comparison, command string) *report.Table {
	if len(comparisons) <= maxPrinted {
		return Table(comparisons)
	}
	first := comparisons[0].A
	shown := slices.DeleteFunc(slices.Clone(comparisons),
		func(c report.Comparison) bool { return c.A != first && c.B != first })
	table := Table(shown)
	if left := len(comparisons) - len(shown); left > 0 {
		table.Note("comparisons with %s; %s of other models: %s_comparisons.csv",
			first, text.Count(left, "comparison"), command)
	}
	return table
}

// Files are the names of the files of an analysis, for [run.Job.Files]: the tidy CSV files, the file of scores per
// sample, and others.
func Files(command string, names ...string) func(*run.Options) []string {
	own := []string{command + "_metrics.csv", command + "_comparisons.csv", command + "_samples.csv"}
	return func(*run.Options) []string { return append(own, names...) }
}

// Pages are the names of a figure that may have several pages, and of its first.
func Pages(figure string) []string { return []string{figure + ".figure", figure + "_[0-9]*.figure"} }

// PlanFiles adds to a plan the tidy CSV files and others of the given names.
func PlanFiles(env *run.Env, names ...string) {
	env.Plan.Write(env.Command.Name+"_metrics.csv", env.Command.Name+"_comparisons.csv")
	env.Plan.Write(names...)
}

// All enters the models that could not be measured, writes the tidy CSV files of a result
// that was entered, and runs the steps of writing the others, up to the first error.
func All(env *run.Env, steps ...func(*run.Env) error) error {
	for _, u := range env.Unmeasured() {
		env.Result.Models.Set(u.Name, u.Object())
	}
	if err := env.Result.Tidy(env.Files); err != nil {
		return err
	}
	for _, step := range steps {
		if err := step(env); err != nil {
			return err
		}
	}
	return tellUnmeasured(env)
}

// Table lists comparisons for the console. Where no row has a p value, only the marks of
// the cells say why.
func Table(comparisons []report.Comparison) *report.Table {
	t := report.NewTable("", "Metric", "A", "B", "A − B", "p", "p (Holm)")
	families, tested := map[string]bool{}, false
	for _, c := range comparisons {
		t.Row(c.Metric, c.A, c.B, report.WithInterval(c.Difference, c.CI), report.Probability(c.P),
			report.Probability(c.PHolm))
		families[c.Family] = true
		tested = tested || c.P.Defined()
	}
	if !tested {
		return t // the marks of the cells say why
	}
	family := ""
	if families[results.FamilyRun] {
		family = results.FamilyRun
	}
	t.Note("p: two-sided, Student's t over blocks; p (Holm): corrected over %s", familyWords(family))
	return t
}
