// Tests of the audit against a naive search in float64, and on leaks that were planted.

package audit

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
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

// recording makes episodes of autoregressive states, float32.
func recording(r *rand.Rand, episodes, length, dim int, rho float64) (points.Points, []int) {
	z, episode := make([]float32, 0, episodes*length*dim), make([]int, 0, episodes*length)
	for e := range episodes {
		x := make([]float64, dim)
		for t := range length {
			for k := range x {
				noise := r.NormFloat64()
				if t == 0 {
					x[k] = noise
				} else {
					x[k] = rho*x[k] + math.Sqrt(1-rho*rho)*noise
				}
				z = append(z, float32(x[k]))
			}
			episode = append(episode, e)
		}
	}
	return points.Float32(z, dim), episode
}

// halves puts the last quarter of the episodes into test.
func split(episode []int, training int) []string {
	out := make([]string, len(episode))
	for i, e := range episode {
		out[i] = "train"
		if e >= training {
			out[i] = "test"
		}
	}
	return out
}

func distance(p points.Points, i, j int) float64 {
	x, y, square := p.Row(i, nil), p.Row(j, nil), 0.0
	for k := range x {
		square += (x[k] - y[k]) * (x[k] - y[k])
	}
	return math.Sqrt(square)
}

func TestAgainstNaiveSearch(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	states, episode := recording(r, 16, 40, 12, 0.9)
	parts := split(episode, 12)
	copy(states.F32[500*12:501*12], states.F32[30*12:31*12]) // a copy
	for k := range 12 {
		states.F32[600*12+k] = states.F32[77*12+k] + 0.01*float32(r.NormFloat64()) // nearly one
	}
	result, err := Analyze(t.Context(), Input{States: states, Episode: episode, Split: parts},
		Options{Settings: analysis.Settings{Intervals: true, Seed: 1}, FalseAlarm: 0.02})
	if err != nil {
		t.Fatal(err)
	}
	test := &result.Tests[0]
	var reference []float64
	for i := range states.N {
		if parts[i] != "train" {
			continue
		}
		least := math.Inf(1)
		for j := range states.N {
			if parts[j] == "train" && episode[j] != episode[i] {
				least = min(least, distance(states, i, j))
			}
		}
		reference = append(reference, least)
	}
	slices.Sort(reference)
	threshold := reference[9-1]
	if v := test.Near.Threshold.V; math.Abs(v-threshold) > 1e-12*threshold {
		t.Errorf("threshold %v, want %v", v, threshold)
	}
	near, duplicates, nearer, follow := 0, 0, 0, 0
	q := 0
	for i := range states.N {
		if parts[i] != "test" {
			continue
		}
		least, nearest := math.Inf(1), -1
		for j := range states.N {
			if d := distance(states, i, j); parts[j] == "train" && d < least {
				least, nearest = d, j
			}
		}
		row := test.Rows[q]
		q++
		if row.State != i || row.Nearest != nearest || math.Abs(row.Distance-least) > 1e-12*least {
			t.Fatalf("state %d: %+v, want %d at %v", i, row, nearest, least)
		}
		count := 0
		for _, v := range reference {
			if v <= row.Distance {
				count++
			}
		}
		if want := float64(1+count) / float64(1+len(reference)); row.P != want {
			t.Errorf("state %d: p %v, want %v", i, row.P, want)
		}
		if (row.P <= 0.02) != row.Near {
			t.Errorf("state %d: p %v and near %v", i, row.P, row.Near)
		}
		if least < threshold {
			near++
		}
		if least == 0 {
			duplicates++
		}
		if i+1 < states.N && episode[i+1] == episode[i] {
			follow++
			if least < distance(states, i, i+1) {
				nearer++
			}
		}
	}
	if test.Near.Rows != near || test.Duplicates.Rows != duplicates || duplicates != 1 || !test.Rows[600-480].Near {
		t.Errorf("%d near, %d duplicates, want %d and %d", test.Near.Rows, test.Duplicates.Rows, near, duplicates)
	}
	if v := test.Near.NearerThanNext.V; math.Abs(v-float64(nearer)/float64(follow)) > 1e-12 {
		t.Errorf("nearer than next: %v, want %d of %d", v, nearer, follow)
	}
	if ci := test.Leaking.CI; !ci.Defined() || ci.Low > test.Leaking.V || ci.High < test.Leaking.V {
		t.Errorf("interval %+v of %v", ci, test.Leaking.V)
	}
}

