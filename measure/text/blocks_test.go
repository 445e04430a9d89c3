// Matching blocks beside the recursion that defines them.

package text

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// recursive counts matching blocks as they are defined.
func recursive(a, b []int) int {
	var atA, atB, length int
	for i := range a {
		for j := range b {
			n := 0
			for i+n < len(a) && j+n < len(b) && a[i+n] == b[j+n] {
				n++
			}
			if n > length {
				atA, atB, length = i, j, n
			}
		}
	}
	if length == 0 {
		return 0
	}
	return length + recursive(a[:atA], b[:atB]) + recursive(a[atA+length:], b[atB+length:])
}

func TestMatching(t *testing.T) {
	t.Parallel()
	var c Comparer[int]
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.SampledFrom([]int{1, 4}).Draw(t, "letters")
		a, b := sequences(letters, 40).Draw(t, "a"), sequences(letters, 40).Draw(t, "b")
		if got, want := c.Matching(c.Encode(a), c.Encode(b)), recursive(a, b); got != want {
			t.Fatalf("%d, want %d", got, want)
		}
	})
}

// TestClock: what was written long ago is forgotten before its time comes again.
func TestClock(t *testing.T) {
	t.Parallel()
	var c Comparer[int]
	a, b := c.Encode([]int{1, 2, 3, 1, 2}), c.Encode([]int{3, 1, 2, 4, 1, 2, 3})
	want := c.Matching(a, b)
	s := span{0, int32(len(a)), 0, int32(len(b))}
	i, j, n := c.match.longest(a, s)
	c.match.clock = 1<<31 - 4
	if x, y, m := c.match.longest(a, s); x != i || y != j || m != n || c.match.clock > 100 {
		t.Errorf("%d %d %d at %d, want %d %d %d", x, y, m, c.match.clock, i, j, n)
	}
	if got := c.Matching(a, b); got != want || !slices.Equal(a, c.Encode([]int{1, 2, 3, 1, 2})) {
		t.Errorf("%d, want %d", got, want)
	}
}
