// Comparison with scipy, NumPy and mpmath; see testdata/README.md.

package stat

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// number reads JSON numbers and the strings "inf", "-inf", "nan".
type number float64

func (v *number) UnmarshalJSON(b []byte) error {
	f, err := strconv.ParseFloat(strings.Trim(string(b), `"`), 64)
	*v = number(f)
	return err
}

type numbers []number

func (v numbers) floats() []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = float64(x)
	}
	return out
}

type goldenFile struct {
	Regression []struct {
		Name               string
		X, Y               numbers
		Slope, Intercept   number
		R, P, Stderr       number
		Intercept_stderr   number
		Slope_ci           numbers
		Band_at            numbers
		Band               []numbers
		Spearman, Pearson  numbers
		Kendall, Theil_sen numbers
	}
	Describe []struct {
		Values, Q, Quantiles numbers
		Mean, SD, Median     number
	}
	Distributions struct {
		Normal, T, Log_tail []numbers
	}
	Dependence []struct {
		Values, Rho      numbers
		Labels           []int
		Tau, Block, Size number
		Window           int
	}
	BCa []struct {
		Name                          string
		Values, Jackknife, Replicates numbers
		Bca, Percentile               numbers
		Estimate, Stderr              number
	}
	Permutation []struct {
		A, B numbers
		P    number
	}
}

func readGolden(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

// near fails unless got is within relative tolerance of want.
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if got == want || math.IsNaN(got) && math.IsNaN(want) {
		return
	}
	if d := math.Abs(got - want); !(d <= tolerance*math.Abs(want)) {
		t.Errorf("%s = %.17g, want %.17g (relative difference %.2g)", what, got, want, d/math.Abs(want))
	}
}

func nearAbsolute(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %.17g, want %.17g", what, got, want)
	}
}

func TestRegressionGolden(t *testing.T) {
	var golden goldenFile
	readGolden(t, "golden.json", &golden)
	for _, g := range golden.Regression {
		t.Run(g.Name, func(t *testing.T) {
			x, y := g.X.floats(), g.Y.floats()
			f, err := Regression(x, y)
			if err != nil {
				t.Fatal(err)
			}
			const tolerance = 1e-9
			near(t, "slope", f.Slope, float64(g.Slope), tolerance)
			near(t, "intercept", f.Intercept, float64(g.Intercept), tolerance)
			near(t, "r", f.R, float64(g.R), tolerance)
			near(t, "r²", f.RSquared, float64(g.R)*float64(g.R), tolerance)
			near(t, "p", f.PValue, float64(g.P), tolerance)
			near(t, "standard error", f.StdError, float64(g.Stderr), tolerance)
			near(t, "standard error of intercept", f.InterceptStdError, float64(g.Intercept_stderr), tolerance)
			near(t, "slope interval low", f.SlopeInterval.Low, float64(g.Slope_ci[0]), tolerance)
			near(t, "slope interval high", f.SlopeInterval.High, float64(g.Slope_ci[1]), tolerance)
			for _, c := range []struct {
				name string
				f    func(x, y []float64) (Correlation, error)
				want numbers
			}{{"Pearson", pearsonOf, g.Pearson}, {"Spearman", Spearman, g.Spearman}, {"Kendall", Kendall, g.Kendall}} {
				got, err := c.f(x, y)
				if err != nil {
					t.Fatal(err)
				}
				near(t, c.name, got.Coefficient, float64(c.want[0]), tolerance)
				near(t, c.name+" p", got.PValue, float64(c.want[1]), tolerance)
			}
			checkTheilSen(t, x, y, g.Theil_sen.floats())
		})
	}
}

func checkTheilSen(t *testing.T, x, y, want []float64) {
	t.Helper()
	f, err := TheilSen(x, y, 0)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "Theil–Sen slope", f.Slope, want[0], 1e-14)
	nearAbsolute(t, "Theil–Sen intercept", f.Intercept, want[1], 1e-12*(1+math.Abs(want[1])))
	near(t, "Theil–Sen low", f.SlopeInterval.Low, want[2], 1e-14)
	near(t, "Theil–Sen high", f.SlopeInterval.High, want[3], 1e-14)
}

func TestTheilSenGolden(t *testing.T) {
	var golden []struct {
		Name      string
		X, Y, Fit numbers
	}
	readGolden(t, "theilsen.json", &golden)
	for _, g := range golden {
		t.Run(g.Name, func(t *testing.T) { checkTheilSen(t, g.X.floats(), g.Y.floats(), g.Fit.floats()) })
	}
}

