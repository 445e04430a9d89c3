// Tests of the analysis: golden scores, invariances, bad input.

package neighborhood

// Analyze against scikit-learn, closed forms and invariances.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/internal/runtest"
	"repscope/measure/spectrum"
	"repscope/neighbors"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: got %v, want %v ± %g", what, got, want, tolerance)
	}
}

// walk is a random walk in dim dimensions, as dependent as frames are.
func walk(n, dim int, seed uint64) points.Points {
	random := stat.NewRandom(stat.NewKey(seed))
	data := make([]float64, n*dim)
	for i := range data {
		data[i] = random.Normal()
		if i >= dim {
			data[i] += 0.9 * data[i-dim]
		}
	}
	return points.Float64(data, dim)
}

// noisy is p with noise of the given standard deviation.
func noisy(p points.Points, sd float64, seed uint64) points.Points {
	random := stat.NewRandom(stat.NewKey(seed))
	data := slices.Clone(p.F64)
	for i := range data {
		data[i] += sd * random.Normal()
	}
	return points.Float64(data, p.Dim)
}

func analyze(t *testing.T, in Input, o Options) *Result {
	t.Helper()
	result, err := Analyze(context.Background(), in, o)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func TestAgainstScikitLearn(t *testing.T) {
	text, err := os.ReadFile("testdata/golden.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Cases []struct {
			Name, DType string
			Dim         int
			Ks          []int
			Frames      []float64
			Models      []struct {
				Dim                                  int
				Latents, Trustworthiness, Continuity []float64
			}
		}
	}
	if err := json.Unmarshal(text, &golden); err != nil {
		t.Fatal(err)
	}
	if len(golden.Cases) != 2 {
		t.Fatalf("%d cases, want 2", len(golden.Cases))
	}
	for _, c := range golden.Cases {
		frames := points.Float64(c.Frames, c.Dim)
		if c.DType == "uint8" {
			data := make([]uint8, len(c.Frames))
			for i, v := range c.Frames {
				data[i] = uint8(v)
			}
			frames = points.Uint8(data, c.Dim)
		}
		in := Input{Frames: frames}
		for i, m := range c.Models {
			in.Models = append(in.Models, Encoded{Name: fmt.Sprint("model ", i), Latents: points.Float64(m.Latents, m.Dim)})
		}
		// Intervals and the null must not touch the scores.
		for _, o := range []Options{{K: c.Ks}, {K: c.Ks, Settings: analysis.Settings{Intervals: true}, Permutations: 2, PerPoint: true}} {
			result := analyze(t, in, o)
			for i, m := range c.Models {
				for q, k := range c.Ks {
					at := fmt.Sprintf("%s, model %d, k = %d: ", c.Name, i, k)
					got := result.Models[i].ByK[q]
					near(t, at+"trustworthiness", got.Trustworthiness.Float(), m.Trustworthiness[q], 1e-12)
					near(t, at+"continuity", got.Continuity.Float(), m.Continuity[q], 1e-12)
				}
			}
		}
	}
}

func TestDeterminism(t *testing.T) {
	frames := walk(150, 7, 1)
	in := Input{Frames: frames, Episode: make([]int, 150), Models: []Encoded{
		{Name: "a", Latents: noisy(frames, 1, 2)}, {Name: "b", Latents: noisy(frames, 3, 3)}, {Name: "c", Latents: walk(150, 2, 4)}}}
	var first []byte
	for _, o := range []Options{{Settings: analysis.Settings{Threads: 1}}, {Settings: analysis.Settings{Threads: 3}}, {Settings: analysis.Settings{Threads: 2, Memory: 1 << 20}}} {
		o.Intervals, o.Permutations, o.Seed, o.PerPoint = true, 3, 9, true
		result := analyze(t, in, o)
		var text bytes.Buffer
		if err := report.Encode(&text, map[string]any{"models": result.Models, "comparisons": result.Comparisons, "warnings": result.Warnings}); err != nil {
			t.Fatal(err)
		}
		for _, m := range result.Models {
			trust, cont := m.PointScores(0)
			fmt.Fprintln(&text, trust, cont)
		}
		if first == nil {
			first = text.Bytes()
		} else if !bytes.Equal(first, text.Bytes()) {
			t.Errorf("threads %d, memory %d: other bytes", o.Threads, o.Memory)
		}
	}
}

