// Tick rules: places and labels.

package plots

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"pgregory.net/rapid"
)

func labels(ticks []plot.Tick) string {
	var texts []string
	for _, t := range ticks {
		if t.Label != "" {
			texts = append(texts, t.Label)
		}
	}
	return strings.Join(texts, " ")
}

func TestLinearTicks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		low, high float64
		n         int
		want      string
		exponent  int
	}{
		{0, 1, 6, "0.0 0.2 0.4 0.6 0.8 1.0", 0},
		{0, 1, 3, "0.0 0.5 1.0", 0},
		{-20, 20, 5, "−20 −10 0 10 20", 0},
		{-0.3, 0.3, 4, "−0.2 0.0 0.2", 0},
		{0.04, 0.21, 5, "0.05 0.10 0.15 0.20", 0},
		{0.9, 3.1, 2, "1 2 3", 0},
		{0, 2.5e-4, 6, "0.0 0.5 1.0 1.5 2.0 2.5", -4},
		{-3e-12, 5e-12, 5, "−2 0 2 4", -12},
		{0, 4.2e12, 5, "0 1 2 3 4", 12},
		{0, 99000, 6, "0 20000 40000 60000 80000", 0},
		{0, 120000, 5, "0.0 0.5 1.0", 5},
		{100000, 100004, 5, "1.00000 1.00001 1.00002 1.00003 1.00004", 5},
		{1, 1, 5, "", 0},
		{2, 1, 5, "", 0},
		{math.NaN(), 1, 5, "", 0},
		{math.Inf(-1), math.Inf(1), 5, "", 0},
	} {
		ticks, exponent := linearTicks(c.low, c.high, c.n, false)
		if got := labels(ticks); got != c.want || exponent != c.exponent {
			t.Errorf("linearTicks(%g, %g, %d) = %q ×10^%d, want %q ×10^%d", c.low, c.high, c.n, got, exponent, c.want, c.exponent)
		}
	}
}

// Labels say the values, lie in the range, increase, and are neither few nor many.
func TestLinearTicksProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Float64Range(-1e12, 1e12).Draw(t, "low")
		span := math.Pow(10, rapid.Float64Range(-12, 12).Draw(t, "span"))
		high := low + span
		n := rapid.IntRange(2, 9).Draw(t, "n")
		if span < 1e-9*max(math.Abs(low), math.Abs(high)) {
			t.Skip("constant for the axis")
		}
		ticks, exponent := linearTicks(low, high, n, false)
		if len(ticks) < 2 || len(ticks) > max(n, 5) {
			t.Fatalf("%d ticks, at most %d wanted", len(ticks), n)
		}
		for i, k := range ticks {
			if k.Value < low-1e-6*span || k.Value > high+1e-6*span || (i > 0 && k.Value <= ticks[i-1].Value) {
				t.Fatalf("tick %d at %g outside [%g, %g] or out of order", i, k.Value, low, high)
			}
			v, err := strconv.ParseFloat(strings.ReplaceAll(k.Label, "−", "-")+fmt.Sprintf("e%d", exponent), 64)
			if err != nil || math.Abs(v-k.Value) > 1e-6*span {
				t.Fatalf("label %q ×10^%d says %g, the tick is at %g", k.Label, exponent, v, k.Value)
			}
		}
	})
}

func TestLogTicks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		low, high float64
		n         int
		want      string
	}{
		{0.5, 200, 6, "1 10 100"},
		{0.0005, 2000, 8, "0.001 0.01 0.1 1 10 100 1000"},
		{1e-9, 1e2, 4, "10^{−9} 10^{−6} 10^{−3} 10^{0}"},
		{1e-5, 1e-2, 6, "10^{−5} 10^{−4} 10^{−3} 10^{−2}"},
		{1, 10, 6, "1 2 5 10"},
		{0.9, 60, 6, "1 2 5 10 20 50"},
		{0.9, 60, 4, "1 3 10 30"},
		{3.1, 3.9, 4, "3.2 3.4 3.6 3.8"},
		{2e-5, 9e-5, 6, "2×10^{−5} 5×10^{−5}"},
		{0, 10, 5, ""},
		{-1, 10, 5, ""},
		{10, 10, 5, ""},
	} {
		if got := labels(logTicks(c.low, c.high, c.n)); got != c.want {
			t.Errorf("logTicks(%g, %g, %d) = %q, want %q", c.low, c.high, c.n, got, c.want)
		}
	}
}

// Whatever the range, a log axis has two labels or more, all inside it.
func TestLogTicksProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		low := math.Pow(10, rapid.Float64Range(-200, 200).Draw(t, "low"))
		high := low * math.Pow(10, rapid.Float64Range(0.01, 90).Draw(t, "decades"))
		n := rapid.IntRange(2, 8).Draw(t, "n")
		ticks := logTicks(low, high, n)
		if labelled(ticks) < 2 || labelled(ticks) > max(n, 5) {
			t.Fatalf("[%g, %g], %d: %d labels: %s", low, high, n, labelled(ticks), labels(ticks))
		}
		for _, k := range ticks {
			if k.Value < low*(1-1e-6) || k.Value > high*(1+1e-6) {
				t.Fatalf("tick at %g outside [%g, %g]", k.Value, low, high)
			}
		}
	})
}

func TestExplicitTicks(t *testing.T) {
	t.Parallel()
	got := labels(explicitTicks([]float64{0.01, 0.05, 0.1, 5, -2, 1e-7, math.NaN(), 99}, -10, 10))
	if want := "0.01 0.05 0.1 5 −2 1×10^{−7}"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// As tickers of gonum's the rules say the power of ten in each label, or leave it
// to the axis.
func TestTickers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		ticker    plot.Ticker
		low, high float64
		want      string
	}{
		{LinearTicks{}, 0, 1, "0.0 0.2 0.4 0.6 0.8 1.0"},
		{LinearTicks{Most: 3}, 0, 2.5e-4, "0 1×10^{−4} 2×10^{−4}"},
		{LinearTicks{Most: 3, Factored: true}, 0, 2.5e-4, "0 1 2"},
		{LogTicks{}, 0.5, 200, "1 10 100"},
		{FixedTicks{0.5, 2, 99}, 0, 10, "0.5 2"},
		{nominalTicks([]string{"a", "b"}), 0, 1, "a b"},
	} {
		if got := labels(c.ticker.Ticks(c.low, c.high)); got != c.want {
			t.Errorf("%#v: %q, want %q", c.ticker, got, c.want)
		}
	}
	if e := (LinearTicks{Most: 3}).Exponent(0, 2.5e-4); e != -4 {
		t.Errorf("exponent %d, want -4", e)
	}
}
