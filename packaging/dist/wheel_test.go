// Wheels of a small package with a file in the place of the program.

package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestTargetsHaveTags(t *testing.T) {
	t.Parallel()
	for _, target := range targets {
		if len(tags[target]) == 0 {
			t.Errorf("%s has no tag", target)
		}
	}
	if got, want := wheelName("1.0", "linux/amd64"), "repscope-1.0-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64.whl"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if text := wheelText("linux/amd64"); strings.Count(text, "\nTag: py3-none-") != 3 || !strings.HasSuffix(text, "Tag: py3-none-musllinux_1_1_x86_64\n") {
		t.Errorf("WHEEL:\n%s", text)
	}
}

func packageFolder(t *testing.T, more map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	all := map[string]string{
		"METADATA": "Metadata-Version: 2.4\nName: repscope\nSummary: s\n", "README.md": "# page\n",
		"repscope/__init__.py": "", "repscope/_version.py": "VERSION = \"1.0.0\"\n", "repscope/py.typed": "", "repscope/__pycache__/x.pyc": "x",
	}
	for name, text := range more {
		all[name] = text
	}
	writeAll(t, folder, all, 0o644)
	return folder
}

// writeAll writes texts by their names, with slashes, into a folder.
func writeAll(t *testing.T, folder string, texts map[string]string, mode os.FileMode) {
	t.Helper()
	for name, text := range texts {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPackageFiles(t *testing.T) {
	t.Parallel()
	files, err := packageFiles(packageFolder(t, nil), "1.2")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, f.name)
		if f.name == "repscope/_version.py" && string(f.content) != "VERSION = \"1.2\"\n" {
			t.Errorf("version %q", f.content)
		}
	}
	if want := []string{"repscope/__init__.py", "repscope/_version.py", "repscope/py.typed"}; !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
	for name, text := range map[string]string{"repscope/notes.txt": "n", "repscope/_version.py": "x = 1\n"} {
		if _, err := packageFiles(packageFolder(t, map[string]string{name: text}), "1.2"); err == nil {
			t.Errorf("%s with %q is packed", name, text)
		}
	}
}

func TestMetadata(t *testing.T) {
	t.Parallel()
	got, err := metadataOf(packageFolder(t, nil), "1.2")
	if want := "Metadata-Version: 2.4\nName: repscope\nVersion: 1.2\nSummary: s\n\n# page\n"; err != nil || string(got) != want {
		t.Errorf("%v: %q, want %q", err, got, want)
	}
	if _, err := metadataOf(packageFolder(t, map[string]string{"METADATA": "Summary: s\n"}), "1.2"); err == nil {
		t.Error("metadata without a name")
	}
}

// A wheel is the same bytes again, its list has the digest of every file, and its program may
// be run.
func TestWheelFile(t *testing.T) {
	t.Parallel()
	files := []file{{"repscope/__init__.py", []byte("x = 1\n"), 0o644}, {"repscope-1.data/scripts/repscope", []byte("\x7fELF"), 0o755}}
	files = append(files, file{"repscope-1.dist-info/RECORD", record(files, "repscope-1.dist-info/RECORD"), 0o644})
	moment := time.Unix(1700000000, 0).UTC()
	var first, second bytes.Buffer
	for _, b := range []*bytes.Buffer{&first, &second} {
		if err := writeZip(b, files, moment); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("other bytes the second time")
	}
	z, err := zip.NewReader(bytes.NewReader(first.Bytes()), int64(first.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if mode := z.File[1].Mode(); mode.Perm() != 0o755 || !mode.IsRegular() {
		t.Errorf("the program has mode %v", mode)
	}
	if !z.File[0].Modified.Equal(moment) {
		t.Errorf("time %v, want %v", z.File[0].Modified, moment)
	}
	list, err := z.Open("repscope-1.dist-info/RECORD")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(list)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte("x = 1\n"))
	if want := "repscope/__init__.py,sha256=" + base64.RawURLEncoding.EncodeToString(sum[:]) + ",6\n"; !strings.HasPrefix(string(text), want) {
		t.Errorf("RECORD:\n%swant %s", text, want)
	}
	if !strings.HasSuffix(string(text), "\nrepscope-1.dist-info/RECORD,,\n") {
		t.Errorf("RECORD ends\n%s", text)
	}
}
