// What Analyze says about latents of known content.

package reward

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/points"
	"repscope/report"
	"repscope/shard"
	"repscope/shard/shardtest"
	"repscope/stat"
)

// world is a draw of states whose latents hold the targets, linearly, beside noise.
type world struct {
	episode []int
	z       []float64
	reward  []float64
	lives   []int64
}

const worldDim = 4

// newWorld draws episodes of equal length. The reward of a transition is a linear function
// of both its latents, of which half are cut off at 0.
func newWorld(episodes, length int, noise float64) *world {
	r := stat.NewRandom(stat.NewKey(7))
	n := episodes * length
	w := &world{episode: make([]int, n), z: make([]float64, n*worldDim), reward: make([]float64, n), lives: make([]int64, n)}
	for i := range n {
		w.episode[i] = i / length
		for k := range worldDim {
			before := 0.0
			if i%length > 0 {
				before = w.z[(i-1)*worldDim+k]
			}
			w.z[i*worldDim+k] = 0.7*before + r.Normal()
		}
		if w.z[i*worldDim] > 0.5 {
			w.lives[i] = 1
		} else if w.z[i*worldDim] < -0.5 {
			w.lives[i] = 2
		}
	}
	for i := range n - 1 {
		w.reward[i] = w.z[i*worldDim] - 2*w.z[(i+1)*worldDim+1] + noise*r.Normal()
	}
	return w
}

func (w *world) latents() points.Points { return points.Float64(w.z, worldDim) }

func (w *world) input() Input {
	return Input{Episode: w.episode, Targets: []Target{
		{Name: "reward", OfTransition: true, Values: w.reward}, {Name: "lives", Classes: w.lives},
	}, Models: []Model{{Name: "a", Latents: w.latents()}}}
}

// successors are the latents of the states' successors, each with some noise.
func (w *world) successors(noise float64) points.Points {
	r := stat.NewRandom(stat.NewKey(9))
	out := make([]float64, len(w.z))
	copy(out, w.z[worldDim:])
	for i := range out {
		out[i] += noise * r.Normal()
	}
	return points.Float64(out, worldDim)
}

