// Package smoothness measures how evenly an encoder maps small changes of the
// state to small changes of the latent.
//
// For pairs of states (s_t, s_{t+h}) of one episode it relates the pixel distance
// d_s = ‖s_t − s_{t+h}‖₂ of the last frames to the latent distance
// d_z = ‖φ(s_t) − φ(s_{t+h})‖₂: the least-squares line of d_z on d_s, rank
// correlation, a robust slope, and the distribution of the ratio d_z/d_s, whose
// upper quantiles are empirical local Lipschitz constants.
//
//	result, err := smoothness.Analyze(ctx, smoothness.Input{
//		Frames:     frames, // points.Points, one row per state
//		PixelRange: dataset.PixelRange{High: 255},
//		Episode:    episode,
//		Pairs:      map[int][]points.Pair{1: states.Pairs(1)},
//		Models:     []smoothness.Encoded{{Name: "jepa", Latents: z}},
//	}, smoothness.Options{Settings: analysis.Settings{Intervals: true, Seed: 42}})
//	fmt.Println(result.Models[0].Slope)
package smoothness

import (
	"context"
	"fmt"
	"slices"

	"repscope/analysis"
	"repscope/analysis/internal/results"
	"repscope/dataset"
	"repscope/internal/text"
	"repscope/measure/spectrum"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

// Encoded is one model's latents: Name, and Latents with a row per state.
type Encoded = results.Encoded

// Input is what Analyze looks at: N states, and one latent per state and model.
type Input struct {
	Frames     points.Points // the last frame of each state
	PixelRange dataset.PixelRange
	Episode    []int // of each state; nil means one episode
	// Time is the frame of each state by which warnings name it; nil: its place.
	Time []int
	// Pairs holds the pairs of states to compare for each horizon h.
	Pairs  map[int][]points.Pair
	Models []Encoded
}

// Options are the choices of an analysis; the zero value is the default.
type Options struct {
	analysis.Settings
	Scale spectrum.Scale // of latent distances; empty means spectrum.ScaleRMS
}

// Result is the outcome for all models, in the order of the input.
type Result struct {
	Models      []Model
	Comparisons []report.Comparison
	// Horizon is the smallest horizon: the main relation's.
	Horizon int
	// PixelDistance holds d_s of every pair of that horizon.
	PixelDistance []float64
	// EffectivePairs is the number of independent pairs that the dependent ones
	// of that horizon are worth, by the autocorrelation of d_s.
	EffectivePairs report.Value
	// EffectiveReliable says that EffectivePairs may be used.
	EffectiveReliable bool
	// Blocks says how states, with the pairs that begin at them, were grouped for
	// intervals and bands; empty without.
	Blocks   string
	Warnings []string
	// Decisive are the pairs of the smallest horizon that decide lines by themselves, ascending, and
	// DecisiveShare what they hold of the variance of PixelDistance; nil where no few do.
	Decisive      []int
	DecisiveShare float64
}

// Model is the outcome for one model. The embedded Relation is the one of the
// smallest horizon in the scale asked for.
type Model struct {
	Name string `json:"-"`
	Relation
	LatentScale spectrum.Scale `json:"latent_scale"`
	// RMSDistance is √(2·tr C) of the raw latents and EffectiveRank the entropy
	// effective rank of their covariance: a collapsed encoder is smooth too.
	RMSDistance   report.Value `json:"rms_distance"`
	EffectiveRank report.Value `json:"effective_rank"`
	// NEff is the number of independent pairs that the pairs are worth, by the
	// autocorrelation of their latent distances; NEffReliable says whether they span
	// enough autocorrelation times for it.
	NEff         report.Value `json:"n_eff"`
	NEffReliable bool         `json:"n_eff_reliable"`
	// Leverage says whether few pairs decide the line of the main relation.
	Leverage Leverage `json:"leverage"`
	// Raw is the same relation on the latents as they are.
	Raw      Relation  `json:"raw"`
	Horizons []Horizon `json:"horizons"`

	// RawDistance holds d_z of every pair of the smallest horizon on the latents
	// as they are, Distance the same in the scale asked for.
	RawDistance, Distance []float64 `json:"-"`
	// Line is the fitted line of the main relation over the range of d_s, for drawing, and Rest
	// that without pairs that decide it; nil where undefined.
	Line, Rest *Line `json:"-"`
	// Ratios holds d_z/d_s of the main relation, over pairs that move.
	Ratios []float64 `json:"-"`
}

// Line is the least-squares line at ascending X. Low and High bound its 95 % band,
// pointwise by the delete-block jackknife of the line; nil without.
type Line struct{ X, Y, Low, High []float64 }

// Horizon is the relation at one horizon, in the scale asked for.
type Horizon struct {
	Horizon int `json:"horizon" report:"parameter"`
	Relation
	Leverage Leverage `json:"leverage"`
}

// Relation is how latent distances follow pixel distances. Intervals are taken from
// delete-block jackknives with Student's t; in the rms scale the RMS distance is
// deleted along. Everything is undefined for latents that are constant.
type Relation struct {
	Slope     report.Estimate `json:"slope"`
	Intercept report.Estimate `json:"intercept"`
	R         report.Estimate `json:"r"` // on Fisher's scale
	// RSquared is r², another number than r. Its interval holds the squares of the interval of
	// r, so that it reaches 0 where r may be 0.
	RSquared report.Estimate `json:"r_squared"`
	// IIDPValue and IIDStdError assume independent errors. Consecutive frames are not independent: report the
	// interval of Slope.
	IIDPValue   report.Value    `json:"iid_p_value"`
	IIDStdError report.Value    `json:"iid_std_error"`
	Published   Published       `json:"published"`
	Spearman    report.Estimate `json:"spearman"` // of ranks of each deletion, on Fisher's scale
	TheilSen    report.Estimate `json:"theil_sen"`
	Ratio       Ratio           `json:"ratio"`
	Pairs       int             `json:"pairs"`
}

// Published holds IIDPValue and IIDStdError of [Relation] under the names of the published table.
type Published struct {
	PValue   report.Value `json:"p_value"`
	StdError report.Value `json:"std_error"`
}

// Ratio describes d_z/d_s over the pairs with d_s above 1e−6 of the pixel range. The
// largest ratio has no interval: it grows with the number of pairs.
type Ratio struct {
	Mean   report.Estimate `json:"mean"`
	SD     report.Value    `json:"sd"`
	Median report.Estimate `json:"median"`
	P95    report.Estimate `json:"p95"`
	P99    report.Estimate `json:"p99"`
	Max    report.Value    `json:"max"`
	Pairs  int             `json:"pairs"`
}

// stillShare is the share of the pixel range below which two frames count as
// the same: their ratio would divide by nothing.
const stillShare = 1e-6

// Analyze computes the relation of pixel and latent distances for every model.
// Undefined numbers (constant latents, frames that never change) carry their
// reason. Errors: no models, no horizon, fewer than 3 pairs at the smallest
// horizon, unequal numbers of states and latents, NaN or Inf.
func Analyze(ctx context.Context, in Input, o Options) (*Result, error) {
	work, err := Work(in, o)
	if err != nil {
		return nil, err
	}
	return work.Run(ctx)
}

// merge computes the statistics of all distances.
func (p *plan) merge(ctx context.Context, parts []*Part) (*Result, error) {
	all, main := p.measurements(parts), p.horizons[0]
	result := &Result{Horizon: main, PixelDistance: p.of(main, all.Pixel)}
	result.EffectivePairs, result.EffectiveReliable = results.EffectiveSizeOf(result.PixelDistance, p.pairEpisodes(main))
	units, err := p.units()
	if err != nil {
		return nil, err
	}
	for i, encoded := range p.in.Models {
		model := Model{Name: encoded.Name, LatentScale: p.o.Scale}
		model.RMSDistance, model.EffectiveRank = results.Spread(encoded.Latents)
		if units[i].collapsed != "" {
			result.Warnings = append(result.Warnings, results.Collapsed(encoded.Name, units[i].collapsed))
		}
		if w := results.FarLatents(encoded.Name, encoded.Latents, p.in.Time, "RMS distance and effective rank"); w != "" {
			result.Warnings = append(result.Warnings, w)
		}
		model.Distance = p.of(main, all.Models[i].Scaled)
		model.RawDistance = all.Models[i].Raw
		if model.RawDistance == nil {
			model.RawDistance = model.Distance
		}
		model.Distance = units[i].scaled(model.Distance)
		model.NEff, model.NEffReliable = results.EffectiveSizeOf(model.Distance, p.pairEpisodes(main))
		result.Models = append(result.Models, model)
	}
	for _, h := range p.horizons {
		if n := len(p.in.Pairs[h]); n < 3 {
			result.Warnings = append(result.Warnings, fmt.Sprintf("horizon %d: %d pairs of states, want at least 3", h, n))
			continue
		}
		if err := p.horizon(ctx, h, all, units, result); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// horizon enters the relations at one horizon; relations at the smallest are the main ones
// and are compared.
func (p *plan) horizon(ctx context.Context, h int, all *Part, units []unit, result *Result) error {
	pixel := p.of(h, all.Pixel)
	g, err := p.group(h, pixel, all, units)
	if err != nil {
		return err
	}
	main := h == p.horizons[0]
	lever, err := p.leverage(h, pixel, g)
	if err != nil {
		return err
	}
	result.note(g, lever.warning(p, h), h, main)
	compared := make([]*measured, len(units))
	for i := range result.Models {
		model := &result.Models[i]
		m, err := p.relate(ctx, g, pixel, p.of(h, all.Models[i].Scaled), units[i])
		if err != nil {
			return fmt.Errorf("%s: %w", model.Name, err)
		}
		compared[i] = m
		rest, err := lever.relate(ctx, p, p.of(h, all.Models[i].Scaled), units[i])
		if err != nil {
			return fmt.Errorf("%s: %w", model.Name, err)
		}
		model.Horizons = append(model.Horizons, Horizon{Horizon: h, Relation: m.relation, Leverage: lever.of(rest)})
		if !main {
			continue
		}
		model.Relation, model.Ratios, model.Leverage = m.relation, m.ratios, lever.of(rest)
		w := results.LengthWarning(model.Name+": latent distance", "pair", model.Distance, p.pairEpisodes(h))
		if w != "" && p.o.Intervals {
			result.Warnings = append(result.Warnings, w)
		}
		if model.Line, err = m.line(pixel); err != nil {
			return err
		}
		if rest != nil {
			lever.without = append(lever.without, rest)
			if model.Rest, err = rest.line(lever.pixel); err != nil {
				return err
			}
		}
		model.Raw = m.raw
		if p.o.Scale == spectrum.ScaleL2 {
			raw, err := p.relate(ctx, g, pixel, model.RawDistance, unit{collapsed: units[i].collapsed})
			if err != nil {
				return fmt.Errorf("%s: %w", model.Name, err)
			}
			model.Raw = raw.relation
		}
	}
	if main && lever.rest != nil {
		result.Decisive, result.DecisiveShare = lever.Far, lever.Share
	}
	if !main || !p.o.Intervals {
		return nil
	}
	return result.compare(results.Names(p.in.Models), compared, lever, p.o.Seed, p.o.Family)
}

// note enters how states are grouped at a horizon, and the warnings of that and of the pairs.
func (r *Result) note(g *grouping, ofPairs string, horizon int, main bool) {
	var warnings []string
	if g != nil {
		warnings = g.states.Warnings()
	}
	if g != nil && main {
		r.Blocks = results.Deleted(g.states)
	}
	if ofPairs != "" {
		warnings = append(slices.Clone(warnings), ofPairs)
	}
	for _, w := range warnings {
		if !main && !slices.Contains(r.Warnings, w) {
			w = fmt.Sprintf("horizon %d: %s", horizon, w)
		}
		if !slices.Contains(r.Warnings, w) {
			r.Warnings = append(r.Warnings, w)
		}
	}
}

// compare compares the models' slopes, R², median ratios, and what outliers do not move, the
// Theil–Sen slopes and rank correlations.
func (r *Result) compare(names []string, models []*measured, lever *leverage, seed uint64, family string) error {
	rows, without := map[string][]report.Comparison{}, map[string][]report.Comparison{}
	metrics := []struct {
		name, path string
		of         func(*measured) *stat.Jackknifed
	}{
		{"slope", "", func(m *measured) *stat.Jackknifed { return m.slope }},
		{"r_squared", "", func(m *measured) *stat.Jackknifed { return m.rSquared }},
		{"ratio_median", "ratio.median", func(m *measured) *stat.Jackknifed { return m.ratioMedian }},
		{"theil_sen", "", func(m *measured) *stat.Jackknifed { return m.theilSen }},
		{"spearman", "", func(m *measured) *stat.Jackknifed { return m.spearman }},
	}
	pairwise := func(path string, name string, models []*measured, estimateOf func(*measured) *stat.Jackknifed) ([]report.Comparison, error) {
		estimates := make([]*stat.Jackknifed, len(models))
		for i, m := range models {
			estimates[i] = estimateOf(m)
		}
		return results.Pairwise(results.Metric{Name: name, Family: name, Path: path}, names[:len(models)], estimates, seed)
	}
	for _, m := range metrics {
		var err error
		if rows[m.name], err = pairwise(m.path, m.name, models, m.of); err != nil {
			return err
		}
		if without[m.name], err = pairwise(m.path, m.name, lever.without, m.of); err != nil {
			return err
		}
	}
	lever.withdraw(rows, without)
	for _, metric := range metrics {
		r.Comparisons = append(r.Comparisons, rows[metric.name]...)
	}
	results.Correct(r.Comparisons, family)
	return nil
}

// check validates the input and returns the horizons in ascending order.
func (in Input) check() ([]int, error) {
	if err := results.Check(in.Models, in.Frames.N, in.Episode); err != nil {
		return nil, err
	}
	var horizons []int
	for h, pairs := range in.Pairs {
		horizons = append(horizons, h)
		for _, p := range pairs {
			if p.Now < 0 || p.Next < 0 || p.Now >= in.Frames.N || p.Next >= in.Frames.N {
				return nil, fmt.Errorf("pair (%d, %d) at horizon %d is outside the %d states", p.Now, p.Next, h, in.Frames.N)
			}
		}
	}
	if len(horizons) == 0 {
		return nil, fmt.Errorf("no horizon")
	}
	slices.Sort(horizons)
	if n := len(in.Pairs[horizons[0]]); n < 3 {
		return nil, fmt.Errorf("%s of states %d apart within an episode, want at least 3", text.Count(n, "pair"), horizons[0])
	}
	return horizons, nil
}

// pairEpisodes are the episodes of the pairs at a horizon; nil for one episode.
func (p *plan) pairEpisodes(horizon int) []int {
	if p.in.Episode == nil {
		return nil
	}
	out := make([]int, len(p.in.Pairs[horizon]))
	for i, pair := range p.in.Pairs[horizon] {
		out[i] = p.in.Episode[pair.Now]
	}
	return out
}
