// Tests of jackknifes against deletions made by hand.

package stat

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// unevenBlocks are episodes of different lengths with two related series.
func unevenBlocks(t *testing.T) (b *Blocks, x, y []float64) {
	t.Helper()
	r := NewRandom(NewKey(12))
	labels := labelled(7, 12, 5, 20, 9, 11, 16)
	for i := range labels {
		x = append(x, 3+r.Normal()+0.1*float64(i%5))
		y = append(y, 2*x[i]+0.7*r.Normal())
	}
	return mustBlocks(t, len(x), labels, BlockSpec{}), x, y
}

// without returns the values outside block j.
func without(b *Blocks, j int, values []float64) []float64 {
	var out []float64
	block := b.Block(j)
	for i, v := range values {
		if !slices.Contains(block, i) {
			out = append(out, v)
		}
	}
	return out
}

func TestJackknifeSumsDeletes(t *testing.T) {
	t.Parallel()
	b, x, y := unevenBlocks(t)
	regression, err := JackknifeRegression(b, x, y)
	if err != nil {
		t.Fatal(err)
	}
	mean := mustMean(t, b, x)
	ratio, err := Combine(func(v []float64) float64 { return v[0] / v[1] }, mustMean(t, b, y), mean)
	if err != nil {
		t.Fatal(err)
	}
	for j := range b.Count() {
		u, v := without(b, j, x), without(b, j, y)
		fit, err := Regression(u, v)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "slope", regression.Slope.Replicates[j], fit.Slope, 1e-10)
		near(t, "intercept", regression.Intercept.Replicates[j], fit.Intercept, 1e-9)
		near(t, "r", regression.R.Replicates[j], fit.R, 1e-12)
		near(t, "mean", mean.Replicates[j], Mean(u), 1e-12)
		near(t, "ratio", ratio.Replicates[j], Mean(v)/Mean(u), 1e-12)
	}
	// Influence is the first-order effect of leaving an observation out.
	n := len(x)
	for i := range x {
		u, v := slices.Delete(slices.Clone(x), i, i+1), slices.Delete(slices.Clone(y), i, i+1)
		fit, err := Regression(u, v)
		if err != nil {
			t.Fatal(err)
		}
		nearAbsolute(t, "influence on the slope", regression.Slope.Influence[i], float64(n)*(regression.Slope.Estimate-fit.Slope), 0.6)
		nearAbsolute(t, "influence on the ratio", ratio.Influence[i], float64(n-1)*(ratio.Estimate-Mean(v)/Mean(u)), 0.02)
		nearAbsolute(t, "influence on the mean", mean.Influence[i], x[i]-Mean(x), 1e-9)
	}
}

// A deletion that is undefined leaves no interval, and says why.
func TestUndefinedDeletion(t *testing.T) {
	t.Parallel()
	b, x, _ := unevenBlocks(t)
	replicates := slices.Clone(mustMean(t, b, x).Replicates)
	replicates[1] = math.NaN()
	v, err := b.Jackknife(Mean(x), replicates, nil)
	if err != nil {
		t.Fatal(err)
	}
	if v.Reason == "" || v.Interval.Defined() {
		t.Errorf("an undefined statistic: %+v", v)
	}
}

