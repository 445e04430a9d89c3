// Bilinear resizing against torch, and its properties.

package resize

import (
	_ "embed"
	"encoding/json"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

//go:embed testdata/linear.json
var linearJSON []byte

func TestLinear(t *testing.T) {
	t.Parallel()
	var golden struct {
		Cases []struct {
			From, To  [2]int
			Src, Want []float64
		}
	}
	if err := json.Unmarshal(linearJSON, &golden); err != nil || len(golden.Cases) != 8 {
		t.Fatal(len(golden.Cases), err)
	}
	for _, g := range golden.Cases {
		got := make([]float64, len(g.Want))
		NewLinear(g.From[0], g.From[1], g.To[0], g.To[1]).Floats(got, g.Src)
		for i, want := range g.Want {
			if math.Abs(got[i]-want) > 1e-14 {
				t.Errorf("%v to %v: number %d is %v, want %v", g.From, g.To, i, got[i], want)
			}
		}
	}
}

// TestLinearProperties: the output keeps to the range of the input, and equal sizes stay.
func TestLinearProperties(t *testing.T) {
	t.Parallel()
	size := rapid.IntRange(1, 30)
	rapid.Check(t, func(t *rapid.T) {
		h, w, rows, columns := size.Draw(t, "h"), size.Draw(t, "w"), size.Draw(t, "rows"), size.Draw(t, "columns")
		src := rapid.SliceOfN(rapid.Float64Range(-9, 9), h*w, h*w).Draw(t, "src")
		out := make([]float64, rows*columns)
		NewLinear(h, w, rows, columns).Floats(out, src)
		if slices.Min(out) < slices.Min(src)-1e-14 || slices.Max(out) > slices.Max(src)+1e-14 {
			t.Fatalf("%v to %v, %v to %v", slices.Min(src), slices.Max(src), slices.Min(out), slices.Max(out))
		}
		same := make([]float64, h*w)
		NewLinear(h, w, h, w).Floats(same, src)
		if !slices.Equal(same, src) {
			t.Fatal("equal sizes change")
		}
	})
}
