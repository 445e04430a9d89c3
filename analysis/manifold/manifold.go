// Package manifold measures how many dimensions a representation really uses:
// linear ones, from the eigenvalues of its covariance (participation ratio,
// effective rank, RankMe, stable rank), and intrinsic ones, from the distances
// to nearest neighbours (Two-NN, Gride, Levina–Bickel), at several scales.
//
//	result, err := manifold.Analyze(ctx, manifold.Input{
//		Episode: episode,
//		Models:  []manifold.Encoded{{Name: "jepa", Latents: z}},
//	}, manifold.Options{Intervals: true, Seed: 42})
//	fmt.Println(result.Models[0].ParticipationRatio, result.Models[0].TwoNN.MLE)
package manifold

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/analysis/internal/results"
	"repscope/internal/device"
	"repscope/internal/text"
	"repscope/measure/dimension"
	"repscope/measure/spectrum"
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

// Estimators lists the estimators by name.
func Estimators() []string {
	return []string{string(EstimatorMLE), string(EstimatorFit), string(EstimatorDocumented)}
}

// Encoded is one model's latents: Name, and Latents with a row per state.
type Encoded = results.Encoded

// Input is what Analyze looks at: latents of the same N states by each model.
type Input struct {
	Episode []int // of each state; nil means one episode
	Models  []Encoded
}

// Options are the choices of an analysis; the zero value is the default.
type Options struct {
	Estimator Estimator // shown in tables and figures; empty means EstimatorMLE
	// GrideOrders are the n2 of Gride, with n1 = n2/2; nil means 2, 4, …, 64.
	// Neighbors are the k of Levina–Bickel; nil means 5, 10, 20, 50. Orders
	// that need more neighbours than there are latents are left out.
	GrideOrders, Neighbors []int
	// DuplicateTolerance is the distance, in units of the RMS distance √(2·tr C),
	// up to which two latents count as duplicates; 0 means 1e−7, about the
	// resolution of float32.
	DuplicateTolerance float64
	// Intervals asks for delete-block jackknife intervals and comparisons.
	Intervals bool
	Block     stat.BlockSpec
	Seed      uint64 // of the decimation and the approximate search
	Family    string // of tests that Holm's correction is over: results.FamilyMetric (empty) or results.FamilyRun
	// Approximate searches the neighbours of very many latents approximately and
	// measures the recall; where that would save little, exactly.
	Approximate bool
	Threads     int            // ≤ 0: all
	Memory      int64          // of neighbour searches, in bytes; 0: the default of package neighbors
	Device      *device.Device // of exact neighbour searches; nil: the processor
	// Progress, if not nil, is told how many of the models are done.
	Progress func(done, total int)
}

// Result is the outcome for all models, in the order of the input.
type Result struct {
	Models      []Model
	Comparisons []report.Comparison
	Blocks      string // what the jackknife deletes, for captions; empty without intervals
	Warnings    []string
}

// Model is the outcome for one model.
type Model struct {
	Name             string `json:"-"`
	Samples          int    `json:"samples"`
	NominalDimension int    `json:"nominal_dimension"`

	ParticipationRatio   report.Value    `json:"participation_ratio"`
	ParticipationRatioCI report.Interval `json:"participation_ratio_ci"`
	// UsagePercent is the participation ratio in percent of the nominal dimension.
	UsagePercent  report.Value `json:"usage_percent"`
	EffectiveRank report.Value `json:"effective_rank"`
	RankMe        report.Value `json:"rankme"`
	StableRank    report.Value `json:"stable_rank"`
	Dims90        int          `json:"dims_90"`
	Dims99        int          `json:"dims_99"`
	DeadDims      int          `json:"dead_dims"`
	// TotalVariance is tr C.
	TotalVariance report.Value `json:"total_variance"`
	Eigenvalues   []float64    `json:"eigenvalues"`

	// IntrinsicDimension is the Two-NN estimate chosen by Estimator, with its
	// delete-block jackknife interval and standard error.
	Estimator               Estimator       `json:"estimator"`
	IntrinsicDimension      report.Value    `json:"intrinsic_dimension"`
	IntrinsicDimensionCI    report.Interval `json:"intrinsic_dimension_ci"`
	IntrinsicDimensionError report.Value    `json:"intrinsic_dimension_error"`
	TwoNN                   TwoNNResult     `json:"two_nn"`
	Gride                   []GrideResult   `json:"gride"`
	LevinaBickel            []LBResult      `json:"lb_mle"`
	Decimation              []DecimationRow `json:"decimation"`
	// Recall is that of the approximate search; nil for an exact one.
	Recall *LatentRecall `json:"recall,omitempty"`
	// NEff is the number of independent latents that the dependent ones are
	// worth, by the autocorrelation of the coordinate that varies most.
	NEff report.Value `json:"n_eff"`
}

// TwoNNResult holds the Two-NN estimates; see [dimension.TwoNN].
type TwoNNResult struct {
	MLE         report.Value `json:"mle"`
	MLEUnbiased report.Value `json:"mle_unbiased"`
	// MLECI is the exact interval for independent ratios, MLEBlockCI and
	// FitBlockCI those of the delete-block jackknife.
	MLECI      report.Interval `json:"mle_ci"`
	MLEBlockCI report.Interval `json:"mle_block_ci"`
	Fit        report.Value    `json:"fit"`
	FitBlockCI report.Interval `json:"fit_block_ci"`
	// Documented is the published formula, only where it is asked for.
	Documented *report.Value `json:"documented,omitempty"`
	NUsed      int           `json:"n_used"`
	Duplicates int           `json:"duplicates"`
}

