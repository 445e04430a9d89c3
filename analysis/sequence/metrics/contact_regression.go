// The regressions of contacts on the heads of all layers, each tested on other sequences than it is fitted
// on.

package metrics

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"repscope/analysis/sequence"
	"repscope/measure/contact"
	"repscope/measure/probe"
	"repscope/stat"
)

// chooseContacts draws the sequences that regressions are fitted on and tested with; all where
// there are no more.
func chooseContacts(s *sequence.Setting, count int) map[int]bool {
	chosen := map[int]bool{}
	drawn, err := stat.NewRandom(stat.StreamContacts.Key(s.Seed)).SampleWithoutReplacement(s.Sequences,
		min(count, s.Sequences))
	if err != nil {
		panic("sequence: " + err.Error()) // of a number above all
	}
	for _, i := range drawn {
		chosen[i] = true
	}
	return chosen
}

// contactSample are the pairs of residues of the chosen sequences, with the scores of all heads.
type contactSample struct {
	Sequences []sampledContacts
	// Bytes is what the scores take, also where they are not kept, as that would be too much.
	Bytes int64
}

type sampledContacts struct {
	Index, Cluster, Group int
	Pairs                 contact.Pairs
}

// nearest is the least separation of any range.
const nearest = 3

// add adds a sequence, unless all take more than the memory.
func (c *contactSample) add(it *sequence.Item, residues []int, truth *contact.Contacts, memory int64) error {
	out := it.Clean
	n, heads := int64(len(residues)), out.Layers*out.Heads
	c.Bytes += 4 * int64(heads) * n * n / 2
	if c.Bytes > memory {
		c.Sequences = nil
		return nil
	}
	pairs, err := contact.HeadPairs(out.Attentions, heads, len(it.Tokens), residues, truth, nearest)
	if err != nil {
		return err
	}
	c.Sequences = append(c.Sequences, sampledContacts{Index: it.Index, Cluster: it.Cluster, Group: it.Group, Pairs: *pairs})
	return nil
}

// merge adds the sequences of another.
func (c *contactSample) merge(o *contactSample, memory int64) {
	c.Bytes += o.Bytes
	if c.Bytes > memory {
		c.Sequences = nil
		return
	}
	c.Sequences = append(c.Sequences, o.Sequences...)
}

// enterLogistic fits the regressions and enters their precisions.
func (m *contactMetric) enterLogistic(ctx context.Context, s *sequence.Summary) error {
	reason := ""
	switch {
	case !m.logistic:
		return nil
	case m.sample.Bytes > m.setting.Memory/2:
		reason = fmt.Sprintf("the attention scores of %d sequences take %d MB, more than half of --memory: reduce "+
			"p_at_l.logistic_sequences", m.sequences, m.sample.Bytes>>20)
	case len(m.sample.Sequences) == 0:
		reason = "no drawn sequence has coordinates and attention"
	}
	var rows [][]float64
	if reason == "" {
		var err error
		rows, err = m.crossFit(ctx)
		var undefined *stat.UndefinedError
		switch {
		case errors.As(err, &undefined):
			reason = stat.Reason(err)
		case err != nil:
			return err
		}
	}
	if reason != "" {
		for _, r := range m.ranges {
			for _, score := range contactScores {
				s.Undefined(ContactKey(true, r.Name, score.name), "%s", reason)
			}
		}
		return nil
	}
	s.Object.Set("contacts_logistic_sequences", len(m.sample.Sequences))
	return m.enter(s, true, rows)
}

// crossFit fits a regression for every fold of whole clusters on the other folds, and ranks the pairs of
// the fold by it: the sums of every group with chosen sequences.
func (m *contactMetric) crossFit(ctx context.Context) ([][]float64, error) {
	sample := slices.SortedFunc(slices.Values(m.sample.Sequences),
		func(a, b sampledContacts) int { return a.Index - b.Index })
	clusters := make([]int, len(sample))
	for i := range sample {
		clusters[i] = sample[i].Cluster
	}
	distinct := len(slices.Compact(slices.Sorted(slices.Values(clusters))))
	if distinct < 2 {
		return nil, stat.Undefined("regression of contacts",
			"all drawn sequences belong to one cluster, so no other cluster is left for testing")
	}
	folds, err := probe.GroupFolds(clusters, min(m.folds, distinct))
	if err != nil {
		return nil, err
	}
	byGroup := map[int][]float64{}
	for f := range slices.Max(folds) + 1 {
		var train []*contact.Pairs
		for i := range sample {
			if folds[i] != f {
				train = append(train, &sample[i].Pairs)
			}
		}
		head, err := contact.FitLogistic(ctx, train, m.regression)
		if err != nil {
			return nil, err
		}
		for i := range sample {
			if folds[i] != f {
				continue
			}
			ranked, err := sample[i].Pairs.Precisions(head, m.ranges)
			if err != nil {
				return nil, err
			}
			row, sum := make([]float64, m.byGroup.Width), byGroup[sample[i].Group]
			contactRow(row, ranked)
			if sum == nil {
				sum = make([]float64, len(row))
				byGroup[sample[i].Group] = sum
			}
			for k, v := range row {
				sum[k] += v
			}
		}
	}
	var rows [][]float64
	for _, g := range slices.Sorted(maps.Keys(byGroup)) {
		rows = append(rows, byGroup[g])
	}
	return rows, nil
}
