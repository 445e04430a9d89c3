// Tests of outputs that are inputs.

package samefile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// world makes a folder with a file x, and other ways to it.
func world(t *testing.T) (dir string, ways map[string]string) {
	t.Helper()
	dir = t.TempDir()
	x := filepath.Join(dir, "d", "x")
	err := errors.Join(os.Mkdir(filepath.Join(dir, "d"), 0o777), os.WriteFile(x, []byte("x"), 0o666), os.WriteFile(filepath.Join(dir, "d", "y"), []byte("y"), 0o666),
		os.Link(x, filepath.Join(dir, "hard")))
	if err != nil {
		t.Fatal(err)
	}
	ways = map[string]string{"same": x, "hard link": filepath.Join(dir, "hard"), "spelling": dir + "/d/../d/./x", "slashes": dir + "//d///x"}
	if os.Symlink(x, filepath.Join(dir, "link")) == nil {
		err := errors.Join(os.Symlink("link", filepath.Join(dir, "link2")), os.Symlink("d", filepath.Join(dir, "folder")), os.Symlink("../d", filepath.Join(dir, "d", "self")))
		if err != nil {
			t.Fatal(err)
		}
		ways["link"], ways["link to a link"] = filepath.Join(dir, "link"), filepath.Join(dir, "link2")
		ways["folder by a link"], ways["folder in itself"] = filepath.Join(dir, "folder", "x"), filepath.Join(dir, "d", "self", "self", "x")
	}
	return dir, ways
}

func TestInside(t *testing.T) {
	t.Parallel()
	dir, ways := world(t)
	for name, path := range ways {
		want := "x"
		if name == "hard link" {
			want = ""
		}
		if got, err := Inside(filepath.Join(dir, "d"), path); got != want || err != nil {
			t.Errorf("%s: %q, %v, want %q", name, got, err, want)
		}
	}
	for path, want := range map[string]string{"d": "", "d/new/file": "new/file", "": "", "d..x": ""} {
		if got, err := Inside(filepath.Join(dir, "d"), filepath.Join(dir, path)); filepath.ToSlash(got) != want || err != nil {
			t.Errorf("%s: %q, %v, want %q", path, got, err, want)
		}
	}
}

func TestSet(t *testing.T) {
	t.Parallel()
	dir, ways := world(t)
	for name, path := range ways {
		for other, input := range ways {
			var first, second Set
			if err := first.Input("--in", input); err != nil {
				t.Error(err)
			}
			err := first.Output("--out", path)
			var clash *Clash
			if !errors.As(err, &clash) || *clash != (Clash{Output: "--out", OutputPath: path, Other: "--in", OtherPath: input}) {
				t.Errorf("%s over %s: %v", name, other, err)
			}
			if err := first.Over(path); !errors.As(err, &clash) {
				t.Errorf("%s over %s: %v", name, other, err)
			}
			// The other way round.
			if err := second.Output("--out", path); err != nil {
				t.Error(err)
			}
			if err := second.Input("--in", input); !errors.As(err, &clash) || clash.OutputPath != path {
				t.Errorf("%s over %s, entered first: %v", name, other, err)
			}
			if err := second.Output("--other", input); !errors.As(err, &clash) || !clash.Both {
				t.Errorf("outputs %s and %s: %v", name, other, err)
			}
		}
	}
	var s Set
	for _, path := range []string{"d/y", "d/none", "d", "none/none", "d/x/none"} {
		if err := errors.Join(s.Input("", ways["same"]), s.Output("", filepath.Join(dir, path)), s.Input("", filepath.Join(dir, "none2"))); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// Outputs that are not there yet are one file, too, by whatever way to their folder.
func TestSet_Outputs(t *testing.T) {
	t.Parallel()
	dir, ways := world(t)
	paths := []string{"d/n", "./d/../d/n"}
	if ways["link"] != "" {
		paths = append(paths, "folder/n", "d/self/n", "nowhere")
		if err := os.Symlink(filepath.Join("d", "n"), filepath.Join(dir, "nowhere")); err != nil {
			t.Fatal(err)
		}
	}
	for _, a := range paths {
		for _, b := range paths {
			var s Set
			if err := s.Output("a", dir+"/"+a); err != nil {
				t.Error(err)
			}
			var clash *Clash
			if err := s.Output("b", dir+"/"+b); !errors.As(err, &clash) || !clash.Both {
				t.Errorf("%s and %s: %v", a, b, err)
			}
			if err := s.Output("c", dir+"/d/m"); err != nil {
				t.Error(err)
			}
		}
	}
}
