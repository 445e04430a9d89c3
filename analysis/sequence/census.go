// The census: the counts that stand next to the numbers of every model.

package sequence

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"

	"repscope/internal/text"
	"repscope/measure/token"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

// census counts the sequences and residues looked at. It is a metric of every model.
type census struct{ Sums }

// The columns of the census.
const (
	countSequences = iota
	countResidues
	countMasked
	countUnframed
	tokenDigest // of the tokens, below 2⁵³
	maskDigest  // of the masked positions
	countColumns
)

func newCensus() *census { return &census{NewSums(countColumns)} }

// Update counts sequences.
func (c *census) Update(_ context.Context, b *Batch) error {
	for _, it := range b.Items {
		unframed := 0
		if it.CDR != nil {
			unframed = token.Unframed(it.Chains, it.Special, it.CDR)
		}
		c.Add(1, float64(len(it.Residues())), float64(len(it.Masked)), float64(unframed), digest(it.Tokens),
			digest(it.Masked))
	}
	return nil
}

// digest is a hash of numbers below 2²⁴: a whole number that float64 holds.
func digest[T int | int32](numbers []T) float64 {
	h := fnv.New64a()
	for _, v := range numbers {
		_, _ = h.Write([]byte{byte(v), byte(v >> 8), byte(v >> 16)})
	}
	return float64(h.Sum64() >> 11)
}

// inSeveralClusters is a warning of equal sequences in different clusters, which intervals and the folds of probes
// take for independent ones; clusters has the cluster of each row of the census. It is empty where there are none.
func (c *census) inSeveralClusters(clusters []int) string {
	digests := c.Column(tokenDigest)
	n := points.Shared(points.Points{N: len(digests), Dim: 1, F64: digests}, clusters)
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %s are equal to one of another cluster: intervals take them for independent sequences, and "+
		"probes are tested on sequences that they were fitted to; audit --sequences finds them",
		n, text.Count(len(digests), "sequence"))
}

// Result does nothing: see enter.
func (c *census) Result(context.Context, *Summary) error { return nil }

// enter puts the counts into the part of a model.
func (c *census) enter(o *report.Object) {
	for k, name := range []string{"sequences", "residues", "masked_residues", "chains_without_frameworks"} {
		total := 0.0
		for _, v := range c.Column(k) {
			total += v
		}
		o.Set(name, int(total))
	}
}

// otherMasks are warnings of models whose predictions are of other residues than the first model's that has any.
func otherMasks(names []string, all []*census) (warnings []string) {
	first := -1
	for i, c := range all {
		switch {
		case stat.Sum(c.Column(countMasked)) == 0:
		case first < 0:
			first = i
		case !slices.Equal(c.Column(maskDigest), all[first].Column(maskDigest)):
			warnings = append(warnings, fmt.Sprintf(
				"%s and %s predict different masked residues, which adds to their difference; give both models the "+
					"same masks",
				names[first], names[i]))
		}
	}
	return warnings
}

// sameSequences is an error where models of a dataset were shown other tokens.
func sameSequences(names []string, all []*census) error {
	for i := range all {
		if !slices.Equal(all[i].Column(tokenDigest), all[0].Column(tokenDigest)) {
			return text.WithHint(fmt.Errorf("models %s and %s have different sequences: the models of one dataset "+
				"are compared on the same sequences", names[0], names[i]),
				fmt.Sprintf("put the second model into its own dataset: %s/DATASET=FILE", names[i]))
		}
	}
	return nil
}
