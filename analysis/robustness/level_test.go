// The statistics of levels and curves against naive deletions, and what has none.

package robustness

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

// inEpisodes are 120 states in 8 episodes of unequal lengths and brightness.
func inEpisodes() (states *memory, episodes []int) {
	states = greys(120, []int{3, 3}, 0, 1)
	for i := range 120 {
		e := int(math.Sqrt(float64(i) * 64 / 120))
		episodes = append(episodes, e)
		for k := range states.size {
			states.data[i*states.size+k] *= 0.3 + 0.08*float32(e)
		}
	}
	return states, episodes
}

// Every relative number is computed anew without each episode, the RMS distance with
// it; its interval is that of these deletions.
func TestRelativeIntervalsDeleteTheRMSDistance(t *testing.T) {
	t.Parallel()
	states, episodes := inEpisodes()
	levels := []float64{0.3, 0.05, 0.1}
	result, err := Analyze(t.Context(), Input{States: states, PixelRange: unit, Episode: episodes, Models: []Encoder{linear("m", states, identity(9))}},
		Options{Levels: levels, Draws: 2, Settings: analysis.Settings{Intervals: true}})
	if err != nil {
		t.Fatal(err)
	}
	m := result.Models[0]
	clean := linear("m", states, identity(9)).Clean
	// over returns mean, root mean square, area and slope over the states outside an
	// episode, by definition.
	over := func(without int) (mean, rms [3]float64, area, slope, distance float64) {
		var kept []int
		for i, e := range episodes {
			if e != without {
				kept = append(kept, i)
			}
		}
		distance, err := spectrum.RMSDistance(clean.Select(kept))
		if err != nil {
			t.Fatal(err)
		}
		for l := range levels {
			for _, i := range kept {
				for d := range 2 {
					v := m.Distances[l][2*i+d]
					mean[l] += v / float64(2*len(kept)) / distance
					rms[l] += v * v / float64(2*len(kept))
				}
			}
			rms[l] = math.Sqrt(rms[l]) / distance
		}
		area = ((mean[1]+mean[2])/2*0.05 + (mean[2]+mean[0])/2*0.2) / 0.25
		xx, xy := 0.0, 0.0
		for l, v := range levels {
			xx += (v - 0.15) * (v - 0.15)
			xy += (v - 0.15) * mean[l]
		}
		return mean, rms, area, xy / xx, distance
	}
	type number struct {
		name  string
		value report.Value
		ci    report.Interval
		of    func(mean, rms [3]float64, area, slope, distance float64) float64
	}
	numbers := []number{
		{"AUC", m.AUCRelative.Value, m.AUCRelative.CI, func(_, _ [3]float64, area, _, _ float64) float64 { return area }},
		{"slope", m.CurveSlope.Value, m.CurveSlope.CI, func(_, _ [3]float64, _, slope, _ float64) float64 { return slope }},
		{"RMS distance", m.RMSDistance.Value, m.RMSDistance.CI, func(_, _ [3]float64, _, _, distance float64) float64 { return distance }},
	}
	for l, level := range m.Levels {
		numbers = append(numbers,
			number{"mean", level.RelativeMean.Value, level.RelativeMean.CI, func(mean, _ [3]float64, _, _, _ float64) float64 { return mean[l] }},
			number{"RMS", level.RelativeRMS.Value, level.RelativeRMS.CI, func(_, rms [3]float64, _, _, _ float64) float64 { return rms[l] }})
	}
	sizes := make([]int, 8)
	for _, e := range episodes {
		sizes[e]++
	}
	for _, n := range numbers {
		replicates := make([]float64, 8)
		for e := range replicates {
			replicates[e] = n.of(over(e))
		}
		want, err := stat.DeleteBlockJackknife(n.of(over(-1)), replicates, sizes, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range [][2]float64{{n.value.V, want.Estimate}, {n.ci.Low, want.Interval.Low}, {n.ci.High, want.Interval.High}} {
			if !(math.Abs(c[0]-c[1]) <= 1e-8*math.Abs(want.Estimate)) {
				t.Errorf("%s %v %v, want %v %+v", n.name, n.value.V, n.ci, want.Estimate, want.Interval)
				break
			}
		}
	}
}

// Independent noise as large as the states themselves: the root mean square is that of
// two random states in any number of dimensions, the mean is not.
func TestRelativeRMSOfRandomStatesIsOne(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		dim  int
		mean float64 // E‖x‖/√(E‖x‖²) of normal vectors
	}{{1, math.Sqrt(2 / math.Pi)}, {2, math.Sqrt(math.Pi) / 2}, {5, 0.9515}} {
		const n = 4000
		random := stat.NewRandom(stat.NewKey(9))
		z, distance := make([]float64, n*c.dim), make([]float64, n)
		for i := range n {
			square := 0.0
			for k := range c.dim {
				z[i*c.dim+k] = random.Normal()
				d := z[i*c.dim+k] - random.Normal()
				square += d * d
			}
			distance[i] = math.Sqrt(square)
		}
		m, err := newMovement(Encoder{Name: "normal", Clean: points.Float64(z, c.dim)}, Options{Draws: 1})
		if err != nil {
			t.Fatal(err)
		}
		m.distance, m.cosine, m.flipped = [][]float64{distance}, [][]float64{make([]float64, n)}, [][]float64{make([]float64, n)}
		model, _, err := m.describe(Options{Levels: []float64{1}, Draws: 1}, nil, [][]float64{distance}, nil)
		if err != nil {
			t.Fatal(err)
		}
		level := model.Levels[0]
		if math.Abs(level.RelativeRMS.V-1) > 0.02 || math.Abs(level.RelativeMean.V-c.mean) > 0.02 {
			t.Errorf("%d dimensions: relative RMS %v, mean %v, want 1 and %v", c.dim, level.RelativeRMS.V, level.RelativeMean.V, c.mean)
		}
	}
}

