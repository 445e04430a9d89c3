// Package generation measures what a generative model makes: how well it reconstructs,
// how different its samples are from each other and from real ones, whether they keep the
// label that they were made for, and how its latents are arranged.
//
// It is generic over samples, which are binary grids or rows of numbers, over labels and
// over latents; what it knows of a kind of sample, such as the problems of a climbing
// board, comes with the data as names of labels, statistics and a rule of validity.
//
//	result, err := generation.Analyze(ctx, generation.Input{
//		Real: training,
//		Generators: []generation.Generator{{Name: "vae", Generated: generated}},
//	}, generation.Options{Intervals: true, Seed: 42})
//	fmt.Println(result.Models[0].Diversity, result.Models[0].Skipped)
//
// The metrics are the rows of a registry ([Metrics]): each says what it needs, and is
// skipped with a reason where that is missing.
package generation

import (
	"context"
	"fmt"
	"slices"

	"repscope/points"
	"repscope/report"
)

// Samples are things of one kind: binary grids, or rows of numbers.
type Samples struct {
	// Name is what messages call them, such as their file.
	Name string
	// Rows holds a sample each: the cells of a grid in C order (uint8, 0 or 1), or a row
	// of a table (float64).
	Rows points.Points
	// Shape of one grid, such as [3, 18, 11]; nil for rows of a table.
	Shape []int
	// Columns are the names of the columns of rows of a table, by which those of several tables
	// are joined; nil: they have none, and are joined by their places.
	Columns []string
	// Channels are the names of the first axis of grids; nil: numbers.
	Channels []string
	// Labels of the samples; nil: none.
	Labels []int
	// Statistics are numbers of every sample, by which sets of them are compared.
	Statistics []Statistic
	// Valid says of every sample whether the rule that came with the data admits it; nil:
	// there is no rule, and all are valid.
	Valid []bool
	// Warned counts samples that the rule finds unusual, by what it finds.
	Warned []Warned
	// Disagreements counts samples of which the file says something else than the rule.
	Disagreements int
	// LeftOut are samples of the file that are none: their index and the reason.
	LeftOut []Bad
	// Groups of samples that are not independent of each other, such as draws from one
	// latent; nil: all are independent.
	Groups []int
	// Digest of what was read, for the identity of the work; empty: computed of Rows.
	Digest string
}

// Statistic is a number of every sample, such as how many holds a problem has.
type Statistic struct {
	Name   string
	Values []float64
	// Published statistics make up mean distances; others are reported beside them.
	Published bool
}

// Warned is how many samples a rule finds unusual.
type Warned struct {
	What  string
	Count int
}

// Bad is a sample of a file that could not be read.
type Bad struct {
	Index  int
	Reason string
}

// N is the number of samples; 0 of nil.
func (s *Samples) N() int {
	if s == nil {
		return 0
	}
	return s.Rows.N
}

// valid reports whether sample i is valid.
func (s *Samples) valid(i int) bool { return s.Valid == nil || s.Valid[i] }

// Binary reports whether the samples are binary grids.
func (s *Samples) Binary() bool { return s != nil && s.Shape != nil }

// Pairs are originals beside what a generator reconstructed of them, which are read in
// pieces.
type Pairs struct {
	Name     string
	N        int
	Shape    []int    // of one original, such as [3, 18, 11]
	Channels []string // names of the first axis; nil: numbers
	Labels   []int    // nil: none
	Groups   []int    // nil: all are independent
	Draws    int      // reconstructions of each original that were drawn; 0: decoded at the mean
	// Read reads pairs lo … hi−1: originals, 0 or 1, and probabilities, both
	// [hi−lo, size of Shape].
	Read func(ctx context.Context, original, probability []float64, lo, hi int) error
	// Round rounds a threshold to the type in which probabilities are stored, where 0.3 is another
	// number than in float64; nil: they are of float64.
	Round func(threshold float64) float64
	// Digest of what is read, for the identity of the work.
	Digest string
}

// Latents are those of samples, with their labels.
type Latents struct {
	Name   string
	Points points.Points // [N, D]
	Labels []int         // nil: none
	Groups []int         // nil: all are independent
}

