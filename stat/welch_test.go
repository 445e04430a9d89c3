// Welch's test against scipy; see testdata/README.md.

package stat

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestWelch(t *testing.T) {
	t.Parallel()
	for i, c := range readTests(t).Welch {
		got, err := Welch(c.A, c.B, 0)
		if err != nil {
			t.Fatal(err)
		}
		what := fmt.Sprint("sample ", i)
		within(t, what+" t", got.T, c.T, 1e-12)
		within(t, what+" df", got.DF, c.DF, 1e-12)
		within(t, what+" p", got.P, c.P, 1e-12)
		within(t, what+" low", got.Interval.Low, c.CI[0], 1e-12)
		within(t, what+" high", got.Interval.High, c.CI[1], 1e-12)
		within(t, what+" p of t", TTestP(got.T, got.DF), c.P, 1e-12)
	}
	for _, c := range [][2][]float64{{{1}, {2, 3}}, {{1, 1}, {2, 2}}} {
		if got, err := Welch(c[0], c[1], 0); err != nil || got.Interval.Defined() || got.Reason == "" || !math.IsNaN(got.P) {
			t.Errorf("%v: %+v, %v", c, got, err)
		}
	}
	for _, c := range [][2][]float64{{nil, {2, 3}}, {{1, math.NaN()}, {2, 2}}} {
		if _, err := Welch(c[0], c[1], 0); err == nil {
			t.Errorf("%v is accepted", c)
		}
	}
	if !math.IsNaN(TTestP(1, 0)) || !math.IsNaN(TTestP(math.NaN(), 3)) || TTestP(0, 3) != 1 {
		t.Error("p values at the borders")
	}
}

// WelchTest has all of Welch but the interval.
func TestWelchTest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		draw := rapid.SliceOfN(rapid.Float64Range(-5, 5), 1, 6)
		a, b := draw.Draw(t, "a"), draw.Draw(t, "b")
		whole, err := Welch(a, b, 0.9)
		if err != nil {
			t.Fatal(err)
		}
		test, err := WelchTest(a, b, 0.9)
		if err != nil || test.Interval.Defined() {
			t.Fatalf("%+v, %v", test, err)
		}
		test.Interval, whole.Interval = Interval{}, Interval{}
		if fmt.Sprint(test) != fmt.Sprint(whole) {
			t.Fatalf("%+v, want %+v", test, whole)
		}
	})
}
