// Package reward measures what can be read from latents: the reward of a transition,
// and any other target, such as the lives or the positions of a game.
//
// Probes are fitted on latents of true states and on latents that a dynamics model
// predicted, and are evaluated on both. What a probe loses when true latents are
// replaced by predicted ones, the transfer gap, is what a planner loses that reads its
// reward from predictions.
//
//	result, err := reward.Analyze(ctx, reward.Input{
//		Episode: episode,
//		Targets: []reward.Target{{Name: "reward", OfTransition: true, Values: rewards}},
//		Models:  []reward.Model{{Name: "jepa", Latents: z, Predicted: predicted}},
//	}, reward.Options{Settings: analysis.Settings{Intervals: true, Seed: 42}})
//	fmt.Println(result.Models[0].Probes[0].Score("mse"), result.Models[0].TransferGap)
//
// Every sample is scored by a probe that has seen nothing of its episode: episodes are
// divided into folds, and the probe of a fold is fitted on the episodes of all others.
package reward

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"repscope/analysis"
	"repscope/internal/option"
	"repscope/measure/probe"
	"repscope/points"
	"repscope/report"
)

// Target is what probes read: a number (Values) or a class (Classes) for every state.
type Target struct {
	Name     string
	Category string // of targets whose scores are averaged; may be empty
	// OfTransition says that the value of a state belongs to the transition from it to
	// its successor, as a reward is; else it is the state's own.
	OfTransition bool
	Values       []float64 // NaN: missing; such samples are left out and counted
	Classes      []int64
	Missing      []bool // of classes; nil: none
}

// SetClasses makes whole numbers the classes of the target, which NaN has none of.
func (t *Target) SetClasses(values []float64) {
	t.Classes = make([]int64, len(values))
	for i, v := range values {
		if math.IsNaN(v) {
			if t.Missing == nil {
				t.Missing = make([]bool, len(values))
			}
			t.Missing[i] = true
			continue
		}
		t.Classes[i] = int64(v)
	}
}

// Classified reports whether the target is a class.
func (t *Target) Classified() bool { return t.Classes != nil }

// Kind is "classification" or "regression".
func (t *Target) Kind() string {
	if t.Classified() {
		return Classification
	}
	return Regression
}

// The kinds of targets.
const (
	Regression     = "regression"
	Classification = "classification"
)

// Model is one model's latents, and what it or its heads predict. Rows belong to states.
type Model struct {
	Name    string
	Latents points.Points // [N, D]
	// Predicted is the prediction of the latent of every state's successor, [N, D]; rows
	// of states without a successor are not looked at. Without any, N is 0.
	Predicted points.Points
	Given     []Given
	Rollout   []StepErrors // of open-loop predictions; nil: none
}

// Given is what a reward head that was trained elsewhere says about every transition, by
// the state it begins at; rows of states without a successor are not looked at.
type Given struct {
	FittedOn, EvaluatedOn string // True or PredictedLatents
	Values                []float64
}

// The latents that a probe is fitted or evaluated on: latents of true states, or the
// predicted latents of their successors.
const (
	True             = "true"
	PredictedLatents = "predicted"
)

// Input is what Analyze looks at: N states and their latents by each model.
type Input struct {
	Episode []int // of each state; nil means one episode
	// Time orders the states of an episode: one follows another where it grows by 1. nil
	// means that all states of an episode follow each other.
	Time []int
	// Next is the successor of each state, −1 where there is none; nil: by Episode and Time.
	Next    []int
	Targets []Target
	Models  []Model
}

// Options are the choices of an analysis; the zero value is the default.
type Options struct {
	analysis.Settings
	Probes   []string // nil means DefaultProbes
	Features string   // FeaturesAuto, FeaturesCurrent or FeaturesNext; empty means FeaturesAuto
	Alpha    float64  // of ridge; 0: chosen by cross-validation in the training folds
	Folds    int      // 0 means 5
	// LabelEfficiency are the shares of the labels that probes are fitted on besides all;
	// nil: none.
	LabelEfficiency []float64
	// Control adds to every probe one that is fitted on targets of other episodes.
	Control bool
	// Disentanglement measures how the targets are spread over the coordinates of latents.
	Disentanglement bool
	// MinEntropy leaves out class targets of less entropy, in nats.
	MinEntropy float64
	SkipNaN    bool // leave out samples with NaN in targets or predictions, and count them; else they are errors
}

