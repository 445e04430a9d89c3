// Tests of leads: durations in hours, and what looks like nanoseconds.

package forecast

import (
	"math"
	"testing"
)

// As pandas 3.0 prints timedeltas, alone and in CSV files.
func TestParseDuration(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{
		"0 days": 0, "1 days": 24, "1 day": 24, "0 days 06:00:00": 6, "10 days 12:30:00": 252.5, "-1 days +18:00:00": -6,
		"0 days 00:00:01.500000": 1.5 / 3600, "06:00:00": 6, "120:00:00": 120, "-06:00:00": -6,
	} {
		if got, ok := parseDuration(text); !ok || math.Abs(got-want) > 1e-12 {
			t.Errorf("%q: %v, %v, want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "6", "6h", "1 days 6", "days", "2020-01-01", "a 06:00:00"} {
		if v, ok := parseDuration(text); ok {
			t.Errorf("%q: %v", text, v)
		}
	}
}

func TestUnitOf(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]float64{"m8[ns]": 1 / 3.6e12, "m8[h]": 1, "m8[30m]": 0.5, "m8[D]": 24, "m8[2W]": 336, "m8[us]": 1 / 3.6e9} {
		if count, hour, ok := unitOf(code); !ok || count*hour[0]/hour[1] != want {
			t.Errorf("%s: %v · %v, %v", code, count, hour, ok)
		}
	}
	for _, code := range []string{"m8[Y]", "m8[M]", "M8[ns]", "m8", "U5"} {
		if _, _, ok := unitOf(code); ok {
			t.Errorf("%s has a length", code)
		}
	}
	for _, c := range []struct {
		leads []float64
		want  bool
	}{{[]float64{6, 24}, false}, {[]float64{0, 2.16e13}, true}, {[]float64{864000}, false}, {[]float64{2.16e13, 1}, false}} {
		if nanoseconds(c.leads) != c.want {
			t.Errorf("%v: want %v", c.leads, c.want)
		}
	}
}
