// Tests of the values of flags.

package run

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestSize(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"0": 0, "450MB": 450e6, "2GiB": 2 << 30, "1.5k": 1500, "100": 100, "7 mib": 7 << 20, "3T": 3e12, "12B": 12, "0.5GB": 5e8,
	} {
		var s size
		if err := s.Set(text); err != nil || int64(s) != want {
			t.Errorf("%q: got %d, %v; want %d", text, s, err, want)
		}
	}
	for _, text := range []string{"", "MB", "-1", "1XB", "1e30", "NaN", "inf", "1 2MB", "0x"} {
		var s size
		if err := s.Set(text); err == nil {
			t.Errorf("%q was accepted as %d", text, s)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := size(rapid.Int64Range(0, 1<<50).Draw(t, "bytes"))
		var back size
		if err := back.Set(s.String()); err != nil || back != s {
			t.Fatalf("%d is written %q and read as %d, %v", int64(s), s.String(), int64(back), err)
		}
	})
}

// Lengths in every unit, by their definitions (1 in = 25.4 mm = 72 pt); values that no figure has are refused.
func TestLength(t *testing.T) {
	for text, want := range map[string]float64{"89mm": 89, "89": 89, " 18.3 cm": 183, "7in": 177.8, "252pt": 88.9, "89MM": 89} {
		var l length
		if err := l.Set(text); err != nil || math.Abs(float64(l)-want) > 1e-9 {
			t.Errorf("%q: %g mm (%v), want %g", text, float64(l), err, want)
		}
		back := l
		if err := back.Set(l.String()); err != nil || back != l {
			t.Errorf("%q: %q reads back as %v (%v)", text, l.String(), back, err)
		}
	}
	for _, text := range []string{"", "mm", "0", "-89mm", "1mm", "2m", "1e9mm", "nan", "inf", "89px", "89 mm wide"} {
		l := length(50)
		if l.Set(text) == nil || l != 50 {
			t.Errorf("%q: no error, or the value is %v", text, l)
		}
	}
}
