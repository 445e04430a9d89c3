// Package robustness measures how far latents move when frames are corrupted.
//
// Every state x is changed to x' at some level, by noise or another [corruption.Kind],
// and the distance ‖φ(x') − φ(x)‖₂ is taken. All models see the same corrupted
// frames. Noise is relative to the pixel range and the result is clipped to it,
//
//	x' = range·clip(x/range + σ·ε, 0, 1), ε ~ N(0, I),
//
// where the published code clamps frames of 0..255 to 0..1 and so erases them. A
// collapsed encoder does not move at all; the spread of its latents is part of
// every result.
package robustness

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"repscope/analysis"
	"repscope/analysis/internal/results"
	"repscope/dataset"
	"repscope/internal/option"
	"repscope/internal/text"
	"repscope/latent"
	"repscope/measure/corruption"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

// Encoder is one model: the latents of the clean states and a way to encode
// changed ones.
type Encoder struct {
	Name  string
	Clean points.Points // row i belongs to state i
	// Content is the identity of the encoder's content and settings, by which a study remembers it; empty: it is not
	// remembered.
	Content string
	// Encode returns the latents of other states, in the same space as Clean.
	Encode func(ctx context.Context, states latent.Source) (points.Points, error)
	// EncodeNoisy, if not nil, is tried first for corruptions that latent.Noise has. It
	// corrupts the states itself, returns ‖x' − x‖₂ of each with the latents, and may
	// tell progress the states done. An error that wraps latent.ErrNoNoise asks for Encode.
	EncodeNoisy func(ctx context.Context, states latent.Source, noise latent.Noise, progress func(done, total int)) (points.Points, []float64, error)
}

// Input is what Analyze looks at.
type Input struct {
	States     latent.Source
	PixelRange dataset.PixelRange
	// Spread, if not nil, is the unit of levels in place of the pixel range, for vectors: nothing is
	// clipped then.
	Spread *Spread
	// Number identifies each state for the generator of the noise, so that a state
	// gets the same noise in any subset; nil means its position.
	Number  []int
	Episode []int // of each state; nil means one episode
	Time    []int // frame of each state, for autocorrelation; nil means that they follow each other
	Models  []Encoder
}

// Options are the choices of an analysis; the zero value is the default.
type Options struct {
	analysis.Settings
	Corruption corruption.Kind // empty means Gaussian
	Levels     []float64       // nil means 0.01, 0.05, 0.1, 0.15, 0.2
	Clip       corruption.Clip // empty means ClipRange
	Draws      int             // corruptions per state and level; 0 means 1
	// L2 divides every latent by its norm before distances are taken.
	L2 bool
	// CompareLevel is the level at which models are compared; it must be one of
	// Levels. NaN or 0 means the middle one.
	CompareLevel float64
}

// Declare binds the options to their fields.
func (o *Options) Declare(l *option.List) {
	option.Choice(l, &o.Corruption, "corruption", corruption.Kinds(), "`NAME` of the corruption")
	l.Floats(&o.Levels, "levels",
		"`LIST` of levels, as shares of the pixel range (for noise, its standard deviation), or for vectors in "+
			"units of --noise-unit").Distinct()
	option.Choice(l, &o.Clip, "clip", corruption.Clips(),
		"`RULE` for pixels outside the pixel range: range clips, reflect mirrors, none keeps; vectors are never "+
			"clipped")
	l.Int(&o.Draws, "draws", "`N` corruptions of every state at every level").Draws(1)
	l.Float(&o.CompareLevel, "box-level",
		"`LEVEL` of the box plot and of the comparisons; 0: 0.1 if it is a level, otherwise the middle level")
}

// DefaultLevels are the published noise levels.
func DefaultLevels() []float64 { return []float64{0.01, 0.05, 0.1, 0.15, 0.2} }

// Result is the outcome for all models, in the order of the input.
type Result struct {
	Models       []Model
	Comparisons  []report.Comparison
	Corruption   corruption.Kind
	Unit         string  // of a level, for axis labels
	Spread       *Spread // the spread of the states, where levels are in units of it; nil: of the pixel range
	CompareLevel float64
	L2           bool
	Blocks       string // how states were grouped for intervals; empty without
	Warnings     []string
	// Unmeasured are the models that could not encode some corrupted states; they are not
	// among Models.
	Unmeasured []report.Unmeasured
}

