// The score matrix: what it refuses, leaves out and normalizes.

package study

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestNew(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	for _, c := range []struct {
		name   string
		scores []Score
		want   string
	}{
		{"nothing", nil, "no scores"},
		{"no model", []Score{{"", "t", "1", 1}}, `score 0 has model "" and task "t"`},
		{"no task", []Score{{"a", "", "1", 1}}, "want names for both"},
		{"NaN", []Score{{"a", "t", "1", nan}}, `the score of model "a" in task "t", run "1" is NaN, want a finite score`},
		{"infinite", []Score{{"a", "t", "", math.Inf(-1)}}, `in task "t" is -Inf`},
		{"twice", []Score{{"a", "t", "1", 1}, {"a", "t", "1", 2}}, `run "1" has two scores, want one`},
		{"missing", []Score{{"a", "t", "1", 1}, {"b", "t", "1", 1}, {"a", "u", "1", 1}}, `model "b" has no run of task "u"`},
	} {
		if _, err := New(c.scores, MissingError); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	scores := []Score{{"b", "t", "1", 3}, {"a", "u", "1", 1}, {"a", "t", "2", 2}, {"a", "t", "1", 1}}
	m, err := New(scores, DropTasks)
	if err != nil || !slices.Equal(m.Models, []string{"b", "a"}) || !slices.Equal(m.Tasks, []string{"t"}) || !slices.Equal(m.LeftOut, []string{"u"}) {
		t.Fatalf("%+v, %v", m, err)
	}
	if got := m.Scores("a"); len(got) != 1 || !slices.Equal(got[0], []float64{1, 2}) {
		t.Errorf("scores of a: %v", got)
	}
	if least, most := m.Runs(); least != 1 || most != 2 || m.Scores("c") != nil {
		t.Errorf("%d to %d runs, scores of a stranger %v", least, most, m.Scores("c"))
	}
	m.Scores("a")[0][0] = 99
	if m.Scores("a")[0][0] != 1 {
		t.Error("Scores gives away its memory")
	}
	if _, err := New(scores[:2], DropTasks); err == nil || !strings.Contains(err.Error(), "none of the 2 tasks") {
		t.Errorf("no common task: %v", err)
	}
}

func TestNormalize(t *testing.T) {
	t.Parallel()
	m, err := New([]Score{{"a", "up", "", 3}, {"a", "down", "", 2}}, MissingError)
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.Normalize([]float64{1, 10}, []float64{5, 0})
	if err != nil || got.Scores("a")[0][0] != 0.5 || got.Scores("a")[1][0] != 0.8 {
		t.Errorf("%v, %v", got, err)
	}
	if got := m.Negate().Scores("a"); got[0][0] != -3 || m.Scores("a")[0][0] != 3 {
		t.Errorf("negated: %v", got)
	}
	for _, bad := range [][2][]float64{{{1}, {2}}, {{1, 1}, {2, 1}}, {{1, math.NaN()}, {2, 1}}} {
		if _, err := m.Normalize(bad[0], bad[1]); err == nil {
			t.Errorf("%v is accepted", bad)
		}
	}
}

// ragged draws scores of tasks with different numbers of runs, on a grid so that ties
// occur.
func ragged(r *rapid.T, name string, tasks int) ByTask {
	var out ByTask
	for range tasks {
		var runs []float64
		for _, v := range rapid.SliceOfN(rapid.IntRange(-8, 8), 1, 6).Draw(r, name) {
			runs = append(runs, float64(v)/4)
		}
		out = append(out, runs)
	}
	return out
}

// Invariances: of order, of units, and of runs that are all repeated.
func TestInvariances(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		tasks := rapid.IntRange(1, 6).Draw(r, "tasks")
		x, y := ragged(r, "x", tasks), ragged(r, "y", tasks)
		same := func(what string, got, want float64) {
			if !(math.Abs(got-want) <= 1e-12*(1+math.Abs(want))) {
				r.Fatalf("%s: %v, want %v", what, got, want)
			}
		}
		changed := func(f func(v float64) float64, times int) ByTask {
			var out ByTask
			for _, runs := range slices.Backward(x) {
				var other []float64
				for range times {
					for _, v := range slices.Backward(runs) {
						other = append(other, f(v))
					}
				}
				out = append(out, other)
			}
			return out
		}
		for name, s := range map[string]Statistic{"mean": Mean, "median": Median, "IQM": IQM} {
			same(name+" of other units", s(changed(func(v float64) float64 { return 2*v + 3 }, 1)), 2*s(x)+3)
			same(name+" turned around", s(changed(func(v float64) float64 { return -v }, 1)), -s(x))
		}
		for name, s := range map[string]Statistic{"mean": Mean, "median": Median, "gap": OptimalityGap(0.5), "profile": RunProfile(0.3), "averages": AverageProfile(0.1)} {
			same(name+" of every run twice", s(changed(func(v float64) float64 { return v }, 2)), s(x))
		}
		// ⌊N/4⌋ of a multiple of 4 cuts a quarter, also of twice as many.
		same("IQM of every run four and eight times", IQM(changed(func(v float64) float64 { return v }, 8)), IQM(changed(func(v float64) float64 { return v }, 4)))
		same("improvement and its converse", Improvement(x, y)+Improvement(y, x), 1)
		same("improvement over itself", Improvement(x, x), 0.5)
		ranks := AverageRanks([]ByTask{x, y, x})
		same("sum of ranks", ranks[0]+ranks[1]+ranks[2], 6)
		same("ranks of equal models", ranks[0], ranks[2])
		same("profiles", RunProfile(-3)(x)-RunProfile(3)(x), 1)
		same("gap above all scores", OptimalityGap(5)(x), 5-Mean(x))
	})
}

