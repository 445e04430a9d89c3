// Tests of warnings: fill values, other units.

package forecast

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// Fill values that are left in cells that count are warned of, in the truth once, and others are not.
func TestFillValues(t *testing.T) {
	t.Parallel()
	for _, fill := range []float64{-999, -9999, 9.969209968386869e36, float64(float32(9.969209968386869e36)), 1e20, float64(float32(1e20)), -1e30, math.MaxFloat32} {
		m := newMade(3, 2, 2, 3, 4, 31)
		m.truth[1*24+12+5] = fill      // sample 1, variable 1
		m.members[(2*2+1)*24+7] = fill // sample 2, member 1, variable 0
		m.members[(2*2+1)*24+8] = fill
		in := m.input(t)
		in.Fields = array(t, "init.npy", []int{3, 2, 3, 4}, m.init)
		o := Options{Metrics: []string{"mae"}}
		warnings := analyze(t, in, o).Warnings
		value := fmt.Sprintf("%g", fill)
		want := []string{
			"target: 1 value of v1 in cells with weight look like a fill value " +
				"(" + value + "; first in row 1, column 1 of sample 1)",
			"net: 2 values of v0 in cells with weight look like a fill value " +
				"(" + value + "; first in row 1, column 3 of sample 2)",
		}
		for _, w := range want {
			if n := len(slices.DeleteFunc(slices.Clone(warnings), func(text string) bool { return !strings.HasPrefix(text, w) })); n != 1 {
				t.Errorf("%v: %d warnings as %q: %q", fill, n, w, warnings)
			}
		}
		in.Weights = make([]float64, 12)
		for c := range in.Weights {
			if c != 5 && c != 7 && c != 8 {
				in.Weights[c] = 1
			}
		}
		if warnings := analyze(t, in, o).Warnings; len(warnings) > 0 {
			t.Errorf("%v in masked cells: %q", fill, warnings)
		}
	}
	for _, v := range []float64{-998.9, -1000, -20000, 1e14, 5e15, math.Inf(1), 0} {
		if isFill(v) {
			t.Errorf("%v is none", v)
		}
	}
}

// A forecast in another unit than the truth is warned of, a bad one in the same is not.
func TestOtherUnits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name           string
		truth, members func(float64) float64
		want           string
	}{
		{"°C for K", func(v float64) float64 { return 288 + 5*v }, func(v float64) float64 { return 14 + 5*v }, "one looks like °C, the other like K"},
		{"K for °C", func(v float64) float64 { return -20 + 5*v }, func(v float64) float64 { return 250 + 5*v }, "one looks like °C, the other like K"},
		{"mm for m", func(v float64) float64 { return 1e-3 * v * v }, func(v float64) float64 { return v * v }, "times the target's"},
		{"Pa for hPa", func(v float64) float64 { return 1000 + v }, func(v float64) float64 { return 1e5 + 100*v }, "times the target's"},
		{"standardized", func(v float64) float64 { return 290 + v }, func(v float64) float64 { return v }, "K"},
		{"m for mm", func(v float64) float64 { return v * v }, func(v float64) float64 { return 1e-3 * v * v }, "times the target's"},
		{"near the mean", func(v float64) float64 { return v }, func(v float64) float64 { return 0.01 * math.Sin(1e5*v) }, ""},
		{"dry", func(v float64) float64 { return v * v }, func(float64) float64 { return 0 }, ""},
		{"faint", func(v float64) float64 { return v * v }, func(v float64) float64 { return 0.1 * v * v }, ""},
		{"cold", func(v float64) float64 { return 288 + v }, func(v float64) float64 { return 200 + v }, ""},
		{"no rain", func(float64) float64 { return 0 }, func(v float64) float64 { return v * v }, ""},
		{"right", func(v float64) float64 { return 288 + v }, func(v float64) float64 { return 290 + v }, ""},
	} {
		m := newMade(12, 3, 1, 5, 6, 32)
		for i, v := range m.truth {
			m.truth[i] = c.truth(v)
		}
		for i, v := range m.members {
			m.members[i] = c.members(v)
		}
		warnings := analyze(t, m.input(t), Options{Metrics: []string{"mae"}}).Warnings
		if c.want == "" && len(warnings) > 0 ||
			c.want != "" && (len(warnings) != 1 || !strings.Contains(warnings[0], c.want)) {
			t.Errorf("%s: warnings %q, want one with %q", c.name, warnings, c.want)
		}
	}
}
