// The document that the command writes: every section and room has its place in it, with tables.

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// document is the page that the tables stand in.
const document = "../calibration.md"

// Every section has tables, and says the command that wrote them.
func TestSectionsOfDocument(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range sections() {
		at := ofSection(part.name)
		_, rest, found := strings.Cut(string(text), at.begin)
		tables, _, closed := strings.Cut(rest, at.end)
		if !found || !closed || !strings.Contains(tables, "\n| --- |") || !strings.HasPrefix(tables, "\n`go run ./docs/calibration -"+part.name+" -draws ") {
			t.Errorf("section %s: want its command and tables between %q and %q", part.name, at.begin, at.end)
		}
	}
	for _, room := range rooms() {
		if at := ofRoom(room.Name); strings.Count(string(text), at.begin) != 1 {
			t.Errorf("room %s: want one heading %q", room.Name, at.begin)
		}
	}
	if strings.Contains(string(text), "SENTENCES") {
		t.Error("a section has no sentences")
	}
}

// The tables of one room take the place of its own alone.
func TestReplaceRoom(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "page.md")
	page := "text\n" + ofSection("tables").begin + "\n### one\n\nold\n\n### two\n\nkept\n" + ofSection("tables").end
	if err := os.WriteFile(path, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := replace(path, ofRoom("one"), "\nnew\n\n"); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if want := strings.Replace(page, "old", "new", 1); err != nil || string(got) != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	if err := replace(path, ofRoom("three"), ""); err == nil || !strings.Contains(err.Error(), "### three") {
		t.Errorf("error %v", err)
	}
}
