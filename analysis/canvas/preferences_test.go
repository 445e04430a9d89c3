// Tests of strengths by preferences, and of the agreement of metrics with these.

package canvas_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"repscope/analysis/canvas"
	"repscope/analysis/canvas/internal/faketest"
	"repscope/measure/score"
	"repscope/report"
	"repscope/stat"
)

// preferringRun is a run of samples and models in which raters compare all models of a sample.
func preferringRun(samples, models, raters int) *faketest.Run {
	rng := rand.New(rand.NewPCG(43, uint64(samples)))
	f := faketest.NewRun()
	for s := range samples {
		quality := make([]float64, models)
		for m := range models {
			quality[m] = float64(m)/2 + rng.NormFloat64()
			f.Add(fmt.Sprint("s", s), fmt.Sprint("m", m), fmt.Sprintf("quality=%.1f", quality[m]+rng.NormFloat64()/2))
		}
		for r := range raters {
			for a := range models {
				for b := a + 1; b < models; b++ {
					difference := quality[a] - quality[b] + rng.NormFloat64()
					p := canvas.Preference{A: fmt.Sprintf("s%d-m%d", s, a), B: fmt.Sprintf("s%d-m%d", s, b), Rater: fmt.Sprint("r", r)}
					switch {
					case difference > 0.4:
						p.Verdict = canvas.PrefersA
					case difference < -0.4:
						p.Verdict = canvas.PrefersB
					}
					f.Preferences = append(f.Preferences, p)
				}
			}
		}
	}
	return f
}

// contestsWithout counts, in a naive way, the comparisons of models that keep holds.
func contestsWithout(f *faketest.Run, keep func(p canvas.Preference) bool) (out []score.Contest) {
	counts := map[[2]int][3]float64{}
	for _, p := range f.Preferences {
		if keep(p) {
			c := counts[[2]int{int(p.A[len(p.A)-1] - '0'), int(p.B[len(p.B)-1] - '0')}]
			c[p.Verdict+1]++
			counts[[2]int{int(p.A[len(p.A)-1] - '0'), int(p.B[len(p.B)-1] - '0')}] = c
		}
	}
	for pair, c := range counts {
		out = append(out, score.Contest{A: pair[0], B: pair[1], Losses: c[0], Ties: c[1], Wins: c[2]})
	}
	return out
}

// TestPreferences holds strengths and their intervals against fits of counts that are deleted one by one.
func TestPreferences(t *testing.T) {
	t.Parallel()
	const samples, models, raters = 6, 4, 5
	f := preferringRun(samples, models, raters)
	p := faketest.Analyzed(t, f).Preferences
	all, err := score.BradleyTerry(models, contestsWithout(f, func(canvas.Preference) bool { return true }), nil)
	if err != nil {
		t.Fatal(err)
	}
	errs, err := all.StdErrors()
	if err != nil {
		t.Fatal(err)
	}
	variance := func(item int, groups []func(p canvas.Preference) bool) float64 {
		var values []float64
		for _, in := range groups {
			fit, err := score.BradleyTerry(models, contestsWithout(f, func(p canvas.Preference) bool { return !in(p) }), nil)
			if err != nil {
				t.Fatal(err)
			}
			values = append(values, fit.Log[item])
		}
		n, mean, sum := float64(len(values)), stat.Mean(values), 0.0
		for _, v := range values {
			sum += (v - mean) * (v - mean)
		}
		return sum * (n - 1) / n
	}
	var bySample, byRater, byCell []func(p canvas.Preference) bool
	for s := range samples {
		in := func(p canvas.Preference) bool { return strings.HasPrefix(p.A, fmt.Sprintf("s%d-", s)) }
		bySample = append(bySample, in)
		for r := range raters {
			byCell = append(byCell, func(p canvas.Preference) bool { return in(p) && p.Rater == fmt.Sprint("r", r) })
		}
	}
	for r := range raters {
		byRater = append(byRater, func(p canvas.Preference) bool { return p.Rater == fmt.Sprint("r", r) })
	}
	if p.Models.Deleted != "6 samples and 5 raters" || math.Abs(p.Models.Tie.V-all.Tie) > 1e-9 || p.Raters != raters ||
		p.Pairs != len(f.Preferences) || p.Designs != samples*models {
		t.Errorf("%+v", p)
	}
	for m, s := range p.Models.All {
		a, b, both := variance(m, bySample), variance(m, byRater), variance(m, byCell)
		v := max(a+b-both, a, b)
		df := max(raters-1, v*v/(a*a/(samples-1)+b*b/(raters-1)))
		quantile, err := stat.StudentTQuantile(0.975, df)
		if err != nil {
			t.Fatal(err)
		}
		half := quantile * math.Sqrt(v)
		if math.Abs(s.V-all.Log[m]) > 1e-8 || math.Abs(s.CI.High-s.V-half) > 1e-6 || math.Abs(s.Information.High-s.V-1.959964*errs[m]) > 1e-5 {
			t.Errorf("%s: %+v, want %v ± %v and ± %v", s.Name, s, all.Log[m], half, 1.96*errs[m])
		}
		if s.Wins+s.Losses+s.Ties != samples*raters*(models-1) {
			t.Errorf("%s: %+v", s.Name, s)
		}
	}
	// Comparisons within samples do not connect designs of different samples.
	if s := p.Cases.All[0]; s.Defined() || s.Reason !=
		"no finite estimate: no comparison connects s0-m0, s0-m1, s0-m2 and s0-m3 with s1-m0, s1-m1, s1-m2 and s1-m3 (6 groups)" {
		t.Errorf("%+v", s)
	}
	hits, pairs, ties := 0, 0, 0
	for _, v := range f.Preferences {
		var x, y float64
		fmt.Sscanf(f.Files[v.A+".json"], "quality=%g", &x)
		fmt.Sscanf(f.Files[v.B+".json"], "quality=%g", &y)
		switch {
		case v.Verdict == canvas.Tie:
		case x == y:
			ties++
		default:
			pairs++
			if x > y == (v.Verdict == canvas.PrefersA) {
				hits++
			}
		}
	}
	m := p.Metrics[0]
	if m.Pairs != pairs || m.Ties != ties || ties == 0 || math.Abs(m.Share.V-float64(hits)/float64(pairs)) > 1e-12 || !(m.Share.CI.Low < m.Share.V) {
		t.Errorf("%+v, want %d of %d, %d ties", m, hits, pairs, ties)
	}
	if size := p.Metrics[1]; size.Share.Reason != "the metric has no better direction" {
		t.Errorf("%+v", size)
	}
}

