// Summaries of the tables: ranges of coverage and of false-positive rates, as parts of the pages.

package summary

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"repscope/internal/calibration/celltable"
)

// A query selects cells of one table: the rows and columns whose names match. No pattern of columns is all of them
// but strained designs, and designs in which one model is worse.
type query struct {
	file, table   string
	rows, columns string
	field         int // celltable.FieldValue, or what else a cell has
}

// values returns the selected numbers in increasing order.
func (q query) values(b *book) ([]float64, error) {
	f, err := b.file(q.file)
	if err != nil {
		return nil, err
	}
	t := f.Table(q.table)
	if t == nil {
		return nil, fmt.Errorf("%s.csv has no table %q", q.file, q.table)
	}
	rows, err := regexp.Compile(q.rows)
	if err != nil {
		return nil, err
	}
	columns, err := regexp.Compile(q.columns)
	if err != nil {
		return nil, err
	}
	var out []float64
	for _, l := range t.Lines {
		for k, e := range l.Cells {
			column := t.Columns[k]
			if q.columns == "" && b.special(column) {
				continue
			}
			if v, ok := e.Number(q.field); ok && rows.MatchString(l.Name) && columns.MatchString(column) {
				out = append(out, v+0) // not −0
			}
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s.csv, table %q: no cell of rows %q and columns %q", q.file, q.table, q.rows, q.columns)
	}
	slices.Sort(out)
	return out, nil
}

// special tells whether a design strains an assumption, or has a model that is worse.
func (b *book) special(design string) bool {
	return slices.Contains(b.Strained, design) ||
		slices.ContainsFunc(b.Worse, func(w Worse) bool { return w.Name == design })
}

// span returns a range of percentages or ratios as text.
func span(values []float64, format string) string {
	low, high := fmt.Sprintf(format, values[0]), fmt.Sprintf(format, values[len(values)-1])
	if low == high {
		return low
	}
	return low + "–" + high
}

func median(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// kinds says what the numbers of a table are, by the beginning of its name.
var kinds = [][2]string{{"coverage", "coverage"}, {"level", "rejected"}, {"missing", "no interval"},
	{"families", "tables with a decision"}, {"best", "best model in the set"}}

// text returns what a query finds: "coverage 88–97 %".
func (q query) text(b *book) (string, error) {
	values, err := q.values(b)
	if err != nil {
		return "", err
	}
	switch q.field {
	case celltable.FieldWidth:
		return "width " + span(values, "%.1f"), nil
	case celltable.FieldTested:
		return "p value in " + span(values, "%.0f") + " %", nil
	case celltable.FieldOfAll:
		return "rejected in " + span(values, "%.0f") + " % of all", nil
	case celltable.FieldDecided:
		return "a model outside in " + span(values, "%.0f") + " %", nil
	}
	if q.table == "means" {
		return "mean score " + span(values, "%.1f") + " %", nil
	}
	if q.table == "ranks" || q.table == "alarms" {
		return span(values, "%.1f") + " %", nil
	}
	if q.table == "sizes" {
		return q.columns + " " + span(values, "%.0f"), nil
	}
	for _, kind := range kinds {
		if strings.HasPrefix(q.table, kind[0]) {
			return kind[1] + " " + span(values, "%.0f") + " %", nil
		}
	}
	return span(values, "%g"), nil
}

// A finding is a line of the pages about what intervals and tests do, and what to do about it.
type finding struct {
	part    string // of a page
	numbers string
	designs string
	queries []query
	advice  string
}

// part returns a generated part of a page by its name.
func (b *book) part(name string) (string, error) {
	switch name {
	case "analyses":
		return b.analyses()
	case "readme":
		return b.readme()
	case "strained":
		return b.strained(), nil
	case "power":
		return b.power()
	}
	var out strings.Builder
	out.WriteString("\n| numbers | designs | measured | what to do |\n| --- | --- | --- | --- |\n")
	written := false
	for _, f := range findings {
		if f.part != name {
			continue
		}
		written = true
		var measured []string
		for _, q := range f.queries {
			text, err := q.text(b)
			if err != nil {
				return "", fmt.Errorf("%s: %w", f.numbers, err)
			}
			measured = append(measured, text)
		}
		fmt.Fprintf(&out, "| %s | %s | %s | %s |\n", f.numbers, f.designs, strings.Join(measured, "; "), f.advice)
	}
	if !written {
		return "", fmt.Errorf("there is no part %q", name)
	}
	return out.String() + "\n", nil
}

// readmeNumbers are one number of each analysis, with the rows of its coverage and of its tests.
var readmeNumbers = []struct{ analysis, number, file, covered, tested string }{
	{"smoothness", "R²", "smoothness", "r_squared", "r_squared"},
	{"robustness", "relative distance over all levels", "robustness", "auc_relative", "auc_relative"},
	{"neighborhood", "trustworthiness, k = 5", "neighborhood", "by_k.trustworthiness(k=5)", "trustworthiness@5"},
	{"manifold", "participation ratio", "manifold", "participation_ratio_corrected", "participation_ratio_corrected"},
	{"geometry", "uniformity", "geometry", "uniformity", "uniformity"},
	{"reconstruction", "MSE", "reconstruction", "mse", "mse"},
	{"reward", "R² of the ridge probe", "probes", "probes.r2(name=reward/ridge/true/true)",
		"r2 of reward by ridge, true on true"},
	{"generation", "precision", "generation", "fidelity.precision", "fidelity.precision"},
	{"forecast", "CRPS", "forecast", "crps", "crps"},
	{"sequence", "masked accuracy", "sequence", "mask_acc", "mask_acc"},
}

// readme returns the table of the README: one number of each analysis in the design 0.8/16.
func (b *book) readme() (string, error) {
	var out strings.Builder
	out.WriteString("\n| analysis | number | coverage of the 95 % interval | rejections of equal models at 5 % |\n" +
		"| --- | --- | --- | --- |\n")
	for _, n := range readmeNumbers {
		fmt.Fprintf(&out, "| %s | %s |", n.analysis, n.number)
		for _, cell := range [][3]string{{"coverage", n.covered, "%.0f"}, {"level", n.tested, "%.1f"}} {
			q := query{file: n.file, table: cell[0], rows: "^" + regexp.QuoteMeta(cell[1]) + "$", columns: "^0.8/16$"}
			value, err := q.values(b)
			if err != nil {
				return "", err
			}
			q.field = celltable.FieldError
			spread, err := q.values(b)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&out, " "+cell[2]+" %% ± %.1f |", value[0], spread[0])
		}
		out.WriteString("\n")
	}
	return out.String() + "\n", nil
}

// Columns of the designs with several episodes, and with one series.
const (
	severalEpisodes = `^0[.\d]*/([2-9]|\d\d)|^(differ|uneven|tails|regimes)$`
	oneSeries       = `^0[.\d]*/1$`
	grouped         = `^0/|/16$` // of generation: 0/1 are independent samples
)

// analyses returns a table with a row for each analysis.
func (b *book) analyses() (string, error) {
	var out strings.Builder
	out.WriteString("\n| analysis | draws | numbers | coverage, 5 or more episodes | coverage, one series | " +
		"width, one series | rejected, 5 or more episodes | rejected, one series |\n|" + strings.Repeat(" --- |", 8) + "\n")
	drawn := regexp.MustCompile(`(\d+) draws`)
	for _, name := range b.Analyses {
		f, err := b.file(name)
		if err != nil {
			return "", err
		}
		t := f.Table("coverage")
		fmt.Fprintf(&out, "| %s | %s | %d |", name, drawn.FindStringSubmatch(t.Title)[1], len(t.Lines))
		for _, q := range []query{
			{file: name, table: "coverage", columns: severalEpisodes},
			{file: name, table: "coverage", columns: oneSeries},
			{file: name, table: "coverage", columns: oneSeries, field: celltable.FieldWidth},
			{file: name, table: "level", columns: severalEpisodes},
			{file: name, table: "level", columns: oneSeries},
		} {
			values, err := q.values(b)
			if err != nil {
				fmt.Fprint(&out, " – |") // no p value in one series
				continue
			}
			if q.field == celltable.FieldWidth {
				fmt.Fprintf(&out, " %.1f (%.1f) |", median(values), values[len(values)*9/10])
				continue
			}
			fmt.Fprintf(&out, " %.0f (%s) |", math.Round(median(values)), span(values, "%.0f"))
		}
		out.WriteString("\n")
	}
	return out.String() + "\n", nil
}
