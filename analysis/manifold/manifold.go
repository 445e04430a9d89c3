// Package manifold measures how many dimensions a representation really uses:
// linear ones, from the eigenvalues of its covariance (participation ratio,
// effective rank, RankMe, stable rank), and intrinsic ones, from the distances
// to nearest neighbors (Two-NN, Gride, Levina–Bickel), at several scales.
//
//	result, err := manifold.Analyze(ctx, manifold.Input{
//		Episode: episode,
//		Models:  []manifold.Encoded{{Name: "jepa", Latents: z}},
//	}, manifold.Options{Settings: analysis.Settings{Intervals: true, Seed: 42}})
//	fmt.Println(result.Models[0].ParticipationRatio, result.Models[0].TwoNN.MLE)
package manifold

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/analysis"
	"repscope/analysis/internal/results"
	"repscope/internal/option"
	"repscope/internal/text"
	"repscope/measure/corruption"
	"repscope/measure/dimension"
	"repscope/measure/normality"
	"repscope/neighbors"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

// Estimator is the Two-NN estimate that tables and figures show.
type Estimator string

const (
	// EstimatorMLE is N/Σ ln μ, the default.
	EstimatorMLE Estimator = "mle"
	// EstimatorFit is the least-squares fit of Facco et al. 2017.
	EstimatorFit Estimator = "fit"
	// EstimatorDocumented is [dimension.DocumentedTwoNN], for reproducing old numbers.
	EstimatorDocumented Estimator = "documented"
)

// Encoded is one model's latents: Name, and Latents with a row per state.
type Encoded = results.Encoded

// Input is what Analyze looks at: latents of the same N states by each model.
type Input struct {
	Episode []int // of each state; nil means one episode
	Time    []int // of each state, in frames, ascending inside episodes; nil: every state a frame after the one before
	Same    []int // numbers of the states, equal for equal ones; nil: it is not known which are
	Models  []Encoded
	// Groups is the class of each state, by which LiDAR is computed without views; nil: none.
	Groups []int64
	// View returns the latents of all states by a model (its number in Models) under view number 0, 1, … of
	// Options.Views; nil where a model can encode no changed state: Options.Views are an error then. A
	// [stat.UndefinedError] is the reason why one model has none.
	View func(ctx context.Context, model, view int) (points.Points, error)
	// Content is the identity of the encoder of each model, by which views follow from states; nil: not known.
	Content []string
}

// Options are the choices of an analysis; the zero value is the default.
type Options struct {
	analysis.Settings
	Estimator Estimator // shown in tables and figures; empty means EstimatorMLE
	// GrideOrders are the n2 of Gride, with n1 = n2/2; nil means 2, 4, …, 64.
	// Neighbors are the k of Levina–Bickel; nil means 5, 10, 20, 50. Orders
	// that need more neighbors than there are latents are left out.
	GrideOrders, Neighbors []int
	// PowerLaw are the first and the last rank of the eigenvalues that a power law is fitted to; nil means the ranks of
	// [spectrum.PowerLawRanks].
	PowerLaw []int
	// Views is the number of views of each state for LiDAR, 0 for none: the state under ViewCorruption at ViewLevel.
	Views          int
	ViewCorruption corruption.Kind
	ViewLevel      float64
	// LiDARDelta is δ of [spectrum.LiDAR]; 0 means 1e−4.
	LiDARDelta float64
	// GaussianSlices is the number of directions in which latents are compared with a Gaussian, 0 for no comparison;
	// GaussianScale and GaussianDraws go to [normality.Null], empty and 0 mean isotropic and 99.
	GaussianSlices int
	GaussianScale  normality.Scale
	GaussianDraws  int
	// Clusters is the number of clusters of k-means whose labels neighbors predict; 0: none.
	Clusters int
	// DuplicateTolerance is the distance, in units of the RMS distance √(2·tr C),
	// up to which two latents count as duplicates; 0 means 1e−7, about the
	// resolution of float32. Where few latents hold nearly all variance, so that it is
	// more than ten times [spectrum.TypicalDistance], that takes its place.
	DuplicateTolerance float64
	// ExcludeWindow leaves latents at most ExcludeWindow frames apart in one episode out of
	// each other's neighbors; AutoWindow: about the autocorrelation time.
	ExcludeWindow int
	// Approximate searches the neighbors of very many latents approximately and
	// measures the recall; where that would save little, exactly.
	Approximate bool
}

