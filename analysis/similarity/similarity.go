// Package similarity measures how alike the latent spaces of models are, with what chance gives.
//
//	result, err := similarity.Analyze(ctx, similarity.Input{
//		Episode: episode,
//		Models:  []similarity.Encoded{{Name: "jepa", Latents: a}, {Name: "pixels", Latents: b}},
//	}, similarity.Options{Settings: analysis.Settings{Intervals: true, Seed: 42}, Permutations: 200})
//	score := result.Pairs[0].Score("cka_debiased")
//	fmt.Println(score.Value, score.Null.Mean, score.Null.P)
//
// Raw scores grow with dimension and with dependence in time, although two spaces share nothing. Each score therefore
// comes with its values in other orders of the states that keep the dependence in time: whole episodes of the second
// model are given to episodes of the first. The measures are in
// [repscope/measure/similarity].
package similarity

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"repscope/analysis"
	"repscope/analysis/internal/results"
	"repscope/internal/option"
	"repscope/measure/similarity"
	"repscope/measure/spectrum"
	"repscope/neighbors"
	"repscope/report"
)

// Encoded is one model's latents: Name, and Latents with a row per state.
type Encoded = results.Encoded

// Input is what Analyze looks at: latents of the same N states by each model.
type Input struct {
	Episode []int // of each state, whose states are in the order of time; nil: one episode
	Models  []Encoded
	// Layers are models whose layers are compared with each other, every two models.
	Layers []Layered
}

// Null is the way in which states of one model are given to states of another.
type Null string

// The nulls.
const (
	// NullTime keeps the order in time: whole episodes are exchanged, fewer than 5 are rotated.
	NullTime Null = "time"
	// NullIndependent gives every state to a random one.
	NullIndependent Null = "independent"
)

// DefaultMeasures are the measures where none is named.
var DefaultMeasures = []string{"cka", "cka_debiased", "mutual_knn", "procrustes", "rsa_spearman"}

// Options are the choices of an analysis; the zero value is the default without a null.
type Options struct {
	analysis.Settings
	// Measures are their names; nil means DefaultMeasures, ["all"] all.
	Measures []string
	// LayerMeasures are the measures of pairs of layers; nil means DefaultLayerMeasures, ["all"] all.
	LayerMeasures []string
	// K are the numbers of neighbors of mutual_knn and cknna; nil means 10.
	K []int
	// Metric of the neighbors of mutual_knn and information_imbalance.
	Metric neighbors.Metric
	// Bandwidth of cka_rbf in median distances; 0 means 0.5.
	Bandwidth float64
	// Pairs is the number of pairs of states for RSA; 0 means 50,000, negative all.
	Pairs int
	// Stitch stitches the layers of models to each other; StitchPermutations is the number of orders of its null, at most
	// Permutations.
	Stitch             bool
	StitchPermutations int
	// Permutations is the number of orders of the null; 0: none. Null is empty for NullTime.
	Permutations int
	Null         Null
	// Scale of latents; empty means as they are. Of the scales only spectrum.ScaleL2 changes scores, all but cknna.
	Scale spectrum.Scale
	// Reference is a model to which the others are compared: which is more like it; empty: none.
	Reference string
}

// Declare binds the options to their fields.
func (o *Options) Declare(l *option.List) {
	l.Names(&o.Measures, "measures", append(similarity.Names(), "all"),
		"`LIST` of measures")
	l.Names(&o.LayerMeasures, "layer-measures", append(similarity.Names(), "all"),
		"`LIST` of measures of pairs of layers (--layers)")
	l.Ints(&o.K, "k", "`LIST` of numbers of neighbors for mutual_knn and cknna").AtLeast(1).Distinct()
	option.Choice(l, &o.Metric, "metric", []neighbors.Metric{neighbors.Euclidean, neighbors.Cosine},
		"`METRIC` of the neighbors of mutual_knn and information_imbalance")
	l.Float(&o.Bandwidth, "bandwidth", "`B` of cka_rbf, in median distances of each space").
		EachFloat("a number above 0", func(v float64) bool { return v > 0 })
	l.Int(&o.Pairs, "rsa-pairs", "`N` pairs of states for RSA; 0: all").AtLeast(0)
	l.Int(&o.Permutations, "permutations", "`N` orders of the null; 0: none").Draws(0)
	option.Choice(l, &o.Null, "null", []Null{NullTime, NullIndependent},
		"`KIND` of null: time exchanges whole episodes, independent any states")
	l.Bool(&o.Stitch, "stitch", "put the layers of a model (--layers), through a linear map, before the parts of the "+
		"others that follow their layers, and compare the outputs")
	l.Int(&o.StitchPermutations, "stitch-permutations",
		"`N` orders of the null of --stitch, at most --permutations; 0: none").Draws(0)
	l.Text(&o.Reference, "reference", "`NAME` of a model: test which of the others is more like it")
}