// preferencesText is the part of the result file.
func preferencesText(t *testing.T, f *faketest.Run, change ...func(*canvas.Options)) string {
	t.Helper()
	var out bytes.Buffer
	if err := report.Encode(&out, faketest.Analyzed(t, f, change...).Preferences.Object); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// The order of rows, which design is first, and the number of workers change nothing.
func TestPreferences_Order(t *testing.T) {
	t.Parallel()
	f := preferringRun(4, 3, 4)
	want := preferencesText(t, f)
	rng := rand.New(rand.NewPCG(43, 2))
	rng.Shuffle(len(f.Preferences), func(i, k int) { f.Preferences[i], f.Preferences[k] = f.Preferences[k], f.Preferences[i] })
	for i := range f.Preferences {
		if p := &f.Preferences[i]; rng.IntN(2) == 0 {
			p.A, p.B, p.Verdict = p.B, p.A, -p.Verdict
		}
	}
	if got := preferencesText(t, f, func(o *canvas.Options) { o.Workers = 3 }); got != want {
		t.Errorf("another order: %s\nwant %s", got, want)
	}
}

// Strengths and intervals that are not there say why, with names.
func TestPreferences_Undefined(t *testing.T) {
	t.Parallel()
	const a, b, c = "s0-m0", "s0-m1", "s0-m2"
	for name, test := range map[string]struct {
		rows             []canvas.Preference
		cases, interval  string // reasons
		pairs, allRaters int
	}{
		"unknown":   {[]canvas.Preference{{"x", b, 1, ""}}, "", "", 0, 0},
		"separated": {[]canvas.Preference{{a, b, 1, "r"}, {c, b, 1, "r"}, {b, c, 1, "r"}}, "no finite estimate: s0-m0 won all comparisons with s0-m1 and s0-m2", "", 3, 1},
		"ties":      {[]canvas.Preference{{a, b, 0, "r"}, {c, b, 0, "r"}}, "no finite estimate: too many ties, as no cycle in which each beat or tied the next has more wins than ties", "", 2, 1},
		"one rater": {[]canvas.Preference{{a, b, 1, "r"}, {a, b, -1, "r"}, {b, c, 1, "r"}, {b, c, -1, "r"}}, "", "only 1 rater, want at least 3", 4, 1},
		"no names":  {[]canvas.Preference{{a, b, 1, ""}, {a, b, -1, ""}, {b, c, 1, ""}, {b, c, -1, ""}}, "", "the raters are not named, want at least 3", 4, 0},
		"deletion": {[]canvas.Preference{{a, b, 1, "r"}, {a, b, -1, "q"}, {b, a, 1, "p"}}, "",
			"there is no finite estimate without some of 3 raters", 3, 3},
	} {
		f := preferringRun(3, 3, 1)
		f.Preferences = test.rows
		p := faketest.Analyzed(t, f).Preferences
		if p.Pairs != test.pairs || p.Raters != test.allRaters {
			t.Errorf("%s: %+v", name, p)
		}
		for _, s := range p.Cases.All {
			if s.Reason != test.cases || test.interval != "" && s.CI.Reason != test.interval || test.interval != "" && !s.Information.Defined() {
				t.Errorf("%s: %+v", name, s)
			}
		}
	}
}

func TestReadPreferences(t *testing.T) {
	t.Parallel()
	got, err := canvas.ReadPreferences("p.csv", []byte("\ufeffDesign_A;Design_B;Winner;Rater\nx;y;A;ann\ny;z;z;bob\nx;z;Tie;ann\nx;z;;ann\nx;z;case_b;ann\n"))
	want := []canvas.Preference{{"x", "y", canvas.PrefersA, "ann"}, {"y", "z", canvas.PrefersB, "bob"}, {"x", "z", canvas.Tie, "ann"},
		{"x", "z", canvas.PrefersB, "ann"}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, want %v (%v)", got, want, err)
	}
	for text, want := range map[string]string{
		"":                                                "the table is empty",
		"case_a,winner\nx,a\n":                            `there is no column "case_b"; the columns are case_a, winner, want case_a, case_b, winner`,
		"case_a,case_b,winner\nx,y,q\n":                   `line 2: the winner of x and y is "q", want a, b, tie or one of the cases`,
		"case_a,case_b,winner\nx,x,a\n":                   "x is compared with itself",
		"case_a,case_b,winner\n,x,a\n":                    "line 2 does not name two cases",
		"case_a,case_b,winner\nx,y,\n":                    "no preferences",
		"case_a,case_b,winner\nx,a,a\n":                   `line 2: the winner "a" of x and a has two meanings; write case_a or case_b`,
		"case_a,case_b,winner\nx,y\n":                     "line 2 does not have the same number of cells as the first line",
		"case_a,design_a,case_b,winner\n":                 "the columns case_a and design_a both contain case_a",
		"case_a,case_b,winner,rater\nx,y,a,ann\nx,y,b,\n": "names a rater or none, unlike the first; want a rater in every row, or no such column",
	} {
		_, err := canvas.ReadPreferences("p.csv", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "p.csv: ") {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
		}
	}
}

func FuzzReadPreferences(f *testing.F) {
	f.Add([]byte("case_a,case_b,winner,rater\nx,y,a,ann\ny,z,tie,bob\n"))
	f.Add([]byte("\ufeffdesign_a;design_b;winner\r\nx;y;y"))
	f.Fuzz(func(t *testing.T, data []byte) {
		preferences, err := canvas.ReadPreferences("f", data)
		if (err == nil) != (len(preferences) > 0) {
			t.Errorf("%d preferences and the error %v", len(preferences), err)
		}
		if err == nil && !canvas.HasPreferences("f", data) {
			t.Error("a table of preferences is not known as one")
		}
	})
}

// BenchmarkPreferences reads and fits 10^6 rows of 10 models, 100 samples and 200 raters.
func BenchmarkPreferences(b *testing.B) {
	var table bytes.Buffer
	table.WriteString("case_a,case_b,winner,rater\n")
	rng := rand.New(rand.NewPCG(43, 3))
	for i := range 1_000_000 {
		s, m := i%100, rng.IntN(10)
		fmt.Fprintf(&table, "s%d-m%d,s%d-m%d,%s,r%d\n", s, m, s, (m+1+rng.IntN(9))%10, []string{"a", "b", "tie"}[rng.IntN(3)], rng.IntN(200))
	}
	f := preferringRun(100, 10, 0)
	o := canvas.Options{Setting: &canvas.Setting{Definition: canvas.DefinitionDefault, Seed: 42}, Kinds: faketest.Kinds(), Workers: 1}
	o.Intervals, o.Family = true, "metric"
	for b.Loop() {
		var err error
		if f.Preferences, err = canvas.ReadPreferences("p.csv", table.Bytes()); err != nil {
			b.Fatal(err)
		}
		if _, err = canvas.Analyze(b.Context(), f.Input, o); err != nil {
			b.Fatal(err)
		}
	}
}
