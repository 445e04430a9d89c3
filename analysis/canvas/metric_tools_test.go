// Tools that were called, by hand and in published rows.

package canvas

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"testing"

	"repscope/analysis/canvas/internal/design"
)

// toolRow scores the calls of a trace; a path is its file.
func toolRow(t *testing.T, trace, expected string) *Row {
	t.Helper()
	read := func(path string) ([]byte, error) { return []byte(path), nil }
	c := &Case{Trace: trace, ExpectedTrace: expected}
	row, err := scoreKinds(t.Context(), []Kind{tools, toolAccuracy}, NewPair(t.Context(), c, &Setting{}, read, design.NewView(c.Reference, "reference", read)))
	if err != nil {
		t.Fatal(err)
	}
	return row
}

// calls is a trace of tools, of so many steps.
func calls(steps int, names ...string) string {
	messages := ""
	for i, name := range names {
		if i > 0 {
			messages += ","
		}
		messages += fmt.Sprintf(`{"role": "tool", "name": %q}`, name)
	}
	return fmt.Sprintf(`{"step_count": %d, "messages": [%s]}`, steps, messages)
}

func TestTools(t *testing.T) {
	t.Parallel()
	null := math.NaN()
	row := toolRow(t, calls(14, "frame", "text", "text", "fill", "text"), calls(3, "frame", "text", "fill", "image"))
	wantValues(t, row, map[string]float64{"tool_steps": 14, "tool_calls": 5, "tool_unique": 3, "tool_efficiency": 0.0435, "tool_call_ratio": 1.25,
		"tool_lcs_f1": 6. / 9, "tool_precision": 1, "tool_recall": 0.75, "tool_jaccard": 0.75, "tool_edit_distance": 2. / 5})
	if !reflect.DeepEqual(row.Details["tool_unique_list"], []string{"fill", "frame", "text"}) ||
		!reflect.DeepEqual(row.Details["tool_repeats"], map[string]int{"frame": 1, "fill": 1, "text": 3}) {
		t.Errorf("%v", row.Details)
	}
	same := calls(3, "a", "b", "a")
	wantValues(t, toolRow(t, same, same), map[string]float64{"tool_call_ratio": 1, "tool_lcs_f1": 1, "tool_precision": 1, "tool_recall": 1, "tool_jaccard": 1, "tool_edit_distance": 0})
	none := calls(0)
	wantValues(t, toolRow(t, none, none), map[string]float64{"tool_calls": 0, "tool_unique": 0, "tool_efficiency": 1, "tool_call_ratio": null, "tool_lcs_f1": 1,
		"tool_precision": 1, "tool_recall": 1, "tool_jaccard": 1, "tool_edit_distance": 0})
	wantValues(t, toolRow(t, none, same), map[string]float64{"tool_call_ratio": 0, "tool_lcs_f1": 0, "tool_precision": null, "tool_recall": 0, "tool_jaccard": 0, "tool_edit_distance": 1})
	wantValues(t, toolRow(t, same, none), map[string]float64{"tool_call_ratio": null, "tool_lcs_f1": 0, "tool_precision": 0, "tool_recall": null, "tool_jaccard": 0, "tool_edit_distance": 1})
}

func TestMissingTraces(t *testing.T) {
	t.Parallel()
	null := math.NaN()
	row := toolRow(t, calls(2, "a"), "")
	wantValues(t, row, map[string]float64{"tool_steps": 2, "tool_efficiency": 0.2, "tool_call_ratio": null, "tool_lcs_f1": null, "tool_edit_distance": null})
	if row.Failures != nil || row.Values["tool_lcs_f1"].Reason != "no expected trace is given" {
		t.Errorf("%v, %v", row.Failures, row.Values)
	}
	row = toolRow(t, `{"messages": [{"role": "tool", "name": "a"}]}`, "")
	wantValues(t, row, map[string]float64{"tool_steps": null, "tool_calls": 1, "tool_unique": 1, "tool_efficiency": null})
	row = toolRow(t, "", calls(1, "a"))
	wantValues(t, row, map[string]float64{"tool_steps": null, "tool_calls": null, "tool_lcs_f1": null})
	if row = toolRow(t, `{"messages": 3`, ""); len(row.Failures) != 1 {
		t.Errorf("%v", row.Failures)
	}
}

