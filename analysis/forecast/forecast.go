// Package forecast scores ensemble forecasts of spatial fields.
//
// A forecast has S members [N,S,V,H,W] of N samples, V variables and H × W cells; the
// truth is [N,V,H,W]. Scores come from package measure/ensemble and
// measure/verification: errors of the ensemble mean, proper scores of the ensemble, and
// its calibration. Persistence, which predicts the input fields, and climatology are
// models like the others.
//
//	result, err := forecast.Analyze(ctx, forecast.Input{
//		Target:    truth,
//		Forecasts: []forecast.Forecast{{Name: "diffusion", Members: ensemble}},
//	}, forecast.Options{Settings: analysis.Settings{Intervals: true, Seed: 42}})
//	crps, _ := result.Models[0].Score("crps")
//
// Arrays are read sample by sample and need not fit into memory. Every score is a
// formula over sums that are kept for every sample (see family.go): any number of threads
// and any split of the samples gives the same bytes, and blocks of samples are deleted
// for intervals.
package forecast

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"repscope/analysis"
	"repscope/internal/option"
	"repscope/report"
)

// The models that are made of other inputs than forecasts.
const (
	Persistence = "persistence" // predicts the input field of the same variable
	Climatology = "climatology" // predicts the mean of other times
)

// Baselines are the names of these models.
func Baselines() []string { return []string{Persistence, Climatology} }

// Array is an array that is read by samples, its first axis. A *dataset.Array is one.
// Read may be called by several goroutines.
type Array interface {
	Name() string // in messages: file and key
	Shape() []int
	// ReadFloat64 reads samples lo … hi−1, as many as dst has.
	ReadFloat64(dst []float64, lo, hi int) error
	SHA256() (string, error) // identifies the values, for work that is split
}

// Forecast is what one model predicts.
type Forecast struct {
	Name    string
	Members Array  // [N,S,V,H,W], or [N,V,H,W] of one member
	From    string // what made it, for the result; may be empty
}

// Region is a part of the grid, with scores of its own: the scores of a run whose weights
// are the products of both.
type Region struct {
	Name    string
	Weights []float64 // [H·W], at least 0; they multiply the weights of the cells
}

// Input is what Analyze looks at.
type Input struct {
	Target    Array    // [N,V,H,W]
	Variables []string // names of V; nil: v0, v1, …
	Forecasts []Forecast
	// Fields are the fields that forecasts begin with, [N,Vin,H,W], with the names of
	// their variables; nil: no persistence.
	Fields         Array
	FieldVariables []string
	// Climate are fields that do not know the sample: [V,H,W], or one per sample
	// [N,V,H,W]; nil: no climatology, unless FromTarget.
	Climate Array
	// FromTarget makes the climatology of a sample the mean of the targets of all other
	// groups.
	FromTarget bool
	// Weights are the weights of cells [H·W], or of rows [H]; nil: equal ones. A cell of weight 0
	// counts nowhere, whatever it holds.
	Weights []float64
	Regions []Region
	Leads   []float64 // of every sample, in any unit; nil: one lead
	// Groups tells the samples that depend on each other, such as samples of one initial
	// time; their order is that in time. nil: the k-th sample of every lead is of group k.
	Groups []int
}

// Options are the choices of an analysis; the zero value is the default.
type Options struct {
	analysis.Settings
	Metrics []string // names of families or scores; empty: all that the input allows

	CRPS        string  // estimator: EstimatorFair (empty) or EstimatorBiased
	Energy      string  // estimator of energy scores
	Variogram   string  // VariogramProper (empty) or VariogramDocumented
	VariogramP  float64 // its order; 0 means 0.5
	MaxDistance float64 // of pairs of cells, in cells; 0: all pairs
	Patch       int     // cells of a patch in either direction; 0 means 4
	PatchMode   string  // PatchPool (empty) or PatchTile
	Pairs       int     // neighboring cells drawn for the pairwise energy score; 0: all
	// Thresholds and EventQuantiles make events: values of at least a threshold, and of at
	// least a quantile (in (0, 1)) of all true values of the variable.
	Thresholds, EventQuantiles []float64
	// Windows are the sides of windows of the fractions skill score, in cells; nil:
	// 1, 3, 7, 15, … up to the shorter side of the grid.
	Windows []int
	// EventRule says whether values at the threshold itself are events: EventAtLeast (empty),
	// they are, or EventAbove. Rain of at least 0 is everywhere.
	EventRule string
	Spectrum  string // SpectrumDCT (empty) or SpectrumFFT
	// Wrap says that the columns go round, as the longitudes of a whole circle do: the last is
	// next to the first, for pairs of cells and windows, and no side of the grid.
	Wrap bool
	// Tile is the side of a tile in cells, of tiled scores; 0 means 8.
	Tile int
	// Quantiles are levels of quantile scores, nil: 0.1, 0.5 and 0.9; Coverage probabilities
	// of central intervals, nil: 0.5 and 0.9.
	Quantiles, Coverage []float64

	Members int // as many of the first members; 0: all
	// SkipMembers takes of every sample the first Members that have no NaN or infinity, in place
	// of the first. A sample that has fewer is an error, or with SkipNaN left out.
	SkipMembers bool

	BatchSize int // samples of a batch, whose means have a spread; 0: no batches
	// SkipNaN leaves out samples with NaN or infinity in any array, for all models; else
	// they are errors.
	SkipNaN bool
}

