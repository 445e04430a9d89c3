// Colors of texts beside a literal painting of the design, group by group.

package textblock

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"repscope/analysis/canvas/internal/casetest"
	"repscope/analysis/canvas/internal/design"
	"repscope/dataset/casefile"
	"repscope/measure/box"
	"repscope/measure/color"
)

// literalPaint paints a node and what is below it at a text: into a layer of its own, which is laid on what is there.
// Nodes after the text are left out, and the text too if without is set.
func literalPaint(l *design.Layout, node int, at design.Element, without bool, below layer) layer {
	if node > at.Node {
		return below
	}
	n := &l.Nodes[node]
	own := layer{known: true}
	for _, e := range l.Elements {
		if e.Node != node || n.Type == "TEXT" && node != at.Node || node == at.Node && without {
			continue
		}
		if x, y := (at.Box.X0+at.Box.X1)/2, (at.Box.Y0+at.Box.Y1)/2; x < e.Box.X0 || x > e.Box.X1 || y < e.Box.Y0 || y > e.Box.Y1 {
			continue
		}
		if at.Box.Intersect(e.Box).Area() >= at.Box.Area()/2 {
			own.fill(n.Fills)
		}
	}
	for i := range l.Nodes {
		if i > node && l.Nodes[i].Parent == node {
			own = literalPaint(l, i, at, without, own)
		}
	}
	return own.onto(below, n.Opacity)
}

// rapidPick draws numbers below n.
func rapidPick(t *rapid.T) func(n int) int {
	return func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "choice") }
}

func TestPainting(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l, err := design.NewLayout("drawn", casetest.DrawDesign(rapidPick(t)), design.LayoutOptions{})
		if err != nil {
			t.Fatal(err)
		}
		p := newPainting(l)
		for _, e := range l.Elements {
			if l.Nodes[e.Node].Type != "TEXT" {
				continue
			}
			got, ok := p.at(e)
			page := layer{r: 1, g: 1, b: 1, alpha: 1, known: true}
			with, without := literalPaint(l, 0, e, false, page), literalPaint(l, 0, e, true, page)
			if !ok || got.BehindKnown != without.known || without.known && far(got.Behind, without.color()) {
				t.Fatalf("behind node %d: %+v, want %+v", e.Node, got, without)
			}
			if known := with.known && paints(l.Nodes[e.Node].Fills); got.TextKnown != known || known && far(got.Text, with.color()) {
				t.Fatalf("node %d: %+v, want %+v", e.Node, got, with)
			}
		}
	})
}

func far(a, b color.SRGB) bool {
	return math.Abs(a.R-b.R)+math.Abs(a.G-b.G)+math.Abs(a.B-b.B) > 1e-12
}

