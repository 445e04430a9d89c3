// Alignment of designs by hand.

package canvas

import (
	"encoding/json"
	"math/rand/v2"
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
	row := scoreDesigns(t, &Setting{Reports: true}, reference, generated, alignment)
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
	row = scoreDesigns(t, &Setting{}, reference, onScreen(a, b, d), alignment)
	row.want(t, map[string]any{"alignment_f1": 1.})
	row = scoreDesigns(t, &Setting{}, onScreen(a, b), onScreen(a, d), alignment)
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
		row := scoreDesigns(t, &Setting{}, c.reference, c.generated, alignment)
		row.want(t, map[string]any{"alignment_precision": c.precision, "alignment_recall": c.recall, "alignment_f1": c.f1})
	}
	row := scoreDesigns(t, &Setting{Definition: DefinitionDocumented}, alone, alone, alignment)
	row.want(t, map[string]any{"alignment_precision": 1., "alignment_recall": 1., "alignment_f1": 1.})
}

// TestAlignmentTolerance: what is apart by less than the tolerance is aligned, of the side of the canvas.
func TestAlignmentTolerance(t *testing.T) {
	t.Parallel()
	design := onScreen(page{x: 12, y: 23, w: 10, h: 21}, page{x: 37, y: 26, w: 10, h: 21}) // 3 of 200 pixels
	level := onScreen(page{x: 12, y: 23, w: 10, h: 21}, page{x: 37, y: 23, w: 10, h: 21})
	for tolerance, aligned := range map[float64]bool{0: true, 0.016: true, 0.014: false} {
		row := scoreDesigns(t, &Setting{Layout: LayoutSettings{Tolerance: tolerance}}, level, design, alignment)
		if row.Values["alignment_precision"].Defined() != aligned {
			t.Errorf("tolerance %v: %v", tolerance, row.Values["alignment_precision"])
		}
	}
}

// randomPage is a screen of 1440 × 900 pixels with so many rectangles anywhere.
func randomPage(seed uint64, n int) string {
	rng := rand.New(rand.NewPCG(seed, 7))
	var below []page
	for range n {
		w, h := float64(10+rng.IntN(200)), float64(10+rng.IntN(120))
		below = append(below, page{x: float64(rng.IntN(1440 - int(w))), y: float64(rng.IntN(900 - int(h))), w: w, h: h})
	}
	return jsonOf(page{id: "0", kind: "FRAME", w: 1440, h: 900, below: below})
}

// TestUnrelatedAlignment: two designs that were drawn independently share next to no groups, however many elements they
// have, and each shares all with itself.
func TestUnrelatedAlignment(t *testing.T) {
	t.Parallel()
	for _, n := range []int{20, 50, 100, 200, 400, 700, 1000} {
		a, b := randomPage(1, n), randomPage(2, n)
		if v := scoreDesigns(t, &Setting{}, a, b, alignment).Values["alignment_f1"]; !(v.V <= 0.1) {
			t.Errorf("%d elements: F1 %v of unrelated designs, want at most 0.1", n, v.V)
		}
		scoreDesigns(t, &Setting{}, a, a, alignment).want(t, map[string]any{"alignment_f1": 1.})
	}
}

// tablePage is a table of 50 rows and 7 columns at steps of 18 pixels, 2 % of the screen's height, with every cell
// moved up or down by at most so much.
func tablePage(scatter float64) string {
	rng := rand.New(rand.NewPCG(3, 7))
	var below []page
	for row := range 50 {
		for column := range 7 {
			y := float64(18*row) + scatter*(2*rng.Float64()-1)
			below = append(below, page{x: float64(40 + 200*column), y: y, w: 160, h: 14})
		}
	}
	return jsonOf(page{id: "0", kind: "FRAME", w: 1440, h: 900, below: below})
}

// TestScatteredTable: columns are 7 groups of each of 3 lines, rows 26 of 3 with the sides of the canvas. When
// nothing of the rows stays, at most the columns are found, and a few groups by chance.
func TestScatteredTable(t *testing.T) {
	t.Parallel()
	row := scoreDesigns(t, &Setting{}, tablePage(0), tablePage(200), alignment)
	if v := row.Values["alignment_recall"]; !(v.V <= 22./97+1e-12) {
		t.Errorf("recall %v of a table without its rows, want at most 22 of 97 groups", v.V)
	}
	scoreDesigns(t, &Setting{}, tablePage(0), tablePage(0), alignment).want(t, map[string]any{"alignment_f1": 1.})
}