// The median of many independent blocks has the interval of order statistics.
func TestJackknifeQuantiles(t *testing.T) {
	t.Parallel()
	r := NewRandom(NewKey(4))
	values := make([]float64, 2000)
	for i := range values {
		values[i] = r.Normal()
	}
	values[7] = math.NaN()
	b := mustBlocks(t, len(values), nil, BlockSpec{Kind: MovingBlocks, Length: 1})
	v, err := JackknifeQuantiles(b.Coarsen(200), values, 0.5, 0.9)
	if err != nil {
		t.Fatal(err)
	}
	// Standard errors √(q(1−q)/n)/φ(z).
	near(t, "error of the median", v[0].StdError, math.Sqrt(0.25/2000)*math.Sqrt(2*math.Pi), 0.15)
	near(t, "error of the decile", v[1].StdError, math.Sqrt(0.09/2000)/0.17549833, 0.2)
	for i, z := range []float64{0, 1.2815515655446004} {
		if w := v[i]; !(w.Interval.Low < z && z < w.Interval.High) || math.Abs(w.Estimate-z) > 4*w.StdError {
			t.Errorf("quantile %d: %v, %+v", i, w.Estimate, w.Interval)
		}
	}
	for _, bad := range [][]float64{{math.NaN(), math.NaN(), math.NaN()}, {1, 2}, {1, math.Inf(1), 2}} {
		if _, err := JackknifeQuantiles(mustBlocks(t, 3, nil, BlockSpec{Kind: MovingBlocks, Length: 1}), bad, 0.5); err == nil {
			t.Errorf("no error for %v", bad)
		}
	}
	if _, err := JackknifeQuantiles(b, values, 1); err == nil {
		t.Error("no error for the maximum")
	}
}

// Pairs of states leave with the states that own them.
func TestOwning(t *testing.T) {
	t.Parallel()
	b, x, _ := unevenBlocks(t)
	var owner []int
	var steps []float64
	for i := 1; i < len(x); i++ {
		if b.Labels()[i] == b.Labels()[i-1] {
			owner, steps = append(owner, i-1), append(steps, math.Abs(x[i]-x[i-1]))
		}
	}
	pairs, err := b.Owning(owner)
	if err != nil {
		t.Fatal(err)
	}
	v := mustMean(t, pairs, steps)
	states := mustMean(t, b, x)
	if !slices.Equal(v.BlockSizes, states.BlockSizes) || len(v.Influence) != len(x) {
		t.Fatalf("sizes %v, %v; influence of %d for %d states", v.BlockSizes, states.BlockSizes, len(v.Influence), len(x))
	}
	for j := range b.Count() {
		var left []float64
		for k, o := range owner {
			if b.Labels()[o] != j {
				left = append(left, steps[k])
			}
		}
		near(t, "mean step", v.Replicates[j], Mean(left), 1e-12)
	}
	relative, err := Combine(func(v []float64) float64 { return v[0] / v[1] }, v, states)
	if err != nil {
		t.Fatal(err)
	}
	nearAbsolute(t, "mean influence", Mean(relative.Influence), 0, 1e-9)
	for _, bad := range [][]int{nil, {-1}, {len(x)}} {
		if _, err := b.Owning(bad); err == nil {
			t.Errorf("no error for owners %v", bad)
		}
	}
}

