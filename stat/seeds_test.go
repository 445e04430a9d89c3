// Comparisons over runs: closed forms, borders and errors. Their coverage is in
// docs/statistics/calibration-claims.md.

package stat

import (
	"math"
	"strings"
	"testing"
)

// runsOf are the jackknifed means of runs whose scores are shifted copies of each other.
func runsOf(t *testing.T, blocks *Blocks, scores []float64, shifts ...float64) []*Jackknifed {
	t.Helper()
	var out []*Jackknifed
	for _, shift := range shifts {
		values := make([]float64, len(scores))
		for i, v := range scores {
			values[i] = v + shift
		}
		j, err := JackknifeMean(blocks, values)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, j)
	}
	return out
}

func TestCompareSeeds(t *testing.T) {
	t.Parallel()
	random := NewRandom(NewKey(3))
	labels, x, y := make([]int, 40), make([]float64, 40), make([]float64, 40)
	for i := range x {
		labels[i], x[i], y[i] = i/4, random.Normal(), random.Normal()
	}
	blocks, err := NewBlocks(40, labels, BlockSpec{Kind: EpisodeBlocks})
	if err != nil {
		t.Fatal(err)
	}
	a, b := runsOf(t, blocks, x, 0.1, 0.3, 0.2), runsOf(t, blocks, y, 0, 0.4)
	got, err := CompareSeeds(a, b, CompareOptions{Permutations: 99})
	if err != nil {
		t.Fatal(err)
	}
	// The runs of a model are shifted copies, so blocks and runs can be told apart.
	within(t, "difference", got.Difference, Mean(x)+0.2-Mean(y)-0.2, 1e-12)
	within(t, "error of runs", got.SeedError, math.Sqrt(0.01/3+0.08/2), 1e-12)
	single, err := Compare(runsOf(t, blocks, x, 0)[0], runsOf(t, blocks, y, 0)[0], CompareOptions{Permutations: 99})
	if err != nil {
		t.Fatal(err)
	}
	within(t, "error of blocks", got.BlockError, single.Difference/single.T, 1e-12)
	within(t, "standard error", got.StdError, math.Hypot(got.SeedError, got.BlockError), 1e-12)
	va, vb, v := 0.01/3, 0.04, got.BlockError*got.BlockError
	both := newTwoErrors(math.Sqrt(va+vb), (va+vb)*(va+vb)/(va*va/2+vb*vb/1), math.Sqrt(v), 9)
	within(t, "p", got.P, both.p(got.Difference), 1e-12)
	within(t, "tail beyond the interval", both.p(got.Interval.High-got.Difference), 0.05, 1e-9)
	within(t, "tail of Student's t", TTestP((got.Interval.High-got.Difference)/got.StdError, got.DF), 0.05, 1e-9)
	if (got.P < 0.05) != (got.Interval.Low > 0 || got.Interval.High < 0) {
		t.Errorf("p %v and interval %v do not agree", got.P, got.Interval)
	}

	// The error that so many blocks leave finds the difference with the power asked for.
	if _, err := got.BlocksNeeded(PowerOptions{}); err != nil && !strings.Contains(err.Error(), "add runs") {
		t.Error(err)
	}
	wide := got
	wide.Difference = 4
	needed, err := wide.BlocksNeeded(PowerOptions{})
	if err != nil || needed < 2 {
		t.Fatalf("%d blocks, %v", needed, err)
	}
	at := func(blocks int) float64 {
		stdError := math.Hypot(wide.SeedError, wide.BlockError*math.Sqrt(float64(wide.Blocks)/float64(blocks)))
		return tTestPower(4/stdError, wide.DF, 0.05)
	}
	if needed > 2 && (at(needed) < 0.8 || at(needed-1) >= 0.8) {
		t.Errorf("%d blocks have power %v, one less %v", needed, at(needed), at(needed-1))
	}
	wide.Difference = 0.01
	if _, err := wide.BlocksNeeded(PowerOptions{}); err == nil || !strings.Contains(err.Error(), "add runs") {
		t.Errorf("a difference far below the error of runs: %v", err)
	}

	// One run of each is the comparison without runs.
	alone, err := CompareSeeds(a[:1], b[:1], CompareOptions{Permutations: 99})
	if err != nil {
		t.Fatal(err)
	}
	plain, err := Compare(a[0], b[0], CompareOptions{Permutations: 99})
	if err != nil {
		t.Fatal(err)
	}
	if alone.P != plain.P || alone.Interval != plain.Interval || alone.SeedError != 0 || len(alone.Warnings) != 2 || !strings.Contains(alone.Warnings[0], "one run") {
		t.Errorf("one run of each: %+v, want %+v", alone, plain)
	}
	// Runs of the same blocks in which nothing differs but the runs: their variance alone.
	constant := make([]float64, 40)
	flat, err := CompareSeeds(runsOf(t, blocks, constant, 1, 2, 3), runsOf(t, blocks, constant, 0, 0, 0), CompareOptions{})
	if err != nil || flat.BlockError != 0 || flat.DF != 2 || math.Abs(flat.StdError-math.Sqrt(1.0/3)) > 1e-12 || !(flat.P > 0) {
		t.Errorf("no variance between blocks: %+v, %v", flat, err)
	}
	same, err := CompareSeeds(runsOf(t, blocks, constant, 1, 1), runsOf(t, blocks, constant, 0, 0), CompareOptions{})
	if err != nil || !math.IsNaN(same.P) || same.Reason == "" {
		t.Errorf("nothing varies: %+v, %v", same, err)
	}
}

