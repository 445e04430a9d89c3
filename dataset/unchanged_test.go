// Tests of files that change while they are in use.

package dataset

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"repscope/dataset/parquet/parquettest"
	"repscope/dataset/zarr/zarrtest"
	"repscope/internal/samefile"
)

// A file that is written to, or replaced, after it was opened is an error of its digest, which would be of other values
// than what was read; a mapping goes on with the file that was replaced.
func TestUnchanged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	values := make([]float32, 40)
	for name, write := range map[string]func(path string) error{
		"z.npy": func(path string) error { return WriteNPY(path, []int{20, 2}, values) },
		"z.npz": func(path string) error { return WriteNPZ(path, Field{Name: "z", Shape: []int{20, 2}, Data: values}) },
		"z.csv": func(path string) error {
			return os.WriteFile(path, []byte("a,b\n"+strings.Repeat("1.5,2\n", 20)), 0o600)
		},
	} {
		path := filepath.Join(dir, name)
		key := map[string]string{"z.csv": ":*"}[name]
		for way, change := range map[string]func() error{
			"nothing": func() error { return nil },
			"written": func() error { return os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour)) },
			"cut":     func() error { return os.Truncate(path, 100) },
			"replaced": func() error {
				if err := write(path + ".new"); err != nil {
					return err
				}
				return os.Rename(path+".new", path)
			},
		} {
			if err := write(path); err != nil {
				t.Fatal(err)
			}
			a, err := Open(path + key)
			if err != nil {
				t.Fatal(err)
			}
			if err := change(); err != nil {
				t.Fatal(err)
			}
			want := way == "written" || way == "cut" || way == "replaced" && name == "z.csv"
			_, digesting := a.SHA256()
			for _, err := range []error{a.Unchanged(), digesting} {
				if (err != nil) != want || want && !strings.Contains(err.Error(), name+": changed while it was in use") {
					t.Errorf("%s is %s: %v", name, way, err)
				}
			}
			if err := a.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// severalFiles writes arrays that lie in several files: what opens them, and the files of the array.
func severalFiles(t *testing.T, dir string) map[string]struct {
	spec  string
	files []string
} {
	t.Helper()
	type kind = struct {
		spec  string
		files []string
	}
	below := func(name, key string) kind {
		folder := filepath.Join(dir, name)
		return kind{folder + key, samefile.Below(folder)}
	}
	frames := Field{Shape: []int{4, 5, 6}, Data: make([]uint8, 4*5*6)}
	for _, folder := range []string{"images", "episodes/a", "episodes/b"} {
		path := filepath.Join(dir, folder)
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if _, err := writeImages(path, frames); err != nil {
			t.Fatal(err)
		}
	}
	raw := make([]byte, 20*8)
	store := zarrtest.Files(zarrtest.Array{Path: "z", Type: "float32", Shape: []int{20, 2}, Rows: 5, Raw: raw})
	if err := zarrtest.Folder(filepath.Join(dir, "store.zarr"), store); err != nil {
		t.Fatal(err)
	}
	table := parquettest.File(20, parquettest.Leaf{Name: "z", Kind: parquettest.Float, Shape: []int{20, 2}, Raw: raw})
	if err := os.Mkdir(filepath.Join(dir, "tables"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"tables/a.parquet", "tables/b.parquet", "one.parquet"} {
		if err := os.WriteFile(filepath.Join(dir, name), table, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	one, shard0, shard1 := filepath.Join(dir, "one.tar"), filepath.Join(dir, "s0.tar"), filepath.Join(dir, "s1.tar")
	for i, path := range []string{one, shard0, shard1} {
		writeSamples(t, path, sampleOf(t, i)...)
	}
	return map[string]kind{
		"images": below("images", ""), "episodes": below("episodes", ""),
		"store": {filepath.Join(dir, "store.zarr") + ":z", samefile.Below(filepath.Join(dir, "store.zarr/z"))},
		"table": below("one.parquet", ":z"), "tables": below("tables", ":z"),
		"archive": below("one.tar", ":npy"), "shards": {filepath.Join(dir, "s{0..1}.tar:npy"), []string{shard0, shard1}},
	}
}

// A change of any of the files of an array is an error that names the file; so is an image or a chunk more.
func TestUnchanged_Several(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"nothing", "written", "cut", "replaced", "removed", "added"} {
		for name, kind := range severalFiles(t, t.TempDir()) {
			last := kind.files[len(kind.files)-1]
			change := map[string]func() error{
				"nothing": func() error { return nil },
				"written": func() error { return os.Chtimes(last, time.Time{}, time.Now().Add(time.Hour)) },
				"cut":     func() error { return os.Truncate(last, 30) },
				"replaced": func() error {
					content, err := os.ReadFile(last)
					if err != nil {
						return err
					}
					return errors.Join(os.WriteFile(last+".new", content, 0o600), os.Rename(last+".new", last))
				},
				"removed": func() error { return os.Remove(last) },
				"added": func() error {
					content, err := os.ReadFile(last)
					return errors.Join(err, os.WriteFile(filepath.Join(filepath.Dir(last), "z"+filepath.Ext(last)), content, 0o600))
				},
			}[way]
			r, err := OpenRecording(kind.spec, ImageOptions{})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if err := change(); err != nil {
				t.Fatal(err)
			}
			_, digesting := r.Frames.SHA256()
			listed := name == "images" || name == "episodes" || name == "store"
			want := way != "nothing" && (way != "added" || listed)
			for _, err := range []error{r.Unchanged(), digesting} {
				if (err != nil) != want || want && !strings.Contains(err.Error(), "changed while it was in use") ||
					want && way != "added" && !strings.Contains(err.Error(), last) {
					t.Errorf("%s, %s %s: %v", name, last, way, err)
				}
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
