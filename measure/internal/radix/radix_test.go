// Tests of sorting against that of the standard library.

package radix

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSort(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 200 {
		entries, mask := make([]Entry[int], n), r.Uint64()&r.Uint64()>>r.IntN(64)
		for i := range entries {
			entries[i] = Entry[int]{r.Uint64() & mask, i}
		}
		want := slices.Clone(entries)
		slices.SortStableFunc(want, func(a, b Entry[int]) int { return cmp.Compare(a.Key, b.Key) })
		if got := Sort(entries); !slices.Equal(got, want) {
			t.Fatalf("%d entries with keys within %x: %v, want %v", n, mask, got, want)
		}
	}
}
