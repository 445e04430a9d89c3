// Defects of designs by hand.

package canvas

import "testing"

func TestDefects(t *testing.T) {
	t.Parallel()
	text := func(x, y, w, h float64) page { return page{kind: "TEXT", text: "words", x: x, y: y, w: w, h: h} }
	frame := func(x, y, w, h float64, below ...page) page {
		return page{kind: "FRAME", x: x, y: y, w: w, h: h, fill: "none", below: below}
	}
	const noTexts = "the generated design has no texts"
	for _, c := range []struct {
		name   string
		design string
		want   map[string]any
	}{
		{"an empty canvas", onScreen(), map[string]any{"overlap_defects": "the generated design has no painted leaves with an area",
			"overflow_defects": "the generated design has no elements on its canvas", "text_overflow_defects": noTexts,
			"offcanvas_share": "the generated design has no painted element"}},
		{"a label on a button", onScreen(frame(10, 10, 40, 20, page{x: 10, y: 10, w: 40, h: 20}, text(15, 12, 30, 16))),
			map[string]any{"overlap_defects": 0., "overflow_defects": 0., "text_overflow_defects": 0., "offcanvas_share": 0.}},
		{"a text over a text", onScreen(text(10, 10, 40, 20), text(15, 12, 30, 16), text(10, 100, 40, 20)),
			map[string]any{"overlap_defects": 2. / 3}},
		{"boxes that overlap by a tenth", onScreen(page{w: 20, h: 10}, page{x: 18, w: 20, h: 10}), map[string]any{"overlap_defects": 0.}},
		{"boxes that overlap by more", onScreen(page{w: 20, h: 10}, page{x: 17, w: 20, h: 10}, page{y: 50, w: 5, h: 5}, page{y: 60, w: 5, h: 5}),
			map[string]any{"overlap_defects": 0.5, "text_overflow_defects": noTexts}},
		{"a leaf that is not painted", onScreen(page{w: 20, h: 10}, page{x: 10, w: 20, h: 10, fill: "none"}),
			map[string]any{"overlap_defects": 0.}},
		{"a frame over a leaf", onScreen(page{w: 20, h: 10}, page{x: 10, w: 20, h: 10, below: []page{{x: 25, w: 5, h: 5}}}),
			map[string]any{"overlap_defects": 0.}},
		{"a text that leaves its frame", onScreen(frame(10, 10, 40, 20, text(10, 10, 40, 25), text(10, 10, 10, 20.5))),
			map[string]any{"overflow_defects": 1. / 3, "text_overflow_defects": 0.5}},
		{"a child of a node without a box", onScreen(page{unboxed: true, fill: "none", below: []page{{x: 90, w: 20, h: 10}}}),
			map[string]any{"overflow_defects": 1., "offcanvas_share": 0.5}},
		{"outside", onScreen(page{x: -20, y: 50, w: 30, h: 10}, page{x: 200, y: 300, w: 10, h: 10}), map[string]any{"offcanvas_share": 0.75}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			row := scoreDesigns(t, &Setting{}, "", c.design, defects)
			row.want(t, c.want)
			if row.Failures != nil {
				t.Error(row.Failures)
			}
		})
	}
}