// Declare binds the options to their fields.
func (o *Options) Declare(l *option.List) {
	l.Names(&o.Probes, "probes", Probes(),
		"`LIST` of probes: linear (ridge; logistic for classes), a small network, nearest neighbors")
	option.Choice(l, &o.Features, "probe-features", []string{FeaturesAuto, FeaturesCurrent, FeaturesNext},
		"`LIST` of latents as probe input: of both states of a transition, or of the second; auto: both for "+
			"rewards, and the state alone for targets of states")
	l.Float(&o.Alpha, "alpha",
		"ridge `STRENGTH`; 0: chosen from 10^-4 to 10^4 by cross-validation inside the training folds").
		EachFloat("a number above 0, or 0 to choose one", func(v float64) bool { return v >= 0 })
	l.Int(&o.Folds, "folds", "`K` folds of whole episodes").AtLeast(2)
	l.Floats(&o.LabelEfficiency, "label-efficiency",
		"`LIST` of label shares for additional linear probes, such as 0.01,0.1,1").
		EachFloat("a share above 0, at most 1", func(v float64) bool { return v > 0 && v <= 1 }).Distinct()
	l.Bool(&o.Control, "control", "also fit every linear probe to targets of other episodes (selectivity)")
	l.Bool(&o.Disentanglement, "disentanglement", "also compute DCI and MIG for the targets of states")
	l.Float(&o.MinEntropy, "min-entropy",
		"smallest class entropy of a target in `NATS`; targets below it are left out").
		EachFloat("a number from 0", func(v float64) bool { return v >= 0 })
}

// The features that probes read a target of a transition from: the latents of both of
// its states, or of the second. A target of a state itself has them end at that state.
const (
	FeaturesAuto    = "auto" // both for targets of transitions, the state alone for its own
	FeaturesCurrent = "current,next"
	FeaturesNext    = "next"
)

// The probes.
const (
	Ridge        = "ridge"
	MLP          = "mlp"
	KNN          = "knn"
	Logistic     = "logistic"
	ProbeOfGiven = "given" // a head that was trained elsewhere
)

// Probes are the names of all probes.
func Probes() []string { return []string{Ridge, MLP, KNN, Logistic} }

// DefaultProbes are the probes of a zero Options.Probes.
func DefaultProbes() []string { return []string{Ridge, MLP} }

// Result is the outcome for all models: models of the input in their order, then the
// baselines.
type Result struct {
	Models      []ModelResult
	Comparisons []report.Comparison
	Samples     SampleSummary
	Targets     []TargetSummary
	Blocks      string // the blocks deleted for intervals; empty without
	Warnings    []string

	// What the numbers are made of, for tables, files and figures.
	Data     *samples        // the samples that probes saw
	Dynamics *DynamicsResult // predictions and rollouts
	Scorers  []*Scorer       // of the targets that were probed
	Measured []*Measured     // predictions and losses of the probes of each model
	Probes   []string        // in their order
	Folds    []int           // of every sample
}

// SampleSummary says what the probes saw.
type SampleSummary struct {
	States  int `json:"states"`
	Samples int `json:"samples"`
	// Ignored counts states that have no successor in their episode, Dropped samples
	// without a value of some target, Gaps those left out between the pieces of a single
	// episode.
	Ignored int `json:"ignored"`
	Dropped int `json:"dropped"`
	Gaps    int `json:"gaps"`
	Groups  int `json:"groups"` // episodes, or pieces of a single one
	Folds   int `json:"folds"`
}

// TargetSummary describes one target over the samples.
type TargetSummary struct {
	Name     string `json:"target"`
	Category string `json:"category,omitempty"`
	Kind     string `json:"kind"`
	// Mean and SD (ddof 0) of a number.
	Mean *report.Value `json:"mean,omitempty"`
	SD   *report.Value `json:"sd,omitempty"`
	// Positive counts values above 0 of a target of transitions, PositiveGroups the
	// episodes with such.
	Positive       *int `json:"positive,omitempty"`
	PositiveGroups *int `json:"positive_groups,omitempty"`
	// Classes is the number of classes, Entropy the entropy of their distribution in nats.
	Classes *int          `json:"classes,omitempty"`
	Entropy *report.Value `json:"entropy,omitempty"`
	// LeftOut says why the target is not probed; empty if it is.
	LeftOut string `json:"left_out,omitempty"`
}

// ModelResult is the outcome for one model.
type ModelResult struct {
	Name     string     `json:"-"`
	Baseline bool       `json:"-"` // makes no use of latents
	Probes   []ProbeRow `json:"probes"`
	Gaps     []GapRow   `json:"gaps,omitempty"`
	// PublishedGap and TransferGap are the gaps of the first target by the first probe; nil
	// for models without predictions.
	PublishedGap *report.Estimate `json:"published_gap,omitempty"`
	TransferGap  *report.Estimate `json:"transfer_gap,omitempty"`
	// Categories are means over the targets of a category, and over all.
	Categories      []CategoryRow    `json:"categories,omitempty"`
	LabelEfficiency []EfficiencyRow  `json:"label_efficiency,omitempty"`
	Disentanglement *Disentanglement `json:"disentanglement,omitempty"`

	// What models of dynamics predict of the latents; nil where there is nothing.
	LatentPrediction *LatentPrediction `json:"latent_prediction,omitempty"`
	Rollout          []RolloutStep     `json:"rollout,omitempty"`
	RolloutHorizon   *RolloutHorizon   `json:"rollout_horizon,omitempty"`
	TemporalDistance *TemporalDistance `json:"temporal_distance,omitempty"`
	Skipped          report.Object     `json:"skipped,omitempty"`
}

