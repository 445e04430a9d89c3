// What is kept of maps.

package saliencymap

import (
	"fmt"
	"testing"
)

// TestKept: one computation for all who wait, nothing of errors, and no more than fits.
func TestKept(t *testing.T) {
	t.Parallel()
	k := newKept[int](10)
	runs := map[string]int{}
	get := func(key string, bytes int) {
		v, err := k.get(key, func() (int, error) { runs[key]++; return bytes, nil }, func(v int) int64 { return int64(v) })
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
		if _, err := k.get("bad", func() (int, error) { runs["bad"]++; return 0, fmt.Errorf("no") }, nil); err == nil {
			t.Error("no error")
		}
	}
	if runs["bad"] != 2 {
		t.Error("an error was kept")
	}
}
