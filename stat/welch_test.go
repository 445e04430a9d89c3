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

// Groups of unequal sizes, one of them small, reject no more often than they say, however the variances differ; p is
// below 0.05 exactly where the interval leaves 0 out, and other groups are those of Welch.
func TestCompareRuns(t *testing.T) {
	t.Parallel()
	const draws = 4000
	r := NewRandom(StreamDesign.Key(11))
	for _, sizes := range [][2]int{{2, 4}, {2, 10}, {3, 6}, {10, 3}, {4, 10}, {3, 3}, {5, 10}} {
		for _, ratio := range []float64{0.1, 1, 3, 10} {
			rejected, strictly := 0, 0
			for range draws {
				a, b := make([]float64, sizes[0]), make([]float64, sizes[1])
				for i := range a {
					a[i] = ratio * r.Normal()
				}
				for i := range b {
					b[i] = r.Normal()
				}
				d, err := CompareRuns(a, b, 0, false)
				if err != nil {
					t.Fatal(err)
				}
				if d.P < 0.05 {
					rejected++
				}
				if d.P < 0.002 {
					strictly++
				}
				if rejected%50 != 1 {
					continue
				}
				whole, err := CompareRuns(a, b, 0, true)
				if err != nil {
					t.Fatal(err)
				}
				if whole.P != d.P || (whole.P < 0.05) != (whole.Interval.Low > 0 || whole.Interval.High < 0) {
					t.Fatalf("%v: p %v, without the interval %v: %+v", sizes, whole.P, d.P, whole)
				}
				welch, _ := Welch(a, b, 0)
				if same := welch == whole; same != (sizes[0] == sizes[1] || min(sizes[0], sizes[1]) >= fewRuns) {
					t.Fatalf("%v: %+v, Welch %+v", sizes, whole, welch)
				}
			}
			share, strict := 100*float64(rejected)/draws, 100*float64(strictly)/draws
			if share > 6.5 || strict > 0.9 {
				t.Errorf("%v, ratio %v: %.1f %% below 0.05, %.2f %% below 0.002", sizes, ratio, share, strict)
			}
		}
	}
}
