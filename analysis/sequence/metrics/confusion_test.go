// The confusion of residues against a plain count, and vocabularies that are too large.

package metrics

import (
	"testing"

	"repscope/analysis/sequence"
	"repscope/measure/token"
)

func TestConfusion(t *testing.T) {
	t.Parallel()
	c := tokenCases(t)[sequence.RegionStandard]
	v, _ := c.Object.Get("confusion")
	table := v.(confusionTable)
	id := map[string]int{}
	for i, name := range token.Antibody().Names {
		id[name] = i
	}
	total := int64(0)
	for i, row := range table.Counts {
		for j, n := range row {
			want := int64(0)
			for _, p := range c.scored {
				if p.Target == id[table.Tokens[i]] && p.Predicted == id[table.Tokens[j]] {
					want++
				}
			}
			if n != want {
				t.Errorf("%s is taken for %s %d times, want %d", table.Tokens[i], table.Tokens[j], n, want)
			}
			total += n
		}
	}
	if int(total) != len(c.scored) {
		t.Errorf("%d predictions in the table, want %d", total, len(c.scored))
	}
	truth, predicted, right := make([]float64, len(id)), make([]float64, len(id)), 0.0
	for _, p := range c.scored {
		truth[p.Target]++
		predicted[p.Predicted]++
		right += correctOf(p)
	}
	c.check(t, "residue_mcc", token.Matthews(float64(len(c.scored)), right, truth, predicted))
	large := &token.Alphabet{Names: make([]string, 300)}
	if err := confusion.New(&sequence.Setting{Alphabet: large}).Result(t.Context(), &sequence.Summary{Setting: &sequence.Setting{Alphabet: large}}); err == nil {
		t.Error("pairs of 300 tokens are counted")
	}
}
