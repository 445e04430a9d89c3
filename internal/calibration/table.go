// The tables of the document.

package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// write writes the tables of one analysis under designs of equal models, and under designs in which one model is worse.
func write(w io.Writer, tallies, worse []*Tally) {
	all := slices.Concat(tallies, worse)
	fmt.Fprintf(w, "\nCoverage in percent ± Monte-Carlo error (width), %d draws × %d models:\n\n", all[0].Draws, models)
	var metrics, tests, families []string
	for _, t := range all {
		tests = union(tests, t.Tests)
	}
	for _, t := range tallies {
		metrics = union(metrics, t.Order)
		for family := range t.Holm {
			families = union(families, []string{family})
		}
	}
	slices.Sort(families)
	header(w, "metric", tallies)
	for _, metric := range metrics {
		row(w, metric, tallies, func(t *Tally) string { return t.Cells[metric].text() })
	}
	fmt.Fprint(w, "\np < 0.05 for equal models in percent ± Monte-Carlo error, "+
		"and for a model that is worse (power):\n\n")
	header(w, "metric", all)
	for _, metric := range tests {
		row(w, metric, all, func(t *Tally) string { return t.P[metric].text(t.Design.Noise == 0) })
	}
	fmt.Fprintf(w, "\nAny p (Holm) < 0.05 within a family, and anywhere in a run:\n\n")
	header(w, "family", tallies)
	for _, family := range families {
		row(w, family, tallies, func(t *Tally) string { return t.Holm[family].text(true) })
	}
	row(w, "anywhere", tallies, func(t *Tally) string { return t.AnyHolm.text(false) })
	row(w, "anywhere, `--family run`", tallies, func(t *Tally) string { return t.AnyRun.text(true) })
	fmt.Fprintln(w)
}

func union(a, b []string) []string {
	for _, v := range b {
		if !slices.Contains(a, v) {
			a = append(a, v)
		}
	}
	return a
}

func header(w io.Writer, first string, tallies []*Tally) {
	row(w, first, tallies, func(t *Tally) string { return t.Design.Name })
	fmt.Fprintln(w, "|"+strings.Repeat(" --- |", len(tallies)+1))
}

func row(w io.Writer, first string, tallies []*Tally, cell func(*Tally) string) {
	fmt.Fprintf(w, "| %s |", strings.ReplaceAll(first, "|", "\\|"))
	for _, t := range tallies {
		fmt.Fprintf(w, " %s |", cell(t))
	}
	fmt.Fprintln(w)
}

// text is a cell; bold where coverage is not between 92 and 98 % by more than two
// Monte-Carlo errors.
func (c Cell) text() string {
	if c.Intervals < 2 || math.IsNaN(c.CoverageSE) { // all of one draw
		return "–"
	}
	text := fmt.Sprintf("%.0f ±%.1f (%s)", 100*c.Coverage, 100*c.CoverageSE, width(c.Width))
	if off := 2 * c.CoverageSE; c.Coverage+off < 0.92 || c.Coverage-off > 0.98 {
		text = "**" + text + "**"
	}
	return text
}

func width(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "–"
	}
	return fmt.Sprintf("%.2f", v)
}

// text is a rate; bold where it is above 7 % by more than two Monte-Carlo errors.
func (r Rate) text(level bool) string {
	if r.Tests < 2 || math.IsNaN(r.SE) {
		return "–"
	}
	text := fmt.Sprintf("%.1f ±%.1f", 100*r.Share, 100*r.SE)
	if level && r.Share-2*r.SE > 0.07 {
		text = "**" + text + "**"
	}
	return text
}

// ofAll is a rate with the share of the comparisons that are tested, where some are not.
func (r Rate) ofAll() string {
	if text := r.text(true); r.Untested == 0 || r.Tests < 2 {
		return text
	}
	return fmt.Sprintf("%s of %.1f %%", r.text(true), 100*float64(r.Tests)/float64(r.Tests+r.Untested))
}

// writeSizes writes the table of effective sample sizes, of four times as many draws as the others.
func writeSizes(_ context.Context, w io.Writer, designs []Design, draws int, seed uint64, _ int) error {
	fmt.Fprintf(w, "Effective sample size of the mean of one coordinate; the true size is its variance over the "+
		"variance of its mean; %d draws:\n\n| design | true | printed | reliable, %% |\n| --- | --- | --- | --- |\n", 4*draws)
	for _, d := range designs {
		s, err := sizes(d, 4*draws, seed)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "| %s | %.1f | %.1f ±%.1f | %.0f |\n", d, s.True, s.Printed, s.SE, 100*s.Reliable)
	}
	fmt.Fprintln(w)
	return nil
}