// Declare binds the options to their fields.
func (o *Options) Declare(l *option.List) {
	l.Int(&o.Members, "n-samples", "`N` members to score: the first N of --forecast (0: all), or the number that "+
		"--model generates (0: 100)").AtLeast(0)
	l.Bool(&o.SkipNaN, "skip-nan",
		"leave out samples with NaN or Inf in any array, for all models, and report their number, instead of failing")
	l.Bool(&o.SkipMembers, "skip-members",
		"leave out members with NaN or Inf and score the first --n-samples finite members of each sample; a sample "+
			"with fewer is an error, or is left out with --skip-nan")
	l.Names(&o.Metrics, "metrics", MetricNames(),
		"`LIST` of scores or score families; default: all that the input allows")
	o.declareEnsemble(l)
	o.declareEvents(l)
	l.Int(&o.BatchSize, "batch-size",
		"`N` consecutive samples per batch: adds NAME_batch_sd, the standard deviation over batches; 0: "+
			"none").AtLeast(0)
}

// declareEnsemble binds the options of ensembles and their quantiles.
func (o *Options) declareEnsemble(l *option.List) {
	positive := func(v float64) bool { return v > 0 }
	probability := func(v float64) bool { return v > 0 && v < 1 }
	estimators := []string{EstimatorFair, EstimatorBiased}
	option.Choice(l, &o.CRPS, "crps", estimators, "`ESTIMATOR` of the continuous ranked probability score")
	option.Choice(l, &o.Energy, "energy", estimators, "`ESTIMATOR` of energy scores")
	option.Choice(l, &o.Variogram, "variogram", []string{VariogramProper, VariogramDocumented},
		"`DEFINITION` of the variogram score; documented, of the ensemble mean, is improper")
	l.Float(&o.VariogramP, "variogram-p",
		"exponent `P` of the differences |x_i − x_j|^P").EachFloat("a positive number", positive)
	l.Float(&o.MaxDistance, "max-distance",
		"`CELLS`: largest distance of pairs in the variogram score; 0: all pairs (with --example 6)").
		EachFloat("0, or at least 1 (the distance between neighboring "+
			"cells)", func(v float64) bool { return v == 0 || v >= 1 })
	l.Int(&o.Patch, "patch", "`CELLS` per side of a patch in the patched energy score").AtLeast(1)
	option.Choice(l, &o.PatchMode, "patch-mode", []string{PatchPool, PatchTile},
		"`MODE` of the patched energy score: pool scores patch averages, tile averages the scores of patches")
	l.Int(&o.Pairs, "pairs",
		"`N` pairs of neighboring cells in the pairwise energy score, drawn with --seed; 0: all").AtLeast(0)
	l.Int(&o.Tile, "tile", "`CELLS` per side of a tile in tiled scores (with --example 6)").AtLeast(1)
	l.Floats(&o.Quantiles, "quantiles", "`LIST` of quantile levels to score, between 0 and 1").EachFloat("numbers between 0 and 1", probability).Distinct()
	l.Floats(&o.Coverage, "intervals",
		"`LIST` of probabilities of the central intervals to score (coverage, width, interval score)").
		EachFloat("numbers between 0 and 1", probability).Distinct()
}

// declareEvents binds the options of events, windows and spectra.
func (o *Options) declareEvents(l *option.List) {
	l.Floats(&o.Thresholds, "thresholds",
		"`LIST` of thresholds: a cell at or above one is an event, scored by hits and misses, probabilities and "+
			"windows").Distinct()
	l.Floats(&o.EventQuantiles, "event-quantiles",
		"`LIST` of quantile levels: an event is a value at or above this quantile of all true values of the "+
			"variable (with --example 0.9)").
		EachFloat("numbers between 0 and 1", func(v float64) bool { return v > 0 && v < 1 }).Distinct()
	option.Choice(l, &o.EventRule, "event-rule", []string{EventAtLeast, EventAbove},
		"`RULE` of events: values at or above the threshold or quantile, or strictly above it (every cell has rain "+
			"of at least 0)")
	l.Bool(&o.Wrap, "wrap", "the grid is periodic along its columns, as for all longitudes: pairs of cells and "+
		"windows wrap around, and the left and right edges are not a border")
	l.Ints(&o.Windows, "fss-windows",
		"`LIST` of window sides of the fractions skill score, in cells (default 1,3,7,15,… up to the shorter side)").
		Each(fmt.Sprintf("sides from 1 to %d", MaxWindow), func(w int) bool { return w >= 1 && w <= MaxWindow }).Distinct()
	option.Choice(l, &o.Spectrum, "spectrum", []string{SpectrumDCT, SpectrumFFT},
		"`TRANSFORM` of power spectra: dct (cosine), or fft (Fourier) for fields periodic in both directions")
}

