// What a run writes of its numbers: the result file, CSV files and console tables.

package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"repscope/analysis/canvas"
	"repscope/analysis/canvas/internal/source"
	"repscope/analysis/internal/output"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/report"
)

// The CSV files besides the files of every analysis.
const (
	casesFile     = "canvas_cases.csv"
	agreementFile = "canvas_agreement.csv"
)

// outputs is what a run was asked to write.
type outputs struct {
	plots   bool // bars and boxes of every metric
	reports bool // matches of every case
	resume  bool // a finished run leaves its files alone
}

// outcome is a result with what it was made of.
type outcome struct {
	*canvas.Result
	kinds    []canvas.Kind
	settings *canvas.Setting
	read     source.Reader
	outputs
}

// write puts the numbers into the result file, the CSV files, the console and the figures.
func (r *outcome) write(ctx context.Context, env *run.Env) error {
	for _, w := range r.Warnings {
		env.Warn("%s", w)
	}
	for i := range r.Models {
		env.Result.Models.Set(r.Models[i].Name, r.Models[i].Object)
	}
	env.Result.Comparisons, env.Result.Blocks = r.Comparisons, r.Blocks
	env.Result.Extra.Set("definitions", r.definitions())
	env.Result.Extra.Set("cases", r.cases())
	if r.Agreement != nil {
		env.Result.Extra.Set("agreement", r.Agreement.Object)
	}
	if r.Preferences != nil {
		env.Result.Extra.Set("preferences", r.Preferences.Object)
	}
	env.Result.Describe(canvas.Described(r.kinds, r.improves)...)
	figures := func(env *run.Env) error {
		drawings := r.drawings(ctx)
		if r.resume {
			same, err := env.AsBefore(ctx, drawings)
			if err != nil {
				return err
			}
			if same {
				env.LeaveAsItWas(env.Options.Out + ": nothing to do; the files of the earlier run are unchanged")
				return nil
			}
		}
		return env.Figures(ctx, drawings)
	}
	return output.All(env, r.writeCases, r.writeSamples, r.writeAgreement, r.writePreferences, r.print, figures)
}

// planOutputs says which files a run writes.
func planOutputs(env *run.Env, in *canvas.Input, kinds []canvas.Kind) {
	output.PlanFiles(env, casesFile, output.SamplesFile(env))
	if in.Ratings != nil {
		env.Plan.Write(agreementFile)
	}
	if in.Preferences != nil {
		env.Plan.Write(preferencesFile, strengthsFile)
	}
	planFigures(env, in, kinds)
}

// improves reports whether some model has an improvement of a key.
func (r *outcome) improves(key string) bool {
	return slices.ContainsFunc(r.Models, func(m canvas.ModelResult) bool {
		n := m.Number(key)
		return n != nil && n.Improvement != nil
	})
}

// definitions says what the numbers of every metric mean.
func (r *outcome) definitions() report.Object {
	var all, metrics report.Object
	all.Set("definition", r.settings.Definition)
	for _, k := range r.kinds {
		var o report.Object
		o.Set("about", k.About)
		if k.Definition != nil {
			o.Set("definition", r.settings.DefinitionOf(&k))
		}
		o.Set("keys", canvas.KeysOf([]canvas.Kind{k}))
		metrics.Set(k.Name, o)
	}
	all.Set("metrics", metrics)
	return all
}

// cases are the numbers of all cases by their names, with their snapshots.
func (r *outcome) cases() report.Object {
	var all report.Object
	snapshots := map[string][]report.Object{}
	for i := range r.Rows {
		if c := r.Rows[i].Case; c.Snapshot >= 0 {
			o := r.caseEntry(&r.Rows[i])
			snapshots[c.ID] = append(snapshots[c.ID], o)
		}
	}
	for i := range r.Rows {
		c := r.Rows[i].Case
		if c.Snapshot >= 0 {
			continue
		}
		o := r.caseEntry(&r.Rows[i])
		if of := snapshots[c.ID]; of != nil {
			o.Set("snapshots", of)
			delete(snapshots, c.ID)
		}
		all.Set(c.ID, o)
	}
	for i := range r.Rows { // designs that were never finished
		if id := r.Rows[i].Case.ID; snapshots[id] != nil {
			var o report.Object
			o.Set("model", r.Rows[i].Case.Model)
			o.Set("sample", r.Rows[i].Case.Sample)
			o.Set("snapshots", snapshots[id])
			delete(snapshots, id)
			all.Set(id, o)
		}
	}
	return all
}

