// Summaries of the tables: ranges of coverage and of false-positive rates, as parts of the pages.

package main

import (
	"fmt"
	"math"
	"regexp"
	"repscope/internal/calibration/celltable"
	"slices"
	"strings"
)

// A query selects cells of one table: the rows and columns whose names match. No pattern of columns is all of them
// but strained designs, and designs in which one model is worse.
type query struct {
	file, table   string
	rows, columns string
	field         int // celltable.FieldValue, or what else a cell has
}

// values returns the selected numbers in increasing order.
func (q query) values(files []*celltable.File) ([]float64, error) {
	i := slices.IndexFunc(files, func(f *celltable.File) bool { return f.Name == q.file })
	if i < 0 {
		return nil, fmt.Errorf("there is no file %s.csv", q.file)
	}
	t := files[i].Table(q.table)
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
	special := slices.Concat(strained(), worse())
	var out []float64
	for _, l := range t.Lines {
		for k, e := range l.Cells {
			column := t.Columns[k]
			if q.columns == "" && slices.ContainsFunc(special, func(d Design) bool { return d.Name == column }) {
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
func (q query) text(files []*celltable.File) (string, error) {
	values, err := q.values(files)
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

// renderPart returns a generated part of a page by its name.
func renderPart(name string, files []*celltable.File) (string, error) {
	switch name {
	case "analyses":
		return renderAnalyses(files)
	case "readme":
		return renderReadme(files)
	case "strained":
		return renderStrained(files), nil
	case "power":
		return renderPower(files)
	}
	var b strings.Builder
	b.WriteString("\n| numbers | designs | measured | what to do |\n| --- | --- | --- | --- |\n")
	written := false
	for _, f := range findings {
		if f.part != name {
			continue
		}
		written = true
		var measured []string
		for _, q := range f.queries {
			text, err := q.text(files)
			if err != nil {
				return "", fmt.Errorf("%s: %w", f.numbers, err)
			}
			measured = append(measured, text)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", f.numbers, f.designs, strings.Join(measured, "; "), f.advice)
	}
	if !written {
		return "", fmt.Errorf("there is no part %q", name)
	}
	return b.String() + "\n", nil
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

// renderReadme returns the table of the README: one number of each analysis in the design 0.8/16.
func renderReadme(files []*celltable.File) (string, error) {
	var b strings.Builder
	b.WriteString("\n| analysis | number | coverage of the 95 % interval | rejections of equal models at 5 % |\n" +
		"| --- | --- | --- | --- |\n")
	for _, n := range readmeNumbers {
		fmt.Fprintf(&b, "| %s | %s |", n.analysis, n.number)
		for _, cell := range [][3]string{{"coverage", n.covered, "%.0f"}, {"level", n.tested, "%.1f"}} {
			q := query{file: n.file, table: cell[0], rows: "^" + regexp.QuoteMeta(cell[1]) + "$", columns: "^0.8/16$"}
			value, err := q.values(files)
			if err != nil {
				return "", err
			}
			q.field = celltable.FieldError
			spread, err := q.values(files)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&b, " "+cell[2]+" %% ± %.1f |", value[0], spread[0])
		}
		b.WriteString("\n")
	}
	return b.String() + "\n", nil
}

// Columns of the designs with several episodes, and with one series.
const (
	severalEpisodes = `^0[.\d]*/([2-9]|\d\d)|^(differ|uneven|tails|regimes)$`
	oneSeries       = `^0[.\d]*/1$`
)

// renderAnalyses returns a table with a row for each analysis.
func renderAnalyses(files []*celltable.File) (string, error) {
	var b strings.Builder
	b.WriteString("\n| analysis | draws | numbers | coverage, 5 or more episodes | coverage, one series | " +
		"width, one series | rejected, 5 or more episodes | rejected, one series |\n|" + strings.Repeat(" --- |", 8) + "\n")
	drawn := regexp.MustCompile(`(\d+) draws`)
	for _, subject := range analyses() {
		i := slices.IndexFunc(files, func(f *celltable.File) bool { return f.Name == subject.Name })
		if i < 0 {
			return "", fmt.Errorf("there is no file %s.csv", subject.Name)
		}
		t := files[i].Table("coverage")
		fmt.Fprintf(&b, "| %s | %s | %d |", subject.Name, drawn.FindStringSubmatch(t.Title)[1], len(t.Lines))
		for _, q := range []query{
			{file: subject.Name, table: "coverage", columns: severalEpisodes},
			{file: subject.Name, table: "coverage", columns: oneSeries},
			{file: subject.Name, table: "coverage", columns: oneSeries, field: celltable.FieldWidth},
			{file: subject.Name, table: "level", columns: severalEpisodes},
			{file: subject.Name, table: "level", columns: oneSeries},
		} {
			values, err := q.values(files)
			if err != nil {
				fmt.Fprint(&b, " – |") // no p value in one series
				continue
			}
			if q.field == celltable.FieldWidth {
				fmt.Fprintf(&b, " %.1f (%.1f) |", median(values), values[len(values)*9/10])
				continue
			}
			fmt.Fprintf(&b, " %.0f (%s) |", math.Round(median(values)), span(values, "%.0f"))
		}
		b.WriteString("\n")
	}
	return b.String() + "\n", nil
}
