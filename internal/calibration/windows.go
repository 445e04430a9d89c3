// Automatic exclusion windows, next to fixed ones.

package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"repscope/analysis/manifold"
)

// windowDesigns are those whose memory is known: autoregressive coordinates, whose
// autocorrelation time is (1 + ρ)/(1 − ρ) frames.
func windowDesigns() []Design {
	out := grid()
	return []Design{out[4], out[6], out[9], out[10]}
}

// windowsOf are the windows under a design: the autocorrelation time of its coordinates, and the
// automatic one, which deletions of blocks keep as it is.
func windowsOf(d Design) []int {
	return []int{int(math.Round((1 + d.Rho) / (1 - d.Rho))), manifold.AutoWindow}
}

var windowNames = []string{"fixed", "auto"}

// windowAnalyses are those that leave neighbors in time out.
func windowAnalyses(window int) []Analysis {
	return []Analysis{
		{"neighborhood", neighboring(window)}, {"manifold", manifolds(window)}, {"geometry", geometric(window)},
	}
}

// writeWindows writes coverage and rejections by window, of numbers that depend on it.
func writeWindows(ctx context.Context, w io.Writer, designs []Design, draws int, seed uint64, threads int) error {
	for k, subject := range windowAnalyses(0) {
		byWindow := make([][]*Tally, len(windowNames)) // [window][design]
		for _, d := range designs {
			for i, window := range windowsOf(d) {
				t, err := tally(ctx, windowAnalyses(window)[k], d, draws, seed, threads)
				if err != nil {
					return err
				}
				byWindow[i] = append(byWindow[i], t)
			}
		}
		fmt.Fprintf(w, "### %s and the window\n\n", subject.Name)
		title := fmt.Sprintf("Coverage in percent ± Monte-Carlo error (width), %d draws × %d models", draws, models)
		writeByWindow(w, title, byWindow,
			func(t *Tally) []string { return t.Order }, func(t *Tally, m string) string { return t.Cells[m].text() })
		writeByWindow(w, "p < 0.05 for equal models in percent ± Monte-Carlo error", byWindow,
			func(t *Tally) []string { return t.Tests }, func(t *Tally, m string) string { return t.P[m].text(true) })
	}
	return nil
}

// writeByWindow writes a row for each metric and window, of the metrics that the windows change.
func writeByWindow(w io.Writer, title string, byWindow [][]*Tally, metrics func(*Tally) []string,
	cell func(*Tally, string) string) {
	var all []string
	for _, tallies := range byWindow {
		for _, t := range tallies {
			all = union(all, metrics(t))
		}
	}
	all = slices.DeleteFunc(all, func(metric string) bool {
		for d := range byWindow[0] {
			for _, tallies := range byWindow {
				if cell(tallies[d], metric) != cell(byWindow[0][d], metric) {
					return false
				}
			}
		}
		return true
	})
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(w, "%s:\n\n", title)
	header(w, "metric, window", byWindow[0])
	for _, metric := range all {
		for i, tallies := range byWindow {
			row(w, metric+", "+windowNames[i], tallies, func(t *Tally) string { return cell(t, metric) })
		}
	}
	fmt.Fprintln(w)
}
