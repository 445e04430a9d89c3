// Designs that tests of layouts are about.

package canvas

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/analysis/canvas/internal/design"
)

// layoutKinds are the metrics of elements.
var layoutKinds = []Kind{canvasFill, elementCount, layoutOverlap, alignment, defects}

// page is a node of a design of a test.
type page struct {
	id, kind   string // kind: "TEXT", "" for a rectangle
	x, y, w, h float64
	fill       string // JSON of the fills; empty: one black one, "none": none
	text       string
	below      []page
	hidden     bool
	unboxed    bool // the box is null
}

func (p *page) json(b *strings.Builder) {
	kind, fill := cmp.Or(p.kind, "RECTANGLE"), cmp.Or(p.fill, `[{"type":"SOLID","color":{"r":0,"g":0,"b":0,"a":1}}]`)
	if fill == "none" {
		fill = "[]"
	}
	box := fmt.Sprintf(`{"x":%v,"y":%v,"width":%v,"height":%v}`, p.x, p.y, p.w, p.h)
	if p.unboxed {
		box = "null"
	}
	text, _ := json.Marshal(p.text)
	fmt.Fprintf(b, `{"id":%q,"name":"n%s","type":%q,"visible":%v,"absoluteBoundingBox":%s,"characters":%s,"fills":%s,"children":[`,
		p.id, p.id, kind, !p.hidden, box, text, fill)
	for i := range p.below {
		if i > 0 {
			b.WriteByte(',')
		}
		p.below[i].json(b)
	}
	b.WriteString("]}")
}

// onScreen is a design of a canvas of 100 × 200 pixels at (50, -20).
func onScreen(below ...page) string {
	return jsonOf(page{id: "0", kind: "FRAME", w: 100, h: 200, below: below}.shifted(50, -20))
}

func (p page) shifted(x, y float64) page {
	p.x, p.y, p.below = p.x+x, p.y+y, slices.Clone(p.below)
	for i := range p.below {
		p.below[i] = p.below[i].shifted(x, y)
	}
	return p
}

func jsonOf(root page) string {
	var b strings.Builder
	b.WriteString(`{"document":`)
	root.json(&b)
	b.WriteByte('}')
	return b.String()
}

// scoreDesigns scores a generated design beside a reference.
func scoreDesigns(t testing.TB, o *Setting, reference, generated string, kinds ...Kind) *Row {
	t.Helper()
	files := map[string]string{"reference.json": reference, "generated.json": generated}
	read := func(path string) ([]byte, error) { return []byte(files[path]), nil }
	c := &Case{Reference: Side{Design: "reference.json"}, Generated: Side{Design: "generated.json"}}
	if reference == "" {
		c.Reference.Design = ""
	}
	row, err := scoreKinds(t.Context(), kinds, NewPair(t.Context(), c, o, read, design.NewView(c.Reference, "reference", read)))
	if err != nil {
		t.Fatal(err)
	}
	return row
}

// want compares numbers of a row; a text is the reason of one that is undefined.
func (r *Row) want(t *testing.T, want map[string]any) {
	t.Helper()
	for key, w := range want {
		v, entered := r.Values[key]
		switch w := w.(type) {
		case float64:
			if !entered || !v.Defined() || abs(v.V-w) > 1e-12 {
				t.Errorf("%s is %v, want %v", key, v, w)
			}
		case string:
			if !entered || v.Defined() || v.Reason != w {
				t.Errorf("%s is %v, want the reason %q", key, v, w)
			}
		}
	}
}

func abs(v float64) float64 { return max(v, -v) }

// drawn is a design of random frames in frames, with lines, texts, hidden nodes and nodes of one box.
func drawn(seed uint64, n int) string {
	rng := rand.New(rand.NewPCG(seed, 1))
	count := 0
	var grow func(p *page, depth int)
	grow = func(p *page, depth int) {
		for range rng.IntN(5) {
			if count >= n {
				return
			}
			count++
			c := page{id: fmt.Sprint(count), w: p.w * float64(rng.IntN(5)) / 4, h: p.h * float64(rng.IntN(5)) / 4,
				hidden: rng.IntN(9) == 0, unboxed: rng.IntN(12) == 0}
			c.x, c.y = p.x+(p.w-c.w)*float64(rng.IntN(4))/3, p.y+(p.h-c.h)*float64(rng.IntN(4))/3
			if rng.IntN(3) == 0 {
				c.kind, c.text = "TEXT", "words"
			} else if depth < 6 {
				grow(&c, depth+1)
			}
			p.below = append(p.below, c)
		}
	}
	root := page{id: "0", kind: "FRAME", w: 375, h: 812}
	for count < n {
		grow(&root, 0)
	}
	return jsonOf(root)
}

