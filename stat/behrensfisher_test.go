// Sums of two Student's t and q values against mpmath and SciPy, and the level of comparisons of runs.

package stat

import (
	"math"
	"slices"
	"testing"
)

type goldenCorrections struct {
	Sums []struct {
		D, P  float64
		S, DF []float64
	}
	Families []struct{ P, Q []float64 }
}

func TestTwoErrorsGolden(t *testing.T) {
	t.Parallel()
	var g goldenCorrections
	readGolden(t, "corrections.json", &g)
	for _, c := range g.Sums {
		e := newTwoErrors(c.S[0], c.DF[0], c.S[1], c.DF[1])
		if got := e.p(-c.D); math.Abs(got-c.P) > 1e-4*c.P {
			t.Errorf("P(|%v·T_%v + %v·T_%v| ≥ %v) = %v, want %v", c.S[0], c.DF[0], c.S[1], c.DF[1], c.D, got, c.P)
		}
		width, err := e.quantile(0.05)
		if err != nil {
			t.Fatal(err)
		}
		within(t, "tail beyond the quantile", e.p(width), 0.05, 1e-9)
		q, err := StudentTQuantile(0.975, dfOf(width/math.Hypot(c.S[0], c.S[1]), 0.05))
		if err != nil {
			t.Fatal(err)
		}
		within(t, "the same quantile", q*math.Hypot(c.S[0], c.S[1])/width, 1, 1e-9)
	}
	// One error of almost nothing leaves Student's t of the other; of many degrees of freedom the normal law.
	within(t, "one error", newTwoErrors(1e-9, 4, 2, 3).p(5), TTestP(2.5, 3), 1e-7)
	within(t, "normal errors", newTwoErrors(3, 1e7, 4, 1e7).p(10), TTestP(2, math.Inf(1)), 1e-5)
}

func TestBenjaminiYekutieliGolden(t *testing.T) {
	t.Parallel()
	var g goldenCorrections
	readGolden(t, "corrections.json", &g)
	for _, c := range g.Families {
		for i, q := range BenjaminiYekutieli(c.P) {
			within(t, "q", q, c.Q[i], 1e-12)
		}
		withNaN := BenjaminiYekutieli(slices.Concat([]float64{math.NaN()}, c.P))
		if !math.IsNaN(withNaN[0]) || withNaN[1] != BenjaminiYekutieli(c.P)[0] {
			t.Errorf("NaN counts as a test: %v", withNaN)
		}
	}
	if len(BenjaminiYekutieli(nil)) != 0 {
		t.Error("q values of no tests")
	}
}

// TestCompareSeeds_Level: equal models are called different in at most 5 % of draws, and in at most 0.2 % at that
// level, which Holm's correction over 25 tests asks for. Effects of runs and of blocks have the same size in the
// difference, or those of blocks are a third.
func TestCompareSeeds_Level(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of studies")
	}
	t.Parallel()
	const draws, episodes = 1500, 12
	labels := make([]int, episodes)
	for i := range labels {
		labels[i] = i
	}
	blocks, err := NewBlocks(episodes, labels, BlockSpec{Kind: EpisodeBlocks})
	if err != nil {
		t.Fatal(err)
	}
	random := NewRandom(NewKey(17))
	for _, runs := range [][2]int{{1, 2}, {1, 3}, {3, 3}} {
		for _, spread := range []float64{1, 3} {
			five, least := 0, 0
			for range draws {
				var models [2][]*Jackknifed
				for k := range models {
					effects := make([]float64, episodes)
					for e := range effects {
						effects[e] = spread * random.Normal()
					}
					for range runs[k] {
						values, level := make([]float64, episodes), random.Normal()
						for e := range values {
							values[e] = level + effects[e]
						}
						j, err := JackknifeMean(blocks, values)
						if err != nil {
							t.Fatal(err)
						}
						models[k] = append(models[k], j)
					}
				}
				c, err := CompareSeeds(models[0], models[1], CompareOptions{Permutations: 1})
				if err != nil {
					t.Fatal(err)
				}
				if (c.P < 0.05) != (c.Interval.Low > 0 || c.Interval.High < 0) {
					t.Fatalf("p %v and interval %v do not agree", c.P, c.Interval)
				}
				if c.P < 0.05 {
					five++
				}
				if c.P < 0.002 {
					least++
				}
			}
			// Two Monte-Carlo errors above the level.
			if float64(five)/draws > 0.05+2*math.Sqrt(0.05*0.95/draws) || float64(least)/draws > 0.002+2*math.Sqrt(0.002/draws) {
				t.Errorf("%v runs, spread of blocks %v: %d and %d of %d equal models differ at 5 and 0.2 %%", runs, spread, five, least, draws)
			}
			t.Logf("%v runs, spread of blocks %v: %.1f %%, %.2f %%", runs, spread, 100*float64(five)/draws, 100*float64(least)/draws)
		}
	}
}