// Result is the outcome for all models, in the order of the input.
type Result struct {
	Models      []Model
	Pairs       []ModelPair // a < b, in the order (0,1), (0,2), …
	Layers      []LayerPair // by pair of models, score by score
	Runs        []RunCurve  // run by run, score by score
	Stitches    []Stitch    // by the pair of models, in both directions, and the layer that is stitched to
	Comparisons []report.Comparison
	// Blocks says how states are grouped for intervals; empty without.
	Blocks   string
	Warnings []string
	// Scores are the names of the scores of each pair, in order.
	Scores []string
}

// Model is a space.
type Model struct {
	Name             string `json:"-"`
	States           int    `json:"states"`
	NominalDimension int    `json:"nominal_dimension"`
	// ConstantUnits are the coordinates with one value.
	ConstantUnits int          `json:"constant_units"`
	EffectiveRank report.Value `json:"effective_rank"`
	// Reference is how alike the model is to the reference model, by score; nil without.
	Reference report.Object `json:"reference,omitempty"`
}

// ModelPair is how alike two models are.
type ModelPair struct {
	A      string        `json:"a"`
	B      string        `json:"b"`
	Scores report.Object `json:"scores"` // of [PairScore], by name
}

// PairScore is one measure of a pair. Adjusted is (value − mean)/(same − mean) with the mean of the null and the score
// same of a space with itself: 0 at chance, 1 for identical spaces. Gated is the same from the threshold, at least 0.
type PairScore struct {
	Value report.Estimate `json:"value"`
	Null  *ScoreNull      `json:"null,omitempty"`
}

// ScoreNull is a score under the null; see [stat.EpisodeNull]. PHolm is corrected over the pairs of the measure.
//
// Episodes of unequal lengths are cut to one length, so that whole ones can be exchanged: the null is then about States
// states, whose score is Value.
type ScoreNull struct {
	Permutations int          `json:"permutations"`
	States       int          `json:"states"`
	Value        report.Value `json:"value"`
	results.Chance
	PHolm    report.Value `json:"p_holm"`
	Adjusted report.Value `json:"adjusted"`
	Gated    report.Value `json:"gated"`
}

// Score is a score of the pair; zero for another name.
func (p *ModelPair) Score(name string) PairScore {
	v, _ := p.Scores.Get(name)
	s, _ := v.(PairScore)
	return s
}

// Analyze measures every pair of models. What cannot be computed is undefined with its reason. Errors: fewer than two
// models, unequal numbers of latents, fewer than 4, NaN or Inf, an unknown measure or reference.
func Analyze(ctx context.Context, in Input, o Options) (*Result, error) {
	work, err := Work(in, o)
	if err != nil {
		return nil, err
	}
	return work.Run(ctx)
}

func (in Input) check(o Options) error {
	n := 0
	if len(in.Models) > 0 {
		n = in.Models[0].Latents.N
	}
	if err := results.Check(in.Models, n, in.Episode); err != nil {
		return err
	}
	if len(in.Models) < 2 {
		return fmt.Errorf("one model (%s), want at least two to compare", in.Models[0].Name)
	}
	for _, m := range in.Models {
		if err := neighbors.Check(m.Name, m.Latents, neighbors.Euclidean); err != nil {
			return err
		}
	}
	if err := in.checkLayers(n); err != nil {
		return err
	}
	if err := in.checkStages(n); err != nil {
		return err
	}
	for _, name := range slices.Concat(o.Measures, o.LayerMeasures) {
		if !slices.Contains(similarity.Names(), name) {
			return fmt.Errorf("no measure is named %q; there are %s", name, strings.Join(similarity.Names(), ", "))
		}
	}
	if o.Reference != "" && !slices.Contains(results.Names(in.Models), o.Reference) {
		return fmt.Errorf("no model is named %q as the reference; there are %s", o.Reference,
			strings.Join(results.Names(in.Models), ", "))
	}
	return nil
}

// scaled has the latents of all models and layers divided by their lengths, where scale says so.
func (in Input) scaled(scale spectrum.Scale) (Input, error) {
	if scale != spectrum.ScaleL2 {
		return in, nil
	}
	divided := func(all []Encoded) ([]Encoded, error) {
		out := slices.Clone(all)
		for i, m := range out {
			var err error
			if out[i].Latents, err = spectrum.Scaled(m.Latents, scale); err != nil {
				return nil, fmt.Errorf("%s: %w", m.Name, err)
			}
		}
		return out, nil
	}
	out := in
	var err error
	if out.Models, err = divided(in.Models); err != nil {
		return in, err
	}
	out.Layers = slices.Clone(in.Layers)
	for i, model := range in.Layers {
		if out.Layers[i].Layers, err = divided(model.Layers); err != nil {
			return in, err
		}
	}
	return out, nil
}

func (o Options) withDefaults() Options {
	o.Measures = chosen(o.Measures, DefaultMeasures)
	o.LayerMeasures = chosen(o.LayerMeasures, DefaultLayerMeasures)
	if o.K == nil {
		o.K = []int{10}
	}
	if o.Bandwidth == 0 {
		o.Bandwidth = 0.5
	}
	if o.Null == "" {
		o.Null = NullTime
	}
	return o
}

// chosen are the named measures, where all stands for every one.
func chosen(names, otherwise []string) []string {
	switch {
	case names == nil:
		return otherwise
	case slices.Contains(names, "all"):
		return similarity.Names()
	}
	return names
}
