// Alignment of designs by hand.

package canvas

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestAlignment: a row of three boxes, of which the generated design has two in line.
func TestAlignment(t *testing.T) {
	t.Parallel()
	// Lines at x 12, 17, 22 and so on: nothing but the tops, centers and bottoms of the boxes meet.
	a, b, c := page{id: "a", x: 12, y: 23, w: 10, h: 21}, page{id: "b", x: 37, y: 23, w: 10, h: 21}, page{id: "c", x: 66, y: 23, w: 10, h: 21}
	lower := c
	lower.y += 7
	reference, generated := onScreen(a, b, c), onScreen(a, b, lower)
	row := scoreDesigns(t, &Settings{Reports: true}, reference, generated, alignment)
	// Each of the three groups has two of three members: 2/3 of both, which is found.
	row.want(t, map[string]any{"alignment_precision": 1., "alignment_recall": 1., "alignment_f1": 1.})
	data, err := json.Marshal(row.Reports[alignmentReport])
	if err != nil {
		t.Fatal(err)
	}
	want := `{"matched_pairs":[`
	for _, line := range []string{"y_top", "y_center", "y_bottom"} {
		want += `{"gt":{"line":"` + line + `","members":["a","b","c"]},` +
			`"gen":{"line":"` + line + `","members":["a","b"]},"share":0.6666666666666666},`
	}
	want = strings.TrimSuffix(want, ",") + `],"other_pairs":[],"unmatched_gt":[],"unmatched_gen":[],"precision":1,"recall":1,"f1":1,` +
		`"num_matched":3,"num_gt_groups":3,"num_gen_groups":3}`
	if string(data) != want {
		t.Errorf("report\n%s, want\n%s", data, want)
	}
	// A box that no element of the reference is matched with is a member of its own: 2 of 4.
	d := page{id: "d", x: 85, y: 23, w: 5, h: 21}
	row = scoreDesigns(t, &Settings{}, reference, onScreen(a, b, d), alignment)
	row.want(t, map[string]any{"alignment_f1": 1.})
	row = scoreDesigns(t, &Settings{}, onScreen(a, b), onScreen(a, d), alignment)
	row.want(t, map[string]any{"alignment_precision": 0., "alignment_recall": 0., "alignment_f1": 0.})
}

// TestNothingAligned: a design without groups has no precision or no recall; two agree, as a design does with itself.
func TestNothingAligned(t *testing.T) {
	t.Parallel()
	alone := onScreen(page{x: 12, y: 23, w: 10, h: 21})
	row2 := onScreen(page{x: 12, y: 23, w: 10, h: 21}, page{x: 37, y: 23, w: 10, h: 21})
	const reference, generated = "no elements of the reference are aligned", "no elements of the generated design are aligned"
	for _, c := range []struct {
		reference, generated  string
		precision, recall, f1 any
	}{
		{alone, alone, 1., 1., 1.},
		{row2, alone, generated, 0., 0.},
		{alone, row2, 0., reference, 0.},
	} {
		row := scoreDesigns(t, &Settings{}, c.reference, c.generated, alignment)
		row.want(t, map[string]any{"alignment_precision": c.precision, "alignment_recall": c.recall, "alignment_f1": c.f1})
	}
	row := scoreDesigns(t, &Settings{Definition: DefinitionDocumented}, alone, alone, alignment)
	row.want(t, map[string]any{"alignment_precision": 1., "alignment_recall": 1., "alignment_f1": 1.})
}

// TestAlignmentTolerance: what is apart by less than the tolerance is aligned, of the side of the canvas.
func TestAlignmentTolerance(t *testing.T) {
	t.Parallel()
	design := onScreen(page{x: 12, y: 23, w: 10, h: 21}, page{x: 37, y: 26, w: 10, h: 21}) // 3 of 200 pixels
	level := onScreen(page{x: 12, y: 23, w: 10, h: 21}, page{x: 37, y: 23, w: 10, h: 21})
	for tolerance, aligned := range map[float64]bool{0: true, 0.016: true, 0.014: false} {
		row := scoreDesigns(t, &Settings{Layout: LayoutSettings{Tolerance: tolerance}}, level, design, alignment)
		if row.Values["alignment_precision"].Defined() != aligned {
			t.Errorf("tolerance %v: %v", tolerance, row.Values["alignment_precision"])
		}
	}
}
