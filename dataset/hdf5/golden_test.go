// Files that h5py wrote, against the values that h5py reads from them.

package hdf5

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/internal/dtype"
	"repscope/internal/readtest"
)

// golden is what values.json says of a dataset.
type golden struct {
	Type       string
	Shape      []int
	SHA256     string
	Texts      []string
	Attributes map[string]any
}

// goldens returns the golden files: those of testdata, or of the folder in HDF5_GOLDEN.
func goldens(t testing.TB) (folder string, files map[string]map[string]golden) {
	t.Helper()
	folder = "testdata"
	if other := os.Getenv("HDF5_GOLDEN"); other != "" {
		folder = other
	}
	data, err := os.ReadFile(filepath.Join(folder, "values.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Files map[string]map[string]golden
	}
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	return folder, all.Files
}

// open opens a file until the test ends.
func open(t testing.TB, path string) *File {
	t.Helper()
	return readtest.Open(t, path, Read)
}

// refused are the datasets that are not read, and the message.
var refused = map[string]string{
	"null": "empty dataset", "szip_like": "compressed by scale-offset", "compound": "a compound of 2 fields", "complex": "compound of 2 fields",
	"long": "floating-point numbers of 80 bits in 16 bytes", "lists": "lists of int32", "virtual": "virtual dataset", "elsewhere": "external files",
}

func TestGolden(t *testing.T) {
	t.Parallel()
	folder, files := goldens(t)
	for name, want := range files {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := open(t, filepath.Join(folder, name))
			entries, err := f.Entries()
			if err != nil {
				t.Fatal(err)
			}
			for path, w := range want {
				i := slices.IndexFunc(entries, func(e Listed) bool { return e.Path == path })
				if i < 0 {
					t.Errorf("%s is not listed", path)
					continue
				}
				if entries[i].Err != nil {
					t.Errorf("%s: %v", path, entries[i].Err)
					continue
				}
				compare(t, f, path, &w)
			}
		})
	}
}

func compare(t *testing.T, f *File, path string, want *golden) {
	t.Helper()
	d, err := f.Dataset("/" + path)
	if err != nil {
		t.Error(err)
		return
	}
	if message := refused[path]; message != "" {
		if err := d.Readable(); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%s: %v, want %q", path, err, message)
		}
		return
	}
	if err := d.Prepare(); err != nil {
		t.Error(err)
		return
	}
	if !slices.Equal(d.Shape, want.Shape) {
		t.Errorf("%s: shape %v, want %v", path, d.Shape, want.Shape)
		return
	}
	if want.Texts != nil {
		if texts, err := d.Texts(); err != nil || !slices.Equal(texts, want.Texts) {
			t.Errorf("%s: %q, %v, want %q", path, texts, err, want.Texts)
		}
		return
	}
	if d.Type.DType.String() != want.Type {
		t.Errorf("%s: type %v, want %s", path, &d.Type, want.Type)
		return
	}
	attributes(t, d, want)
	whole := make([]byte, d.Rows()*d.RowBytes())
	if err := d.Read(whole, 0, d.Rows()); err != nil {
		t.Errorf("%s: %v", path, err)
		return
	}
	pieces(t, d, whole)
	if d.Type.Order == dtype.BigEndian {
		dtype.SwapBytes(whole, d.Type.DType.Size())
	}
	if sum := sha256.Sum256(whole); hex.EncodeToString(sum[:]) != want.SHA256 {
		t.Errorf("%s: other values than h5py reads: %x", path, whole[:min(40, len(whole))])
	}
}

// pieces: ranges of rows in any order are those of the whole.
func pieces(t *testing.T, d *Dataset, whole []byte) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, uint64(len(whole))))
	row := d.RowBytes()
	for range 6 {
		lo := random.IntN(d.Rows() + 1)
		hi := lo + random.IntN(d.Rows()-lo+1)
		part := slices.Repeat([]byte{0xee}, (hi-lo)*row)
		if err := d.Read(part, lo, hi); err != nil || !slices.Equal(part, whole[lo*row:hi*row]) {
			t.Errorf("%s: rows %d to %d: %v, or other values", d.Path, lo, hi, err)
			return
		}
	}
}

func attributes(t *testing.T, d *Dataset, want *golden) {
	t.Helper()
	list, err := d.Attributes()
	if err != nil || len(list) != len(want.Attributes) {
		t.Errorf("%s: %d attributes, %v, want %d", d.Path, len(list), err, len(want.Attributes))
	}
	for i := range list {
		a := &list[i]
		var got any = a.Floats()
		switch {
		case a.Texts != nil && len(a.Shape) == 0:
			got = a.Texts[0]
		case a.Texts != nil:
			got = a.Texts
		case len(a.Shape) == 0:
			got = a.Floats()[0]
		}
		if fmt.Sprint(got) != fmt.Sprint(want.Attributes[a.Name]) {
			t.Errorf("%s: attribute %s is %v, want %v", d.Path, a.Name, got, want.Attributes[a.Name])
		}
	}
}

// Names that lead elsewhere, or nowhere, are listed with the reason.
func TestLinks(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"groups_earliest.h5", "groups_latest.h5"} {
		f := open(t, filepath.Join("testdata", name))
		entries, err := f.Entries()
		if err != nil {
			t.Fatal(err)
		}
		for path, want := range map[string]string{"external": "external link to other.h5:/data", "dangling": `soft link to "/nowhere"`,
			"round": "more than 16 soft links"} {
			i := slices.IndexFunc(entries, func(e Listed) bool { return e.Path == path })
			if i < 0 || entries[i].Err == nil || !strings.Contains(entries[i].Err.Error(), want) {
				t.Errorf("%s: %s is entry %d of %v, want %q", name, path, i, entries, want)
			}
			if _, err := f.Dataset(path); err == nil {
				t.Errorf("%s: %s opens", name, path)
			}
		}
		for _, path := range []string{"soft", "a/relative", "hard", "a/group/c/deep", "a/cycle/cycle/cycle/b/c/deep"} {
			d, err := f.Dataset(path)
			if err != nil || !slices.Equal(d.Shape, []int{3}) {
				t.Errorf("%s: %s: %v", name, path, err)
			}
		}
		for _, path := range []string{"nothing", "a/b/x", "nowhere", ""} {
			if _, err := f.Dataset(path); !errors.Is(err, ErrNotFound) {
				t.Errorf("%s: %q: %v, want ErrNotFound", name, path, err)
			}
		}
	}
}