// sampleDesigns reads designs that are not in the repository: $REPSCOPE_DATA is the folder that has them.
func sampleDesigns(t *testing.T) (designs []string) {
	t.Helper()
	folder := os.Getenv("REPSCOPE_DATA")
	if folder == "" {
		t.Skip("REPSCOPE_DATA, the folder of canvas/macbook.json, is not set")
	}
	for _, name := range []string{"ipad_pro_11.json", "macbook.json", "macbook_pro.json"} {
		data, err := os.ReadFile(filepath.Join(folder, "canvas", name))
		if err != nil {
			t.Fatal(err)
		}
		designs = append(designs, string(data))
	}
	return designs
}

// checkSelf holds that a design is perfect beside itself.
func checkSelf(t *testing.T, design string) {
	t.Helper()
	row := scoreDesigns(t, &Setting{}, design, design, layoutKinds...)
	if row.Failures != nil {
		t.Fatal(row.Failures)
	}
	want := map[string]any{"canvas_fill_difference": 0., "element_ratio": 1., "element_ratio_symmetric": 1.,
		"layout_iou": 1., "layout_precision": 1., "layout_recall": 1., "layout_f1": 1.}
	for _, key := range []string{"alignment_precision", "alignment_recall", "alignment_f1"} {
		if want[key] = 1.; !row.Values["alignment_f1"].Defined() {
			delete(want, key)
		}
	}
	row.want(t, want)
	for key, v := range want {
		if row.Values[key].V != v {
			t.Errorf("%s is %v beside itself, not exactly %v", key, row.Values[key].V, v)
		}
	}
}

// TestSelfLayout: a design is perfect beside itself, with lines, points and elements that have the same box.
func TestSelfLayout(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		checkSelf(t, drawn(seed, 1+int(seed)*4))
	}
	twice := page{w: 30, h: 30}
	point, line := page{id: "p", x: 7, y: 7}, page{id: "l", x: 3, y: 9, w: 50}
	checkSelf(t, onScreen(twice, twice, twice, point, point, line, line, page{id: "m", x: 4, y: 9, w: 50}))
}

func TestSelfSamples(t *testing.T) {
	t.Parallel()
	designs := sampleDesigns(t)
	for _, d := range designs {
		checkSelf(t, d)
	}
	// The same screen at other widths is alike, and not the same.
	row := scoreDesigns(t, &Setting{}, designs[0], designs[1], layoutKinds...)
	for _, key := range []string{"layout_iou", "layout_f1", "alignment_f1"} {
		if v := row.Values[key].V; !(v > 0.3 && v < 1) {
			t.Errorf("%s of two widths is %v", key, v)
		}
	}
}

// TestLayoutInputs: what is missing is null, and what cannot be read is a failure.
func TestLayoutInputs(t *testing.T) {
	t.Parallel()
	design := onScreen(page{w: 10, h: 10})
	row := scoreDesigns(t, &Setting{}, "", design, layoutKinds...)
	if row.Failures != nil {
		t.Error(row.Failures)
	}
	const absent = "no design of the reference"
	row.want(t, map[string]any{"canvas_fill_ratio": 0.005, "canvas_fill_difference": absent, "element_ratio": absent, "layout_iou": absent,
		"alignment_f1": absent, "overflow_defects": 0., "offcanvas_share": 0.})
	row = scoreDesigns(t, &Setting{}, design, onScreen(page{id: "3:14", w: -5, h: 4}), layoutKinds...)
	if len(row.Failures) != 1 {
		t.Fatalf("failures %q", row.Failures)
	}
	for _, part := range []string{"generated.json", "3:14", "-5"} {
		if !strings.Contains(row.Failures[0], part) {
			t.Errorf("failures %q, want %s", row.Failures, part)
		}
	}
	if v := row.Values["layout_iou"]; v.Defined() || v.Reason != row.Failures[0] {
		t.Errorf("layout_iou %v", v)
	}
}