// TestCompareSeeds_OneRun: without variance between blocks, one run against several is one
// score against a sample, t = d/(s·√(1 + 1/k)) with k − 1 degrees of freedom; a fixed model has
// no variance between runs, t = d/(s/√k).
func TestCompareSeeds_OneRun(t *testing.T) {
	t.Parallel()
	labels := make([]int, 40)
	for i := range labels {
		labels[i] = i / 4
	}
	blocks, err := NewBlocks(40, labels, BlockSpec{Kind: EpisodeBlocks})
	if err != nil {
		t.Fatal(err)
	}
	constant := make([]float64, 40)
	runs, one := runsOf(t, blocks, constant, 1, 2, 3, 6), runsOf(t, blocks, constant, 0.5)
	s := StandardDeviation([]float64{1, 2, 3, 6})
	for _, of := range []struct {
		fixed bool
		se    float64
		note  string
	}{{false, s * math.Sqrt(1.25), "assumed to vary"}, {true, s / 2, ""}} {
		for swap := range 2 {
			a, b, o := runs, one, CompareOptions{Fixed: [2]bool{false, of.fixed}}
			if swap == 1 {
				a, b, o.Fixed = one, runs, [2]bool{of.fixed, false}
			}
			c, err := CompareSeeds(a, b, o)
			if err != nil {
				t.Fatal(err)
			}
			within(t, "standard error", c.StdError, of.se, 1e-12)
			within(t, "degrees of freedom", c.DF, 3, 1e-9)
			within(t, "p", c.P, TTestP(c.Difference/of.se, 3), 1e-12)
			if (len(c.Warnings) > 0) != (of.note != "") || of.note != "" && !strings.Contains(c.Warnings[len(c.Warnings)-1], of.note) {
				t.Errorf("fixed %v: warnings %q", of.fixed, c.Warnings)
			}
		}
	}
}

func TestCompareSeedsErrors(t *testing.T) {
	t.Parallel()
	values := []float64{1, 2, 3, 5, 4, 6}
	blocks, err := NewBlocks(6, []int{0, 0, 1, 1, 2, 2}, BlockSpec{Kind: EpisodeBlocks})
	if err != nil {
		t.Fatal(err)
	}
	others, err := NewBlocks(6, []int{0, 0, 0, 1, 1, 1}, BlockSpec{Kind: EpisodeBlocks})
	if err != nil {
		t.Fatal(err)
	}
	a, foreign := runsOf(t, blocks, values, 0, 1), runsOf(t, others, values, 0, 1)
	for name, c := range map[string][2][]*Jackknifed{
		"no runs": {a, nil}, "other blocks": {a, foreign}, "other blocks in one model": {{a[0], foreign[0]}, a}, "nil": {a, {nil, nil}},
	} {
		if _, err := CompareSeeds(c[0], c[1], CompareOptions{}); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	if _, err := CompareSeeds(a, a, CompareOptions{Level: 2}); err == nil {
		t.Error("a level of 2 is accepted")
	}
	// Three blocks carry no test, but an interval.
	got, err := CompareSeeds(a, runsOf(t, blocks, values, 0.5, 3), CompareOptions{})
	if err != nil || !math.IsNaN(got.P) || got.Reason == "" || !got.Interval.Defined() {
		t.Errorf("three blocks: %+v, %v", got, err)
	}
}
