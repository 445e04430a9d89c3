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
//	}, smoothness.Options{Bootstrap: 2000, Seed: 42})
//	fmt.Println(result.Models[0].Slope)
package smoothness

import (
	"context"
	"fmt"
	"slices"

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
	// Pairs holds the pairs of states to compare for each horizon h.
	Pairs  map[int][]points.Pair
	Models []Encoded
}

// Options are the choices of an analysis; the zero value is the default.
type Options struct {
	Scale     spectrum.Scale // of latent distances; empty means spectrum.ScaleRMS
	Bootstrap int            // resamples behind intervals and comparisons; 0: none
	Block     stat.BlockSpec // how pairs are grouped for resampling
	Seed      uint64
	Family    string // of tests that Holm's correction is over: results.FamilyMetric (empty) or results.FamilyRun
	Threads   int    // ≤ 0: all
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
	Resamples      int    // behind intervals and bands
	Blocks         string // how pairs were grouped for them
	Warnings       []string
}

// Model is the outcome for one model. The embedded Relation is that of the
// smallest horizon in the scale asked for.
type Model struct {
	Name string `json:"-"`
	Relation
	LatentScale spectrum.Scale `json:"latent_scale"`
	// RMSDistance is √(2·tr C) of the raw latents and EffectiveRank the entropy
	// effective rank of their covariance: a collapsed encoder is smooth too.
	RMSDistance   report.Value `json:"rms_distance"`
	EffectiveRank report.Value `json:"effective_rank"`
	// NEff is the number of independent pairs that the pairs are worth.
	NEff report.Value `json:"n_eff"`
	// Raw is the same relation on the latents as they are.
	Raw      Relation  `json:"raw"`
	Horizons []Horizon `json:"horizons"`

	// RawDistance holds d_z of every pair of the smallest horizon on the latents
	// as they are, Distance the same in the scale asked for.
	RawDistance, Distance []float64 `json:"-"`
	// Line is the fitted line of the main relation over the range of d_s, for
	// drawing; nil where undefined.
	Line *Line `json:"-"`
	// Ratios holds d_z/d_s of the main relation, over pairs that move.
	Ratios []float64 `json:"-"`
}

// Line is the least-squares line at ascending X. Low and High bound its 95 %
// band, pointwise quantiles of the lines of the block resamples; nil without.
type Line struct{ X, Y, Low, High []float64 }

// Horizon is the relation at one horizon, in the scale asked for.
type Horizon struct {
	Horizon int `json:"horizon"`
	Relation
}

// Relation is how latent distances follow pixel distances.
type Relation struct {
	Slope     report.Value    `json:"slope"`
	SlopeCI   report.Interval `json:"slope_ci"`
	Intercept report.Value    `json:"intercept"`
	R         report.Value    `json:"r"`
	// RSquared is r², another number than r.
	RSquared   report.Value    `json:"r_squared"`
	RSquaredCI report.Interval `json:"r_squared_ci"`
	// PValue and StdError are those of independent errors; consecutive frames
	// are not independent, so SlopeCI is what to report.
	PValue     report.Value    `json:"p_value"`
	StdError   report.Value    `json:"std_error"`
	Spearman   report.Value    `json:"spearman"`
	SpearmanCI report.Interval `json:"spearman_ci"`
	TheilSen   report.Value    `json:"theil_sen"`
	Ratio      Ratio           `json:"ratio"`
	Pairs      int             `json:"pairs"`
}

// Ratio describes d_z/d_s over the pairs with d_s above 1e−6 of the pixel range.
type Ratio struct {
	Mean     report.Value    `json:"mean"`
	MeanCI   report.Interval `json:"mean_ci"`
	SD       report.Value    `json:"sd"`
	Median   report.Value    `json:"median"`
	MedianCI report.Interval `json:"median_ci"`
	P95      report.Value    `json:"p95"`
	P99      report.Value    `json:"p99"`
	Max      report.Value    `json:"max"`
	Pairs    int             `json:"pairs"`
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
	result := &Result{Horizon: main, PixelDistance: p.of(main, all.Pixel), Resamples: p.o.Bootstrap}
	families, err := p.resamples(all.Pixel, result)
	if err != nil {
		return nil, err
	}
	slopes := make([]*stat.Jackknifed, len(p.in.Models))
	squares := make([]*stat.Jackknifed, len(p.in.Models))
	for i, encoded := range p.in.Models {
		model := Model{Name: encoded.Name, LatentScale: p.o.Scale}
		model.RMSDistance, model.EffectiveRank = results.Spread(encoded.Latents)
		if rms := model.RMSDistance; !rms.Defined() {
			result.Warnings = append(result.Warnings, fmt.Sprintf("%s: %s: the encoder has collapsed and its smoothness means nothing", encoded.Name, rms.Reason))
		}
		relation, err := p.describe(ctx, &model, all.Pixel, all.Models[i], families)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", encoded.Name, err)
		}
		slopes[i], squares[i] = relation.slope, relation.rSquared
		result.Models = append(result.Models, model)
	}
	if p.o.Bootstrap > 0 {
		err = result.compare(results.Names(p.in.Models), slopes, squares, p.o.Seed, p.o.Family)
	}
	return result, err
}

