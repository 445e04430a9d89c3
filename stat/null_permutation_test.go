// The orders are permutations, and keep runs of episodes together.

package stat

import (
	"slices"
	"testing"
)

func TestPermutationOfUnequalEpisodes(t *testing.T) {
	t.Parallel()
	var episode []int
	for e, length := range []int{7, 3, 12, 5, 5, 9, 1} {
		episode = append(episode, slices.Repeat([]int{e}, length)...)
	}
	null, err := NewEpisodeNull(len(episode), episode, 42)
	if err != nil {
		t.Fatal(err)
	}
	if null.Permutes() {
		t.Fatal("episodes of unequal lengths are said to permute")
	}
	for p := range 50 {
		order, near := null.Permutation(p)
		sorted := slices.Sorted(slices.Values(order))
		for i, state := range sorted {
			if state != i {
				t.Fatalf("order %d has state %d at %d", p, state, i)
			}
		}
		kept := 0 // neighbors in time that stay neighbors in time
		for i := range len(order) - 1 {
			if episode[i] == episode[i+1] && order[i+1] == order[i]+1 && episode[order[i]] == episode[order[i+1]] {
				kept++
			}
		}
		if near || kept < 22 {
			t.Errorf("order %d keeps %d of %d pairs in time", p, kept, len(order)-7)
		}
	}
}

// Episodes of one length give the order of Order.
func TestPermutationOfEqualEpisodes(t *testing.T) {
	t.Parallel()
	episode := make([]int, 30)
	for i := range episode {
		episode[i] = i / 5
	}
	null, err := NewEpisodeNull(30, episode, 1)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := null.Permutation(3)
	b, _ := null.Order(3)
	if !slices.Equal(a, b) {
		t.Errorf("%v, want %v", a, b)
	}
}
