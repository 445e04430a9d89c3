// Tests of levels in units of the spread of vectors.

package robustness

import (
	"math"
	"slices"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/internal/quantile"
	"repscope/latent"
	"repscope/measure/corruption"
	"repscope/report"
	"repscope/shard"
	"repscope/shard/shardtest"
	"repscope/stat"
)

// normals are n states of size values; scale has the standard deviation of every state.
func normals(n, size int, seed uint64, scale func(i int) float64) *memory {
	m := &memory{shape: []int{size}, size: size}
	random := stat.NewRandom(stat.NewKey(seed))
	for i := range n {
		for k := range size {
			m.data = append(m.data, float32(float64(10*k)+random.Normal()*scale(i)))
		}
	}
	return m
}

func evenly(int) float64 { return 3 }

func spreadOf(t *testing.T, states latent.Source, kind SpreadKind) *Spread {
	t.Helper()
	u, err := NewSpread(t.Context(), states, kind, 2)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// The units are what their definitions say, column by column in a naive version, they do not grow
// with the sample as the extremes do, and outliers do not move the robust one.
func TestSpread(t *testing.T) {
	t.Parallel()
	states := normals(500, 4, 1, evenly)
	var variances, off []float64
	for k := range 4 {
		var column []float64
		for i := range 500 {
			column = append(column, float64(states.data[i*4+k]))
		}
		mean, sum := stat.Mean(column), 0.0
		for _, v := range column {
			sum += (v - mean) * (v - mean)
		}
		variances = append(variances, sum/499)
		slices.Sort(column)
		middle := quantile.Sorted(column, 0.5)
		for i := range 500 {
			off = append(off, math.Abs(float64(states.data[i*4+k])-middle))
		}
	}
	var ofStates []float64
	for i := range 500 {
		row := []float64{off[i], off[500+i], off[1000+i], off[1500+i]}
		slices.Sort(row)
		ofStates = append(ofStates, (row[1]+row[2])/2)
	}
	slices.Sort(ofStates)
	for kind, want := range map[SpreadKind]float64{SpreadSD: math.Sqrt(stat.Mean(variances)), SpreadMAD: 1.482602218505602 * quantile.Sorted(ofStates, 0.5)} {
		if got := spreadOf(t, states, kind).Value; math.Abs(got-want) > 1e-12*want {
			t.Errorf("%s: %v, want %v", kind, got, want)
		}
		for _, n := range []int{200, 20000} {
			if got := spreadOf(t, normals(n, 4, 7, evenly), kind).Value; math.Abs(got-3) > 0.25 {
				t.Errorf("%s of %d states with a standard deviation of 3: %v", kind, n, got)
			}
		}
	}
	for i := range 5 {
		states.data[i*4] = 1e4
	}
	if got := spreadOf(t, states, SpreadMAD).Value; math.Abs(got-3) > 0.3 {
		t.Errorf("mad with outliers: %v, want about 3", got)
	}
	if _, err := NewSpread(t.Context(), &memory{shape: []int{2}, size: 2, data: []float32{1, 2, 1, 2}}, SpreadSD, 1); err == nil || !strings.Contains(err.Error(), "do not vary") {
		t.Errorf("equal states: %v", err)
	}
}

// For the identity the RMS distance of two random states is √(2D) times the unit, and noise at a
// level σ is √D·σ times the unit: their ratio is σ/√2 whatever the unit and its scale.
// Nothing is clipped. The interval of the distance has the error of the unit in it, which is
// large where episodes spread unequally; that of the ratio has not, since it cancels.
func TestLevelsOfVectors(t *testing.T) {
	t.Parallel()
	var episodes []int
	random := stat.NewRandom(stat.NewKey(3))
	scales := make([]float64, 20)
	for e := range scales {
		scales[e] = math.Exp(0.3 * random.Normal())
	}
	for i := range 600 {
		episodes = append(episodes, i/30)
	}
	states := normals(600, 16, 2, func(i int) float64 { return scales[i/30] })
	analyze := func(states *memory, u *Spread) Model {
		r, err := Analyze(t.Context(), Input{States: states, Spread: u, Episode: episodes, Models: []Encoder{linear("identity", states, identity(16))}},
			Options{Levels: []float64{0.1, 2}, Draws: 2, Clip: corruption.ClipRange, Settings: analysis.Settings{Intervals: true}})
		if err != nil {
			t.Fatal(err)
		}
		if r.Spread != u || !strings.Contains(r.Unit, "standard deviation") {
			t.Errorf("unit %v, axis %q", r.Spread, r.Unit)
		}
		return r.Models[0]
	}
	u := spreadOf(t, states, SpreadSD)
	model := analyze(states, u)
	for _, l := range model.Levels {
		if want := l.Sigma / math.Sqrt2; math.Abs(l.RelativeRMS.V-want) > 0.01*want {
			t.Errorf("σ = %v: relative RMS %v, want %v", l.Sigma, l.RelativeRMS.V, want)
		}
		if math.Abs(l.InputPerturbation.V-l.Mean.V) > 1e-5*l.Mean.V {
			t.Errorf("σ = %v: input moved by %v, the latent by %v", l.Sigma, l.InputPerturbation.V, l.Mean.V)
		}
		width := func(ci report.Interval, of report.Value) float64 { return (ci.High - ci.Low) / of.V }
		distance, ratio := width(l.Mean.CI, l.Mean.Value), width(l.RelativeMean.CI, l.RelativeMean.Value)
		// The standard error of the logarithm of the unit over 20 episodes, by its formula.
		squares := make([]float64, 20)
		for e := range squares {
			squares[e] = stat.Mean(u.spread[e*30 : (e+1)*30])
		}
		mean, variance := stat.MeanVariance(squares)
		want := 2 * 2.09 * math.Sqrt(variance/20) / (2 * mean)
		if math.Abs(distance-want) > 0.15*want || ratio > 0.2*want {
			t.Errorf("σ = %v: intervals of %.3f and %.3f of their numbers, want about %.3f and less than a fifth of it", l.Sigma, distance, ratio, want)
		}
	}
	double := &memory{shape: states.shape, size: states.size}
	for _, v := range states.data {
		double.data = append(double.data, 2*v)
	}
	scaled := analyze(double, spreadOf(t, double, SpreadSD))
	if a, b := model.Levels[0], scaled.Levels[0]; a.RelativeMean != b.RelativeMean || a.FlipRate != b.FlipRate || a.RelativeMean.CI.Low != b.RelativeMean.CI.Low || 2*a.Mean.V != b.Mean.V {
		t.Errorf("states twice as large: %+v, were %+v", b, a)
	}
}

// Values of a power of the level have its exponent as derivative, from levels in any order.
func TestLogDerivative(t *testing.T) {
	t.Parallel()
	levels := []float64{0.3, 0, 0.1, 1}
	var values []float64
	for _, level := range levels {
		values = append(values, 5*math.Pow(level, 1.7))
	}
	for l, v := range values {
		if got := logDerivative(levels, values, l, 9); math.Abs(got-1.7*v) > 1e-12 {
			t.Errorf("level %v: %v, want %v", levels[l], got, 1.7*v)
		}
	}
	if got := logDerivative([]float64{0.2}, []float64{3}, 0, 9); got != 9 {
		t.Errorf("one level: %v, want 9", got)
	}
}

// Any split of the work has the same bytes with a unit of the states.
func TestWorkOfVectors(t *testing.T) {
	t.Parallel()
	open := func(kind SpreadKind) func() shard.Work[*Part, *Result] {
		return func() shard.Work[*Part, *Result] {
			states := normals(60, 4, 9, evenly)
			work, err := Work(Input{States: states, Spread: spreadOf(t, states, kind), Models: []Encoder{linear("identity", states, identity(4))}},
				Options{Levels: []float64{0, 0.1}, Draws: 2, Settings: analysis.Settings{Intervals: true}})
			if err != nil {
				t.Fatal(err)
			}
			return work
		}
	}
	shardtest.Check(t, open(SpreadSD), asText(t), open(SpreadMAD))
}
