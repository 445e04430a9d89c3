// Files that pyarrow wrote, against the values that pyarrow reads from them.

package parquet

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/internal/mmap"
	"repscope/internal/readtest"
)

// golden is what values.json says of a file.
type golden struct {
	Rows    int
	Columns map[string]goldenColumn
}

type goldenColumn struct {
	Type, SHA256, Error string
	Shape               []int
}

// goldens returns the golden files: those of testdata, or of the folder in PARQUET_GOLDEN.
func goldens(t testing.TB) (folder string, files map[string]golden) {
	t.Helper()
	folder = "testdata"
	if other := os.Getenv("PARQUET_GOLDEN"); other != "" {
		folder = other
	}
	data, err := os.ReadFile(filepath.Join(folder, "values.json"))
	if err == nil {
		err = json.Unmarshal(data, &files)
	}
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	return folder, files
}

// open opens a file until the test ends.
func open(t testing.TB, path string) *File {
	t.Helper()
	return readtest.Open(t, path, func(file *mmap.File) (*File, error) { return Read(file) })
}

func TestGolden(t *testing.T) {
	t.Parallel()
	folder, files := goldens(t)
	for name, want := range files {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := open(t, filepath.Join(folder, name))
			if f.Rows != want.Rows || len(f.Columns) != len(want.Columns) {
				t.Errorf("%d rows, %d columns, want %d and %d", f.Rows, len(f.Columns), want.Rows, len(want.Columns))
			}
			for name, w := range want.Columns {
				if c := f.Column(name); c == nil {
					t.Errorf("no column %s", name)
				} else {
					compare(t, c, &w)
				}
			}
		})
	}
}

// compare reads a column at once and in parts.
func compare(t *testing.T, c *Leaf, want *goldenColumn) {
	t.Helper()
	digest, err := digestOf(c, c.Rows)
	if want.Error != "" {
		if want.Error != "no rows" && (err == nil || !strings.Contains(err.Error(), want.Error)) {
			t.Errorf("%s: %v, want %q", c.Name, err, want.Error)
		}
		return
	}
	if err != nil {
		t.Errorf("%s: %v", c.Name, err)
		return
	}
	if c.Type() != want.Type || !slices.Equal(c.Shape, want.Shape) {
		t.Errorf("%s: %s %v, want %s %v", c.Name, c.Type(), c.Shape, want.Type, want.Shape)
	}
	if digest != want.SHA256 {
		t.Errorf("%s: other values", c.Name)
	}
	if again, err := digestOf(c, 7); c.Rows <= 200 && (err != nil || again != digest) {
		t.Errorf("%s: other values in parts, %v", c.Name, err)
	}
}

// digestOf is the digest of the values, read by some rows at a time.
func digestOf(c *Leaf, step int) (string, error) {
	h := sha256.New()
	if err := c.Prepare(); err != nil {
		return "", err
	}
	for lo := 0; lo < c.Rows; lo += step {
		hi := min(lo+step, c.Rows)
		if !c.Text {
			raw := make([]byte, (hi-lo)*c.RowBytes())
			if err := c.Read(raw, lo, hi); err != nil {
				return "", err
			}
			h.Write(raw)
			continue
		}
		list, err := c.Bytes(lo, hi)
		if err != nil {
			return "", err
		}
		for _, b := range list {
			if b == nil {
				h.Write([]byte{0})
				continue
			}
			h.Write(append(binary.LittleEndian.AppendUint32([]byte{1}, uint32(len(b))), b...))
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
