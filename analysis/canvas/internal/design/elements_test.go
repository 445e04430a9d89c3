// Tests of elements: the canvas, and which nodes are on it.

package design

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"repscope/dataset/casefile"
	"repscope/measure/box"
)

// layoutOf reads a design.
func layoutOf(t *testing.T, text string) (*Layout, error) {
	t.Helper()
	d, err := casefile.ParseDesign("d.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return NewLayout("d.json", d, LayoutOptions{})
}

func TestNewLayout(t *testing.T) {
	t.Parallel()
	l, err := layoutOf(t, `{"type":"FRAME","absoluteBoundingBox":{"x":100,"y":-50,"width":200,"height":400},"children":[
		{"id":"a","absoluteBoundingBox":{"x":150,"y":50,"width":50,"height":100},"children":[{"id":"b","absoluteBoundingBox":{"x":50,"y":-150,"width":0,"height":600}}]},
		{"id":"hidden","visible":false,"absoluteBoundingBox":{"x":0,"y":0,"width":1,"height":1},"children":[{"id":"below","absoluteBoundingBox":{"x":0,"y":0,"width":1,"height":1}}]},
		{"id":"no box","absoluteBoundingBox":null,"children":[{"id":"c","absoluteBoundingBox":{"x":300,"y":350,"width":0,"height":0}}]},
		{"id":"faint","opacity":0.01,"absoluteBoundingBox":{"x":0,"y":0,"width":1,"height":1}}]}`)
	if err != nil {
		t.Fatal(err)
	}
	if want := (box.Box{X0: 100, Y0: -50, X1: 300, Y1: 350}); l.Canvas != want {
		t.Errorf("canvas %v, want %v", l.Canvas, want)
	}
	boxes := map[int]box.Box{0: {X1: 1, Y1: 1}, 1: {X0: 0.25, Y0: 0.25, X1: 0.5, Y1: 0.5}, 2: {X0: -0.25, Y0: -0.25, X1: -0.25, Y1: 1.25},
		6: {X0: 1, Y0: 1, X1: 1, Y1: 1}}
	var want []Element
	for _, node := range []int{0, 1, 2, 6} {
		want = append(want, Element{node, boxes[node], boxes[node]})
	}
	if len(l.Elements) != len(want) {
		t.Fatalf("%d elements, want %d: %v", len(l.Elements), len(want), l.Elements)
	}
	for i, w := range want {
		if l.Elements[i] != w {
			t.Errorf("element %d is %v, want %v", i, l.Elements[i], w)
		}
	}
}

// A document and its page have no box; the frame below them is the canvas, with what is in it.
func TestCanvasBelowTheRoot(t *testing.T) {
	t.Parallel()
	const frame = `{"id":"1:2","type":"FRAME","absoluteBoundingBox":{"x":0,"y":0,"width":10,"height":20},"children":[{"absoluteBoundingBox":{"x":0,"y":0,"width":5,"height":5}}]}`
	l, err := layoutOf(t, `{"document":{"type":"DOCUMENT","children":[{"type":"CANVAS","children":[{"id":"off","visible":false},`+frame+`]}]}}`)
	if err != nil || l.Canvas != (box.Box{X1: 10, Y1: 20}) || len(l.Elements) != 2 || l.Elements[1].Box != (box.Box{X1: 0.5, Y1: 0.25}) {
		t.Errorf("%+v, %v", l, err)
	}
	for _, c := range []struct{ text, want string }{
		{`{"type":"CANVAS","name":"Page"}`, `neither the node "Page" without id nor a visible node below it has a box for the canvas`},
		{strings.Repeat(`{"type":"GROUP","children":[`, 10_000) + strings.Repeat(`]}`, 10_000), "nor a visible node below it has a box"},
		{`{"id":"1:1","absoluteBoundingBox":{"x":0,"y":0,"width":0,"height":20}}`, `the canvas, node "1:1", is 0×20 pixels, want at least 0.01`},
		{`{"id":"1:1","visible":false,"absoluteBoundingBox":{"x":0,"y":0,"width":5,"height":20}}`, `the canvas, node "1:1", is not visible`},
	} {
		if _, err := layoutOf(t, c.text); err == nil || !strings.HasPrefix(err.Error(), "d.json: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.100s: %v, want %q", c.text, err, c.want)
		}
	}
}

