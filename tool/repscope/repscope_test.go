// What a call of the program means, and what it says of itself.

package repscope

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/internal/option"
	"repscope/internal/run"
)

// commands are two small ones.
func commands() []run.Command {
	job := func(f *run.Flags) run.Job {
		metric, k := "euclidean", []int{5, 10}
		f.Declare(option.Of(option.Func(func(l *option.List) {
			option.Choice(l, &metric, "metric", []string{"euclidean", "cosine"}, "`NAME` of the distance")
			l.Ints(&k, "k", "`LIST` of sizes: 'quoted' [in brackets]")
			l.Bool(new(bool), "fast", "in a hurry")
		})))
		return run.Job{Run: func(context.Context, *run.Env) error { return nil }}
	}
	return []run.Command{
		{Name: "walk", Summary: "a slow way", Manual: "Walk goes.\n\n  walk --fast\n\n.Not a request …", Setup: job},
		{Name: "ride", Summary: "a fast way", Arguments: "FILES…", Setup: job},
	}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ argv, name, args string }{
		{"walk --fast", "walk", "--fast"},
		{"/usr/bin/ride a b", "ride", "a b"},
		{"ride.exe a", "ride", "a"},
		{"repscope walk --k 3", "walk", "--k 3"},
		{"/opt/repscope ride", "ride", ""},
		{"repscope help ride", "ride", "--help"},
		{"walk ride", "walk", "ride"},
		{"repscope", "", ""}, {"repscope fly", "", ""}, {"repscope --help", "", ""}, {"repscope help", "", ""},
	} {
		chosen, args, ok := Choose(commands(), strings.Fields(c.argv))
		if chosen.Name != c.name || ok != (c.name != "") || strings.Join(args, " ") != c.args {
			t.Errorf("%s: %q %q %v, want %q %q", c.argv, chosen.Name, args, ok, c.name, c.args)
		}
	}
	if _, _, ok := Choose(commands(), nil); ok {
		t.Error("a call without a name means a command")
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args        string
		code        int
		out, stderr string
	}{
		{"help", 0, "walk  a slow way", ""},
		{"--help", 0, "completion SHELL", ""},
		{"", 2, "walk  a slow way", "repscope: want the name of a binary"},
		{"wlk", 2, "", "hint: did you mean walk?"},
		{"help wlk", 2, "", "hint: did you mean walk?"},
		{"zzzzzzz", 2, "", `hint: "repscope help" lists all binaries`},
		{"--version", 0, "repscope (repscope) ", ""},
		{"--version --json", 0, `"name": "repscope"`, ""},
		{"links", 2, "", "want one folder"},
		{"links --help", 0, "repscope links DIR", ""},
		{"help links", 0, "repscope links DIR", ""},
		{"help help", 2, "", "there is no binary"},
		{"completion", 2, "", "bash, zsh or fish"},
		{"completion csh", 2, "", "bash, zsh or fish"},
		{"man", 2, "", "want a binary"},
		{"man fly", 2, "", "there is no binary"},
		{"man repscope", 0, ".TH REPSCOPE 1", ""},
		{"describe fly", 2, "", "there is no binary"},
		{"describe --schema", 0, `"$id": "urn:repscope:schema:result:1"`, ""},
		{"describe walk --schema", 0, `"const": "walk"`, ""},
		{"describe --schema fly", 2, "", "there is no binary"},
		{"describe walk walk --schema", 2, "", "want one name"},
	} {
		var out, stderr bytes.Buffer
		code := Run(commands(), strings.Fields(c.args), &out, &stderr)
		if code != c.code || !strings.Contains(out.String(), c.out) || !strings.Contains(stderr.String(), c.stderr) || (c.stderr == "") != (stderr.Len() == 0) {
			t.Errorf("%q: status %d, %q, %q", c.args, code, out.String(), stderr.String())
		}
	}
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	var out, stderr bytes.Buffer
	if code := Run(commands(), []string{"describe"}, &out, &stderr); code != 0 {
		t.Fatal(stderr.String())
	}
	var all struct{ Binaries []run.Description }
	if err := json.Unmarshal(out.Bytes(), &all); err != nil {
		t.Fatal(err)
	}
	if len(all.Binaries) != 2 || all.Binaries[1].Arguments != "FILES…" {
		t.Fatalf("%+v", all)
	}
	got := map[string]run.FlagInfo{}
	for _, f := range all.Binaries[0].Flags {
		got[f.Name] = f
	}
	if f := got["metric"]; f.Type != "text" || !slices.Equal(f.Choices, []string{"euclidean", "cosine"}) || f.Default != "euclidean" || f.Placeholder != "NAME" || f.Group != "walk" {
		t.Errorf("%+v", f)
	}
	for name, kind := range map[string]string{"k": "ints", "fast": "bool", "out": "path", "seed": "int", "memory": "size", "format": "texts"} {
		if got[name].Type != kind {
			t.Errorf("--%s is of type %q, want %q", name, got[name].Type, kind)
		}
	}
}