// Analyze fits and evaluates the probes of all models, and measures what models of
// dynamics predict of their latents. What cannot be computed (R² of constant rewards, AUROC
// where no reward is above 0, what needs predictions that are not given) is undefined with
// its reason, or among the skipped ones; without targets all probes are. Errors: no models,
// equal names, unequal numbers of rows, NaN or Inf in used values, targets with fewer than
// 10 samples, none of the targets left.
func Analyze(ctx context.Context, in Input, o Options) (*Result, error) {
	work, err := Work(in, o)
	if err != nil {
		return nil, err
	}
	return work.Run(ctx)
}

func (in Input) check() error {
	if len(in.Models) == 0 {
		return fmt.Errorf("no models to compare")
	}
	n := in.Models[0].Latents.N
	if in.Episode != nil && len(in.Episode) != n {
		return fmt.Errorf("%d episode labels for %d states", len(in.Episode), n)
	}
	if in.Time != nil && len(in.Time) != n {
		return fmt.Errorf("%d times for %d states", len(in.Time), n)
	}
	if in.Next != nil && len(in.Next) != n {
		return fmt.Errorf("%d successors for %d states", len(in.Next), n)
	}
	for i, next := range in.Next {
		if next >= n || next == i {
			return fmt.Errorf("state %d has the successor %d, but there are %d states", i, next, n)
		}
	}
	var names []string
	for _, t := range in.Targets {
		if slices.Contains(names, t.Name) {
			return fmt.Errorf("two targets are named %q", t.Name)
		}
		names = append(names, t.Name)
		if rows := max(len(t.Values), len(t.Classes)); rows != n || t.Missing != nil && len(t.Missing) != n {
			return fmt.Errorf("target %s: %d values for %d states", t.Name, rows, n)
		}
		for i, v := range t.Values {
			if math.IsInf(v, 0) {
				return fmt.Errorf("target %s: the value of state %d is %v, want a finite number", t.Name, i, v)
			}
		}
	}
	names = Baselines()
	for i := range in.Models {
		m := &in.Models[i]
		if slices.Contains(names, m.Name) {
			return fmt.Errorf("two models are named %q; the names %s are reserved for "+
				"baselines", m.Name, strings.Join(Baselines(), ", "))
		}
		names = append(names, m.Name)
		if err := m.check(n); err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
	}
	return nil
}

func (m *Model) check(n int) error {
	if m.Latents.N != n {
		return fmt.Errorf("%d latents for %d states", m.Latents.N, n)
	}
	if p := m.Predicted; p.N > 0 && (p.N != n || p.Dim != m.Latents.Dim) {
		return fmt.Errorf("predicted latents of shape [%d, %d] for latents of shape [%d, %d]", p.N, p.Dim, n, m.Latents.Dim)
	}
	for _, g := range m.Given {
		if len(g.Values) != n {
			return fmt.Errorf("%d predicted rewards for %d states", len(g.Values), n)
		}
	}
	return nil
}

func (o Options) withDefaults() (Options, error) {
	if o.Probes == nil {
		o.Probes = DefaultProbes()
	}
	if o.Features == "" {
		o.Features = FeaturesAuto
	}
	if o.Folds == 0 {
		o.Folds = probe.DefaultFolds
	}
	for i, p := range o.Probes {
		if !slices.Contains(Probes(), p) {
			return o, fmt.Errorf("unknown probe %q", p)
		}
		if slices.Contains(o.Probes[:i], p) {
			return o, fmt.Errorf("the probe %s occurs twice", p)
		}
	}
	switch {
	case len(o.Probes) == 0:
		return o, fmt.Errorf("no probes")
	case !slices.Contains([]string{FeaturesAuto, FeaturesCurrent, FeaturesNext}, o.Features):
		return o, fmt.Errorf("unknown features %q", o.Features)
	case o.Folds < 2:
		return o, fmt.Errorf("%d folds, want at least 2", o.Folds)
	case !(o.Alpha >= 0) || math.IsInf(o.Alpha, 0):
		return o, fmt.Errorf("the ridge strength is %v, want a number above 0", o.Alpha)
	}
	for i, share := range o.LabelEfficiency {
		if !(share > 0 && share <= 1) {
			return o, fmt.Errorf("the share of labels %v is not in (0, 1]", share)
		}
		if slices.Contains(o.LabelEfficiency[:i], share) {
			return o, fmt.Errorf("the share of labels %v occurs twice", share)
		}
	}
	return o, nil
}

// Rewarding reports whether the target is a number of transitions, as rewards are; the
// action taken is a class of them.
func (t *Target) Rewarding() bool { return t.OfTransition && !t.Classified() }
