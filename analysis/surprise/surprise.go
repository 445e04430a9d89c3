// Package surprise tells whether models of dynamics notice what cannot happen.
//
//	result, err := surprise.Analyze(ctx, surprise.Input{
//		Last: frames, Shape: shape, High: 255, Episode: episode, Time: number, Next: next,
//		Models: []surprise.Model{{Name: "jepa", Latents: z, Predicted: predicted, Encode: encode}},
//	}, surprise.Options{Settings: analysis.Settings{Intervals: true, Seed: 42}})
//	row := result.Models[0].Row("teleport", 0.5)
//	fmt.Println(row.AUROC.Value, row.Detected100.Value)
//
// Each violation is made of an episode of the user's own, and is next to the untouched episode from the same frame on.
// The error of a transition is the distance between the predicted and the true next latent. Its conformal p value is
// its rank among the errors of its own and of the other, untouched episodes: see package conformal.
package surprise

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"repscope/analysis"
	"repscope/internal/option"
	"repscope/latent"
	"repscope/measure/image"
	"repscope/measure/spectrum"
	"repscope/measure/violation"
	"repscope/points"
	"repscope/report"
)

// Definition is the version of what the numbers mean; see [shard.Identity].
const Definition = 2

// Model is a model with its latents and predictions. Rows belong to states.
type Model struct {
	Name    string
	Latents points.Points // [N, D]
	// Predicted is the prediction of the latent of each state's successor, [N, D]; N = 0: there is none, and the model
	// is measured by copying and extrapolating its latents alone.
	Predicted points.Points
	// Inputs are the latents as Predict takes them, [N, ·]; the same as Latents for most models.
	Inputs points.Points
	// Predict predicts from Inputs of some states and the actions taken there; nil: predictions of new states are not
	// known.
	Predict func(ctx context.Context, inputs points.Points, actions []int64) (points.Points, error)
	// Encode makes latents of new states, and inputs of Predict; nil: violations are of recorded states alone.
	Encode func(ctx context.Context, states latent.Source) (latents, inputs points.Points, err error)
	// Content is the identity of encoder and predictor, by which a study remembers the model; empty: it is not.
	Content string
}

// Input is what Analyze looks at: N states and what models make of them, or errors that are known already.
type Input struct {
	// Last are the last frames of the states, which violations change; States are whole states, nil where these are
	// single frames. Without frames, Last is nil, and violations are of recorded states.
	Last, States latent.Source
	Window       int         // frames of a state; 0 means 1
	Shape        image.Shape // of a frame; Height 0: it has no pixels
	Low, High    float64     // of its values
	Episode      []int       // of each state
	Time         []int       // of each state: identifies it for random draws
	Next         []int       // the successor of each state, −1 where there is none
	Actions      []int64     // taken at each state; nil: none
	Models       []Model
	// Errors, if not nil, are measured in place of models.
	Errors *Errors
}

// Errors are errors of transitions that are known already.
type Errors struct {
	Names  []string
	Values [][]float64 // of each name and row
	// Rows of an Episode follow each other. Violation is its kind, empty for an untouched episode, and Size its size. An
	// untouched and a violated episode with the same Pair belong together. Step counts transitions of a row from the
	// first impossible one, which is 0, also in the untouched episode.
	Episode, Pair, Step []int
	Violation           []string
	Size                []float64
}

// Options are the choices of an analysis; the zero value is the default.
type Options struct {
	analysis.Settings
	Violations []string // nil means all of [violation.Kinds]
	// Sizes apply to every violation; nil means the usual ones of each.
	Sizes []float64
	// At is the state of an episode, from 2, that the first impossible transition leads to; empty or random: drawn.
	At string
	// Draws is the number of moments drawn in each episode; 0 means 4.
	Draws int
	// Horizon is the number of transitions from the violation on that are looked at; 0 means 8.
	Horizon int
	// Condition says with which errors a transition is compared: Phase, with errors of the same step of other
	// episodes; empty or NoCondition: with all.
	Condition string
	// Baselines are the models without learning that are measured on the latents of each model; nil: Baselines().
	Baselines []string
	// ObjectThreshold is how far from the background pixels of the moving patch are, in units of the pixel range; 0 means
	// 0.1. ObjectArea is the least number of its pixels; 0 means 4.
	ObjectThreshold float64
	ObjectArea      int
	Scale           spectrum.Scale // of latents; empty means the RMS distance
	SkipNaN         bool           // leave out transitions with NaN; else they are errors
}

