// The analysis on frames whose scores are known, and input that cannot be used.

package reconstruction

import (
	"bytes"
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/measure/image"
	"repscope/report"
	"repscope/stat"
)

// Memory are frames in memory, size values each.
func Memory(frames []float64, size int) Frames {
	return Frames{
		Read: func(_ context.Context, dst []float64, index []int) error {
			for i, k := range index {
				copy(dst[i*size:(i+1)*size], frames[k*size:(k+1)*size])
			}
			return nil
		},
		Digest: func() (string, error) { return "memory", nil },
	}
}

// scene is a recording in memory: episodes of a bright square that moves over a
// background of its episode, with noise.
type scene struct {
	shape   image.Shape
	frames  []float64
	episode []int
	samples []Sample
}

func NewScene(seed uint64, episodes, length, steps int) *scene {
	s := &scene{shape: image.Shape{Channels: 1, Height: 12, Width: 14}}
	random := stat.NewRandom(stat.NewKey(seed))
	for e := range episodes {
		level, x, y := 0.2+0.3*random.Float64(), random.Intn(10), random.Intn(8)
		for t := range length {
			frame := make([]float64, s.shape.Size())
			for i := range frame {
				frame[i] = level + 0.001*random.Normal()
			}
			for dy := range 3 {
				for dx := range 3 {
					frame[(y+dy)%12*14+(x+dx)%14] = 0.9
				}
			}
			x, y = x+1, y+random.Intn(2)
			s.frames = append(s.frames, frame...)
			s.episode = append(s.episode, e)
			if t == length-1 {
				continue
			}
			sample := Sample{State: e*length + t}
			for step := 1; step <= steps; step++ {
				next := sample.State + step
				if t+step >= length {
					next = -1
				}
				sample.Next = append(sample.Next, next)
			}
			s.samples = append(s.samples, sample)
		}
	}
	return s
}

// Input has models whose frames are made of the true frames of all steps.
func (s *scene) Input(models map[string]func(state, step int) []float64) Input {
	in := Input{Shape: s.shape, Frames: Memory(s.frames, s.shape.Size()), Episode: s.episode, Samples: s.samples}
	for name, of := range models {
		steps, size := len(s.samples[0].Next), s.shape.Size()
		var all []float64
		for _, sample := range s.samples {
			for step := 1; step <= steps; step++ {
				frame := make([]float64, size)
				if sample.Next[step-1] >= 0 {
					copy(frame, of(sample.State, step))
				}
				all = append(all, frame...)
			}
		}
		in.Models = append(in.Models, Predictions{Name: name, Steps: steps, Frames: Memory(all, steps*size)})
	}
	slices.SortFunc(in.Models, func(a, b Predictions) int { return strings.Compare(a.Name, b.Name) })
	return in
}

func (s *scene) Frame(state int) []float64 {
	return s.frames[state*s.shape.Size() : (state+1)*s.shape.Size()]
}

// Blurred is a frame whose pixels are means with their right neighbors.
func (s *scene) Blurred(state int) []float64 {
	f := s.Frame(state)
	out := make([]float64, len(f))
	for i := range f {
		out[i] = (f[i] + f[(i+1)%len(f)]) / 2
	}
	return out
}

