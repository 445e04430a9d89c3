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
//	}, generation.Options{Settings: analysis.Settings{Intervals: true, Seed: 42}})
//	fmt.Println(result.Models[0].Diversity, result.Models[0].Skipped)
//
// The metrics are the rows of a registry ([Metrics]): each says what it needs, and is
// skipped with a reason where that is missing.
package generation

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"repscope/analysis"
	"repscope/internal/option"
	"repscope/report"
)

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
	analysis.Settings
	Metrics    []string // names or aliases; nil: all
	Threshold  float64  // 0 means DefaultThreshold
	Definition string   // one of Definitions; empty means DefinitionDefault
}

// Declare binds the options to their fields.
func (o *Options) Declare(l *option.List) {
	l.Float(&o.Threshold, "threshold", "threshold `P` above which a reconstructed cell counts as set").
		EachFloat("a probability between 0 and 1", func(v float64) bool { return v > 0 && v < 1 })
	option.Choice(l, &o.Definition, "definition", Definitions(),
		"`NAME` of the definition of similarity. default: all generated samples, num_middle counts holds that are "+
			"neither start nor end; documented: valid samples only, num_middle = holds − start − end")
}

// WithDefaults returns the options with their defaults in the place of zero values, and all metrics by their
// names. Errors: an unknown metric or definition, a threshold that is no probability.
func (o Options) WithDefaults() (Options, error) {
	if o.Threshold == 0 {
		o.Threshold = DefaultThreshold
	}
	if o.Definition == "" {
		o.Definition = DefinitionDefault
	}
	if !slices.Contains(Definitions(), o.Definition) {
		return o, fmt.Errorf("unknown definition %q", o.Definition)
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
}

// Model is the outcome for one generator. A metric that was not computed is nil, with its
// reason in Skipped.
type Model struct {
	Name      string
	Reference bool

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

// Nothing is why no metric of any generator was computed; empty where one was. lacking says that
// inputs are not given for any of them; else it is a reason that lies in the data.
func (r *Result) Nothing() (reason string, lacking bool) {
	for i := range r.Models {
		m := &r.Models[i]
		if len(m.Skipped) < len(r.Metrics) {
			return "", false
		}
		for _, s := range m.Skipped {
			if isLack := strings.HasPrefix(s.Reason, needs); reason == "" || lacking && !isLack {
				reason, lacking = fmt.Sprintf("%s of %s: %s", s.Metric, m.Name, s.Reason), isLack
			}
		}
	}
	return reason, lacking
}
