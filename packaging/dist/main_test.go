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
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"repscope/report"
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
// whose files have other times, with other settings of Go.
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
	var made []string
	for name, vcs := range map[string]string{"a": "true", "another name": "false"} {
		clone := filepath.Join(t.TempDir(), name)
		if _, err := output(git, "clone", "--quiet", "--shared", "--depth", "1", "file://"+root, clone); err != nil {
			t.Fatal(err)
		}
		c := exec.Command("go", "run", "./packaging/dist", "--out", "made", "--targets", "linux/amd64", "--version", "1.2.3")
		c.Dir, c.Env = clone, append(os.Environ(), "TZ=Asia/Tokyo", "SOURCE_DATE_EPOCH=", "GOFLAGS=-buildvcs="+vcs)
		if said, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		made = append(made, filepath.Join(clone, "made", "repscope-1.2.3-linux-x86_64.tar.gz"))
	}
	if !bytes.Equal(read(t, made[0]), read(t, made[1])) {
		t.Error("two archives of one commit differ")
	}
	checkArchive(t, made[0], "linux/amd64")
	checkVersion(t, made[0])
}

// checkVersion runs the program of an archive, which is to say the version that it was packed as.
func checkVersion(t *testing.T, archive string) {
	t.Helper()
	if runtime.GOOS+"/"+runtime.GOARCH != "linux/amd64" {
		return
	}
	content := strings.TrimSuffix(unpack(t, archive)["repscope-1.2.3-linux-x86_64/repscope"], " 755")
	program := filepath.Join(t.TempDir(), "repscope")
	if err := os.WriteFile(program, []byte(content), 0o755); err != nil {
		t.Fatal(err)
	}
	said, err := output(program, "--version")
	if err != nil || !strings.HasPrefix(said, "repscope (repscope) 1.2.3 revision ") {
		t.Errorf("--version says %q: %v", said, err)
	}
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
	if !utf8.ValidString(texts) {
		t.Error("the licenses are not UTF-8")
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

// TestLicensesUTF8 joins the texts of what is linked, of which FreeType's is in Latin-1.
func TestLicensesUTF8(t *testing.T) {
	t.Parallel()
	if got, want := asUTF8([]byte("\xa9 2000")), "© 2000"; got != want {
		t.Errorf("Latin-1 became %q, want %q", got, want)
	}
	if got, want := asUTF8([]byte("© 2000")), "© 2000"; got != want {
		t.Errorf("UTF-8 became %q, want %q", got, want)
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

func TestVersions(t *testing.T) {
	t.Parallel()
	for version, good := range map[string]bool{
		"1.0.0": true, "1.0.0+g0123abcd": true, "1.0.0+g0123abcd.dirty": true, "1.0.0+devel": true,
		"v1.0.0": false, "1.0.0-rc1": false, "0123abcd": false, "1.0.0+": false, "1.0.0 ": false,
	} {
		if versions.MatchString(version) != good {
			t.Errorf("%q: want %v", version, good)
		}
	}
	if got := declared(); !versions.MatchString(got) || !strings.HasPrefix(got, report.Version) {
		t.Errorf("these sources are version %q", got)
	}
}