// analyze runs the analysis.
func analyze(t *testing.T, in Input, o Options) *Result {
	t.Helper()
	r, err := Analyze(t.Context(), in, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// of is the score of a model.
func (r *Result) of(t *testing.T, model, name string) Score {
	t.Helper()
	for i := range r.Models {
		if r.Models[i].Name == model {
			if s, ok := r.Models[i].Score(name); ok {
				return s
			}
		}
	}
	t.Fatalf("no score %s of %s", name, model)
	return Score{}
}

// A prediction that equals the truth is perfect, and one that repeats the current frame
// has the scores of copy_last, at every number of steps.
func TestPerfectAndCopied(t *testing.T) {
	t.Parallel()
	s := NewScene(1, 6, 9, 3)
	r := analyze(t, s.Input(map[string]func(state, step int) []float64{
		"truth": func(state, step int) []float64 { return s.Frame(state + step) },
		"same":  func(state, _ int) []float64 { return s.Frame(state) },
	}), Options{Settings: analysis.Settings{Intervals: true}})
	for name, want := range map[string]float64{"mse": 0, "mae": 0, "ssim": 1, "sharpness_ratio": 1, "moving_mse": 0, "static_mse": 0, "skill": 1,
		"object_recall": 1, "object_precision": 1, "object_f1": 1, "object_position_error": 0, "motion_cosine": 1, "motion_energy_ratio": 1} {
		if got := r.of(t, "truth", name); math.Abs(got.Value.Float()-want) > 1e-12 {
			t.Errorf("%s of the truth is %v, want %v", name, got.Value, want)
		}
	}
	for _, name := range []string{"psnr", "psnr_of_mean_mse"} {
		if v := r.of(t, "truth", name); v.Value.Defined() || !strings.Contains(v.Value.Reason, "infinite") || !strings.Contains(v.CI.Reason, "infinite") {
			t.Errorf("%s of the truth is %+v", name, v.Value)
		}
	}
	if m := r.Models[1]; m.Name != "truth" || m.PSNRExcluded != 48 || m.Kind != "predictions" {
		t.Errorf("%s, %s: %d infinite PSNR, want all 48", m.Name, m.Kind, m.PSNRExcluded)
	}
	same, copied := &r.Models[0], &r.Models[2]
	if copied.Name != CopyLast || copied.Kind != "baseline" {
		t.Fatalf("model %s", copied.Name)
	}
	same.Name, same.Kind, same.From = copied.Name, copied.Kind, copied.From
	var a, b bytes.Buffer
	if err := report.Encode(&a, same); err != nil {
		t.Fatal(err)
	}
	if err := report.Encode(&b, copied); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Errorf("repeated frames\n%s\nwant the scores of copy_last\n%s", &a, &b)
	}
	if got := copied.Horizon[2].Samples; got != 6*6 || len(copied.Horizon) != 3 {
		t.Errorf("%d samples three steps ahead, want 36", got)
	}
	if !copied.Horizon[1].CopySSIM.Defined() || copied.Horizon[1].CopyMSE.V != mustScore(t, copied.Horizon[1], "mse") {
		t.Errorf("copying two ahead: %v beside %v", copied.Horizon[1].CopyMSE, copied.Horizon[1].Fields)
	}
}

func mustScore(t *testing.T, s Step, name string) float64 {
	t.Helper()
	score, ok := s.Score(name)
	if !ok {
		t.Fatalf("no %s", name)
	}
	return score.Value.V
}

// The mean frame is that of the other episodes or, with one episode, of the other half.
func TestMeanFrame(t *testing.T) {
	t.Parallel()
	for _, episodes := range []int{1, 4} {
		s := NewScene(2, episodes, 24/episodes, 1)
		r := analyze(t, s.Input(nil), Options{})
		for i, sample := range s.samples {
			mean, n := make([]float64, s.shape.Size()), 0.0
			for state, e := range s.episode {
				other := e != s.episode[sample.State]
				if episodes == 1 {
					other = (state < 12) != (sample.State < 12)
				}
				if other {
					for k, v := range s.Frame(state) {
						mean[k] += v
					}
					n++
				}
			}
			for k := range mean {
				mean[k] /= n
			}
			want := image.MSE(mean, s.Frame(sample.Next[0]))
			if got := r.of(t, MeanFrame, "mse").Sample[i]; math.Abs(got-want) > 1e-12 {
				t.Errorf("%d episodes, sample %d: error %v, want %v", episodes, i, got, want)
			}
		}
	}
}

// Sums behind ratios: the error is that of moving and of static pixels by their shares;
// the mean of the samples' parts is the score; deviations are those of samples.
func TestRatios(t *testing.T) {
	t.Parallel()
	s := NewScene(3, 5, 8, 1)
	r := analyze(t, s.Input(map[string]func(state, step int) []float64{"blurred": func(state, step int) []float64 { return s.Blurred(state + step) }}), Options{Settings: analysis.Settings{Intervals: true}})
	share := r.of(t, "blurred", "moving_share").Value.V
	total := share*r.of(t, "blurred", "moving_mse").Value.V + (1-share)*r.of(t, "blurred", "static_mse").Value.V
	if mse := r.of(t, "blurred", "mse").Value.V; math.Abs(total-mse) > 1e-12 || share <= 0 || share >= 1 {
		t.Errorf("moving and static pixels give %v, the error is %v (share %v)", total, mse, share)
	}
	for _, m := range r.Models {
		for _, score := range m.Scores {
			if score.Share == nil || !score.Value.Defined() {
				continue
			}
			var defined []float64
			for _, v := range score.Share {
				if !math.IsNaN(v) {
					defined = append(defined, v)
				}
			}
			if mean := stat.Mean(defined); math.Abs(mean-score.Value.V) > 1e-9 {
				t.Errorf("%s %s: the parts of samples have mean %v, the score is %v", m.Name, score.Name, mean, score.Value.V)
			}
		}
	}
	psnr := r.of(t, "blurred", "psnr")
	square := 0.0
	for i, v := range psnr.Sample {
		square += (v - psnr.Value.V) * (v - psnr.Value.V) / float64(len(psnr.Sample))
		if want := -10 * math.Log10(r.of(t, "blurred", "mse").Sample[i]); math.Abs(v-want) > 1e-9 {
			t.Errorf("sample %d: PSNR %v, want %v", i, v, want)
		}
	}
	if math.Abs(psnr.SD.V-math.Sqrt(square)) > 1e-9 {
		t.Errorf("standard deviation %v, want %v", psnr.SD, math.Sqrt(square))
	}
	if of := r.of(t, "blurred", "psnr_of_mean_mse").Value.V; math.Abs(of+10*math.Log10(r.of(t, "blurred", "mse").Value.V)) > 1e-9 || of > psnr.Value.V {
		t.Errorf("PSNR of the mean error %v, mean PSNR %v", of, psnr.Value.V)
	}
	if r.of(t, "blurred", "sharpness_ratio").Value.V >= 1 {
		t.Error("blurring makes frames sharper")
	}
	for _, c := range r.Comparisons {
		if c.A == CopyLast && c.B == MeanFrame {
			t.Error("baselines are compared with each other")
		}
	}
}

// The same bytes for any number of threads and size of blocks.
func TestThreads(t *testing.T) {
	t.Parallel()
	s := NewScene(4, 5, 40, 2)
	var want []byte
	for _, threads := range []int{1, 3, 8} {
		r := analyze(t, s.Input(map[string]func(state, step int) []float64{"blurred": func(state, step int) []float64 { return s.Blurred(state + step) }}),
			Options{Settings: analysis.Settings{Intervals: true, Threads: threads}})
		got := asText(t)(r)
		if want == nil {
			want = got
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%d threads: other bytes", threads)
		}
	}
}

// What cannot be computed is undefined with its reason.
func TestUndefined(t *testing.T) {
	t.Parallel()
	s := NewScene(5, 5, 6, 1)
	s.shape = image.Shape{Channels: 1, Height: 6, Width: 28} // too low for the window
	for i := range s.frames {
		s.frames[i] = 0.5
	}
	r := analyze(t, s.Input(nil), Options{Settings: analysis.Settings{Intervals: true}})
	for name, reason := range map[string]string{"ssim": "want at least 7 × 7 pixels", "moving_mse": "no pixel changes", "sharpness_ratio": "constant",
		"object_recall": "no true frame has an object", "motion_cosine": "the true or the predicted change is 0", "skill": "every frame equals", "psnr": "infinite"} {
		if v := r.of(t, CopyLast, name).Value; v.Defined() || !strings.Contains(v.Reason, reason) {
			t.Errorf("%s: %+v, want a reason with %q", name, v, reason)
		}
		if why, ok := r.Models[0].Skipped.Get(name); !ok || !strings.Contains(why.(string), reason) {
			t.Errorf("%s among what was skipped: %v", name, why)
		}
	}
}

// No episode lasts as long as the predictions: their last steps are undefined.
func TestTooFarAhead(t *testing.T) {
	t.Parallel()
	s := NewScene(7, 5, 4, 5)
	r := analyze(t, s.Input(map[string]func(state, step int) []float64{"blurred": func(state, step int) []float64 { return s.Blurred(state + step) }}), Options{Settings: analysis.Settings{Intervals: true}})
	if last := r.Models[0].Horizon[3]; last.Samples != 0 {
		t.Errorf("%d samples four steps ahead in episodes of four", last.Samples)
	}
	for _, name := range []string{"mse", "ssim", "skill", "psnr"} {
		if v, _ := r.Models[0].Horizon[4].Score(name); v.Value.Defined() || v.Value.Reason != "no episode has 5 "+
			"steps" || v.CI.Defined() {
			t.Errorf("%s five steps ahead: %+v", name, v.Value)
		}
	}
}

// States that are predicted themselves need no other: errors are those of every state,
// by a loop, what needs the frame before is of the states that have one, and models are
// compared with copying on these.
func TestStatesThemselves(t *testing.T) {
	t.Parallel()
	s := NewScene(8, 6, 5, 1)
	n, size := len(s.episode), s.shape.Size()
	in := Input{Shape: s.shape, Frames: Memory(s.frames, size), Episode: s.episode, Same: true}
	var blurred []float64
	var all, later []float64 // squared errors of the model, and of states after another
	var copied []float64
	for i := range n {
		now := i - 1
		if i%5 == 0 {
			now = -1
		}
		in.Samples = append(in.Samples, Sample{now, []int{i}})
		blurred = append(blurred, s.Blurred(i)...)
		all = append(all, image.MSE(s.Blurred(i), s.Frame(i)))
		if now >= 0 {
			later = append(later, all[i])
			copied = append(copied, image.MSE(s.Frame(now), s.Frame(i)))
		}
	}
	in.Models = []Predictions{{Name: "decoder", Frames: Memory(blurred, size)}, {Name: "predictor", Frames: Memory(blurred, size), Forward: true}}
	r := analyze(t, in, Options{Settings: analysis.Settings{Intervals: true}})
	near := func(what string, got report.Value, want float64) {
		t.Helper()
		if !got.Defined() || math.Abs(got.V-want) > 1e-12 {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	near("error of all states", r.of(t, "decoder", "mse").Value, stat.Mean(all))
	near("error of those after another", r.of(t, "predictor", "mse").Value, stat.Mean(later))
	near("error of copies", r.of(t, CopyLast, "mse").Value, stat.Mean(copied))
	near("skill", r.of(t, "decoder", "skill").Value, 1-stat.Mean(later)/stat.Mean(copied))
	for name, want := range map[string]int{"decoder": n, "predictor": n - 6, CopyLast: n - 6, MeanFrame: n} {
		if m := r.Models[slices.IndexFunc(r.Models, func(m Model) bool { return m.Name == name })]; m.Samples != want {
			t.Errorf("%s has %d samples, want %d", name, m.Samples, want)
		}
	}
	found := 0
	for _, c := range r.Comparisons {
		if c.Metric != "mse" {
			continue
		}
		switch c.A + " " + c.B {
		case "decoder " + CopyLast, "predictor " + CopyLast:
			near(c.A+" against copies", c.Difference, stat.Mean(later)-stat.Mean(copied))
			found++
		case "decoder predictor":
			near("equal predictions", c.Difference, 0)
			found++
		}
	}
	if found != 3 {
		t.Errorf("%d of 3 comparisons", found)
	}
	// In episodes of one state there is no frame before.
	for i := range in.Samples {
		in.Samples[i].State = -1
		in.Episode = slices.Clone(in.Episode)
		in.Episode[i] = i
	}
	in.Models = in.Models[:1]
	r = analyze(t, in, Options{Settings: analysis.Settings{Intervals: true}})
	near("error of single images", r.of(t, "decoder", "mse").Value, stat.Mean(all))
	for _, name := range []string{"moving_mse", "skill", "motion_cosine"} {
		if v := r.of(t, "decoder", name).Value; v.Defined() || v.Reason != noneBefore {
			t.Errorf("%s of single images: %+v", name, v)
		}
	}
	if v := r.of(t, CopyLast, "mse").Value; v.Defined() || v.Reason != noneBefore {
		t.Errorf("copies of single images: %+v", v)
	}
	shown, err := Show(t.Context(), in, Options{}, 4)
	if err != nil || len(shown) != 4 || shown[0].Current != nil {
		t.Fatalf("%d shown: %v", len(shown), err)
	}
}

func TestBadInput(t *testing.T) {
	t.Parallel()
	s := NewScene(6, 4, 5, 1)
	for _, c := range []struct {
		change func(in *Input, o *Options)
		want   string
	}{
		{func(in *Input, _ *Options) { in.Samples = nil }, "no state has a successor"},
		{func(in *Input, _ *Options) { in.Samples = in.Samples[:2] }, "2 states with a successor, want at least 3"},
		{func(in *Input, _ *Options) {
			in.Samples = slices.Clone(in.Samples)
			slices.Reverse(in.Samples)
		}, "want ascending states"},
		{func(in *Input, _ *Options) { in.Samples = []Sample{{0, []int{1}}, {1, []int{2}}, {2, []int{99}}} }, "state 99 of 20"},
		{func(in *Input, _ *Options) { in.Samples = []Sample{{0, []int{1}}, {1, []int{2}}, {2, []int{-1}}} }, "the first of them present"},
		{func(in *Input, _ *Options) { in.Models = []Predictions{{Name: "a"}, {Name: "a"}} }, `two models are named "a"`},
		{func(in *Input, _ *Options) { in.Models = []Predictions{{Name: MeanFrame}} }, "baselines of every run"},
		{func(in *Input, _ *Options) { in.Models = []Predictions{{Name: "a", Steps: 2}} }, "2 steps ahead"},
		{func(in *Input, _ *Options) { in.Shape.ChannelsLast = true }, "want planes"},
		{func(in *Input, o *Options) { o.Window = "box" }, "want uniform or gaussian"},
		{func(in *Input, o *Options) { o.MovingThreshold = math.NaN() }, "want positive"},
		{func(in *Input, _ *Options) {
			nan := slices.Clone(s.frames)
			nan[3*s.shape.Size()] = math.NaN()
			in.Frames = Memory(nan, s.shape.Size())
		}, "frames: the frame of state 3 contains NaN"},
		{func(in *Input, _ *Options) {
			nan := slices.Clone(s.frames)
			nan[2*s.shape.Size()] = math.Inf(1)
			in.Models = []Predictions{{Name: "a", Frames: Memory(nan, s.shape.Size())}}
		}, "a: the prediction of state 2, 1 steps ahead, contains NaN"},
	} {
		in, o := s.Input(nil), Options{}
		c.change(&in, &o)
		if _, err := Analyze(t.Context(), in, o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want an error with %q", err, c.want)
		}
	}
}
