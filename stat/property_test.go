// Invariances, and input that must end in an error or a reason.

package stat

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawPairs draws paired values with ties, of different x.
// Their steps are powers of two, so that shifting them keeps ties.
func drawPairs(t *rapid.T) (x, y []float64) {
	n := rapid.IntRange(3, 60).Draw(t, "n")
	step := rapid.SampledFrom([]float64{1, 0.125, 0x1p-10}).Draw(t, "step")
	for range n {
		x = append(x, step*float64(rapid.IntRange(-20, 20).Draw(t, "x")))
		y = append(y, step*float64(rapid.IntRange(-20, 20).Draw(t, "y")))
	}
	x[0] = x[1] + step
	return x, y
}

func closeTo(t *rapid.T, what string, got, want, scale float64) {
	t.Helper()
	if math.IsNaN(got) && math.IsNaN(want) || got == want {
		return
	}
	if !(math.Abs(got-want) <= 1e-9*(math.Abs(want)+scale)) {
		t.Fatalf("%s = %.17g, want %.17g", what, got, want)
	}
}

func TestInvariances(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := drawPairs(t)
		order := NewRandom(NewKey(rapid.Uint64().Draw(t, "order"))).Perm(len(x))
		const scale, shift = 4.0, 3.0
		u, v := make([]float64, len(x)), make([]float64, len(y))
		for k, i := range order {
			u[k], v[k] = scale*x[i]+shift, y[i]/scale-shift
		}
		f, err := Regression(x, y)
		if err != nil {
			t.Fatal(err)
		}
		g, err := Regression(u, v)
		if err != nil {
			t.Fatal(err)
		}
		closeTo(t, "slope", g.Slope*scale*scale, f.Slope, 1)
		closeTo(t, "r", g.R, f.R, 1)
		for _, c := range []func(x, y []float64) (Correlation, error){pearsonOf, Spearman, Kendall} {
			a, err := c(x, y)
			if err != nil {
				t.Fatal(err)
			}
			b, err := c(u, v)
			if err != nil {
				t.Fatal(err)
			}
			closeTo(t, "correlation", b.Coefficient, a.Coefficient, 1e-3)
			swapped, err := c(y, x)
			if err != nil {
				t.Fatal(err)
			}
			closeTo(t, "symmetric correlation", swapped.Coefficient, a.Coefficient, 1e-3)
		}
		a, err := TheilSen(x, y, 0)
		if err != nil {
			t.Fatal(err)
		}
		b, err := TheilSen(u, v, 0)
		if err != nil {
			t.Fatal(err)
		}
		closeTo(t, "Theil–Sen", b.Slope*scale*scale, a.Slope, 1)
	})
}

// The selection by inversion counting finds the order statistics that sorting all
// slopes finds, whatever the ties.
func TestSlopeSelection(t *testing.T) {
	for _, kind := range []string{"continuous", "integer", "few x", "flat", "near ties", "two lines"} {
		t.Run(kind, func(t *testing.T) {
			r := NewRandom(NewKey(5, uint64(len(kind))))
			n := 700
			x, y := make([]float64, n), make([]float64, n)
			for i := range x {
				switch kind {
				case "continuous":
					x[i], y[i] = r.Normal(), r.Normal()
				case "integer":
					x[i], y[i] = float64(r.Intn(100)), float64(r.Intn(9))
				case "few x":
					x[i], y[i] = float64(r.Intn(3)), r.Normal()
				case "flat":
					x[i], y[i] = r.Normal(), 1e-3
					if i%10 == 0 {
						y[i] = r.Normal()
					}
				case "near ties":
					x[i] = 1e6 + float64(r.Intn(50))*1e-6
					y[i] = x[i]/3 + float64(r.Intn(3))*1e-9
				case "two lines":
					x[i] = r.Normal()
					y[i] = x[i] * float64(i%2)
				}
			}
			var all []float64
			for i := range x {
				for j := range i {
					if x[i] != x[j] {
						all = append(all, (y[i]-y[j])/(x[i]-x[j]))
					}
				}
			}
			slices.Sort(all)
			s := newSlopeSelector(x, y)
			for _, q := range []float64{0, 1e-4, 0.1, 0.3, 0.5, 0.7, 0.999, 1} {
				rank := int64(q * float64(len(all)-1))
				next := min(rank+1, int64(len(all)-1))
				got := s.selectRanks(rank, next)
				for k, want := range []float64{all[rank], all[next]} {
					if math.Abs(got[k]-want) > 4e-16*math.Abs(want) {
						t.Errorf("rank %d of %d: %.17g, want %.17g", rank+int64(k), len(all), got[k], want)
					}
				}
			}
		})
	}
}

