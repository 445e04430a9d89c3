// Tests of PyTorch files against what PyTorch says they hold, of refused and of truncated ones.

package torchfile

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/internal/dtype"
	"repscope/internal/pickle"
	"repscope/internal/readtest"
)

// compare checks a value against its description in expected.json.
func compare(t *testing.T, path string, got any, want json.RawMessage) {
	t.Helper()
	switch got := got.(type) {
	case *Tensor:
		var d struct {
			DType string
			Shape []int
			Data  []float64
		}
		if err := json.Unmarshal(want, &d); err != nil {
			t.Fatalf("%s: a tensor, want %s", path, want)
		}
		if got.DType.String() != d.DType || fmt.Sprint(got.Shape) != fmt.Sprint(d.Shape) {
			t.Errorf("%s: %v %v, want %v %v", path, got.DType, got.Shape, d.DType, d.Shape)
		}
		data, err := got.Float64()
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if len(data) != len(d.Data) {
			t.Fatalf("%s: %d values, want %d", path, len(data), len(d.Data))
		}
		single, err := got.Float32()
		if err := got.Verify(); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for i, v := range data {
			if v != d.Data[i] || single[i] != float32(d.Data[i]) {
				t.Errorf("%s[%d] = %v, %v, want %v", path, i, v, single[i], d.Data[i])
			}
		}
		// Rows read one at a time are the rows of the whole.
		if len(got.Shape) > 0 && got.Len() > 0 {
			var rows, whole []byte
			for i := range got.Shape[0] {
				if err := got.Use(i, i+1, func(raw []byte) error { rows = append(rows, raw...); return nil }); err != nil {
					t.Fatalf("%s: row %d: %v", path, i, err)
				}
			}
			if err := got.Use(0, got.Shape[0], func(raw []byte) error { whole = append(whole, raw...); return nil }); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(rows, whole) {
				t.Errorf("%s: rows differ from the whole", path)
			}
		}
	case *Dict:
		var items [][2]json.RawMessage
		if err := json.Unmarshal(want, &items); err != nil {
			t.Fatalf("%s: a dict, want %s", path, want)
		}
		if got.Len() != len(items) {
			t.Errorf("%s: %d items, want %d", path, got.Len(), len(items))
		}
		i := 0
		for k, v := range got.Items() {
			var name string
			if err := json.Unmarshal(items[i][0], &name); err != nil || fmt.Sprint(k) != name {
				t.Errorf("%s: key %d is %v, want %s", path, i, k, items[i][0])
			}
			compare(t, path+"."+name, v, items[i][1])
			i++
		}
	case []any:
		var d struct{ List []json.RawMessage }
		if err := json.Unmarshal(want, &d); err != nil || len(d.List) != len(got) {
			t.Fatalf("%s: a list of %d, want %s", path, len(got), want)
		}
		for i, v := range got {
			compare(t, fmt.Sprintf("%s[%d]", path, i), v, d.List[i])
		}
	case pickle.Long:
		if got.String() != string(want) {
			t.Errorf("%s = %v, want %s", path, got, want)
		}
	default:
		a, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		var x, y any
		if json.Unmarshal(a, &x) != nil || json.Unmarshal(want, &y) != nil || x != y {
			t.Errorf("%s = %s, want %s", path, a, want)
		}
	}
}