// Model is the outcome for one model.
type Model struct {
	Name   string  `json:"-"`
	Levels []Level `json:"levels"`
	// AUCRelative is the area under RelativeMean over the levels, by the trapezoidal rule,
	// divided by the range of the levels: its average. CurveSlope is the least-squares
	// slope of RelativeMean on the level. Both are undefined for one level.
	AUCRelative report.Estimate `json:"auc_relative"`
	CurveSlope  report.Estimate `json:"curve_slope"`
	// RMSDistance is √(2·tr C) of the clean latents, TotalVariance tr C and
	// EffectiveRank the entropy effective rank: a collapsed encoder is robust too.
	RMSDistance   report.Estimate `json:"rms_distance"`
	TotalVariance report.Value    `json:"total_variance"`
	EffectiveRank report.Value    `json:"effective_rank"`
	// NEff is the number of independent states that the states at the compared level are
	// worth, by the autocorrelation of their distances; NEffMeanLatent the number by the clean
	// latents themselves ([motion.EffectiveSize]).
	NEff                   report.Value `json:"n_eff"`
	NEffReliable           bool         `json:"n_eff_reliable"`
	NEffMeanLatent         report.Value `json:"n_eff_mean_latent"`
	NEffMeanLatentReliable bool         `json:"n_eff_mean_latent_reliable"`
	// Duplicates is the number of clean latents equal to the latent of an earlier state.
	Duplicates int `json:"duplicates"`

	// Distances holds, per level, ‖φ(x') − φ(x)‖ of every state and draw, draws of
	// a state together.
	Distances [][]float64 `json:"-"`
	// Cosines and Flips are of the same corrupted states: NaN where a latent is zero,
	// and 1 for a flip, else 0.
	Cosines, Flips [][]float64 `json:"-"`
}

// Level is the outcome at one level.
type Level struct {
	Sigma float64 `json:"sigma" report:"parameter"`
	// Mean to Max describe ‖φ(x') − φ(x)‖ over states and draws. SE is SD of the
	// states' means over √states: of independent states. Intervals are from
	// delete-block jackknives with Student's t.
	Mean   report.Estimate `json:"mean"`
	SD     report.Value    `json:"sd"`
	SE     report.Value    `json:"se"`
	Median report.Estimate `json:"median"`
	Min    report.Value    `json:"min"`
	Max    report.Value    `json:"max"`
	// RelativeMean is Mean/√(2·tr C), a mean over a root mean square: random states have
	// 0.80 of it in one dimension, 0.89 in two, 0.95 in five (normal latents).
	// RelativeRMS is √(mean of the squares)/√(2·tr C): 1 is as far as two random states,
	// in any number of dimensions. Both are undefined for constant latents; their
	// intervals have the error of the RMS distance in them.
	RelativeMean report.Estimate `json:"relative_mean"`
	RelativeRMS  report.Estimate `json:"relative_rms"`
	// FlipRate is the share of corrupted latents that are nearer to the clean latent of another
	// state than to their own. Another at the same distance, such as the latent of a repeated frame, is no
	// flip: the rate is 0 where nothing moves. Undefined where all clean latents are equal.
	FlipRate report.Estimate `json:"flip_rate"` // Korn and Graubard's: see [stat.Jackknifed.AsShare]
	// Cosine is the mean cosine similarity of φ(x') and φ(x).
	Cosine report.Estimate `json:"cosine"`
	// InputPerturbation is the mean of ‖x' − x‖₂, in pixel values, after clipping.
	InputPerturbation report.Estimate `json:"input_perturbation"`
	Samples           int             `json:"samples"`
}

// chunk is the number of states corrupted at a time, for all models.
const chunk = 512

// Analyze corrupts every state at every level and measures how the latents of
// every model move. Errors: no models, fewer than 3 states, unequal numbers of
// states and latents, a level below 0 or, where it is a share, above 1, NaN or
// Inf in frames or latents. A model whose encoder fails on corrupted states is not measured,
// the others are; it is an error where every encoder fails.
func Analyze(ctx context.Context, in Input, o Options) (*Result, error) {
	work, err := Work(in, o)
	if err != nil {
		return nil, err
	}
	return work.Run(ctx)
}

// merge computes the statistics of all movements.
func (p *plan) merge(ctx context.Context, parts []*Part) (*Result, error) {
	p, parts, failed := p.withoutFailed(parts)
	in, o := p.in, p.o
	if len(in.Models) == 0 {
		return nil, errors.New(failed[0].Reason)
	}
	result := &Result{Corruption: o.Corruption, Unit: o.Corruption.Unit(), L2: o.L2, CompareLevel: o.CompareLevel, Unmeasured: failed, Spread: in.Spread}
	if in.Spread != nil && o.Corruption.OfRange() {
		result.Unit = in.Spread.label()
	}
	moved, changed := p.movements(parts)
	compared := slices.Index(o.Levels, o.CompareLevel)
	for i, m := range moved {
		if !m.rms.Defined() {
			result.Warnings = append(result.Warnings, results.Collapsed(in.Models[i].Name, m.rms.Reason))
		}
		if w := results.FarLatents(in.Models[i].Name, m.clean, in.Time, "relative distances and effective rank"); w != "" {
			result.Warnings = append(result.Warnings, w)
		}
		if n := m.clean.N; m.rms.Defined() && float64(m.duplicates) > results.DuplicateShare*float64(n) {
			result.Warnings = append(result.Warnings, fmt.Sprintf(
				"%s: %d of %d clean latents equal an earlier latent; flips between equal latents are not counted",
				in.Models[i].Name, m.duplicates, n))
		}
	}
	blocks, err := p.blocks(moved, compared)
	if err != nil {
		return nil, err
	}
	if blocks != nil {
		result.Blocks = results.Deleted(blocks)
		result.Warnings = append(result.Warnings, blocks.Warnings()...)
	}
	names, statistics := make([]string, len(moved)), make([]*jackknifes, len(moved))
	for i, m := range moved {
		model, statistic, err := m.describe(o, blocks, changed, in.Spread)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.Models[i].Name, err)
		}
		model.Name, names[i], statistics[i] = in.Models[i].Name, in.Models[i].Name, statistic
		distance := m.stateMeans(m.distance[compared])
		model.NEff, model.NEffReliable = results.EffectiveSizeOf(distance, in.Episode)
		if w := results.LengthWarning(model.Name+": distance", "state", distance, in.Episode); w != "" && blocks != nil {
			result.Warnings = append(result.Warnings, w)
		}
		if model.NEffMeanLatent, model.NEffMeanLatentReliable, err = results.EffectiveSizeOfMean(ctx, m.clean, in.Episode, in.Time, o.Threads); err != nil {
			return nil, err
		}
		result.Models = append(result.Models, *model)
	}
	if !o.Intervals {
		return result, nil
	}
	return result, result.compare(names, statistics, compared, o)
}