func TestSelfIsPerfect(t *testing.T) {
	frames := walk(80, 5, 1)
	rotated := points.Float64(slices.Clone(frames.F64), 5)
	for i := range rotated.N { // a rotation, a reflection and a scale
		row := rotated.F64[i*5:]
		a, b := row[0], row[1]
		row[0], row[1], row[2] = 0.6*a-0.8*b, 0.8*a+0.6*b, -row[2]
		for k := range 5 {
			row[k] *= 3
		}
	}
	result := analyze(t, Input{Frames: frames, Models: []Encoded{{Name: "self", Latents: frames}, {Name: "rotated", Latents: rotated}}},
		Options{Settings: analysis.Settings{Intervals: true}, PerPoint: true})
	for _, m := range result.Models {
		for i, a := range m.ByK {
			for name, v := range map[string]report.Value{"T": a.Trustworthiness, "C": a.Continuity, "Q": a.QNX, "R": a.RNX, "false": a.MRREFalse, "missing": a.MRREMissing} {
				if v.Float() != 1 {
					t.Errorf("%s, k = %d: %s = %v, want 1", m.Name, a.K, name, v)
				}
			}
			if a.TrustPenalty.Sum != 0 || a.ContPenalty.Sum != 0 || a.TrustSE.Float() != 0 {
				t.Errorf("%s: penalties %v and %v, SE %v, want 0", m.Name, a.TrustPenalty.Sum, a.ContPenalty.Sum, a.TrustSE)
			}
			trust, _ := m.PointScores(i)
			if slices.Min(trust) != 1 {
				t.Errorf("%s: a state has score %v, want 1", m.Name, slices.Min(trust))
			}
		}
		near(t, m.Name+": AUC", m.AUCRNX.Float(), 1, 1e-12)
	}
}

func TestNullIsChance(t *testing.T) {
	frames := walk(200, 4, 1)
	result := analyze(t, Input{Frames: frames, Models: []Encoded{{Name: "good", Latents: noisy(frames, 0.1, 2)}}}, Options{Permutations: 60, Null: NullIndependent, Settings: analysis.Settings{Seed: 3}})
	for _, a := range result.Models[0].ByK {
		if a.Null.Permutations != 60 {
			t.Fatalf("%d permutations, want 60", a.Null.Permutations)
		}
		// Five standard errors of the mean.
		near(t, "null T", a.Null.TrustworthinessMean.Float(), a.Chance.Float(), 5*a.Null.TrustworthinessSD.Float()/math.Sqrt(60))
		near(t, "null C", a.Null.ContinuityMean.Float(), a.Chance.Float(), 5*a.Null.ContinuitySD.Float()/math.Sqrt(60))
		near(t, "chance", a.Chance.Float(), 0.5, 0.05)
		if a.Trustworthiness.Float() < 0.95 {
			t.Errorf("k = %d: trustworthiness %v of a good latent", a.K, a.Trustworthiness)
		}
	}
}

// The mean of the scores of the states is the score of all.
func TestPointScores(t *testing.T) {
	frames := walk(60, 3, 1)
	result := analyze(t, Input{Frames: frames, Models: []Encoded{{Name: "z", Latents: noisy(frames, 2, 2)}}}, Options{PerPoint: true, K: []int{7, 3}})
	m := result.Models[0]
	for i, a := range m.ByK {
		trust, cont := m.PointScores(i)
		near(t, "T", stat.Mean(trust), a.Trustworthiness.Float(), 1e-12)
		near(t, "C", stat.Mean(cont), a.Continuity.Float(), 1e-12)
	}
	if trust, cont := (&Model{}).PointScores(0); trust != nil || cont != nil {
		t.Error("scores without PerPoint")
	}
}