func TestUndefinedInput(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	good := []float64{1, 2, 4, 3}
	for name, pair := range map[string][2][]float64{
		"lengths":  {good, good[:3]},
		"empty":    {nil, nil},
		"two":      {good[:2], good[:2]},
		"NaN":      {good, {1, 2, nan, 3}},
		"Inf":      {{1, inf, 2, 3}, good},
		"constant": {{2, 2, 2, 2}, good},
	} {
		x, y := pair[0], pair[1]
		if _, err := Regression(x, y); Reason(err) == "" {
			t.Errorf("Regression of %s: no reason", name)
		} else if _, ok := errors.AsType[*UndefinedError](err); !ok {
			t.Errorf("Regression of %s: %v is no UndefinedError", name, err)
		}
		if _, err := TheilSen(x, y, 0); err == nil {
			t.Errorf("TheilSen of %s: no error", name)
		}
		for _, c := range []func(x, y []float64) (Correlation, error){pearsonOf, Spearman, Kendall} {
			v, err := c(x, y)
			if err == nil && (!math.IsNaN(v.Coefficient) || v.Reason == "") {
				t.Errorf("correlation of %s: %+v without reason", name, v)
			}
			if (err == nil) != (name == "constant") {
				t.Errorf("correlation of %s: error %v", name, err)
			}
		}
	}
	f, err := Regression(good, []float64{7, 7, 7, 7})
	if err != nil {
		t.Fatal(err)
	}
	if f.Slope != 0 || f.Intercept != 7 || !math.IsNaN(f.R) || !math.IsNaN(f.PValue) || f.Reason == "" {
		t.Errorf("constant y: %+v", f)
	}
	perfect, err := Regression([]float64{1, 2, 3, 4}, []float64{2, 4, 6, 8})
	if err != nil {
		t.Fatal(err)
	}
	if perfect.Slope != 2 || perfect.R != 1 || perfect.PValue != 0 || perfect.StdError != 0 {
		t.Errorf("perfect fit: %+v", perfect)
	}
	if _, err := Regression([]float64{1e200, 2e200, 4e200}, good[:3]); err == nil {
		t.Error("overflow: no error")
	}

	for _, values := range [][]float64{nil, {1, nan}, {inf}} {
		if _, err := Summarize(values); err == nil {
			t.Errorf("Summarize(%v): no error", values)
		}
		if _, err := Quantiles(values, 0.5); err == nil {
			t.Errorf("Quantiles(%v): no error", values)
		}
	}
	if _, err := Quantiles(good, 1.5); err == nil {
		t.Error("quantile 1.5: no error")
	}
	if !math.IsNaN(Mean(nil)) || !math.IsNaN(Median(nil)) || !math.IsNaN(QuantileSorted(good, -1)) || !math.IsNaN(StandardDeviation(good[:1])) {
		t.Error("moments of nothing are not NaN")
	}

	for _, values := range [][]float64{nil, {1, 2}, {1, 1, 1, 1}, {1, nan, 2}} {
		if _, err := Autocorrelation(values, nil, 3); err == nil {
			t.Errorf("Autocorrelation(%v): no error", values)
		}
		if _, err := IntegratedAutocorrelationTime(values, nil); err == nil {
			t.Errorf("IntegratedAutocorrelationTime(%v): no error", values)
		}
		if _, err := optimalBlockLength(values, nil); err == nil {
			t.Errorf("OptimalBlockLength(%v): no error", values)
		}
	}
	if _, err := Autocorrelation(good, []int{1, 2}, 1); err == nil {
		t.Error("labels of another length: no error")
	}
	if _, err := Autocorrelation(good, nil, -1); err == nil {
		t.Error("negative lags: no error")
	}

	for name, build := range map[string]func() (*Blocks, error){
		"two observations": func() (*Blocks, error) { return NewBlocks(2, nil, BlockSpec{}) },
		"negative":         func() (*Blocks, error) { return NewBlocks(-1, nil, BlockSpec{}) },
		"labels":           func() (*Blocks, error) { return NewBlocks(4, []int{1}, BlockSpec{}) },
		"series length":    func() (*Blocks, error) { return NewBlocks(12, nil, BlockSpec{}, good) },
		"series NaN":       func() (*Blocks, error) { return NewBlocks(3, nil, BlockSpec{}, []float64{1, nan, 2}) },
		"length":           func() (*Blocks, error) { return NewBlocks(4, nil, BlockSpec{Kind: MovingBlocks, Length: -1}) },
		"kind":             func() (*Blocks, error) { return NewBlocks(4, nil, BlockSpec{Kind: 9}) },
	} {
		if _, err := build(); err == nil {
			t.Errorf("blocks with bad %s: no error", name)
		}
	}
	for name, sizes := range map[string][]int{"one block": {3}, "sizes": {1, 2, 3}, "empty block": {1, 0}} {
		if _, err := DeleteBlockJackknife(1, make([]float64, min(len(sizes), 2)), sizes, 0); err == nil {
			t.Errorf("jackknife with %s: no error", name)
		}
	}
	v, err := DeleteBlockJackknife(1, []float64{1, nan}, []int{2, 2}, 0)
	if err != nil || v.Reason == "" || v.Interval.Defined() {
		t.Errorf("jackknife with NaN: %+v, %v", v, err)
	}
	for _, p := range []float64{-0.1, 1.1, nan} {
		if _, err := StudentTQuantile(p, 3); err == nil {
			t.Errorf("t quantile of %v: no error", p)
		}
		if !math.IsNaN(NormalQuantile(p)) {
			t.Errorf("normal quantile of %v is not NaN", p)
		}
	}
	if _, err := StudentTQuantile(0.5, 0); err == nil {
		t.Error("no degrees of freedom: no error")
	}
}

