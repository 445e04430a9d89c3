// Tests of files that are made when they are first read.

package screens

import (
	"bytes"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestFilesAreAFileSystem(t *testing.T) {
	t.Parallel()
	f := newFiles()
	made := 0
	f.put("b/c/one.txt", func() []byte { made++; return []byte("one") })
	f.put("b/a", func() []byte { return nil })
	f.put("top", func() []byte { return []byte("top") })
	if err := fstest.TestFS(f, "b/c/one.txt", "b/a", "top"); err != nil {
		t.Error(err)
	}
	if made != 1 {
		t.Errorf("a file was made %d times, want once", made)
	}
	for _, name := range []string{"../top", "b/d", "/top"} {
		if _, err := f.Stat(name); err == nil {
			t.Errorf("%s: want an error", name)
		}
	}
	if _, err := f.ReadFile("b"); err == nil {
		t.Error("a folder was read")
	}
	if _, err := f.ReadDir("top"); err == nil {
		t.Error("a file was listed")
	}
}

// Looking at the tree makes nothing.
func TestStatMakesNothing(t *testing.T) {
	t.Parallel()
	f := newFiles()
	f.put("a", func() []byte { t.Error("made"); return nil })
	info, err := f.Stat("a")
	if err != nil || info.IsDir() || !info.Mode().IsRegular() {
		t.Errorf("%v, %v", info, err)
	}
	if list, err := f.ReadDir("."); err != nil || len(list) != 1 || list[0].Name() != "a" {
		t.Errorf("%v, %v", list, err)
	}
}

// The same seed gives the same bytes, in any order and by any number of goroutines; another
// seed gives others.
func TestSameBytes(t *testing.T) {
	t.Parallel()
	config := Config{Seed: 3, Samples: 2, Scale: 0.25}
	set := func(c Config) *Set {
		s, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	a, b := set(config), set(config)
	config.Seed++
	other := set(config)
	var names []string
	if err := fs.WalkDir(a, ".", func(name string, d fs.DirEntry, err error) error {
		if !d.IsDir() {
			names = append(names, name)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	done := make(chan bool)
	go func() {
		for _, name := range slices.Backward(names) {
			_, _ = b.ReadFile(name)
		}
		close(done)
	}()
	same := 0
	for _, name := range names {
		x, err := a.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := b.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		y, err := io.ReadAll(f)
		if err != nil || !bytes.Equal(x, y) {
			t.Errorf("%s differs (%v)", name, err)
		}
		if z, err := other.ReadFile(name); err == nil && bytes.Equal(x, z) && !strings.HasSuffix(name, "-json-response.json") { // calls may be the same
			same++
		}
	}
	<-done
	if same > 0 {
		t.Errorf("%d of %d files are the same for another seed", same, len(names))
	}
}
