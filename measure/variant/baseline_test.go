// Scores that need no model.

package variant

import (
	"math"
	"strings"
	"testing"

	"repscope/measure/measuretest"
)

// The published scale of the matrix, λ = 0.3176 for the residue frequencies of Robinson and
// Robinson (1991), solves Σ p·p·exp(λ·B) = 1: a wrong entry would move it.
func TestBLOSUM62(t *testing.T) {
	t.Parallel()
	frequency := map[byte]float64{'A': 78.05, 'C': 19.25, 'D': 53.64, 'E': 62.95, 'F': 38.56, 'G': 73.77, 'H': 21.99, 'I': 51.42,
		'K': 57.44, 'L': 90.19, 'M': 22.43, 'N': 44.87, 'P': 52.03, 'Q': 42.64, 'R': 51.29, 'S': 71.20, 'T': 58.41, 'V': 64.41,
		'W': 13.30, 'Y': 32.16}
	total := func(lambda float64) float64 {
		sum := 0.0
		for i := range len(residues) {
			for j := range len(residues) {
				s, ok := substitutionScore(residues[i], residues[j])
				if back, _ := substitutionScore(residues[j], residues[i]); !ok || s != back {
					t.Fatalf("%c and %c: %d and %d", residues[i], residues[j], s, back)
				}
				sum += frequency[residues[i]] * frequency[residues[j]] / 1e6 * math.Exp(lambda*float64(s))
			}
		}
		return sum
	}
	low, high := 0.1, 0.6
	for range 50 {
		if middle := (low + high) / 2; total(middle) < 1 {
			low = middle
		} else {
			high = middle
		}
	}
	measuretest.Near(t, "λ", low, 0.3176, 1e-4)
	if _, ok := substitutionScore('A', 'X'); ok {
		t.Error("X is an amino acid")
	}
	m, err := Parse("A23C:W45E")
	must(t, err)
	if got := Similarity(m); got != (0-4)+(-3-11) {
		t.Errorf("similarity %v", got)
	}
	if got := Similarity([]Mutation{{'A', 1, 'X'}}); !math.IsNaN(got) {
		t.Errorf("similarity %v of what is no amino acid", got)
	}
}

func TestFrequencies(t *testing.T) {
	t.Parallel()
	var f Frequencies[int]
	for _, r := range []byte("AAAC") {
		f.Add(7, r)
	}
	measuretest.Near(t, "ratio", f.LogRatio(7, 'A', 'C'), math.Log(2.0/4), 1e-15)
	measuretest.Near(t, "ratio of a residue that was not seen", f.LogRatio(7, 'A', 'D'), math.Log(1.0/4), 1e-15)
	if got := f.LogRatio(8, 'A', 'D'); got != 0 {
		t.Errorf("%v at a place without counts", got)
	}
}

func TestLogRatio(t *testing.T) {
	t.Parallel()
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	logits := []float32{0.5, 2, -inf, -inf, inf, nan}
	p := func(k int) float64 { return math.Exp(float64(logits[k])) / (math.Exp(0.5) + math.Exp(2)) }
	v, err := LogRatio(logits, 0, 1)
	must(t, err)
	measuretest.Near(t, "ratio", v, math.Log(p(1))-math.Log(p(0)), 1e-15)
	if v, err := LogRatio(logits, 0, 2); err != nil || !math.IsInf(v, -1) {
		t.Errorf("%v, %v", v, err)
	}
	for want, tokens := range map[string][2]int{"both −Inf": {2, 3}, "token 4 is +Inf": {0, 4}, "token 5 is NaN": {5, 0}, "token 6, want an index below the 6": {0, 6}} {
		if _, err := LogRatio(logits, tokens[0], tokens[1]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
