// The hierarchy of nodes compared with the reference, and the order in which elements are read.

package canvas

import (
	"cmp"
	"errors"
	"slices"

	"repscope/analysis/canvas/internal/design"
	"repscope/measure/box"
	edits "repscope/measure/tree"
	"repscope/report"
	"repscope/stat"
)

// treeLimits bound a comparison of hierarchies to seconds.
var treeLimits = edits.Limits{Cells: 1 << 31, Bytes: 1 << 28}

// hierarchy compares trees of nodes by their types.
var hierarchy = Kind{
	Name:  "tree",
	About: "edit distance of the node hierarchies, their subtrees of height 1 (TreeBLEU), depth, and reading order",
	Needs: NeedDesigns,
	Keys: []Key{
		{Name: "tree_edit_similarity", About: "1 − normalized edit distance of the node hierarchies",
			Direction: report.Higher, High: 1, Compared: true, Improved: true},
		{Name: "tree_bleu", About: "share of the reference's nodes with children that the design has (TreeBLEU)",
			Direction: report.Higher, High: 1, Compared: true, Improved: true},
		{Name: "tree_depth_difference", About: "absolute difference of the depths of the node hierarchies",
			Unit: "levels", Direction: report.Lower, High: unbounded, Improved: true},
		{Name: "reading_order_tau", About: "Kendall's τ of the orders in which matched elements are read",
			Direction: report.Higher, Low: -1, High: 1, Improved: true},
		{Name: "text_order_tau", About: "Kendall's τ of the orders in which matched texts are read",
			Direction: report.Higher, Low: -1, High: 1, Improved: true},
	},
	Definition: func(o *Setting) string {
		return "2; seen nodes from the canvas, by type; edit similarity: 1 − 2D/(|A| + |B| + D); TreeBLEU: sets of parents with " +
			"children in order, share of the reference's; depth: of the deepest node; order: Kendall's tau-b by top, then left, " +
			"of matched elements that overlap and of texts matched by " + o.Content.similarity()
	},
	Score: scoreTree,
}

func scoreTree(p *Pair, row *Row) error {
	reference, generated, err := p.Layouts()
	if err != nil {
		return err
	}
	a, b := newHierarchy(reference), newHierarchy(generated)
	row.Details["tree_depths"] = []int{a.depth, b.depth}
	row.Set("tree_depth_difference", max(float64(a.depth-b.depth), float64(b.depth-a.depth)))
	switch wanted, in := a.families(), b.families(); {
	case len(wanted) > 0:
		row.Set("tree_bleu", share(wanted, in))
	case len(in) > 0:
		row.Undefined("tree_bleu", "the reference has no node with children")
	default:
		row.Set("tree_bleu", 1) // a canvas alone, as the reference is
	}
	if err := p.scoreEdits(a, b, row); err != nil {
		return err
	}
	p.scoreOrders(row)
	return nil
}

// scoreOrders enters the orders of reading of matched elements and texts.
func (p *Pair) scoreOrders(row *Row) {
	if m, err := p.Matching(); err != nil {
		row.Undefined("reading_order_tau", "%v", err)
	} else {
		var from, to []box.Box
		for _, pair := range m.Pairs {
			from = append(from, m.Reference.Elements[pair.Reference].Box)
			to = append(to, m.Generated.Elements[pair.Generated].Box)
		}
		row.setOrder("reading_order_tau", "elements", from, to)
	}
	if t, err := p.texts(); err != nil {
		row.Undefined("text_order_tau", "%v", err)
	} else {
		var from, to []box.Box
		for _, pair := range t.Pairs {
			from, to = append(from, t.Reference[pair.Reference].Box), append(to, t.Generated[pair.Generated].Box)
		}
		row.setOrder("text_order_tau", "texts", from, to)
	}
}

