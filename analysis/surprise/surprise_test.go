// Surprise on a ball that moves over a plain background, and on errors of known distribution.

package surprise

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/latent"
	"repscope/measure/image"
	"repscope/measure/violation"
	"repscope/points"
	"repscope/shard"
	"repscope/shard/shardtest"
)

const side = 24

// ball draws a square of 3 × 3 pixels.
func ball(dst []float32, x, y float64) {
	for i := range 9 {
		px, py := int(math.Round(x))+i%3, int(math.Round(y))+i/3
		if px >= 0 && px < side && py >= 0 && py < side {
			dst[py*side+px] = 200
		}
	}
}

// look is the encoder of the tests: the centroid and the mass of the bright pixels, of the last frame.
func look(states latent.Source) points.Points {
	size := points.Size(states.Shape())
	row, out := make([]float32, size), []float64{}
	for i := range states.Len() {
		if err := states.Float32(row, i, i+1); err != nil {
			panic(err)
		}
		x, y, mass := 0.0, 0.0, 0.0
		for k, v := range row[size-side*side:] {
			x, y, mass = x+float64(v)*float64(k%side), y+float64(v)*float64(k/side), mass+float64(v)
		}
		if mass > 0 {
			x, y = x/mass, y/mass
		}
		out = append(out, x, y, mass/1800*12)
	}
	return points.Float64(out, 3)
}

func encode(_ context.Context, states latent.Source) (latents, inputs points.Points, err error) {
	z := look(states)
	return z, z, nil
}

// bounce makes episodes of a ball that moves along a line with small noise, and knows the velocity by its action.
func bounce(episodes, length int, seed uint64) Input {
	r := rand.New(rand.NewPCG(seed, 1))
	var in Input
	var frames []float32
	for e := range episodes {
		angle := r.Float64() * 2 * math.Pi
		x, y := 10+2*r.Float64(), 10+2*r.Float64()
		for t := range length {
			frame := make([]float32, side*side)
			ball(frame, x, y)
			frames = append(frames, frame...)
			in.Episode, in.Time = append(in.Episode, e), append(in.Time, len(in.Time))
			next := len(in.Time)
			if t == length-1 {
				next = -1
			}
			in.Next = append(in.Next, next)
			x, y = x+math.Cos(angle), y+math.Sin(angle)
			angle += 0.35 + 0.1*r.NormFloat64()
			x, y = min(max(x, 3), side-6), min(max(y, 3), side-6)
		}
	}
	in.Last = &latent.Memory{Size: []int{side, side}, States: frames}
	in.Shape, in.High, in.Window = image.Shape{Channels: 1, Height: side, Width: side}, 255, 1
	z := look(in.Last)
	m := Model{Name: "ball", Latents: z, Inputs: z, Encode: encode}
	// It predicts that nothing changes, with an error of its own.
	m.Predict = func(_ context.Context, rows points.Points, _ []int64) (points.Points, error) {
		out := make([]float64, rows.N*rows.Dim)
		for i := range rows.N {
			rows.Row(i, out[i*rows.Dim:(i+1)*rows.Dim])
		}
		return points.Float64(out, rows.Dim), nil
	}
	m.Predicted, _ = m.Predict(context.Background(), z, nil)
	in.Models = []Model{m}
	return in
}

func settings() analysis.Settings {
	return analysis.Settings{Intervals: true, Seed: 42}
}

func find(t *testing.T, r *Result, name string) *Outcomes {
	t.Helper()
	for i := range r.Models {
		if r.Models[i].Name == name {
			return &r.Models[i]
		}
	}
	t.Fatalf("no model %s", name)
	return nil
}

