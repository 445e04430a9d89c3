// Scores between two steps.

package canvas

import (
	"math"
	"testing"

	"repscope/report"
)

// A step without the key is passed over; before the first that has it there is no score.
func TestProgressWithGaps(t *testing.T) {
	t.Parallel()
	r := &Result{}
	var steps []Step
	for i, v := range []float64{math.NaN(), 0.2, math.NaN(), 0.6, 0.4} {
		row := NewRow()
		row.Values["x"] = report.NumberOr(v, "absent")
		r.Rows = append(r.Rows, CaseRow{Row: row})
		steps = append(steps, Step{Row: i, At: float64(i) / 4})
	}
	for at, want := range map[float64]float64{0: math.NaN(), 0.2: math.NaN(), 0.25: 0.2, 0.5: 0.4, 0.625: 0.5, 0.75: 0.6, 0.875: 0.5, 1: 0.4} {
		if got := r.between(steps, "x", at); math.IsNaN(got) != math.IsNaN(want) || math.Abs(got-want) > 1e-12 {
			t.Errorf("%v at %v, want %v", got, at, want)
		}
	}
}
