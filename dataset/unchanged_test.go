// Tests of files that change while they are in use.

package dataset

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
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
