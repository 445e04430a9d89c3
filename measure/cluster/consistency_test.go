// Labels of nearest neighbors.

package cluster

import (
	"testing"

	"repscope/measure/measuretest"
	"repscope/neighbors"
	"repscope/stat"
)

func TestFewestCandidates(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n, window int
		episode   []int
		time      []int
		want      int
	}{
		{10, 0, nil, nil, 9}, {10, 1, nil, nil, 7}, {10, 4, nil, nil, 1}, {10, 5, nil, nil, 0}, {10, 100, nil, nil, 0},
		{6, 1, []int{0, 0, 0, 1, 1, 1}, nil, 3}, {6, 9, []int{0, 0, 0, 1, 1, 1}, nil, 3}, {6, 9, []int{0, 0, 1, 1, 1, 1}, nil, 2},
		{6, 1, []int{0, 1, 0, 1, 0, 1}, nil, 5}, {6, 2, []int{0, 1, 0, 1, 0, 1}, nil, 3},
		{5, 2, nil, []int{3, 4, 6, 9, 12}, 2}, {5, 3, nil, []int{3, 4, 6, 9, 12}, 1}, {5, 2, []int{0, 0, 1, 1, 1}, []int{3, 4, 6, 9, 12}, 3}, {5, 9, nil, []int{0, 10, 20, 30, 40}, 4},
	} {
		if got := FewestCandidates(c.n, neighbors.Options{ExcludeWindow: c.window, Episode: c.episode, Time: c.time}); got != c.want {
			t.Errorf("%+v: got %d", c, got)
		}
	}
}

// Accuracy and purity by scikit-learn's neighbors, and what chance gives.
func TestLabelConsistencyMatchesReference(t *testing.T) {
	t.Parallel()
	g, x, _ := measuretest.ReadGeometry(t)
	p := NewPartition(g.Labels)
	var ks []int
	for _, c := range g.Consistency {
		ks = append(ks, c.K)
	}
	found, _, err := LabelConsistency(t.Context(), x, p, ks, neighbors.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range g.Consistency {
		measuretest.Near(t, "accuracy", stat.Mean(found[i].Correct), want.Accuracy, 1e-10)
		measuretest.Near(t, "purity", stat.Mean(found[i].Purity), want.Purity, 1e-10)
	}
	accuracy, purity := NewPartition([]int64{1, 1, 1, 2}).Chance()
	measuretest.Near(t, "accuracy by chance", accuracy, 0.75, 0)
	measuretest.Near(t, "purity by chance", purity, 0.5, 1e-15)
}