// Declare binds the options to their fields.
func (o *Options) Declare(l *option.List) {
	option.Choice(l, &o.Estimator, "estimator", []Estimator{EstimatorMLE, EstimatorFit, EstimatorDocumented},
		"`NAME` of the Two-NN estimate in tables and figures; documented: the published formula, which cannot "+
			"exceed 1.7325")
	l.Ints(&o.GrideOrders, "gride", "`LIST` of neighbor orders n2 for Gride, with n1 = n2/2 (default 2,4,8,16,32,64)").
		Each("even numbers of at least 2", func(n2 int) bool { return n2 >= 2 && n2%2 == 0 })
	l.Ints(&o.Neighbors, "neighbors", "`LIST` of k for Levina–Bickel (default 5,10,20,50)").AtLeast(2)
	l.Ints(&o.PowerLaw, "power-law", "`LOW,HIGH` of the ranks of eigenvalues that a power law is fitted to (αReQ; "+
		"default 12,50, below 100 directions in proportion)").AtLeast(1)
	l.Int(&o.Views, "views", "`N` views of every state, changed by --view-corruption and encoded again, for LiDAR; "+
		"0: none").
		Each("0 or at least 2", func(n int) bool { return n == 0 || n >= 2 }).AtMost(option.MostDraws)
	option.Choice(l, &o.ViewCorruption, "view-corruption", corruption.Kinds(), "`NAME` of the corruption that "+
		"makes a view")
	l.Float(&o.ViewLevel, "view-level", "`LEVEL` of the corruption of a view, as for the corruptions of robustness").
		EachFloat("a number above 0", func(v float64) bool { return v > 0 })
	l.Float(&o.LiDARDelta, "lidar-delta", "`DELTA` added to the diagonal of the scatter inside classes, in squared "+
		"units of the latents").
		EachFloat("a number above 0", func(v float64) bool { return v > 0 && !math.IsInf(v, 1) })
	l.Int(&o.GaussianSlices, "gaussian-slices", "`N` random directions in which latents are compared with an "+
		"isotropic Gaussian (SIGReg; also BHEP, over all pairs); 0: none").Draws(0)
	option.Choice(l, &o.GaussianScale, "gaussian-scale", normality.Scales(), "`NAME` of the scale of the latents: "+
		"isotropic, latents less their mean in units of their spread; raw, latents as they are with N(0, I)")
	l.Int(&o.GaussianDraws, "gaussian-draws", "`N` draws of the null of the comparison with a Gaussian").Draws(19)
	l.Int(&o.Clusters, "learn-clusters", "`N` clusters of k-means whose labels neighbors predict (cluster "+
		"learnability, CLID); 0: none").
		Each("0 or at least 2", func(n int) bool { return n == 0 || n >= 2 })
	l.Float(&o.DuplicateTolerance, "duplicate-tolerance",
		"`SHARE` of the RMS distance below which latents count as duplicates; latents that differ only by rounding "+
			"always do").
		EachFloat("a number between 0 and 1", func(v float64) bool { return v > 0 && v < 1 })
	l.Var((*results.Window)(&o.ExcludeWindow), "exclude-window", results.WindowUsage)
	l.Bool(&o.Approximate, "approx",
		"for very many states: search nearest neighbors approximately and measure the recall")
}

// Result is the outcome for all models, in the order of the input.
type Result struct {
	Models      []Model
	Comparisons []report.Comparison
	Blocks      string // the deleted and halved blocks, for captions; empty without intervals
	Warnings    []string
}