// Predictions are the labels that a classifier found in samples that were made for a label.
type Predictions struct {
	Name              string
	Target, Predicted []int
	Groups            []int // nil: all are independent
	// Generated is how many samples were made for a label, valid or not; nil: not known.
	Generated map[int]int
}

// Generator is one generator: a model of the result. What is nil is not given.
type Generator struct {
	Name           string
	Generated      *Samples
	Reconstruction *Pairs
	Latents        *Latents
	Predictions    *Predictions
	// Drawn says how Generated were drawn; nil: they were not drawn here.
	Drawn *Drawn
	// Reference rows stand beside generators and are compared with none of each other:
	// real data in the place of generated.
	Reference bool
}

// Input is what Analyze looks at.
type Input struct {
	Generators []Generator
	// Real samples, which the generators were trained on; nil: none are given.
	Real *Samples
	// HoldOut are real samples that no generator was trained on; nil: none are given.
	HoldOut *Samples
	// RealLatents are latents of real samples by their encoder, to hold latents of
	// generators against; nil: none are given.
	RealLatents *Latents
	// RealPredictions are what the classifier says of real samples, whose label is the
	// target; nil: none are given.
	RealPredictions *Predictions
	// LabelNames are the names of labels; a label without one is called by its number.
	LabelNames map[int]string
}

// Definitions of similarity.
const (
	// DefinitionDefault compares all generated samples; num_middle are holds that are neither
	// start nor end.
	DefinitionDefault = "default"
	// DefinitionDocumented is what published numbers follow: it compares the valid generated
	// samples with all real ones; num_middle is holds − start − end.
	DefinitionDocumented = "documented"
)

// Definitions are the values of Options.Definition.
func Definitions() []string { return []string{DefinitionDefault, DefinitionDocumented} }

// DefaultThreshold is the probability above which a reconstructed cell is set.
const DefaultThreshold = 0.5

// Options are the choices of an analysis; the zero value is the default.
type Options struct {
	Metrics    []string // names or aliases; nil: all
	Threshold  float64  // 0 means DefaultThreshold
	Definition string   // one of Definitions; empty means DefinitionDefault
	Intervals  bool
	Seed       uint64
	Family     string // of tests that Holm's correction is over
	Threads    int    // ≤ 0: all
	// Progress, if not nil, is told how many metrics of generators are done.
	Progress func(done, total int)
}

func (o Options) withDefaults() (Options, error) {
	if o.Threshold == 0 {
		o.Threshold = DefaultThreshold
	}
	if o.Definition == "" {
		o.Definition = DefinitionDefault
	}
	if !slices.Contains(Definitions(), o.Definition) {
		return o, fmt.Errorf("there is no definition %q", o.Definition)
	}
	if !(o.Threshold > 0 && o.Threshold < 1) {
		return o, fmt.Errorf("the threshold is %v, want a probability between 0 and 1", o.Threshold)
	}
	var err error
	if o.Metrics, err = Select(o.Metrics); err != nil {
		return o, err
	}
	return o, nil
}

// Result is the outcome for all generators, in the order of the input.
type Result struct {
	Models      []Model
	Comparisons []report.Comparison
	Warnings    []string
	Metrics     []string // that were asked for, in the order of the registry

	labels map[int]string
}

// Model is the outcome for one generator. A metric that was not computed is nil, with its
// reason in Skipped.
type Model struct {
	Name      string
	Reference bool
	Drawn     *Drawn

	Reconstruction *Reconstruction
	Diversity      *Diversity
	Similarity     *Similarity
	Clusters       *Clusters
	Conditioning   *Conditioning
	Fidelity       *Fidelity

	Skipped []Skipped
}

// Skipped is a metric that was not computed, and why.
type Skipped struct{ Metric, Reason string }

// Analyze computes the metrics of all generators. A metric that lacks an input, or data,
// is skipped with its reason. Errors: no generators, equal names, labels on one side only,
// grids of unequal shapes, NaN, an unknown metric, a generator without any input.
func Analyze(ctx context.Context, in Input, o Options) (*Result, error) {
	work, err := Work(in, o)
	if err != nil {
		return nil, err
	}
	return work.Run(ctx)
}
