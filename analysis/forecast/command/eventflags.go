// The flags of events, windows and spectra.

package command

import (
	"slices"

	"repscope/analysis/forecast"
	"repscope/internal/run"
)

// eventFlags are those of events, windows and spectra.
type eventFlags struct {
	thresholds, quantiles *[]float64
	windows               *[]int
	rule, spectrum        *string
	wrap                  *bool
}

// registerEvents adds them.
func registerEvents(flags *run.Flags) *eventFlags {
	return &eventFlags{
		thresholds: flags.Floats("thresholds", nil, "`LIST` of values: cells of at least so much are events, scored by hits and misses, probabilities and windows"),
		quantiles:  flags.Floats("event-quantiles", nil, "`LIST` of probabilities between 0 and 1: events of at least this quantile of all true values of the variable (with --example 0.9)"),
		rule: flags.Choice("event-rule", forecast.EventAtLeast, []string{forecast.EventAtLeast, forecast.EventAbove},
			"`RULE` of events: values of at least a threshold or quantile, or above it (rain of at least 0 is "+
				"everywhere)"),
		wrap: flags.Bool("wrap", false, "the columns go round, as the longitudes of a whole circle do: the "+
			"last is beside the first, for pairs of cells and windows, and no side of the grid"),
		windows: flags.Ints("fss-windows", nil, "`LIST` of sides of windows of the fractions skill score, in "+
			"cells (default 1,3,7,15,… up to the shorter side)"),
		spectrum: flags.Choice("spectrum", forecast.SpectrumDCT, []string{forecast.SpectrumDCT, forecast.SpectrumFFT},
			"`TRANSFORM` of power spectra: cosines, or Fourier for fields that are periodic in both directions"),
	}
}

// check finds values that are none, or stand twice.
func (f *eventFlags) check() error {
	for i, v := range *f.thresholds {
		if v-v != 0 {
			return run.Usage("--thresholds %v: want finite numbers", v)
		}
		if slices.Contains((*f.thresholds)[:i], v) {
			return run.Usage("--thresholds has %v twice", v)
		}
	}
	for i, q := range *f.quantiles {
		if !(q > 0 && q < 1) {
			return run.Usage("--event-quantiles %v: want numbers between 0 and 1", q)
		}
		if slices.Contains((*f.quantiles)[:i], q) {
			return run.Usage("--event-quantiles has %v twice", q)
		}
	}
	for i, w := range *f.windows {
		if w < 1 || w > forecast.MaxWindow {
			return run.Usage("--fss-windows %d: want sides from 1 to %d", w, forecast.MaxWindow)
		}
		if slices.Contains((*f.windows)[:i], w) {
			return run.Usage("--fss-windows has %d twice", w)
		}
	}
	if len(*f.thresholds)+len(*f.quantiles) > 0 {
		return nil
	}
	idle := ""
	if *f.windows != nil {
		idle = "--fss-windows"
	} else if *f.rule != forecast.EventAtLeast {
		idle = "--event-rule " + *f.rule
	}
	if idle != "" {
		return run.Hint(run.Usage("%s has no effect: there is no event", idle),
			"give events with --thresholds or --event-quantiles")
	}
	return nil
}

// ofExample makes events of the example where none are given.
func (f *eventFlags) ofExample(given map[string]bool) {
	if !given["thresholds"] && !given["event-quantiles"] {
		*f.quantiles = []float64{0.9}
	}
}

// enter puts them into options.
func (f *eventFlags) enter(o *forecast.Options) {
	o.Thresholds, o.EventQuantiles, o.Windows, o.Spectrum = *f.thresholds, *f.quantiles, *f.windows, *f.spectrum
	o.EventRule, o.Wrap = *f.rule, *f.wrap
}