func TestLinks(t *testing.T) {
	t.Parallel()
	folder, program := filepath.Join(t.TempDir(), "a", "bin"), filepath.Join(t.TempDir(), "repscope")
	if err := os.WriteFile(program, []byte("program"), 0o755); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for range 2 { // a second time they are replaced
		if err := linkAll(program, folder, []string{"walk", "ride"}, &out); err != nil {
			t.Fatal(err)
		}
	}
	content, err := os.ReadFile(filepath.Join(folder, "ride"))
	if err != nil || string(content) != "program" {
		t.Errorf("%q, %v", content, err)
	}
	entries, _ := os.ReadDir(folder)
	if len(entries) != 2 {
		t.Errorf("%d files in the folder, want 2", len(entries))
	}
	// A copy of another version is replaced, as it is where there are no links.
	if err := os.WriteFile(filepath.Join(folder, "older"), []byte("older program with "+mark), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := linkAll(program, folder, []string{"older"}, &out); err != nil {
		t.Fatal(err)
	}
	if content, err := os.ReadFile(filepath.Join(folder, "older")); err != nil || string(content) != "program" {
		t.Errorf("%q, %v", content, err)
	}
	// Links next to the program survive a move of both.
	home, moved := filepath.Join(t.TempDir(), "home"), filepath.Join(t.TempDir(), "moved")
	if err := errors.Join(os.Mkdir(home, 0o755), os.WriteFile(filepath.Join(home, "repscope"), []byte("program"), 0o755)); err != nil {
		t.Fatal(err)
	}
	if err := linkAll(filepath.Join(home, "repscope"), home, []string{"walk"}, &out); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(home, moved); err != nil {
		t.Fatal(err)
	}
	if content, err := os.ReadFile(filepath.Join(moved, "walk")); err != nil || string(content) != "program" {
		t.Errorf("after a move: %q, %v", content, err)
	}
	// A folder that nothing can be made in.
	if err := linkAll(program, filepath.Join(program, "bin"), []string{"walk"}, &out); err == nil || !strings.Contains(err.Error(), "not a directory") {
		t.Errorf("a file for a folder: %v", err)
	}
	for name, make := range map[string]func(path string) error{
		"exists and is not a link": func(path string) error { return os.WriteFile(path, []byte("another program"), 0o755) },
		"is a link to":             func(path string) error { return os.Symlink("/bin/sh", path) },
		"fly exists":               func(path string) error { return os.Mkdir(path, 0o755) },
	} {
		path := filepath.Join(folder, "fly")
		if err := make(path); err != nil {
			t.Fatal(err)
		}
		if err := linkAll(program, folder, []string{"swim", "fly"}, &out); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want %q", err, name)
		}
		if _, err := os.Lstat(filepath.Join(folder, "swim")); err == nil {
			t.Error("one link was made where another could not be")
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}