func TestIntervalJSON(t *testing.T) {
	for v, want := range map[Interval]string{
		{Low: 0.25, High: 1, Level: 0.95}: "[0.25,1]",
		noInterval(0.95, "none"):          "null",
	} {
		if got, err := json.Marshal(v); err != nil || string(got) != want {
			t.Errorf("%+v is written as %s, %v", v, got, err)
		}
	}
}

// Values at every size around the steps of the pairwise sum.
func TestSum(t *testing.T) {
	values := make([]float64, 1000)
	for i := range values {
		values[i] = float64(i + 1)
	}
	for n := range values {
		if got, want := Sum(values[:n]), float64(n*(n+1)/2); got != want {
			t.Fatalf("sum of 1..%d = %v, want %v", n, got, want)
		}
	}
	tenths := slices.Repeat([]float64{0.1}, 1_000_000)
	nearAbsolute(t, "sum of tenths", Sum(tenths), 100000, 1e-9)
}

func TestLogPValueDoesNotUnderflow(t *testing.T) {
	n := 6000
	x, y := make([]float64, n), make([]float64, n)
	r := NewRandom(NewKey(2))
	for i := range x {
		x[i] = float64(i)
		y[i] = x[i] + 100*r.Normal()
	}
	f, err := Regression(x, y)
	if err != nil {
		t.Fatal(err)
	}
	if f.PValue != 0 || !isFinite(f.LogPValue) || f.LogPValue > -15000 {
		t.Errorf("p = %v, log p = %v", f.PValue, f.LogPValue)
	}
}

func ExampleRegression() {
	f, err := Regression([]float64{1, 2, 3, 4, 5}, []float64{1.1, 1.9, 3.2, 3.9, 5.1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("slope %.2f [%.2f, %.2f], R² %.3f\n", f.Slope, f.SlopeInterval.Low, f.SlopeInterval.High, f.RSquared)
	// Output: slope 1.00 [0.84, 1.16], R² 0.993
}
