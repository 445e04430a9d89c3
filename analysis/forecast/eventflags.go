// The flags of events, windows and spectra.

package forecast

import (
	"slices"

	"repscope/internal/run"
)

// eventFlags are those of events, windows and spectra.
type eventFlags struct {
	thresholds, quantiles *[]float64
	windows               *[]int
	spectrum              *string
}

// registerEvents adds them.
func registerEvents(flags *run.Flags) *eventFlags {
	return &eventFlags{
		thresholds: flags.Floats("thresholds", nil, "`LIST` of values: cells of at least so much are events, scored by hits and misses, probabilities and windows"),
		quantiles:  flags.Floats("event-quantiles", nil, "`LIST` of probabilities between 0 and 1: events of at least this quantile of all true values of the variable (with --example 0.9)"),
		windows:    flags.Ints("fss-windows", nil, "`LIST` of sides of windows of the fractions skill score, in cells (default 1,3,7,15,… up to the shorter side)"),
		spectrum: flags.Choice("spectrum", SpectrumDCT, []string{SpectrumDCT, SpectrumFFT},
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
		if w < 1 || w > maxWindow {
			return run.Usage("--fss-windows %d: want sides from 1 to %d", w, maxWindow)
		}
		if slices.Contains((*f.windows)[:i], w) {
			return run.Usage("--fss-windows has %d twice", w)
		}
	}
	if *f.windows != nil && len(*f.thresholds)+len(*f.quantiles) == 0 {
		return run.Hint(run.Usage("--fss-windows has no effect: there is no event"),
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
func (f *eventFlags) enter(o *Options) {
	o.Thresholds, o.EventQuantiles, o.Windows, o.Spectrum = *f.thresholds, *f.quantiles, *f.windows, *f.spectrum
}