// scoreEdits enters the edit distance.
func (p *Pair) scoreEdits(a, b *nodeTree, row *Row) error {
	x, err := edits.New(a.types, a.parents)
	if err != nil {
		return err
	}
	y, err := edits.New(b.types, b.parents)
	if err != nil {
		return err
	}
	result, err := edits.Distance(p.Context, x, y, treeLimits)
	switch {
	case errors.Is(err, edits.ErrLimit):
		row.Undefined("tree_edit_similarity", "%v", err)
	case err != nil:
		return err
	default:
		row.Set("tree_edit_similarity", 1-result.Normalized())
	}
	return nil
}

// nodeTree are the shown nodes of a design from its canvas, parents first.
type nodeTree struct {
	types   []string
	parents []int
	depth   int // of the deepest node, 0 of the canvas
}

func newHierarchy(l *design.Layout) *nodeTree {
	root := l.Elements[0].Node
	t := &nodeTree{}
	index := make([]int, len(l.Nodes))
	for i := root; i < len(l.Nodes) && (i == root || l.Nodes[i].Depth > l.Nodes[root].Depth); i++ {
		n := &l.Nodes[i]
		if !n.Shown || l.Unseen != nil && l.Unseen[i] {
			continue
		}
		parent := -1
		if i > root {
			parent = index[n.Parent] // shown as well
		}
		index[i] = len(t.types)
		t.types, t.parents = append(t.types, n.Type), append(t.parents, parent)
		t.depth = max(t.depth, n.Depth-l.Nodes[root].Depth)
	}
	return t
}

// families are the different parts of height 1 of a tree, a node with its children by types.
func (t *nodeTree) families() map[string]bool {
	children := make([][]string, len(t.types))
	for i, parent := range t.parents {
		if parent >= 0 {
			children[parent] = append(children[parent], t.types[i])
		}
	}
	out := map[string]bool{}
	var key []byte
	for i, types := range children {
		if len(types) == 0 {
			continue
		}
		key = appendType(key[:0], t.types[i])
		for _, name := range types {
			key = appendType(key, name)
		}
		out[string(key)] = true
	}
	return out
}

// appendType writes a type so that no two lists of types are the same text.
func appendType(key []byte, name string) []byte {
	for _, b := range []byte(name) {
		if b <= 1 {
			key = append(key, 1) // an escape
		}
		key = append(key, b)
	}
	return append(key, 0)
}

// share is how many of a set are in another, over the size of the set.
func share(wanted, in map[string]bool) float64 {
	n := 0
	for key := range wanted {
		if in[key] {
			n++
		}
	}
	return float64(n) / float64(len(wanted))
}

// setOrder enters the correlation of the orders in which matched boxes of two designs are read: by their tops, and of
// equal tops by their left sides.
func (r *Row) setOrder(key, what string, from, to []box.Box) {
	if len(from) < 3 {
		r.Undefined(key, "only %d matched %s, want at least 3", len(from), what)
		return
	}
	tau, err := stat.Kendall(readingRanks(from), readingRanks(to))
	switch {
	case err != nil:
		r.Undefined(key, "%v", err)
	case tau.Reason != "":
		r.Undefined(key, "all matched %s have the same position", what)
	default:
		r.Set(key, tau.Coefficient)
	}
}

// readingRanks are the places of boxes in the order of reading; boxes with one corner share theirs.
func readingRanks(boxes []box.Box) []float64 {
	order := make([]int, len(boxes))
	for i := range order {
		order[i] = i
	}
	compare := func(i, j int) int {
		return cmp.Or(cmp.Compare(boxes[i].Y0, boxes[j].Y0), cmp.Compare(boxes[i].X0, boxes[j].X0))
	}
	slices.SortStableFunc(order, compare)
	ranks := make([]float64, len(boxes))
	rank := 0
	for k, i := range order {
		if k > 0 && compare(order[k-1], i) != 0 {
			rank++
		}
		ranks[i] = float64(rank)
	}
	return ranks
}
