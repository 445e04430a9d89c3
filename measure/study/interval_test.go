// Intervals: the same bytes for any number of threads, borders, and what is undefined.

package study

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"repscope/stat"
)

// small is a study of three models, c best, with some runs more in the first task.
func small(t testing.TB, tasks, runs int) *Matrix {
	t.Helper()
	random := stat.NewRandom(stat.NewKey(5, uint64(tasks), uint64(runs)))
	var scores []Score
	for k, model := range []string{"a", "b", "c"} {
		for task := range tasks {
			n := runs
			if task == 0 && k == 1 {
				n++
			}
			for run := range n {
				scores = append(scores, Score{model, fmt.Sprint(task), fmt.Sprint(run), 1 + float64(k/2) + 0.3*random.Normal()})
			}
		}
	}
	m, err := New(scores, MissingError)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// all makes every estimate of a study.
func all(t *testing.T, m *Matrix, o Options) map[string]Estimate {
	t.Helper()
	ctx, out := context.Background(), map[string]Estimate{}
	put := func(name string, e Estimate, err error) {
		if err != nil {
			t.Fatal(name, err)
		}
		out[name] = e
	}
	e, err := m.Estimate(ctx, "a", IQM, o)
	put("IQM", e, err)
	e, err = m.Difference(ctx, "c", "a", Mean, o)
	put("difference", e, err)
	e, err = m.Improvement(ctx, "b", "a", o)
	put("improvement", e, err)
	e, err = m.GeometricMeanRatio(ctx, "c", "a", o)
	put("ratio", e, err)
	ranks, err := m.AverageRanks(ctx, o)
	put("rank", ranks[0], err)
	for name, profile := range map[string]func(context.Context, string, []float64, Options) ([]Estimate, error){"runs": m.RunProfile, "averages": m.AverageProfile} {
		list, err := profile(ctx, "a", []float64{0.9, 1.1}, o)
		put("profile of "+name, list[1], err)
	}
	return out
}

func TestThreads(t *testing.T) {
	t.Parallel()
	m := small(t, 4, 3)
	for _, method := range []Method{Jackknife, Percentile} {
		for _, tasks := range []bool{false, true} {
			o := Options{Method: method, Tasks: tasks, Resamples: 200, Seed: 3, Threads: 1}
			one := all(t, m, o)
			o.Threads = 3
			three := all(t, m, o)
			for name, e := range one {
				// NaN is not equal to itself.
				if a, b := fmt.Sprintf("%#v", e), fmt.Sprintf("%#v", three[name]); a != b {
					t.Errorf("%s, %v: %s with one thread, %s with three", name, method, a, b)
				}
				if !e.Interval.Defined() || e.Interval.Low > e.Value || e.Interval.High < e.Value {
					if name != "profile of averages" && method == Jackknife {
						t.Errorf("%s, %v, tasks %v: %v outside its interval %v", name, method, tasks, e.Value, e.Interval)
					}
				}
			}
		}
	}
}

// Another model in the study changes no interval of the others.
func TestOthersDoNotMatter(t *testing.T) {
	t.Parallel()
	m := small(t, 4, 3)
	var scores []Score
	for _, model := range []string{"z", "a"} {
		for task, runs := range m.Scores("a") {
			for run, v := range runs {
				if model == "z" {
					v = float64(run)
				}
				scores = append(scores, Score{model, fmt.Sprint(task), fmt.Sprint(run), v})
			}
		}
	}
	other, err := New(scores, MissingError)
	if err != nil {
		t.Fatal(err)
	}
	for _, method := range []Method{Jackknife, Percentile} {
		o := Options{Method: method, Resamples: 100}
		a, err := m.Estimate(context.Background(), "a", IQM, o)
		if err != nil {
			t.Fatal(err)
		}
		b, err := other.Estimate(context.Background(), "a", IQM, o)
		if err != nil || a.Interval != b.Interval {
			t.Errorf("%v: %v in one study, %v in another, %v", method, a.Interval, b.Interval, err)
		}
	}
}

func TestDegenerate(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	single, oneTask, equal := small(t, 4, 1).only(t, "a", "c"), small(t, 1, 5), small(t, 3, 3).mapped(func(int, float64) float64 { return 2 })
	for _, c := range []struct {
		name   string
		m      *Matrix
		o      Options
		reason string // of the interval; empty: there is one
		warned string
	}{
		{"one run", single, Options{}, "every task has only one run", ""},
		{"one run, percentile", single, Options{Method: Percentile, Resamples: 50}, "use intervals over tasks instead", ""},
		{"one run, other tasks", single, Options{Tasks: true}, "", "only 4 tasks"},
		{"one task", oneTask, Options{}, "", ""},
		{"one task, other tasks", oneTask, Options{Tasks: true},
			"a single task does not generalize to other tasks", ""},
		{"few runs, percentile", small(t, 6, 3), Options{Method: Percentile, Resamples: 50}, "",
			"percentile intervals from 3 runs per task are too narrow; use the jackknife"},
		{"equal scores", equal, Options{}, "", ""},
		{"equal scores, percentile", equal, Options{Method: Percentile, Resamples: 50}, "", "all resamples are equal"},
	} {
		e, err := c.m.Estimate(ctx, "a", IQM, c.o)
		if err != nil {
			t.Fatal(c.name, err)
		}
		if e.Interval.Defined() != (c.reason == "") || !strings.Contains(e.Interval.Reason, c.reason) {
			t.Errorf("%s: interval %+v, want reason %q", c.name, e.Interval, c.reason)
		}
		if (len(e.Warnings) > 0) != (c.warned != "") || !strings.Contains(fmt.Sprint(e.Warnings), c.warned) {
			t.Errorf("%s: warnings %q, want %q", c.name, e.Warnings, c.warned)
		}
	}
	// Shares and probabilities do not collapse, and need no second run.
	better, err := single.Improvement(ctx, "c", "a", Options{})
	if err != nil || better.Value != 1 || better.Interval.High != 1 || !(better.Interval.Low > 0.3 && better.Interval.Low < 0.8) {
		t.Errorf("improvement of one run each: %+v, %v", better, err)
	}
	profile, err := equal.RunProfile(ctx, "a", []float64{1}, Options{})
	if err != nil || profile[0].Value != 1 || !(profile[0].Interval.Low > 0.6 && profile[0].Interval.Low < 0.9) {
		t.Errorf("profile of equal scores: %+v, %v", profile, err)
	}
	averages, err := single.AverageProfile(ctx, "a", []float64{1}, Options{})
	if err != nil || averages[0].Interval.Defined() || !strings.Contains(averages[0].Interval.Reason, "one run") {
		t.Errorf("averages of one run: %+v, %v", averages, err)
	}
	ranks, err := single.AverageRanks(ctx, Options{})
	if err != nil || ranks[1].Value != 1 || ranks[1].Interval.Low != 1 || math.Abs(ranks[1].Interval.High-(1+math.Log(40)/4)) > 1e-12 {
		t.Errorf("ranks: %+v, %v", ranks, err)
	}
	same, err := equal.Difference(ctx, "a", "b", Mean, Options{})
	if err != nil || same.P != 1 || same.Interval.Low != 0 || same.Interval.High != 0 {
		t.Errorf("difference of equal scores: %+v, %v", same, err)
	}
	ratio, err := equal.Negate().GeometricMeanRatio(ctx, "a", "b", Options{})
	if err != nil || !math.IsNaN(ratio.Value) || ratio.Reason == "" || ratio.Interval.Defined() {
		t.Errorf("ratio of negative scores: %+v, %v", ratio, err)
	}
}

// only keeps some models.
func (m *Matrix) only(t *testing.T, models ...string) *Matrix {
	t.Helper()
	var scores []Score
	for _, model := range models {
		for task, runs := range m.Scores(model) {
			for run, v := range runs {
				scores = append(scores, Score{model, m.Tasks[task], fmt.Sprint(run), v})
			}
		}
	}
	out, err := New(scores, MissingError)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestErrors(t *testing.T) {
	t.Parallel()
	m, ctx := small(t, 3, 2), context.Background()
	if _, err := m.Estimate(ctx, "d", IQM, Options{}); err == nil || !strings.Contains(err.Error(), `unknown model "d"; the models are a, b, c`) {
		t.Error(err)
	}
	for _, level := range []float64{-1, 1, math.NaN()} {
		if _, err := m.Improvement(ctx, "a", "b", Options{Level: level}); err == nil || !strings.Contains(err.Error(), "confidence level") {
			t.Error(level, err)
		}
		if _, err := m.AverageProfile(ctx, "a", []float64{1}, Options{Level: level}); err == nil {
			t.Error(level, "is accepted")
		}
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	for _, method := range []Method{Jackknife, Percentile} {
		if _, err := m.Estimate(ended, "a", IQM, Options{Method: method}); err == nil {
			t.Errorf("%v goes on without its context", method)
		}
	}
	if _, err := m.Decide(ctx, Mean, Options{Method: Percentile}); err == nil {
		t.Error("decisions from percentiles")
	}
}

// The textbook's interval of a difference: independent variances of all cells.
func TestDifference(t *testing.T) {
	t.Parallel()
	m := small(t, 5, 4)
	e, err := m.Difference(context.Background(), "c", "a", Mean, Options{Level: 0.9})
	if err != nil {
		t.Fatal(err)
	}
	var total, squares float64
	for _, model := range []string{"a", "c"} {
		for _, runs := range m.Scores(model) {
			_, v := stat.MeanVariance(runs)
			v /= float64(len(runs)) * 25
			total += v
			squares += v * v / float64(len(runs)+1)
		}
	}
	df := total*total/squares - 2
	near(t, "standard error", e.StdError, math.Sqrt(total), 1e-12)
	near(t, "degrees of freedom", e.DF, df, 1e-9)
	quantile, err := stat.StudentTQuantile(0.95, df)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "low", e.Interval.Low, e.Value-quantile*math.Sqrt(total), 1e-9)
	near(t, "p", e.P, stat.TTestP(e.Value/math.Sqrt(total), df), 1e-12)
}

// Newcombe's worked interval by its own equation, and its ends.
func TestImprovementInterval(t *testing.T) {
	t.Parallel()
	m := small(t, 3, 4)
	e, err := m.Improvement(context.Background(), "b", "a", Options{})
	if err != nil {
		t.Fatal(err)
	}
	of, err := m.of([]string{"b", "a"})
	if err != nil {
		t.Fatal(err)
	}
	for _, end := range []float64{e.Interval.Low, e.Interval.High} {
		near(t, "distance of the end", math.Abs(e.Value-end), 1.959963984540054*math.Sqrt(improvementVariance(end, of[0], of[1])), 1e-9)
	}
	// At ½ with n runs each of one task it is Mann and Whitney's null variance to
	// first order: (2n + 1)/(12 n²).
	x := ByTask{make([]float64, 50)}
	near(t, "null variance", improvementVariance(0.5, x, x), 101.0/(12*2500), 2e-5)
}

func TestRanksAndDecisions(t *testing.T) {
	t.Parallel()
	m := small(t, 6, 5)
	d, err := m.Decide(context.Background(), Mean, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Pairs) != 3 || d.Pairs[0].Differs || !d.Pairs[1].Differs || !d.Pairs[2].Differs {
		t.Fatalf("%+v", d.Pairs)
	}
	if want := []Positions{{2, 3}, {2, 3}, {1, 1}}; !reflect.DeepEqual(d.Positions, want) {
		t.Errorf("places %v, want %v", d.Positions, want)
	}
	if len(d.Groups) != 1 || len(d.Groups[0].Members) != 2 || len(d.Groups[0].Between) != 0 {
		t.Errorf("groups %+v", d.Groups)
	}
}

func BenchmarkIQM(b *testing.B) {
	m := small(b, 26, 10)
	for _, method := range []Method{Jackknife, Percentile} {
		b.Run(method.String(), func(b *testing.B) {
			for b.Loop() {
				if _, err := m.Estimate(context.Background(), "a", IQM, Options{Method: method, Threads: 1}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestScale: on the scale of a range the interval is that of the transformed statistic, here of
// a mean of three runs by the definition, and stays inside the range.
func TestScale(t *testing.T) {
	t.Parallel()
	runs := []float64{0.7, 0.95, 0.99}
	var scores []Score
	for i, v := range runs {
		scores = append(scores, Score{"a", "t", fmt.Sprint(i), v}, Score{"b", "t", fmt.Sprint(i), 1})
	}
	m, err := New(scores, MissingError)
	if err != nil {
		t.Fatal(err)
	}
	logit := func(x float64) float64 { return math.Log(x / (1 - x)) }
	o := Options{Scale: stat.RangeScale(0, 1)}
	e, err := m.Estimate(t.Context(), "a", Mean, o)
	if err != nil {
		t.Fatal(err)
	}
	mean := (runs[0] + runs[1] + runs[2]) / 3
	var deleted []float64
	for _, v := range runs {
		deleted = append(deleted, logit((3*mean-v)/2))
	}
	_, variance := stat.MeanVariance(deleted)
	half := 4.302652729749464 * math.Sqrt(variance*4/3) // t of 2 degrees of freedom at 0.975
	for _, c := range [][2]float64{{logit(e.Interval.Low), logit(mean) - half}, {logit(e.Interval.High), logit(mean) + half}, {e.Value, mean}} {
		if math.Abs(c[0]-c[1]) > 1e-9 {
			t.Errorf("%v, want %v", c[0], c[1])
		}
	}
	plain, err := m.Estimate(t.Context(), "a", Mean, Options{})
	if err != nil || plain.Interval.High <= 1 {
		t.Errorf("without the scale it ends at %v, %v", plain.Interval.High, err)
	}
	if ones, err := m.Estimate(t.Context(), "b", Mean, o); err != nil || ones.Interval.Low != 1 || ones.Interval.High != 1 {
		t.Errorf("at the end of the range: %+v, %v", ones, err)
	}
}