// Model is the outcome for one model.
type Model struct {
	Name             string `json:"-"`
	Samples          int    `json:"samples"`
	NominalDimension int    `json:"nominal_dimension"`

	// ParticipationRatio is the participation ratio of the sample, which is too small for few or dependent
	// latents; ParticipationRatioCorrected the ratio of unbiased estimates, see
	// [spectrum.Blocked.Corrected].
	ParticipationRatio          report.Estimate `json:"participation_ratio"`
	ParticipationRatioCorrected report.Estimate `json:"participation_ratio_corrected"`
	// UsagePercent is ParticipationRatio in percent of the nominal dimension.
	UsagePercent report.Estimate `json:"usage_percent"`
	// EffectiveRank is the effective rank of the variance spectrum, EffectiveRankSingular the effective rank of the
	// singular values. The biases are estimates of the jackknife: the expected shortfall
	// (negative) for want of latents, in EffectiveRank and in RankMe.
	EffectiveRank         report.Estimate `json:"effective_rank"`
	EffectiveRankBias     report.Value    `json:"effective_rank_bias"`
	EffectiveRankSingular report.Estimate `json:"effective_rank_singular"`
	RankMe                report.Estimate `json:"rankme"`
	RankMeBias            report.Value    `json:"rankme_bias"`
	// The interval of StableRank is too wide where the largest eigenvalues are nearly equal: the largest is no smooth
	// function of the latents then.
	StableRank report.Estimate `json:"stable_rank"`
	// StableRankUncentered is the stable rank of the latents as they are, see [spectrum.Uncentered].
	StableRankUncentered report.Estimate `json:"stable_rank_uncentered"`
	// The intervals of Dims90 and Dims99 are computed for [spectrum.Directions] and rounded outward.
	Dims90   report.Estimate `json:"dims_90"`
	Dims99   report.Estimate `json:"dims_99"`
	DeadDims int             `json:"dead_dims"`
	// TotalVariance is tr C.
	TotalVariance report.Value `json:"total_variance"`
	Eigenvalues   []float64    `json:"eigenvalues"`
	AlphaReQ      PowerLaw     `json:"alpha_req"`
	// LiDAR is nil without views and groups.
	LiDAR *LiDAR `json:"lidar,omitempty"`
	// Gaussianity and Learnability are nil where they were not asked for.
	Gaussianity  *Gaussianity  `json:"gaussianity,omitempty"`
	Learnability *Learnability `json:"cluster_learnability,omitempty"`

	// ExcludeWindow is the exclusion window in frames, 0 for none. NeighborsInTime is the
	// share of the latents whose nearest neighbor, outside that window, is at most Tau
	// (rounded up) frames from it in its episode.
	ExcludeWindow   int          `json:"exclude_window"`
	NeighborsInTime report.Value `json:"neighbors_in_time"`
	// IntrinsicDimension is the Two-NN estimate chosen by Estimator, with the interval
	// and the standard error by halving blocks.
	Estimator               Estimator       `json:"estimator"`
	IntrinsicDimension      report.Estimate `json:"intrinsic_dimension"`
	IntrinsicDimensionError report.Value    `json:"intrinsic_dimension_error" report:"error of intrinsic_dimension"`
	TwoNN                   TwoNNResult     `json:"two_nn"`
	Gride                   []GrideResult   `json:"gride"`
	LevinaBickel            []LBResult      `json:"lb_mle"`
	Decimation              []DecimationRow `json:"decimation"`
	// Recall is the recall of the approximate search; nil for an exact one.
	Recall *LatentRecall `json:"recall,omitempty"`
	// Tau is the autocorrelation time of the latents in frames, and NEff the number of
	// independent ones that their mean is worth; see [motion.EffectiveSize].
	Tau          report.Value `json:"tau"`
	NEff         report.Value `json:"n_eff_mean_latent"`
	NEffReliable bool         `json:"n_eff_mean_latent_reliable"`
}