// caseEntry is a row as the result file holds it.
func (r *outcome) caseEntry(row *canvas.CaseRow) report.Object {
	var o report.Object
	c := row.Case
	o.Set("model", c.Model)
	o.Set("sample", c.Sample)
	if c.Variant != "" {
		o.Set("variant", c.Variant)
	}
	if c.Snapshot >= 0 {
		o.Set("snapshot", c.Snapshot)
	}
	r.enterRow(&o, row.Row, func(key string) bool { return true })
	if row.Base != nil {
		var base report.Object
		r.enterRow(&base, row.Base, func(key string) bool { _, ok := row.Base.Values[key]; return ok })
		o.Set("base", base)
		for _, key := range r.improved(row) {
			o.Set(key+"_improvement", row.Improvement(key))
		}
	}
	if len(row.Row.Failures) > 0 {
		o.Set("failures", row.Row.Failures)
	}
	return o
}

// improved are the keys of a row that a modification may improve.
func (r *outcome) improved(row *canvas.CaseRow) []string {
	var out []string
	for _, k := range r.kinds {
		for _, key := range k.Keys {
			if _, ok := row.Base.Values[key.Name]; ok && key.Improved {
				out = append(out, key.Name)
			}
		}
	}
	return out
}

// enterRow enters the numbers of a row in the order of the metrics, then its other members. The
// reasons of undefined numbers are in one list by number.
func (r *outcome) enterRow(o *report.Object, row *canvas.Row, has func(key string) bool) {
	for _, k := range r.kinds {
		for _, key := range k.Keys {
			if has(key.Name) {
				o.Set(key.Name, row.Values[key.Name])
			}
		}
	}
	details := make([]string, 0, len(row.Details))
	for name := range row.Details {
		details = append(details, name)
	}
	slices.Sort(details)
	for _, name := range details {
		o.Set(name, row.Details[name])
	}
}

// writeCases writes a row for every case and snapshot.
func (r *outcome) writeCases(env *run.Env) error {
	columns := []string{"case_id", "sample", "model", "variant", "snapshot"}
	var keys, improved []string
	for _, k := range r.kinds {
		for _, key := range k.Keys {
			keys = append(keys, key.Name)
			if r.improves(key.Name) {
				improved = append(improved, key.Name)
			}
		}
	}
	columns = append(columns, keys...)
	for _, key := range improved {
		columns = append(columns, key+"_improvement")
	}
	return env.Files.CSV(casesFile, append(columns, "failures"), func(csv *report.CSV) error {
		for i := range r.Rows {
			row := &r.Rows[i]
			cells := []any{row.Case.ID, row.Case.Sample, row.Case.Model, row.Case.Variant, ""}
			if row.Case.Snapshot >= 0 {
				cells[4] = row.Case.Snapshot
			}
			for _, key := range keys {
				cells = append(cells, row.Row.Values[key])
			}
			for _, key := range improved {
				cells = append(cells, row.Improvement(key))
			}
			if err := csv.Row(append(cells, strings.Join(row.Row.Failures, "; "))...); err != nil {
				return err
			}
		}
		return nil
	})
}

// writeSamples writes the scores by which compare pairs runs: of final designs, by sample.
func (r *outcome) writeSamples(env *run.Env) error {
	table := &report.SampleTable{}
	for _, k := range r.kinds {
		for _, key := range k.Keys {
			table.Metrics = append(table.Metrics, key.Name)
			if r.improves(key.Name) {
				table.Metrics = append(table.Metrics, key.Name+"_improvement")
			}
		}
	}
	for i := range r.Models {
		m := &r.Models[i]
		samples := report.ModelSamples{Model: m.Name, Scores: make([][]float64, len(table.Metrics))}
		seen := map[string]int{}
		for _, index := range m.Rows {
			row := &r.Rows[index]
			name := row.Case.Sample
			if seen[name]++; seen[name] > 1 {
				name = fmt.Sprintf("%s#%d", name, seen[name])
			}
			samples.Sample, samples.Group = append(samples.Sample, name), append(samples.Group, row.Case.Sample)
			for k, metric := range table.Metrics {
				v, ok := row.Row.Values[metric]
				if base, improvement := strings.CutSuffix(metric, "_improvement"); !ok && improvement {
					v = row.Improvement(base)
				}
				samples.Scores[k] = append(samples.Scores[k], v.Float())
			}
		}
		table.Models = append(table.Models, samples)
	}
	return output.NamedSamples(env, "sample", "sample", table)
}

