// What is a tree and what is none.

package tree

import (
	"slices"
	"strings"
	"testing"
)

func TestNew(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		labels, parents []int
		want            string
	}{
		{[]int{1, 2}, []int{-1}, "2 labels and 1 parents"},
		{[]int{1}, []int{0}, "the parent of node 0, the root, is 0: want -1"},
		{[]int{1, 2}, []int{-1, -1}, "the parent of node 1 is -1: want an earlier node, 0 to 0"},
		{[]int{1, 2, 3}, []int{-1, 2, 1}, "the parent of node 1 is 2"},
		{[]int{1, 2, 3}, []int{-1, 0, 2}, "the parent of node 2 is 2: want an earlier node, 0 to 1"},
		{[]int{1, 2, 3}, []int{-1, 2, 0}, "the parent of node 1 is 2"},
	} {
		_, err := New(c.labels, c.parents)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.parents, err, c.want)
		}
	}
	if empty := build(t, nil, nil); empty.Len() != 0 || distance(t, empty, empty) != (Result{}) {
		t.Error("the empty tree is not empty")
	}
}

// TestViews: f(d(a c(b)) e) in postorder from both sides.
func TestViews(t *testing.T) {
	t.Parallel()
	const f, d, a, c, b, e = 0, 1, 2, 3, 4, 5
	tree := build(t, make([]int, 6), []int{-1, f, d, d, c, f})
	if v := tree.left; !slices.Equal(v.node, []int{a, b, c, d, e, f}) || !slices.Equal(v.leaf, []int{0, 1, 1, 0, 4, 0}) ||
		!slices.Equal(v.keyroots, []int{2, 4, 5}) || v.cells != 9 || v.open != 2 {
		t.Errorf("from the left: %+v", v)
	}
	if v := tree.right; !slices.Equal(v.node, []int{e, b, c, a, d, f}) || !slices.Equal(v.leaf, []int{0, 1, 1, 3, 1, 0}) ||
		!slices.Equal(v.keyroots, []int{3, 4, 5}) || v.cells != 11 || v.open != 2 {
		t.Errorf("from the right: %+v", v)
	}
}