// GrideResult is the dimension between neighbour orders N1 and N2.
type GrideResult struct {
	N1 int          `json:"n1"`
	N2 int          `json:"n2"`
	ID report.Value `json:"id"`
}

// LBResult is the Levina–Bickel estimate with K neighbours.
type LBResult struct {
	K  int          `json:"k"`
	ID report.Value `json:"id"`
}

// DecimationRow is one point of the decimation curve; see [dimension.Decimation].
type DecimationRow struct {
	Size    int          `json:"size"`
	Subsets int          `json:"subsets"`
	ID      report.Value `json:"id"`
	SD      report.Value `json:"sd"`
}

// Analyze measures every model. A model whose latents are constant, or of which
// fewer than 3 are distinct, has undefined numbers with their reason. Errors:
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
	if p.blocks != nil {
		result.Blocks = fmt.Sprintf("%s (%s)", text.Count(p.blocks.Count(), "block"), p.blocks)
		result.Warnings = append(result.Warnings, p.blocks.Warnings()...)
	}
	var ratios, dimensions []*stat.Jackknifed
	for _, part := range parts {
		for _, m := range part.Models {
			ratios, dimensions = append(ratios, m.ParticipationRatio), append(dimensions, m.TwoNN)
			result.Warnings = append(result.Warnings, m.Warnings...)
			result.Models = append(result.Models, m.Model)
		}
	}
	if p.o.Estimator == EstimatorDocumented {
		result.Warnings = append(result.Warnings, "the documented formula 1/(ln(mean r2/r1) − ψ(1)) is not a dimension: no data can make it exceed 1/γ = 1.7325; use --estimator mle or fit")
	}
	for _, metric := range []struct {
		name      string
		estimates []*stat.Jackknifed
	}{{"participation_ratio", ratios}, {"two_nn_mle", dimensions}} {
		compared, err := results.Pairwise(results.Metric{Name: metric.name, Family: metric.name}, results.Names(p.in.Models), metric.estimates, p.o.Seed)
		if err != nil {
			return nil, err
		}
		result.Comparisons = append(result.Comparisons, compared...)
	}
	results.Correct(result.Comparisons, p.o.Family)
	return result, nil
}

// check returns the latents of every model as spaces that need not be checked again.
func (in Input) check() ([]neighbors.Space, error) {
	n := 0
	if len(in.Models) > 0 {
		n = in.Models[0].Latents.N
	}
	if err := results.Check(in.Models, n, in.Episode); err != nil {
		return nil, err
	}
	if n < 3 {
		return nil, fmt.Errorf("%s, want at least 3", text.Count(n, "latent"))
	}
	spaces := make([]neighbors.Space, len(in.Models))
	for i, m := range in.Models {
		var err error
		if spaces[i], err = neighbors.NewSpace(m.Name, m.Latents, neighbors.Euclidean); err != nil {
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
	if o.DuplicateTolerance == 0 {
		o.DuplicateTolerance = 1e-7
	}
	tooMany := func(k int) bool { return k > n-1 }
	o.GrideOrders = slices.DeleteFunc(slices.Clone(o.GrideOrders), tooMany)
	o.Neighbors = slices.DeleteFunc(slices.Clone(o.Neighbors), tooMany)
	return o
}

// search is the one for every neighbour search of an analysis.
func (o Options) search(ctx context.Context) dimension.Search {
	return dimension.Search{
		Options:     neighbors.Options{Threads: max(o.Threads, 0), Memory: o.Memory, Device: o.Device},
		Approximate: o.Approximate, Seed: o.Seed, ExactPoints: exactPoints(ctx),
	}
}

// undefined marks every number of a model as undefined.
func (m *Model) undefined(reason string) {
	v, none := report.Undefined("%s", reason), report.NoInterval("%s", reason)
	m.ParticipationRatio, m.ParticipationRatioCI, m.UsagePercent = v, none, v
	m.EffectiveRank, m.RankMe, m.StableRank, m.TotalVariance, m.NEff = v, v, v, v, v
	m.Eigenvalues = []float64{}
	m.undefinedIntrinsic(reason)
}

func (m *Model) undefinedIntrinsic(reason string) {
	v, none := report.Undefined("%s", reason), report.NoInterval("%s", reason)
	m.IntrinsicDimension, m.IntrinsicDimensionCI, m.IntrinsicDimensionError = v, none, v
	m.TwoNN.MLE, m.TwoNN.MLEUnbiased, m.TwoNN.Fit = v, v, v
	m.TwoNN.MLECI, m.TwoNN.MLEBlockCI, m.TwoNN.FitBlockCI = none, none, none
	m.Gride, m.LevinaBickel, m.Decimation = []GrideResult{}, []LBResult{}, []DecimationRow{}
}

// describe fills in what the spectrum s of the latents z says.
func (m *Model) describe(s *spectrum.Spectrum, z points.Points) error {
	rankMe, err := spectrum.RankMe(z)
	if err != nil {
		return err
	}
	m.ParticipationRatio = report.Number(s.ParticipationRatio)
	m.UsagePercent = report.Number(100 * s.ParticipationRatio / float64(m.NominalDimension))
	m.EffectiveRank, m.RankMe = report.Number(s.EffectiveRank), report.Number(rankMe)
	m.StableRank, m.TotalVariance = report.Number(s.StableRank), report.Number(s.TotalVariance)
	m.Dims90, m.Dims99, m.DeadDims = s.Dims90, s.Dims99, s.DeadDims
	m.Eigenvalues = s.Eigenvalues
	return nil
}

// blockInterval is the interval of a jackknife that may not have been made.
func blockInterval(j *stat.Jackknifed) report.Interval {
	if j == nil {
		return report.NoInterval("intervals are off")
	}
	return results.Interval(j.Interval)
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
