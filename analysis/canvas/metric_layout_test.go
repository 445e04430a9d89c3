// Overlaps of layouts by hand, and published rows from their counts.

package canvas

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// TestLayoutByHand: the canvas and one box are the same, one is half of its own, one is no one's, and a line is moved.
func TestLayoutByHand(t *testing.T) {
	t.Parallel()
	reference := onScreen(page{id: "a", w: 20, h: 20}, page{id: "b", x: 40, w: 20, h: 40}, page{id: "c", y: 150, w: 100},
		page{id: "d", x: 80, y: 100, w: 10, h: 10})
	generated := onScreen(page{id: "B", x: 40, w: 20, h: 16}, page{id: "A", w: 20, h: 20}, page{id: "C", x: 20, y: 150, w: 80})
	for definition, want := range map[string]map[string]any{
		DefinitionDefault: {"layout_iou": (1 + 1 + 0.4 + 0.8) / 5, "layout_precision": 3. / 4, "layout_recall": 3. / 5, "layout_f1": 6. / 9,
			"element_ratio": 4. / 5, "element_ratio_symmetric": 4. / 5},
		DefinitionDocumented: {"layout_iou": (1 + 1 + 0.4) / 4, "layout_precision": 1., "layout_recall": 4. / 5, "layout_f1": 8. / 9,
			"element_ratio": 4. / 5, "element_ratio_symmetric": 4. / 5},
		DefinitionPublished: {"layout_iou": 8. / 9, "layout_precision": 1., "layout_recall": 4. / 5, "layout_f1": 8. / 9},
	} {
		row := scoreDesigns(t, &Setting{Definition: definition}, reference, generated, layoutKinds...)
		row.want(t, want)
		matched := map[string]int{DefinitionDefault: 3}[definition]
		if matched == 0 {
			matched = 4
		}
		if row.Details["layout_num_matched"] != matched || row.Details["num_gt"] != 5 || row.Details["num_gen"] != 4 {
			t.Errorf("%s: details %v", definition, row.Details)
		}
	}
	// Swapped, the ratio is above 1, but for the documented one.
	for definition, ratio := range map[string]float64{DefinitionDefault: 5. / 4, DefinitionDocumented: 1} {
		row := scoreDesigns(t, &Setting{Definition: definition}, generated, reference, layoutKinds...)
		row.want(t, map[string]any{"element_ratio": ratio, "element_ratio_symmetric": 4. / 5})
	}
}

// TestLayoutReport: the lists of the report have each element once, and the numbers are those of the row.
func TestLayoutReport(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		for _, definition := range []string{DefinitionDefault, DefinitionDocumented} {
			row := scoreDesigns(t, &Setting{Definition: definition, Reports: true}, drawn(seed, 30), drawn(seed+100, 5+int(seed)*3), layoutOverlap)
			data, err := json.Marshal(row.Reports[layoutReport])
			if err != nil {
				t.Fatal(err)
			}
			var r struct {
				Matched    []struct{ IoU float64 } `json:"matched_pairs"`
				Weak       []struct{ IoU float64 } `json:"weak_pairs"`
				GT         []struct{ ID string }   `json:"unmatched_gt"`
				Gen        []struct{ ID string }   `json:"unmatched_gen"`
				Mean       float64                 `json:"mean_iou"`
				Precision  float64
				Recall     float64
				NumMatched int `json:"num_matched"`
				NumGT      int `json:"num_gt"`
				NumGen     int `json:"num_gen"`
			}
			if err := json.Unmarshal(data, &r); err != nil {
				t.Fatal(err)
			}
			if len(r.Matched) != r.NumMatched || r.NumMatched+len(r.GT) != r.NumGT || r.NumMatched+len(r.Gen) != r.NumGen {
				t.Errorf("%d and %d of %d, %d and %d of %d", len(r.Matched), len(r.GT), r.NumGT, len(r.Matched), len(r.Gen), r.NumGen)
			}
			over, sum := max(r.NumGT, r.NumGen), 0.0
			if definition != DefinitionDefault {
				over = min(r.NumGT, r.NumGen)
			}
			for _, p := range append(r.Matched, r.Weak...) {
				sum += p.IoU
			}
			if math.Abs(sum/float64(over)-r.Mean) > 1e-12 {
				t.Errorf("pairs have the mean %v, not %v", sum/float64(over), r.Mean)
			}
			row.want(t, map[string]any{"layout_iou": r.Mean, "layout_precision": r.Precision, "layout_recall": r.Recall,
				"layout_f1": 2 * float64(r.NumMatched) / float64(r.NumGT+r.NumGen)})
		}
	}
	if row := scoreDesigns(t, &Setting{}, drawn(1, 3), drawn(2, 3), layoutOverlap); len(row.Reports) > 0 {
		t.Error("a report that nobody asked for")
	}
}

