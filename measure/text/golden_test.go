// What the literal tables and Python's difflib say.

package text

import (
	_ "embed"
	"encoding/json"
	"math"
	"testing"
)

//go:embed testdata/golden.json
var goldenJSON []byte

func TestGolden(t *testing.T) {
	t.Parallel()
	var golden struct {
		Cases []struct {
			A, B                    string
			Distance, LCS, Matching int
			Ratio                   float64
		}
	}
	if err := json.Unmarshal(goldenJSON, &golden); err != nil || len(golden.Cases) < 50 {
		t.Fatal(len(golden.Cases), err)
	}
	var c Comparer[rune] // one for all, so that what is kept of a comparison would show in the next
	for _, g := range golden.Cases {
		a, b := c.Encode([]rune(g.A)), c.Encode([]rune(g.B))
		if d, lcs, m := c.Distance(a, b), c.LCS(a, b), c.Matching(a, b); d != g.Distance || lcs != g.LCS || m != g.Matching {
			t.Errorf("%q and %q: distance %d, subsequence %d, blocks %d, want %d, %d, %d", g.A, g.B, d, lcs, m, g.Distance, g.LCS, g.Matching)
		}
		if got := c.Ratio(a, b); math.Abs(got-g.Ratio) > 1e-15 {
			t.Errorf("%q and %q: ratio %v, want %v", g.A, g.B, got, g.Ratio)
		}
	}
}
