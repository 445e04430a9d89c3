// Intervals against naive deletions, and what has none.

package smoothness

import (
	"math"
	"slices"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/analysis/internal/results"
	"repscope/dataset"
	"repscope/measure/spectrum"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

// distanceOf is ‖a − b‖₂ of two states.
func distanceOf(z points.Points, pair points.Pair) float64 {
	a, b := make([]float64, z.Dim), make([]float64, z.Dim)
	z.Row(pair.Now, a)
	z.Row(pair.Next, b)
	square := 0.0
	for k := range a {
		square += (a[k] - b[k]) * (a[k] - b[k])
	}
	return math.Sqrt(square)
}

// scaledSlope is the least-squares slope over pairs whose first state is kept, over the
// RMS distance of the states that are kept.
func scaledSlope(t *testing.T, in Input, m, horizon int, keep func(state int) bool) (slope, mean, rms float64) {
	t.Helper()
	var x, y, ratios []float64
	for _, pair := range in.Pairs[horizon] {
		if keep(pair.Now) {
			dx, dy := distanceOf(in.Frames, pair), distanceOf(in.Models[m].Latents, pair)
			x, y = append(x, dx), append(y, dy)
			if dx > 0 {
				ratios = append(ratios, dy/dx)
			}
		}
	}
	var kept []int
	for i := range in.Frames.N {
		if keep(i) {
			kept = append(kept, i)
		}
	}
	rms, err := spectrum.RMSDistance(in.Models[m].Latents.Select(kept))
	if err != nil {
		t.Fatal(err)
	}
	meanX, meanY, xx, xy := stat.Mean(x), stat.Mean(y), 0.0, 0.0
	for i := range x {
		xx += (x[i] - meanX) * (x[i] - meanX)
		xy += (x[i] - meanX) * (y[i] - meanY)
	}
	return xy / xx / rms, stat.Mean(ratios) / rms, rms
}

// The RMS distance is deleted with the pairs: the interval of the scaled slope is that
// of slopes and RMS distances computed anew without each episode.
func TestUnitIsDeletedToo(t *testing.T) {
	t.Parallel()
	in := manyPairs()
	result, err := Analyze(t.Context(), in, Options{Settings: analysis.Settings{Intervals: true}})
	if err != nil {
		t.Fatal(err)
	}
	for row, h := range []int{1, 7} {
		slope, mean, _ := scaledSlope(t, in, 0, h, func(int) bool { return true })
		var slopes, means []float64
		var sizes []int
		for e := range 10 {
			s, m, _ := scaledSlope(t, in, 0, h, func(state int) bool { return in.Episode[state] != e })
			slopes, means, sizes = append(slopes, s), append(means, m), append(sizes, 120)
		}
		got := result.Models[0].Horizons[row].Relation
		for _, c := range []struct {
			name       string
			value      report.Value
			ci         report.Interval
			want       float64
			replicates []float64
		}{{"slope", got.Slope.Value, got.Slope.CI, slope, slopes}, {"mean ratio", got.Ratio.Mean.Value, got.Ratio.Mean.CI, mean, means}} {
			want, err := stat.DeleteBlockJackknife(c.want, c.replicates, sizes, 0)
			if err != nil {
				t.Fatal(err)
			}
			near := func(what string, got, want float64) {
				if !(math.Abs(got-want) <= 1e-9*math.Abs(want)) {
					t.Errorf("horizon %d: %s of the %s %v, want %v", h, what, c.name, got, want)
				}
			}
			near("estimate", c.value.V, c.want)
			near("low end", c.ci.Low, want.Interval.Low)
			near("high end", c.ci.High, want.Interval.High)
		}
	}
	// A unit that is taken as known gives another interval.
	m := result.Models[0]
	_, _, rms := scaledSlope(t, in, 0, 1, func(int) bool { return true })
	if held := (m.Raw.Slope.CI.High - m.Raw.Slope.CI.Low) / rms; math.Abs(held/(m.Slope.CI.High-m.Slope.CI.Low)-1) < 0.01 {
		t.Errorf("the interval %v is that of a known RMS distance", m.Slope.CI)
	}
}

// What divides by the scale keeps the numbers without a unit.
func TestScalesShareNumbersWithoutUnit(t *testing.T) {
	t.Parallel()
	in := manyPairs()
	result, err := Analyze(t.Context(), in, Options{Settings: analysis.Settings{Intervals: true}})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range result.Models[:1] {
		if m.R != m.Raw.R || m.R.CI != m.Raw.R.CI || m.Spearman.CI != m.Raw.Spearman.CI || m.IIDPValue != m.Raw.IIDPValue || m.Published.PValue != m.IIDPValue {
			t.Errorf("%s: %+v and raw %+v differ in numbers without a unit", m.Name, m.Relation, m.Raw)
		}
		if m.IIDStdError != m.Published.StdError || math.Abs(m.IIDStdError.V*m.RMSDistance.V/m.Raw.IIDStdError.V-1) > 1e-12 {
			t.Errorf("%s: standard errors %v and raw %v", m.Name, m.IIDStdError, m.Raw.IIDStdError)
		}
		for name, ci := range map[string]report.Interval{
			"intercept": m.Intercept.CI, "r": m.R.CI, "Theil–Sen": m.TheilSen.CI, "P95": m.Ratio.P95.CI, "raw Theil–Sen": m.Raw.TheilSen.CI,
		} {
			if !ci.Defined() {
				t.Errorf("%s: no interval of %s: %s", m.Name, name, ci.Reason)
			}
		}
	}
}

// A collapsed model has no relation, in no scale, and is compared with none.
func TestCollapsedModelIsLeftOut(t *testing.T) {
	t.Parallel()
	in := manyPairs()
	for _, scale := range []spectrum.Scale{spectrum.ScaleRaw, spectrum.ScaleL2, spectrum.ScaleRMS} {
		result, err := Analyze(t.Context(), in, Options{Settings: analysis.Settings{Intervals: true}, Scale: scale})
		if err != nil {
			t.Fatal(err)
		}
		m := result.Models[1]
		for _, r := range []Relation{m.Relation, m.Raw, m.Horizons[1].Relation} {
			for _, v := range []report.Value{r.Slope.Value, r.Intercept.Value, r.R.Value, r.RSquared.Value, r.Spearman.Value, r.TheilSen.Value, r.Ratio.Mean.Value, r.Ratio.Median.Value, r.IIDPValue} {
				if v.Defined() || !strings.Contains(v.Reason, "constant") {
					t.Fatalf("%s: constant latents have %v (%s)", scale, v.V, v.Reason)
				}
			}
		}
		if m.Line != nil || len(result.Comparisons) != 5 {
			t.Errorf("%s: line %v, %d comparisons, want none and 5 of the two others", scale, m.Line, len(result.Comparisons))
		}
		for _, c := range result.Comparisons {
			if c.A == "collapsed" || c.B == "collapsed" {
				t.Errorf("%s: compared %s with %s", scale, c.A, c.B)
			}
		}
	}
}

// An R² near 0 has the squares of what r may be.
func TestSquaredInterval(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ ci, want report.Interval }{
		{report.Between(-0.1, 0.3), report.Between(0, 0.3*0.3)}, {report.Between(-0.5, 0.3), report.Between(0, 0.25)},
		{report.Between(0.5, 0.75), report.Between(0.25, 0.5625)}, {report.Between(-0.75, -0.5), report.Between(0.25, 0.5625)},
		{report.NoInterval("none"), report.NoInterval("none")},
	} {
		if got := squared(c.ci); got != c.want && !(math.IsNaN(got.Low) && got.Reason == c.want.Reason) {
			t.Errorf("%v squared is %v, want %v", c.ci, got, c.want)
		}
	}
}