// The models without learning.
const (
	CopyLast         = "copy_last"
	ConstantVelocity = "constant_velocity"
)

// The errors that a transition is compared with.
const (
	NoCondition = "none"
	Phase       = "phase"
)

// Baselines are the models without learning: the latent before, and the latent before that plus its last step.
func Baselines() []string { return []string{CopyLast, ConstantVelocity} }

// Declare binds the options to their fields.
func (o *Options) Declare(l *option.List) {
	l.Names(&o.Violations, "violations", kinds(), "`LIST` of violations")
	l.Floats(&o.Sizes, "sizes", "`LIST` of sizes of every violation (default: usual ones of each)").
		EachFloat("a number above 0", func(v float64) bool { return v > 0 }).Distinct()
	l.Text(&o.At, "at", "`N` of the state of each episode, from 2, that the first impossible transition leads to, or "+
		"random")
	l.Int(&o.Draws, "draws", "`N` moments of violations drawn in each episode").Draws(1)
	l.Int(&o.Horizon, "horizon", "`N` transitions from the violation on that are looked at").AtLeast(1)
	option.Choice(l, &o.Condition, "condition", []string{NoCondition, Phase},
		"`NAME` of the errors that p values are about: "+
			"phase: errors of the same step of other episodes, none: all")
	l.Names(&o.Baselines, "predict-by", Baselines(),
		"`LIST` of models without learning on the latents of each model: copy_last "+
			"predicts the latent before, constant_velocity the same step again")
	l.Float(&o.ObjectThreshold, "object-threshold",
		"least `DIFFERENCE` from the median frame of the episode of pixels of the moving patch, "+
			"as a share of the pixel range").EachFloat("a number above 0 up to 1", func(v float64) bool {
		return v > 0 &&
			v <= 1
	})
	l.Int(&o.ObjectArea, "object-area", "smallest area of the moving patch, in `PIXELS`").AtLeast(1)
}

// Defaults are the options of a run without flags.
func Defaults() Options {
	return Options{Violations: kinds(), At: random, Condition: NoCondition, Draws: 4, Horizon: 8, Baselines: Baselines(),
		ObjectThreshold: 0.1, ObjectArea: 4}
}

func (o Options) withDefaults() (Options, error) {
	d := Defaults()
	if o.Violations == nil {
		o.Violations = d.Violations
	}
	if o.Baselines == nil {
		o.Baselines = d.Baselines
	}
	if o.Draws == 0 {
		o.Draws = d.Draws
	}
	if o.Horizon == 0 {
		o.Horizon = d.Horizon
	}
	if o.ObjectThreshold == 0 {
		o.ObjectThreshold = d.ObjectThreshold
	}
	if o.ObjectArea == 0 {
		o.ObjectArea = d.ObjectArea
	}
	if o.Condition == "" {
		o.Condition = d.Condition
	}
	if o.Scale == "" {
		o.Scale = spectrum.ScaleRMS
	}
	if o.Draws < 0 || o.Horizon < 0 {
		return o, fmt.Errorf("draws %d, horizon %d: want positive numbers", o.Draws, o.Horizon)
	}
	return o, o.Check()
}

// Check finds values that do not go together: a moment that is none, and sizes that a violation cannot have.
func (o *Options) Check() error {
	if _, err := o.moment(); err != nil {
		return err
	}
	for _, kind := range o.Violations {
		for _, size := range o.Sizes {
			if err := violation.Kind(kind).CheckSize(size); err != nil {
				return fmt.Errorf("sizes: %w", err)
			}
		}
	}
	return nil
}

// random is the moment that is drawn.
const random = "random"