// TwoNNResult holds the Two-NN estimates; see [dimension.TwoNN].
type TwoNNResult struct {
	MLE         report.Value `json:"mle"`
	MLEUnbiased report.Value `json:"mle_unbiased"`
	// MLECI is the interval for independent ratios, which they are not (MLECIAssumes);
	// MLEHalvesCI and FitHalvesCI come from halves of the blocks.
	MLECI        report.Interval `json:"mle_ci"`
	MLECIAssumes string          `json:"mle_ci_assumes,omitempty"`
	MLEHalvesCI  report.Interval `json:"mle_halves_ci" report:"interval of mle, halves"`
	Fit          report.Value    `json:"fit"`
	FitHalvesCI  report.Interval `json:"fit_halves_ci" report:"interval of fit, halves"`
	// Documented is the published formula, only where it is asked for.
	Documented *report.Value `json:"documented,omitempty"`
	NUsed      int           `json:"n_used"`
	// Duplicates are latents equal to an earlier one, but for rounding, which are left out. Tied
	// is the share of the others whose two nearest neighbors are equally far, which no
	// continuous distribution makes.
	Duplicates int          `json:"duplicates"`
	Tied       report.Value `json:"tied"`
}

// GrideResult is the dimension between neighbor orders N1 and N2.
type GrideResult struct {
	N1 int             `json:"n1" report:"parameter"`
	N2 int             `json:"n2" report:"parameter"`
	ID report.Estimate `json:"id"`
}

// LBResult is the Levina–Bickel estimate with K neighbors.
type LBResult struct {
	K  int             `json:"k" report:"parameter"`
	ID report.Estimate `json:"id"`
}

// DecimationRow is one point of the decimation curve; see [dimension.Decimation].
type DecimationRow struct {
	Size    int          `json:"size" report:"parameter"`
	Subsets int          `json:"subsets"`
	ID      report.Value `json:"id"`
	SD      report.Value `json:"sd"`
}

// Analyze measures every model. A model whose latents are constant, or with
// fewer than 3 distinct ones, has undefined numbers with their reason. Errors:
// no models, unequal numbers of latents, fewer than 3, NaN or Inf.
func Analyze(ctx context.Context, in Input, o Options) (*Result, error) {
	work, err := Work(in, o)
	if err != nil {
		return nil, err
	}
	return work.Run(ctx)
}

// merge compares the models.
func (p *plan) merge(_ context.Context, parts []*Part) (*Result, error) {
	result := &Result{}
	result.Warnings = append(result.Warnings, p.warnings...)
	if p.off == "" {
		result.Blocks = fmt.Sprintf("%s (%s)", text.Count(p.blocks.Count(), "block"), p.blocks)
		result.Warnings = append(result.Warnings, p.blocks.Warnings()...)
	} else if p.o.Intervals {
		result.Warnings = append(result.Warnings, "intervals are left out: "+p.off)
	}
	metrics := []metric{{name: "participation_ratio_corrected"}, {name: "effective_rank"}, {name: "rankme"}, {name: "two_nn_mle", path: "two_nn.mle"}}
	if k := p.comparedNeighbors(); k > 0 {
		path := "lb_mle" + report.Row("k", float64(k)) + ".id"
		metrics = append(metrics, metric{name: fmt.Sprintf("lb_mle@%d", k), path: path})
	}
	for _, part := range parts {
		for _, m := range part.Models {
			estimates := []*stat.Jackknifed{m.ParticipationRatio, m.EffectiveRank, m.RankMe, m.TwoNN, m.LevinaBickel}
			for i := range metrics {
				metrics[i].estimates = append(metrics[i].estimates, estimates[i])
			}
			result.Warnings = append(result.Warnings, m.Warnings...)
			result.Models = append(result.Models, m.Model)
		}
	}
	for _, w := range []string{
		p.timeWarning(result.Models), p.ordersWarning(result.Models), p.powerLawWarning(result.Models),
		lidarWarning(result.Models),
	} {
		if w != "" {
			result.Warnings = append(result.Warnings, w)
		}
	}
	if p.o.Estimator == EstimatorDocumented {
		result.Warnings = append(result.Warnings, "the documented formula 1/(ln(mean r2/r1) − ψ(1)) is not a "+
			"dimension, because it never exceeds 1/γ = 1.7325; use --estimator mle or fit")
	}
	for _, metric := range metrics {
		compared, err := results.Pairwise(results.Metric{Name: metric.name, Family: metric.name, Path: metric.path},
			results.Names(p.in.Models), metric.estimates, p.o.Seed)
		if err != nil {
			return nil, err
		}
		result.Comparisons = append(result.Comparisons, compared...)
	}
	results.Correct(result.Comparisons, p.o.Family)
	return result, nil
}