func TestDescribeGolden(t *testing.T) {
	var golden goldenFile
	readGolden(t, "golden.json", &golden)
	for _, g := range golden.Describe {
		values := g.Values.floats()
		s, err := Summarize(values)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "mean", s.Mean, float64(g.Mean), 1e-15)
		near(t, "sd", s.SD, float64(g.SD), 1e-13)
		near(t, "median", s.Median, float64(g.Median), 0)
		near(t, "min", s.Min, float64(g.Quantiles[0]), 0)
		near(t, "max", s.Max, float64(g.Quantiles[len(g.Quantiles)-1]), 0)
		q, err := Quantiles(values, g.Q.floats()...)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(q, g.Quantiles.floats()) {
			t.Errorf("quantiles %v, want %v", q, g.Quantiles)
		}
	}
}

func TestDistributionsGolden(t *testing.T) {
	var golden goldenFile
	readGolden(t, "golden.json", &golden)
	d := golden.Distributions
	for _, g := range d.Normal {
		near(t, fmt.Sprint("normal quantile of ", g[0]), NormalQuantile(float64(g[0])), float64(g[1]), 1e-15)
	}
	for _, g := range d.T {
		got, err := StudentTQuantile(float64(g[0]), float64(g[1]))
		if err != nil {
			t.Fatal(err)
		}
		near(t, fmt.Sprint("t quantile ", g[0], " ", g[1]), got, float64(g[2]), 1e-12)
	}
	for _, g := range d.Log_tail {
		near(t, fmt.Sprint("log tail of t ", g[0], " ", g[1]), logStudentTTwoSided(float64(g[0]), float64(g[1])), float64(g[2]), 1e-12)
	}
}

func TestDependenceGolden(t *testing.T) {
	var golden goldenFile
	readGolden(t, "golden.json", &golden)
	for i, g := range golden.Dependence {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			values := g.Values.floats()
			rho, err := Autocorrelation(values, g.Labels, len(g.Rho)-1)
			if err != nil {
				t.Fatal(err)
			}
			for k := range rho {
				nearAbsolute(t, fmt.Sprint("rho ", k), rho[k], float64(g.Rho[k]), 1e-13)
			}
			tau, err := IntegratedAutocorrelationTime(values, g.Labels)
			if err != nil {
				t.Fatal(err)
			}
			near(t, "tau", tau.Tau, float64(g.Tau), 1e-11)
			if tau.Window != g.Window {
				t.Errorf("window %d, want %d", tau.Window, g.Window)
			}
			near(t, "effective sample size", tau.EffectiveSampleSize, float64(g.Size), 1e-10)
			length, err := optimalBlockLength(values, g.Labels)
			if err != nil {
				t.Fatal(err)
			}
			near(t, "block length", length, float64(g.Block), 1e-10)
		})
	}
}

// The interval is computed from scipy's own bootstrap distribution, so only the
// draws are foreign.
func TestBootstrapIntervalGolden(t *testing.T) {
	var golden goldenFile
	readGolden(t, "golden.json", &golden)
	for _, g := range golden.BCa {
		t.Run(g.Name, func(t *testing.T) {
			for method, want := range map[IntervalMethod]numbers{BCa: g.Bca, Percentile: g.Percentile} {
				v := &Bootstrapped{Estimate: float64(g.Estimate), Replicates: g.Replicates.floats(), Jackknife: g.Jackknife.floats()}
				v.finish(BootstrapOptions{Level: 0.95, Method: method})
				near(t, method.String()+" low", v.Interval.Low, float64(want[0]), 1e-12)
				near(t, method.String()+" high", v.Interval.High, float64(want[1]), 1e-12)
				near(t, "standard error", v.StdError, float64(g.Stderr), 1e-12)
			}
		})
	}
}

func TestSignFlipGolden(t *testing.T) {
	var golden goldenFile
	readGolden(t, "golden.json", &golden)
	for _, g := range golden.Permutation {
		r, err := signFlipTest(subtract(g.A.floats(), g.B.floats()), 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		if !r.Exact {
			t.Error("not exact")
		}
		near(t, "p", r.P, float64(g.P), 1e-15)
	}
}

func pearsonOf(x, y []float64) (Correlation, error) { return pearson("Pearson correlation", x, y) }
