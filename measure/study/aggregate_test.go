// Comparison with rliable; see testdata/rliable_golden.py.

package study

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"repscope/stat"
)

type goldenStudy struct {
	Name   string
	Taus   []float64
	Models map[string]struct {
		Scores               ByTask
		IQM, Mean, Median    float64
		Gap                  float64
		GapHalf              float64      `json:"gap_half"`
		CI                   [][2]float64 // of IQM, mean, median, gap
		CITasks              [][2]float64 `json:"ci_tasks"`
		Profile, Average     []float64
		ProfileCI, AverageCI [][2]float64 `json:"-"`
	}
	Improvement map[string]struct {
		Value float64
		CI    [2]float64
	}
}

func readGolden(t testing.TB) []goldenStudy {
	t.Helper()
	text, err := os.ReadFile("testdata/golden.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden struct{ Studies []goldenStudy }
	if err := json.Unmarshal(text, &golden); err != nil {
		t.Fatal(err)
	}
	return golden.Studies
}

// matrix is the study with named axes.
func (g goldenStudy) matrix(t testing.TB) *Matrix {
	t.Helper()
	var scores []Score
	for _, model := range []string{"a", "b", "c"} {
		for task, runs := range g.Models[model].Scores {
			for run, v := range runs {
				scores = append(scores, Score{model, fmt.Sprint("task ", task), fmt.Sprint("seed ", run), v})
			}
		}
	}
	m, err := New(scores, MissingError)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func near(t *testing.T, name string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %v, want %v ± %v", name, got, want, tolerance)
	}
}

func TestGoldenPoints(t *testing.T) {
	t.Parallel()
	for _, g := range readGolden(t) {
		m := g.matrix(t)
		for name, want := range g.Models {
			scores := m.Scores(name)
			near(t, g.Name+" IQM", IQM(scores), want.IQM, 1e-12)
			near(t, g.Name+" mean", Mean(scores), want.Mean, 1e-12)
			near(t, g.Name+" median", Median(scores), want.Median, 1e-12)
			near(t, g.Name+" gap", OptimalityGap(1)(scores), want.Gap, 1e-12)
			near(t, g.Name+" gap at ½", OptimalityGap(0.5)(scores), want.GapHalf, 1e-12)
			for i, tau := range g.Taus {
				near(t, fmt.Sprint(g.Name, " profile at ", tau), RunProfile(tau)(scores), want.Profile[i], 1e-12)
				near(t, fmt.Sprint(g.Name, " average profile at ", tau), AverageProfile(tau)(scores), want.Average[i], 1e-12)
			}
		}
		for pair, want := range g.Improvement {
			near(t, g.Name+" improvement "+pair, Improvement(m.Scores(pair[:1]), m.Scores(pair[1:])), want.Value, 1e-12)
		}
	}
}

// The resampling is rliable's, with other random numbers: the ends of its intervals
// lie between our quantiles a little further out and a little further in. (Quantiles
// may be far apart: medians and tied scores have lumps.)
func TestGoldenIntervals(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: many resamples")
	}
	t.Parallel()
	for _, g := range readGolden(t) {
		m := g.matrix(t)
		check := func(what string, want [2]float64, estimate func(o Options) (Estimate, error)) {
			t.Helper()
			o := Options{Method: Percentile, Resamples: 4000, Seed: 1}
			var wide, narrow Estimate
			var err error
			if o.Level = 0.97; err == nil {
				wide, err = estimate(o)
			}
			if o.Level = 0.93; err == nil {
				narrow, err = estimate(o)
			}
			if err != nil {
				t.Fatal(err)
			}
			const rounding = 1e-12
			if want[0] < wide.Interval.Low-rounding || want[0] > narrow.Interval.Low+rounding {
				t.Errorf("%s, %s: low %v, want between %v and %v", g.Name, what, want[0], wide.Interval.Low, narrow.Interval.Low)
			}
			if want[1] > wide.Interval.High+rounding || want[1] < narrow.Interval.High-rounding {
				t.Errorf("%s, %s: high %v, want between %v and %v", g.Name, what, want[1], narrow.Interval.High, wide.Interval.High)
			}
		}
		for name, want := range g.Models {
			for i, s := range []Statistic{IQM, Mean, Median, OptimalityGap(1)} {
				check(fmt.Sprint("statistic ", i, " of ", name), want.CI[i], func(o Options) (Estimate, error) {
					return m.Estimate(context.Background(), name, s, o)
				})
				if len(m.Tasks) > 1 {
					check(fmt.Sprint("statistic ", i, " of ", name, " over tasks"), want.CITasks[i], func(o Options) (Estimate, error) {
						o.Tasks = true
						return m.Estimate(context.Background(), name, s, o)
					})
				}
			}
		}
		for pair, want := range g.Improvement {
			check("improvement "+pair, want.CI, func(o Options) (Estimate, error) {
				return m.Improvement(context.Background(), pair[:1], pair[1:], o)
			})
		}
	}
}

// The jackknife of a mean is its textbook error, s²/n of every task over the square of
// their number, and the bootstrap's has (n − 1)/n of that.
func TestErrorOfMean(t *testing.T) {
	t.Parallel()
	for _, g := range readGolden(t) {
		m := g.matrix(t)
		scores := m.Scores("a")
		var variance float64
		for _, runs := range scores {
			_, v := stat.MeanVariance(runs)
			variance += v / float64(len(runs)) / float64(len(scores)*len(scores))
		}
		e, err := m.Estimate(context.Background(), "a", Mean, Options{})
		if err != nil {
			t.Fatal(err)
		}
		near(t, g.Name+" standard error", e.StdError, math.Sqrt(variance), 1e-12)
		b, err := m.Estimate(context.Background(), "a", Mean, Options{Method: Percentile, Resamples: 4000})
		if err != nil {
			t.Fatal(err)
		}
		n := float64(len(scores[0]))
		near(t, g.Name+" bootstrap error", b.StdError, math.Sqrt(variance*(n-1)/n), 0.05*e.StdError)
	}
}