// TestStepTraces: what tools returned in the steps on the way is a part of the trace, and the steps are counted where
// the response does not say how many there were.
func TestStepTraces(t *testing.T) {
	t.Parallel()
	read := func(path string) ([]byte, error) { return []byte(path), nil }
	first, second := `{"toolResults": [{"name": "a"}]}`, `{"toolResults": [{"name": "b"}, {"name": "a"}]}`
	null := math.NaN()
	for _, test := range []struct {
		c    Case
		want map[string]float64
	}{
		{Case{Snapshot: -1, StepTraces: []string{first, second}},
			map[string]float64{"tool_steps": 2, "tool_calls": 3, "tool_unique": 2, "tool_efficiency": 0.125}},
		{Case{Snapshot: -1, Trace: calls(7, "a", "b"), StepTraces: []string{first, second}},
			map[string]float64{"tool_steps": 7, "tool_calls": 3, "tool_unique": 2, "tool_efficiency": 0.0769}},
		{Case{Snapshot: 0, StepTraces: []string{first}}, map[string]float64{"tool_steps": null, "tool_calls": 1, "tool_efficiency": null}},
		{Case{Snapshot: -1, Trace: `{"step_count": 3}`}, map[string]float64{"tool_steps": 3, "tool_calls": null, "tool_efficiency": null}},
		{Case{Snapshot: -1, Trace: `{"step_count": 3, "tool_calls": [{"name": "a"}, {"name": "b"}]}`},
			map[string]float64{"tool_steps": 3, "tool_calls": 2, "tool_unique": 2, "tool_efficiency": 0.125}},
		{Case{Snapshot: -1, Trace: `{"messages": [], "executed": [{"name": "a"}]}`}, map[string]float64{"tool_calls": null, "tool_efficiency": null}},
	} {
		row, err := scoreKinds(t.Context(), []Kind{tools}, NewPair(t.Context(), &test.c, &Setting{}, read, design.NewView(Side{}, "reference", read)))
		if err != nil {
			t.Fatal(err)
		}
		wantValues(t, row, test.want)
	}
}

// TestRounded: as Python rounds what lies between two.
func TestRounded(t *testing.T) {
	t.Parallel()
	for n, want := range map[float64]float64{32: 0.0312, 160: 0.0063, 39: 0.0256, 1: 1} {
		if got := rounded(1 / n); got != want {
			t.Errorf("1/%v: %v, want %v", n, got, want)
		}
	}
}

// TestPublishedRows recomputes what published rows hold from their counts. They are not in the repository:
// $REPSCOPE_DATA is the folder that has them.
func TestPublishedRows(t *testing.T) {
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
	for _, line := range lines[1:] {
		at := map[string]float64{}
		for i, name := range lines[0] {
			if v, err := strconv.ParseFloat(line[i], 64); err == nil {
				at[name] = v
			}
		}
		_, steps := at["tool_step_count"]
		efficiency, known := at["tool_efficiency"]
		if got := rounded(1 / (at["tool_step_count"] + at["tool_call_count"] + at["unique_tool_count"] + 1)); known != steps || known && got != efficiency {
			t.Errorf("%v: efficiency %v, want %v", line, got, efficiency)
		}
		row := NewRow()
		for key, name := range map[string]string{"element_ratio": "element_count_ratio", "layout_iou": "layout_overlap", "alignment_f1": "alignment_f1"} {
			row.Set(key, at[name])
		}
		row.mean("struct_completeness", structParts(&Setting{Definition: DefinitionPublished}))
		if got := row.Values["struct_completeness"].V; math.Abs(got-at["struct_completeness"]) > 6e-4 {
			t.Errorf("%v: structure %v, want %v", line, got, at["struct_completeness"])
		}
	}
}