// The jackknife's standard error of dependent states against the spread of the
// score over independent draws of the whole recording.
func TestIntervals(t *testing.T) {
	runtest.Long(t, "it simulates many recordings")
	const n, draws = 400, 60
	one := func(seed uint64, o Options) *Result {
		frames := walk(n, 3, seed)
		o.K = []int{10}
		return analyze(t, Input{Frames: frames, Models: []Encoded{{Name: "a", Latents: noisy(frames, 2, seed+1000)}, {Name: "b", Latents: noisy(frames, 4, seed+2000)}}}, o)
	}
	var scores, errors []float64
	covered, truth := 0, 0.0
	var intervals []report.Interval
	for seed := range uint64(draws) {
		result := one(seed+1, Options{Settings: analysis.Settings{Intervals: true}, CoRanking: neighbors.CoRankingOff})
		a := result.Models[0].ByK[0]
		scores = append(scores, a.Trustworthiness.Float())
		errors = append(errors, a.TrustSE.Float())
		intervals = append(intervals, a.TrustCI)
		// The better latent is found, by interval and by test alike.
		c := result.Comparisons[0]
		if c.Metric != "trustworthiness@10" || c.A != "a" || c.B != "b" || c.CI.Low <= 0 || c.P.Float() > 0.05 || c.T.Float() <= 0 {
			t.Errorf("seed %d: comparison %+v", seed, c)
		}
	}
	truth = stat.Mean(scores)
	for _, i := range intervals {
		if i.Low <= truth && truth <= i.High {
			covered++
		}
	}
	spread, claimed := stat.StandardDeviation(scores), stat.Mean(errors)
	t.Logf("spread %.5f, mean standard error %.5f, %d of %d intervals cover %.5f", spread, claimed, covered, draws, truth)
	if claimed < 0.6*spread || claimed > 1.7*spread {
		t.Errorf("mean standard error %v, spread over draws %v", claimed, spread)
	}
	if covered < draws*8/10 {
		t.Errorf("%d of %d intervals cover the mean", covered, draws)
	}

	off := one(1, Options{})
	a := off.Models[0].ByK[0]
	if a.TrustCI.Defined() || a.TrustCI.Reason != "intervals are off" || a.TrustSE.Defined() || off.Comparisons != nil || a.Null != nil {
		t.Errorf("intervals without being asked for: %+v", a)
	}
}