func TestCurveWeights(t *testing.T) {
	t.Parallel()
	area, slope := curveWeights([]float64{0.2, 0, 0.1})
	for i, want := range []struct{ area, slope float64 }{{0.25, 5}, {0.25, -5}, {0.5, 0}} {
		if math.Abs(area[i]-want.area) > 1e-15 || math.Abs(slope[i]-want.slope) > 1e-13 {
			t.Errorf("weight %d: %v and %v, want %+v", i, area[i], slope[i], want)
		}
	}
	if area, slope = curveWeights([]float64{0.1}); area != nil || slope != nil {
		t.Errorf("one level has a curve: %v, %v", area, slope)
	}
}

// A collapsed model has no relative numbers and is compared with none; level 0 and one
// level have nothing to compare or to draw a curve of.
func TestCollapsedModelIsLeftOut(t *testing.T) {
	t.Parallel()
	states, episodes := inEpisodes()
	in := Input{States: states, PixelRange: unit, Episode: episodes, Models: []Encoder{linear("a", states, identity(9)),
		linear("flat", states, make([]float32, 18)), linear("b", states, identity(9)[:18])}}
	result, err := Analyze(t.Context(), in, Options{Levels: []float64{0, 0.1, 0.2}, CompareLevel: 0.1, Settings: analysis.Settings{Intervals: true}})
	if err != nil {
		t.Fatal(err)
	}
	flat := result.Models[1]
	for _, v := range []report.Value{flat.AUCRelative.Value, flat.CurveSlope.Value, flat.Levels[1].RelativeMean.Value, flat.Levels[1].RelativeRMS.Value, flat.Levels[1].Cosine.Value, flat.NEffMeanLatent} {
		if v.Defined() || !strings.Contains(v.Reason, "constant") {
			t.Errorf("constant latents have %v (%s)", v.V, v.Reason)
		}
	}
	if flat.Levels[1].Mean.CI.Defined() {
		t.Errorf("the interval %v of latents that do not move", flat.Levels[1].Mean.CI)
	}
	var metrics []string
	for _, c := range result.Comparisons {
		if c.A != "a" || c.B != "b" || !c.P.Defined() {
			t.Errorf("compared %s with %s: %v", c.A, c.B, c.P)
		}
		metrics = append(metrics, c.Metric)
	}
	want := []string{"relative_mean at 0.1", "relative_mean at 0.2", "relative_rms at 0.1", "auc_relative", "curve_slope", "flip_rate at 0.1"}
	if !slices.Equal(metrics, want) {
		t.Errorf("compared %q, want %q", metrics, want)
	}
	for _, c := range result.Comparisons[:2] {
		if c.Family != "relative_mean" || c.PHolm.V < c.P.V {
			t.Errorf("%s: family %q, p %v, corrected %v", c.Metric, c.Family, c.P, c.PHolm)
		}
	}
	if zero := result.Models[0].Levels[0]; zero.Mean.CI.Defined() || !(zero.FlipRate.CI.High > 0) || zero.FlipRate.V != 0 {
		t.Errorf("level 0: mean in %v, flip rate %v in %v", zero.Mean.CI, zero.FlipRate, zero.FlipRate.CI)
	}
	one, err := Analyze(t.Context(), in, Options{Levels: []float64{0.1}, Settings: analysis.Settings{Intervals: true}})
	if err != nil {
		t.Fatal(err)
	}
	if v := one.Models[0].AUCRelative; v.Defined() || v.Reason != "a curve needs at least two levels" || one.Models[0].CurveSlope.CI.Defined() {
		t.Errorf("one level has the area %+v", v)
	}
}