// moment is the place of the violation in each episode; 0: drawn.
func (o *Options) moment() (int, error) {
	if o.At == "" || o.At == random {
		return 0, nil
	}
	n, err := strconv.Atoi(o.At)
	if err != nil || n < 2 {
		return 0, fmt.Errorf("at %q: want random, or the number of a state of each episode from 2", o.At)
	}
	return n, nil
}

// kinds are the names of all violations.
func kinds() []string {
	var out []string
	for _, k := range violation.Kinds() {
		out = append(out, string(k))
	}
	return out
}

// sizes returns the sizes of a violation.
func (o *Options) sizes(kind violation.Kind) []float64 {
	if o.Sizes != nil {
		return o.Sizes
	}
	return kind.Sizes()
}

// Result is the outcome: for each model its predictor, then the models without learning.
type Result struct {
	Models      []Outcomes
	Comparisons []report.Comparison
	// Unmeasured are the models that could not encode some violated states.
	Unmeasured []report.Unmeasured
	Blocks     string // how episodes were grouped for intervals; empty without
	Warnings   []string
	// Made counts violations by kind and size.
	Made []Made
	// Rows are the errors of transitions, for a table.
	Rows []ErrorRow
	// Shown is a violated episode for the figure; nil where no model has errors of one.
	Shown *Shown
}

// Outcomes is the outcome for one model.
type Outcomes struct {
	Name string `json:"-"`
	// Of is the model whose latents a model without learning predicts; empty for others.
	Of string `json:"-"`
	// Error is the mean error of untouched transitions, in units of the scale of latents.
	Error     report.Estimate `json:"error"`
	Conformal Conformal       `json:"conformal"`
	// AUROC and Detected100 are means over all violations and sizes.
	AUROC       report.Estimate `json:"auroc"`
	Detected100 report.Estimate `json:"detected_1in100"`
	Violations  report.Object   `json:"violations"` // of lists of [Violated], by kind
	Alarm       Alarm           `json:"alarm"`
}

// Conformal are shares of untouched transitions with a p value of at most 1 % and 5 %.
type Conformal struct {
	Level1      report.Estimate `json:"level_1"`
	Level5      report.Estimate `json:"level_5"`
	Transitions int             `json:"transitions"`
}

// Violated are the numbers of a violation of one size.
type Violated struct {
	Size float64 `json:"size" report:"parameter"`
	N    int     `json:"n"` // violated episodes
	// AUROC is the mean over violated episodes of the probability that an impossible transition has a larger error than a
	// transition of the same stretch of the untouched episode; half of equal ones count.
	AUROC report.Estimate `json:"auroc"`
	// Detected100 and Detected1000 are shares of impossible transitions with p of at most 0.01 and 0.001.
	Detected100  report.Estimate `json:"detected_1in100"`
	Detected1000 report.Estimate `json:"detected_1in1000"`
	// Noticed is the share of violated episodes with p of at most 0.01 at some transition of the horizon, Untouched that
	// of their untouched twins.
	Noticed   report.Estimate `json:"noticed"`
	Untouched report.Estimate `json:"noticed_untouched"`
	Delay     report.Estimate `json:"delay"` // of noticed ones: transitions from the violation to the first with p ≤ 0.01
	// Place is the mean distance, in transitions, between the largest error and the violation, from one horizon before it
	// to the end of the horizon.
	Place report.Estimate `json:"place"`
	// Alarmed is the share of violated episodes in which the alarm sounds from the violation on, and not before.
	Alarmed report.Estimate `json:"alarmed"`
}

// Alarm is about the alarm over whole episodes: False is the share of untouched episodes in which it sounds, Noticed
// the share of violated ones in which it sounds from the violation on and not before, Delay the mean number of
// transitions to it.
type Alarm struct {
	False    report.Estimate `json:"false"`
	Episodes int             `json:"episodes"`
	Noticed  report.Estimate `json:"noticed"`
	Delay    report.Estimate `json:"delay"`
}

// Row returns the numbers of a violation; nil where there are none.
func (m *Outcomes) Row(kind violation.Kind, size float64) *Violated {
	v, _ := m.Violations.Get(string(kind))
	rows, _ := v.([]Violated)
	for i := range rows {
		if rows[i].Size == size {
			return &rows[i]
		}
	}
	return nil
}

