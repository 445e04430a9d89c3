// What a cache keeps.

package source

import (
	"fmt"
	"testing"
)

// TestCache: one computation for all who wait, nothing of errors, and no more than fits.
func TestCache(t *testing.T) {
	t.Parallel()
	k := NewCache[int](10)
	runs := map[string]int{}
	get := func(key string, bytes int) {
		v, err := k.Get(key, func() (int, error) { runs[key]++; return bytes, nil }, func(v int) int64 { return int64(v) })
		if err != nil || v != bytes {
			t.Fatal(v, err)
		}
	}
	get("a", 4)
	get("b", 4)
	get("a", 4)
	get("c", 4) // drops b
	get("a", 4)
	get("b", 4)
	get("large", 11) // drops all, itself too
	get("a", 4)
	if runs["a"] != 2 || runs["b"] != 2 || runs["c"] != 1 || k.bytes != 4 || k.order.Len() != 1 {
		t.Error(runs, k.bytes, k.order.Len())
	}
	for range 2 {
		if _, err := k.Get("bad", func() (int, error) { runs["bad"]++; return 0, fmt.Errorf("no") }, nil); err == nil {
			t.Error("no error")
		}
	}
	if runs["bad"] != 2 {
		t.Error("an error was kept")
	}
	few := NewCache[int](2) // values without a size
	for i := range 5 {
		if v, err := few.Get(fmt.Sprint(i%3), func() (int, error) { return i, nil }, nil); err != nil || v != i {
			t.Errorf("%d: %v, %v: the value that was asked for longest ago stays", i, v, err)
		}
	}
}