// TestCanvasOfSeveral: of the frames of a page, or of several pages, the first is the canvas, else the largest node,
// and any node by its id or its name.
func TestCanvasOfSeveral(t *testing.T) {
	t.Parallel()
	node := func(id, kind string, width int, rest string) string {
		return fmt.Sprintf(`{"id":%q,"name":"N %s","type":%q,"absoluteBoundingBox":{"x":0,"y":0,"width":%d,"height":10}%s}`, id, id, kind, width, rest)
	}
	page := func(nodes ...string) string { return `{"type":"CANVAS","children":[` + strings.Join(nodes, ",") + `]}` }
	file := func(pages ...string) string {
		return `{"document":{"type":"DOCUMENT","children":[` + strings.Join(pages, ",") + `]}}`
	}
	inner := `,"children":[` + node("1:9", "FRAME", 3, "") + `]`
	frames := file(page(node("1:1", "RECTANGLE", 90, ""), node("1:2", "FRAME", 20, inner), node("1:3", "FRAME", 50, "")), page(node("2:1", "FRAME", 70, "")))
	shapes := file(page(node("1:1", "RECTANGLE", 40, ""), node("1:2", "GROUP", 60, ""), node("1:3", "TEXT", 50, "")))
	for _, c := range []struct {
		text, name, want string
		canvases         int
	}{
		{frames, "", "1:2", 4}, {shapes, "", "1:2", 3}, {frames, "2:1", "2:1", 1}, {frames, "2-1", "2:1", 1}, {frames, "N 1:3", "1:3", 1},
		{frames, "1:9", "1:9", 1}, {file(page(node("1:1", "FRAME", 0, ""), node("1:2", "FRAME", 5, ""))), "", "1:2", 2},
		{`{"nodes":{"1:1":{"document":` + node("1:1", "FRAME", 4, "") + `},"1:2":{"document":` + node("1:2", "FRAME", 5, "") + `}}}`, "", "1:1", 2},
		{file(page(node("1:1", "FRAME", 5, `,"visible":false`), node("1:2", "FRAME", 5, ""))), "", "1:2", 1},
	} {
		d, err := casefile.ParseDesign("d.json", []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		l, err := NewLayout("d.json", d, LayoutOptions{Node: c.name})
		if err != nil || l.Nodes[l.Elements[0].Node].ID != c.want || l.Canvases != c.canvases {
			t.Errorf("%s, %q: %+v, %v, want %s of %d", c.text, c.name, l, err, c.want, c.canvases)
		}
	}
	d, err := casefile.ParseDesign("d.json", []byte(frames))
	if err != nil {
		t.Fatal(err)
	}
	const want = `d.json: no node has the id or the name "Home"; found 1:1 (N 1:1), 1:2 (N 1:2), 1:3 (N 1:3), 2:1 (N 2:1)`
	if _, err := NewLayout("d.json", d, LayoutOptions{Node: "Home"}); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// Boxes of the extreme coordinates that are read stay numbers.
func TestExtremeBoxes(t *testing.T) {
	t.Parallel()
	l, err := layoutOf(t, `{"type":"FRAME","absoluteBoundingBox":{"x":-1e9,"y":1e9,"width":0.01,"height":1e9},"children":[
		{"absoluteBoundingBox":{"x":1e9,"y":-1e9,"width":1e9,"height":1e9}},{"absoluteBoundingBox":{"x":5e-324,"y":0,"width":5e-324,"height":1}}]}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range l.Elements {
		if b := e.Box; math.IsNaN(b.Area()) || math.IsInf(b.Area(), 0) || b.X1 < b.X0 || b.Y1 < b.Y0 {
			t.Errorf("%v", e)
		}
	}
}