func TestConstantLatents(t *testing.T) {
	frames := walk(60, 3, 1)
	constant := points.Float32(slices.Repeat([]float32{1.5, -2}, 60), 2)
	result := analyze(t, Input{Frames: frames, Models: []Encoded{{Name: "flat", Latents: constant}, {Name: "ok", Latents: frames}}}, Options{Settings: analysis.Settings{Intervals: true}, Permutations: 1})
	if !slices.ContainsFunc(result.Warnings, func(w string) bool {
		return strings.Contains(w, "flat") && strings.Contains(w, "collapsed")
	}) {
		t.Errorf("warnings %q do not tell of the collapse", result.Warnings)
	}
	m := result.Models[0]
	if m.RMSDistance.Defined() || m.EffectiveRank.Defined() || m.NEff.Defined() || m.Duplicates.Latents != 59 {
		t.Errorf("constant latents: %v, %v, %v, %v", m.RMSDistance, m.EffectiveRank, m.NEff, m.Duplicates)
	}
	a := m.ByK[0]
	for name, v := range map[string]report.Value{"T": a.Trustworthiness, "C": a.Continuity, "R": a.RNX, "AUC": m.AUCRNX.Value, "SE": a.TrustSE} {
		if v.Defined() || v.Reason != "all latents are equal, so the encoder has collapsed" {
			t.Errorf("%s of constant latents: %+v", name, v)
		}
	}
	if a.TrustCI.Defined() || a.TrustPenalty.Reason == "" || a.Null != nil || m.Curves != nil || a.Chance.Float() != result.Models[1].ByK[0].Chance.Float() {
		t.Errorf("constant latents: %+v", a)
	}
	if len(result.Comparisons) > 0 || !result.Models[1].ByK[0].Trustworthiness.Defined() {
		t.Errorf("comparisons %+v, scores %+v", result.Comparisons, result.Models[1].ByK[0])
	}

	// The numbers of the others are those without it; nothing is left where all have collapsed.
	o := Options{Permutations: 1}
	alone := analyze(t, Input{Frames: frames, Models: []Encoded{{Name: "ok", Latents: frames}}}, o)
	both := analyze(t, Input{Frames: frames, Models: []Encoded{{Name: "flat", Latents: constant}, {Name: "ok", Latents: frames}}}, o)
	var beside, without bytes.Buffer
	if err := errors.Join(report.Encode(&beside, both.Models[1]), report.Encode(&without, alone.Models[0])); err != nil {
		t.Fatal(err)
	}
	if beside.String() != without.String() {
		t.Errorf("beside a collapsed model %s, alone %s", &beside, &without)
	}
	for _, o := range []Options{{}, {Settings: analysis.Settings{Intervals: true}}, {Approximate: true}} {
		only := analyze(t, Input{Frames: frames, Models: []Encoded{{Name: "flat", Latents: constant}}}, o)
		if a := only.Models[0].ByK[2]; a.K != 20 || a.Trustworthiness.Defined() || only.Models[0].Chance.Defined() {
			t.Errorf("only constant latents: %+v", only.Models[0])
		}
	}
	still := analyze(t, Input{Frames: constant, Models: []Encoded{{Name: "ok", Latents: frames}}}, Options{Settings: analysis.Settings{Intervals: true}})
	if v := still.Models[0].ByK[0].Trustworthiness; v.Reason != "all original states are equal" {
		t.Errorf("constant states: %+v", v)
	}
}

// Neither the order of the rows nor time, which it is, scores: latents of a few classes at random
// are worth what chance is worth, whichever copies of a state come first.
func TestTiesDoNotScoreTime(t *testing.T) {
	t.Parallel()
	runtest.Long(t, "numbers of many orders")
	const n = 600
	frames := walk(n, 6, 5)
	classes := points.Float32(make([]float32, n*4), 4)
	draw := stat.NewRandom(stat.StreamScatter.Key(3))
	for i := range n {
		classes.F32[4*i+draw.Intn(4)] = 1
	}
	in := Input{Frames: frames, Models: []Encoded{{Name: "classes", Latents: classes}}}
	a := analyze(t, in, Options{Permutations: 20}).Models[0].ByK[0]
	if null := a.MadeNull(); math.Abs(a.Trustworthiness.Float()-a.Chance.Float()) > 0.03 ||
		math.Abs(null.TrustworthinessMean.Float()-a.Chance.Float()) > 0.01 {
		t.Errorf("random classes: %v, null %v, chance %v", a.Trustworthiness, null.TrustworthinessMean, a.Chance)
	}
	if byIndex := analyze(t, in, Options{Ties: neighbors.TiesIndex}).Models[0]; math.Abs(byIndex.ByK[0].Trustworthiness.Float()-a.Chance.Float()) < 0.08 || byIndex.TiesRule != "index" {
		t.Errorf("ties by index: %v: not what is tested", byIndex.ByK[0].Trustworthiness)
	}
	order := draw.Perm(n)
	permuted := analyze(t, Input{Frames: frames.Select(order), Models: []Encoded{{Name: "classes", Latents: classes.Select(order)}}}, Options{})
	near(t, "in another order", permuted.Models[0].ByK[0].Trustworthiness.Float(), a.Trustworthiness.Float(), 1e-13)
}

