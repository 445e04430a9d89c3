// Tests of equal accuracy over initial times.

package forecast

import (
	"math"
	"testing"

	"repscope/analysis"
	"repscope/stat"
)

// pairOf is an input of two forecasts over n initial times of two leads each.
func pairOf(t *testing.T, n int) Input {
	m, other := newMade(2*n, 2, 1, 3, 3, 11), newMade(2*n, 2, 1, 3, 3, 12)
	for i := range other.members { // as far from the truth of the first as from its own
		other.members[i] += m.truth[(i/18)*9+i%9] - other.truth[(i/18)*9+i%9]
	}
	in := m.input(t)
	in.Forecasts = append(in.Forecasts, Forecast{Name: "other", Members: array(t, "other.npy", []int{2 * n, 2, 1, 3, 3}, other.members)})
	in.Leads = make([]float64, 2*n)
	for i := range in.Leads {
		in.Leads[i] = float64(i % 2)
	}
	return in
}

func TestAccuracy(t *testing.T) {
	t.Parallel()
	const n = 80
	r := analyze(t, pairOf(t, n), Options{Settings: analysis.Settings{Intervals: true}, Metrics: []string{"mse", "crps"}})
	rows := Table[AccuracyTest](&r.Models[0], "diebold_mariano")
	if len(rows) != 2 || Table[AccuracyTest](&r.Models[1], "diebold_mariano") != nil {
		t.Fatalf("%+v", rows)
	}
	for _, row := range rows {
		losses := make([][]float64, 2)
		for m := range losses {
			score, _ := r.Models[m].Score(row.Metric)
			for i := range n {
				losses[m] = append(losses[m], (score.Sample[2*i]+score.Sample[2*i+1])/2)
			}
		}
		want, err := stat.DieboldMariano(losses[0], losses[1], stat.DieboldMarianoOptions{})
		if err != nil || math.IsNaN(want.P) {
			t.Fatal(want, err)
		}
		near(t, row.Metric+" p", row.P.Float(), want.P)
		near(t, row.Metric+" p of one pair", row.PHolm.Float(), want.P)
		near(t, row.Metric+" difference", row.Difference.Float(), want.Difference)
	}
}

// Few initial times carry no test; several simulations are no sequence.
func TestAccuracyUntestable(t *testing.T) {
	t.Parallel()
	few := analyze(t, pairOf(t, 20), Options{Settings: analysis.Settings{Intervals: true}, Metrics: []string{"mse"}})
	rows := Table[AccuracyTest](&few.Models[0], "diebold_mariano")
	if len(rows) != 1 || rows[0].P.Defined() || rows[0].P.Reason != "20 differences are too few for a test, want at least 50" || !rows[0].T.Defined() {
		t.Errorf("%+v", rows)
	}
	in := pairOf(t, 40)
	in.Groups = make([]int, 80)
	for i := range in.Groups {
		in.Groups[i] = i / 8
	}
	several := analyze(t, in, Options{Settings: analysis.Settings{Intervals: true}, Metrics: []string{"mse"}})
	why, _ := several.Models[0].Skipped.Get("diebold_mariano")
	if why != "needs every initial time to have the same leads, each once, so that they form one sequence" || Table[AccuracyTest](&several.Models[0], "diebold_mariano") != nil {
		t.Error(why)
	}
}
