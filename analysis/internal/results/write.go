// What every analysis of models enters and prints alike.

package results

import (
	"slices"

	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/report"
)

// Enter puts warnings, models and comparisons into the result of a run. What is said of several models in the same words is said
// once.
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

// maxPrinted is how many comparisons the console shows of all pairs of models.
const maxPrinted = 100

// PrintComparisons writes the table of the comparisons, if there are any, to the
// console. Of more than 100 it shows those with the first model, and says where the others
// are.
func PrintComparisons(env *run.Env, comparisons []report.Comparison) error {
	if len(comparisons) == 0 {
		return nil
	}
	return env.Table(printed(comparisons, env.Command.Name))
}

// printed is the table of the comparisons that are shown.
func printed(comparisons []report.Comparison, command string) *report.Table {
	if len(comparisons) <= maxPrinted {
		return Table(comparisons)
	}
	first := comparisons[0].A
	shown := slices.DeleteFunc(slices.Clone(comparisons), func(c report.Comparison) bool { return c.A != first && c.B != first })
	table := Table(shown)
	if left := len(comparisons) - len(shown); left > 0 {
		table.Note("those with %s; %s of other models in %s_comparisons.csv", first, text.Count(left, "comparison"), command)
	}
	return table
}

// Files are the names of the files of an analysis, for [run.Job.Files]: the tidy CSV files, that of scores per sample,
// and others.
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

// All writes the tidy CSV files of a result that was entered, and runs the steps of
// writing the others, up to the first error.
func All(env *run.Env, steps ...func(*run.Env) error) error {
	if err := env.Result.Tidy(env.Files); err != nil {
		return err
	}
	for _, step := range steps {
		if err := step(env); err != nil {
			return err
		}
	}
	return nil
}
