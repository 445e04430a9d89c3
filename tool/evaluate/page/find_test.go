// Results found in folders.

package page

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/report"
)

// TestFind_EmptyFolder: what other folders hold is there, and an empty one is named. Names of models
// that look like steps, runs or files are rows of their own.
func TestFind_EmptyFolder(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	empty, full := filepath.Join(root, "empty"), filepath.Join(root, "full", "first")
	for _, folder := range []string{empty, full} {
		if err := os.MkdirAll(folder, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	names := []string{"resnet/18", "resnet/34", "clip@224", "clip@336px", "a.json", "x_mqc", "b*", "c?"}
	r := report.NewResult("first")
	r.Describe(report.Described{Name: "score", Better: report.Higher})
	for i, name := range names {
		var m report.Object
		m.Set("score", report.Number(float64(i)))
		r.Models.Set(name, m)
	}
	f, err := os.Create(filepath.Join(full, "first.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Write(f); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	sections, skipped, err := Find([]string{empty, filepath.Dir(full)})
	if err != nil || len(sections) != 1 || !slices.Equal(skipped, []string{empty + ": there are no result files in it"}) {
		t.Fatalf("%v, %d sections, skipped %q", err, len(sections), skipped)
	}
	tables, err := Tables(sections)
	if err != nil || !slices.Equal(tables[0].Models, names) {
		t.Errorf("%v: rows %q", err, tables[0].Models)
	}
	files, err := (&Page{Sections: sections, Tables: tables}).MultiQC()
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, of := range files {
		data, _ := of.Content.Get("data")
		rows := data.(report.Object)
		if !slices.Equal(rows.Keys(), names) {
			t.Errorf("%s: rows %q", of.Name, strings.Join(rows.Keys(), " "))
		}
	}
}
