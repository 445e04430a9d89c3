// Parts of the pages that list designs: those that strain an assumption, and those in which one model is worse.

package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"repscope/internal/calibration/celltable"
	"repscope/stat"
)

// namedNumbers is how many numbers a cell names.
const namedNumbers = 4

// measured are the cells of one design in a table of every analysis, by analysis and row.
func measured(files []*celltable.File, name, design string) (names []string, cells []celltable.Printed) {
	for _, subject := range analyses() {
		i := slices.IndexFunc(files, func(f *celltable.File) bool { return f.Name == subject.Name })
		if i < 0 {
			continue
		}
		t := files[i].Table(name)
		if t == nil || !slices.Contains(t.Columns, design) {
			continue
		}
		for _, l := range t.Lines {
			if e := t.Cell(l.Name, design); e[celltable.FieldValue] != "" {
				names, cells = append(names, subject.Name+" `"+shortName(l.Name)+"`"), append(cells, e)
			}
		}
	}
	return names, cells
}

// shortName is a number without what a table cell cannot show.
func shortName(name string) string { return strings.ReplaceAll(name, "|", "/") }

// renderStrained returns a row for each strained design: all numbers, and those outside of what they should be.
func renderStrained(files []*celltable.File) string {
	var b strings.Builder
	b.WriteString("\n| design | numbers | coverage | far below 92 % | rejected | far above 7 % |\n|" +
		strings.Repeat(" --- |", 6) + "\n")
	for _, d := range strained() {
		covered, coverage := measured(files, "coverage", d.Name)
		tested, levels := measured(files, "level", d.Name)
		if len(covered) == 0 {
			fmt.Fprintf(&b, "| `%s` | not measured | – | – | – | – |\n", d.Name)
			continue
		}
		fmt.Fprintf(&b, "| `%s` | %d | %s | %s | %s | %s |\n", d.Name, len(covered), middle(coverage),
			outside(covered, coverage, -1), middle(levels), outside(tested, levels, 1))
	}
	return b.String() + "\n"
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

// renderPower returns a row for each analysis and each design in which a model is worse: what finds it.
func renderPower(files []*celltable.File) (string, error) {
	var b strings.Builder
	b.WriteString("\n| analysis | design | power of 80 % or more | less: power (episodes for 80 %) | near the level |\n|" +
		strings.Repeat(" --- |", 5) + "\n")
	for _, subject := range analyses() {
		i := slices.IndexFunc(files, func(f *celltable.File) bool { return f.Name == subject.Name })
		if i < 0 {
			return "", fmt.Errorf("there is no file %s.csv", subject.Name)
		}
		t := files[i].Table("level")
		for _, d := range worse() {
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
			fmt.Fprintf(&b, "| %s | `%s` | %s | %s | %s |\n", subject.Name, d.Name, listed(good), listed(some), listed(none))
		}
	}
	return b.String() + "\n", nil
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
	rejects := func(shift float64) float64 { return normal(shift-critical) + normal(-shift-critical) }
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
