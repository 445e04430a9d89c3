// What was looked at: the counts that stand beside the numbers of every model.

package sequence

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"

	"repscope/internal/run"
	"repscope/measure/token"
	"repscope/report"
)

// census counts what was looked at. It is a metric of every model.
type census struct{ Sums }

// The columns of the census.
const (
	countSequences = iota
	countResidues
	countMasked
	countUnframed
	tokenDigest // of the tokens, below 2³²
	countColumns
)

func newCensus() *census { return &census{NewSums(countColumns)} }

// Update counts sequences.
func (c *census) Update(_ context.Context, b *Batch) error {
	for _, it := range b.Items {
		residues, unframed := 0, 0
		for _, special := range it.Special {
			if !special {
				residues++
			}
		}
		if it.CDR != nil {
			unframed = token.Unframed(it.Chains, it.Special, it.CDR)
		}
		h := fnv.New32a()
		for _, t := range it.Tokens {
			_, _ = h.Write([]byte{byte(t), byte(t >> 8), byte(t >> 16)})
		}
		c.Add(1, float64(residues), float64(len(it.Masked)), float64(unframed), float64(h.Sum32()))
	}
	return nil
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

// sameSequences is an error where models of a dataset were shown other tokens.
func sameSequences(d *datasetPlan, all []*census) error {
	for i := range all {
		if !slices.Equal(all[i].Column(tokenDigest), all[0].Column(tokenDigest)) {
			return run.Hint(fmt.Errorf("models %s and %s have other sequences: models of a dataset are compared on the same ones", d.models[0].Name, d.models[i].Name),
				fmt.Sprintf("give it a dataset of its own: %s/DATASET=FILE", d.models[i].Name))
		}
	}
	return nil
}