// TestTooManyOverlaps: a design whose boxes all overlap has no numbers of pairs, for the reason with the names of
// both files; the case does not fail.
func TestTooManyOverlaps(t *testing.T) {
	t.Parallel()
	below := make([]page, 60)
	for i := range below {
		below[i] = page{w: 10, h: 10}
	}
	row := scoreDesigns(t, &Setting{Layout: LayoutSettings{most: 1000}}, onScreen(below...), onScreen(below...), layoutKinds...)
	const reason = "more than 1000 pairs of boxes overlap, too many to compare"
	row.want(t, map[string]any{"layout_iou": "reference.json and generated.json: " + reason, "overlap_defects": "generated.json: " + reason,
		"overflow_defects": 0., "element_ratio": 1.})
	if len(row.Failures) != 0 {
		t.Errorf("failures %q", row.Failures)
	}
}

// designsOf has as many elements as a published row counts.
func designsOf(n int) string {
	var below []page
	for i := range n - 1 {
		below = append(below, page{x: float64(7 * i % 90), y: float64(11 * i % 180), w: 10, h: 5})
	}
	return onScreen(below...)
}

// TestPublishedCounts holds published rows against designs of as many elements. The rows are not in the repository:
// $REPSCOPE_DATA is the folder that has them.
func TestPublishedCounts(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("REPSCOPE_DATA")
	if folder == "" {
		t.Skip("REPSCOPE_DATA, the folder of canvas/published_results.csv, is not set")
	}
	file, err := os.Open(filepath.Join(folder, "canvas", "published_results.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil || len(lines) < 2 {
		t.Fatal(len(lines), err)
	}
	checked := 0
	for _, line := range lines[1:] {
		at := map[string]float64{}
		for i, name := range lines[0] {
			if v, err := strconv.ParseFloat(line[i], 64); err == nil {
				at[name] = v
			}
		}
		reference, generated := designsOf(int(at["num_gt"])), designsOf(int(at["num_gen"]))
		row := scoreDesigns(t, &Setting{Definition: DefinitionPublished}, reference, generated, elementCount, layoutOverlap)
		for key, name := range map[string]string{"element_ratio": "element_count_ratio", "layout_precision": "precision",
			"layout_recall": "recall"} {
			if want, ok := at[name]; !ok || rounded(row.Values[key].V) != want {
				t.Errorf("%v: %s is %v, want %v", line, name, row.Values[key], want)
			}
			checked++
		}
		// The published F1 is that of the rounded precision and recall, and is rounded again.
		p, r := rounded(row.Values["layout_precision"].V), rounded(row.Values["layout_recall"].V)
		if want := at["layout_overlap"]; rounded(2*p*r/(p+r)) != want || math.Abs(row.Values["layout_iou"].V-want) > 1e-4 {
			t.Errorf("%v: layout_overlap is %v, want %v", line, row.Values["layout_iou"], want)
		}
		for key, name := range map[string]string{"layout_num_matched": "num_matched", "num_gt": "num_gt", "num_gen": "num_gen"} {
			if row.Details[key] != int(at[name]) {
				t.Errorf("%v: %s is %v", line, name, row.Details[key])
			}
		}
	}
	if checked < 4 {
		t.Errorf("%d numbers", checked)
	}
}
