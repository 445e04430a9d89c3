// Ranks are compared with sums over all pairs of transitions; levels with what exchangeable episodes have.

package conformal

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"repscope/stat"
)

// naive is the definition of P, over all pairs of transitions.
func naive(untouched, t Transitions, phase bool) []float64 {
	steps := func(t Transitions) []int {
		seen := map[int]int{}
		out := make([]int, len(t.Errors))
		for i, e := range t.Episodes {
			out[i] = seen[e]
			seen[e]++
		}
		return out
	}
	share := func(list Transitions, steps []int, episode, step int, e float64) (share float64, present bool) {
		var larger, all float64
		for i, v := range list.Errors {
			if list.Episodes[i] != episode || phase && steps[i] != step {
				continue
			}
			all++
			if v >= e {
				larger++
			}
		}
		return larger / all, all > 0
	}
	others := slices.Compact(slices.Sorted(slices.Values(untouched.Episodes)))
	stepOf, stepOfUntouched := steps(t), steps(untouched)
	out := make([]float64, len(t.Errors))
	for i, e := range t.Errors {
		sum, _ := share(t, stepOf, t.Episodes[i], stepOf[i], e)
		bag := 1.0
		for _, episode := range others {
			if episode == t.Episodes[i] {
				continue
			}
			if s, present := share(untouched, stepOfUntouched, episode, stepOf[i], e); present {
				sum, bag = sum+s, bag+1
			}
		}
		out[i] = sum / bag
	}
	return out
}

// drawTransitions draws episodes of several lengths, whose rows are mixed, with ties.
func drawTransitions(t *rapid.T, label string, names []int) Transitions {
	var out Transitions
	for _, name := range names {
		for range rapid.IntRange(1, 7).Draw(t, label+" length") {
			out.Errors = append(out.Errors, float64(rapid.IntRange(0, 9).Draw(t, label+" error")))
			out.Episodes = append(out.Episodes, name)
		}
	}
	order := rapid.Permutation(indices(len(out.Errors))).Draw(t, label+" order")
	mixed := Transitions{make([]float64, len(order)), make([]int, len(order))}
	for i, k := range order {
		mixed.Errors[i], mixed.Episodes[i] = out.Errors[k], out.Episodes[k]
	}
	return mixed
}

func indices(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func TestP_AllPairs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		untouched := drawTransitions(t, "untouched", []int{4, 7, -2, 0, 9}[:rapid.IntRange(2, 5).Draw(t, "episodes")])
		violated := drawTransitions(t, "violated", []int{7, 30, 4})
		phase := rapid.Bool().Draw(t, "phase")
		r, err := NewReference(untouched, Options{Phase: phase})
		if err != nil {
			t.Fatal(err)
		}
		for _, list := range []Transitions{untouched, violated} {
			p, err := r.P(list)
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range naive(untouched, list, phase) {
				if math.Abs(p[i]-want) > 1e-12 || p[i] <= 0 || p[i] > 1 {
					t.Fatalf("p[%d] = %v, want %v", i, p[i], want)
				}
			}
		}
	})
}

// Weights are exact where the lengths have a common multiple: p is the nearest number to a ratio of integers.
func TestP_Exact(t *testing.T) {
	t.Parallel()
	var in Transitions
	for i := range 100 {
		in.Errors, in.Episodes = append(in.Errors, float64(-i)), append(in.Episodes, i%5)
	}
	r, err := NewReference(in, Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := r.P(in)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range p {
		if v != float64(i+1)/100 {
			t.Errorf("p[%d] = %v, want %v", i, v, float64(i+1)/100)
		}
	}
	shares, err := Shares(p, in.Episodes, 0.05)
	if err != nil || stat.Mean(shares) != 0.05 {
		t.Errorf("level %v (%v), want 0.05", shares, err)
	}
}

// Lengths whose least common multiple has more than 64 bits: p is never smaller than the ratio.
func TestP_LongMultiple(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	var in Transitions
	for e, length := range []int{53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103} {
		for range length {
			in.Errors, in.Episodes = append(in.Errors, r.NormFloat64()), append(in.Episodes, e)
		}
	}
	reference, err := NewReference(in, Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := reference.P(in)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range naive(in, in, false) {
		if p[i] < want-1e-15 || p[i] > want+1e-12 {
			t.Errorf("p[%d] = %v, want %v", i, p[i], want)
		}
	}
}

// In a bag of exchangeable episodes no share of transitions is above its level, whatever the errors are.
func TestP_Level(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := drawTransitions(t, "errors", []int{0, 1, 2, 3, 4, 5})
		r, err := NewReference(in, Options{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := r.P(in)
		if err != nil {
			t.Fatal(err)
		}
		for _, alpha := range []float64{0.01, 0.05, 0.3, 0.9} {
			shares, err := Shares(p, in.Episodes, alpha)
			if err != nil || stat.Mean(shares) > alpha+1e-12 {
				t.Fatalf("level %v: %v (%v)", alpha, stat.Mean(shares), err)
			}
		}
	})
}

func TestNewReference_Refused(t *testing.T) {
	t.Parallel()
	for want, in := range map[string]Transitions{
		"errors[1] is NaN":            {[]float64{1, math.NaN()}, []int{0, 1}},
		"2 errors and episodes of 1":  {[]float64{1, 2}, []int{0}},
		"1 untouched episode, want":   {[]float64{1, 2}, []int{3, 3}},
		"0 untouched episodes, want ": {},
	} {
		if _, err := NewReference(in, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	r, err := NewReference(Transitions{[]float64{1, 2, 3}, []int{0, 1, 2}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.P(Transitions{[]float64{math.Inf(1)}, []int{0}}); err == nil {
		t.Error("Inf is taken")
	}
}

func TestNeeded(t *testing.T) {
	t.Parallel()
	var in Transitions
	for i := range 60 {
		in.Errors, in.Episodes = append(in.Errors, float64(i)), append(in.Episodes, i/3)
	}
	for phase, want := range map[bool]string{
		false: "level: 1 % needs at least 34 episodes, found 20", true: "level: 1 % needs at least 100 episodes, found 20",
	} {
		r, err := NewReference(in, Options{Phase: phase})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Needed(0.01); err == nil || !stat.IsUndefined(err) || err.Error() != want {
			t.Errorf("phase %v: %v, want %q", phase, err, want)
		}
		if err := r.Needed(0.05); err != nil {
			t.Errorf("phase %v: 5 %% of 20 episodes: %v", phase, err)
		}
		if err := r.Needed(0); err == nil || stat.IsUndefined(err) {
			t.Errorf("level 0: %v", err)
		}
	}
}