// expectedValues are what generate.py and arrays.py say of their files.
func expectedValues(t *testing.T) map[string]json.RawMessage {
	t.Helper()
	files := map[string]json.RawMessage{}
	for _, name := range []string{"expected.json", "arrays.json"} {
		text, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &files); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func TestAgainstPyTorch(t *testing.T) {
	for name, want := range expectedValues(t) {
		if strings.HasPrefix(name, "experience") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			f, err := Open(filepath.Join("testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			compare(t, "", f.Root(), want)
		})
	}
}

func TestExperienceObject(t *testing.T) {
	f, err := Open("testdata/experience.pth")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	val, _ := f.Root().(*Dict).Get("val_dataset")
	o, ok := val.(*Object)
	if !ok || o.Class != ExperienceDataset {
		t.Fatalf("val_dataset is %s", TypeName(val))
	}
	n, ok := o.Attribute("sequence_length")
	if !ok || n != int64(3) {
		t.Errorf("sequence_length = %v", n)
	}
	states, _ := o.Attribute("states")
	tensor, ok := states.(*Tensor)
	if !ok || fmt.Sprint(tensor.Shape) != "[1 12 5 4]" {
		t.Fatalf("states = %v", states)
	}
	frames, err := tensor.Select(0)
	if err != nil || fmt.Sprint(frames.Shape) != "[12 5 4]" {
		t.Errorf("Select: %v, %v", frames, err)
	}
	if _, err := frames.Select(12); err == nil {
		t.Error("frame 12 of 12 was selected")
	}
}

func TestRefused(t *testing.T) {
	const made = "/tmp/repscope-was-here" // by the payload of evil.pt, in whatever process before
	if err := os.Remove(made); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"module.pt":  `"torch.nn.modules.container.Sequential"`,
		"script.pt":  "TorchScript",
		"complex.pt": `"torch.ComplexFloatStorage"`,
		"evil.pt":    `"posix.system"`,
	} {
		_, err := Open(filepath.Join("testdata", name))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v, want it to name the file and %s", name, err, want)
		}
	}
	if _, err := os.Stat(made); err == nil {
		t.Fatal("the payload of evil.pt was executed")
	}
}

// Every prefix of a file must give an error, and one that says truncated once
// the format is known.
func TestTruncated(t *testing.T) {
	for _, name := range []string{"tensors.pt", "tensors_legacy.pt", "deflated.pth"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), name)
		for n := 0; n < len(data); n += 1 + n/8 {
			if err := os.WriteFile(path, data[:n], 0o600); err != nil {
				t.Fatal(err)
			}
			f, err := Open(path)
			if err == nil {
				f.Close()
				t.Errorf("%s cut to %d of %d bytes was read", name, n, len(data))
			} else if n > 0 && !errors.Is(err, ErrTruncated) {
				t.Errorf("%s cut to %d of %d bytes: %v", name, n, len(data), err)
			}
		}
	}
}

// A flipped byte in a storage must be noticed by the checksum.
func TestCorruptStorage(t *testing.T) {
	data, err := os.ReadFile("testdata/tensor_only.pt")
	if err != nil {
		t.Fatal(err)
	}
	offset := bytes.Index(data, []byte{3, 0, 0, 0, 0, 0, 0, 0, 4, 0})
	if offset < 0 {
		t.Fatal("the values are not where they should be")
	}
	data[offset] ^= 1
	path := filepath.Join(t.TempDir(), "corrupt.pt")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Root().(*Tensor).Int64(); err == nil || !strings.Contains(err.Error(), "checksum") {
		t.Errorf("got %v", err)
	}
	if err := f.Root().(*Tensor).Verify(); err == nil || !strings.Contains(err.Error(), "checksum") {
		t.Errorf("Verify: got %v", err)
	}
}

// A file with data after its contents is refused, in both formats.
func TestMoreThanAFile(t *testing.T) {
	for name, want := range map[string]string{"tensors.pt": "follow the end of the zip file", "tensors_legacy.pt": "follow the last storage"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), name)
		for _, more := range [][]byte{{0}, data} {
			if err := os.WriteFile(path, append(bytes.Clone(data), more...), 0o600); err != nil {
				t.Fatal(err)
			}
			f, err := Open(path)
			if err == nil {
				f.Close()
			}
			if err == nil || !strings.Contains(err.Error(), want) && !strings.Contains(err.Error(), "begins at byte") {
				t.Errorf("%s and %d bytes: %v", name, len(more), err)
			}
		}
	}
}