// Any division of the work gives the same result.
func TestWork(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2, 1))
	states, episode := recording(r, 20, 45, 6, 0.5)
	in := Input{States: states, Episode: episode, Split: split(episode, 10), Latents: []points.Encoded{{Name: "z",
		Latents: states}},
		Targets: []Target{{Name: "x", Values: make([]float64, states.N)}}}
	for i := range states.N {
		in.Targets[0].Values[i] = float64(states.F32[6*i]) + 0.1*r.NormFloat64()
	}
	o := Options{Settings: analysis.Settings{Intervals: true, Seed: 1}, Permutations: 19, References: 200,
		Repair: RepairMove}
	open := func(seed uint64) func() shard.Work[*Outcome, *Result] {
		return func() shard.Work[*Outcome, *Result] {
			chosen := o
			chosen.Seed = seed
			work, err := Work(in, chosen)
			if err != nil {
				t.Fatal(err)
			}
			return work
		}
	}
	shardtest.Check(t, open(1), func(r *Result) []byte {
		var out []byte
		for _, test := range r.Tests {
			numbers, err := json.Marshal(test)
			if err != nil {
				t.Fatal(err)
			}
			out = fmt.Appendf(append(out, numbers...), "%v %v", test.Rows, test.Reference)
		}
		return fmt.Appendf(out, "%v %v %v", r.Parts, r.Recordings, r.Repaired)
	}, open(2))
}