// layoutFrom reads a design.
func layoutFrom(t *testing.T, file string) *design.Layout {
	t.Helper()
	d, err := casefile.ParseDesign("d.json", []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	l, err := design.NewLayout("d.json", d, design.LayoutOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// inkOf returns the colors of the last text of a design.
func inkOf(t *testing.T, file string) Colors {
	t.Helper()
	texts, err := Find(layoutFrom(t, file))
	if err != nil || len(texts) == 0 {
		t.Fatal(len(texts), err)
	}
	return texts[len(texts)-1].Inked
}

// TestBehind are backgrounds that are known without computing.
func TestBehind(t *testing.T) {
	t.Parallel()
	words := casetest.Text("Text", 40, 40, 20, 10, "#112233")
	white, gray := color.SRGB{R: 1, G: 1, B: 1}, color.FromBytes(0x80, 0x80, 0x80)
	half := casetest.Node("RECTANGLE", 0, 0, 100, 100, "#000000", `"opacity": 0.5`)
	for name, test := range map[string]struct {
		design string
		behind color.SRGB
		known  bool
	}{
		"the canvas":                {casetest.Design(words), white, true},
		"a page without a fill":     {fmt.Sprintf(`{"document": %s}`, casetest.Frame(0, 0, 100, 100, "", words)), white, true},
		"a box below it":            {casetest.Design(casetest.Node("RECTANGLE", 0, 0, 60, 60, "#808080"), words), gray, true},
		"a box above it":            {casetest.Design(words, casetest.Node("RECTANGLE", 0, 0, 60, 60, "#808080")), white, true},
		"a box below less than it":  {casetest.Design(casetest.Node("RECTANGLE", 0, 0, 49, 60, "#808080"), words), white, true},
		"its frame":                 {casetest.Design(casetest.Frame(30, 30, 50, 50, "#808080", words)), gray, true},
		"an image":                  {casetest.Design(casetest.Node("RECTANGLE", 0, 0, 100, 100, "IMAGE"), words), white, false},
		"a gradient under a box":    {casetest.Design(casetest.Node("RECTANGLE", 0, 0, 100, 100, "GRADIENT_LINEAR"), casetest.Frame(30, 30, 50, 50, "#808080", words)), gray, true},
		"an image under half a box": {casetest.Design(casetest.Node("RECTANGLE", 0, 0, 100, 100, "IMAGE"), half, words), white, false},
		"half a box":                {casetest.Design(half, words), color.SRGB{R: 0.5, G: 0.5, B: 0.5}, true},
		"a disk":                    {casetest.Design(casetest.Node("ELLIPSE", 30, 30, 40, 40, "#808080"), words), gray, true},
		"the corner of a disk":      {casetest.Design(casetest.Node("ELLIPSE", 49, 44, 200, 200, "#808080"), words), white, true},
		"a shape of any form":       {casetest.Design(casetest.Node("VECTOR", 0, 0, 100, 100, "#808080"), words), white, false},
		"another text":              {casetest.Design(casetest.Text("Other", 0, 0, 100, 100, "#808080"), words), white, true},
		"a hidden box":              {casetest.Design(casetest.Node("RECTANGLE", 0, 0, 100, 100, "#808080", `"visible": false`), words), white, true},
		"a box within half a frame": {casetest.Design(casetest.Node("FRAME", 0, 0, 100, 100, "", `"opacity": 0.5`, `"children": [`+casetest.Node("RECTANGLE", 0, 0, 100, 100, "#000000")+`]`), words),
			color.SRGB{R: 0.5, G: 0.5, B: 0.5}, true},
	} {
		if got := inkOf(t, test.design); got.BehindKnown != test.known || test.known && far(got.Behind, test.behind) || !got.TextKnown {
			t.Errorf("%s: %+v, want %+v, %v", name, got, test.behind, test.known)
		}
	}
	// A translucent text shows what is behind it, and hides nothing of an image.
	faint := casetest.Text("Text", 40, 40, 20, 10, "#000000", `"opacity": 0.5`)
	if got := inkOf(t, casetest.Design(faint)); !got.TextKnown || far(got.Text, color.SRGB{R: 0.5, G: 0.5, B: 0.5}) {
		t.Errorf("half a text: %+v", got)
	}
	if got := inkOf(t, casetest.Design(casetest.Node("RECTANGLE", 0, 0, 100, 100, "IMAGE"), faint)); got.TextKnown || got.BehindKnown {
		t.Errorf("half a text on an image: %+v", got)
	}
	if got := inkOf(t, casetest.Design(casetest.Text("Text", 40, 40, 20, 10, ""))); got.TextKnown || !got.BehindKnown {
		t.Errorf("a text without a color: %+v", got)
	}
}

// TestPaintingSteps: boxes that cannot be held against all texts are given up, not waited for.
func TestPaintingSteps(t *testing.T) {
	t.Parallel()
	l := layoutFrom(t, casetest.Form)
	painting := newPainting(l)
	painting.steps = 1
	if _, ok := painting.at(design.Element{Node: len(l.Nodes) - 1, Box: box.Box{X1: 1, Y1: 1}}); ok {
		t.Error("no end")
	}
}