func TestOtherFiles(t *testing.T) {
	for content, want := range map[string]string{
		"":           "empty",
		"\x80\x04N.": "pickle",
		"version https://git-lfs.github.com/spec/v1\n": "LFS",
		"<!DOCTYPE html>":                       "HTML",
		"\x93NUMPY\x01":                         "NumPy",
		"PK\x03\x04 and nothing more than that": "truncated",
		"hello":                                 `"hello"`,
	} {
		path := filepath.Join(t.TempDir(), "file.pt")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%q: %v, want it to say %q", content, err, want)
		}
	}
	if _, err := Open("testdata/absent.pt"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent file: %v", err)
	}
}

func TestNewTensorBounds(t *testing.T) {
	s := &storage{name: "s", dtype: dtype.Float32, size: 40, data: make([]byte, 40)} // 10 float32
	for _, c := range []struct {
		offset        int64
		shape, stride []int
		ok            bool
	}{
		{0, []int{10}, []int{1}, true},
		{1, []int{10}, []int{1}, false},
		{0, []int{2, 5}, []int{5, 1}, true},
		{0, []int{2, 5}, []int{6, 1}, false},
		{9, nil, nil, true},
		{10, nil, nil, false},
		{10, []int{0}, []int{1}, true},
		{11, []int{0}, []int{1}, false},
		{-1, []int{1}, []int{1}, false},
		{0, []int{math.MaxInt / 100}, []int{0}, false},
		{0, []int{math.MaxInt / 100, math.MaxInt / 100}, []int{0, 0}, false},
		{0, []int{3}, []int{math.MaxInt / 2}, false},
		{0, []int{2}, []int{1, 1}, false},
		{0, []int{1000}, []int{0}, true},
	} {
		if _, err := newTensor(s, s.dtype, c.offset, c.shape, c.stride); (err == nil) != c.ok {
			t.Errorf("offset %d, shape %v, stride %v: %v", c.offset, c.shape, c.stride, err)
		}
	}
}

func FuzzOpen(f *testing.F) {
	files, err := filepath.Glob("testdata/*.p*")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, ".py") {
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
		f.Add(agent(f, data, zip.Store))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "f.pt")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		var file *File
		var err error
		readtest.Memory(t, len(data), readtest.Limit{Base: 200 << 20, PerByte: 8192}, func() { file, err = Open(path) })
		if err != nil {
			return
		}
		defer file.Close()
		readAll(file.Root())
	})
}

// readAll reads every tensor under v.
func readAll(v any) {
	switch v := v.(type) {
	case *Tensor:
		if v.Len() < 1<<20 {
			_, _ = v.Float32()
			_, _ = v.Int64()
		}
	case *Dict:
		for _, x := range v.Items() {
			readAll(x)
		}
	case []any:
		for _, x := range v {
			readAll(x)
		}
	case *Object:
		readAll(v.Args)
		readAll(v.State)
	}
}

// With any byte of a zip file changed the file is an error, or its tensors are the same.
func TestDamage(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"tensors.pt", "big_endian.pt", "deflated.pth", "state_dict.pth"} {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), name)
		read := func(data []byte) (tensors []string, err error) {
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			f, err := Open(path)
			if err != nil {
				return nil, err
			}
			defer f.Close()
			d := f.Root().(*Dict)
			for _, key := range d.Keys() {
				v, _ := d.Get(key)
				if x, ok := v.(*Tensor); ok {
					values, err := x.Float64()
					if err != nil {
						return nil, err
					}
					tensors = append(tensors, fmt.Sprint(key, x.DType, x.Shape, values))
				}
			}
			return tensors, nil
		}
		want, err := read(data)
		if err != nil || len(want) == 0 {
			t.Fatalf("%s: %d tensors, %v", name, len(want), err)
		}
		r := rand.New(rand.NewPCG(1, 2))
		for i := 0; i < len(data); i += 1 + r.IntN(len(data)/150+1) {
			damaged := bytes.Clone(data)
			damaged[i] ^= 1 << r.IntN(8)
			if got, err := read(damaged); err == nil && !slices.Equal(got, want) {
				t.Errorf("%s: byte %d changed: other values", name, i)
			}
		}
	}
}
