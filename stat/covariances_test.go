// Tests that a window fed by hand is that of the autocorrelation time.

package stat

import (
	"math"
	"testing"
)

func TestCovarianceWindow(t *testing.T) {
	t.Parallel()
	random := NewRandom(NewKey(4))
	for _, episodes := range []int{1, 60} {
		values, episode := make([]float64, 600), make([]int, 600)
		for i := range values {
			values[i] = random.Normal()
			if i > 0 {
				values[i] += 0.8 * values[i-1]
			}
			episode[i] = i * episodes / 600
		}
		want, err := IntegratedAutocorrelationTime(values, episode)
		if err != nil {
			t.Fatal(err)
		}
		x, err := newEpisodeIndex("test", 600, episode)
		if err != nil {
			t.Fatal(err)
		}
		covariance := x.rawCovariances(values)
		c := NewCovarianceWindow(600, covariance(0))
		for lag := 1; lag < 600/episodes && c.Add(1, x.pairs(lag), covariance(lag)); lag++ {
		}
		got := c.Result(600, episodes, true)
		if got.Window != want.Window || got.Converged != want.Converged || got.Reliable != want.Reliable ||
			math.Abs(got.Tau-want.Tau) > 1e-12*want.Tau || math.Abs(got.EffectiveSampleSize-want.EffectiveSampleSize) > 1e-9 {
			t.Errorf("%d episodes: %+v, want %+v", episodes, got, want)
		}
	}
	// Several lags at once count as many.
	one, three := NewCovarianceWindow(100, 1), NewCovarianceWindow(100, 1)
	for _, pairs := range []float64{20, 30, 10} {
		one.Add(1, pairs, 0.5)
	}
	three.Add(3, 60, 0.5)
	if a, b := one.Result(100, 1, true), three.Result(100, 1, true); math.Abs(a.Tau-b.Tau) > 1e-12 || math.Abs(a.EffectiveSampleSize-b.EffectiveSampleSize) > 1e-9 {
		t.Errorf("%+v and %+v differ", a, b)
	}
}
