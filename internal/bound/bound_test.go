// The limit and the values around it.

package bound

import (
	"math"
	"testing"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n, size int64
		ok      bool
	}{{0, 0, true}, {Free, 0, true}, {Free + 1, 0, false}, {Free + Ratio*10, 10, true}, {Free + Ratio*10 + 1, 10, false},
		{-1, 10, false},
		{1 << 62, math.MaxInt64, true}, {math.MaxInt64, math.MaxInt64, false}} {
		if err := Check("a value", c.n, c.size); (err == nil) != c.ok {
			t.Errorf("%d of %d: %v", c.n, c.size, err)
		}
	}
	b := NewBudget(10)
	for i, want := range []bool{true, true, false, false} {
		if err := b.Take("a part", (Free+Ratio*10)/2); (err == nil) != want {
			t.Errorf("part %d: %v", i, err)
		}
	}
	b = NewBudget(10)
	for range 2 {
		if b.Take("a part", math.MaxInt64) == nil {
			t.Error("sums beyond int64 are let through")
		}
	}
}