// The audit finds and counts the planted leaks, and nothing else.
func TestPlanted(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	const dim = 30
	states, episode := recording(r, 30, 40, dim, 0.8)
	parts := split(episode, 20)
	row := func(i int) []float32 { return states.F32[i*dim : (i+1)*dim] }
	for k := range 40 { // episode 25 is episode 3, and 27 is episode 4 in reverse
		copy(row(25*40+k), row(3*40+k))
		copy(row(27*40+k), row(4*40+39-k))
	}
	for k := 10; k < 15; k++ { // frozen
		copy(row(8*40+k), row(8*40+9))
	}
	clear(row(12*40 + 7))      // black
	for k := 20; k < 40; k++ { // a cut
		for c := range row(0) {
			row(15*40 + k)[c] += 40
		}
	}
	class := make([]int, states.N)
	for i := range class {
		class[i] = i % 3
	}
	class[22*40] = 7                         // unseen
	class[25*40+1] = (class[3*40+1] + 1) % 3 // two states of one value
	result, err := Analyze(t.Context(), Input{States: states, Episode: episode, Split: parts, Group: episode,
		Targets: []Target{{Name: "kind", Class: class}}}, Options{Repair: RepairMove})
	if err != nil {
		t.Fatal(err)
	}
	test, found := result.Tests[0], result.Recordings
	if test.Duplicates.Rows != 80 || test.Duplicates.Groups != 80 || test.LeakingRows < 80 || test.LeakingRows > 90 {
		t.Errorf("%d duplicates in %d groups, %d leaking", test.Duplicates.Rows, test.Duplicates.Groups, test.LeakingRows)
	}
	if found.Frozen != 5 || found.Stretches != 1 || found.Constant != 1 || found.Copies != 1 || found.Reversed != 1 ||
		found.Cuts < 1 || found.Cuts > 4 {
		t.Errorf("recordings %+v", found)
	}
	conflicting := 0
	for k := range 40 {
		for _, pair := range [][2]int{{25*40 + k, 3*40 + k}, {27*40 + k, 4*40 + 39 - k}} {
			if class[pair[0]] != class[pair[1]] {
				conflicting += 2
			}
		}
	}
	if test.Labels.Unseen != 1 || test.Labels.Conflicting < conflicting {
		t.Errorf("labels %+v, want %d conflicting", test.Labels, conflicting)
	}
	if test.EpisodesOnBothSides != 0 || *test.GroupsOnBothSides != 0 {
		t.Errorf("episodes on both sides: %d", test.EpisodesOnBothSides)
	}
	for i, name := range result.Repaired {
		if e := episode[i]; name != "train" && (e < 20 || e == 25 || e == 27) {
			t.Fatalf("state %d of episode %d is in %q", i, e, name)
		}
	}
	again, err := Analyze(t.Context(), Input{States: states, Episode: episode, Split: result.Repaired}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if again.Tests[0].LeakingRows > 10 {
		t.Errorf("%d states leak in the new split", again.Tests[0].LeakingRows)
	}
}

// A probe that knows nothing but copies loses its score without them.
func TestScores(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	const dim = 8
	states, episode := recording(r, 40, 10, dim, 0)
	parts := split(episode, 20)
	class, hits := make([]int, states.N), make([]float64, states.N)
	for i := range class {
		class[i] = r.IntN(2)
		if i >= 300 { // half of the test states are copies
			copy(states.F32[i*dim:(i+1)*dim], states.F32[(i-300)*dim:(i-299)*dim])
			class[i], hits[i] = class[i-300], 1
		}
	}
	result, err := Analyze(t.Context(), Input{States: states, Episode: episode, Split: parts,
		Latents: []points.Encoded{{Name: "z", Latents: states}},
		Targets: []Target{{Name: "kind", Class: class}}, Scores: []Score{{"given", hits}}},
		Options{Settings: analysis.Settings{Intervals: true}})
	if err != nil {
		t.Fatal(err)
	}
	given := result.Tests[0].Score("given")
	clean := result.Tests[0].States - result.Tests[0].LeakingRows
	if given.All.V != 0.5 || given.Clean.V != 0 || given.Difference.V != 0.5 || given.States != clean || clean > 100 {
		t.Errorf("given %+v", given)
	}
	kind := result.Tests[0].Score("kind")
	if kind.Metric != metricAccuracy || kind.Retrieval.Leaking.V < 0.95 || math.Abs(kind.Retrieval.Clean.V-0.5) > 0.2 ||
		kind.Retrieval.All.V < 0.65 || math.Abs(kind.Clean.V-0.5) > 0.2 || !kind.Difference.CI.Defined() {
		t.Errorf("kind %+v", kind)
	}
}

// Folds are each tested against all others; wrong inputs are refused.
func TestSplits(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 9))
	states, episode := recording(r, 12, 20, 4, 0.5)
	folds := make([]string, states.N)
	for i, e := range episode {
		folds[i] = []string{"10", "2", "1", ""}[e%4]
	}
	result, err := Analyze(t.Context(), Input{States: states, Episode: episode, Split: folds}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, test := range result.Tests {
		names = append(names, test.Name)
		if test.States != 60 || test.Training != 120 {
			t.Errorf("%s: %d and %d states", test.Name, test.States, test.Training)
		}
	}
	if got := strings.Join(names, ","); got != "1,2,10" {
		t.Errorf("folds %s", got)
	}
	one, err := Analyze(t.Context(), Input{States: states, Episode: episode, Split: folds, Train: "2"}, Options{})
	if err != nil || len(one.Tests) != 2 || one.Tests[0].Training != 60 {
		t.Errorf("%d tests, %v", len(one.Tests), err)
	}
	for want, in := range map[string]Input{
		"the split has 1 part (a)":  {States: states, Split: slices.Repeat([]string{"a"}, states.N)},
		"no part \"x\" to train on": {States: states, Split: folds, Train: "x"},
		"split: 0 values":           {States: states},
		"group: 1 values":           {States: states, Split: folds, Group: []int{1}},
	} {
		if _, err := Analyze(t.Context(), in, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Intervals of shares and of R² stay in their ranges, whatever the test states are.
func TestScoreIntervalRange(t *testing.T) {
	t.Parallel()
	const dim = 3
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 4))
		states, episode := recording(r, 7+int(seed)%3, 9, dim, 0.95)
		class, hits, y := make([]int, states.N), make([]float64, states.N), make([]float64, states.N)
		for i, e := range episode {
			class[i], hits[i], y[i] = e%2, float64(e%3/2), float64(states.F32[i*dim])+r.NormFloat64()
		}
		result, err := Analyze(t.Context(), Input{States: states, Episode: episode, Split: split(episode, 4),
			Latents: []points.Encoded{{Name: "z", Latents: states}},
			Targets: []Target{{Name: "kind", Class: class}, {Name: "y", Values: y}}, Scores: []Score{{"hit", hits}}},
			Options{Settings: analysis.Settings{Intervals: true}})
		if err != nil {
			t.Fatal(err)
		}
		for name, low := range map[string]float64{"kind": 0, "hit": 0, "y": math.Inf(-1)} {
			score := result.Tests[0].Score(name)
			for part, e := range map[string]report.Estimate{"all": score.All, "clean": score.Clean} {
				ci := e.CI
				if !ci.Defined() || ci.Low < low || ci.High > 1 || ci.Low > e.V || ci.High < e.V {
					t.Errorf("seed %d: %s of %s: %v in %v", seed, part, name, e.V, ci)
				}
			}
			if d := score.Difference.CI; low == 0 && (d.Low < -1 || d.High > 1) {
				t.Errorf("seed %d: difference of %s: %v", seed, name, d)
			}
		}
	}
}

