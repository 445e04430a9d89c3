// Ensemble forecasts: what forecast prints about one draw of a design.

package main

import (
	"context"
	"math"
	"slices"

	"repscope/analysis/forecast"
	"repscope/dataset"
	"repscope/report"
)

// The fields that are made of states, and the members of an ensemble.
const (
	gridHeight, gridWidth = 4, 4
	members               = latent
)

// field is the truth of a state: waves whose sizes are sums of coordinates that every
// model sees alike, so that no model knows more of it than another.
func (s *Sample) field(dst []float64, state int) {
	for c := range dst {
		angle := 2 * math.Pi * float64(c) / float64(len(dst))
		dst[c] = 0
		for k := range seen {
			sum := 0.0
			for m := range models {
				sum += float64(s.States[state*features+m*seen+k])
			}
			dst[c] += sum * math.Cos(float64(k+1)*angle+float64(k))
		}
	}
}

// ensembles are forecasts of a model: all members share an error that is its first
// latent, and each departs by a latent of its own, so that errors and spread remember
// the ones of the state before.
func (s *Sample) ensembles(m int, truth []float64) []float64 {
	const size = gridHeight * gridWidth
	n := len(s.Episode)
	out := make([]float64, n*members*size)
	row := make([]float64, latent)
	for i := range n {
		z := s.Latents[m].Row(i, row)
		for k := range members {
			to := out[(i*members+k)*size : (i*members+k+1)*size]
			for c := range to {
				to[c] = truth[i*size+c] + 0.6*z[0]*(1+0.5*math.Sin(float64(c))) + 0.8*z[k]*math.Cos(float64(c*(k+1)))
			}
		}
	}
	return out
}

// forecasts has two leads in turn. Where there are several episodes they are the groups of
// samples that depend on each other; else a pair of leads is.
func forecasts(ctx context.Context, s *Sample, seed uint64) (*report.Result, error) {
	const size = gridHeight * gridWidth
	n := len(s.Episode)
	truth, before := make([]float64, n*size), make([]float64, n*size)
	in := forecast.Input{Leads: make([]float64, n), FromTarget: true}
	for i := range n {
		s.field(truth[i*size:(i+1)*size], i)
		copy(before[i*size:], truth[max(i-1, 0)*size:(max(i-1, 0)+1)*size])
		in.Leads[i] = float64(i % 2)
	}
	if s.Episode[n-1] > 0 {
		in.Groups = s.Episode
	}
	fields := []int{n, 1, gridHeight, gridWidth}
	var err error
	if in.Target, err = dataset.NewArray("truth", fields, truth); err != nil {
		return nil, err
	}
	if in.Fields, err = dataset.NewArray("before", fields, before); err != nil {
		return nil, err
	}
	for m := range models {
		a, err := dataset.NewArray(name(m), []int{n, members, 1, gridHeight, gridWidth}, s.ensembles(m, truth))
		if err != nil {
			return nil, err
		}
		in.Forecasts = append(in.Forecasts, forecast.Forecast{Name: name(m), Members: a})
	}
	metrics := []string{"errors", "crps", "energy_score", "variogram_score", "spread_skill", "rank_histogram",
		"tiled_energy_score", "tiled_variogram_score", "intervals", "quantiles", "dawid_sebastiani", "error_spread",
		"events", "probabilities", "fractions", "fields", "spectrum", "anomalies"}
	r, err := forecast.Analyze(ctx, in, forecast.Options{Metrics: metrics, Tile: 2, Thresholds: []float64{2},
		Windows: []int{3}, Settings: settings(seed)})
	if err != nil {
		return nil, err
	}
	// Persistence is no model of the design, and the only variable is all.
	isModel := func(name string) bool { return !slices.Contains(forecast.Baselines(), name) }
	kept := slices.DeleteFunc(r.Models, func(m forecast.Model) bool { return !isModel(m.Name) })
	for i := range kept {
		kept[i].ByVariable = report.Object{}
	}
	comparisons := slices.DeleteFunc(r.Comparisons, func(c report.Comparison) bool { return !isModel(c.A) || !isModel(c.B) })
	return result("forecast", kept, func(m forecast.Model) string { return m.Name }, comparisons), nil
}
