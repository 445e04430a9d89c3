// Tests of writing whole files.

package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"repscope/internal/folderlock"
)

// content lists the files of a folder as name=content.
func content(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, e.Name()+"="+string(data))
	}
	return names
}

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

func TestWrite(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]Options{"zero": {}, "sync": {Sync: true}, "private": {Mode: 0o600}, "fixed": {Temporary: "fixed.tmp"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "a.json")
			if o.Temporary != "" {
				o.Temporary = filepath.Join(dir, o.Temporary)
				if err := os.WriteFile(o.Temporary, []byte("left by a killed process"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			for _, s := range []string{"first", "", strings.Repeat("long", 1<<16)} {
				if err := Write(path, o, text(s)); err != nil {
					t.Fatal(err)
				}
				if got := content(t, dir); !slices.Equal(got, []string{"a.json=" + s}) {
					t.Fatalf("got %.200q", got)
				}
			}
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if o.Mode != 0 && info.Mode().Perm()&^o.Mode != 0 {
				t.Errorf("mode %v, want %v", info.Mode(), o.Mode)
			}
		})
	}
}

func TestWriteFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "a.json")
	if err := Write(path, Options{}, text("old")); err != nil {
		t.Fatal(err)
	}
	failed := errors.New("failed")
	err := Write(path, Options{Sync: true}, func(w io.Writer) error {
		_, _ = io.WriteString(w, strings.Repeat("half", 1<<16))
		return failed
	})
	if !errors.Is(err, failed) {
		t.Errorf("got %v", err)
	}
	if got := content(t, dir); !slices.Equal(got, []string{"a.json=old"}) {
		t.Errorf("got %.200q", got)
	}
	folder := filepath.Join(dir, "folder")
	if err := os.Mkdir(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{folder, filepath.Join(dir, "missing", "a.json")} {
		if err := Write(target, Options{}, text("new")); err == nil || strings.Contains(err.Error(), ".tmp") {
			t.Errorf("%s: got %v, want an error that does not name the temporary path", target, err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func TestFillFails(t *testing.T) {
	t.Parallel()
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	full := errors.New("no space")
	if err := Fill(f, func(*os.File) error { return full }, text("x")); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
	if err := f.Close(); err == nil {
		t.Error("the file was left open")
	}
}

// A temporary name holds the final name and the mark of a process, and nothing else counts as one.
func FuzzTemporary(f *testing.F) {
	for _, s := range []string{".a.json.0123456789abcdef.tmp", "a.tmp", "..tmp", ".tmp", ".a..tmp", ".a.zz.tmp", "..00000000000000000000000000000000000000000000.tmp"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		final, mark, ok := parse(name)
		if ok != IsTemporary(name) {
			t.Errorf("%q: %v", name, ok)
		}
		if ok && (final == "" || !strings.HasPrefix(name, "."+final+".") || !strings.HasSuffix(name, mark+".tmp")) {
			t.Errorf("%q is %q of %q", name, final, mark)
		}
	})
}

func TestTemporaryFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the variable has another name")
	}
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	_, err := TemporaryFolder("x-")
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "none: no such file or directory; set TMPDIR") {
		t.Errorf("error %v", err)
	}
}

// A temporary folder of a process that has ended is removed with the next one of its prefix; other folders stay.
func TestTemporaryFolder_Abandoned(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	ended := exec.Command(os.Args[0], "-test.run=^$")
	if err := ended.Start(); err != nil {
		t.Fatal(err)
	}
	pid := uint32(ended.Process.Pid)
	if err := ended.Wait(); err != nil {
		t.Fatal(err)
	}
	mark := folderlock.Mark()
	gone := mark[:8] + fmt.Sprintf("%08x", pid) + mark[16:]
	if !folderlock.Gone(gone) {
		t.Skip("this system does not say which processes run")
	}
	stay := []string{"repscope-x-" + mark + "-1", "repscope-y-" + gone + "-1", "repscope-x-1", "repscope-x-" + gone}
	for _, name := range append(slices.Clone(stay), "repscope-x-"+gone+"-1") {
		if err := os.MkdirAll(filepath.Join(dir, name, "results"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	folder, err := TemporaryFolder("repscope-x-")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	want := append(stay, filepath.Base(folder))
	slices.Sort(want)
	if !slices.Equal(names, want) {
		t.Errorf("the folders are %v, want %v", names, want)
	}
}