// resamples draws those of the pairs of every horizon that has enough of them, and
// says in the result how the main horizon's are grouped.
func (p *plan) resamples(pixel []float64, result *Result) (map[int]*stat.Resamples, error) {
	families := make(map[int]*stat.Resamples, len(p.horizons))
	for _, h := range p.horizons {
		pairs := p.in.Pairs[h]
		if len(pairs) < 3 {
			continue
		}
		distance, episodes := p.of(h, pixel), pairEpisodes(p.in.Episode, pairs)
		blocks, err := stat.NewBlocks(len(pairs), episodes, p.o.Block, distance)
		if err != nil {
			return nil, err
		}
		families[h] = blocks.Resamples(p.o.Bootstrap, p.o.Seed)
		if h == p.horizons[0] {
			result.Blocks = blocks.String()
			result.Warnings = append(result.Warnings, blocks.Warnings()...)
			result.EffectivePairs = results.EffectiveSize(distance, episodes)
		}
	}
	return families, nil
}

// describe fills in the relations of a model at all horizons and returns that of
// the smallest.
func (p *plan) describe(ctx context.Context, model *Model, pixel []float64, latent PartOfModel, families map[int]*stat.Resamples) (*measured, error) {
	main := p.horizons[0]
	still := stillShare * (p.in.PixelRange.High - p.in.PixelRange.Low)
	var shown *measured
	for _, h := range p.horizons {
		if families[h] == nil {
			continue
		}
		relation, err := relate(ctx, p.of(h, pixel), p.of(h, latent.Scaled), still, families[h], p.o.Threads)
		if err != nil {
			return nil, err
		}
		model.Horizons = append(model.Horizons, Horizon{Horizon: h, Relation: relation.Relation})
		if h == main {
			shown = relation
		}
	}
	distance := p.of(main, pixel)
	model.Relation, model.Line, model.Ratios = shown.Relation, shown.line(distance), shown.ratios
	model.RawDistance, model.Distance = latent.Raw, p.of(main, latent.Scaled)
	model.NEff = results.EffectiveSize(model.Distance, pairEpisodes(p.in.Episode, p.in.Pairs[main]))
	raw, err := relate(ctx, distance, model.RawDistance, still, families[main], p.o.Threads)
	if err != nil {
		return nil, err
	}
	model.Raw = raw.Relation
	return shown, nil
}

// compare compares the models' slopes and R².
func (r *Result) compare(names []string, slopes, squares []*stat.Jackknifed, seed uint64, family string) error {
	for _, metric := range []struct {
		name       string
		replicates []*stat.Jackknifed
	}{{"slope", slopes}, {"r_squared", squares}} {
		compared, err := results.Pairwise(results.Metric{Name: metric.name, Family: metric.name}, names, metric.replicates, seed)
		if err != nil {
			return err
		}
		r.Comparisons = append(r.Comparisons, compared...)
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
		return nil, fmt.Errorf("no horizon to look at")
	}
	slices.Sort(horizons)
	if n := len(in.Pairs[horizons[0]]); n < 3 {
		return nil, fmt.Errorf("%s of states %d apart within an episode, want at least 3", text.Count(n, "pair"), horizons[0])
	}
	return horizons, nil
}

// pairEpisodes are the episodes of pairs; nil for one episode.
func pairEpisodes(episode []int, pairs []points.Pair) []int {
	if episode == nil {
		return nil
	}
	out := make([]int, len(pairs))
	for i, p := range pairs {
		out[i] = episode[p.Now]
	}
	return out
}
