// The flags of tiles, quantiles and intervals.

package command

import (
	"slices"

	"repscope/analysis/forecast"
	"repscope/internal/run"
)

// quantileFlags are those of quantiles and intervals.
type quantileFlags struct{ quantiles, coverage *[]float64 }

// registerQuantiles adds them, and that of tiles.
func registerQuantiles(flags *run.Flags, o *forecast.Options) *quantileFlags {
	o.Tile = forecast.DefaultTile
	flags.CountVar(&o.Tile, "tile", 1, "`CELLS` of a tile in either direction, of tiled scores (with --example 6)")
	return &quantileFlags{
		quantiles: flags.Floats("quantiles", forecast.DefaultQuantiles(), "`LIST` of levels of quantile scores"),
		coverage: flags.Floats("intervals", forecast.DefaultCoverage(),
			"`LIST` of probabilities of central intervals, whose coverage, width and scores are taken"),
	}
}

// check finds values that are no probabilities, or stand twice.
func (f *quantileFlags) check() error {
	for _, list := range []struct {
		name   string
		values []float64
	}{{"quantiles", *f.quantiles}, {"intervals", *f.coverage}} {
		if len(list.values) == 0 {
			return run.Usage("--%s: want at least one number between 0 and 1", list.name)
		}
		for i, p := range list.values {
			if !(p > 0 && p < 1) {
				return run.Usage("--%s %v: want numbers between 0 and 1", list.name, p)
			}
			if slices.Contains(list.values[:i], p) {
				return run.Usage("--%s has %v twice", list.name, p)
			}
		}
	}
	return nil
}

// enter puts them into options.
func (f *quantileFlags) enter(o *forecast.Options) {
	o.Quantiles, o.Coverage = *f.quantiles, *f.coverage
}