// Copying the last latent notices a jump and no standstill, and a predictor that copies has the same errors.
func TestCopyLast(t *testing.T) {
	t.Parallel()
	in := bounce(12, 40, 3)
	r, err := Analyze(t.Context(), in, Options{Settings: settings()})
	if err != nil {
		t.Fatal(err)
	}
	copied, model := find(t, r, "ball/copy_last"), find(t, r, "ball")
	for _, m := range []*Outcomes{copied, model} {
		jump := m.Row(violation.Teleport, 0.5)
		if jump.AUROC.V < 0.99 || jump.Detected100.V < 0.9 || jump.Noticed.V < 0.9 || jump.Delay.V != 0 || jump.Place.V > 2 {
			t.Errorf("%s, teleport: %+v", m.Name, jump)
		}
		still := m.Row(violation.Freeze, 4)
		if still.AUROC.V > 0.02 || still.Detected100.V != 0 {
			t.Errorf("%s, freeze: %+v", m.Name, still)
		}
		small, large := m.Row(violation.Skip, 1), m.Row(violation.Skip, 4)
		if !(small.AUROC.V < large.AUROC.V+0.01) || m.Row(violation.Vanish, 1).AUROC.V < 0.99 {
			t.Errorf("%s, skip: %v and %v", m.Name, small.AUROC, large.AUROC)
		}
		if l := m.Conformal; l.Level1.V > 0.011 || l.Level5.V > 0.055 { // steps of whole pixels are often equal
			t.Errorf("%s: level %v %v", m.Name, l.Level1, l.Level5)
		}
	}
	velocity := find(t, r, "ball/constant_velocity")
	if f := velocity.Row(violation.Freeze, 4); f.Detected100.V > 0.5 {
		t.Errorf("freeze by constant velocity: %+v", f)
	}
	if len(r.Comparisons) == 0 || r.Shown == nil || len(r.Shown.Violated) != len(r.Shown.Twin) {
		t.Errorf("%d comparisons, shown %v", len(r.Comparisons), r.Shown)
	}
}

// Larger sizes are no harder to see.
func TestSizes(t *testing.T) {
	t.Parallel()
	in := bounce(12, 40, 4)
	r, err := Analyze(t.Context(), in, Options{Settings: settings(), Violations: []string{"teleport", "recolor", "vanish"},
		Sizes: []float64{0.02, 0.1, 0.4, 1}})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []violation.Kind{violation.Teleport, violation.Vanish} {
		last := 0.0
		for _, size := range []float64{0.02, 0.1, 0.4, 1} {
			row := find(t, r, "ball").Row(kind, size)
			if row.AUROC.V < last-0.05 {
				t.Errorf("%s of size %g: AUROC %v after %v", kind, size, row.AUROC, last)
			}
			last = row.AUROC.V
		}
	}
}

// noise are errors that do not depend on the violation.
func noise(episodes, length int, seed uint64) *Errors {
	r := rand.New(rand.NewPCG(seed, 7))
	e := &Errors{Names: []string{"noise"}, Values: make([][]float64, 1)}
	for label := range 2 * episodes {
		for t := range length {
			kind, size := "", 0.0
			if label >= episodes {
				kind, size = "jump", 1
			}
			e.Values[0] = append(e.Values[0], math.Abs(r.NormFloat64()))
			e.Episode, e.Pair = append(e.Episode, label), append(e.Pair, label%episodes)
			e.Step, e.Violation, e.Size = append(e.Step, t-length/2), append(e.Violation, kind), append(e.Size, size)
		}
	}
	return e
}

// A predictor of noise has an AUROC of one half, and its p values their level on violated episodes too.
func TestNoise(t *testing.T) {
	t.Parallel()
	r, err := Analyze(t.Context(), Input{Errors: noise(60, 40, 5)}, Options{Settings: settings(), Horizon: 20})
	if err != nil {
		t.Fatal(err)
	}
	m := r.Models[0]
	row := m.Row("jump", 1)
	if math.Abs(row.AUROC.V-0.5) > 0.05 || !(row.AUROC.CI.Low < 0.5 && row.AUROC.CI.High > 0.5) || math.Abs(row.Detected100.V-0.01) > 0.008 {
		t.Errorf("%+v", row)
	}
	if math.Abs(m.Conformal.Level5.V-0.05) > 0.01 || math.Abs(m.Conformal.Level1.V-0.01) > 0.004 {
		t.Errorf("%+v", m.Conformal)
	}
	if row.N != 60 || row.Delay.V < 1 {
		t.Errorf("%+v", row)
	}
}