// writeAgreement writes how metrics agree with ratings.
func (r *outcome) writeAgreement(env *run.Env) error {
	if r.Agreement == nil {
		return nil
	}
	columns := []string{"metric", "direction", "n", "spearman", "spearman_low", "spearman_high", "kendall", "kendall_low", "kendall_high",
		"pair_accuracy", "pair_accuracy_low", "pair_accuracy_high", "pairs", "reason",
		"spearman_within", "spearman_within_low", "spearman_within_high"}
	return env.Files.CSV(agreementFile, columns, func(csv *report.CSV) error {
		for i := range r.Agreement.Metrics {
			m := &r.Agreement.Metrics[i]
			cells := []any{m.Key.Name, string(m.Key.Better()), m.N}
			for _, of := range []report.Estimate{m.Spearman, m.Kendall, m.PairAccuracy} {
				low, high := output.Ends(of.CI)
				cells = append(cells, of.Value, report.Number(low), report.Number(high))
			}
			low, high := output.Ends(m.SpearmanWithin.CI)
			cells = append(cells, m.Pairs, m.Spearman.Reason, m.SpearmanWithin.Value, report.Number(low), report.Number(high))
			if err := csv.Row(cells...); err != nil {
				return err
			}
		}
		return nil
	})
}

// Bounds of console tables.
const (
	mostColumns  = 6  // models
	mostCompared = 30 // comparisons
	mostFailures = 10
)

// print writes the tables to the console.
func (r *outcome) print(env *run.Env) error {
	for lo := 0; lo < len(r.Models); lo += mostColumns {
		if err := r.printMeans(env, lo, min(lo+mostColumns, len(r.Models))); err != nil {
			return err
		}
	}
	for _, step := range []func(*run.Env) error{r.printImprovements, r.printAgreement, r.printPreferences, r.printSkipped,
		r.printFailures, r.printComparisons} {
		if err := step(env); err != nil {
			return err
		}
	}
	return nil
}

// mostPrinted is how many numbers the table of means of several cases has; of one case it has all.
const mostPrinted = 20

// printed are the numbers of the table of means: those by which models are compared, the main ones
// where these are many.
func (r *outcome) printed() (keys []canvas.Key, rest int) {
	keys = slices.DeleteFunc(canvas.ComparedKeys(r.kinds), func(key canvas.Key) bool {
		return !slices.ContainsFunc(r.Models, func(m canvas.ModelResult) bool { return m.Number(key.Name).N > 0 })
	})
	if len(r.Rows) == 1 || len(keys) <= mostPrinted {
		return keys, 0
	}
	main := mainOf(keys)
	return main, len(keys) - len(main)
}

// printMeans writes the means of the models lo ≤ i < hi.
func (r *outcome) printMeans(env *run.Env, lo, hi int) error {
	columns := []string{"Mean over cases", "better"}
	for i := lo; i < hi; i++ {
		columns = append(columns, r.Models[i].Name)
	}
	table, rows := report.NewTable("", columns...), 0
	keys, rest := r.printed()
	for _, key := range keys {
		cells := []any{label(key), string(key.Better())}
		some := false
		for i := lo; i < hi; i++ {
			n := r.Models[i].Number(key.Name)
			some = some || n.N > 0
			cells = append(cells, n.Estimate)
		}
		if some {
			table.Row(cells...)
			rows++
		}
	}
	if rows == 0 {
		return nil
	}
	var counts []string
	for _, m := range r.Models[lo:hi] {
		counts = append(counts, fmt.Sprintf("%s %s", m.Name, text.Count(m.Cases, "case")))
	}
	what := strings.Join(counts, ", ")
	if r.Blocks != "" {
		what += fmt.Sprintf("; [95 %% intervals] by deleting each of %s", r.Blocks)
	}
	table.Note("%s", what)
	more := ""
	if rest > 0 {
		more = fmt.Sprintf("%s in canvas_metrics.csv", text.Count(rest, "more metric"))
	}
	if a := r.Agreement; a != nil {
		agreement := fmt.Sprintf("agreement with %s in canvas_agreement.csv", text.Count(a.Ratings, "rating"))
		more = strings.TrimPrefix(more+"; "+agreement, "; ")
	}
	if a := r.Preferences; a != nil {
		strengths := fmt.Sprintf("strengths by %s in %s", text.Count(a.Pairs, "preference"), strengthsFile)
		more = strings.TrimPrefix(more+"; "+strengths, "; ")
	}
	if more != "" {
		table.Note("%s", more)
	}
	return env.Table(table)
}

// label is the name of a key with its unit.
func label(key canvas.Key) string {
	if key.Unit == "" {
		return key.Name
	}
	return fmt.Sprintf("%s (%s)", key.Name, key.Unit)
}

// printImprovements writes what modifications moved.
func (r *outcome) printImprovements(env *run.Env) error {
	table, rows := report.NewTable("Improvement over the design that the modification began with",
		"Model", "Metric", "mean difference", "raised", "lowered", "p (sign, Holm)"), 0
	for i := range r.Models {
		for _, n := range r.Models[i].Numbers {
			if g := n.Improvement; g != nil && g.N > 0 && n.Key.Compared {
				table.Row(r.Models[i].Name, n.Key.Name, g.Estimate, g.Raised, g.Lowered, report.Probability(g.PHolm))
				rows++
			}
		}
	}
	if rows == 0 {
		return nil
	}
	table.Note("raised and lowered: samples; p: two-sided sign test over samples, corrected over the metrics of a model")
	return env.Details(table)
}

