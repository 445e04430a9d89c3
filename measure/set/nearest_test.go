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