func TestScale(t *testing.T) {
	frames := walk(60, 3, 1)
	unit, err := spectrum.Scaled(frames, spectrum.ScaleL2)
	if err != nil {
		t.Fatal(err)
	}
	result := analyze(t, Input{Frames: unit, Models: []Encoded{{Name: "z", Latents: frames}}}, Options{Scale: spectrum.ScaleL2})
	if v := result.Models[0].ByK[0].Trustworthiness.Float(); v != 1 {
		t.Errorf("l2: trustworthiness %v, want 1", v)
	}
	raw := analyze(t, Input{Frames: unit, Models: []Encoded{{Name: "z", Latents: frames}}}, Options{Scale: spectrum.ScaleRMS})
	if v := raw.Models[0].ByK[0].Trustworthiness.Float(); v == 1 {
		t.Error("rms: neighbours of unit vectors")
	}
}

// An exclusion window in frames: where states are missing, the labels follow.
func TestExcludeWindow(t *testing.T) {
	frames := walk(60, 3, 1)
	z := noisy(frames, 1, 2)
	in := Input{Frames: frames, Models: []Encoded{{Name: "z", Latents: z}}}
	o := Options{K: []int{4}, ExcludeWindow: 3}
	positions := analyze(t, in, o)
	if got := positions.Models[0].Candidates; got != 60-7 {
		t.Errorf("%d candidates, want 53", got)
	}
	in.Time = make([]int, 60)
	for i := range in.Time {
		in.Time[i] = 100 + i
	}
	consecutive := analyze(t, in, o)
	if consecutive.Models[0].ByK[0].TrustPenalty != positions.Models[0].ByK[0].TrustPenalty || len(consecutive.Warnings) > 0 {
		t.Errorf("consecutive frames are not like positions: %q", consecutive.Warnings)
	}

	// After a gap of 10 frames nothing across it is excluded, as between episodes.
	in.Episode = make([]int, 60)
	for i := range in.Time {
		if i >= 30 {
			in.Time[i] += 10
		}
	}
	gap := analyze(t, in, o)
	for i := 30; i < 60; i++ {
		in.Episode[i] = 1
		in.Time[i] -= 10
	}
	episodes := analyze(t, in, o)
	if gap.Models[0].ByK[0].TrustPenalty != episodes.Models[0].ByK[0].TrustPenalty || len(gap.Warnings) > 0 {
		t.Errorf("a gap is not like a border of episodes: %q", gap.Warnings)
	}
	if gap.Models[0].ByK[0].TrustPenalty == positions.Models[0].ByK[0].TrustPenalty {
		t.Error("the gap changes nothing")
	}

	// Two frames are missing: what is left out is at least what was asked for.
	in.Episode = nil
	for i := 30; i < 60; i++ {
		in.Time[i] += 2
	}
	short := analyze(t, in, o)
	if short.Models[0].ByK[0].TrustPenalty != positions.Models[0].ByK[0].TrustPenalty {
		t.Error("a short gap changes the exclusion by positions")
	}
	if len(short.Warnings) != 1 || !strings.Contains(short.Warnings[0], "up to 5 frames") {
		t.Errorf("warnings %q do not tell how far the window reaches", short.Warnings)
	}
}