// printAgreement writes how metrics agree with ratings, the best first.
func (r *outcome) printAgreement(env *run.Env) error {
	a := r.Agreement
	if a == nil {
		return nil
	}
	table, rows := report.NewTable("Agreement with ratings", "Metric", "better", "Spearman",
		"within models", "Kendall", "pairs right"), 0
	for _, m := range a.Metrics {
		if m.N > 0 && m.Key.Compared {
			table.Row(m.Key.Name, string(m.Key.Better()), m.Spearman, m.SpearmanWithin, m.Kendall, m.PairAccuracy)
			rows++
		}
	}
	if rows == 0 {
		return nil
	}
	table.Note("%s of %s", text.Count(a.Ratings, "rating"), text.Count(a.Cases, "case"))
	if a.Alpha.Defined() {
		table.Note("people with each other: Krippendorff's alpha %s", report.FormatEstimate(a.Alpha.V, a.Alpha.CI))
	}
	if a.Rest.Defined() {
		table.Note("one person with the mean of the others: Spearman %s", report.FormatEstimate(a.Rest.V, a.Rest.CI))
	}
	return env.Details(table)
}

// printSkipped says what no case of a model has, and why.
func (r *outcome) printSkipped(env *run.Env) error {
	table, rows := report.NewTable("Not computed", "Metrics", "Models", "Reason"), 0
	for _, k := range r.kinds {
		var models []string
		reason, whole := "", true
		for i := range r.Models {
			m := &r.Models[i]
			for _, key := range k.Keys {
				n := m.Number(key.Name)
				switch {
				case n.N > 0:
					whole = false
				case reason == "":
					reason = n.Why()
				}
			}
			models = append(models, m.Name)
		}
		if whole && len(k.Keys) > 0 && len(models) > 0 {
			table.Row(k.Name, strings.Join(models, ", "), reason)
			rows++
		}
	}
	if rows == 0 {
		return nil
	}
	return env.Details(table)
}

// printFailures names cases with files that could not be read.
func (r *outcome) printFailures(env *run.Env) error {
	table, rows := report.NewTable("Failed cases", "Case", "Reason"), 0
	for _, row := range r.Rows {
		for _, reason := range row.Row.Failures {
			if rows++; rows <= mostFailures {
				table.Row(row.Case.Name(), reason)
			}
		}
	}
	if rows == 0 {
		return nil
	}
	if rows > mostFailures {
		table.Note("%d more in %s", rows-mostFailures, casesFile)
	}
	return env.Table(table)
}

// printComparisons writes the comparisons of the main metrics; those with the first model where
// there are many.
func (r *outcome) printComparisons(env *run.Env) error {
	if !env.Options.Verbose {
		return output.PrintDiffering(env, r.Comparisons)
	}
	main := r.mainKeys()
	shown := slices.DeleteFunc(slices.Clone(r.Comparisons), func(c report.Comparison) bool {
		return !slices.ContainsFunc(main, func(key canvas.Key) bool { return key.Name == c.Metric })
	})
	if len(shown) > mostCompared {
		first := r.Models[0].Name
		shown = slices.DeleteFunc(shown, func(c report.Comparison) bool { return c.A != first && c.B != first })
	}
	if len(shown) == 0 {
		return nil
	}
	table := output.Table(shown)
	if left := len(r.Comparisons) - len(shown); left > 0 {
		table.Note("%s more in canvas_comparisons.csv", text.Count(left, "comparison"))
	}
	return env.Details(table)
}

// mainNames are the numbers that stand for the others in figures and tables, in their order.
var mainNames = canvas.Headlines()

// mostMain is how many numbers stand for the others at most.
const mostMain = 12

// mainKeys are those that stand for the others, of what some model has: at most 12, filled up by
// others that models are compared by.
func (r *outcome) mainKeys() []canvas.Key {
	all := slices.DeleteFunc(canvas.ComparedKeys(r.kinds), func(key canvas.Key) bool {
		return !slices.ContainsFunc(r.Models, func(m canvas.ModelResult) bool { return m.Number(key.Name).N > 0 })
	})
	return mainOf(all)
}

// mainOf are those that stand for the others among some, in their order.
func mainOf(all []canvas.Key) []canvas.Key {
	out := slices.DeleteFunc(slices.Clone(all), func(key canvas.Key) bool { return !slices.Contains(mainNames, key.Name) })
	for _, key := range all {
		if len(out) < min(mostMain, 6) && !slices.Contains(mainNames, key.Name) {
			out = append(out, key)
		}
	}
	if len(out) > mostMain {
		out = out[:mostMain]
	}
	return out
}
