// Tests of the visible parts of clipped, masked and turned nodes.

package canvas

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"repscope/analysis/canvas/internal/design"
	"repscope/dataset/casefile"
)

const black = `"fills":[{"type":"SOLID","color":{"r":0,"g":0,"b":0}}]`

// boxed is a node of the JSON of a design.
func boxed(id string, x, y, w, h float64, rest ...string) string {
	return fmt.Sprintf(`{"id":%q,"type":"RECTANGLE","absoluteBoundingBox":{"x":%v,"y":%v,"width":%v,"height":%v},%s}`, id, x, y, w, h,
		strings.Join(append(rest, `"name":"n"`), ","))
}

// screenOf is a canvas of 400 × 300 pixels with some children.
func screenOf(children ...string) string {
	return `{"document":` + boxed("0", 0, 0, 400, 300, `"clipsContent":true`, `"children":[`+strings.Join(children, ",")+`]`) + `}`
}

// layoutSeen reads a design.
func layoutSeen(t *testing.T, text string) *design.Layout {
	t.Helper()
	v := design.NewView(Side{Design: "d.json"}, "reference", func(string) ([]byte, error) { return []byte(text), nil })
	l, err := v.Layout()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestSight: areas in pixels by hand.
func TestSight(t *testing.T) {
	t.Parallel()
	children := func(list ...string) string { return `"children":[` + strings.Join(list, ",") + `]` }
	const clips, mask = `"clipsContent":true`, `"isMask":true`
	for _, c := range []struct {
		name     string
		design   string
		area     float64
		elements string // by id
	}{
		{"clipped", screenOf(boxed("a", 0, 0, 100, 100, clips, children(boxed("b", 0, 0, 400, 300, black)))), 100 * 100, "0 a b"},
		{"not clipped", screenOf(boxed("a", 0, 0, 100, 100, children(boxed("b", 0, 0, 400, 300, black)))), 400 * 300, "0 a b"},
		{"clipped twice", screenOf(boxed("a", 0, 0, 100, 100, clips, children(boxed("b", 50, 50, 100, 100, clips, children(boxed("c", 0, 0, 400, 300, black)))))),
			50 * 50, "0 a b c"},
		{"clipped away", screenOf(boxed("a", 0, 0, 100, 100, clips, children(boxed("b", 100, 0, 50, 50, black), boxed("c", 90, 0, 50, 50, black)))), 10 * 50, "0 a c"},
		{"lines at the edge", screenOf(boxed("a", 0, 0, 100, 100, clips, children(boxed("b", 100, 0, 0, 50, black), boxed("c", 101, 0, 0, 50, black)))), 0, "0 a b"},
		{"the canvas clips nothing", screenOf(boxed("a", 350, 0, 100, 100, black)), 50 * 100, "0 a"},
		{"masked", screenOf(boxed("a", 0, 0, 400, 300, children(boxed("b", 0, 0, 30, 300, black), boxed("m", 0, 0, 20, 20, black, mask),
			boxed("c", 0, 0, 100, 10, black), boxed("d", 10, 0, 100, 10, black))), boxed("e", 390, 290, 10, 10, black)), 30*300 + 100, "0 a b c d e"},
		{"a mask alone", screenOf(boxed("m", 0, 0, 20, 20, black, mask, children(boxed("n", 0, 0, 5, 5, black))), boxed("c", 30, 0, 10, 10, black)), 0, "0"},
		{"a hidden mask", screenOf(boxed("m", 0, 0, 20, 20, black, mask, `"visible":false`), boxed("c", 30, 0, 10, 10, black)), 100, "0 c"},
		{"two masks", screenOf(boxed("m", 0, 0, 20, 20, mask), boxed("n", 10, 10, 20, 20, mask), boxed("c", 0, 0, 100, 100, black)), 10 * 10, "0 c"},
		{"an old background", screenOf(boxed("a", 0, 0, 40, 30, `"background":[{"type":"SOLID","color":{"r":1,"g":0,"b":0}}]`)), 40 * 30, "0 a"},
		{"parts of a shape", screenOf(`{"id":"a","type":"BOOLEAN_OPERATION",` + black + `,"absoluteBoundingBox":{"x":0,"y":0,"width":10,"height":10},"children":[` +
			boxed("b", 0, 0, 50, 50, black) + `]}`), 10 * 10, "0 a b"},
	} {
		l := layoutSeen(t, c.design)
		var ids []string
		for _, e := range l.Elements {
			ids = append(ids, l.Nodes[e.Node].ID)
		}
		if got := strings.Join(ids, " "); got != c.elements {
			t.Errorf("%s: elements %s, want %s", c.name, got, c.elements)
		}
		if fill, _ := fillRatio(l); math.Abs(fill*400*300-c.area) > 1e-6 {
			t.Errorf("%s: %v pixels are painted, want %v", c.name, fill*400*300, c.area)
		}
		d, err := casefile.ParseDesign("d.json", []byte(c.design))
		if err != nil {
			t.Fatal(err)
		}
		whole, err := design.NewLayout("d.json", d, design.LayoutOptions{Whole: true})
		shown := 0
		for _, n := range d.Nodes {
			if n.Shown {
				shown++
			}
		}
		if err != nil || len(whole.Elements) != shown || slices.ContainsFunc(whole.Elements, func(e design.Element) bool { return e.Box != e.Whole }) {
			t.Errorf("%s: published elements %v, %v, want all %d", c.name, whole.Elements, err, shown)
		}
	}
}

// TestUnseenTree: what is clipped away or masks others is in no hierarchy, but for a frame of which a child is seen.
func TestUnseenTree(t *testing.T) {
	t.Parallel()
	plain := screenOf(boxed("a", 0, 0, 100, 100))
	for _, other := range []string{
		screenOf(boxed("a", 0, 0, 100, 100, `"clipsContent":true`, `"children":[`+boxed("b", 200, 0, 10, 10, `"children":[`+boxed("c", 300, 0, 1, 1)+`]`)+`]`)),
		screenOf(boxed("m", 0, 0, 400, 300, `"isMask":true`), boxed("a", 0, 0, 100, 100)),
	} {
		row := scoreDesigns(t, &Setting{}, plain, other, hierarchy)
		row.want(t, map[string]any{"tree_edit_similarity": 1., "tree_bleu": 1., "tree_depth_difference": 0.})
	}
	row := scoreDesigns(t, &Setting{}, plain,
		screenOf(boxed("a", 0, 0, 100, 100, `"clipsContent":true`, `"children":[`+boxed("b", 200, 0, 10, 10, `"children":[`+boxed("c", 50, 0, 1, 1)+`]`)+`]`)), hierarchy)
	row.want(t, map[string]any{"tree_depth_difference": 2.})
}

// TestTurnedPaint: a turned rectangle covers its own area, the half of a diamond that is on the canvas, and what both
// of two cover once.
func TestTurnedPaint(t *testing.T) {
	t.Parallel()
	turned := func(id string, x, y, w, h, angle float64, rest ...string) string {
		s, c := math.Sincos(angle)
		s, c = math.Abs(s), math.Abs(c)
		bw, bh := w*c+h*s, w*s+h*c
		return boxed(id, x-bw/2, y-bh/2, bw, bh, append(rest, black, fmt.Sprintf(`"rotation":%v`, angle), fmt.Sprintf(`"size":{"x":%v,"y":%v}`, w, h))...)
	}
	const angle = -18.3 * math.Pi / 180
	for _, c := range []struct {
		name   string
		design string
		area   float64
		within float64
	}{
		{"alone", screenOf(turned("a", 200, 150, 100, 148.75, angle)), 100 * 148.75, 1e-6},
		{"quarters", screenOf(turned("a", 200, 150, 100, 60, math.Pi/2)), 6000, 1e-6},
		{"half outside", screenOf(turned("a", 0, 150, 100, 100, math.Pi/4)), 5000, 1e-6},
		{"twice", screenOf(turned("a", 200, 150, 100, 50, 0.3), turned("b", 200, 150, 100, 50, 0.3)), 5000, 1e-6},
		// A square and the same turned by 45° share an octagon of 2·(√2 − 1) of its area.
		{"a star", screenOf(boxed("a", 150, 100, 100, 100, black), turned("b", 200, 150, 100, 100, math.Pi/4)), 1e4 * (2 - 2*(math.Sqrt2-1)), 20},
		{"clipped", screenOf(boxed("f", 0, 0, 200, 300, `"clipsContent":true`, `"children":[`+turned("a", 200, 150, 100, 100, math.Pi/4)+`]`)), 5000, 1e-6},
	} {
		l := layoutSeen(t, c.design)
		if fill, _ := fillRatio(l); math.Abs(fill*400*300-c.area) > c.within {
			t.Errorf("%s: %v pixels are painted, want %v", c.name, fill*400*300, c.area)
		}
	}
	row := scoreDesigns(t, &Setting{}, screenOf(turned("a", 200, 150, 100, 50, 0.3)), screenOf(boxed("a", 0, 0, 9, 9, black)), canvasFill, layoutOverlap)
	row.want(t, map[string]any{"canvas_fill_ratio": 81. / 120000, "canvas_fill_difference": (5000 - 81.) / 120000})
	if fmt.Sprint(row.Details[turnedDetail]) != "[1 0]" {
		t.Errorf("details %v", row.Details)
	}
}

// TestShownTexts: texts are compared as they are shown, whatever code points they are written with.
func TestShownTexts(t *testing.T) {
	t.Parallel()
	label := func(text, style string) string {
		return screenOf(fmt.Sprintf(`{"id":"t","type":"TEXT","absoluteBoundingBox":{"x":10,"y":10,"width":80,"height":20},"characters":%q,"style":{%s},%s}`, text, style, black))
	}
	for _, c := range [][2]string{
		{label("Buy now", `"textCase":"UPPER"`), label("BUY NOW", `"fontSize":12`)}, {label("buy now", `"textCase":"TITLE"`), label("Buy Now", "")},
		{label("Äffin э̄", ""), label("A\u0308ffin э\u0304", "")}, {label("of\u00adfice", ""), label("o\ufb03ce", "")}, {label("مرحبا أ", ""), label("\u200fمرحبا ا\u0654", "")},
	} {
		row := scoreDesigns(t, &Setting{}, c[0], c[1], blocks)
		row.want(t, map[string]any{"block_match": 1., "text_f1": 1., "text_cer": 0., "text_similarity": 1.})
	}
	row := scoreDesigns(t, &Setting{}, label("★★★★★", ""), label("★☆☆☆☆", ""), blocks)
	row.want(t, map[string]any{"text_f1": 0.2, "text_cer": 2.})
	// A text that a frame clips away is not seen.
	hidden := screenOf(boxed("f", 0, 0, 5, 5, `"clipsContent":true`, `"children":[{"id":"t","type":"TEXT","absoluteBoundingBox":{"x":10,"y":10,"width":80,"height":20},"characters":"x"}]`))
	if row := scoreDesigns(t, &Setting{}, hidden, hidden, blocks); row.Values["text_f1"].Reason != "neither design has a text" {
		t.Errorf("%v", row.Values)
	}
}

// TestWrongTexts: a design of the right structure without a text, or with other texts, matches nothing of what is said
// (all2md #256), whatever its structure scores.
func TestWrongTexts(t *testing.T) {
	t.Parallel()
	design := func(texts ...string) string {
		var nodes []string
		for i, text := range texts {
			y := 10 + 40*float64(i)
			nodes = append(nodes, strings.Replace(boxed(fmt.Sprint("t", i), 10, y, 80, 20,
				fmt.Sprintf(`"characters":%q`, text), black), "RECTANGLE", "TEXT", 1))
		}
		return screenOf(nodes...)
	}
	for _, texts := range [][]string{{"", "", ""}, {"qqqq", "zzzzzzz", "xxx"}} {
		row := scoreDesigns(t, &Setting{}, design("Home", "Contact", "Buy"), design(texts...), blocks, hierarchy)
		row.want(t, map[string]any{"block_match": 0., "text_f1": 0., "tree_edit_similarity": 1.})
	}
}