// Sampled states keep their times, and the window takes neither more nor less than those
// within it.
func TestExcludeWindowOfSample(t *testing.T) {
	all := walk(120, 3, 1)
	z := noisy(all, 1, 2)
	random := stat.NewRandom(stat.NewKey(3))
	var drawn []int
	for i := range 120 {
		if random.Normal() < 0 {
			drawn = append(drawn, i)
		}
	}
	frames, latents := all.Select(drawn), z.Select(drawn)
	in := Input{Frames: frames, Time: drawn, Sampled: true, Models: []Encoded{{Name: "z", Latents: latents}}}
	o := Options{K: []int{4}, ExcludeWindow: 6, Permutations: 2, Settings: analysis.Settings{Intervals: true}}
	got := analyze(t, in, o)
	fewest := len(drawn)
	for _, a := range drawn {
		left := 0
		for _, b := range drawn {
			if max(a-b, b-a) > 6 {
				left++
			}
		}
		fewest = min(fewest, left)
	}
	if got.Models[0].Candidates != fewest {
		t.Errorf("%d candidates, want %d", got.Models[0].Candidates, fewest)
	}
	for _, w := range got.Warnings {
		if strings.Contains(w, "missing from the sequence") || strings.Contains(w, "autocorrelation") {
			t.Errorf("warning %q", w)
		}
	}
	want, err := neighbors.Compare(t.Context(), frames, []points.Points{latents}, neighbors.Options{Ks: []int{4}, ExcludeWindow: 6, Time: drawn})
	if err != nil {
		t.Fatal(err)
	}
	a := got.Models[0].ByK[0]
	if a.Trustworthiness.V != want[0].ByK[0].Trustworthiness || a.Continuity.V != want[0].ByK[0].Continuity || !a.TrustCI.Defined() {
		t.Errorf("%+v, want T %v, C %v", a, want[0].ByK[0].Trustworthiness, want[0].ByK[0].Continuity)
	}
	if text := got.WindowText(); text != "FRAMES" {
		t.Errorf("a window of %s is suggested for states that are not consecutive", text)
	}

	// A sample of all states has the window of all states.
	whole := Input{Frames: all, Sampled: true, Models: []Encoded{{Name: "z", Latents: z}}}
	for i := range 120 {
		whole.Time = append(whole.Time, i)
	}
	sampled := analyze(t, whole, o)
	whole.Sampled = false
	if b := analyze(t, whole, o); !reflect.DeepEqual(b.Models, sampled.Models) {
		t.Error("a sample of all states differs from all states")
	}
}

// Where deletions leave too few candidates there are scores, but no intervals.
func TestNoRoomForIntervals(t *testing.T) {
	frames := walk(14, 2, 1)
	result := analyze(t, Input{Frames: frames, Models: []Encoded{{Name: "z", Latents: noisy(frames, 1, 2)}, {Name: "y", Latents: noisy(frames, 1, 3)}}},
		Options{K: []int{12}, Settings: analysis.Settings{Intervals: true}})
	a := result.Models[0].ByK[0]
	if a.TrustCI.Defined() || !a.Trustworthiness.Defined() || result.Comparisons != nil || result.Blocks != "" {
		t.Errorf("%+v", a)
	}
	if !slices.ContainsFunc(result.Warnings, func(w string) bool { return strings.HasPrefix(w, "no intervals: ") }) {
		t.Errorf("warnings %q", result.Warnings)
	}
}

