// Hierarchies by hand, and ones that are too large.

package canvas

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"repscope/analysis/canvas/internal/casetest"
	"repscope/analysis/canvas/internal/design"
	"repscope/dataset/casefile"
)

func TestTree(t *testing.T) {
	t.Parallel()
	box := func(kind string, x, y float64) string { return casetest.Node(kind, x, y, 10, 10, "#000000") }
	// FRAME(TEXT RECTANGLE FRAME(TEXT) FRAME(TEXT)) and FRAME(TEXT FRAME(TEXT) RECTANGLE FRAME(LINE(x))).
	reference := casetest.Design(box("TEXT", 0, 0), box("RECTANGLE", 20, 0), casetest.Frame(0, 20, 10, 10, "", box("TEXT", 0, 20)), casetest.Frame(0, 40, 10, 10, "", box("TEXT", 0, 40)))
	generated := casetest.Design(box("TEXT", 0, 0), casetest.Frame(0, 20, 10, 10, "", box("TEXT", 0, 20)), box("RECTANGLE", 20, 0),
		casetest.Frame(0, 40, 10, 10, "", casetest.Node("LINE", 0, 40, 10, 10, "#000000", `"children": [`+box("STAR", 50, 50)+`]`)))
	row := scoredContent(t, Setting{}, reference, generated)
	wantValues(t, row, map[string]float64{
		// The rectangle is deleted and inserted, TEXT becomes LINE, STAR is inserted: 4 of 7 + 8 nodes.
		"tree_edit_similarity": 1 - 2*4./(15+4),
		// Of FRAME(TEXT RECTANGLE FRAME FRAME) and FRAME(TEXT), the second is there.
		"tree_bleu": 0.5, "tree_depth_difference": 1,
		"reading_order_tau": 1,
	})
	back := scoredContent(t, Setting{}, generated, reference)
	wantValues(t, back, map[string]float64{"tree_edit_similarity": row.Values["tree_edit_similarity"].V, "tree_bleu": 1. / 4, "tree_depth_difference": 1})
	// What is hidden is not in the tree.
	hidden := casetest.Design(box("TEXT", 0, 0), box("RECTANGLE", 20, 0), casetest.Frame(0, 20, 10, 10, "", box("TEXT", 0, 20)), casetest.Frame(0, 40, 10, 10, "", box("TEXT", 0, 40)),
		casetest.Node("FRAME", 0, 0, 10, 10, "", `"visible": false, "children": [`+box("STAR", 50, 50)+`]`))
	wantValues(t, scoredContent(t, Setting{}, reference, hidden), map[string]float64{"tree_edit_similarity": 1, "tree_bleu": 1, "tree_depth_difference": 0})
}

// TestTypesApart: types that are written together are not those of another family.
func TestTypesApart(t *testing.T) {
	t.Parallel()
	of := func(types ...string) string {
		tree := nodeTree{types: types, parents: []int{-1, 0, 0}[:len(types)]}
		for key := range tree.families() {
			return key
		}
		return ""
	}
	seen := map[string]string{}
	for _, types := range [][]string{{"A", "B"}, {"AB", ""}, {"A", "B", ""}, {"A\x00", "B"}, {"A", "\x00B"}, {"A\x01", "B"}, {"A", "\x01B"}, {"A\x01\x00", "B"}, {"A", "\x00", "B"}} {
		key := of(types...)
		if other, there := seen[key]; there {
			t.Errorf("%q and %s have one key", types, other)
		}
		seen[key] = fmt.Sprintf("%q", types)
	}
}

// TestReadingOrder: swapped elements lower the correlation, shared corners are ties.
func TestReadingOrder(t *testing.T) {
	t.Parallel()
	at := func(x1, y1, x2, y2, x3, y3 float64) string {
		return casetest.Design(casetest.Text("alpha", x1, y1, 10, 5, "#000000"), casetest.Text("beta", x2, y2, 10, 5, "#000000"), casetest.Text("gamma", x3, y3, 10, 5, "#000000"))
	}
	for _, test := range []struct {
		generated string
		tau       float64
	}{
		{at(0, 0, 0, 10, 0, 20), 1},
		{at(0, 0, 50, 0, 0, 20), 1},      // a row and a column
		{at(0, 10, 0, 0, 0, 20), 1. / 3}, // one pair of three the other way
		{at(0, 20, 0, 10, 0, 0), -1},
		{at(0, 0, 0, 0, 0, 20), 2 / 2.449489742783178}, // two in one place: 2/√(3·2)
	} {
		wantValues(t, scoredContent(t, Setting{}, at(0, 0, 0, 10, 0, 20), test.generated), map[string]float64{"text_order_tau": test.tau})
	}
}

// deepDesign is a design of a chain of frames, each with a text on either side.
func deepDesign(n int) *casefile.Design {
	d := &casefile.Design{}
	bounds := &casefile.Bounds{Width: 10, Height: 10}
	add := func(kind string, parent, depth int) int {
		d.Nodes = append(d.Nodes, casefile.Node{Type: kind, Parent: parent, Depth: depth, Shown: true, Opacity: 1, Bounds: bounds})
		return len(d.Nodes) - 1
	}
	at := add("FRAME", -1, 0)
	for depth := 1; len(d.Nodes) < n; depth++ {
		add("TEXT", at, depth)
		at = add("FRAME", at, depth)
	}
	return d
}

// TestLargeTrees: hierarchies that are too large have no edit distance, but all else.
func TestLargeTrees(t *testing.T) {
	t.Parallel()
	l, err := design.NewLayout("deep", deepDesign(100000), design.LayoutOptions{})
	if err != nil {
		t.Fatal(err)
	}
	tree := newHierarchy(l)
	if tree.depth != 50000 || len(tree.types) < 100000 {
		t.Fatal(tree.depth, len(tree.types))
	}
	p, row := contentPair(t, Setting{}, "", ""), NewRow()
	if err := p.scoreEdits(tree, tree, row); err != nil || !strings.Contains(row.Values["tree_edit_similarity"].Reason, "too large to compare") {
		t.Errorf("%v, %v", row.Values, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p.Context = ctx
	if l, err = design.NewLayout("deep", deepDesign(3000), design.LayoutOptions{}); err != nil {
		t.Fatal(err)
	}
	tree = newHierarchy(l)
	if err := p.scoreEdits(tree, tree, row); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
