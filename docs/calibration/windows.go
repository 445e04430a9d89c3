// Exclusion windows that are found from the latents, beside fixed ones.

package main

import (
	"context"
	"fmt"
	"io"
	"math"

	"repscope/analysis/manifold"
)

// windowDesigns are those whose memory is known: autoregressive coordinates, whose
// autocorrelation time is (1 + ρ)/(1 − ρ) frames.
func windowDesigns() []Design {
	out := grid()
	return []Design{out[4], out[6], out[7], out[9], out[10]}
}

// windowsOf are the windows under a design: none, the autocorrelation time of its coordinates, and
// the automatic one, which deletions of blocks keep as it is.
func windowsOf(d Design) []int {
	return []int{0, int(math.Ceil((1 + d.Rho) / (1 - d.Rho))), manifold.AutoWindow}
}

var windowNames = []string{"none", "fixed", "auto"}

// windowRooms are those that leave neighbors in time out.
func windowRooms(window int) []Room {
	return []Room{{"neighborhood", neighboring(window)}, {"manifold", manifolds(window)}, {"geometry", geometric(window)}}
}

// writeWindows writes what intervals and tests hold that depend on the window, by window.
func writeWindows(ctx context.Context, w io.Writer, designs []Design, draws int, seed uint64, threads int) error {
	for k, room := range windowRooms(0) {
		byWindow := make([][]*Tally, len(windowNames)) // [window][design]
		for _, d := range designs {
			for i, window := range windowsOf(d) {
				t, err := tally(ctx, windowRooms(window)[k], d, draws, seed, threads)
				if err != nil {
					return err
				}
				byWindow[i] = append(byWindow[i], t)
			}
		}
		fmt.Fprintf(w, "%s, numbers that depend on the window: coverage in percent ± Monte-Carlo error (width), %d draws × %d models:\n\n", room.Name, draws, models)
		writeByWindow(w, "metric", byWindow, func(t *Tally) []string { return t.Order }, func(t *Tally, metric string) string { return t.Cells[metric].text() })
		fmt.Fprint(w, "p < 0.05 for equal models in percent ± Monte-Carlo error:\n\n")
		writeByWindow(w, "metric", byWindow, func(t *Tally) []string { return t.Tests }, func(t *Tally, metric string) string { return t.P[metric].text(true) })
	}
	return nil
}

// writeByWindow writes a row for each metric and window, but for metrics that are alike in all.
func writeByWindow(w io.Writer, first string, byWindow [][]*Tally, metrics func(*Tally) []string, cell func(t *Tally, metric string) string) {
	var all []string
	for _, tallies := range byWindow {
		for _, t := range tallies {
			all = union(all, metrics(t))
		}
	}
	header(w, first, byWindow[0])
	for _, metric := range all {
		moved := false
		for d := range byWindow[0] {
			for i := range byWindow {
				moved = moved || cell(byWindow[i][d], metric) != cell(byWindow[0][d], metric)
			}
		}
		if !moved {
			continue
		}
		for i, tallies := range byWindow {
			row(w, metric+", "+windowNames[i], tallies, func(t *Tally) string { return cell(t, metric) })
		}
	}
	fmt.Fprintln(w)
}