// Distances from a file have the scores of the points that they are the distances of,
// for all states and for some.
// Cosine distances of states rank as Euclidean ones of unit vectors do, beside Euclidean ones of
// latents and the other way round.
func TestLatentMetric(t *testing.T) {
	t.Parallel()
	frames := noisy(walk(150, 5, 1), 1, 2)
	latents := noisy(frames, 1, 3)
	unit := func(p points.Points) points.Points {
		out, err := spectrum.Scaled(p, spectrum.ScaleL2)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	scores := func(frames, latents points.Points, metric neighbors.Metric, ofLatents string) []float64 {
		m := analyze(t, Input{Frames: frames, Models: []Encoded{{Name: "z", Latents: latents}}}, Options{Metric: metric, LatentMetric: ofLatents}).Models[0]
		var out []float64
		for _, a := range m.ByK {
			out = append(out, a.Trustworthiness.Float(), a.Continuity.Float())
		}
		return out
	}
	for _, c := range []struct {
		metric          neighbors.Metric
		ofLatents       string
		frames, latents points.Points
	}{
		{neighbors.Cosine, LatentEuclidean, unit(frames), latents},
		{neighbors.Euclidean, LatentCosine, frames, unit(latents)},
		{neighbors.Cosine, LatentSame, unit(frames), unit(latents)},
		{neighbors.Euclidean, "", frames, latents},
	} {
		got, want := scores(frames, latents, c.metric, c.ofLatents), scores(c.frames, c.latents, neighbors.Euclidean, LatentEuclidean)
		if !slices.Equal(got, want) {
			t.Errorf("%v and %s: %v, want %v", c.metric, c.ofLatents, got, want)
		}
	}
	for _, wrong := range []string{"precomputed", "l7"} {
		if _, err := Analyze(t.Context(), Input{Frames: frames, Models: []Encoded{{Name: "z", Latents: latents}}}, Options{LatentMetric: wrong}); err == nil {
			t.Errorf("latent metric %s was accepted", wrong)
		}
	}
}

func TestPrecomputed(t *testing.T) {
	frames := walk(60, 3, 1)
	z := noisy(frames, 1, 2)
	rows := make([]float64, 60*60)
	for i := range 60 {
		for j := range 60 {
			var square float64
			for c := range 3 {
				d := frames.F64[3*i+c] - frames.F64[3*j+c]
				square += float64(d * d)
			}
			rows[60*i+j] = math.Sqrt(square)
		}
	}
	among := func(states []int) points.Points {
		var values []float64
		for _, i := range states {
			for _, j := range states {
				values = append(values, rows[60*i+j])
			}
		}
		return points.Float64(values, len(states))
	}
	some := []int{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59}
	all := make([]int, 60)
	for i := range all {
		all[i] = i
	}
	for _, states := range [][]int{all, some} {
		distances := among(states)
		models := []Encoded{{Name: "z", Latents: z.Select(states)}}
		o := Options{K: []int{3, 7}, Settings: analysis.Settings{Intervals: true}, Permutations: 2}
		want := analyze(t, Input{Frames: frames.Select(states), Models: models}, o)
		o.Metric = neighbors.Precomputed
		got := analyze(t, Input{Frames: distances, Models: models}, o)
		if !reflect.DeepEqual(got.Models[0].ByK, want.Models[0].ByK) {
			t.Errorf("%d states: %+v, want %+v", len(states), got.Models[0].ByK, want.Models[0].ByK)
		}
		// A diagonal of 1 is not looked at.
		for i := range states {
			distances.F64[i*len(states)+i] = 1
		}
		if got := analyze(t, Input{Frames: distances, Models: models}, o); !reflect.DeepEqual(got.Models[0].ByK, want.Models[0].ByK) {
			t.Errorf("%d states with a diagonal of 1: %+v, want %+v", len(states), got.Models[0].ByK, want.Models[0].ByK)
		}
	}
}

func TestBadInput(t *testing.T) {
	good := walk(30, 3, 1)
	one := func(frames, z points.Points) Input {
		return Input{Frames: frames, Models: []Encoded{{Name: "jepa", Latents: z}}}
	}
	nan := walk(30, 3, 1)
	nan.F64[7] = math.NaN()
	zero := walk(30, 3, 1)
	copy(zero.F64[3:6], []float64{0, 0, 0})
	labels, times := one(good, good), one(good, good)
	labels.Episode = []int{1, 2}
	times.Time = make([]int, 30)
	for _, c := range []struct {
		name string
		in   Input
		o    Options
		want []string
	}{
		{"no models", Input{Frames: good}, Options{}, []string{"no models"}},
		{"unequal numbers", one(good, walk(29, 3, 1)), Options{}, []string{"jepa", "29", "30"}},
		{"k = n", one(good, good), Options{K: []int{5, 30}}, []string{"k = 30", "28"}},
		{"k = 0", one(good, good), Options{K: []int{0}}, []string{"k = 0"}},
		{"k twice", one(good, good), Options{K: []int{5, 5}}, []string{"twice"}},
		{"two states", one(walk(2, 3, 1), walk(2, 3, 1)), Options{K: []int{1}}, []string{"2 states", "at least 3"}},
		{"NaN in latents", one(good, nan), Options{}, []string{"jepa", "point 2", "coordinate 1", "NaN"}},
		{"NaN in frames", one(nan, good), Options{}, []string{"original", "point 2"}},
		{"zero vector", one(good, zero), Options{Metric: neighbors.Cosine}, []string{"jepa: point 1"}},
		{"named frames", Input{Frames: nan, Source: "frames f.npy", Models: []Encoded{{Name: "jepa", Latents: good}}}, Options{}, []string{"frames f.npy: point 2"}},
		{"window", one(good, good), Options{ExcludeWindow: 12}, []string{"window", "candidates"}},
		{"labels", labels, Options{}, []string{"2 episode labels", "30"}},
		{"times", times, Options{}, []string{"ascending"}},
	} {
		c.o.Intervals = true
		_, err := Analyze(context.Background(), c.in, c.o)
		if err == nil {
			t.Errorf("%s: no error", c.name)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q does not mention %q", c.name, err, want)
			}
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Analyze(ctx, one(good, good), Options{Permutations: 1}); err == nil {
		t.Error("a cancelled context gives a result")
	}
}

func ExampleAnalyze() {
	frames := points.Uint8([]uint8{0, 0, 10, 0, 21, 0, 33, 0, 46, 0, 60, 0}, 2)
	latents := points.Float32([]float32{0, 50, 11, 26, 41, 62}, 1)
	result, err := Analyze(context.Background(), Input{
		Frames: frames,
		Models: []Encoded{{Name: "line", Latents: latents}},
	}, Options{K: []int{2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	score := result.Models[0].ByK[0]
	fmt.Printf("k = %d: T = %.3f, C = %.3f\n", score.K, score.Trustworthiness.V, score.Continuity.V)
	// Output: k = 2: T = 0.633, C = 0.633
}

// Latents that differ in their last digits, as an encoder makes of a frame in another batch, are
// ties as equal ones are, and no neighbors in the order of rounding; so are those of equal
// states.
func TestRounding(t *testing.T) {
	t.Parallel()
	const n, again, dim = 120, 20, 6
	random := stat.NewRandom(stat.NewKey(21))
	frames, latents := make([]float32, (n+again)*dim), make([]float32, (n+again)*dim)
	for i := range n * dim {
		frames[i] = float32(random.Normal())
		latents[i] = frames[i] + float32(0.5*random.Normal()) + 4
	}
	same := make([]int, n+again)
	for i := range same {
		if same[i] = i; i >= n {
			same[i] = i - n
			copy(frames[i*dim:(i+1)*dim], frames[(i-n)*dim:])
			copy(latents[i*dim:(i+1)*dim], latents[(i-n)*dim:])
		}
	}
	analyze := func(z []float32, same []int) Model {
		r, err := Analyze(t.Context(), Input{Frames: points.Float32(frames, dim), Same: same,
			Models: []Encoded{{Name: "z", Latents: points.Float32(z, dim)}}}, Options{K: []int{3, 10}, Settings: analysis.Settings{Intervals: true, Block: stat.BlockSpec{Length: 10}}})
		if err != nil {
			t.Fatal(err)
		}
		return r.Models[0]
	}
	want := analyze(latents, nil)
	digits, noise := slices.Clone(latents), slices.Clone(latents)
	for i := n * dim; i < len(latents); i++ {
		digits[i] = math.Nextafter32(digits[i], 100)
		noise[i] += float32(1e-3 * random.Normal())
	}
	for _, got := range []Model{analyze(digits, nil), analyze(noise, same)} {
		if got.Duplicates.Latents != again || !reflect.DeepEqual(got.ByK, want.ByK) {
			t.Errorf("%d duplicates, want %d; %+v\nwant %+v", got.Duplicates.Latents, again, got.ByK[0], want.ByK[0])
		}
	}
}
