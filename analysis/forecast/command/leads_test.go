// Tests of leads: durations in hours, and what looks like nanoseconds.

package command

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

// Durations of ISO 8601; those with a sign inside, and with all units, are what pandas' isoformat writes of −6 and of
// 6 hours. Python's str(timedelta) has a comma.
func TestParseDuration_ISO(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{
		"PT6H": 6, "P1DT12H": 36, "P0D": 0, "PT0S": 0, "P2W": 336, "PT90M": 1.5, "PT36H": 36, "PT1.5H": 1.5, "PT0,5H": 0.5, "-PT6H": -6, "+PT6H": 6,
		"P0DT6H0M0S": 6, "P-1DT18H0M0S": -6, "P1DT1M30S": 24 + 1.5/60, "PT0.25S": 0.25 / 3600, "P1.5D": 36,
		"6:00:00": 6, "1 day, 6:00:00": 30, "-1 day, 18:00:00": -6,
	} {
		if got, ok := parseDuration(text); !ok || math.Abs(got-want) > 1e-12 {
			t.Errorf("%q: %v, %v, want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"P", "PT", "P1DT", "PT1.5H30M", "P1Y", "P1M", "P1Y2DT3H", "PT6", "P6H", "PT6h", "pt6h", "6H", "P1H", "PT1D", "PT1S1H", "P 1D",
		"PT--6H", "P1D12H", "PTH", "PT.5H", "PT1e3H", "P1DT6H ", "1 day, "} {
		if v, ok := parseDuration(text); ok {
			t.Errorf("%q: %v", text, v)
		}
	}
	for text, want := range map[string]bool{"P1Y": true, "P1M": true, "P1Y2DT3H": true, "PT1M": false, "P1DT1M": false, "x": false} {
		if got := noLength(text) != ""; got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
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
