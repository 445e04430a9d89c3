// All filters against Pillow, and the part that is cut out.

package resize

import (
	_ "embed"
	"encoding/json"
	"math"
	"slices"
	"testing"
)

//go:embed testdata/pillow.json
var pillowJSON []byte

// TestPillow: the bytes are Pillow's, all of them, and numbers without rounding are at most a level off where the
// kernel has no negative weights.
func TestPillow(t *testing.T) {
	t.Parallel()
	var golden struct {
		Cases []struct {
			Filter   Filter
			From, To [2]int
			Src, Dst []byte
		}
	}
	if err := json.Unmarshal(pillowJSON, &golden); err != nil || len(golden.Cases) < 6*9 {
		t.Fatal(len(golden.Cases), err)
	}
	for _, g := range golden.Cases {
		p, err := NewPillow(g.Filter, g.From[0], g.From[1], g.To[0], g.To[1])
		if err != nil {
			t.Fatal(err)
		}
		src, want := floats(g.Src), floats(g.Dst)
		got := make([]float32, len(want))
		if p.Frame(got, src); !slices.Equal(got, want) {
			t.Errorf("%s, %v to %v: %v, want %v", g.Filter, g.From, g.To, got, want)
		}
		if g.Filter == FilterBicubic || g.Filter == FilterLanczos {
			continue // bytes cut off the overshoot of the first axis
		}
		p.Unrounded()
		for p.Frame(got, src); len(want) > 0; got, want = got[1:], want[1:] {
			if v := min(max(float64(got[0]), 0), 255); math.Abs(v-float64(want[0])) > 1.01 {
				t.Errorf("%s, %v to %v: %v without rounding, %v with it", g.Filter, g.From, g.To, v, want[0])
			}
		}
	}
	if _, err := NewPillow("mitchell", 2, 2, 1, 1); err == nil {
		t.Error("an unknown filter")
	}
}

func floats(bytes []byte) []float32 {
	values := make([]float32, len(bytes))
	for i, b := range bytes {
		values[i] = float32(b)
	}
	return values
}

// TestPillowCut: a part is that of the whole, and numbers that are no bytes are not rounded.
func TestPillowCut(t *testing.T) {
	t.Parallel()
	src := make([]float32, 12*10)
	for i := range src {
		src[i] = float32(i * i % 256)
	}
	for _, filter := range Filters() {
		p, err := NewPillow(filter, 12, 10, 6, 8)
		if err != nil {
			t.Fatal(err)
		}
		whole, part := make([]float32, 6*8), make([]float32, 3*4)
		p.Frame(whole, src)
		p.Cut(2, 1, 3, 4)
		p.Frame(part, src)
		for i, v := range part {
			if want := whole[(2+i/4)*8+1+i%4]; v != want {
				t.Errorf("%s: pixel %d is %v, want %v", filter, i, v, want)
			}
		}
		noisy := slices.Clone(src)
		noisy[0] += 0.25
		p.Frame(part, noisy)
		if whole := !slices.ContainsFunc(part, func(v float32) bool { return v != float32(math.Round(float64(v))) }); whole && filter != FilterNearest {
			t.Errorf("%s: pixels with noise are rounded: %v", filter, part)
		}
	}
}