// The size of an audit counts tested states with training states, and all of these with each other.
func TestSizeOf(t *testing.T) {
	t.Parallel()
	states, episode := recording(rand.New(rand.NewPCG(1, 1)), 10, 20, 4, 0.5)
	in := Input{States: states, Episode: episode, Split: split(episode, 4)}
	train := 0
	for _, part := range in.Split {
		if part == "train" {
			train++
		}
	}
	size, err := SizeOf(in, Options{})
	if test := len(in.Split) - train; err != nil || size.Largest != train*train || size.Pairs != (test+train)*train {
		t.Errorf("%+v, %v: %d training and %d tested states", size, err, train, test)
	}
	if work, err := Work(in, Options{}); err != nil || work.Units != size.Units {
		t.Errorf("%d units of work, %v, and %d of the size", work.Units, err, size.Units)
	}
}

// The interval of the difference of scores has the asymmetry of the share of leaking states, and the width of the
// jackknife where the share has none.
func TestDifferenceIsAsSkewedAsItsShare(t *testing.T) {
	t.Parallel()
	build := func(value, standardError float64) *stat.Jackknifed {
		const quantile = 2.093024 // of Student's t with 19 degrees of freedom
		return &stat.Jackknifed{Estimate: value, StdError: standardError, DF: 19,
			Interval: stat.Interval{Low: value - quantile*standardError, High: value + quantile*standardError, Level: 0.95}}
	}
	for _, gap := range []float64{0.3, -0.3} {
		// Share and gap independent: SE² = gap²·SE(share)² + share²·SE(gap)².
		difference, share := build(gap*0.1, math.Hypot(0.3*0.05, 0.1*0.04)), build(0.1, 0.05)
		limits := build(0.1, 0.05).AsShare(400).Interval
		asProduct(difference, share, 400)
		rest := 2.093024 * 0.1 * 0.04
		near, far := gap*0.1-math.Copysign(math.Hypot(0.3*(0.1-limits.Low), rest), gap), gap*0.1+math.Copysign(math.Hypot(0.3*(limits.High-0.1), rest), gap)
		got := difference.Interval
		if math.Abs(got.Low-min(near, far)) > 1e-12 || math.Abs(got.High-max(near, far)) > 1e-12 {
			t.Errorf("gap %v: %v, want %v to %v", gap, got, near, far)
		}
	}
	difference, share := build(0.15, 0.01), build(0.5, 0.02)
	before := difference.Interval
	if asProduct(difference, share, 4000); math.Abs(difference.Interval.Low-before.Low) > 1e-12 || math.Abs(difference.Interval.High-before.High) > 1e-12 {
		t.Errorf("half of 4,000 states leak: %v, want %v", difference.Interval, before)
	}
	difference, share = build(0, 0), build(0, 0)
	if asProduct(difference, share, 400); difference.Interval.Low != 0 || difference.Interval.High != 0 {
		t.Errorf("no state leaks: %v", difference.Interval)
	}
}

// Without episodes, states that follow each other have no p value of drift, and their shares have wider intervals;
// states in any order have both.
func TestStatesInOrder(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(8, 2))
	var widths [2]float64
	for k, rho := range []float64{0, 0.95} {
		states, episode := recording(r, 2, 400, 4, rho)
		copy(states.F32[4*500:4*520], states.F32[4*100:4*120]) // twenty leaks in a row
		in := Input{States: states, Split: split(episode, 1)}
		o := Options{Settings: analysis.Settings{Intervals: true, Seed: 1}, Permutations: 99}
		result, err := Analyze(t.Context(), in, o)
		if err != nil {
			t.Fatal(err)
		}
		test := result.Tests[0]
		warned := strings.Contains(strings.Join(result.Warnings, "\n"), "give --episodes")
		if test.Drift.P.Defined() != (rho == 0) || warned != (rho > 0) {
			t.Errorf("ρ of %g: p of drift %v, warnings %q", rho, test.Drift.P, result.Warnings)
		}
		ci := test.Duplicates.Share.CI
		widths[k] = ci.High - ci.Low
	}
	if share, err := stat.Wilson(20, 400, 0); err != nil || widths[0] < 2*(share.High-share.Low) {
		t.Errorf("twenty leaks in a row among 400 states: width %g, of independent ones %v", widths[0], share)
	}
}
