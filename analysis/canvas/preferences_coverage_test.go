// How often intervals of preferences hold, by simulation.

package canvas_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"repscope/analysis/canvas"
	"repscope/analysis/canvas/internal/faketest"
	"repscope/internal/runtest"
	"repscope/measure/score"
)

// opinions are simulated: models differ, designs of a model differ between samples, raters have favorite models, and a
// metric sees the design with an error.
type opinions struct {
	rng           *rand.Rand
	models        int
	sample, rater float64 // standard deviations of designs and of raters
}

// normals are draws for every model.
func (o *opinions) normals(sd float64) []float64 {
	out := make([]float64, o.models)
	for m := range out {
		out[m] = sd * o.rng.NormFloat64()
	}
	return out
}

// vote is what a rater says of two models.
func (o *opinions) vote(design, taste []float64, a, b int) canvas.Verdict {
	u := o.rng.Float64()
	difference := float64(a-b)/2 + design[a] - design[b] + taste[a] - taste[b] + math.Log(u/(1-u))
	switch {
	case difference > 0.3:
		return canvas.PrefersA
	case difference < -0.3:
		return canvas.PrefersB
	}
	return canvas.Tie
}

// truth are the strengths, and the share of pairs that the metric orders alike, of very many raters and samples.
func (o *opinions) truth(t *testing.T) (strengths []float64, share float64) {
	t.Helper()
	counts := map[[2]int]*score.Contest{}
	hits, pairs := 0.0, 0.0
	for range 500_000 {
		design, taste := o.normals(o.sample), o.normals(o.rater)
		a := o.rng.IntN(o.models - 1)
		b := a + 1 + o.rng.IntN(o.models-1-a)
		if counts[[2]int{a, b}] == nil {
			counts[[2]int{a, b}] = &score.Contest{A: a, B: b}
		}
		metric := float64(a-b)/2 + design[a] - design[b] + o.rng.NormFloat64()
		outcome := o.vote(design, taste, a, b)
		switch c := counts[[2]int{a, b}]; outcome {
		case canvas.PrefersA:
			c.Wins++
		case canvas.PrefersB:
			c.Losses++
		default:
			c.Ties++
		}
		if outcome != canvas.Tie {
			pairs++
			if (metric > 0) == (outcome == canvas.PrefersA) {
				hits++
			}
		}
	}
	var contests []score.Contest
	for a := range o.models {
		for b := a + 1; b < o.models; b++ {
			contests = append(contests, *counts[[2]int{a, b}])
		}
	}
	fit, err := score.BradleyTerry(o.models, contests, nil)
	if err != nil {
		t.Fatal(err)
	}
	return fit.Log, hits / pairs
}

// draw are the preferences of raters about two random pairs of every sample.
func (o *opinions) draw(samples, raters int) *faketest.Run {
	f := faketest.NewRun()
	var tastes [][]float64
	for range raters {
		tastes = append(tastes, o.normals(o.rater))
	}
	for s := range samples {
		design := o.normals(o.sample)
		for m := range o.models {
			f.Add(fmt.Sprint("s", s), fmt.Sprint("m", m), fmt.Sprintf("quality=%g", float64(m)/2+design[m]+o.rng.NormFloat64()/math.Sqrt2))
		}
		for r, taste := range tastes {
			for range 2 {
				a := o.rng.IntN(o.models - 1)
				b := a + 1 + o.rng.IntN(o.models-1-a)
				f.Preferences = append(f.Preferences, canvas.Preference{A: fmt.Sprintf("s%d-m%d", s, a), B: fmt.Sprintf("s%d-m%d", s, b),
					Verdict: o.vote(design, taste, a, b), Rater: fmt.Sprint("r", r)})
			}
		}
	}
	return f
}

// TestPreferences_Coverage measures how often intervals hold the truth; docs/statistics/calibration.md has its numbers.
func TestPreferences_Coverage(t *testing.T) {
	runtest.Long(t, "it simulates")
	t.Parallel()
	const draws, models = 300, 5
	for _, c := range []struct {
		name                string
		samples, raters     int
		sample, rater       float64
		least               float64 // coverage of strengths
		informationAtMost   float64
		informationIsEnough bool
	}{
		{name: "independent", samples: 20, raters: 8, least: 0.93, informationAtMost: 1, informationIsEnough: true},
		{name: "clustered", samples: 20, raters: 8, sample: 0.7, rater: 0.7, least: 0.90, informationAtMost: 0.8},
		{name: "few", samples: 8, raters: 4, sample: 0.7, rater: 0.7, least: 0.90, informationAtMost: 0.9},
		{name: "one rater", samples: 20, raters: 1, sample: 0.7, rater: 0, least: 0.90, informationAtMost: 1},
	} {
		o := &opinions{rng: rand.New(rand.NewPCG(43, uint64(c.samples*c.raters)+uint64(100*c.sample))), models: models, sample: c.sample, rater: c.rater}
		want, share := o.truth(t)
		held, information, shares, count, failed := 0.0, 0.0, 0.0, 0.0, 0
		for range draws {
			p := faketest.Analyzed(t, o.draw(c.samples, c.raters)).Preferences
			if ci := p.Metrics[0].Share.CI; ci.Low <= share && share <= ci.High {
				shares++
			}
			if len(p.Models.All) != models || !p.Models.All[0].CI.Defined() {
				failed++
				continue
			}
			for m, s := range p.Models.All {
				count++
				if s.CI.Low <= want[m] && want[m] <= s.CI.High {
					held++
				}
				if s.Information.Low <= want[m] && want[m] <= s.Information.High {
					information++
				}
			}
		}
		t.Logf("%s: strengths %.3f, by the information matrix %.3f, shares %.3f; %d of %d draws without an interval",
			c.name, held/count, information/count, shares/draws, failed, draws)
		if held/count < c.least || information/count > c.informationAtMost || shares/draws < 0.88 ||
			c.informationIsEnough && information/count < 0.93 {
			t.Errorf("%s: the intervals do not hold as often as documented", c.name)
		}
	}
}
