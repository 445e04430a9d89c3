// Pseudo-perplexities against sums written out, and of models that are run.

package metrics

import (
	"math"
	"testing"

	"repscope/analysis/sequence"
	"repscope/analysis/sequence/internal/sequencetest"
)

// Both are exp of the mean −ln p of all residues, and mean sums per sequence; a sequence of no
// residues counts in neither.
func TestPseudoPerplexity(t *testing.T) {
	t.Parallel()
	s := sequencetest.NewSequences(9, 2)
	s.Records[4].Special = make([]bool, len(s.Records[4].Tokens))
	for i := range s.Records[4].Special {
		s.Records[4].Special[i] = true
	}
	source := sequencetest.NewSource(3, 2)
	in := sequencetest.Input(All(), 9, 2, "pseudo_perplexity", "one_pass_perplexity")
	in.Datasets[0].Models = []sequence.Model{sequencetest.Model("a", s, source)}
	m := &sequencetest.Analyze(t, in).Datasets[0].Models[0]
	for _, c := range []struct {
		kind      sequence.PassKind
		pll, pppl string
	}{{sequence.SinglePass, "pll", "pppl"}, {sequence.CleanPass, "one_pass_pll", "one_pass_pppl"}} {
		sum, residues, sequences := 0.0, 0.0, 0.0
		each := make([]float64, len(s.Records))
		for i := range s.Records {
			r := &s.Records[i]
			own := 0.0
			for at, special := range r.Special {
				if special {
					continue
				}
				pass := &sequence.Pass{Record: r, Kind: c.kind}
				if c.kind == sequence.SinglePass {
					pass.Hidden = []int{at}
				}
				logits := source.Respond(pass, sequence.Logits).Logits[at*32 : (at+1)*32]
				total := 0.0
				for _, v := range logits {
					total += math.Exp(float64(v))
				}
				own += float64(logits[r.Tokens[at]]) - math.Log(total)
				residues++
			}
			if each[i] = own; own == 0 {
				each[i] = math.NaN()
				continue
			}
			sum += own
			sequences++
		}
		for key, want := range map[string]float64{c.pll: sum / sequences, c.pppl: math.Exp(-sum / residues)} {
			v, ci, ok := m.Number(key)
			if !ok || math.Abs(v.V-want) > 1e-9*math.Abs(want) {
				t.Errorf("%s is %v, want %v", key, v, want)
			}
			if low, high := ci.Low, ci.High; !(low < want && want < high) {
				t.Errorf("%s: interval %v without %v", key, ci, want)
			}
		}
		for _, scores := range m.Scores {
			if scores.Key != c.pll {
				continue
			}
			for i, v := range scores.Values {
				if math.IsNaN(v) != math.IsNaN(each[i]) || math.Abs(v-each[i]) > 1e-9*math.Abs(each[i]) {
					t.Errorf("%s of sequence %d is %v, want %v", c.pll, i, v, each[i])
				}
			}
		}
	}
}
