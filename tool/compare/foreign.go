// What to do about cells and tables that people have and that are not read.

package compare

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"repscope/internal/format"
)

// cellHints say what to do about a cell that is no number, by its form; the first that matches counts.
var cellHints = []struct {
	form *regexp.Regexp
	hint string
}{
	{regexp.MustCompile(`\\[a-z]|\$|\*|__|†|‡`), "write the number alone: no LaTeX, bold or marks of footnotes"},
	{regexp.MustCompile(`±|\+/-|\+-|\d\s*[(\[]`), "write the value alone, and each run " +
		"as a row of its own: their spread makes the interval"},
	{regexp.MustCompile(`^[+-]?\d{1,3}([,.' ]\d{3})+([.,]\d+)?$`),
		"write numbers without separators of thousands: 1234.5"},
	{regexp.MustCompile(`^[−–]\d`), "write the minus sign as -"},
	{regexp.MustCompile(`^[+-]?[\d.,]+\s*%$`), "write shares as 0.512, or percentages without the sign in all rows"},
	{regexp.MustCompile(`^[+-]?[\d.]+,\d+$`), "write a decimal point, or separate the cells by semicolons"},
	{regexp.MustCompile(`^[+-]?[\d.]+(e[+-]?\d+)?\s*[a-zA-Zµ/]+$`),
		"write numbers without their unit, in one unit in all rows"},
}

// cellHint says what to do about a cell that is no number in a column.
func cellHint(cell, name string) string {
	for _, c := range cellHints {
		if c.form.MatchString(strings.TrimSpace(cell)) {
			return c.hint
		}
	}
	return "if it is no score, say what it is: " + roleHint(name)
}

// exports are tables of other programs by columns of theirs; scores of models are not to be told from the rest.
var exports = []struct {
	columns []string
	what    string
	hint    string
}{
	{[]string{"Wall time", "Step", "Value"}, "a curve of TensorBoard", "compare curves: --losses NAME=FILE"},
	{[]string{"number", "datetime_start", "state"}, "trials of Optuna", "keep finished trials, a parameter as " +
		"the model and the value as its score: df[df.state == 'COMPLETE'].rename(columns={'params_opt': 'model', " +
		"'value': 'score'})[['model', 'score']].to_csv('trials.csv')"},
	{[]string{"Run ID", "Status", "Start Time"}, "runs of MLflow's page, which does not say which columns are metrics",
		"save mlflow.search_runs().to_csv('runs.csv'), or give the folder mlruns"},
	{[]string{"mean_fit_time", "mean_test_score", "params"}, "the results of a search of scikit-learn",
		"write a row for each split: model, run, score"},
	{[]string{"name.name", "name.split", "sum", "mean"}, "statistics of a run of HELM, which do not name the model",
		"write a row for each run: model, task, and the mean as a metric"},
}

// exportHint says what a table is, and what to do about it; empty for others.
func exportHint(names []string) (what, hint string) {
	for _, e := range exports {
		if !slices.ContainsFunc(e.columns, func(name string) bool { return !slices.Contains(names, name) }) {
			return e.what, e.hint
		}
	}
	return "", ""
}

// stores are files of other programs that are neither text nor tables.
var stores = []struct{ magic, what, hint string }{
	{"SQLite format 3\x00", "a SQLite database", "write a table of it; of MLflow: " +
		"mlflow.search_runs(search_all_experiments=True).to_csv('runs.csv')"},
	{":W&B", "the log of a run of Weights & Biases", "run wandb sync, and export the table of runs or a chart as CSV; " +
		"offline, save dict(run.summary) of each run as JSON before run.finish()"},
	{format.NPYMagic, "a NumPy array, which does not name models", "write a row for each score: model, task, run, score"},
	{"PK\x03\x04", "a zip file, such as .npz or .xlsx", "write a row for each score: model, task, run, score; of a " +
		"spreadsheet, save the sheet as CSV"},
	{"\x89HDF", "an HDF5 file", "write a row for each score: model, task, run, score"},
	{"\x80", "a pickle", "write its table as CSV: df.to_csv('scores.csv'), or a row for each score: " +
		"model, task, run, score"},
}

// storeOf says what a file of no text is, and what to do about it; empty for others.
func storeOf(data []byte) (what, hint string) {
	for _, s := range stores {
		if bytes.HasPrefix(data, []byte(s.magic)) {
			return s.what, s.hint
		}
	}
	return "", ""
}

// headHint says what to do about a first line that names no columns.
func headHint(data []byte) string {
	line, rest, _ := bytes.Cut(data, []byte("\n"))
	second, rest, _ := bytes.Cut(rest, []byte("\n"))
	third, _, _ := bytes.Cut(rest, []byte("\n"))
	empty := func(line []byte) bool { return bytes.HasSuffix(bytes.TrimSpace(line), []byte(",,")) }
	switch {
	case bytes.HasPrefix(line, []byte("sep=")):
		return "take out the first line, which is for Excel alone"
	case bytes.HasPrefix(line, []byte("|")):
		return "the table is Markdown: save it as CSV"
	case bytes.HasPrefix(line, []byte("name,")) && bytes.Contains(line, []byte("±")):
		return "the table is benchstat's of before 2023: save it as text"
	case bytes.HasPrefix(line, []byte(",,")), empty(second), empty(third):
		return "the first lines name columns at several levels, as pandas writes them: write one name for each column " +
			"(df.columns = ['/'.join(map(str, c)) for c in df.columns])"
	}
	return "give each column one name of its own"
}

// textHint says what text is that is neither a table nor JSON.
func textHint(data []byte) string {
	line, _, _ := bytes.Cut(data, []byte("\n"))
	if bytes.HasPrefix(line, []byte("{")) || bytes.HasPrefix(line, []byte("[")) {
		return ""
	}
	return "tables need a first line of names, and commas, semicolons, tabs or bars between their cells"
}
