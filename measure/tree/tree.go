// Ordered trees, numbered for comparisons from the left and from the right.

package tree

import (
	"fmt"
	"slices"
)

// Tree is an ordered tree of labeled nodes. It does not change, and may be used by
// several goroutines at once.
type Tree[L any] struct {
	labels      []L
	left, right view
}

// New returns the tree of nodes with labels [n] and parents [n]: parents[i] is the index
// of the parent of node i, which comes before it, and −1 for node 0 alone, the root.
// Children of one parent are in the order of their indices, so that any order will do in
// which parents precede children, depth first or breadth first. No nodes make the empty
// tree.
func New[L any](labels []L, parents []int) (*Tree[L], error) {
	n := len(labels)
	if len(parents) != n {
		return nil, fmt.Errorf("tree: %d labels and %d parents", n, len(parents))
	}
	size := make([]int, n)
	for i := n - 1; i >= 0; i-- {
		switch p := parents[i]; {
		case i == 0 && p != -1:
			return nil, fmt.Errorf("tree: the parent of node 0, the root, is %d: want -1", p)
		case i > 0 && (p < 0 || p >= i):
			return nil, fmt.Errorf("tree: the parent of node %d is %d: want an earlier node, 0 to %d", i, p, i-1)
		}
		if size[i]++; i > 0 {
			size[parents[i]] += size[i]
		}
	}
	// In postorder the nodes of a subtree are one run, which ends with its root.
	left, right := make([]int, n), make([]int, n) // where the runs begin
	first, last := make([]int, n), make([]int, n) // where the run of the next child begins
	for i := range n {
		if i > 0 {
			p := parents[i]
			left[i] = first[p]
			first[p] += size[i]
			last[p] -= size[i]
			right[i] = last[p]
		}
		first[i], last[i] = left[i], right[i]+size[i]-1
	}
	return &Tree[L]{slices.Clone(labels), newView(left, size), newView(right, size)}, nil
}

// Len returns the number of nodes.
func (t *Tree[L]) Len() int { return len(t.labels) }

// view has the nodes of a tree in postorder, with the children of all nodes from left to
// right or from right to left; the distance is the same in both.
type view struct {
	node     []int   // which node of the tree it is
	leaf     []int   // the first leaf of its subtree, where the run of the subtree begins
	top      []int   // the last node with the same first leaf
	keyroots []int   // the nodes that are such tops, ascending
	cells    float64 // sum of the sizes of their subtrees
	open     int     // most of the paths from leaves to tops, of several nodes, that are not complete at once
}

func newView(leaf, size []int) view {
	n := len(leaf)
	v := view{node: make([]int, n), leaf: make([]int, n), top: make([]int, n)}
	for i := range n {
		at := leaf[i] + size[i] - 1
		v.node[at], v.leaf[at] = i, leaf[i]
	}
	last := make([]int, n) // by first leaf
	for i, leaf := range v.leaf {
		last[leaf] = i
	}
	open := 0
	for i, leaf := range v.leaf {
		v.top[i] = last[leaf]
		if leaf == i && v.top[i] != i {
			open++
			v.open = max(v.open, open)
		}
		if v.top[i] == i {
			v.keyroots = append(v.keyroots, i)
			v.cells += float64(i - leaf + 1)
			if leaf != i {
				open--
			}
		}
	}
	return v
}
