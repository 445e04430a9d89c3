// Tests of the agreement of metrics with ratings, against SciPy.

package canvas_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"repscope/analysis/canvas"
	"repscope/analysis/canvas/internal/faketest"
	"repscope/report"
	"repscope/stat"
)

// rated is the run of testdata/agreement.json.
func ratedRun(t *testing.T) (f *faketest.Run, golden map[string]any) {
	t.Helper()
	data, err := os.ReadFile("testdata/agreement.json")
	if err != nil {
		t.Fatal(err)
	}
	var g struct {
		Score   [][]float64
		Ratings [][][]*float64
	}
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &golden); err != nil {
		t.Fatal(err)
	}
	f = faketest.NewRun()
	for s := range g.Score {
		for m, v := range g.Score[s] {
			c := f.Add(fmt.Sprint("s", s), fmt.Sprint("m", m), fmt.Sprintf("quality=%g", v))
			for r, rating := range g.Ratings[s][m] {
				if rating != nil {
					f.Ratings = append(f.Ratings, canvas.Rating{c.ID, fmt.Sprint("r", r), *rating})
				}
			}
		}
	}
	return f, golden
}

func TestAgreement(t *testing.T) {
	t.Parallel()
	f, golden := ratedRun(t)
	f.Ratings = append(f.Ratings, canvas.Rating{"elsewhere", "r0", 3})
	kinds := faketest.Kinds()
	kinds[0].Keys[0].Low, kinds[0].Keys[0].High = math.Inf(-1), math.Inf(1)
	worse := kinds[2]
	worse.Name, worse.Keys = "worse", []canvas.Key{{Name: "worse", Direction: report.Lower, Low: math.Inf(-1), High: math.Inf(1)}}
	worse.Score = func(_ *canvas.Pair, row *canvas.Row) error { row.Set("worse", -row.Values["quality"].V); return nil }
	a := faketest.Analyzed(t, f, func(o *canvas.Options) { o.Kinds = append(kinds, worse) }).Agreement
	same := func(name string, got report.Value, want any) {
		t.Helper()
		if math.Abs(got.V-want.(float64)) > 1e-12 {
			t.Errorf("%s: %+v, want %v", name, got, want)
		}
	}
	m := a.Metrics[0]
	same("Spearman", m.Spearman.Value, golden["spearman"])
	same("Spearman within models", m.SpearmanWithin.Value, golden["spearman_within"])
	same("Kendall", m.Kendall.Value, golden["kendall"])
	same("pairs", m.PairAccuracy.Value, golden["pair_accuracy"])
	same("one against the rest", a.Rest.Value, golden["one_against_rest"])
	want := int(golden["pairs"].(float64))
	if m.Pairs != want || a.Cases != 48 || a.Samples != 12 || a.Raters != 3 || a.Ratings != len(f.Ratings)-1 {
		t.Errorf("%d pairs, want %d: %+v", m.Pairs, want, a)
	}
	for name, ci := range map[string]report.Interval{"Spearman": m.Spearman.CI, "within": m.SpearmanWithin.CI, "Kendall": m.Kendall.CI, "pairs": m.PairAccuracy.CI,
		"alpha": a.Alpha.CI, "rest": a.Rest.CI} {
		if !ci.Defined() || ci.Low >= ci.High || ci.High > 1 {
			t.Errorf("%s: interval %+v", name, ci)
		}
	}
	// Of a metric that is better when lower the correlation turns, and the pairs stay.
	last := a.Metrics[len(a.Metrics)-1]
	if math.Abs(last.Spearman.V+m.Spearman.V) > 1e-12 || last.PairAccuracy != m.PairAccuracy {
		t.Errorf("lower is better: %+v, higher: %+v", last, m)
	}
	if size := a.Metrics[1]; size.PairAccuracy.Defined() || size.PairAccuracy.Reason != "the metric has no better direction" {
		t.Errorf("pairs by size: %+v", size.PairAccuracy)
	}
	if calls := a.Metrics[2]; calls.N != 0 || calls.Spearman.Reason != "no trace is given" {
		t.Errorf("calls: %+v", calls)
	}
}