// Scales keep an interval inside what the statistic can be.
func TestScales(t *testing.T) {
	t.Parallel()
	sizes := slices.Repeat([]int{5}, 6)
	jackknifed := func(theta float64, spread float64) *Jackknifed {
		var replicates []float64
		for j := range sizes {
			replicates = append(replicates, theta+spread*float64(j-2)-spread/2)
		}
		v, err := DeleteBlockJackknife(theta, replicates, sizes, 0)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if v := jackknifed(0.2, 0.05); v.Interval.Low >= 0 {
		t.Errorf("raw %+v: the example should reach below 0", v.Interval)
	}
	if v := jackknifed(0.2, 0.02).OnLogScale(); !(v.Interval.Low > 0 && v.Interval.Low < 0.2 && v.Interval.High > 0.2) {
		t.Errorf("log %+v", v.Interval)
	}
	if v := jackknifed(0.95, 0.005).OnFisherScale(); !(v.Interval.Low > 0 && v.Interval.High < 1 && v.Interval.High > 0.95) {
		t.Errorf("Fisher %+v", v.Interval)
	}
	if v := jackknifed(0.04, 0.01).OnPowerScale(0.5); !(v.Interval.High-0.04 > 0.04-v.Interval.Low) {
		t.Errorf("root scale: %+v", v.Interval)
	}
	if v := jackknifed(3, 0.1).OnPowerScale(-0.5); !(v.Interval.Low > 0 && v.Interval.Low < 3 && v.Interval.High-3 > 3-v.Interval.Low && !math.IsInf(v.Interval.High, 1)) {
		t.Errorf("inverse root scale: %+v", v.Interval)
	}
	if v := jackknifed(0.02, 0.05).OnLogScale(); v.Interval.Low != 0 {
		t.Errorf("log of what is not positive: %+v", v.Interval)
	}
	if v := jackknifed(0.9, 0.05).Within(0, 1); v.Interval.High != 1 || v.StdError <= 0 {
		t.Errorf("cut %+v", v.Interval)
	}
}

// Where blocks of different sizes have equal variance, as the means of episodes
// that differ, the standard error is that of the weighted mean.
func TestUnequalBlocksThatDiffer(t *testing.T) {
	t.Parallel()
	sizes := []int{2, 4, 4, 6, 6, 8, 8, 10, 12, 20}
	squares, total := 0.0, 0.0
	for _, m := range sizes {
		squares += float64(m * m)
		total += float64(m)
	}
	labels := labelled(sizes...)
	b := mustBlocks(t, len(labels), labels, BlockSpec{})
	number := map[int]int{}
	for _, e := range labels {
		if _, ok := number[e]; !ok {
			number[e] = len(number)
		}
	}
	var variance []float64
	for seed := range uint64(2000) {
		r := NewRandom(NewKey(seed, 9))
		level := make([]float64, len(sizes))
		for j := range level {
			level[j] = r.Normal()
		}
		values := make([]float64, len(labels))
		for i, e := range labels {
			values[i] = level[number[e]]
		}
		v := mustMean(t, b, values)
		variance = append(variance, v.StdError*v.StdError)
	}
	near(t, "variance", Mean(variance), squares/(total*total), 0.1)
	near(t, "degrees of freedom", mustMean(t, b, slices.Repeat([]float64{1, 2}, len(labels)/2)).DF, total*total/squares-1, 1e-12)
}

// Two blocks, or three of which one holds nearly all, have no interval of a logarithm however near
// their deletions are; three of equal size have.
func TestLogIntervalOfFewBlocks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		without []float64
		sizes   []int
		defined bool
	}{{[]float64{1.01, 0.99}, []int{10, 10}, false}, {[]float64{1.01, 0.99, 1}, []int{30, 1, 1}, false},
		{[]float64{1, 1}, []int{10, 10}, true}, {[]float64{1.01, 0.99, 1}, []int{10, 10, 10}, true}} {
		v, err := DeleteBlockJackknife(1, c.without, c.sizes, 0)
		if err != nil {
			t.Fatal(err)
		}
		v.OnLogScale()
		if v.Interval.Defined() != c.defined || !c.defined && !strings.Contains(v.Interval.Reason, "degrees of freedom") {
			t.Errorf("%v of %v: %+v", c.without, c.sizes, v.Interval)
		}
		if _, err := Compare(v, v, CompareOptions{}); err != nil {
			t.Error(err)
		}
	}
}

// An interval of a logarithm that spans more than six orders of magnitude is none: four deletions
// whose logarithms have the standard error s, and Student's t of three degrees, 3.182.
func TestWidestLogInterval(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		s       float64
		defined bool
	}{{2, true}, {2.3, false}} { // 2·3.182·s against ln 10⁶ = 13.8
		d := c.s / math.Sqrt(3) // se² = 3/4·Σ(θ_j − mean)² = 3·d²
		var without []float64
		for _, sign := range []float64{-1, -1, 1, 1} {
			without = append(without, math.Exp(sign*d))
		}
		v, err := DeleteBlockJackknife(1, without, []int{10, 10, 10, 10}, 0)
		if err != nil {
			t.Fatal(err)
		}
		v.OnLogScale()
		if v.Interval.Defined() != c.defined || !c.defined && !strings.Contains(v.Interval.Reason, "more than six orders of magnitude") {
			t.Errorf("standard error %v: %+v", c.s, v.Interval)
		}
	}
}
