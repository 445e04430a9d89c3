// Layouts beside literal loops and SciPy's assignments.

package canvas

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"testing"
)

//go:embed testdata/layout.json
var layoutJSON []byte

// goldenNode is a node by its parent, x, y, width and height, whether it is a text and whether it is painted.
type goldenNode struct {
	parent, x, y, w, h float64
	text, painted      bool
}

func (n *goldenNode) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[]any{&n.parent, &n.x, &n.y, &n.w, &n.h, &n.text, &n.painted})
}

// goldenDesign builds the hierarchy; children come behind their parents.
func goldenDesign(nodes []goldenNode) string {
	var build func(i int) page
	build = func(i int) page {
		n := nodes[i]
		p := page{id: fmt.Sprint(i), x: n.x, y: n.y, w: n.w, h: n.h, fill: "none"}
		if n.painted {
			p.fill = ""
		}
		if n.text {
			p.kind = "TEXT"
			if n.painted {
				p.text = "words"
			}
		}
		for k := range nodes {
			if int(nodes[k].parent) == i {
				p.below = append(p.below, build(k))
			}
		}
		return p
	}
	return jsonOf(build(0))
}

func TestGoldenLayout(t *testing.T) {
	t.Parallel()
	var golden struct {
		Cases []struct {
			Reference, Generated []goldenNode
			Fill                 float64
			DocumentedFill       *float64 `json:"documented_fill"`
			IoU                  float64
			DocumentedIoU        float64 `json:"documented_iou"`
			Found                [2]int
			Aligned              []json.RawMessage // [fewest, most], groups of the reference, of the generated design
			DocumentedAligned    []json.RawMessage `json:"documented_aligned"` // found, groups, groups, [fewest, most]
			Defects              struct {
				Overlap   *float64 `json:"overlap_defects"`
				Pairs     int
				Overflow  *float64 `json:"overflow_defects"`
				Text      *float64 `json:"text_overflow_defects"`
				OffCanvas *float64 `json:"offcanvas_share"`
			}
		}
	}
	if err := json.Unmarshal(layoutJSON, &golden); err != nil || len(golden.Cases) == 0 {
		t.Fatal(len(golden.Cases), err)
	}
	for _, c := range golden.Cases {
		reference, generated := goldenDesign(c.Reference), goldenDesign(c.Generated)
		of, n := float64(len(c.Reference)), float64(len(c.Generated))
		row := scoreDesigns(t, &Setting{}, reference, generated, layoutKinds...)
		want := map[string]any{"canvas_fill_ratio": c.Fill, "element_ratio": n / of, "layout_iou": c.IoU}
		for key, v := range map[string]*float64{"overlap_defects": c.Defects.Overlap, "overflow_defects": c.Defects.Overflow,
			"text_overflow_defects": c.Defects.Text, "offcanvas_share": c.Defects.OffCanvas} {
			if v != nil {
				want[key] = *v
			} else if row.Values[key].Defined() {
				t.Errorf("%s is %v, want none", key, row.Values[key])
			}
		}
		row.want(t, want)
		if pairs, ok := row.Details["overlap_defect_pairs"]; ok && pairs != c.Defects.Pairs {
			t.Errorf("%v pairs overlap, want %d", pairs, c.Defects.Pairs)
		}
		between(t, row, "layout_f1", c.Found, of+n)
		var groups, others float64
		var ends [2]int
		decode(t, c.Aligned, &ends, &groups, &others)
		between(t, row, "alignment_f1", ends, groups+others)

		row = scoreDesigns(t, &Setting{Definition: DefinitionDocumented}, reference, generated, layoutKinds...)
		var found float64
		decode(t, c.DocumentedAligned, &found, &groups, &others, &ends)
		want = map[string]any{"layout_iou": c.DocumentedIoU, "alignment_precision": found / others, "alignment_recall": found / groups}
		if c.DocumentedFill != nil {
			want["canvas_fill_ratio"] = *c.DocumentedFill
		}
		row.want(t, want)
		between(t, row, "alignment_f1", ends, groups+others)
	}
}

// between holds an F1 against the fewest and the most pairs of any best assignment.
func between(t *testing.T, row *Row, key string, ends [2]int, of float64) {
	t.Helper()
	if v := row.Values[key].V; !(v >= 2*float64(ends[0])/of-1e-12 && v <= 2*float64(ends[1])/of+1e-12) {
		t.Errorf("%s is %v, want %d to %d pairs of %v", key, v, ends[0], ends[1], of)
	}
}

func decode(t *testing.T, raw []json.RawMessage, into ...any) {
	t.Helper()
	if len(raw) != len(into) {
		t.Fatalf("%d values, want %d", len(raw), len(into))
	}
	for i := range raw {
		if err := json.Unmarshal(raw[i], into[i]); err != nil {
			t.Fatal(err)
		}
	}
}
