// The table of what designs score that have nothing to do with their reference.

package command

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"repscope/analysis/canvas"
	"repscope/analysis/canvas/internal/source"
	"repscope/internal/example/screens"
	"repscope/stat"
)

var updateRanges = flag.Bool("ranges", false, "write the table of docs/analyses/canvas-scores.md of what unrelated designs score")

// rangesDocument is the document of the table, which stands between two lines.
const (
	rangesDocument = "../../../docs/analyses/canvas-scores.md"
	rangesBegin    = "<!-- ranges: written by the command above -->\n"
	rangesEnd      = "<!-- end of ranges -->\n"
)

// blank are files of an empty white screen.
func blank(t *testing.T) map[string][]byte {
	t.Helper()
	white := image.NewNRGBA(image.Rect(0, 0, screens.Width/2, screens.Height/2))
	draw.Draw(white, white.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	var out bytes.Buffer
	if err := png.Encode(&out, white); err != nil {
		t.Fatal(err)
	}
	design := fmt.Sprintf(`{"document":{"id":"1","name":"empty","type":"FRAME","absoluteBoundingBox":{"x":0,"y":0,"width":%d,"height":%d}}}`,
		screens.Width, screens.Height)
	return map[string][]byte{"blank.png": out.Bytes(), "blank.json": []byte(design)}
}

// rangeCases hold every reference of the example against those of other samples, of the same kind
// of app or of another, and against an empty white screen.
func rangeCases(set *screens.Set) []source.Case {
	var out []source.Case
	add := func(model string, gid string, generated source.Side, saliency, trace string) {
		reference := set.Reference(gid)
		out = append(out, source.Case{ID: fmt.Sprintf("%s-%d", model, len(out)), Sample: gid, Model: model, Variant: fmt.Sprint(len(out)), Snapshot: -1,
			Reference: source.Side{Image: reference + ".png", Design: reference + ".json"}, Generated: generated,
			ExpectedTrace: reference + "-json-response.json", Trace: trace,
			ReferenceSaliency: reference + "-saliency.png", GeneratedSaliency: saliency, Fixations: reference + "-fixations.csv"})
	}
	kind := func(gid string) string { kind, _, _ := strings.Cut(gid, "-"); return kind }
	for _, gid := range set.Samples() {
		for _, other := range set.Samples() {
			model := "other app"
			if kind(gid) == kind(other) {
				model = "same kind of app"
			}
			if gid == other {
				model = "itself"
			}
			of := set.Reference(other)
			add(model, gid, source.Side{Image: of + ".png", Design: of + ".json"}, of+"-saliency.png", of+"-json-response.json")
		}
		add("empty", gid, source.Side{Image: "blank.png", Design: "blank.json"}, "", "")
	}
	return out
}

// rangesTable computes the table.
func rangesTable(t *testing.T) string {
	t.Helper()
	set, empty := screens.Example(), blank(t)
	in := canvas.Input{Cases: rangeCases(set), Read: func(path string) ([]byte, error) {
		if data, ok := empty[path]; ok {
			return data, nil
		}
		return set.ReadFile(path)
	}}
	s := &canvas.Setting{Definition: canvas.DefinitionDefault}
	s.Layout.Tolerance = canvas.AlignmentTolerance
	if _, err := s.Saliency.Open(in.Cases, in.Read, 0, 0); err != nil {
		t.Fatal(err)
	}
	r, err := canvas.Analyze(t.Context(), in, canvas.Options{Setting: s, Kinds: canvas.Usual()})
	if err != nil {
		t.Fatal(err)
	}
	columns := []string{"itself", "same kind of app", "other app", "empty"}
	var b strings.Builder
	b.WriteString("| score | better | itself | another screen of the same kind of app | a screen of another app | an empty white screen |\n" +
		"| --- | --- | --- | --- | --- | --- |\n")
	for _, key := range canvas.ComparedKeys(canvas.Usual()) {
		cells := make([]string, len(columns))
		some := false
		for i, model := range columns {
			m := &r.Models[slices.IndexFunc(r.Models, func(m canvas.ModelResult) bool { return m.Name == model })]
			var values []float64
			for _, row := range m.Rows {
				if v := r.Rows[row].Row.Values[key.Name]; v.Defined() {
					values = append(values, v.V)
				}
			}
			cells[i] = rangeCell(t, values, m.Number(key.Name))
			some = some || len(values) > 0
		}
		if some {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", key.Name, key.Better(), strings.Join(cells, " | "))
		}
	}
	return b.String()
}

// rangeCell is a mean with what 90 in 100 pairs have.
func rangeCell(t *testing.T, values []float64, n *canvas.Number) string {
	t.Helper()
	if len(values) == 0 {
		reason := n.Why()
		if reason != "identical" {
			reason = "null"
		}
		return reason
	}
	q, err := stat.Quantiles(values, 0.05, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	text := func(v float64) string {
		if math.Abs(v) < 0.0005 {
			v = 0
		}
		return strings.Replace(fmt.Sprintf("%.3g", v), "-", "−", 1)
	}
	if low, high := text(q[0]), text(q[1]); low != high {
		return fmt.Sprintf("%s (%s to %s)", text(stat.Mean(values)), low, high)
	}
	return text(stat.Mean(values))
}

// The table of the document has a row for every number by which models are compared that the
// example has inputs for. It is computed anew with -ranges alone, since that takes long.
func TestRanges(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(rangesDocument)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), rangesBegin)
	table, after, closed := strings.Cut(rest, rangesEnd)
	if !found || !closed {
		t.Fatalf("%s: want the lines %q and %q around the table", rangesDocument, rangesBegin, rangesEnd)
	}
	if *updateRanges {
		table = "\n" + rangesTable(t) + "\n"
		if err := os.WriteFile(rangesDocument, []byte(before+rangesBegin+table+rangesEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range mainNames {
		if !strings.Contains(table, "`"+name+"`") && name != "semantic_match" && name != "visual_completeness" {
			t.Errorf("%s: %s is not in the table; write it with -ranges", rangesDocument, name)
		}
	}
}
