// Embeddings of equal contents.

package semantic

import (
	"crypto/sha256"
	"fmt"
	"testing"
)

// A memo computes equal contents once, and holds no more than its bound.
func TestMemo(t *testing.T) {
	t.Parallel()
	var m memo[int]
	n := 0
	for round := range 2 {
		for i := range memoSize + 5 {
			key := sha256.Sum256(fmt.Append(nil, i))
			if v, err := m.get(key, func() (int, error) { n++; return i, nil }); err != nil || v != i {
				t.Fatalf("round %d: %d is %d (%v)", round, i, v, err)
			}
			if v, _ := m.get(key, func() (int, error) { t.Error("computed twice"); return 0, nil }); v != i {
				t.Fatalf("the second time %d is %d", i, v)
			}
		}
	}
	if len(m.entries) != memoSize || len(m.order) != memoSize || n < memoSize+5 {
		t.Errorf("%d entries, %d in order, %d computed", len(m.entries), len(m.order), n)
	}
}