// The weighted interquartile mean against its definition: every run repeated until
// all tasks have as many.
func TestRaggedIQM(t *testing.T) {
	t.Parallel()
	x := ByTask{{1, 2, 3, 4}, {10, 20}} // each run of the second weighs as two
	repeated := []float64{1, 2, 3, 4, 10, 10, 20, 20}
	// ⌊6/4⌋ = 1 of 6 is cut at each end: 4/3 of 8.
	want := (2*(2.0/3) + 3 + 4 + 10 + 10 + 20*(2.0/3)) / (8 - 8.0/3)
	if got := IQM(x); math.Abs(got-want) > 1e-12 {
		t.Errorf("%v, want %v of %v", got, want, repeated)
	}
	if got := IQM(ByTask{{7}}); got != 7 {
		t.Errorf("IQM of one run: %v", got)
	}
	if got := GeometricMeanRatio(ByTask{{2, 2}, {8}}, ByTask{{1}, {1, 1}}); math.Abs(got-4) > 1e-15 {
		t.Errorf("ratio %v, want 4", got)
	}
	if got := GeometricMeanRatio(ByTask{{2}, {0}}, ByTask{{1}, {1}}); !math.IsNaN(got) {
		t.Errorf("ratio of 0: %v", got)
	}
}

// TestEqualMeansTie: models of equal mean scores share their ranks, in whatever order their runs stand.
func TestEqualMeansTie(t *testing.T) {
	t.Parallel()
	models := []ByTask{{{0.1, 0.2, 0.3}}, {{0.3, 0.2, 0.1}}, {{0.2, 0.2, 0.2}}, {{0.1, 0.2, 0.31}}}
	if got := AverageRanks(models); !slices.Equal(got, []float64{3, 3, 3, 1}) {
		t.Errorf("ranks %v", got)
	}
	shares := []ByTask{{{129. / 137, 130. / 137, 131. / 137}}, {{130. / 137, 130. / 137, 130. / 137}}, {{131. / 137, 130. / 137, 129. / 137}}}
	if got := AverageRanks(shares); !slices.Equal(got, []float64{2, 2, 2}) {
		t.Errorf("ranks %v", got)
	}
}