// metric is what models are compared by: an estimate of each, nil where undefined.
type metric struct {
	name      string
	path      string // of the number, where it has another name
	estimates []*stat.Jackknifed
}

// check returns the latents of every model as spaces that need not be checked again, without
// what rounding alone tells apart.
func (in Input) check(threads int) ([]neighbors.Space, error) {
	n := 0
	if len(in.Models) > 0 {
		n = in.Models[0].Latents.N
	}
	if err := results.Check(in.Models, n, in.Episode); err != nil {
		return nil, err
	}
	if in.Time != nil && len(in.Time) != n {
		return nil, fmt.Errorf("%d times for %d latents", len(in.Time), n)
	}
	if in.Groups != nil && len(in.Groups) != n {
		return nil, fmt.Errorf("%d groups for %d latents", len(in.Groups), n)
	}
	if in.Content != nil && len(in.Content) != len(in.Models) {
		return nil, fmt.Errorf("%d identities of encoders for %d models", len(in.Content), len(in.Models))
	}
	if n < 3 {
		return nil, fmt.Errorf("%s, want at least 3", text.Count(n, "latent"))
	}
	spaces := make([]neighbors.Space, len(in.Models))
	for i, m := range in.Models {
		if err := neighbors.Check(m.Name, m.Latents, neighbors.Euclidean); err != nil {
			return nil, err
		}
		near, err := neighbors.WithoutRounding(context.Background(), m.Latents, in.Same, threads)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
		if spaces[i], err = neighbors.NewSpace(m.Name, near.Points, neighbors.Euclidean); err != nil {
			return nil, err
		}
	}
	return spaces, nil
}

func (o Options) withDefaults(n int) Options {
	if o.Estimator == "" {
		o.Estimator = EstimatorMLE
	}
	if o.GrideOrders == nil {
		o.GrideOrders = []int{2, 4, 8, 16, 32, 64}
	}
	if o.Neighbors == nil {
		o.Neighbors = []int{5, 10, 20, 50}
	}
	if o.GaussianScale == "" {
		o.GaussianScale = normality.Isotropic
	}
	if o.GaussianDraws == 0 {
		o.GaussianDraws = 99
	}
	if o.LiDARDelta == 0 {
		o.LiDARDelta = 1e-4
	}
	if o.DuplicateTolerance == 0 {
		o.DuplicateTolerance = 1e-7
	}
	tooMany := func(k int) bool { return k > n-1 }
	o.GrideOrders = slices.DeleteFunc(slices.Clone(o.GrideOrders), tooMany)
	o.Neighbors = slices.DeleteFunc(slices.Clone(o.Neighbors), tooMany)
	return o
}

// search is the one for every neighbor search of an analysis.
func (p *plan) search(ctx context.Context) dimension.Search {
	o := p.o
	return dimension.Search{
		Options:     neighbors.Options{Threads: max(o.Threads, 0), Memory: o.Memory, Device: o.Device},
		Approximate: o.Approximate, Seed: o.Seed, ExactPoints: exactPoints(ctx), Window: p.window,
	}
}
