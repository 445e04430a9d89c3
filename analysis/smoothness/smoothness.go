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
//	fmt.Println(result.Models[0].Main.Slope)
package smoothness

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/analysis/internal/results"
	"repscope/dataset"
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
	Threads   int // ≤ 0: all
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
	horizons, err := in.check()
	if err != nil {
		return nil, err
	}
	if o.Scale == "" {
		o.Scale = spectrum.ScaleRMS
	}
	main := horizons[0]
	pixel := make(map[int][]float64, len(horizons))
	for _, h := range horizons {
		pixel[h] = distances(in.Frames, in.Pairs[h])
	}
	result := &Result{Horizon: main, PixelDistance: pixel[main], Resamples: o.Bootstrap}

	still := stillShare * (in.PixelRange.High - in.PixelRange.Low)
	families := make(map[int]*stat.Resamples, len(horizons))
	for _, h := range horizons {
		if len(in.Pairs[h]) < 3 {
			continue
		}
		blocks, err := stat.NewBlocks(len(in.Pairs[h]), pairEpisodes(in.Episode, in.Pairs[h]), o.Block, pixel[h])
		if err != nil {
			return nil, err
		}
		families[h] = blocks.Resamples(o.Bootstrap, o.Seed)
		if h == main {
			result.Blocks = blocks.String()
			result.Warnings = append(result.Warnings, blocks.Warnings()...)
			result.EffectivePairs = results.EffectiveSize(pixel[h], pairEpisodes(in.Episode, in.Pairs[h]))
		}
	}

	slopes := make([]*stat.Bootstrapped, len(in.Models))
	squares := make([]*stat.Bootstrapped, len(in.Models))
	for i, encoded := range in.Models {
		model := Model{Name: encoded.Name, LatentScale: o.Scale}
		rms, rank := results.Spread(encoded.Latents)
		model.RMSDistance, model.EffectiveRank = rms, rank
		if !rms.Defined() {
			result.Warnings = append(result.Warnings, fmt.Sprintf("%s: %s: the encoder has collapsed and its smoothness means nothing", encoded.Name, rms.Reason))
		}
		scaledLatents, err := spectrum.Scaled(encoded.Latents, o.Scale)
		if err != nil { // constant latents: every distance is 0 on any scale
			scaledLatents = encoded.Latents
		}
		for _, h := range horizons {
			if families[h] == nil {
				continue
			}
			scaled := distances(scaledLatents, in.Pairs[h])
			measured, err := relate(ctx, pixel[h], scaled, still, families[h], o.Threads)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", encoded.Name, err)
			}
			model.Horizons = append(model.Horizons, Horizon{Horizon: h, Relation: measured.Relation})
			if h != main {
				continue
			}
			model.Relation, model.Line, model.Ratios = measured.Relation, measured.line(pixel[h]), measured.ratios
			model.RawDistance, model.Distance = distances(encoded.Latents, in.Pairs[h]), scaled
			slopes[i], squares[i] = measured.slope, measured.rSquared
			model.NEff = results.EffectiveSize(scaled, pairEpisodes(in.Episode, in.Pairs[h]))
			rawMeasured, err := relate(ctx, pixel[h], model.RawDistance, still, families[h], o.Threads)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", encoded.Name, err)
			}
			model.Raw = rawMeasured.Relation
		}
		result.Models = append(result.Models, model)
	}
	names := results.Names(in.Models)
	if o.Bootstrap > 0 {
		for _, metric := range []struct {
			name       string
			replicates []*stat.Bootstrapped
		}{{"slope", slopes}, {"r_squared", squares}} {
			compared, err := results.Pairwise(metric.name, names, metric.replicates, o.Seed)
			if err != nil {
				return nil, err
			}
			result.Comparisons = append(result.Comparisons, compared...)
		}
	}
	return result, nil
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
		return nil, fmt.Errorf("%d pairs of states %d apart within an episode, want at least 3", n, horizons[0])
	}
	return horizons, nil
}

// distances returns ‖a − b‖₂ for every pair.
func distances(p points.Points, pairs []points.Pair) []float64 {
	out := make([]float64, len(pairs))
	now, next := make([]float64, p.Dim), make([]float64, p.Dim)
	for i, pair := range pairs {
		p.Row(pair.Now, now)
		p.Row(pair.Next, next)
		square := 0.0
		for k, v := range now {
			d := v - next[k]
			square += float64(d * d)
		}
		out[i] = math.Sqrt(square)
	}
	return out
}

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
