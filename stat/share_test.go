// Intervals of shares against Clopper and Pearson's, and at 0 and 1.

package stat

import (
	"math"
	"testing"
)

func TestBetaQuantile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ p, a, b, want float64 }{
		// Closed forms: 1 − (1 − p)^(1/b) for a = 1, p^(1/a) for b = 1, the arcsine law.
		{0.975, 1, 10, 1 - math.Pow(0.025, 0.1)}, {0.025, 600, 1, math.Pow(0.025, 1.0/600)},
		{0.3, 0.5, 0.5, math.Pow(math.Sin(math.Pi*0.3/2), 2)}, {0.5, 7.5, 7.5, 0.5},
		// Clopper and Pearson's ends for 3 of 10, tabulated as 6.67 % and 65.25 %.
		{0.025, 3, 8, 0.0667395}, {0.975, 4, 7, 0.6524529},
	} {
		near(t, "quantile", betaQuantile(c.p, c.a, c.b), c.want, 2e-6)
		near(t, "distribution", regularizedBeta(betaQuantile(c.p, c.a, c.b), c.a, c.b), c.p, 1e-12)
	}
	// The binomial sum: I_0.3(4, 7) = P(X ≥ 4), X of 10 draws at 0.3.
	sum := 0.0
	for k, choose := range []float64{1, 10, 45, 120, 210, 252, 210, 120, 45, 10, 1} {
		if k >= 4 {
			sum += choose * math.Pow(0.3, float64(k)) * math.Pow(0.7, float64(10-k))
		}
	}
	near(t, "binomial tail", regularizedBeta(0.3, 4, 7), sum, 1e-13)
}

func TestAsShare(t *testing.T) {
	t.Parallel()
	episodes := make([]int, 600)
	hits := func(of ...int) []float64 {
		v := make([]float64, 600)
		for _, i := range of {
			v[i] = 1
		}
		return v
	}
	for i := range episodes {
		episodes[i] = i / 60
	}
	blocks := mustBlocks(t, 600, episodes, BlockSpec{})
	none := mustMean(t, blocks, hits()).AsShare(600)
	all := mustMean(t, blocks, hits()).AsShare(600)
	t9, t599 := 2.2621571628540993, 1.9639389
	size := 600 * (t599 / t9) * (t599 / t9)
	near(t, "upper end of no hits", none.Interval.High, 1-math.Pow(0.025, 1/size), 1e-5)
	if none.Interval.Low != 0 || none.Estimate != 0 || all.Interval.Low != 0 {
		t.Errorf("no hits: %+v", none.Interval)
	}
	few := mustMean(t, blocks, hits(3, 70, 301)).AsShare(600)
	if !(few.Interval.Low > 0 && few.Interval.Low < 3.0/600 && few.Interval.High > 3.0/600 && few.Interval.High < 0.03) {
		t.Errorf("three hits: %+v", few.Interval)
	}
	// Hits in one block only are worth fewer observations.
	var together []int
	for i := range 30 {
		together = append(together, i)
	}
	clustered := mustMean(t, blocks, hits(together...)).AsShare(600)
	if !(clustered.Interval.High > 0.15) {
		t.Errorf("30 hits in one of ten blocks: %+v", clustered.Interval)
	}
	half := make([]float64, 600)
	for i := range half {
		half[i] = float64(i * i % 7 % 2)
	}
	if v, want := mustMean(t, blocks, half).AsShare(600), mustMean(t, blocks, half); v.Interval != want.Interval {
		t.Errorf("a share far from 0 and 1: %+v, want %+v", v.Interval, want.Interval)
	}
	full := make([]float64, 600)
	for i := range full {
		full[i] = 1
	}
	if v := mustMean(t, blocks, full).AsShare(600).Interval; v.High != 1 || !(v.Low > 0.98 && v.Low < 1) {
		t.Errorf("nothing but hits: %+v", v)
	}
	if v := mustMean(t, blocks, benchmarkSeries(600)); v.AsShare(600).Interval.Low != v.Interval.Low {
		t.Error("the interval of what is no share has changed")
	}
}
