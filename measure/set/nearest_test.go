// Sets against a reference.

package set

import (
	"slices"
	"testing"

	"repscope/stat"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	s, err := fromMembers([][]int{{1, 2, 3}, {}, {7}}, 9)
	must(t, err)
	reference, err := fromMembers([][]int{{5}, {1, 2}, {1, 2, 3}, {1, 2, 3}, {}}, 9)
	must(t, err)
	n, err := s.Nearest(t.Context(), reference, 1)
	must(t, err)
	if n.HammingIndex[0] != 2 || n.JaccardIndex[0] != 2 || n.Hamming[1] != 0 || n.Jaccard[1] != 1 || n.HammingIndex[2] != 4 || n.Jaccard[2] != 0 {
		t.Errorf("%+v", n)
	}
	if novel := n.Novel(); novel[0] || novel[1] || !novel[2] {
		t.Errorf("novel %v", novel)
	}
	self, err := s.Nearest(t.Context(), s, 2)
	must(t, err)
	if stat.Mean(self.Jaccard) != 1 || slices.Contains(self.Novel(), true) {
		t.Errorf("beside themselves %+v", self)
	}
	if _, err := s.Nearest(t.Context(), newSets(0, 9), 1); stat.Reason(err) != "the reference is empty" {
		t.Error(err)
	}
	if _, err := s.Nearest(t.Context(), newSets(2, 8), 1); err == nil || err.Error() != "sets of 9 and of 8 cells, "+
		"want equal numbers" {
		t.Error(err)
	}
}

// Without a block sets have the nearest of the sets that remain.
func TestNearestOfBlocks(t *testing.T) {
	t.Parallel()
	random := stat.NewRandom(stat.NewKey(5))
	draw := func(n int) *Sets {
		list := make([][]int, n)
		for i := range list {
			for c := range 4 {
				if random.Intn(2) == 0 {
					list[i] = append(list[i], c)
				}
			}
		}
		s, err := fromMembers(list, 4)
		must(t, err)
		return s
	}
	s, reference := draw(30), draw(20)
	block := make([]int, reference.N)
	for i := range block {
		block[i] = i % 4
	}
	for _, threads := range []int{1, 3} {
		got, err := s.NearestOfBlocks(t.Context(), reference, block, threads)
		must(t, err)
		for b := -1; b < 4; b++ {
			var rest []int
			for i, home := range block {
				if home != b {
					rest = append(rest, i)
				}
			}
			want, err := s.Nearest(t.Context(), reference.Select(rest), 1)
			must(t, err)
			for i, novel := range want.Novel() {
				if got.Jaccard(i, b) != want.Jaccard[i] || got.Novel(i, b) != novel {
					t.Fatalf("set %d without block %d: %v, novel %v; want %v, %v", i, b, got.Jaccard(i, b),
						got.Novel(i, b), want.Jaccard[i], novel)
				}
			}
		}
	}
	if _, err := s.NearestOfBlocks(t.Context(), reference, block[1:], 1); err == nil {
		t.Error("blocks of another number are no error")
	}
}
