// Tests that the list agrees with the folders of the mains, and that every command
// can be started.

package suite

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/internal/run"
)

// Every entry has a folder with a main, and every main an entry.
func TestMains(t *testing.T) {
	t.Parallel()
	mains, err := filepath.Glob("../cmd/*/main.go")
	if err != nil || len(mains) == 0 {
		t.Fatalf("%d mains, %v", len(mains), err)
	}
	var folders, names []string
	names = append(names, "repscope") // which holds all
	for _, path := range mains {
		folders = append(folders, filepath.Base(filepath.Dir(path)))
	}
	for _, e := range All() {
		names = append(names, e.Name)
	}
	slices.Sort(names)
	if !slices.Equal(folders, names) {
		t.Errorf("folders of cmd %v, entries %v", folders, names)
	}
}

// A main names its room and package run, and nothing else of ours.
func TestMainsAreShort(t *testing.T) {
	t.Parallel()
	for _, e := range All() {
		source, err := os.ReadFile(filepath.Join("../cmd", e.Name, "main.go"))
		if err != nil {
			t.Fatal(err)
		}
		room := "tool"
		if e.Analysis {
			room = "analysis"
		}
		want := 2
		if e.Name == "evaluate" || e.Name == "scale" || e.Name == "validate" {
			want = 3 // package suite too
		}
		own := `"repscope/` + room + "/" + e.Name
		named := strings.Contains(string(source), own+`"`) || strings.Contains(string(source), own+`/command"`)
		if n := strings.Count(string(source), `"repscope/`); n != want || !named {
			t.Errorf("%s: %d imports of ours, want %s/%s and internal/run", e.Name, n, room, e.Name)
		}
		if n := strings.Count(string(source), "\n"); n > 15 {
			t.Errorf("%s: %d lines", e.Name, n)
		}
	}
}

func TestCommands(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, c := range Commands() {
		if seen[c.Name] || c.Name == "" || c.Summary == "" || c.Manual == "" || c.Out == "" {
			t.Errorf("%+v: a field is empty or the name appears twice", c)
		}
		seen[c.Name] = true
		var stdout, stderr bytes.Buffer
		if code := run.Run(t.Context(), c, []string{"--help"}, &stdout, &stderr); code != 0 || !strings.Contains(stdout.String(), c.Summary) {
			t.Errorf("%s --help: exit %d, %s", c.Name, code, stderr.String())
		}
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	if e, ok := Find("encode"); !ok || e.Name != "encode" || e.Analysis {
		t.Errorf("encode: %+v, %v, want a tool", e.Command.Name, ok)
	}
	if e, ok := Find("geometry"); !ok || !e.Analysis {
		t.Errorf("geometry: %v, want an analysis", ok)
	}
	if _, ok := Find("geometri"); ok {
		t.Error("found what is not there")
	}
}
