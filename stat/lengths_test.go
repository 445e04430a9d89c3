// Tests of lengths of episodes that go with their values.

package stat

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestLengthsOf(t *testing.T) {
	t.Parallel()
	// Episode e has e + 1 observations of e: the mean over observations is Σ e·(e+1)/Σ (e+1).
	var values []float64
	var episodes []int
	for e := range 8 {
		for range e + 1 {
			values, episodes = append(values, float64(e)), append(episodes, e)
		}
	}
	values, episodes = append(values, math.NaN()), append(episodes, 3)
	l, err := LengthsOf(values, episodes)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "mean", l.Mean, 168./36, 1e-12)
	near(t, "mean of episodes", l.EpisodeMean.Estimate, 3.5, 1e-12)
	near(t, "standard error", l.EpisodeMean.StdError, math.Sqrt(6./8), 1e-12)
	if w := l.Warning("m: error", "state", "episode"); l.Rho != 1 || !l.Go() || !strings.Contains(w, "longer episodes have higher values") {
		t.Errorf("%+v: %s", l, w)
	}
	for i := range episodes {
		episodes[i] = i % 6
	}
	if l, err = LengthsOf(values[:36], episodes[:36]); err != nil || l.Go() || l.Warning("m", "state", "episode") != "" {
		t.Errorf("equal lengths: %+v, %v", l, err)
	}
	if _, err := LengthsOf(values[:4], []int{0, 1, 2, 3}); Reason(err) != "4 episodes, want at least 5" {
		t.Errorf("few: %v", err)
	}
	if _, err := LengthsOf(values[:4], nil); !IsUndefined(err) {
		t.Errorf("no labels: %v", err)
	}
}

// Ratios go with their denominators as means go with lengths.
func TestLengthsOfRatio(t *testing.T) {
	t.Parallel()
	numerators, denominators := []float64{5}, []float64{0} // left out
	for e := range 8 {
		numerators, denominators = append(numerators, float64(e*(e+1))), append(denominators, float64(e+1))
	}
	l, err := LengthsOfRatio(numerators, denominators)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "mean", l.Mean, 168./36, 1e-12)
	near(t, "mean of episodes", l.EpisodeMean.Estimate, 3.5, 1e-12)
	w := l.Warning("m: loss", "residue", "sequence")
	if l.Rho != 1 || !strings.Contains(w, "longer sequences have higher values") {
		t.Errorf("%+v: %s", l, w)
	}
	if _, err := LengthsOfRatio(numerators[:5], denominators[:5]); Reason(err) != "4 episodes, want at least 5" {
		t.Errorf("few: %v", err)
	}
	if _, err := LengthsOfRatio(numerators, denominators[:5]); !IsUndefined(err) {
		t.Errorf("unequal numbers: %v", err)
	}
}

// Unrelated lengths are rarely told, and lengths that follow the values nearly always.
func TestLengthsRates(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of recordings")
	}
	t.Parallel()
	const draws = 2000
	for _, episodes := range []int{8, 20} {
		var told [3]float64
		held := 0.0 // mean over episodes, where lengths follow the values
		for d := range draws {
			r := rand.New(rand.NewPCG(uint64(d), uint64(episodes)))
			for kind := range told {
				var values []float64
				var of []int
				for e := range episodes {
					b := r.NormFloat64()
					length := 25 * math.Exp(.6*b)
					if kind == 0 {
						length = 25 * math.Exp(.6*r.NormFloat64())
					}
					score := b
					if kind == 2 {
						score = math.Exp(b)
					}
					for range max(2, int(length)) {
						values, of = append(values, score+.5*r.NormFloat64()), append(of, e)
					}
				}
				l, err := LengthsOf(values, of)
				if err != nil {
					t.Fatal(err)
				}
				if l.Go() {
					told[kind] += 100. / draws
				}
				if ci := l.EpisodeMean.Interval; kind == 1 && ci.Low <= 0 && 0 <= ci.High {
					held += 100. / draws
				}
			}
		}
		t.Logf("%d episodes: told in %.1f %% of unrelated lengths, %.1f %% of scores, %.1f %% of skewed scores; the mean over episodes holds %.1f %%",
			episodes, told[0], told[1], told[2], held)
		if told[0] > 2 || told[1] < 90 || told[2] < 90 || held < 93 {
			t.Errorf("%d episodes: %v, %v", episodes, told, held)
		}
	}
}
