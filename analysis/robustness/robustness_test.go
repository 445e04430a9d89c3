// The analysis on encoders whose answers are known, and input that cannot be used.

package robustness

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/dataset"
	"repscope/latent"
	"repscope/measure/corruption"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

var unit = dataset.PixelRange{Low: 0, High: 1}

// greys returns n states of the given shape with values spread over [low, high].
func greys(n int, shape []int, low, high float64) *memory {
	m := &memory{shape: shape, size: 1}
	for _, d := range shape {
		m.size *= d
	}
	random := stat.NewRandom(stat.NewKey(5))
	for range n * m.size {
		m.data = append(m.data, float32(low+(high-low)*random.Float64()))
	}
	return m
}

// linear is an encoder that multiplies states by a matrix [D × pixels].
func linear(name string, states *memory, matrix []float32) Encoder {
	dim := len(matrix) / states.size
	encode := func(_ context.Context, s latent.Source) (points.Points, error) {
		x := make([]float32, s.Len()*states.size)
		if err := s.Float32(x, 0, s.Len()); err != nil {
			return points.Points{}, err
		}
		z := make([]float32, s.Len()*dim)
		for i := range s.Len() {
			for d := range dim {
				sum := 0.0
				for k, v := range x[i*states.size : (i+1)*states.size] {
					sum += float64(v) * float64(matrix[d*states.size+k])
				}
				z[i*dim+d] = float32(sum)
			}
		}
		return points.Float32(z, dim), nil
	}
	clean, err := encode(context.Background(), states)
	if err != nil {
		panic(err)
	}
	return Encoder{Name: name, Clean: clean, Encode: encode}
}

func identity(size int) []float32 {
	m := make([]float32, size*size)
	for i := range size {
		m[i*size+i] = 1
	}
	return m
}

// For the identity encoder the latent moves as far as the input: without clipping
// E‖σRε‖₂ = σR·√2·Γ((D+1)/2)/Γ(D/2).
func TestGaussianMovesIdentityByItsNorm(t *testing.T) {
	states := greys(400, []int{6, 6}, 0, 255)
	result, err := Analyze(t.Context(), Input{States: states, PixelRange: dataset.PixelRange{High: 255},
		Models: []Encoder{linear("identity", states, identity(36))}},
		Options{Levels: []float64{0, 0.1, 0.5}, Clip: corruption.ClipNone, Draws: 3})
	if err != nil {
		t.Fatal(err)
	}
	a, _ := math.Lgamma(37.0 / 2)
	b, _ := math.Lgamma(36.0 / 2)
	norm := math.Sqrt2 * math.Exp(a-b)
	for _, l := range result.Models[0].Levels {
		want := l.Sigma * 255 * norm
		if math.Abs(l.Mean.V-want) > 0.01*want {
			t.Errorf("σ = %v: mean %v, want %v", l.Sigma, l.Mean.V, want)
		}
		if math.Abs(l.InputPerturbation.V-l.Mean.V) > 1e-3*want {
			t.Errorf("σ = %v: input moved by %v, latent by %v", l.Sigma, l.InputPerturbation.V, l.Mean.V)
		}
		if l.Samples != 1200 {
			t.Errorf("%d samples, want 400 states × 3 draws", l.Samples)
		}
	}
	zero := result.Models[0].Levels[0]
	if zero.Mean.V != 0 || zero.Max.V != 0 || zero.FlipRate.V != 0 || zero.Cosine.V < 1-1e-12 {
		t.Errorf("σ = 0 moved latents: %+v", zero)
	}
}

