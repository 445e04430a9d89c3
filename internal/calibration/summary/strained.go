// Parts of the pages that list designs: those that strain an assumption, and those in which one model is worse.

package summary

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"repscope/internal/calibration/celltable"
	"repscope/stat"
)

// level is the nominal level of the tests.
const level = 0.05

// namedNumbers is how many numbers a cell names.
const namedNumbers = 4

// measured are the cells of one design in a table of every analysis, by analysis and row.
func (b *book) measured(name, design string) (names []string, cells []celltable.Printed) {
	for _, analysis := range b.Analyses {
		f, err := b.file(analysis)
		if err != nil {
			continue
		}
		t := f.Table(name)
		if t == nil || !slices.Contains(t.Columns, design) {
			continue
		}
		for _, l := range t.Lines {
			if e := t.Cell(l.Name, design); e[celltable.FieldValue] != "" {
				names, cells = append(names, analysis+" `"+shortName(l.Name)+"`"), append(cells, e)
			}
		}
	}
	return names, cells
}

// shortName is a number without what a table cell cannot show.
func shortName(name string) string { return strings.ReplaceAll(name, "|", "/") }

// strained returns a row for each strained design: all numbers, and those outside of what they should be.
func (b *book) strained() string {
	var out strings.Builder
	out.WriteString("\n| design | numbers | coverage | far below 92 % | rejected | far above 7 % |\n|" +
		strings.Repeat(" --- |", 6) + "\n")
	for _, design := range b.Strained {
		covered, coverage := b.measured("coverage", design)
		tested, levels := b.measured("level", design)
		if len(covered) == 0 {
			fmt.Fprintf(&out, "| `%s` | not measured | – | – | – | – |\n", design)
			continue
		}
		fmt.Fprintf(&out, "| `%s` | %d | %s | %s | %s | %s |\n", design, len(covered), middle(coverage),
			outside(covered, coverage, -1), middle(levels), outside(tested, levels, 1))
	}
	return out.String() + "\n"
}

// middle is the median of cells, and their range.
func middle(cells []celltable.Printed) string {
	var values []float64
	for _, e := range cells {
		if v, ok := e.Number(celltable.FieldValue); ok {
			values = append(values, v)
		}
	}
	if len(values) == 0 {
		return "–"
	}
	slices.Sort(values)
	return fmt.Sprintf("%.0f (%s)", math.Round(median(values)), span(values, "%.0f"))
}

// outside names the numbers whose cells are marked, the worst first: the low ones for sign −1, the high ones for 1.
func outside(names []string, cells []celltable.Printed, sign float64) string {
	type number struct {
		name  string
		value float64
	}
	var marked []number
	for i, e := range cells {
		if v, ok := e.Number(celltable.FieldValue); ok && e[celltable.FieldOutside] != "" && (sign > 0 || v < 92) {
			marked = append(marked, number{names[i], v})
		}
	}
	slices.SortStableFunc(marked, func(a, b number) int {
		switch {
		case sign*a.value > sign*b.value:
			return -1
		case a.value != b.value:
			return 1
		}
		return 0
	})
	if len(marked) == 0 {
		return "none"
	}
	var out []string
	for i, f := range marked {
		if i == namedNumbers {
			out = append(out, fmt.Sprintf("%d more", len(marked)-i))
			break
		}
		out = append(out, fmt.Sprintf("%s %.0f", f.name, f.value))
	}
	return strings.Join(out, ", ")
}

// power returns a row for each analysis and each design in which a model is worse: what finds it.
func (b *book) power() (string, error) {
	var out strings.Builder
	out.WriteString("\n| analysis | design | power of 80 % or more | less: power (episodes for 80 %) | near the level |" +
		"\n|" + strings.Repeat(" --- |", 5) + "\n")
	for _, analysis := range b.Analyses {
		f, err := b.file(analysis)
		if err != nil {
			return "", err
		}
		t := f.Table("level")
		for _, d := range b.Worse {
			if t == nil || !slices.Contains(t.Columns, d.Name) {
				continue
			}
			var good, some, none []string
			for _, l := range t.Lines {
				e := t.Cell(l.Name, d.Name)
				power, ok := e.Number(celltable.FieldValue)
				if !ok {
					continue
				}
				spread, _ := e.Number(celltable.FieldError)
				name := "`" + shortName(l.Name) + "`"
				switch {
				case power >= 80:
					good = append(good, name)
				case power-2*spread <= 100*level:
					none = append(none, name)
				default:
					some = append(some, fmt.Sprintf("%s %.0f %% (%d)", name, power, episodesNeeded(d.Episodes, power/100)))
				}
			}
			fmt.Fprintf(&out, "| %s | `%s` | %s | %s | %s |\n", analysis, d.Name, listed(good), listed(some), listed(none))
		}
	}
	return out.String() + "\n", nil
}

// listed are the first names, and how many more there are.
func listed(names []string) string {
	switch {
	case len(names) == 0:
		return "–"
	case len(names) > namedNumbers+1:
		names = append(slices.Clip(names[:namedNumbers]), strconv.Itoa(len(names)-namedNumbers)+" more")
	}
	return strings.Join(names, ", ")
}

// episodesNeeded is the number of episodes at which a two-sided test at 5 % has a power of 80 %, from its power with
// fewer: the standard error falls with the root of their number. The test is taken as one of a normal statistic.
func episodesNeeded(episodes int, power float64) int {
	critical := stat.NormalQuantile(1 - level/2)
	below := func(z float64) float64 { return 0.5 * math.Erfc(-z/math.Sqrt2) }
	rejects := func(shift float64) float64 { return below(shift-critical) + below(-shift-critical) }
	low, high := 0.0, 10.0
	for range 60 {
		if middle := (low + high) / 2; rejects(middle) < power {
			low = middle
		} else {
			high = middle
		}
	}
	wanted := critical + stat.NormalQuantile(0.8)
	return int(math.Ceil(float64(episodes) * (wanted / low) * (wanted / low)))
}