// naive computes the numbers of one violated episode from its errors, by loops over all pairs.
func naive(in *Errors, violated, twin, horizon int) (auroc, detected float64) {
	rows := func(label int) (out []int) {
		for i, e := range in.Episode {
			if e == label && in.Step[i] >= 0 && in.Step[i] < horizon {
				out = append(out, i)
			}
		}
		return out
	}
	pairs := 0.0
	for _, i := range rows(violated) {
		for _, j := range rows(twin) {
			switch v, w := in.Values[0][i], in.Values[0][j]; {
			case v > w:
				auroc++
			case v == w:
				auroc += 0.5
			}
			pairs++
		}
	}
	// p: shares of the episodes with errors at least as large, the violated one up to the horizon in place of its twin.
	for _, i := range rows(violated) {
		sum, count := 0.0, 0.0
		for label := range slices.Max(in.Pair) + 1 {
			above, n := 0.0, 0.0
			for k, e := range in.Episode {
				inside := e == label && label != twin
				if label == twin {
					stretch := in.Step[k] >= 0 && in.Step[k] < horizon
					inside = e == violated && stretch || e == twin && !stretch
				}
				if inside {
					n++
					if in.Values[0][k] >= in.Values[0][i] {
						above++
					}
				}
			}
			sum, count = sum+above/n, count+1
		}
		if sum/count <= 0.01+1e-12 {
			detected++
		}
	}
	return auroc / pairs, detected / float64(len(rows(violated)))
}

func TestNaive(t *testing.T) {
	t.Parallel()
	e := noise(12, 20, 6)
	for i := range e.Step { // some are noticed
		if e.Violation[i] != "" && e.Step[i] == 1 && e.Pair[i]%2 == 0 {
			e.Values[0][i] += 5
		}
	}
	r, err := Analyze(t.Context(), Input{Errors: e}, Options{Settings: analysis.Settings{}, Horizon: 4})
	if err != nil {
		t.Fatal(err)
	}
	auroc, detected := 0.0, 0.0
	for pair := range 12 {
		a, d := naive(e, 12+pair, pair, 4)
		auroc, detected = auroc+a/12, detected+d/12
	}
	row := r.Models[0].Row("jump", 1)
	if math.Abs(row.AUROC.V-auroc) > 1e-12 || math.Abs(row.Detected100.V-detected) > 1e-12 || detected == 0 {
		t.Errorf("AUROC %v, want %v; detected %v, want %v", row.AUROC, auroc, row.Detected100, detected)
	}
	if row.Detected1000.Defined() || !strings.Contains(row.Detected1000.Reason, "episodes") {
		t.Errorf("1 in 1,000 of 240 transitions: %+v", row.Detected1000)
	}
}

