// Alarms of untouched and changed episodes, and which of them a later transition can change: none.

package conformal

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"repscope/stat"
)

// autoregressive draws episodes of errors with scales of their begin.
func autoregressive(r *rand.Rand, episodes, length int, rho float64) Transitions {
	var out Transitions
	for e := range episodes {
		level, v := r.NormFloat64(), r.NormFloat64()
		for range length {
			v = rho*v + math.Sqrt(1-rho*rho)*r.NormFloat64()
			out.Errors, out.Episodes = append(out.Errors, math.Exp((v+level)/2)), append(out.Episodes, e)
		}
	}
	return out
}

// changed multiplies the errors of some episodes from a step on.
func changed(t Transitions, factor float64, step int) Transitions {
	out := Transitions{slices.Clone(t.Errors), t.Episodes}
	seen := map[int]int{}
	for i, e := range t.Episodes {
		if seen[e] >= step {
			out.Errors[i] *= factor
		}
		seen[e]++
	}
	return out
}

func raised(alarms []Alarm) float64 {
	n := 0
	for _, a := range alarms {
		if a.Step >= 0 {
			n++
		}
	}
	return float64(n) / float64(len(alarms))
}

// Among the untouched episodes themselves the rate is exact: the largest value of one of 100 raises an alarm.
func TestEpisodeAlarms_Level(t *testing.T) {
	t.Parallel()
	untouched := autoregressive(rand.New(rand.NewPCG(5, 6)), 200, 30, 0.9)
	r, err := NewReference(untouched, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for level, want := range map[float64]float64{0.01: 0.01, 0.05: 0.05} {
		alarms, err := r.EpisodeAlarms(untouched, level)
		if err != nil {
			t.Fatal(err)
		}
		if raised(alarms) > want {
			t.Errorf("level %v: %v", level, raised(alarms))
		}
		for _, a := range alarms {
			if (a.Step >= 0) != (a.P <= level) {
				t.Errorf("alarm %+v at level %v", a, level)
			}
		}
	}
	large, err := r.EpisodeAlarms(changed(untouched, 1000, 15), 0.01)
	if err != nil || raised(large) != 1 {
		t.Fatalf("%v of episodes with large errors (%v), want all", raised(large), err)
	}
	for _, a := range large {
		if a.Step >= 0 && a.Step < 15 && a.P > 0.005 {
			t.Errorf("alarm %+v before the change", a)
		}
	}
}

func TestInnovationAlarms_Change(t *testing.T) {
	t.Parallel()
	untouched := autoregressive(rand.New(rand.NewPCG(7, 8)), 16, 400, 0.5)
	r, err := NewReference(untouched, Options{})
	if err != nil {
		t.Fatal(err)
	}
	alarms, err := r.InnovationAlarms(untouched, 0.01)
	if err != nil || raised(alarms) > 0 {
		t.Errorf("%v of untouched episodes (%v), want none", raised(alarms), err)
	}
	alarms, err = r.InnovationAlarms(changed(untouched, math.E, 200), 0.01)
	if err != nil || raised(alarms) < 0.9 {
		t.Errorf("%v of changed episodes (%v), want nearly all", raised(alarms), err)
	}
	for _, a := range alarms {
		if a.Step >= 0 && (a.Step < 200 || a.P > 0.01) {
			t.Errorf("alarm %+v, want one after step 200", a)
		}
	}
}

// Errors that rise, or jump, in all episodes alike raise no alarm. Further ones of a changed episode do.
func TestInnovationAlarms_SharedCourse(t *testing.T) {
	t.Parallel()
	for name, course := range map[string]func(step int) float64{
		"line": func(step int) float64 { return float64(step) / 200 },
		"step": func(step int) float64 { return float64(2 * (step / 200)) },
		"wave": func(step int) float64 { return math.Sin(float64(step) / 30) },
	} {
		untouched := autoregressive(rand.New(rand.NewPCG(17, 18)), 16, 400, 0.5)
		seen := map[int]int{}
		for i, e := range untouched.Episodes {
			untouched.Errors[i] *= math.Exp(course(seen[e]) / 2)
			seen[e]++
		}
		r, err := NewReference(untouched, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if alarms, err := r.InnovationAlarms(untouched, 0.01); err != nil || raised(alarms) > 0 {
			t.Errorf("%s: %v of untouched episodes (%v), want none", name, raised(alarms), err)
		}
		if alarms, err := r.InnovationAlarms(changed(untouched, math.E, 200), 0.01); err != nil || raised(alarms) < 0.9 {
			t.Errorf("%s: %v of changed episodes (%v), want nearly all", name, raised(alarms), err)
		}
	}
}

// The mean over other episodes is that of the episodes that have the step, and the last one behind them.
func TestCourse(t *testing.T) {
	t.Parallel()
	untouched := Transitions{[]float64{1, 2, 3, 4, 5, 6, 7}, []int{0, 0, 1, 1, 1, 2, 2}}
	r, err := NewReference(untouched, Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := r.course()
	for _, e := range append(r.episodes, episode{name: 9, errors: []float64{3.5, 4.5, 1, 8, 2}}) {
		got, mean := c.around(r, e.name, r.normalScores(e)), 0.0
		for step, y := range r.normalScores(e) {
			sum, n := 0.0, 0.0
			for _, other := range r.episodes {
				if other.name != e.name && step < len(other.errors) {
					sum, n = sum+r.normalScores(other)[step], n+1
				}
			}
			if n > 0 {
				mean = sum / n
			}
			if math.Abs(got[step]-(y-mean)) > 1e-12 {
				t.Errorf("episode %d, step %d: %v, want %v", e.name, step, got[step], y-mean)
			}
		}
	}
}

// An alarm never depends on later transitions.
func TestAlarms_NoLaterTransitions(t *testing.T) {
	t.Parallel()
	untouched := autoregressive(rand.New(rand.NewPCG(9, 10)), 100, 60, 0.5)
	r, err := NewReference(untouched, Options{})
	if err != nil {
		t.Fatal(err)
	}
	violated := changed(untouched, 50, 30)
	for name, watch := range map[string]func(Transitions, float64) ([]Alarm, error){
		"episodes": r.EpisodeAlarms, "innovations": r.InnovationAlarms,
	} {
		whole, err := watch(violated, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range whole {
			if a.Step < 0 {
				continue
			}
			var begin Transitions
			for i, e := range untouched.Episodes {
				if e == a.Episode && len(begin.Errors) <= a.Step {
					begin.Errors = append(begin.Errors, violated.Errors[i])
					begin.Episodes = append(begin.Episodes, e)
				}
			}
			cut, err := watch(begin, 0.05)
			if err != nil || len(cut) != 1 || cut[0].Step != a.Step {
				t.Fatalf("%s: %+v from its first %d transitions (%v), want %+v", name, cut, a.Step+1, err, a)
			}
		}
	}
}

func TestAlarms_Reasons(t *testing.T) {
	t.Parallel()
	draw := rand.New(rand.NewPCG(11, 12))
	few := autoregressive(draw, 16, 20, 0)
	r, err := NewReference(few, Options{})
	if err != nil {
		t.Fatal(err)
	}
	const want = "1 % needs at least 100 episodes, found 16"
	if _, err := r.EpisodeAlarms(few, 0.01); !stat.IsUndefined(err) || !strings.Contains(err.Error(), want) {
		t.Errorf("16 episodes: %v", err)
	}
	for _, level := range []float64{0, 1, math.NaN()} {
		if _, err := r.InnovationAlarms(few, level); err == nil {
			t.Errorf("level %v is taken", level)
		}
	}
	for want, in := range map[string]Transitions{
		"needs at least 5 untouched episodes, found 4": autoregressive(draw, 4, 20, 0),
		"more than 5 transitions, found 5.0":           autoregressive(draw, 6, 5, 0),
	} {
		r, err := NewReference(in, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.InnovationAlarms(in, 0.01); !stat.IsUndefined(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// Equal errors, of a predictor that copies a frozen state, are no alarm.
func TestAlarms_Constant(t *testing.T) {
	t.Parallel()
	in := Transitions{make([]float64, 1000), make([]int, 1000)}
	for i := range in.Episodes {
		in.Episodes[i] = i / 10
	}
	r, err := NewReference(in, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, watch := range []func(Transitions, float64) ([]Alarm, error){r.EpisodeAlarms, r.InnovationAlarms} {
		if alarms, err := watch(in, 0.01); err != nil || raised(alarms) > 0 {
			t.Errorf("%v of constant errors (%v)", raised(alarms), err)
		}
	}
}

// The largest numbers do not overflow to NaN.
func TestAlarms_Largest(t *testing.T) {
	t.Parallel()
	in := Transitions{make([]float64, 1000), make([]int, 1000)}
	for i := range in.Errors {
		in.Episodes[i], in.Errors[i] = i/10, math.MaxFloat64*float64(i%3-1)
	}
	r, err := NewReference(in, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, watch := range []func(Transitions, float64) ([]Alarm, error){r.EpisodeAlarms, r.InnovationAlarms} {
		alarms, err := watch(in, 0.01)
		if err != nil || raised(alarms) > 0.01 {
			t.Errorf("%v of the largest errors (%v)", raised(alarms), err)
		}
		for _, a := range alarms {
			if !(a.P > 0 && a.P <= 1) {
				t.Errorf("alarm %+v", a)
			}
		}
	}
}

func TestEarlierRanks(t *testing.T) {
	t.Parallel()
	got, want := earlierRanks([]float64{3, 1, 3, 2, 5, 0}), []float64{1, 1, 2. / 3, 3. / 4, 1. / 5, 1}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// The correlation of autoregressive series is found from short episodes.
func TestLag(t *testing.T) {
	t.Parallel()
	for _, rho := range []float64{-0.5, 0, 0.5, 0.8, 0.95} {
		var all lag
		in := autoregressive(rand.New(rand.NewPCG(13, 14)), 3000, 20, rho)
		for e := range 3000 {
			y := make([]float64, 20)
			for i := range y {
				y[i] = math.Log(in.Errors[20*e+i])
			}
			all = all.plus(lagOf(y), 1)
		}
		if got := all.rho(); math.Abs(got-rho) > 0.02 {
			t.Errorf("ρ = %v, want %v", got, rho)
		}
	}
}