// A state's corruption depends on its number, the level and the draw alone.
func TestResultDoesNotDependOnSplitting(t *testing.T) {
	states := greys(700, []int{2, 5, 5}, 0, 1) // more than one chunk
	run := func(threads int, levels []float64) *Result {
		result, err := Analyze(t.Context(), Input{States: states, PixelRange: unit, Models: []Encoder{linear("identity", states, identity(50))}},
			Options{Levels: levels, Settings: analysis.Settings{Threads: threads, Intervals: true}, Draws: 2})
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	var one, many bytes.Buffer
	if err := errors.Join(report.Encode(&one, run(1, []float64{0.1, 0.2}).Models), report.Encode(&many, run(7, []float64{0.1, 0.2}).Models)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(one.Bytes(), many.Bytes()) {
		t.Error("1 and 7 threads differ")
	}
	if a, b := run(2, []float64{0.1, 0.2}), run(2, []float64{0.2}); !slices.Equal(a.Models[0].Distances[1], b.Models[0].Distances[0]) {
		t.Error("the noise of one level depends on the others")
	}

	half := &memory{shape: states.shape, size: states.size, data: states.data[350*states.size:]}
	numbers := make([]int, 350)
	for i := range numbers {
		numbers[i] = 350 + i
	}
	result, err := Analyze(t.Context(), Input{States: half, Number: numbers, PixelRange: unit, Models: []Encoder{linear("identity", half, identity(50))}},
		Options{Levels: []float64{0.2}, Draws: 2})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(result.Models[0].Distances[0], run(2, []float64{0.2}).Models[0].Distances[0][700:]) {
		t.Error("the noise of a state depends on the other states")
	}
}

// Models see the same corrupted states, and the flip rate is that of a search
// over all clean latents.
func TestFlipRateAndCommonNoise(t *testing.T) {
	states := greys(120, []int{3, 3}, 0, 1)
	first := linear("first", states, identity(9))
	second := first
	second.Name = "second"
	result, err := Analyze(t.Context(), Input{States: states, PixelRange: unit, Models: []Encoder{first, second}}, Options{Levels: []float64{0.3}})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(result.Models[0].Distances[0], result.Models[1].Distances[0]) {
		t.Error("equal encoders moved differently")
	}
	c, _ := corruption.New(corruption.Gaussian, corruption.ClipRange, 0, 1, states.shape, 0)
	flips, noisy := 0, make([]float32, 9)
	for i := range 120 {
		if err := c.Apply(noisy, states.data[i*9:(i+1)*9], i, 0.3, 0); err != nil {
			t.Fatal(err)
		}
		best, own := math.Inf(1), 0.0
		for j := range 120 {
			square := 0.0
			for k, v := range noisy {
				d := float64(v) - float64(states.data[j*9+k])
				square += d * d
			}
			if best = min(best, square); j == i {
				own = square
			}
		}
		if best < own {
			flips++
		}
	}
	if got := result.Models[0].Levels[0].FlipRate.V; got != float64(flips)/120 || flips == 0 {
		t.Errorf("flip rate %v, want %d of 120", got, flips)
	}
}

// A repeated frame is as near as the state itself, and no flip: nothing moves at level 0, and at
// others the copies are flips where they were without them.
func TestCopiesAreNoFlips(t *testing.T) {
	t.Parallel()
	states := greys(90, []int{3, 3}, 0, 1)
	for i := 60; i < 90; i++ { // the last third repeats the first
		copy(states.data[i*9:(i+1)*9], states.data[(i-60)*9:(i-59)*9])
	}
	result, err := Analyze(t.Context(), Input{States: states, PixelRange: unit, Models: []Encoder{linear("m", states, identity(9))}},
		Options{Levels: []float64{0, 1e-4, 0.3}})
	if err != nil {
		t.Fatal(err)
	}
	m := result.Models[0]
	if m.Duplicates != 30 || !strings.Contains(strings.Join(result.Warnings, " "), "m: 30 of 90 clean latents equal an earlier latent") {
		t.Errorf("%d duplicates, warnings %q", m.Duplicates, result.Warnings)
	}
	for l, want := range map[int]bool{0: false, 1: false, 2: true} {
		if got := m.Levels[l].FlipRate; got.Float() > 0 != want {
			t.Errorf("level %v: flip rate %v", m.Levels[l].Sigma, got)
		}
	}
}

func TestConstantEncoderIsFlagged(t *testing.T) {
	states := greys(50, []int{4, 4}, 0, 1)
	result, err := Analyze(t.Context(), Input{States: states, PixelRange: unit, Models: []Encoder{linear("flat", states, make([]float32, 3*16))}},
		Options{Settings: analysis.Settings{Intervals: true}})
	if err != nil {
		t.Fatal(err)
	}
	m := result.Models[0]
	if l := m.Levels[0]; l.FlipRate.Defined() || l.FlipRate.CI.Defined() || l.FlipRate.Reason != allEqual || m.Duplicates != 49 {
		t.Errorf("constant encoder: flip rate %+v, %d duplicates", l.FlipRate, m.Duplicates)
	}
	if m.Levels[0].Mean.V != 0 || m.RMSDistance.Defined() || m.Levels[0].RelativeMean.Defined() {
		t.Errorf("constant encoder: %+v", m.Levels[0])
	}
	if !strings.Contains(strings.Join(result.Warnings, " "), "flat: the points are constant") {
		t.Errorf("warnings %q", result.Warnings)
	}
}

func TestBadInput(t *testing.T) {
	states := greys(10, []int{8}, 0, 1)
	model := linear("m", states, identity(8))
	in := Input{States: states, PixelRange: unit, Models: []Encoder{model}}
	short := model
	short.Clean = short.Clean.Select([]int{0, 1})
	narrow := model
	narrow.Encode = func(_ context.Context, s latent.Source) (points.Points, error) {
		return points.Float32(make([]float32, 3*s.Len()), 3), nil
	}
	failing := model
	failing.Encode = func(context.Context, latent.Source) (points.Points, error) {
		return points.Points{}, errors.New("model m: out of memory")
	}
	for want, f := range map[string]func() (Input, Options){
		"no models":                         func() (Input, Options) { return Input{States: states, PixelRange: unit}, Options{} },
		"level -0.1":                        func() (Input, Options) { return in, Options{Levels: []float64{-0.1}} },
		"level NaN":                         func() (Input, Options) { return in, Options{Levels: []float64{math.NaN()}} },
		"occurs twice":                      func() (Input, Options) { return in, Options{Levels: []float64{0.1, 0.1}} },
		"not among the levels":              func() (Input, Options) { return in, Options{CompareLevel: 0.07} },
		"needs frames with height":          func() (Input, Options) { return in, Options{Corruption: corruption.Blur} },
		"salt-pepper level 1.5":             func() (Input, Options) { return in, Options{Corruption: corruption.SaltPepper, Levels: []float64{1.5}} },
		"ascending range":                   func() (Input, Options) { i := in; i.PixelRange.High = 0; return i, Options{} },
		"2 latents for 10 states":           func() (Input, Options) { i := in; i.Models = []Encoder{short}; return i, Options{} },
		"dimension 3, but latents of clean": func() (Input, Options) { i := in; i.Models = []Encoder{narrow}; return i, Options{} },
		"out of memory":                     func() (Input, Options) { i := in; i.Models = []Encoder{failing}; return i, Options{} },
		"3 episode labels for 10 states":    func() (Input, Options) { i := in; i.Episode = make([]int, 3); return i, Options{} },
	} {
		i, o := f()
		if _, err := Analyze(t.Context(), i, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one containing %q", err, want)
		}
	}
}

// memory is a source of states in memory, with the number of their values.
type memory struct {
	shape []int
	size  int
	data  []float32
}

func (m *memory) Len() int     { return len(m.data) / m.size }
func (m *memory) Shape() []int { return m.shape }
func (m *memory) Float32(dst []float32, lo, hi int) error {
	copy(dst, m.data[lo*m.size:hi*m.size])
	return nil
}

func (m *memory) Fingerprint() (string, error) { return "", nil }
