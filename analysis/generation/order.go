// Samples that follow each other in their file, such as frames of a video, where no groups are given.

package generation

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"repscope/analysis/internal/results"
	"repscope/internal/text"
	"repscope/points"
)

// neighborGroups is how many groups of neighbors are deleted in turn where neighboring samples are alike.
const neighborGroups = 10

// The inputs, by the flags of the program that give them.
const (
	inGenerated       = "generated"
	inReconstruction  = "reconstruction"
	inLatents         = "latents"
	inPredictions     = "predictions"
	inReal            = "real"
	inRealLatents     = "real-latents"
	inRealPredictions = "real-predictions"
)

// related is an input without groups whose neighboring samples are alike.
type related struct {
	generator   string // empty: real samples
	input       string
	correlation float64 // of neighbors
}

// orders finds inputs whose neighboring samples are alike.
type orders struct{ found []related }

// groups are the given ones of an input with these rows and labels; where there are none and neighbors are alike, ten
// groups of neighbors.
func (o *orders) groups(source related, groups []int, rows points.Points, labels []int) []int {
	if groups != nil {
		return groups
	}
	if source.correlation = results.AlikeRows(rows, labels); source.correlation == 0 {
		return nil
	}
	o.found = append(o.found, source)
	return tenths(rows.N)
}

// tenths are ten groups of n neighbors, of about equal size.
func tenths(n int) []int {
	groups := make([]int, n)
	for i := range groups {
		groups[i] = i * neighborGroups / n
	}
	return groups
}

// independent reports whether samples without groups are independent in whatever order, as --block 1 says, or no
// intervals are asked for.
func (o *Options) independent() bool { return !o.Intervals || o.Block.Length == 1 }

// inOrder returns the input with ten groups of neighbors wherever there are no groups and neighboring samples are
// alike. Reconstructions are read in pieces, so that theirs are found later.
func (in Input) inOrder() (Input, []related) {
	var o orders
	in.Real = o.samples("", inReal, in.Real)
	in.RealLatents = o.latents("", inRealLatents, in.RealLatents)
	in.RealPredictions = o.predictions("", inRealPredictions, in.RealPredictions)
	in.Generators = slices.Clone(in.Generators)
	for i := range in.Generators {
		g := &in.Generators[i]
		g.Generated = o.samples(g.Name, inGenerated, g.Generated)
		g.Latents = o.latents(g.Name, inLatents, g.Latents)
		g.Predictions = o.predictions(g.Name, inPredictions, g.Predictions)
	}
	return in, o.found
}

func (o *orders) samples(generator, input string, s *Samples) *Samples {
	if s == nil {
		return nil
	}
	out := *s
	out.Groups = o.groups(related{generator: generator, input: input}, s.Groups, s.Rows, s.Labels)
	return &out
}

func (o *orders) latents(generator, input string, l *Latents) *Latents {
	if l == nil {
		return nil
	}
	out := *l
	out.Groups = o.groups(related{generator: generator, input: input}, l.Groups, l.Points, l.Labels)
	return &out
}

func (o *orders) predictions(generator, input string, p *Predictions) *Predictions {
	if p == nil {
		return nil
	}
	out := *p
	exact := p.within(0, nil)
	hits := shares(len(exact), func(i int) bool { return exact[i] })
	out.Groups = o.groups(related{generator: generator, input: input}, p.Groups, points.Float64(hits, 1), p.Target)
	return &out
}

// alikeScores is [results.AlikeRows] of scores that are defined.
func alikeScores(scores []float64, labels []int) float64 {
	var kept []float64
	var index []int
	for i, v := range scores {
		if !math.IsNaN(v) {
			kept, index = append(kept, v), append(index, i)
		}
	}
	return results.AlikeRows(points.Float64(kept, 1), chosen(labels, index))
}

// withdraw takes back the p values of comparisons that follow from inputs whose neighboring samples are alike, and
// warns of such inputs.
func (a *analyzer) withdraw(r *Result) {
	inputs := slices.Clone(a.related)
	for i := range r.Models {
		if m := &r.Models[i]; m.Reconstruction != nil && m.Reconstruction.Alike > 0 {
			inputs = append(inputs, related{m.Name, inReconstruction, m.Reconstruction.Alike})
		}
	}
	if len(inputs) == 0 {
		return
	}
	reads := map[string][]string{} // by path
	for i := range r.Models {
		for _, metric := range registry {
			for _, e := range metric.Estimates(&r.Models[i]) {
				reads[e.Path] = metric.Reads
			}
		}
	}
	count := 0
	for i := range r.Comparisons {
		c := &r.Comparisons[i]
		if doubt := doubted(inputs, reads[c.Metric], c.A, c.B); doubt != "" && c.P.Defined() {
			results.Withdraw(c, "%s", doubt)
			count++
		}
	}
	names := make([]string, len(inputs))
	for i, f := range inputs {
		names[i] = fmt.Sprintf("%s (correlation %.2f)", f.name(), f.correlation)
	}
	warning := fmt.Sprintf("neighboring samples are alike in %s: intervals rest on ten groups of neighbors",
		text.Few(names, 4))
	if count > 0 {
		warning += fmt.Sprintf(", and %s of generators have no p value", text.Count(count, "comparison"))
	}
	r.Warnings = append(r.Warnings, warning+"; "+fix("NAME"))
}

// doubted is why numbers of some generators that follow from these inputs are not tested; empty if they are.
func doubted(inputs []related, reads []string, generators ...string) string {
	for _, f := range inputs {
		if slices.Contains(reads, f.input) && (f.generator == "" || slices.Contains(generators, f.generator)) {
			return text.Alike("neighboring samples of "+f.name(), f.correlation, "sample") + "; " +
				fix(cmp.Or(f.generator, RealRow))
		}
	}
	return ""
}

func (f *related) name() string {
	if f.generator == "" {
		return "--" + f.input
	}
	return fmt.Sprintf("--%s %s", f.input, f.generator)
}

// fix says what to do about the samples of a generator, or of [RealRow].
func fix(name string) string {
	return fmt.Sprintf("give groups of related samples (--groups %s=FILE), labels if rows are sorted by class, or "+
		"--block 1 if samples are independent", name)
}
