// What each corruption changes, and what it must not.

package corruption

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"repscope/stat"
)

// grays is one state with values spread over [0, 1].
func grays(shape []int) []float32 {
	size := 1
	for _, d := range shape {
		size *= d
	}
	random := stat.NewRandom(stat.NewKey(5))
	out := make([]float32, size)
	for i := range out {
		out[i] = float32(random.Float64())
	}
	return out
}

// A saturated pixel can only change one way: after clipping its mean moves by
// σ/√(2π) = 0.399σ, after reflection by σ·√(2/π).
func TestClippingOfSaturatedPixels(t *testing.T) {
	t.Parallel()
	white := make([]float32, 40000)
	for i := range white {
		white[i] = 1
	}
	for clip, want := range map[Clip]float64{ClipRange: -0.3989, ClipReflect: -0.7979, ClipNone: 0} {
		c, err := New(Gaussian, clip, 0, 1, []int{200, 200}, 1)
		if err != nil {
			t.Fatal(err)
		}
		out := make([]float32, len(white))
		const sigma = 0.1
		if err := c.Apply(out, white, 0, sigma, 0); err != nil {
			t.Fatal(err)
		}
		shift := 0.0
		for _, v := range out {
			shift += (float64(v) - 1) / sigma / float64(len(out))
			if clip != ClipNone && (v < 0 || v > 1) {
				t.Fatalf("%s: %v outside [0, 1]", clip, v)
			}
		}
		if math.Abs(shift-want) > 0.015 {
			t.Errorf("%s: mean moved by %vσ, want %vσ", clip, shift, want)
		}
	}
}

// Frames of 0..255 keep their content: the published scripts clamp them to 0..1.
func TestNoiseKeepsFramesOfAnyRange(t *testing.T) {
	t.Parallel()
	shape := []int{20, 20}
	small, large := grays(shape), grays(shape)
	for i := range large {
		large[i] *= 255
	}
	a, _ := New(Gaussian, ClipRange, 0, 1, shape, 9)
	b, _ := New(Gaussian, ClipRange, 0, 255, shape, 9)
	x, y := make([]float32, 400), make([]float32, 400)
	if err := errors.Join(a.Apply(x, small, 3, 0.1, 0), b.Apply(y, large, 3, 0.1, 0)); err != nil {
		t.Fatal(err)
	}
	for i := range x {
		if math.Abs(float64(y[i])/255-float64(x[i])) > 1e-6 {
			t.Fatalf("pixel %d: %v of 1 and %v of 255", i, x[i], y[i])
		}
	}
}

func TestCorruptions(t *testing.T) {
	t.Parallel()
	shape := []int{2, 40, 60}
	states := grays(shape)
	for _, name := range Kinds() {
		c, err := New(name, ClipRange, 0, 1, shape, 4)
		if err != nil {
			t.Fatal(err)
		}
		out := make([]float32, len(states))
		if err := c.Apply(out, states, 0, 0, 0); err != nil || !slices.Equal(out, states) {
			t.Errorf("%s: level 0 changes the state (%v)", name, err)
		}
		if err := c.Apply(out, states, 0, 0.25, 0); err != nil {
			t.Fatal(err)
		}
		changed, low, high := 0, float32(math.Inf(1)), float32(math.Inf(-1))
		for i, v := range out {
			low, high = min(low, v), max(high, v)
			if v != states[i] {
				changed++
			}
		}
		if low < 0 || high > 1 {
			t.Errorf("%s: values in [%v, %v]", name, low, high)
		}
		share := float64(changed) / float64(len(out))
		switch Kind(name) {
		case SaltPepper, Occlusion:
			if math.Abs(share-0.25) > 0.02 {
				t.Errorf("%s at 0.25 changed a share of %v", name, share)
			}
		default:
			if share < 0.5 {
				t.Errorf("%s at 0.25 changed a share of %v", name, share)
			}
		}
		switch Kind(name) {
		case Shift: // whole rows or columns of the original, moved by 10 or 15
			found := false
			for _, d := range [][2]int{{10, 0}, {-10, 0}, {0, 15}, {0, -15}} {
				found = found || out[20*60+30] == states[(20-d[0])*60+30-d[1]]
			}
			if !found {
				t.Error("shift: no neighbour at the stated distance")
			}
		case Blur, Contrast:
			if spreadOf(out) > 0.8*spreadOf(states) {
				t.Errorf("%s: spread %v of %v left", name, spreadOf(out), spreadOf(states))
			}
		}
	}
}

func spreadOf(v []float32) float64 {
	x := make([]float64, len(v))
	for i := range v {
		x[i] = float64(v[i])
	}
	return stat.StandardDeviation(x)
}

// The table names every corruption once, and says what its levels are.
func TestTable(t *testing.T) {
	t.Parallel()
	seen := map[Kind]bool{}
	for _, r := range table {
		if r.apply == nil || r.unit == "" || r.most < 1 || seen[r.kind] {
			t.Errorf("row %+v", r)
		}
		seen[r.kind] = true
		for level, valid := range map[float64]bool{-0.1: false, 0: true, 1: true, 1.5: r.most > 1, math.NaN(): false, math.Inf(1): false} {
			if err := r.kind.CheckLevel(level); (err == nil) != valid {
				t.Errorf("%s level %v: %v", r.kind, level, err)
			}
		}
		if _, err := New(r.kind, ClipRange, 0, 1, []int{8}, 0); (err != nil) != r.spatial {
			t.Errorf("%s of states without height and width: %v", r.kind, err)
		}
	}
	for want, f := range map[string]func() error{
		"corruption \"rain\": want one of [gaussian": func() error { _, err := New("rain", ClipRange, 0, 1, []int{8}, 0); return err },
		"clip \"wrap\": want one of [range":          func() error { _, err := New(Blur, "wrap", 0, 1, []int{8, 8}, 0); return err },
		"ascending range":                            func() error { _, err := New(Blur, ClipRange, 1, 1, []int{8, 8}, 0); return err },
		"have shape []":                              func() error { _, err := New(Gaussian, ClipRange, 0, 1, nil, 0); return err },
		"corruption \"fog\"":                         func() error { return Kind("fog").CheckLevel(0.1) },
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one containing %q", err, want)
		}
	}
}

// A corruption depends on the number of the state, the level, the draw and the seed.
func TestKey(t *testing.T) {
	t.Parallel()
	corrupter := func(seed uint64) *Corrupter {
		c, err := New(Gaussian, ClipNone, 0, 1, []int{8}, seed)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	seen := map[stat.Key]bool{}
	for _, key := range []stat.Key{
		corrupter(1).Key(0, 0.1, 0), corrupter(2).Key(0, 0.1, 0), corrupter(1).Key(1, 0.1, 0), corrupter(1).Key(0, 0.2, 0), corrupter(1).Key(0, 0.1, 1),
	} {
		if seen[key] {
			t.Error("two keys are equal")
		}
		seen[key] = true
	}
}
