// The inputs: samples, reconstructions, latents and predictions of generators, and real ones.

package generation

import (
	"context"
	"slices"

	"repscope/points"
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
	// Columns are the names of the columns of rows of a table, by which several tables
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
	// Disagreements counts samples for which the file says something else than the rule.
	Disagreements int
	// LeftOut are samples of the file that are none: their index and the reason.
	LeftOut []Bad
	// Groups of samples that are not independent of each other, such as draws from one
	// latent; nil: all are independent.
	Groups []int
	// Digest of the content, for the identity of the work; empty: computed of Rows.
	Digest string
}

// Statistic is a number of every sample, such as how many holds a problem has.
type Statistic struct {
	Name   string
	Values []float64
	// Published statistics make up mean distances; others are reported next to them.
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

// IsValid reports whether sample i is valid.
func (s *Samples) IsValid(i int) bool { return s.Valid == nil || s.Valid[i] }

// Binary reports whether the samples are binary grids.
func (s *Samples) Binary() bool { return s != nil && s.Shape != nil }

// Pairs are originals and their reconstructions by a generator, which are read in
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
	// Digest of the content, for the identity of the work.
	Digest string
}

// Latents are the latents of samples, with their labels.
type Latents struct {
	Name   string
	Points points.Points // [N, D]
	Labels []int         // nil: none
	Groups []int         // nil: all are independent
}

// Select are the latents of some of the samples, by their indices.
func (l *Latents) Select(keep []int) *Latents {
	out := *l
	out.Points, out.Labels, out.Groups = l.Points.Select(keep), chosen(l.Labels, keep), chosen(l.Groups, keep)
	return &out
}

// Predictions are the labels that a classifier found in samples that were made for a label.
type Predictions struct {
	Name              string
	Target, Predicted []int
	Groups            []int // nil: all are independent
	// Generated is how many samples were made for a label, valid or not; nil: not known.
	Generated map[int]int
}

// Generator is one generator: a model of the result. A nil input is not given.
type Generator struct {
	Name           string
	Generated      *Samples
	Reconstruction *Pairs
	Latents        *Latents
	Predictions    *Predictions
	// Reference rows stand next to generators and are compared with none of each other:
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

// onlyValid are the valid ones of the samples.
func (s *Samples) onlyValid() *Samples {
	var keep []int
	for i := range s.N() {
		if s.IsValid(i) {
			keep = append(keep, i)
		}
	}
	if len(keep) == s.N() {
		return s
	}
	return s.Select(keep)
}

// Select are some of the samples, by their indices.
func (s *Samples) Select(keep []int) *Samples {
	out := *s
	out.Digest = ""
	out.Rows = s.Rows.Select(keep)
	out.Labels, out.Groups, out.Valid = chosen(s.Labels, keep), chosen(s.Groups, keep), chosen(s.Valid, keep)
	out.Statistics = slices.Clone(s.Statistics)
	for i := range out.Statistics {
		out.Statistics[i].Values = chosen(s.Statistics[i].Values, keep)
	}
	return &out
}
