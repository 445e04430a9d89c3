// Bits below the entropy of frequencies, against a plain loop.

package metrics

import (
	"math"
	"testing"

	"repscope/analysis/sequence"
	"repscope/measure/token"
)

func TestUnigram(t *testing.T) {
	t.Parallel()
	c := tokenCases(t)[sequence.RegionStandard]
	counts := map[int]float64{}
	for _, p := range c.scored {
		counts[p.Target]++
	}
	bits := 0.0
	for _, n := range counts {
		p := n / float64(len(c.scored))
		bits -= p * math.Log2(p)
	}
	nll, _ := c.mean(nil, nllOf)
	c.check(t, "unigram_bits", bits)
	c.check(t, "bits_below_unigram", bits-nll/math.Ln2)
}

// A model that predicts the frequencies of the residues is no bit below their entropy.
func TestUnigramOfFrequencies(t *testing.T) {
	t.Parallel()
	const n = 400
	m := unigram.New(&sequence.Setting{Alphabet: token.Antibody()}).(*unigramMetric)
	counts := map[int]float64{4: 200, 5: 100, 6: 50, 7: 50}
	for target, times := range counts {
		row := make([]float64, m.Width)
		row[0], row[1], row[2+target] = times, -times*math.Log(times/n), times
		m.Add(row...)
	}
	var r sequence.ModelResult
	if err := m.Result(t.Context(), &sequence.Summary{Object: &r.Object}); err != nil {
		t.Fatal(err)
	}
	c := tokenCase{ModelResult: &r}
	c.check(t, "unigram_bits", 1.75)
	c.check(t, "bits_below_unigram", 0)
}
