// Weights of known encoders of tokens, without a graph of their own, against Hugging Face.

package latent

import (
	"math"
	"path/filepath"
	"slices"
	"testing"
)

// TestTokensOfFolders: logits and hidden states of sequences of several lengths, padded and in one batch, equal those of
// the library within 1e-5 of the largest.
func TestTokensOfFolders(t *testing.T) {
	for folder, pad := range map[string]int{"bert": 0, "roberta": 1, "esm2": 1} {
		dir := filepath.Join("..", "model", "checkpoint", "testdata", "families", folder)
		m, err := OpenTokens(t.Context(), dir, TokenOptions{Vocabulary: 33, Pad: pad, Letters: []int32{4, 5, 6}})
		if err != nil {
			t.Errorf("%s: %v", folder, err)
			continue
		}
		golden := func(name string) []float32 {
			values, _ := array(t, filepath.Join("..", dir, "tokens.npz")+":"+name)
			return values
		}
		ids, logits, hidden := golden("ids"), golden("logits"), golden("hidden")
		const length = 11
		lengths := []int{length, 8}
		fill := func(i int, tokens, _ []int64) {
			for k := range tokens {
				tokens[k] = int64(ids[i*length+k])
			}
		}
		if !slices.Contains(m.Names, "heads=2") {
			t.Errorf("%s: the identity %q lacks the number of heads", folder, m.Names)
		}
		near := func(what string, got, want []float32) {
			worst, largest := 0.0, 0.0
			for i, w := range got {
				worst, largest = max(worst, math.Abs(float64(w)-float64(want[i]))), max(largest, math.Abs(float64(want[i])))
			}
			if !(worst <= 1e-5*largest) {
				t.Errorf("%s: %s: largest difference %.1e of %.3g", folder, what, worst, largest)
			}
		}
		visited := 0
		err = m.Run(t.Context(), TokenSequences{Lengths: lengths, Fill: fill}, TokenLogits|TokenHidden|TokenAttentions,
			func(i int, o *TokenOutput) error {
				visited++
				near("logits", o.Logits, logits[i*length*33:])
				near("hidden states", o.Hidden, hidden[i*length*16:])
				if o.Layers != 2 || o.Heads != 2 || len(o.Logits) != lengths[i]*33 {
					t.Errorf("%s: %d layers of %d heads, %d logits", folder, o.Layers, o.Heads, len(o.Logits))
				}
				return nil
			})
		if err != nil || visited != 2 {
			t.Errorf("%s: %d sequences: %v", folder, visited, err)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
}