// slowWalk is one episode of slow states, too few blocks for a test; with steps that
// fade, their distances last a single autocorrelation time.
func slowWalk(fading float64) Input {
	const n = 400
	random := stat.NewRandom(stat.NewKey(4, 4))
	frames, latents := make([]float64, 0, 2*n), make([]float64, 0, n)
	x := [2]float64{}
	for i := range n {
		for k := range x {
			x[k] = 0.97*x[k] + random.Normal()*(1-fading*float64(i)/n)
		}
		frames, latents = append(frames, x[:]...), append(latents, math.Tanh(x[0]/3))
	}
	in := Input{Frames: points.Float64(frames, 2), PixelRange: dataset.PixelRange{Low: -9, High: 9}, Pairs: map[int][]points.Pair{},
		Models: []Encoded{{Name: "a", Latents: points.Float64(latents, 1)}, {Name: "b", Latents: points.Float64(frames, 2)}}}
	for _, h := range []int{1, 40} {
		for i := range n - h {
			in.Pairs[h] = append(in.Pairs[h], points.Pair{Now: i, Next: i + h})
		}
	}
	return in
}

// Warnings of blocks and why there is no test reach the result; each horizon has the
// blocks that its pairs ask for, and n_eff says whether it may be used.
func TestWarningsReachTheResult(t *testing.T) {
	t.Parallel()
	result, err := Analyze(t.Context(), slowWalk(0), Options{Settings: analysis.Settings{Intervals: true}})
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(result.Warnings, "\n")
	if !strings.Contains(all, "do not generalize to other episodes") || !strings.Contains(all, "horizon 40: ") || slices.Compact(slices.Sorted(slices.Values(result.Warnings)))[0] == "" {
		t.Errorf("warnings:\n%s", all)
	}
	if strings.Count(all, "intervals use pieces of one episode") != 1 {
		t.Errorf("warnings twice:\n%s", all)
	}
	if len(result.Comparisons) == 0 || results.NoTest(result.Comparisons) == "" || len(*result.Comparisons[0].Warnings) == 0 {
		t.Errorf("comparisons without a reason: %+v", result.Comparisons)
	}
	if m := result.Models[0]; !m.NEffReliable {
		t.Errorf("n_eff %v of steps alike is not reliable", m.NEff)
	}
	if result, err = Analyze(t.Context(), slowWalk(1), Options{Settings: analysis.Settings{Intervals: true}}); err != nil {
		t.Fatal(err)
	}
	if m := result.Models[0]; m.NEffReliable || !m.NEff.Defined() {
		t.Errorf("n_eff %v of steps that fade, reliable %v", m.NEff, m.NEffReliable)
	}
	if result, err = Analyze(t.Context(), slowWalk(0), Options{Settings: analysis.Settings{Intervals: true}}); err != nil {
		t.Fatal(err)
	}
	off, err := Analyze(t.Context(), slowWalk(0), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if m := off.Models[0]; m.Slope.CI.Defined() || m.Slope.Value != result.Models[0].Slope.Value || m.Spearman.Value != result.Models[0].Spearman.Value ||
		m.TheilSen.Value != result.Models[0].TheilSen.Value || m.Ratio.Mean.Value != result.Models[0].Ratio.Mean.Value || len(off.Comparisons) > 0 || len(off.Warnings) > 0 {
		t.Errorf("without intervals: %+v, warnings %q", m.Relation, off.Warnings)
	}
	few := slowWalk(0)
	few.Pairs[60] = few.Pairs[1][:2]
	if result, err = Analyze(t.Context(), few, Options{}); err != nil || !slices.Contains(result.Warnings, "horizon 60: 2 pairs of states, want at least 3") {
		t.Errorf("a horizon of two pairs: %v, %q", err, result.Warnings)
	}
}
