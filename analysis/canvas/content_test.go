// Texts of small designs: which belong together, and what they score.

package canvas

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"repscope/analysis/canvas/internal/casetest"
	"repscope/analysis/canvas/internal/design"
	"repscope/dataset/casefile"
	"repscope/internal/runtest"
)

// contentKinds are those of texts, colors and hierarchies.
func contentKinds() []Kind { return []Kind{blocks, contrast, hierarchy} }

// contentPair is a case of two designs by their files.
func contentPair(t testing.TB, o Setting, reference, generated string) *Pair {
	t.Helper()
	o.Layout.Tolerance = AlignmentTolerance
	read := func(path string) ([]byte, error) { return []byte(path), nil } // a path is its file
	c := &Case{Reference: Side{Design: reference}, Generated: Side{Design: generated}}
	return NewPair(t.Context(), c, &o, read, design.NewView(c.Reference, "reference", read))
}

// scoredContent scores two designs.
func scoredContent(t testing.TB, o Setting, reference, generated string) *Row {
	t.Helper()
	row, err := scoreKinds(t.Context(), contentKinds(), contentPair(t, o, reference, generated))
	if err != nil || row.Failures != nil {
		t.Fatal(row.Failures, err)
	}
	return row
}

// wantValues compares numbers of a row; NaN is null.
func wantValues(t testing.TB, row *Row, want map[string]float64) {
	t.Helper()
	for _, key := range slices.Sorted(maps.Keys(want)) {
		v, there := row.Values[key]
		if !there || v.Defined() == math.IsNaN(want[key]) || v.Defined() && math.Abs(v.V-want[key]) > 1e-12 || !v.Defined() && v.Reason == "" {
			t.Errorf("%s: %v %q, want %v", key, v.V, v.Reason, want[key])
		}
	}
}

// perfect are the scores of a design with texts beside itself.
func perfect() map[string]float64 {
	return map[string]float64{
		"block_match": 1, "text_similarity": 1, "text_f1": 1, "text_cer": 0, "position_similarity": 1, "color_difference": 0, "color_similarity": 1,
		"contrast_pass_difference": 0, "tree_edit_similarity": 1, "tree_bleu": 1, "tree_depth_difference": 0, "reading_order_tau": 1, "text_order_tau": 1,
	}
}

func TestContentOfItself(t *testing.T) {
	t.Parallel()
	for _, o := range []ContentSettings{{}, {TextSimilarity: BlockSimilarity}} {
		row := scoredContent(t, Setting{Content: o}, casetest.Form, casetest.Form)
		wantValues(t, row, perfect())
		if row.Details["text_blocks_matched"] != 5 || row.Details["text_colors_unknown"] != 0 || row.Details["contrast_unknown"] != 0 {
			t.Errorf("%v", row.Details)
		}
	}
}

// TestContentOfSamples reads designs that are not in the repository: $REPSCOPE_DATA is the folder that has them.
func TestContentOfSamples(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("REPSCOPE_DATA")
	files, _ := filepath.Glob(filepath.Join(folder, "canvas", "*.json"))
	if folder == "" || len(files) < 2 {
		t.Skip("REPSCOPE_DATA, the folder of canvas/macbook.json, is not set")
	}
	var designs []string
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		designs = append(designs, string(data))
		wantValues(t, scoredContent(t, Setting{}, string(data), string(data)), perfect())
	}
	// One design at several widths has the same texts, hierarchy and colors, at other places.
	row := scoredContent(t, Setting{}, designs[0], designs[1])
	wantValues(t, row, map[string]float64{"block_match": 1, "text_similarity": 1, "text_f1": 1, "color_difference": 0, "tree_edit_similarity": 1})
	if v := row.Values["position_similarity"].V; !(v > 0.5 && v < 1) {
		t.Errorf("positions are similar by %v", v)
	}
}

// TestContentOfDrawn: any design is perfect beside itself, or has no number; beside another it is in range.
func TestContentOfDrawn(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		a, b := drawLayout(rt), drawLayout(rt)
		own := scoredLayouts(t, a, a)
		for key, want := range perfect() {
			if v, there := own.Values[key]; !there || v.Defined() && math.Abs(v.V-want) > 1e-12 || !v.Defined() && v.Reason == "" {
				rt.Errorf("%s: %v %q, want %v", key, v.V, v.Reason, want)
			}
		}
		for side, row := range []*Row{scoredLayouts(t, a, b), scoredLayouts(t, b, a)} {
			for _, kind := range contentKinds() {
				for _, key := range kind.Keys {
					v, there := row.Values[key.Name]
					if !there || v.Defined() && (key.Low != key.High && (v.V < key.Low || v.V > key.High) || v.V < 0 && key.Low >= 0) {
						rt.Errorf("%d: %s: %v", side, key.Name, v)
					}
				}
			}
		}
	})
}

func drawLayout(t *rapid.T) *design.Layout {
	l, err := design.NewLayout("drawn", casetest.DrawDesign(func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "choice") }), design.LayoutOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// scoredLayouts scores two designs that are read.
