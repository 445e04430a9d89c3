// Models by slope, Theil–Sen slope and ranks: how often equal ones are called different, and how
// often nothing is called so because these disagree or few pairs decide.

package main

import (
	"context"
	"fmt"
	"io"
	"strings"
)

// lineDesigns are some designs of all analyses, and two in which few pairs of states hold most of the
// variance of the distances.
func lineDesigns() []Design {
	out := grid()
	far := func(name string, share float64, episodes int) Design {
		return Design{Name: name, N: 600, Episodes: episodes, Rho: 0.8, Far: share}
	}
	return []Design{out[6], out[7], others()[2], others()[3], far("far/16", 0.005, 16), far("far/60", 0.005, 60)}
}

// writeLines writes the tables of lines.
func writeLines(ctx context.Context, w io.Writer, designs []Design, draws int, seed uint64, threads int) error {
	var tallies []*Tally
	for _, d := range designs {
		t, err := tally(ctx, Analysis{"smoothness", smooth}, d, draws, seed, threads)
		if err != nil {
			return err
		}
		tallies = append(tallies, t)
	}
	fmt.Fprintf(w, "p < 0.05 for equal models in percent of all tests ± Monte-Carlo error, and the "+
		"percentage of comparisons with a p value, %d draws:\n\n", draws)
	header(w, "metric", tallies)
	for _, metric := range tallies[0].Tests {
		row(w, metric, tallies, func(t *Tally) string { return t.P[metric].ofAll() })
	}
	fmt.Fprint(w, "\nSlope, R², ρ, Theil–Sen slope or median ratio of any two models differ in percent of "+
		"the draws ± Monte-Carlo error:\n\n")
	header(w, "rule", tallies)
	row(w, "any p < 0.05", tallies, func(t *Tally) string { return t.Any.text(false) })
	row(w, "any p (Holm) < 0.05 in its family", tallies, func(t *Tally) string { return t.AnyHolm.text(false) })
	row(w, "the same, `--family run`", tallies, func(t *Tally) string { return t.AnyRun.text(true) })
	fmt.Fprint(w, "\nCoverage in percent ± Monte-Carlo error (width):\n\n")
	header(w, "metric", tallies)
	var metrics []string
	for _, t := range tallies {
		metrics = union(metrics, t.Order)
	}
	for _, metric := range metrics {
		if !strings.Contains(metric, "raw.") && !strings.Contains(metric, "horizons.") {
			row(w, metric, tallies, func(t *Tally) string { return t.Cells[metric].text() })
		}
	}
	fmt.Fprintln(w)
	return nil
}