// Defaults returns the options with their defaults.
func Defaults() Options {
	o, _ := Options{}.withDefaults()
	return o
}

// The values of Options.
const (
	EstimatorFair       = "fair"       // of an ensemble of any size, the score of an infinite one: 1/(S(S−1))
	EstimatorBiased     = "biased"     // of the empirical distribution of the members: 1/S²
	VariogramProper     = "proper"     // Scheuerer and Hamill (2015)
	VariogramDocumented = "documented" // of the ensemble mean: improper
	PatchPool           = "pool"       // fields averaged over patches
	PatchTile           = "tile"       // the mean over patches
	SpectrumDCT         = "dct"        // the cosine transform, for fields that are not periodic
	SpectrumFFT         = "fft"        // the Fourier transform, for fields that are
	EventAtLeast        = "at-least"   // values from the threshold on
	EventAbove          = "above"      // values above the threshold
)

// Result is the outcome for all models: the forecasts, then the baselines.
type Result struct {
	Models      []Model
	Comparisons []report.Comparison
	Samples     []int // of the input, without those that were left out
	Groups      []int // of every sample
	Leads       []float64
	Variables   []string
	Regions     []string
	Skipped     int    // samples left out for NaN or infinity
	Blocks      string // how samples were grouped for intervals; empty without
	Warnings    []string
	// Unmeasured are forecasts with members that could not be made or read; they are not
	// among Models.
	Unmeasured []report.Unmeasured

	rule        string      // of events
	ByLeadAlone bool        // there are no scores over all leads
	Series      bool        // groups depend on those before them
	Formulas    []Formula   // of all scores
	ByVariable  [][][]Score // by model and variable
}

// Model is the outcome for one model. Scores are its fields by their names: the value,
// next to it NAME_sd, the standard deviation over samples (ddof 0), and NAME_ci.
type Model struct {
	Name      string        `json:"-"`
	Kind      string        `json:"kind"`           // forecast or baseline
	From      string        `json:"from,omitempty"` // what made the forecast
	Samples   int           `json:"samples"`
	Members   int           `json:"members"`
	Estimator report.Object `json:"estimator"` // which estimators the scores are of
	Fields    report.Object `json:",inline"`
	// SkillScores are 1 − score/score of the baseline, for scores that are 0 at best.
	SkillScores report.Object `json:"skill_scores,omitempty"`
	ByVariable  report.Object `json:"by_variable"`
	ByRegion    report.Object `json:"by_region,omitempty"`
	ByLead      []Lead        `json:"by_lead,omitempty"`
	Skipped     report.Object `json:"skipped,omitempty"` // why scores are undefined, by name

	Scores []Score `json:"-"`
	// Tables are what the families report next to scores, by their keys in the result.
	Tables report.Object `json:"-"`
}

// Lead are the scores of the samples of one lead.
type Lead struct {
	Lead    float64       `json:"lead" report:"parameter"`
	Samples int           `json:"samples"`
	Fields  report.Object `json:",inline"`

	Scores []Score `json:"-"`
}

// Score is one number about a model.
type Score struct {
	Name            string
	report.Estimate              // with the standard deviation over samples, of those that define it
	BatchSD         report.Value // over batches; undefined without
	Sample          []float64    // of every sample; NaN where it is undefined
	// Mean says that the value is the mean of Sample, so that runs can be paired by it.
	Mean bool
	// Row is the part of the path before the name, of scores in lists or objects of their
	// own: events[threshold=5].
	Row string
}

// Path is the path of the score in the part of a model ([report.Object.Number]).
func (s *Score) Path() string {
	if s.Row == "" {
		return s.Name
	}
	return s.Row + "." + s.Name
}

// Score returns the score of a path, such as mse or events[threshold=5].csi.
func (m *Model) Score(path string) (Score, bool) { return FindScore(m.Scores, path) }

// Score returns the score of a path.
func (l *Lead) Score(path string) (Score, bool) { return FindScore(l.Scores, path) }

// FindScore is the score of a path among others.
func FindScore(scores []Score, path string) (Score, bool) {
	for _, s := range scores {
		if s.Path() == path {
			return s, true
		}
	}
	return Score{}, false
}

// Analyze scores every forecast and the baselines. What cannot be computed (spread of one
// member, a correlation of constant fields) is undefined with its reason.
//
// Errors: arrays of other shapes than the target's, no forecasts and no baseline, models
// of equal names, an input variable that is missing, weights that are negative or all 0,
// and NaN or infinity, with array and index, unless they are to be skipped.
func Analyze(ctx context.Context, in Input, o Options) (*Result, error) {
	work, err := Work(in, o)
	if err != nil {
		return nil, err
	}
	return work.Run(ctx)
}

// Table are the rows of a table of a model; nil if it has none.
func Table[T any](m *Model, key string) []T {
	value, _ := m.Tables.Get(key)
	rows, _ := value.([]T)
	return rows
}

// InTime are the places of the samples in the order of their groups, inside one as they are
// given.
func (r *Result) InTime() []int {
	order := make([]int, len(r.Samples))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(r.Groups[a], r.Groups[b]) })
	return order
}