// What cannot be had has a reason.
func TestUndefined(t *testing.T) {
	t.Parallel()
	one := bounce(1, 40, 8)
	r, err := Analyze(t.Context(), one, Options{Settings: settings()})
	if err != nil {
		t.Fatal(err)
	}
	if row := r.Models[0].Row(violation.Teleport, 0.5); row.Detected100.Reason == "" || !row.AUROC.Defined() {
		t.Errorf("one episode: %+v", row)
	}
	flat := bounce(6, 20, 8)
	for i := range flat.Models[0].Latents.F64 {
		flat.Models[0].Latents.F64[i] = 1
	}
	r, err = Analyze(t.Context(), flat, Options{Settings: settings()})
	if err != nil || r.Models[0].AUROC.Defined() || r.Models[0].AUROC.Reason == "" || len(r.Warnings) == 0 || r.Shown != nil {
		t.Errorf("collapsed: %v, %+v", err, r)
	}
	short := bounce(6, 3, 8)
	if r, err = Analyze(t.Context(), short, Options{Settings: settings()}); err != nil || r.Made[0].Made+r.Made[0].Still != 6 {
		t.Errorf("three states: %v, %+v", err, r)
	}
	bad := bounce(6, 20, 8)
	bad.Models[0].Predicted.F64[3*5+1] = math.NaN()
	if _, err = Analyze(t.Context(), bad, Options{}); err == nil || !strings.Contains(err.Error(), "state 5: element 1 is NaN") {
		t.Error(err)
	}
	if _, err = Analyze(t.Context(), bad, Options{SkipNaN: true}); err != nil {
		t.Error(err)
	}
	still := bounce(6, 20, 8)
	frames := still.Last.(*latent.Memory).States
	for i := range frames {
		frames[i] = frames[i%(side*side)]
	}
	if r, err = Analyze(t.Context(), still, Options{}); err != nil || r.Made[0].Still != 24 || r.Made[0].Made != 0 {
		t.Errorf("still: %v, %+v", err, r.Made)
	}
	precomputed := bounce(6, 20, 8)
	precomputed.Models[0].Encode, precomputed.Last = nil, nil
	if r, err = Analyze(t.Context(), precomputed, Options{}); err != nil || r.Models[0].Row(violation.Teleport, 0.5).AUROC.Reason == "" ||
		!r.Models[0].Row(violation.Skip, 4).AUROC.Defined() {
		t.Errorf("precomputed: %v", err)
	}
	unencoded := bounce(6, 20, 8) // new frames have no latents: a violation of recorded states is shown
	unencoded.Models[0].Encode = nil
	if r, err = Analyze(t.Context(), unencoded, Options{}); err != nil || r.Shown == nil || len(r.Shown.Names) == 0 || r.Shown.Kind.NeedsPatch() {
		t.Errorf("latents without an encoder: %v, %+v", err, r.Shown)
	}
	for want, o := range map[string]Options{`at "1"`: {At: "1"}, "sizes: freeze": {Sizes: []float64{0.5}}, "draws": {Draws: -1}} {
		if _, err := Analyze(t.Context(), one, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Windows of frames have the frames of single ones: those that are recorded are not encoded again.
// P(≥ 2 of 16) at 1 % is 1 − 0.99¹⁶ − 16 · 0.01 · 0.99¹⁵ = 0.0109, P(≥ 3) is 0.0005.
func TestFalseAlarms(t *testing.T) {
	t.Parallel()
	for raised, warns := range []bool{false, false, false, true, true} {
		s := scored{predictor: &predictor{name: "jepa"}, falses: make([]float64, 16)}
		for i := range raised {
			s.falses[i] = 1
		}
		got := s.falseAlarms()
		if (got != "") != warns {
			t.Errorf("%d of 16: %q", raised, got)
		}
		want := fmt.Sprintf("jepa: the alarm sounds in %d of 16 untouched episodes", raised)
		if warns && !strings.Contains(got, want) {
			t.Errorf("%d of 16: %q", raised, got)
		}
	}
}

func TestWindows(t *testing.T) {
	t.Parallel()
	in := bounce(6, 30, 9)
	single, err := Analyze(t.Context(), in, Options{})
	if err != nil {
		t.Fatal(err)
	}
	const w = 3
	frames := in.Last.(*latent.Memory).States
	var states []float32
	for i, e := range in.Episode {
		for k := w - 1; k >= 0; k-- {
			j := i - k
			if j < 0 || in.Episode[j] != e {
				j = i - i%30
			}
			states = append(states, frames[j*side*side:(j+1)*side*side]...)
		}
	}
	in.States, in.Window = &latent.Memory{Size: []int{w, side, side}, States: states}, w
	encoded := 0
	in.Models[0].Encode = func(ctx context.Context, states latent.Source) (points.Points, points.Points, error) {
		encoded += states.Len()
		return encode(ctx, states)
	}
	windows, err := Analyze(t.Context(), in, Options{})
	if err != nil {
		t.Fatal(err)
	}
	a, _ := json.Marshal(single.Models)
	b, _ := json.Marshal(windows.Models)
	if string(a) != string(b) || encoded == 0 {
		t.Errorf("%d encoded, other numbers of windows:\n%s\n%s", encoded, a, b)
	}
}

// Same bytes for any split and number of threads.
func TestShards(t *testing.T) {
	t.Parallel()
	in, o := bounce(6, 20, 10), Options{Settings: settings()}
	work := func(threads int) shard.Work[*Part, *Result] {
		o.Threads = threads
		w, err := Work(in, o)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	one, err := work(1).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	three, err := work(3).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if a, b := fmt.Sprintf("%+v", one.Models), fmt.Sprintf("%+v", three.Models); a != b {
		t.Error("other numbers with three threads")
	}
	text := func(r *Result) []byte {
		models, _ := json.Marshal(r.Models)
		comparisons, _ := json.Marshal(r.Comparisons)
		return append(models, comparisons...)
	}
	shardtest.Check(t, func() shard.Work[*Part, *Result] { return work(2) }, text, func() shard.Work[*Part, *Result] {
		o := o
		o.Draws = 2
		w, err := Work(in, o)
		if err != nil {
			t.Fatal(err)
		}
		return w
	})
}