func scoredLayouts(t testing.TB, reference, generated *design.Layout) *Row {
	t.Helper()
	p := contentPair(t, Setting{}, "", "")
	p.Reference, p.Generated = design.ViewOf(reference), design.ViewOf(generated)
	row, err := scoreKinds(t.Context(), contentKinds(), p)
	if err != nil || row.Failures != nil {
		t.Fatal(row.Failures, err)
	}
	return row
}

// TestTexts is computed by hand.
func TestTexts(t *testing.T) {
	t.Parallel()
	reference := casetest.Design(
		casetest.Text("Sign in", 10, 10, 40, 10, "#000000"),                  // area 0.04
		casetest.Text("Forgot your password?", 10, 50, 50, 10, "#ff0000"),    // 0.05, matched with none
		casetest.Text("Terms\u00a0 and\nconditions", 10, 80, 20, 5, "IMAGE"), // 0.01
	)
	generated := casetest.Design(
		casetest.Text("Sign up", 20, 15, 40, 10, "#ffffff"),             // 0.04, two letters of seven differ
		casetest.Text("Terms and conditions", 10, 80, 20, 5, "#000000"), // 0.01
		casetest.Text("About", 0, 0, 10, 10, "#00ff00"),                 // 0.01
	)
	row := scoredContent(t, Setting{}, reference, generated)
	wantValues(t, row, map[string]float64{
		"block_match":         0.10 / 0.16,
		"text_similarity":     (5./7 + 1) / 2,
		"text_f1":             2 * 4. / (8 + 6),
		"text_cer":            (2 + 21 + 5.) / (7 + 21 + 20),
		"position_similarity": (0.9 + 1) / 2,
		"color_difference":    100,
		"color_similarity":    0,
	})
	if row.Details["text_colors_unknown"] != 1 || row.Details["text_blocks_matched"] != 2 {
		t.Errorf("%v", row.Details)
	}
	back := scoredContent(t, Setting{}, generated, reference)
	for _, key := range []string{"block_match", "text_similarity", "text_f1", "position_similarity", "color_difference", "color_similarity"} {
		wantValues(t, back, map[string]float64{key: row.Values[key].V})
	}
}

func TestNoTexts(t *testing.T) {
	t.Parallel()
	null := math.NaN()
	none, one, image := casetest.Design(), casetest.Design(casetest.Text("One", 0, 0, 10, 10, "#000000")), casetest.Design(casetest.Text("One", 0, 0, 10, 10, "IMAGE"))
	wantValues(t, scoredContent(t, Setting{}, none, none), map[string]float64{"block_match": null, "text_f1": null, "contrast_min": null, "tree_bleu": 1})
	wantValues(t, scoredContent(t, Setting{}, one, none), map[string]float64{"block_match": 0, "text_f1": 0, "text_cer": 1, "text_similarity": null,
		"position_similarity": null, "color_difference": null, "contrast_min": null, "contrast_pass_difference": null})
	wantValues(t, scoredContent(t, Setting{}, none, one), map[string]float64{"block_match": 0, "text_f1": 0, "text_cer": null, "contrast_min": 21,
		"contrast_pass_aa": 1, "contrast_pass_difference": null, "tree_bleu": null, "reading_order_tau": null, "text_order_tau": null})
	wantValues(t, scoredContent(t, Setting{}, image, image), map[string]float64{"block_match": 1, "color_difference": null, "color_similarity": null, "contrast_min": null})
	flat := casetest.Design(casetest.Text("One", 0, 0, 10, 0, "#000000"))
	wantValues(t, scoredContent(t, Setting{}, flat, flat), map[string]float64{"block_match": null, "text_similarity": 1})
}

// TestTextsOfOneKind: of texts that say the same each is matched with the nearest.
func TestTextsOfOneKind(t *testing.T) {
	t.Parallel()
	at := func(places ...float64) string {
		var texts []string
		for _, y := range places {
			texts = append(texts, casetest.Text("Buy", 10, y, 20, 5, "#000000"))
		}
		return casetest.Design(texts...)
	}
	row := scoredContent(t, Setting{}, at(10, 30, 50), at(51, 11, 31))
	wantValues(t, row, map[string]float64{"position_similarity": 0.99, "text_order_tau": 1})
}