// What cannot be said of few or equal ratings is null with the reason.
func TestAgreementOfLittle(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ratings []canvas.Rating
		check   func(a *canvas.Agreement) bool
	}{
		"elsewhere": {[]canvas.Rating{{"x", "", 1}}, func(a *canvas.Agreement) bool {
			return a.Cases == 0 && a.Metrics[0].Spearman.Reason == "no case of this run has a rating" &&
				a.Alpha.Reason == "no item has two ratings"
		}},
		"one": {[]canvas.Rating{{"gid0-0-small", "", 1}}, func(a *canvas.Agreement) bool {
			return a.Metrics[0].N == 1 && !a.Metrics[0].Spearman.Defined() && a.Metrics[0].Spearman.Reason != "" &&
				!a.Metrics[0].PairAccuracy.Defined()
		}},
		"equal": {[]canvas.Rating{
			{"gid0-0-small", "", 1}, {"gid0-0-large", "", 1}, {"gid1-1-small", "", 1}, {"gid1-1-large", "", 1},
		}, func(a *canvas.Agreement) bool {
			return a.Metrics[0].Spearman.Reason != "" && a.Metrics[0].PairAccuracy.Reason == "all designs of a "+
				"sample have equal ratings"
		}},
	} {
		f := faketest.Tree()
		f.Ratings = c.ratings
		if a := faketest.Analyzed(t, f).Agreement; !c.check(a) {
			t.Errorf("%s: %+v", name, a)
		}
	}
}

// TestEqualMeans: cases of equal mean ratings tie, as the sums of their cents say, whatever floating-point sums do.
func TestEqualMeans(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(62, 1))
	f := faketest.NewRun()
	var sums, scores []float64
	for s := range 20 {
		for m := range 3 {
			score := float64(rng.IntN(30))
			c := f.Add(fmt.Sprint("s", s), fmt.Sprint("m", m), fmt.Sprintf("quality=%g", score))
			sum := 0
			for r := range 3 {
				cents := 10*rng.IntN(10) + 1
				sum += cents
				f.Ratings = append(f.Ratings, canvas.Rating{c.ID, fmt.Sprint("r", r), float64(cents) / 100})
			}
			sums, scores = append(sums, float64(sum)), append(scores, score)
		}
	}
	pairs := 0
	for i := range sums {
		for j := i + 1; j < len(sums) && j/3 == i/3; j++ {
			if sums[i] != sums[j] {
				pairs++
			}
		}
	}
	m := faketest.Analyzed(t, f, func(*canvas.Options) {}).Agreement.Metrics[0]
	spearman, err := stat.Spearman(scores, sums)
	if err != nil || m.Spearman.V != spearman.Coefficient || m.Pairs != pairs {
		t.Errorf("rho %v of %d pairs, want %v of %d, %v", m.Spearman.V, m.Pairs, spearman.Coefficient, pairs, err)
	}
}

// Where a metric is right about all pairs, the interval is one of the number of samples and models; two models have none.
func TestAgreementOfPairsAllRight(t *testing.T) {
	t.Parallel()
	for models, want := range map[int]float64{3: 0.292, 5: 0.478} { // Clopper–Pearson: 0.025^(1/n)
		f := faketest.NewRun()
		for s := range 8 {
			for m := range models {
				c := f.Add(fmt.Sprint("s", s), fmt.Sprint("m", m), fmt.Sprintf("quality=%g", float64(m)+float64(s%3)))
				f.Ratings = append(f.Ratings, canvas.Rating{c.ID, "r", float64(m) + float64(s%3)})
			}
		}
		p := faketest.Analyzed(t, f).Agreement.Metrics[0].PairAccuracy
		if p.V != 1 || p.CI.High != 1 || math.Abs(p.CI.Low-want) > 0.001 {
			t.Errorf("%d models: pairs right %+v, want a low end of %v", models, p, want)
		}
	}
	f := faketest.NewRun()
	for s := range 8 {
		for m := range 2 {
			c := f.Add(fmt.Sprint("s", s), fmt.Sprint("m", m), fmt.Sprintf("quality=%d", (3*s+5*m)%7))
			f.Ratings = append(f.Ratings, canvas.Rating{c.ID, "r", float64((s + 3*m) % 5)})
		}
	}
	if m := faketest.Analyzed(t, f).Agreement.Metrics[0]; m.Spearman.CI.Defined() || !m.SpearmanWithin.CI.Defined() ||
		m.Spearman.CI.Reason != "only 2 models, want one or at least 3: see the correlation within models" {
		t.Errorf("two models: %+v", m)
	}
}
