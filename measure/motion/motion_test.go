// Steps and turns against NumPy and closed forms; which points follow each other.

package motion

import (
	"math"
	"slices"
	"testing"

	"repscope/measure/measuretest"
	"repscope/points"
	"repscope/stat"
)

func TestStepsAndTurnsMatchReference(t *testing.T) {
	t.Parallel()
	g, x, _ := measuretest.ReadGeometry(t)
	runs, path := Runs(x.N, g.Episode, nil), NewPath(x)
	steps := path.Steps(Pairs(runs))
	measuretest.Near(t, "mean step", stat.Mean(steps), g.Steps.Mean, 1e-10)
	measuretest.Near(t, "SD of steps", stat.StandardDeviation(steps), g.Steps.SD, 1e-10)
	turns := path.Turns(Triples(runs))
	measuretest.Near(t, "straightness", stat.Mean(turns.Cosine), g.Straightness, 1e-10)
	measuretest.Near(t, "curvature", stat.Mean(turns.Degrees), g.CurvatureDegrees, 1e-10)
}

func TestRuns(t *testing.T) {
	t.Parallel()
	runs := Runs(7, []int{0, 0, 0, 0, 1, 1, 1}, []int{5, 6, 8, 9, 10, 11, 12})
	if want := []Run{{0, 2}, {2, 4}, {4, 7}}; !slices.Equal(runs, want) {
		t.Errorf("runs %v, want %v", runs, want)
	}
	if want := []points.Pair{{Now: 0, Next: 1}, {Now: 2, Next: 3}, {Now: 4, Next: 5}, {Now: 5, Next: 6}}; !slices.Equal(Pairs(runs), want) {
		t.Errorf("pairs %v, want %v", Pairs(runs), want)
	}
	if want := []int{4}; !slices.Equal(Triples(runs), want) {
		t.Errorf("triples %v, want %v", Triples(runs), want)
	}
	if whole := Runs(3, nil, nil); !slices.Equal(whole, []Run{{0, 3}}) {
		t.Errorf("without episodes and times: %v", whole)
	}
}

// Straight on, a right angle, back, and a step of no length.
func TestTurns(t *testing.T) {
	t.Parallel()
	path := NewPath(points.Float64([]float64{0, 0, 1, 0, 3, 0, 3, 2, 3, 1, 3, 1}, 2))
	got := path.Turns([]int{0, 1, 2, 3})
	want := Turns{Cosine: []float64{1, 0, -1, 0}, Degrees: []float64{0, 90, 180, 0}, Moved: []float64{1, 1, 1, 0}}
	for i := range got.Moved {
		measuretest.Near(t, "cosine", got.Cosine[i], want.Cosine[i], 1e-15)
		measuretest.Near(t, "degrees", got.Degrees[i], want.Degrees[i], 1e-15)
		if got.Moved[i] != want.Moved[i] {
			t.Errorf("triple %d moved: %v", i, got.Moved[i])
		}
	}
	if step := path.Steps([]points.Pair{{Now: 0, Next: 3}})[0]; math.Abs(step-math.Sqrt(13)) > 1e-15 {
		t.Errorf("step %v, want √13", step)
	}
}
