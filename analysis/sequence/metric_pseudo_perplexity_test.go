// Pseudo-perplexities against sums written out, and of models that are run.

package sequence

import (
	"math"
	"testing"
)

// Both are exp of the mean −ln p of all residues, and mean sums per sequence; a sequence of no
// residues counts in neither.
func TestPseudoPerplexity(t *testing.T) {
	t.Parallel()
	s := newFakeSequences(9, 2)
	s.records[4].Special = make([]bool, len(s.records[4].Tokens))
	for i := range s.records[4].Special {
		s.records[4].Special[i] = true
	}
	source := newFakeSource(3, 2)
	in := fakeInput(All(), 9, 2, "pseudo_perplexity", "one_pass_perplexity")
	in.Datasets[0].Models = []Model{fakeModel("a", s, source)}
	m := &analyzeFake(t, in).Datasets[0].Models[0]
	for _, c := range []struct {
		kind      PassKind
		pll, pppl string
	}{{SinglePass, "pll", "pppl"}, {CleanPass, "one_pass_pll", "one_pass_pppl"}} {
		sum, residues, sequences := 0.0, 0.0, 0.0
		each := make([]float64, len(s.records))
		for i := range s.records {
			r := &s.records[i]
			own := 0.0
			for at, special := range r.Special {
				if special {
					continue
				}
				pass := &Pass{Record: r, Kind: c.kind}
				if c.kind == SinglePass {
					pass.Hidden = []int{at}
				}
				logits := source.answer(pass, Logits).Logits[at*32 : (at+1)*32]
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
