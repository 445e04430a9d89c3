// Tests of elements: the canvas, and which nodes are on it.

package canvas

import (
	"math"
	"strings"
	"testing"

	"repscope/dataset"
	"repscope/measure/box"
)

// layoutOf reads a design.
func layoutOf(t *testing.T, text string) (*Layout, error) {
	t.Helper()
	d, err := dataset.ParseDesign("d.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return NewLayout("d.json", d)
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
	want := []Element{{0, box.Box{X1: 1, Y1: 1}}, {1, box.Box{X0: 0.25, Y0: 0.25, X1: 0.5, Y1: 0.5}},
		{2, box.Box{X0: -0.25, Y0: -0.25, X1: -0.25, Y1: 1.25}}, {6, box.Box{X0: 1, Y0: 1, X1: 1, Y1: 1}}}
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
		{`{"type":"CANVAS","id":"0:1","children":[` + frame + `,` + frame + `]}`, `node "0:1" has no box and 2 visible children, want one node as the canvas`},
		{`{"type":"CANVAS","name":"Page"}`, `the node "Page" without id has no box and 0 visible children`},
		{strings.Repeat(`{"type":"GROUP","children":[`, 10_000) + strings.Repeat(`]}`, 10_000), "has no box and 0 visible children"},
		{`{"id":"1:1","absoluteBoundingBox":{"x":0,"y":0,"width":0,"height":20}}`, `the canvas, node "1:1", is 0×20 pixels, want at least 0.01`},
		{`{"id":"1:1","visible":false,"absoluteBoundingBox":{"x":0,"y":0,"width":5,"height":20}}`, `the canvas, node "1:1", is not visible`},
	} {
		if _, err := layoutOf(t, c.text); err == nil || !strings.HasPrefix(err.Error(), "d.json: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.100s: %v, want %q", c.text, err, c.want)
		}
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
