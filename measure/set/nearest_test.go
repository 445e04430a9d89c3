// Sets against a reference, and joint counts.

package set

import (
	"testing"

	"repscope/measure/measuretest"
	"repscope/stat"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	s, err := FromMembers([][]int{{1, 2, 3}, {}, {7}}, 9)
	must(t, err)
	reference, err := FromMembers([][]int{{5}, {1, 2}, {1, 2, 3}, {1, 2, 3}, {}}, 9)
	must(t, err)
	n, err := s.Nearest(t.Context(), reference, 1)
	must(t, err)
	if n.HammingIndex[0] != 2 || n.JaccardIndex[0] != 2 || n.Hamming[1] != 0 || n.Jaccard[1] != 1 || n.HammingIndex[2] != 4 || n.Jaccard[2] != 0 {
		t.Errorf("%+v", n)
	}
	if novel := n.Novel(); novel[0] || novel[1] || !novel[2] {
		t.Errorf("novel %v", novel)
	}
	measuretest.Near(t, "novelty", n.Novelty(), 1.0/3, 1e-15)
	self, err := s.Nearest(t.Context(), s, 2)
	must(t, err)
	if self.MeanJaccard() != 1 || self.Novelty() != 0 {
		t.Errorf("beside themselves %+v", self)
	}
	if _, err := s.Nearest(t.Context(), newSets(0, 9), 1); stat.Reason(err) != "the reference is empty" {
		t.Error(err)
	}
	if _, err := s.Nearest(t.Context(), newSets(2, 8), 1); err == nil || err.Error() != "sets of 9 cells beside sets of 8" {
		t.Error(err)
	}
}

func TestJoint(t *testing.T) {
	t.Parallel()
	s, err := FromMembers([][]int{{1}, {1}, {2}, {3}, {2}, {4}}, 9)
	must(t, err)
	j, err := JointOf([]bool{true, true, false, true, true, true}, []bool{true, true, true, false, true, true}, s.Distinct())
	must(t, err)
	// {2} is valid in one of its two places, and unique among the valid.
	if j.N != 6 || j.Valid != 5 || j.Unique != 4 || j.Novel != 5 || j.ValidUnique != 4 || j.ValidNovel != 4 || j.UniqueNovel != 3 || j.ValidUniqueNovel != 3 {
		t.Errorf("%+v", j)
	}
	want, err := stat.Wilson(3, 6, 0)
	must(t, err)
	if j.ValidUniqueNovelInterval != want {
		t.Errorf("interval %v, want %v", j.ValidUniqueNovelInterval, want)
	}
	if all, err := JointOf(nil, nil, s.Distinct()); err != nil || all.ValidUniqueNovel != all.Unique {
		t.Errorf("%+v %v", all, err)
	}
	if _, err := JointOf([]bool{true}, nil, s.Distinct()); err == nil || err.Error() != "1 validities and 0 novelties of 6 sets" {
		t.Error(err)
	}
	if _, err := JointOf(nil, nil, newSets(0, 9).Distinct()); stat.Reason(err) != "no sets" {
		t.Error(err)
	}
}
