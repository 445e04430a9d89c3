// How much of designs is painted, by hand.

package canvas

import "testing"

func TestFill(t *testing.T) {
	t.Parallel()
	const clear = `[{"type":"SOLID","visible":false,"color":{"r":0,"g":0,"b":0,"a":1}},{"type":"SOLID","color":{"r":0,"g":0,"b":0,"a":0.005}}]`
	frame := func(below ...page) page { return page{kind: "FRAME", w: 100, h: 200, fill: "none", below: below} }
	const noCanvas = "the generated design has no area in its first element of depth 1, the canvas of the " +
		"documented definition"
	unseen := page{kind: "TEXT", text: " \n", w: 9, h: 9}
	for _, c := range []struct {
		name                string
		design              string
		ratio, documented   any
		difference, differs any // from a reference of which a quarter is painted, 1 by the documented definition
	}{
		{"nothing", onScreen(), 0., 0., 0.25, 1.},
		{"two that overlap", onScreen(page{w: 50, h: 100}, page{x: 25, y: 50, w: 50, h: 100}), 0.4375, 1., 0.1875, 0.},
		{"beyond the canvas", onScreen(page{x: 75, y: -50, w: 100, h: 100}), 0.0625, 1., 0.1875, 0.},
		{"not painted", onScreen(frame(page{w: 50, h: 50, fill: clear}, page{w: 10, h: 10, fill: "none"}), unseen), 0., 0.125, 0.25, 0.875},
		{"a text without paints", onScreen(frame(page{kind: "TEXT", text: "words", w: 50, h: 100, fill: "none"})), 0.25, 0.25, 0., 0.75},
		{"a hidden one", onScreen(frame(page{w: 50, h: 100, hidden: true}, page{w: 50, h: 40, x: 3, y: 4})), 0.1, 0.1, 0.15, 0.9},
		{"a line", onScreen(page{w: 50}), 0., noCanvas, 0.25, noCanvas},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			reference := onScreen(page{y: 100, w: 50, h: 100})
			row := scoreDesigns(t, &Setting{}, reference, c.design, canvasFill)
			row.want(t, map[string]any{"canvas_fill_ratio": c.ratio, "canvas_fill_difference": c.difference})
			row = scoreDesigns(t, &Setting{Definition: DefinitionDocumented}, reference, c.design, canvasFill)
			row.want(t, map[string]any{"canvas_fill_ratio": c.documented, "canvas_fill_difference": c.differs})
		})
	}
}
