// Tests of the values of flags.

package run

import (
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
