// Statistics without a run or a task, against the statistics of the remaining scores.

package study

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"repscope/stat"
)

// TestDeletions compares every deletion with the statistic of the scores that remain: of tasks with equal and unequal
// numbers of runs, with ties, and of a single task.
func TestDeletions(t *testing.T) {
	t.Parallel()
	random := stat.NewRandom(stat.StreamStudyExample.Key(3))
	var studies []ByTask
	for _, shape := range [][]int{{5}, {2, 2}, {1, 1, 1, 1, 1}, {3, 3, 3, 3}, {1, 7, 2, 10}, {40, 40, 40}, {4, 4, 4, 5, 9, 13, 2}} {
		for _, levels := range []float64{0, 3, 1} { // of tied scores; 0: none
			var scores ByTask
			for range shape {
				scores = append(scores, nil)
			}
			for task, n := range shape {
				for range n {
					v := 100 + random.Normal()
					if levels > 0 {
						v = 0.1 * math.Floor(levels*random.Float64())
					}
					scores[task] = append(scores[task], v)
				}
				slices.Sort(scores[task])
			}
			studies = append(studies, scores)
		}
	}
	studies = append(studies, ByTask{{3, 1, 2}, {5, 4, 9}}) // in no order
	for i, scores := range studies {
		aggregates := map[string]aggregate{"gap above all": {OptimalityGap(500), gapDeletions(500)},
			"gap": {OptimalityGap(100.2), gapDeletions(100.2)}, "gap of ties": {OptimalityGap(0.1), gapDeletions(0.1)}}
		for name, s := range map[string]Statistic{"IQM": IQM, "mean": Mean, "median": Median} {
			aggregates[name] = aggregate{s, s.quick()}
		}
		for name, a := range aggregates {
			s, deleted := a.of, a.deletions(scores)
			for task := range scores {
				for r := wholeTask; r < len(scores[task]); r++ {
					if r == wholeTask && len(scores) == 1 || r != wholeTask && len(scores[task]) == 1 {
						continue
					}
					near(t, fmt.Sprintf("study %d: %s without run %d of task %d", i, name, r, task), deleted(task, r),
						s(scores.without(task, r)), 1e-13)
				}
			}
		}
	}
	if OptimalityGap(1).quick() != nil {
		t.Error("a closure is taken for a statistic with deletions of its own")
	}
}

// TestMatrixOptimalityGap compares the gap by its own deletions with the one of all scores that remain.
func TestMatrixOptimalityGap(t *testing.T) {
	t.Parallel()
	var scores []Score
	for task, runs := range map[string][]float64{"a": {0.2, 0.9, 1.4, 0.5}, "b": {1.1, 0.7, 1.2}} {
		for i, v := range runs {
			scores = append(scores, Score{Model: "m", Task: task, Run: fmt.Sprint(i), Value: v})
		}
	}
	m, err := New(scores, MissingError)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []Options{{}, {Method: Percentile, Resamples: 200}} {
		want, err := m.Estimate(t.Context(), "m", OptimalityGap(1), o)
		if err != nil {
			t.Fatal(err)
		}
		got, err := m.OptimalityGap(t.Context(), "m", 1, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, pair := range [][2]float64{{got.Value, want.Value}, {got.StdError, want.StdError},
			{got.Interval.Low, want.Interval.Low}, {got.Interval.High, want.Interval.High}} {
			near(t, "gap", pair[0], pair[1], 1e-13)
		}
		near(t, "gap", got.Value, (0.8+0.1+0.5)/8+0.3/6, 1e-13)
	}
}

// TestWins compares the counted pairs with all pairs.
func TestWins(t *testing.T) {
	t.Parallel()
	random := stat.NewRandom(stat.StreamStudyExample.Key(4))
	for range 200 {
		draw := func() []float64 {
			out := make([]float64, 1+random.Intn(9))
			for i := range out {
				if out[i] = float64(random.Intn(5)); out[i] == 4 {
					out[i] = math.NaN()
				}
			}
			return out
		}
		x, y, halves := draw(), draw(), 0
		for _, a := range x {
			for _, b := range y {
				switch {
				case a > b:
					halves += 2
				case a == b:
					halves++
				}
			}
		}
		if got, want := wins(x, y), float64(halves)/float64(2*len(x)*len(y)); got != want {
			t.Fatalf("%v, %v: %v, want %v", x, y, got, want)
		}
	}
}