// Made counts the violated episodes of a kind and size, and the moments that were left out, because nothing moved there
// or the episode was too short.
type Made struct {
	Kind  violation.Kind `json:"violation"`
	Size  float64        `json:"size"`
	Made  int            `json:"made"`
	Still int            `json:"still"`
	Short int            `json:"short"`
}

// ErrorRow is one transition of an untouched or violated episode.
type ErrorRow struct {
	Model     string
	State     int // that the transition leads to; of a violated episode, the state of its twin
	Episode   int
	Violation violation.Kind // empty: untouched
	Size      float64
	Draw      int // of the moments of an episode
	Step      int // transitions since the violation
	Error, P  float64
}

// Shown is a violated episode with its untouched twin.
type Shown struct {
	Kind             violation.Kind
	Size             float64
	Violated, Twin   [][]float64 // last frames from the violation on; nil where there are no pixels
	Step             []int       // of errors
	Names            []string    // of models
	Errors, Twins    [][]float64 // by model and step
	Episode, AtState int
}

// Analyze makes violations of episodes, encodes what differs, and measures the errors of transitions. Numbers that
// cannot be had are undefined with a reason. Errors: lists of other lengths than states, no models, equal names, NaN or
// Inf in predictions of states with a successor.
func Analyze(ctx context.Context, in Input, o Options) (*Result, error) {
	work, err := Work(in, o)
	if err != nil {
		return nil, err
	}
	return work.Run(ctx)
}

func (in *Input) check() error {
	if in.Errors != nil {
		return in.Errors.check()
	}
	if len(in.Models) == 0 {
		return fmt.Errorf("no models to compare")
	}
	n := in.Models[0].Latents.N
	if len(in.Episode) != n || len(in.Time) != n || len(in.Next) != n || in.Actions != nil && len(in.Actions) != n {
		return fmt.Errorf("%d episodes, %d times, %d successors, %d actions for %d states", len(in.Episode), len(in.Time),
			len(in.Next), len(in.Actions), n)
	}
	for i, next := range in.Next {
		if next >= n || next == i {
			return fmt.Errorf("state %d has the successor %d, but there are %d states", i, next, n)
		}
	}
	if in.Last != nil && in.Last.Len() != n {
		return fmt.Errorf("%d frames for %d states", in.Last.Len(), n)
	}
	var names []string
	for i := range in.Models {
		m := &in.Models[i]
		if slices.Contains(names, m.Name) {
			return fmt.Errorf("two models are named %q", m.Name)
		}
		names = append(names, m.Name)
		if m.Latents.N != n {
			return fmt.Errorf("%s: %d latents for %d states", m.Name, m.Latents.N, n)
		}
		if p := m.Predicted; p.N > 0 && (p.N != n || p.Dim != m.Latents.Dim) {
			return fmt.Errorf("%s: predicted latents of shape [%d, %d] for latents of shape [%d, %d]", m.Name, p.N, p.Dim, n,
				m.Latents.Dim)
		}
	}
	return nil
}

func (e *Errors) check() error {
	n := len(e.Episode)
	if len(e.Names) == 0 {
		return fmt.Errorf("no errors to compare")
	}
	if len(e.Pair) != n || len(e.Step) != n || len(e.Violation) != n || len(e.Size) != n {
		return fmt.Errorf("%d episodes, %d pairs, %d steps, %d violations, %d sizes: want one of each for every row", n,
			len(e.Pair), len(e.Step), len(e.Violation), len(e.Size))
	}
	for i, values := range e.Values {
		if len(values) != n {
			return fmt.Errorf("errors %s: %d values for %d rows", e.Names[i], len(values), n)
		}
		for k, v := range values {
			if math.IsInf(v, 0) || v < 0 {
				return fmt.Errorf("errors %s: row %d is %v, want a number from 0", e.Names[i], k, v)
			}
		}
	}
	return nil
}

// Units is the number of violations and sizes.
func (o *Options) Units() int {
	n := 0
	for _, kind := range o.Violations {
		n += len(o.sizes(violation.Kind(kind)))
	}
	return n
}