func analyze(t *testing.T, in Input, o Options) *Result {
	t.Helper()
	if o.Probes == nil {
		o.Probes = []string{Ridge}
	}
	r, err := Analyze(t.Context(), in, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (m *ModelResult) row(t *testing.T, target, probe, fitted, evaluated string) *ProbeRow {
	t.Helper()
	for i := range m.Probes {
		r := &m.Probes[i]
		if r.Target == target && r.Probe == probe && r.FittedOn == fitted && r.EvaluatedOn == evaluated {
			return r
		}
	}
	t.Fatalf("%s: no row of %s by %s, %s on %s", m.Name, target, probe, fitted, evaluated)
	return nil
}

// Latents that hold the reward give it back; the mean of other episodes knows nothing.
func TestPerfectLatents(t *testing.T) {
	t.Parallel()
	w := newWorld(8, 40, 0)
	r := analyze(t, w.input(), Options{Settings: analysis.Settings{Intervals: true}})
	p := r.Models[0].row(t, "reward", Ridge, True, True)
	if v := p.Score("r2").V; v < 1-1e-6 {
		t.Errorf("R² %v of latents that hold the reward", v)
	}
	if v := p.Score("auroc").V; v != 1 {
		t.Errorf("AUROC %v", v)
	}
	for _, m := range r.Models[1:] {
		if m.Name == BaselineMean && (m.Probes[0].Score("r2").V > 0 || m.Probes[0].Score("auroc").Defined()) {
			t.Errorf("the mean has R² %v, AUROC %v", m.Probes[0].Score("r2"), m.Probes[0].Score("auroc"))
		}
	}
	if r.Samples.Samples != 8*39 || r.Samples.Ignored != 8 || r.Samples.Groups != 8 || r.Samples.Folds != 5 {
		t.Errorf("samples %+v", r.Samples)
	}
}

// Rewards that have nothing to do with the latents are not read from them.
func TestPermutedTargets(t *testing.T) {
	t.Parallel()
	w := newWorld(8, 40, 0)
	r := stat.NewRandom(stat.NewKey(3))
	shuffled := make([]float64, len(w.reward))
	for i, j := range r.Perm(len(w.reward)) {
		shuffled[i] = w.reward[j]
	}
	w.reward = shuffled
	m := analyze(t, w.input(), Options{}).Models[0]
	if v := m.row(t, "reward", Ridge, True, True).Score("r2").V; v > 0.02 {
		t.Errorf("R² %v of permuted rewards", v)
	}
}

// Predictions that are right cost nothing, whatever the probe.
func TestGapsOfPerfectPredictions(t *testing.T) {
	t.Parallel()
	w := newWorld(6, 20, 0.5)
	in := w.input()
	in.Models[0].Predicted = w.successors(0)
	m := analyze(t, in, Options{Probes: []string{Ridge, MLP, KNN}, Settings: analysis.Settings{Intervals: true}}).Models[0]
	if len(m.Gaps) != 6 {
		t.Fatalf("%d rows of gaps, want those of 3 probes of 2 targets", len(m.Gaps))
	}
	for _, g := range m.Gaps {
		if g.Transfer.V != 0 || g.Published.V != 0 || g.Transfer.CI.Defined() {
			t.Errorf("%s: transfer gap %v %v, published gap %v of perfect predictions", g.Name, g.Transfer, g.Transfer.CI, g.Published)
		}
	}
	if m.LatentPrediction == nil || m.LatentPrediction.MSE.V != 0 {
		t.Errorf("latent prediction %+v", m.LatentPrediction)
	}
}

// A rotation of the latents changes nothing of ridge at equal strength.
func TestRotation(t *testing.T) {
	t.Parallel()
	w := newWorld(6, 30, 0.5)
	before := analyze(t, w.input(), Options{Alpha: 2, Settings: analysis.Settings{Intervals: true}}).Models[0]
	c, s := math.Cos(0.7), math.Sin(0.7)
	for i := 0; i < len(w.z); i += worldDim {
		for k := 0; k < worldDim; k += 2 {
			a, b := w.z[i+k], w.z[i+k+1]
			w.z[i+k], w.z[i+k+1] = c*a-s*b, s*a+c*b
		}
	}
	after := analyze(t, w.input(), Options{Alpha: 2, Settings: analysis.Settings{Intervals: true}}).Models[0]
	for i, p := range before.Probes {
		q := &after.Probes[i]
		for _, metric := range []string{"mse", "r2", "auroc", "accuracy", "f1"} {
			a, b := p.Score(metric), q.Score(metric)
			if a.Defined() && math.Abs(a.V-b.V) > 1e-9 || a.CI.Defined() && math.Abs(a.CI.Low-b.CI.Low) > 1e-8 {
				t.Errorf("%s %s: %v, rotated %v", p.Name, metric, a, b)
			}
		}
	}
}

// The parts of the work merge to the same bytes, for any number of threads.
func TestWork(t *testing.T) {
	t.Parallel()
	w := newWorld(6, 15, 0.5)
	in := w.input()
	in.Models[0].Predicted = w.successors(0.3)
	in.Models = append(in.Models, Model{Name: "b", Latents: w.successors(1)})
	o := Options{Probes: []string{Ridge, MLP, KNN, Logistic}, Control: true, Disentanglement: true, LabelEfficiency: []float64{0.5, 1}, Settings: analysis.Settings{Intervals: true}}
	threads := 0
	open := func() shard.Work[*Part, *Result] {
		threads++
		o := o
		o.Threads = threads%3 + 1
		work, err := Work(in, o)
		if err != nil {
			t.Fatal(err)
		}
		return work
	}
	text := func(r *Result) []byte {
		var b bytes.Buffer
		if err := report.Encode(&b, []any{r.Models, r.Comparisons, r.Samples, r.Targets}); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	shardtest.Check(t, open, text, func() shard.Work[*Part, *Result] {
		o := o
		o.Folds = 3
		work, err := Work(in, o)
		if err != nil {
			t.Fatal(err)
		}
		return work
	})
}

// What is undefined says why, and what is doubtful warns.
func TestUndefined(t *testing.T) {
	t.Parallel()
	w := newWorld(6, 20, 0.5)
	warned := func(r *Result, want string) {
		t.Helper()
		if !strings.Contains(strings.Join(r.Warnings, "\n"), want) {
			t.Errorf("no warning of %q among %q", want, r.Warnings)
		}
	}
	in := w.input()
	constant := make([]float64, len(w.reward))
	in.Targets[0].Values = constant
	r := analyze(t, in, Options{Settings: analysis.Settings{Intervals: true}})
	row := r.Models[0].row(t, "reward", Ridge, True, True)
	if v := row.Score("r2"); v.Reason != "the target is constant" || row.Score("auroc").Reason != "no value is above 0" || row.Score("mse").V != 0 {
		t.Errorf("constant rewards: R² %+v, AUROC %+v, MSE %v", v, row.Score("auroc"), row.Score("mse"))
	}
	warned(r, "reward is 0 for all samples")

	sparse := slices.Clone(constant)
	sparse[3], sparse[25] = 1, 1
	in.Targets[0].Values = sparse
	warned(analyze(t, in, Options{}), "reward is above 0 in only 2 episodes of 6, fewer than the 5 folds")

	in = w.input()
	in.Targets[1].Classes = make([]int64, len(w.lives))
	r = analyze(t, in, Options{MinEntropy: 0.6})
	warned(r, "target lives left out: all samples have one class")
	if len(r.Models[0].Probes) != 1 || r.Targets[1].LeftOut == "" {
		t.Errorf("%d rows, %+v", len(r.Models[0].Probes), r.Targets[1])
	}

	in = w.input()
	in.Episode = nil
	r = analyze(t, in, Options{Settings: analysis.Settings{Intervals: true}})
	warned(r, "only one episode: cross-validation uses 5 pieces")
	if r.Samples.Gaps == 0 || r.Samples.Samples+r.Samples.Gaps+r.Samples.Ignored != r.Samples.States {
		t.Errorf("samples of one episode: %+v", r.Samples)
	}
	in.Episode = make([]int, len(w.episode))
	for i := range in.Episode {
		in.Episode[i] = i / 60
	}
	r = analyze(t, in, Options{})
	warned(r, "2 episodes for 5 folds")
	if r.Samples.Folds != 2 {
		t.Errorf("folds of two episodes: %+v", r.Samples)
	}

	in = w.input()
	in.Targets = nil
	r = analyze(t, in, Options{Settings: analysis.Settings{Intervals: true}})
	if v, _ := r.Models[0].Skipped.Get("probes"); v != "no rewards and no targets" || r.Models[0].TemporalDistance == nil {
		t.Errorf("without targets: %v", v)
	}
}

// NaN among rewards and predictions is an error, or left out and counted.
func TestMissing(t *testing.T) {
	t.Parallel()
	w := newWorld(6, 20, 0.5)
	w.reward[4] = math.NaN()
	in := w.input()
	in.Models[0].Predicted = w.successors(0.3)
	in.Models[0].Predicted.F64[30*worldDim] = math.NaN()
	in.Models[0].Predicted.F64[19*worldDim] = math.NaN() // after the last state of an episode: ignored
	r := analyze(t, in, Options{SkipNaN: true})
	if r.Samples.Dropped != 2 || r.Samples.Samples != 6*19-2 {
		t.Errorf("samples %+v", r.Samples)
	}
}

func TestBadInput(t *testing.T) {
	t.Parallel()
	w := newWorld(6, 20, 0.5)
	for _, c := range []struct {
		change func(in *Input, o *Options)
		want   string
	}{
		{func(in *Input, _ *Options) { in.Models = nil }, "no models to compare"},
		{func(in *Input, _ *Options) { in.Episode = in.Episode[1:] }, "119 episode labels for 120 states"},
		{func(in *Input, _ *Options) { in.Time = []int{1} }, "1 times for 120 states"},
		{func(in *Input, _ *Options) { in.Next = []int{1} }, "1 successors for 120 states"},
		{func(in *Input, _ *Options) { in.Next = make([]int, 120) }, "state 0 has the successor 0"},
		{func(in *Input, _ *Options) { in.Targets[0].Values = in.Targets[0].Values[1:] }, "target reward: 119 values for 120 states"},
		{func(in *Input, _ *Options) { in.Targets[1].Name = "reward" }, `two targets are named "reward"`},
		{func(in *Input, _ *Options) { in.Targets[0].Values = nanAt(w.reward, 7) }, "target reward: state 7 has no value"},
		{func(in *Input, _ *Options) { in.Models[0].Name = "mean" }, `two models are named "mean"; the names mean, last_reward, majority are reserved for baselines`},
		{func(in *Input, _ *Options) { in.Models[0].Predicted = points.Float64(make([]float64, 120), 1) }, "predicted latents of shape [120, 1] for latents of shape [120, 4]"},
		{func(in *Input, _ *Options) { in.Models[0].Given = []Given{{True, True, []float64{1}}} }, "a: 1 predicted rewards for 120 states"},
		{func(in *Input, _ *Options) { in.Models[0].Predicted = points.Float64(nanAt(w.z, 20), 4) },
			"a: the prediction in row 5 is not finite"},
		{func(in *Input, _ *Options) { in.Models[0].Latents = points.Float64(nanAt(w.z, 20), 4) }, "a: the latent of state 5 is not finite"},
		{func(in *Input, _ *Options) { in.Next = slices.Repeat([]int{-1}, 120) }, "0 transitions of a state and its successor, want at least 10"},
		{func(_ *Input, o *Options) { o.Probes = []string{"linear"} }, `unknown probe "linear"`},
		{func(_ *Input, o *Options) { o.Folds = 1 }, "1 folds, want at least 2"},
		{func(_ *Input, o *Options) { o.Alpha = -1 }, "the ridge strength is -1"},
		{func(_ *Input, o *Options) { o.Features = "last" }, `unknown features "last"`},
		{func(_ *Input, o *Options) { o.LabelEfficiency = []float64{2} }, "the share of labels 2 is not in (0, 1]"},
	} {
		in, o := w.input(), Options{Probes: []string{Ridge}}
		c.change(&in, &o)
		if _, err := Analyze(t.Context(), in, o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
}

// nanAt is a copy with NaN at one place.
func nanAt(values []float64, i int) []float64 {
	out := slices.Clone(values)
	out[i] = math.NaN()
	return out
}

// A head that was trained elsewhere is scored as it is, and its gap is that of its own.
func TestGivenHeads(t *testing.T) {
	t.Parallel()
	w := newWorld(6, 20, 0.5)
	in := w.input()
	worse := slices.Clone(w.reward)
	for i := range worse {
		worse[i] += 2
	}
	in.Models[0].Given = []Given{{True, True, w.reward}, {True, PredictedLatents, worse}}
	m := analyze(t, in, Options{Settings: analysis.Settings{Intervals: true}}).Models[0]
	if v := m.row(t, "reward", ProbeOfGiven, True, True); v.Score("r2").V != 1 {
		t.Errorf("the right rewards have R² %v", v.Score("r2"))
	}
	if v := m.row(t, "reward", ProbeOfGiven, True, PredictedLatents); math.Abs(v.Score("mse").V-4) > 1e-12 {
		t.Errorf("rewards that are 2 too high have MSE %v", v.Score("mse"))
	}
	if g := m.Gaps[0]; g.Probe != ProbeOfGiven || math.Abs(g.Transfer.V-4) > 1e-12 || g.Published.Defined() {
		t.Errorf("gaps %+v", g)
	}
}

// The values of states are read from the states themselves, also of states without
// transitions.
func TestStatesAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(6, 20, 0)
	value := make([]float64, len(w.lives))
	for i := range value {
		value[i] = 3*w.z[i*worldDim+2] - 1
	}
	in := w.input()
	in.Targets = []Target{{Name: "value", Values: value}, {Name: "lives", Category: "agent", Classes: w.lives}}
	r := analyze(t, in, Options{Disentanglement: true, Control: true, LabelEfficiency: []float64{0.5}})
	m := r.Models[0]
	if p := m.row(t, "value", Ridge, True, True); p.N != 120 || p.Score("r2").V < 1-1e-6 || p.Score("control_r2").V > 0.2 {
		t.Errorf("n %d, R² %v, control %v", p.N, p.Score("r2"), p.Score("control_r2"))
	}
	if len(m.Categories) != 3 || m.Disentanglement == nil || len(m.LabelEfficiency) != 2 || m.LabelEfficiency[0].Episodes >= 5 {
		t.Errorf("%d categories, %+v, %+v", len(m.Categories), m.Disentanglement, m.LabelEfficiency)
	}
}

// Networks are not fitted again without blocks, and carry no test.
func TestNetworksAreNotTested(t *testing.T) {
	t.Parallel()
	w := newWorld(8, 15, 0.5)
	in := w.input()
	in.Models = append(in.Models, Model{Name: "b", Latents: w.successors(1)})
	r := analyze(t, in, Options{Probes: []string{Ridge, MLP}, Settings: analysis.Settings{Intervals: true}})
	tested := map[bool]int{}
	for _, c := range r.Comparisons {
		if strings.Contains(c.Metric, "by mlp") {
			if c.P.Defined() || c.P.Reason != networksUntested || !c.CI.Defined() {
				t.Errorf("%s: p %+v, interval %v", c.Metric, c.P, c.CI)
			}
			tested[false]++
		} else if strings.Contains(c.Metric, "by ridge") && c.P.Defined() {
			tested[true]++
		}
	}
	if tested[true] == 0 || tested[false] == 0 {
		t.Errorf("%v comparisons", tested)
	}
}

// Latents in units so small that every strength is too strong are told of; others are not.
func TestWeakestStrength(t *testing.T) {
	w := newWorld(6, 30, 0.5)
	for scale, want := range map[float64]bool{1: false, 1e-30: true} {
		in, z := w.input(), slices.Clone(w.z)
		for i := range z {
			z[i] *= scale
		}
		in.Models[0].Latents = points.Float64(z, worldDim)
		r := analyze(t, in, Options{})
		if got := strings.Contains(strings.Join(r.Warnings, "\n"), "a: ridge of reward chooses the weakest strength"); got != want {
			t.Errorf("latents of scale %g: warnings %q", scale, r.Warnings)
		}
	}
}

// A class that one episode, and so one fold, alone has cannot be learned: a warning names it. Where rewards
// are all 0 there is nothing to read, and no word about the strength of the ridge.
func TestLonelyClassAndNoReward(t *testing.T) {
	w := newWorld(6, 30, 0.5)
	r := analyze(t, w.input(), Options{})
	if text := strings.Join(r.Warnings, "\n"); strings.Contains(text, "in one fold") {
		t.Errorf("classes of all episodes: %s", text)
	}
	for i := range 8 {
		w.lives[2*30+i] = 7
	}
	clear(w.reward)
	r = analyze(t, w.input(), Options{})
	text := strings.Join(r.Warnings, "\n")
	if !strings.Contains(text, "lives: all samples of 1 class label (7), of 4, lie in one fold") {
		t.Errorf("a class of one episode: %s", text)
	}
	if strings.Contains(text, "weakest strength") || !strings.Contains(text, "reward is 0 for all samples") {
		t.Errorf("no rewards: %s", text)
	}
}

// Few samples that hold most of a target's variance, and few latents of theirs, are named: a ridge fits them.
func TestFarTarget(t *testing.T) {
	w := newWorld(6, 30, 0.5)
	level := make([]float64, len(w.episode))
	for i := range level {
		level[i] = w.z[i*worldDim]
	}
	for _, far := range []float64{0, 100} {
		want := far > 0
		for _, i := range []int{33, 95} {
			level[i] += far
			w.z[i*worldDim] += far
		}
		in := w.input()
		in.Targets = append(in.Targets, Target{Name: "level", Values: level})
		text := strings.Join(analyze(t, in, Options{}).Warnings, "\n")
		if strings.Contains(text, "of its variance (samples ") != want || strings.Contains(text, "latents have") != want {
			t.Errorf("two samples %v farther: %s", far, text)
		}
		for _, i := range []int{33, 95} {
			level[i] -= far
			w.z[i*worldDim] -= far
		}
	}
}

// A study remembers what was measured of models by content, and the baselines by the samples: of renamed ones, and
// beside a new one, nothing is fitted again.
func TestMemory(t *testing.T) {
	t.Parallel()
	w := newWorld(6, 15, 0.5)
	given := w.input()
	given.Models[0].Predicted = w.successors(0.3)
	far := w.successors(2)
	for k := range worldDim {
		far.F64[k] = 1e6 // of which a warning tells, with the name of the model
	}
	one, two, three := given.Models[0], Model{Latents: far}, Model{Latents: w.successors(1)}
	named := func(m Model, name string) Model {
		m.Name = name
		return m
	}
	open := func(folds int, models ...Model) func() shard.Work[*Part, *Result] {
		return func() shard.Work[*Part, *Result] {
			in := given
			in.Models = models
			work, err := Work(in, Options{Probes: []string{Ridge, KNN}, Folds: folds, Settings: analysis.Settings{Intervals: true}})
			if err != nil {
				t.Fatal(err)
			}
			return work
		}
	}
	text := func(r *Result) []byte {
		var b bytes.Buffer
		if err := report.Encode(&b, []any{r.Models, r.Comparisons, r.Samples, r.Targets, r.Warnings}); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(b.String(), `\u0000`) || !strings.Contains(b.String(), "latents have") {
			t.Errorf("no warning of the far latent under the name of its model: %s", b.Bytes())
		}
		return b.Bytes()
	}
	before := open(5, named(one, "one"), named(two, "two"))
	shardtest.CheckMemory(t, before, open(5, named(two, "renamed"), named(three, "new"), named(one, "one")), text, 3, 1)
	shardtest.CheckMemory(t, before, open(3, named(two, "two"), named(one, "one")), text, 0, 3)
}
