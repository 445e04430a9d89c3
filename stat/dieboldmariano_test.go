// The test of equal accuracy against NumPy, and what it says of bad series.

package stat

import (
	"math"
	"testing"
)

// goldenAccuracy is testdata/dieboldmariano.json.
type goldenAccuracy struct {
	Cases []struct {
		A, B      []float64
		Truncated []struct {
			Horizon  int
			T, P, DF float64
		}
		EWC []struct {
			Terms    int
			T, P, DF float64
			Interval []float64
		}
	}
}

func TestDieboldMarianoGolden(t *testing.T) {
	t.Parallel()
	var g goldenAccuracy
	readGolden(t, "dieboldmariano.json", &g)
	for i, c := range g.Cases {
		for _, want := range c.Truncated {
			got, err := DieboldMariano(c.A, c.B, DieboldMarianoOptions{Variance: TruncatedVariance, Horizon: want.Horizon})
			if err != nil {
				t.Fatal(err)
			}
			for _, pair := range [][2]float64{{got.T, want.T}, {got.P, want.P}, {got.DF, want.DF}, {got.Difference / got.StdError, want.T}} {
				if math.Abs(pair[0]-pair[1]) > 1e-12*max(1, math.Abs(pair[1])) {
					t.Errorf("case %d, horizon %d: %+v, want %+v", i, want.Horizon, got, want)
				}
			}
		}
		for k, want := range c.EWC {
			got, err := DieboldMariano(c.A, c.B, DieboldMarianoOptions{Terms: k * want.Terms}) // of the first the default
			if err != nil {
				t.Fatal(err)
			}
			for _, pair := range [][2]float64{{got.T, want.T}, {got.P, want.P}, {got.DF, want.DF}, {got.Interval.Low, want.Interval[0]},
				{got.Interval.High, want.Interval[1]}} {
				if math.Abs(pair[0]-pair[1]) > 1e-11*max(1, math.Abs(pair[1])) {
					t.Errorf("case %d, %d terms: %+v, want %+v", i, want.Terms, got, want)
				}
			}
		}
	}
}

// Exchanging the forecasts changes signs alone; a forecast is as good as itself.
func TestDieboldMarianoProperties(t *testing.T) {
	t.Parallel()
	r := NewRandom(NewKey(3))
	a, b := make([]float64, 50), make([]float64, 50)
	for i := range a {
		a[i], b[i] = r.Normal(), r.Normal()+0.3
	}
	for _, o := range []DieboldMarianoOptions{{}, {Variance: TruncatedVariance, Horizon: 2}} {
		x, err := DieboldMariano(a, b, o)
		y, err2 := DieboldMariano(b, a, o)
		if err != nil || err2 != nil || x.T != -y.T || x.P != y.P || x.Interval.Low != -y.Interval.High || !(x.P > 0 && x.P < 1) {
			t.Errorf("%v: %+v and %+v, %v, %v", o.Variance, x, y, err, err2)
		}
		same, err := DieboldMariano(a, a, o)
		if err != nil || same.Difference != 0 || !math.IsNaN(same.P) || same.Interval.Defined() ||
			same.Reason != "all differences are equal, so that there is no standard error for a test" {
			t.Errorf("%+v, %v", same, err)
		}
	}
	// Differences that change sign at every step have a truncated variance below 0.
	for i := range a {
		a[i], b[i] = float64(i%2), 0
	}
	negative, err := DieboldMariano(a, b, DieboldMarianoOptions{Variance: TruncatedVariance, Horizon: 2})
	if err != nil || !math.IsNaN(negative.P) || negative.Reason != "the estimated long-run variance is not positive" {
		t.Errorf("%+v, %v", negative, err)
	}
}

// Long memories and short sequences carry no test.
func TestDieboldMarianoUntestable(t *testing.T) {
	t.Parallel()
	r := NewRandom(NewKey(9))
	a, zero := make([]float64, 200), make([]float64, 200)
	for i := range a {
		if a[i] = r.Normal(); i > 0 {
			a[i] += 0.95 * a[i-1]
		}
	}
	got, err := DieboldMariano(a, zero, DieboldMarianoOptions{})
	if err != nil || got.Untestable != "a lag-1 correlation of 0.97 is too high for a test, want at most 0.7" {
		t.Errorf("%+v, %v", got, err)
	}
	got, err = DieboldMariano(a[:49], zero[:49], DieboldMarianoOptions{})
	if err != nil || got.Untestable != "49 differences are too few for a test, want at least 50" {
		t.Errorf("%+v, %v", got, err)
	}
	for i := range a {
		a[i] = r.Normal()
	}
	if got, err = DieboldMariano(a, zero, DieboldMarianoOptions{}); err != nil || got.Untestable != "" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestDieboldMarianoErrors(t *testing.T) {
	t.Parallel()
	three := []float64{1, 2, 4}
	for _, c := range []struct {
		a, b []float64
		o    DieboldMarianoOptions
		want string
	}{
		{three, three[:2], DieboldMarianoOptions{},
			"Diebold–Mariano test: one forecast has 3 losses and the other 2, want equal numbers"},
		{three[:2], three[:2], DieboldMarianoOptions{}, "Diebold–Mariano test: 2 losses, want at least 3"},
		{three, three, DieboldMarianoOptions{Horizon: 3}, "Diebold–Mariano test: 3 losses, want at least 4"},
		{three, three, DieboldMarianoOptions{Horizon: -1}, "Diebold–Mariano test: horizon -1 and 0 terms for 3 losses"},
		{three, three, DieboldMarianoOptions{Terms: 3}, "Diebold–Mariano test: horizon 0 and 3 terms for 3 losses"},
		{three, three, DieboldMarianoOptions{Level: 1.5}, "Diebold–Mariano test: confidence level 1.5, want a number between 0 and 1"},
		{three, []float64{1, math.NaN(), 2}, DieboldMarianoOptions{}, "Diebold–Mariano test: differences[1] is NaN, want finite numbers"},
	} {
		if _, err := DieboldMariano(c.a, c.b, c.o); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}