// TestJoinedTexts: what is one text in one design and several siblings in the other is matched as a whole.
func TestJoinedTexts(t *testing.T) {
	t.Parallel()
	whole := casetest.Text("The quick brown fox jumps over the lazy dog", 10, 10, 60, 10, "#000000")
	parts := []string{
		casetest.Text("The quick", 10, 10, 15, 10, "#000000"), casetest.Text("brown fox", 25, 10, 15, 10, "#000000"),
		casetest.Text("jumps over", 40, 10, 15, 10, "#000000"), casetest.Text("the lazy dog", 55, 10, 15, 10, "#000000"),
	}
	more := []string{casetest.Text("Another text", 10, 50, 60, 10, "#000000"), casetest.Text("Still another", 10, 70, 60, 10, "#000000")}
	one, split := casetest.Design(append(more, whole)...), casetest.Design(append(parts, more...)...)
	want := map[string]float64{"block_match": 1, "text_similarity": 1, "text_f1": 1, "text_cer": 0, "position_similarity": 1, "color_difference": 0}
	for _, o := range []ContentSettings{{}, {TextSimilarity: BlockSimilarity}} {
		wantValues(t, scoredContent(t, Setting{Content: o}, one, split), want)
		wantValues(t, scoredContent(t, Setting{Content: o}, split, one), want)
		wantValues(t, scoredContent(t, Setting{Content: o}, split, split), want)
	}
	// Parts below other nodes are no siblings.
	apart := casetest.Design(append([]string{casetest.Frame(0, 0, 100, 100, "", parts[:2]...), casetest.Frame(0, 0, 100, 100, "", parts[2:]...)}, more...)...)
	if v := scoredContent(t, Setting{}, one, apart).Values["block_match"].V; v >= 1 {
		t.Errorf("texts of two frames are joined: %v", v)
	}
	// A text in two words without a space between, as a price with its currency.
	wantValues(t, scoredContent(t, Setting{}, casetest.Design(casetest.Text("$19", 0, 0, 30, 10, "#000000")),
		casetest.Design(casetest.Text("$", 0, 0, 10, 10, "#000000"), casetest.Text("19", 10, 0, 20, 10, "#000000"))), map[string]float64{"block_match": 1, "text_similarity": 1, "position_similarity": 1})
}

// TestManyTexts: more texts than can be compared are a reason, not a wait.
func TestManyTexts(t *testing.T) {
	runtest.Long(t, "it runs the whole example")
	t.Parallel()
	d := &casefile.Design{Nodes: []casefile.Node{{Type: "FRAME", Parent: -1, Shown: true, Opacity: 1, Bounds: &casefile.Bounds{Width: 10, Height: 10}}}}
	for i := range 3000 {
		d.Nodes = append(d.Nodes, casefile.Node{Type: "TEXT", Depth: 1, Shown: true, Opacity: 1, Bounds: &casefile.Bounds{Width: 5, Height: 5}, Characters: fmt.Sprint(i)})
	}
	l, err := design.NewLayout("many", d, design.LayoutOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if v := scoredLayouts(t, l, l).Values["block_match"]; !strings.Contains(v.Reason, "too many to compare") {
		t.Errorf("%v", v)
	}
}

// randomDesign is a design of n nodes, of which half are texts, in frames of up to 8 levels.
func randomDesign(rng *rand.Rand, n int) *casefile.Design {
	words := strings.Fields("create account password email sign in up settings profile search home cart order the quick brown fox total price")
	d := &casefile.Design{Nodes: []casefile.Node{{Type: "FRAME", Parent: -1, Bounds: &casefile.Bounds{Width: 375, Height: 812}}}}
	open := []int{0} // the frames from the root to the last one
	for i := 1; i < n; i++ {
		for len(open) > 8 || len(open) > 1 && rng.IntN(4) == 0 {
			open = open[:len(open)-1]
		}
		node := casefile.Node{Type: "FRAME", Parent: open[len(open)-1], Depth: len(open),
			Bounds: &casefile.Bounds{X: 300 * rng.Float64(), Y: 700 * rng.Float64(), Width: 5 + 100*rng.Float64(), Height: 5 + 50*rng.Float64()}}
		if rng.IntN(2) == 0 {
			node.Type = "TEXT"
			for range 1 + rng.IntN(8) {
				node.Characters += words[rng.IntN(len(words))] + " "
			}
		} else {
			open = append(open, i)
		}
		d.Nodes = append(d.Nodes, node)
	}
	for i := range d.Nodes {
		n := &d.Nodes[i]
		n.Shown, n.Opacity = true, 1
		n.Fills = []casefile.Paint{{Type: "SOLID", Visible: true, Opacity: 1, Color: [4]float64{rng.Float64(), rng.Float64(), rng.Float64(), 1}}}
	}
	return d
}

func BenchmarkContent(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1000, 5000} {
		var both [2]*design.Layout
		for i := range both {
			l, err := design.NewLayout("random", randomDesign(rng, n), design.LayoutOptions{})
			if err != nil {
				b.Fatal(err)
			}
			both[i] = l
		}
		for _, kind := range contentKinds() {
			b.Run(fmt.Sprintf("%s/%d", kind.Name, n), func(b *testing.B) {
				for b.Loop() {
					p := contentPair(b, Setting{}, "", "")
					p.Reference = design.ViewOf(both[0])
					p.Generated = design.ViewOf(both[1])
					if row, err := scoreKinds(b.Context(), []Kind{kind}, p); err != nil || row.Failures != nil {
						b.Fatal(row, err)
					}
				}
			})
		}
	}
}
