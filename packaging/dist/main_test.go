// Archives: equal inputs, equal bytes; what is in them opens and is whole.

package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var reproducible = flag.Bool("reproducible", false, "make the archive of the commit twice and compare")

// TestPack packs files in two orders, at two times, and reads the archives.
func TestPack(t *testing.T) {
	t.Parallel()
	files := []file{{"b/text.txt", []byte("text"), 0o644}, {"a", []byte("program"), 0o755}}
	moment := time.Unix(1700000000, 0).UTC()
	want := map[string]string{"top/a": "program 755", "top/b/text.txt": "text 644"}
	for name, write := range map[string]func(io.Writer, []file, time.Time) error{"x.tar.gz": writeTar, "x.zip": writeZip} {
		first, err := pack(filepath.Join(t.TempDir(), name), "top", files, moment, write)
		if err != nil {
			t.Fatal(err)
		}
		slices.Reverse(files)
		second, err := pack(filepath.Join(t.TempDir(), name), "top", files, moment, write)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(read(t, first), read(t, second)) {
			t.Errorf("%s: two archives of equal files differ", name)
		}
		got := unpack(t, first)
		if len(got) != len(want) {
			t.Errorf("%s holds %v", name, got)
		}
		for path, text := range want {
			if got[path] != text {
				t.Errorf("%s: %s is %q, want %q", name, path, got[path], text)
			}
		}
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// unpack is what an archive holds: contents and permissions by name.
func unpack(t *testing.T, path string) map[string]string {
	t.Helper()
	found := map[string]string{}
	enter := func(name string, mode int64, r io.Reader) {
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		found[name] = string(content) + map[int64]string{0o644: " 644", 0o755: " 755"}[mode]
	}
	content := read(t, path)
	if strings.HasSuffix(path, ".zip") || strings.HasSuffix(path, ".whl") {
		z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range z.File {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			enter(f.Name, int64(f.Mode().Perm()), r)
		}
		return found
	}
	g, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(g); ; {
		head, err := r.Next()
		if err == io.EOF {
			return found
		}
		if err != nil {
			t.Fatal(err)
		}
		enter(head.Name, head.Mode, r)
	}
}

// TestReproducible makes the archive of this system's commit twice, in clones in two folders
// whose files have other times.
func TestReproducible(t *testing.T) {
	if !*reproducible {
		t.Skip("builds the program twice, which takes minutes: -reproducible")
	}
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed; nothing is cloned")
	}
	root, err := output(git, "rev-parse", "--show-toplevel")
	if err != nil {
		t.Skip("not a repository of git; nothing is cloned")
	}
	var archives []string
	for _, name := range []string{"a", "another name"} {
		clone := filepath.Join(t.TempDir(), name)
		if _, err := output(git, "clone", "--quiet", "--shared", "--depth", "1", "file://"+root, clone); err != nil {
			t.Fatal(err)
		}
		c := exec.Command("go", "run", "./packaging/dist", "--out", "made", "--targets", "linux/amd64", "--version", "1.2.3")
		c.Dir, c.Env = clone, append(os.Environ(), "TZ=Asia/Tokyo", "SOURCE_DATE_EPOCH=")
		if said, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		archives = append(archives, filepath.Join(clone, "made", "repscope-1.2.3-linux-x86_64.tar.gz"))
	}
	if !bytes.Equal(read(t, archives[0]), read(t, archives[1])) {
		t.Error("two archives of one commit differ")
	}
	files := unpack(t, archives[0])
	top := "repscope-1.2.3-linux-x86_64/"
	for _, name := range []string{"README.md", "LICENSE", "THIRD_PARTY_LICENSES", "sbom.cdx.json",
		"completions/repscope.bash", "completions/_repscope", "completions/repscope.fish", "man/man1/repscope.1", "man/man1/neighborhood.1"} {
		if len(files[top+name]) < 100 || !strings.HasSuffix(files[top+name], " 644") {
			t.Errorf("%s: %d bytes", name, len(files[top+name]))
		}
	}
	if !strings.HasPrefix(files[top+"repscope"], "\x7fELF") || !strings.HasSuffix(files[top+"repscope"], " 755") {
		t.Error("the program is no program")
	}
	checkBill(t, strings.TrimSuffix(files[top+"sbom.cdx.json"], " 644"), files[top+"THIRD_PARTY_LICENSES"])
}

// checkBill reads the bill of materials: every part has a license, whose text is beside it.
func checkBill(t *testing.T, bill, texts string) {
	t.Helper()
	var read struct {
		BomFormat, SpecVersion string
		Components             []struct {
			Name, Version string
			Licenses      []struct{ License struct{ ID string } }
		}
	}
	if err := json.Unmarshal([]byte(bill), &read); err != nil || read.BomFormat != "CycloneDX" {
		t.Fatalf("%v, %q", err, read.BomFormat)
	}
	if len(read.Components) < 10 {
		t.Errorf("%d components", len(read.Components))
	}
	for _, c := range read.Components {
		if len(c.Licenses) == 0 || c.Version == "" {
			t.Errorf("%s %s has %d licenses", c.Name, c.Version, len(c.Licenses))
		}
		if c.Name != "std" && !strings.Contains(texts, "==== "+c.Name+" ") {
			t.Errorf("the license of %s is not there", c.Name)
		}
	}
}

func TestColdFlags(t *testing.T) {
	t.Parallel()
	flags, err := coldFlags("../cold.txt")
	if err != nil {
		t.Fatal(err)
	}
	wrong := func(f string) bool { return !strings.HasPrefix(f, "-gcflags=") || !strings.HasSuffix(f, "=-l") }
	if len(flags) < 5 || slices.ContainsFunc(flags, wrong) {
		t.Errorf("%q", flags)
	}
	if _, err := coldFlags("absent.txt"); err == nil {
		t.Error("a list that is absent is read")
	}
}

func TestLicenseID(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{"../../LICENSE": "Apache-2.0", "../../internal/typeface/LICENSE-SIL": "OFL-1.1"} {
		if got := licenseID(string(read(t, path))); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	if got := licenseID("all rights reserved"); got != "" {
		t.Errorf("%q", got)
	}
}