// One episode: warnings reach the result and the caption; without intervals there are
// the same numbers, and neither intervals nor warnings.
func TestWarningsReachTheResult(t *testing.T) {
	t.Parallel()
	states, _ := inEpisodes()
	in := Input{States: states, PixelRange: dataset.PixelRange{High: 1}, Models: []Encoder{linear("a", states, identity(9)), linear("b", states, identity(9)[:18])}}
	o := Options{Levels: []float64{0.1, 0.2}, Settings: analysis.Settings{Intervals: true}}
	o.Block.Kind, o.Block.Length = stat.MovingBlocks, 10
	result, err := Analyze(t.Context(), in, o)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(result.Warnings, "\n")
	if !strings.Contains(all, "do not generalize to other episodes") || strings.Count(all, "intervals use pieces") != 1 || !strings.Contains(all, "12 blocks of 10 are too few") {
		t.Errorf("warnings:\n%s", all)
	}
	if results.NoTest(result.Comparisons) == "" || result.Blocks != "12 blocks (moving blocks of 10)" {
		t.Errorf("comparisons %+v, blocks %q", result.Comparisons, result.Blocks)
	}
	off, err := Analyze(t.Context(), in, Options{Levels: []float64{0.1, 0.2}})
	if err != nil {
		t.Fatal(err)
	}
	a, b := result.Models[0], off.Models[0]
	for i, pair := range [][2]report.Value{{a.AUCRelative.Value, b.AUCRelative.Value}, {a.Levels[0].RelativeRMS.Value, b.Levels[0].RelativeRMS.Value},
		{a.Levels[1].Cosine.Value, b.Levels[1].Cosine.Value}, {a.NEffMeanLatent, b.NEffMeanLatent}, {a.NEff, b.NEff}} {
		if !pair[0].Defined() || pair[0] != pair[1] {
			t.Errorf("%d: %v with intervals, %v without", i, pair[0], pair[1])
		}
	}
	if b.AUCRelative.CI.Defined() || b.Levels[0].FlipRate.CI.Defined() || len(off.Warnings)+len(off.Comparisons) > 0 || off.Blocks != "" {
		t.Errorf("without intervals: %+v, warnings %q", b.AUCRelative.CI, off.Warnings)
	}
	in.Time = []int{1, 2}
	if _, err := Analyze(t.Context(), in, o); err == nil || !strings.Contains(err.Error(), "2 frame numbers for 120 states") {
		t.Errorf("frame numbers of other states: %v", err)
	}
}

// Cosines of latents near zero carry the spread of all: their mean has no honest
// interval, that of others has one on the logarithmic scale of 1 − cosine.
func TestCosineOfLatentsNearZero(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		values []float64
		want   float64
	}{{[]float64{-1, 1, -1, 1}, 4}, {[]float64{0, 0, 0, 4}, 144.0 / 84}, {[]float64{2, 2, 2}, 3}} {
		if got := carriers(c.values); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("carriers of %v: %v, want %v", c.values, got, c.want)
		}
	}
	_, episodes := inEpisodes()
	bright, faint := greys(120, []int{6, 6}, 0.5, 1), greys(120, []int{6, 6}, 0.5, 1)
	for k := range 36 {
		faint.data[60*36+k] *= 1e-3 // a latent of nearly no length
	}
	for want, s := range map[bool]*memory{true: bright, false: faint} {
		result, err := Analyze(t.Context(), Input{States: s, PixelRange: unit, Episode: episodes, Models: []Encoder{linear("m", s, identity(36))}},
			Options{Levels: []float64{0.01}, Settings: analysis.Settings{Intervals: true}})
		if err != nil {
			t.Fatal(err)
		}
		level := result.Models[0].Levels[0]
		if level.Cosine.CI.Defined() != want || !want && !strings.Contains(level.Cosine.CI.Reason, "of 120 latents, near zero, determine its spread") {
			t.Errorf("mean cosine %v in %v, want an interval: %v", level.Cosine, level.Cosine.CI, want)
		}
		if want && !(level.Cosine.CI.Low < level.Cosine.V && level.Cosine.V < level.Cosine.CI.High && level.Cosine.CI.High <= 1) {
			t.Errorf("mean cosine %v in %v", level.Cosine, level.Cosine.CI)
		}
	}
}