// compare compares the models: the relative mean at every level, and at the compared
// one the relative RMS and the flip rate; the area under the curve and its slope.
func (r *Result) compare(names []string, models []*jackknifes, compared int, o Options) error {
	type metric struct {
		results.Metric
		of func(*jackknifes) *stat.Jackknifed
	}
	var metrics []metric
	levelMetric := func(name string, level float64) results.Metric {
		return results.Metric{Name: fmt.Sprintf("%s at %g", name, level), Family: name, Path: "levels" + report.Row("sigma", level) + "." + name}
	}
	for l, level := range o.Levels {
		metrics = append(metrics, metric{levelMetric("relative_mean", level),
			func(j *jackknifes) *stat.Jackknifed { return j.relativeMean[l] }})
	}
	metrics = append(metrics,
		metric{levelMetric("relative_rms", o.CompareLevel), func(j *jackknifes) *stat.Jackknifed { return j.relativeRMS[compared] }},
		metric{results.Metric{Name: "auc_relative", Family: "auc_relative"}, func(j *jackknifes) *stat.Jackknifed { return j.auc }},
		metric{results.Metric{Name: "curve_slope", Family: "curve_slope"}, func(j *jackknifes) *stat.Jackknifed { return j.slope }},
		metric{levelMetric("flip_rate", o.CompareLevel), func(j *jackknifes) *stat.Jackknifed { return j.flips[compared] }})
	for _, m := range metrics {
		estimates := make([]*stat.Jackknifed, len(models))
		for i, j := range models {
			estimates[i] = m.of(j)
		}
		rows, err := results.Pairwise(m.Metric, names, estimates, o.Seed)
		if err != nil {
			return err
		}
		r.Comparisons = append(r.Comparisons, rows...)
	}
	results.Correct(r.Comparisons, o.Family)
	return nil
}

func (o Options) withDefaults() (Options, error) {
	if o.Corruption == "" {
		o.Corruption = corruption.Gaussian
	}
	if o.Clip == "" {
		o.Clip = corruption.ClipRange
	}
	if o.Levels == nil {
		o.Levels = DefaultLevels()
	}
	if o.Draws == 0 {
		o.Draws = 1
	}
	if o.Draws < 0 {
		return o, fmt.Errorf("%d draws, want at least 1", o.Draws)
	}
	if len(o.Levels) == 0 {
		return o, fmt.Errorf("no noise levels")
	}
	for i, level := range o.Levels {
		if err := o.Corruption.CheckLevel(level); err != nil {
			return o, err
		}
		if slices.Contains(o.Levels[:i], level) {
			return o, fmt.Errorf("level %v occurs twice", level)
		}
	}
	if math.IsNaN(o.CompareLevel) || o.CompareLevel == 0 {
		o.CompareLevel = o.Levels[len(o.Levels)/2]
	}
	if !slices.Contains(o.Levels, o.CompareLevel) {
		return o, fmt.Errorf(
			"level %v for box plots and comparisons is not among the levels %v", o.CompareLevel, o.Levels)
	}
	return o, nil
}

func (in Input) check() error {
	if len(in.Models) == 0 {
		return fmt.Errorf("no models to compare")
	}
	n := in.States.Len()
	if n < 3 {
		return fmt.Errorf("%s, want at least 3", text.Count(n, "state"))
	}
	if in.Episode != nil && len(in.Episode) != n {
		return fmt.Errorf("%d episode labels for %d states", len(in.Episode), n)
	}
	if in.Time != nil && len(in.Time) != n {
		return fmt.Errorf("%d frame numbers for %d states", len(in.Time), n)
	}
	if in.Spread != nil && len(in.Spread.spread) != n {
		return fmt.Errorf("a unit of %d states for %d states", len(in.Spread.spread), n)
	}
	if in.Number != nil && len(in.Number) != n {
		return fmt.Errorf("%d numbers for %d states", len(in.Number), n)
	}
	for _, m := range in.Models {
		if m.Clean.N != n {
			return fmt.Errorf("%s: %d latents for %d states", m.Name, m.Clean.N, n)
		}
	}
	return nil
}
