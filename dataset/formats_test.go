// The contract of array readers: one suite that the reader of every format passes, and the table of formats against its
// documentation.

package dataset

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"repscope/dataset/hdf5/hdf5test"
	"repscope/dataset/netcdf/netcdftest"
	"repscope/dataset/parquet/parquettest"
	"repscope/dataset/zarr/zarrtest"
	"repscope/internal/dtype"
	"repscope/internal/torchfile/torchtest"
)

// formatWriter writes files of one format for the contract.
type formatWriter struct {
	format string // the row of the table
	kind   string // of several writers for one row
	// write writes an array of uint8 or float32 and, if the format has names, others with it; it returns the spec to open,
	// without a key.
	write func(dir string, f Field) (path string, err error)
	named bool // arrays have names
	bytes bool // only uint8
	// truncated returns the path of a file to cut short.
	truncated func(path string) string
	// checked says that the format has checksums of all that values depend on.
	checked bool
}

// formatWriters has one writer for every row of the table at least.
var formatWriters = []formatWriter{
	{format: ".npy", write: func(dir string, f Field) (string, error) {
		path := filepath.Join(dir, "a.npy")
		return path, writeFields(path, encodeNPY1, f)
	}},
	{format: ".npz", kind: "stored", named: true, checked: true, write: func(dir string, f Field) (string, error) {
		path := filepath.Join(dir, "a.npz")
		return path, WriteNPZ(path, beside(f)...)
	}},
	{format: ".npz", kind: "compressed", named: true, checked: true, write: func(dir string, f Field) (string, error) {
		path := filepath.Join(dir, "a.npz")
		return path, writeFields(path, encodeCompressed, beside(f)...)
	}},
	{format: ".safetensors", named: true, write: func(dir string, f Field) (string, error) {
		path := filepath.Join(dir, "a.safetensors")
		return path, writeSafetensors(path, beside(f)...)
	}},
	{format: ".pt, .pth", named: true, checked: true, write: func(dir string, f Field) (string, error) {
		path := filepath.Join(dir, "a.pth")
		return path, writeFields(path, encodeTorch, beside(f)...)
	}},
	{format: ".h5, .hdf5", kind: "contiguous", named: true, write: func(dir string, f Field) (string, error) {
		return writeHDF5(dir, false, beside(f)...)
	}},
	{format: ".h5, .hdf5", kind: "chunked", named: true, write: func(dir string, f Field) (string, error) {
		return writeHDF5(dir, true, beside(f)...)
	}},
	{format: ".nc", named: true, write: func(dir string, f Field) (string, error) {
		path := filepath.Join(dir, "a.nc")
		return path, writeNetCDF(path, beside(f)...)
	}},
	{format: parquetFormat, kind: "file", named: true, write: func(dir string, f Field) (string, error) {
		path := filepath.Join(dir, "a.parquet")
		return path, writeParquet(path, 0, 5, beside(f)...)
	}},
	{format: parquetFormat, kind: "folder", named: true, write: func(dir string, f Field) (string, error) {
		path := filepath.Join(dir, "set")
		return path, errors.Join(os.Mkdir(path, 0o700), writeParquet(filepath.Join(path, "10.parquet"), 3, 5, beside(f)...),
			writeParquet(filepath.Join(path, "9.parquet"), 0, 3, beside(f)...))
	}, truncated: func(path string) string { return filepath.Join(path, "9.parquet") }},
	{format: tarFormat, bytes: true, checked: true, write: writeTar},
	{format: zarrFormat, kind: "folder", named: true, checked: true, write: func(dir string, f Field) (string, error) {
		path := filepath.Join(dir, "a.zarr")
		files, err := zarrFiles(beside(f)...)
		return path, errors.Join(err, zarrtest.Folder(path, files))
	}, truncated: func(path string) string { return filepath.Join(path, "frames", "c", "1", "0", "0") }},
	{format: zarrFormat, kind: "zip", named: true, checked: true, write: func(dir string, f Field) (string, error) {
		path := filepath.Join(dir, "a.zarr.zip")
		files, err := zarrFiles(beside(f)...)
		if err != nil {
			return "", err
		}
		data, err := zarrtest.Zip(files)
		return path, errors.Join(err, os.WriteFile(path, data, 0o600))
	}},
	{format: ".tif", kind: "plain", bytes: true, write: func(dir string, f Field) (string, error) { return writeTIFF(dir, f, tiffPlain) }},
	{format: ".tif", kind: "LZW", bytes: true, write: func(dir string, f Field) (string, error) { return writeTIFF(dir, f, tiffLZW) }},
	{format: ".tif", kind: "deflate", bytes: true, write: func(dir string, f Field) (string, error) { return writeTIFF(dir, f, tiffDeflate) }},
	{format: "a folder of images", bytes: true, checked: true,
		truncated: func(path string) string { return filepath.Join(path, "2.png") }, write: writeImages},
}

func TestReaders(t *testing.T) {
	t.Parallel()
	for _, f := range formats {
		written := slices.ContainsFunc(formatWriters, func(w formatWriter) bool { return w.format == f.name })
		if !written && f.name != tableFormat { // tables have no frames: see TestOpenTable
			t.Errorf("the format %s has no writer, so that its reader is not tested", f.name)
		}
	}
	for _, w := range formatWriters {
		t.Run(strings.TrimSpace(w.format+" "+w.kind), func(t *testing.T) {
			t.Parallel()
			for name, part := range map[string]func(t *testing.T, w formatWriter){
				"types": types, "damage": damage, "parts": partsOf, "concurrent": concurrent, "truncation": truncation,
				"keys": wrongKeys, "digest": digest, "close": closing,
			} {
				t.Run(name, func(t *testing.T) { t.Parallel(); part(t, w) })
			}
		})
	}
}

// exampleField is an array [5 3 4] of the given type, of values that all differ.
func exampleField(kind DType) (Field, []float32) {
	bytes, floats := make([]uint8, 60), make([]float32, 60)
	for i := range floats {
		bytes[i], floats[i] = uint8(4*i+1), float32(i)/4-3
	}
	f := Field{Name: "frames", Shape: []int{5, 3, 4}, Data: floats}
	if kind == Uint8 {
		f.Data = bytes
		for i := range floats {
			floats[i] = float32(bytes[i])
		}
	}
	return f, floats
}

// open writes an array and opens it.
func (w formatWriter) open(t *testing.T, f Field) (a *Array, path string) {
	t.Helper()
	path, err := w.write(t.TempDir(), f)
	if err != nil {
		t.Fatal(err)
	}
	spec := path
	if w.named {
		spec += ":" + f.Name
	}
	if a, err = Open(spec); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a, path
}

// types: type, shape and values come back, also of a recording.
func types(t *testing.T, w formatWriter) {
	kinds := []DType{Uint8, Float32}
	if w.bytes {
		kinds = kinds[:1]
	}
	for _, kind := range kinds {
		f, want := exampleField(kind)
		a, path := w.open(t, f)
		if a.DType() != kind || !slices.Equal(a.Shape(), f.Shape) || a.Len() != 5 || a.RowLen() != 12 || a.Path() != path || !strings.HasPrefix(a.Name(), path) ||
			w.named != (a.Key() == f.Name) {
			t.Errorf("%v %v, %d rows of %d, %s, %s, %q", a.DType(), a.Shape(), a.Len(), a.RowLen(), a.Path(), a.Name(), a.Key())
		}
		got := make([]float32, len(want))
		if err := a.ReadFloat32(got, 0, 5); err != nil || !slices.Equal(got, want) {
			t.Errorf("%v, %v", got, err)
		}
		spec := path
		if w.named {
			spec += ":" + f.Name
		}
		r, err := OpenRecording(spec, ImageOptions{})
		if err != nil || r.Ends != nil || r.Window != 0 || !slices.Equal(r.Frames.Shape(), f.Shape) {
			t.Fatalf("as a recording: %+v, %v", r, err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

// partsOf: every range of rows reads as that part of the whole, in every type.
func partsOf(t *testing.T, w formatWriter) {
	f, want := exampleField(Uint8)
	a, _ := w.open(t, f)
	for lo := range 6 {
		for hi := lo; hi <= 5; hi++ {
			n := (hi - lo) * 12
			bytes, floats, doubles, integers := make([]uint8, n), make([]float32, n), make([]float64, n), make([]int64, n)
			err := errors.Join(a.ReadUint8(bytes, lo, hi), a.ReadFloat32(floats, lo, hi), a.ReadFloat64(doubles, lo, hi), a.ReadInt64(integers, lo, hi))
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range want[12*lo : 12*hi] {
				if float32(bytes[i]) != v || floats[i] != v || float32(doubles[i]) != v || float32(integers[i]) != v {
					t.Fatalf("rows %d to %d, element %d: %v %v %v %v, want %v", lo, hi, i, bytes[i], floats[i], doubles[i], integers[i], v)
				}
			}
		}
	}
	for _, r := range [][3]int{{-1, 1, 24}, {4, 6, 24}, {3, 2, 0}, {0, 1, 11}, {0, 1, 13}} {
		if err := a.ReadFloat32(make([]float32, r[2]), r[0], r[1]); err == nil || !strings.Contains(err.Error(), a.Name()) {
			t.Errorf("rows %d to %d into %d values: %v", r[0], r[1], r[2], err)
		}
	}
}

// concurrent: several goroutines may read at once.
func concurrent(t *testing.T, w formatWriter) {
	f, want := exampleField(Uint8)
	a, _ := w.open(t, f)
	var group sync.WaitGroup
	for k := range 8 {
		group.Go(func() {
			for i := range 20 {
				lo := (i + k) % 5
				got := make([]float32, 12)
				if err := a.ReadFloat32(got, lo, lo+1); err != nil || !slices.Equal(got, want[12*lo:12*lo+12]) {
					t.Errorf("row %d: %v, %v", lo, got, err)
					return
				}
			}
		})
	}
	group.Wait()
}

// damage: with any byte changed the file is an error, or has the same values.
func damage(t *testing.T, w formatWriter) {
	if !w.checked {
		return
	}
	f, want := exampleField(Uint8)
	path, err := w.write(t.TempDir(), f)
	if err != nil {
		t.Fatal(err)
	}
	name, spec := path, path
	if w.truncated != nil {
		name = w.truncated(path)
	}
	if w.named {
		spec += ":" + f.Name
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(name, os.O_WRONLY, 0) // written in place: files written anew are half of the time
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	put := func(i int, b byte) {
		t.Helper()
		if _, err := file.WriteAt([]byte{b}, int64(i)); err != nil {
			t.Fatal(err)
		}
	}
	noticed := 0
	for i := range data {
		for _, change := range []byte{1, 0x80, 0xff} {
			put(i, data[i]^change)
			a, err := Open(spec)
			if err != nil {
				noticed++
				continue
			}
			got := make([]float32, len(want))
			switch err := a.ReadFloat32(got, 0, 5); {
			case err != nil:
				noticed++
			case !slices.Equal(a.Shape(), f.Shape) || a.DType() != Uint8 || !slices.Equal(got, want):
				t.Errorf("byte %d of %d changed by %#x: %v %v, other values", i, len(data), change, a.DType(), a.Shape())
			}
			a.Close()
		}
		put(i, data[i])
	}
	if noticed < len(want) {
		t.Errorf("%d of %d changes are noticed", noticed, 3*len(data))
	}
}

// truncation: a file cut anywhere is an error that names it, and never wrong values.
func truncation(t *testing.T, w formatWriter) {
	f, want := exampleField(Uint8)
	path, err := w.write(t.TempDir(), f)
	if err != nil {
		t.Fatal(err)
	}
	file := path
	if w.truncated != nil {
		file = w.truncated(path)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	spec := path
	if w.named {
		spec += ":" + f.Name
	}
	for n := len(data) - 1; n >= 0; n-- {
		if err := os.Truncate(file, int64(n)); err != nil {
			t.Fatal(err)
		}
		a, err := Open(spec)
		if err == nil {
			got := make([]float32, len(want))
			if err = a.ReadFloat32(got, 0, 5); err == nil && !slices.Equal(got, want) {
				t.Errorf("cut after %d of %d bytes: wrong values without an error", n, len(data))
			}
			_ = a.Close()
		}
		switch {
		case err == nil && n < len(data)-16: // what decides may end before the file does
			t.Errorf("cut after %d of %d bytes: no error", n, len(data))
		case err != nil && !strings.Contains(err.Error(), path):
			t.Errorf("cut after %d of %d bytes: %v does not name the file", n, len(data), err)
		case n == len(data)/2 && !errors.Is(err, ErrTruncated):
			t.Errorf("cut in the middle: %v, want ErrTruncated", err)
		}
	}
}

// wrongKeys: a name that is not there is answered with the one that is meant.
func wrongKeys(t *testing.T, w formatWriter) {
	f, _ := exampleField(Uint8)
	path, err := w.write(t.TempDir(), f)
	if err != nil {
		t.Fatal(err)
	}
	if !w.named {
		if _, err := Open(path + ":frames"); err == nil || !strings.Contains(err.Error(), `"frames"`) || !strings.Contains(err.Error(), path) {
			t.Errorf("a key in a file without names: %v", err)
		}
		return
	}
	for key, want := range map[string]string{"farmes": `did you mean "frames"?`, "episodes": `did you mean "episode"?`, "fr": `did you mean "frames"?`, "zzz": "episode"} {
		if _, err := Open(path + ":" + key); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want %q", key, err, want)
		}
	}
	if _, err := Open(path); err == nil || !strings.Contains(err.Error(), "frames") || !strings.Contains(err.Error(), "episode") {
		t.Errorf("no key: %v, want the names", err)
	}
}

// digest: it is the digest of the file, and different for another file.
func digest(t *testing.T, w formatWriter) {
	f, _ := exampleField(Uint8)
	a, path := w.open(t, f)
	first, err := a.SHA256()
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := a.SHA256(); again != first || len(first) != 64 {
		t.Errorf("%s, then %s", first, again)
	}
	if data, err := os.ReadFile(path); err == nil && hashBytes(data) != first {
		t.Errorf("%s is not that of the file", first)
	}
	f.Data.([]uint8)[7]++
	b, _ := w.open(t, f)
	if second, err := b.SHA256(); err != nil || second == first {
		t.Errorf("after a change %s, %v", second, err)
	}
}

// closing: an array may be closed more than once; reading afterwards is an error
// or works, but nothing worse.
func closing(t *testing.T, w formatWriter) {
	f, want := exampleField(Uint8)
	a, _ := w.open(t, f)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	_ = a.Close()
	got := make([]float32, 60)
	if err := a.ReadFloat32(got, 0, 5); err == nil && !slices.Equal(got, want) {
		t.Errorf("wrong values after Close: %v", got)
	}
}

// beside adds a second array to one.
func beside(f Field) []Field {
	return []Field{f, {Name: "episode", Shape: []int{5}, Data: []int64{0, 0, 1, 1, 1}}}
}

func writeFields(path string, encode func(b *bytes.Buffer, fields []Field) error, fields ...Field) error {
	var b bytes.Buffer
	if err := encode(&b, fields); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o600)
}

func encodeNPY1(b *bytes.Buffer, fields []Field) error { return encodeNPY(b, fields[0]) }

func encodeCompressed(b *bytes.Buffer, fields []Field) error {
	archive := zip.NewWriter(b)
	for _, f := range fields {
		member, err := archive.Create(f.Name + ".npy")
		if err != nil {
			return err
		}
		if err := encodeNPY(member, f); err != nil {
			return err
		}
	}
	return archive.Close()
}

// encodeTorch writes what torch.save writes of a dict of tensors.
func encodeTorch(b *bytes.Buffer, fields []Field) error {
	var root torchtest.Dict
	for _, f := range fields {
		kind, raw, err := f.raw()
		if err != nil {
			return err
		}
		root = append(root, torchtest.Item{Key: f.Name, Value: torchtest.Tensor{DType: kind, Shape: f.Shape, Raw: raw}})
	}
	return torchtest.Encode(b, root)
}

// writeHDF5 writes an HDF5 file, its arrays as they are or each row as a compressed chunk.
func writeHDF5(dir string, chunked bool, fields ...Field) (string, error) {
	var b hdf5test.Builder
	var names []hdf5test.Name
	for _, f := range fields {
		kind, raw, err := f.raw()
		if err != nil {
			return "", err
		}
		element := map[DType]hdf5test.Message{Uint8: hdf5test.Uint8(), Int64: hdf5test.Int64(), Float32: hdf5test.Float32()}[kind]
		messages := []hdf5test.Message{hdf5test.Space(f.Shape...), element}
		if chunked {
			var keys [][]byte
			var children []uint64
			row := len(raw) / f.Shape[0]
			first := make([]int, len(f.Shape))
			for i := range f.Shape[0] {
				first[0] = i
				stored := hdf5test.Deflate(raw[i*row : (i+1)*row])
				keys, children = append(keys, hdf5test.Key(len(stored), first...)), append(children, b.Put(stored))
			}
			first[0]++
			tree := b.Tree(0, append(keys, hdf5test.Key(0, first...)), children)
			messages = append(messages, hdf5test.Filter(1), hdf5test.Chunked(tree, kind.Size(), append([]int{1}, f.Shape[1:]...)...))
		} else {
			messages = append(messages, hdf5test.Contiguous(b.Put(raw), len(raw)))
		}
		names = append(names, hdf5test.Name{Name: f.Name, Address: b.Object(messages...)})
	}
	path := filepath.Join(dir, "a.h5")
	return path, os.WriteFile(path, b.File(b.Group(names...)), 0o600)
}

// zarrFiles are the objects of a Zarr store.
func zarrFiles(fields ...Field) (map[string][]byte, error) {
	var arrays []zarrtest.Array
	for _, f := range fields {
		kind, raw, err := f.raw()
		if err != nil {
			return nil, err
		}
		arrays = append(arrays, zarrtest.Array{Path: f.Name, Type: kind.String(), Shape: f.Shape, Rows: 2, Raw: raw})
	}
	return zarrtest.Files(arrays...), nil
}

// writeNetCDF writes a NetCDF file.
func writeNetCDF(path string, fields ...Field) error {
	var variables []netcdftest.Variable
	for _, f := range fields {
		kind, raw, err := f.raw()
		if err != nil {
			return err
		}
		raw = bytes.Clone(raw)
		dtype.SwapBytes(raw, kind.Size())
		element := map[DType]int{Uint8: netcdftest.Ubyte, Int64: netcdftest.Int64, Float32: netcdftest.Float}[kind]
		variables = append(variables, netcdftest.Variable{Name: f.Name, Type: element, Shape: f.Shape, Raw: raw})
	}
	return os.WriteFile(path, netcdftest.File(variables...), 0o600)
}

// writeParquet writes rows lo to hi-1 to a Parquet file.
func writeParquet(path string, lo, hi int, fields ...Field) error {
	var columns []parquettest.Leaf
	for _, f := range fields {
		kind, raw, err := f.raw()
		if err != nil {
			return err
		}
		row := len(raw) / f.Shape[0]
		raw = raw[lo*row : hi*row]
		c := parquettest.Leaf{Name: f.Name, Shape: append([]int{hi - lo}, f.Shape[1:]...), Raw: raw}
		switch kind {
		case Uint8:
			c.Kind, c.Uint8, c.Raw = parquettest.Int32, true, nil
			for _, v := range raw {
				c.Raw = append(c.Raw, v, 0, 0, 0)
			}
		case Int64:
			c.Kind = parquettest.Int64
		default:
			c.Kind = parquettest.Float
		}
		columns = append(columns, c)
	}
	return os.WriteFile(path, parquettest.File(2, columns...), 0o600)
}

// writeTar writes the rows of an array as PNG files of an archive.
func writeTar(dir string, f Field) (string, error) {
	folder := filepath.Join(dir, "images")
	path := filepath.Join(dir, "a.tar")
	if err := os.Mkdir(folder, 0o700); err != nil {
		return "", err
	}
	if _, err := writeImages(folder, f); err != nil {
		return "", err
	}
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i := range f.Shape[0] {
		data, err := os.ReadFile(filepath.Join(folder, fmt.Sprint(i, ".png")))
		if err == nil {
			err = w.WriteHeader(&tar.Header{Name: fmt.Sprint(i, ".png"), Size: int64(len(data)), Mode: 0o600})
		}
		if err == nil {
			_, err = w.Write(data)
		}
		if err != nil {
			return "", err
		}
	}
	return path, errors.Join(w.Close(), os.WriteFile(path, b.Bytes(), 0o600))
}

// writeImages writes the rows of an array as PNG files.
func writeImages(dir string, f Field) (string, error) {
	h, w := f.Shape[1], f.Shape[2]
	for i := range f.Shape[0] {
		var b bytes.Buffer
		if err := png.Encode(&b, &image.Gray{Pix: f.Data.([]uint8)[i*h*w : (i+1)*h*w], Stride: w, Rect: image.Rect(0, 0, w, h)}); err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i, ".png")), b.Bytes(), 0o600); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// The documentation of the formats names every one of them.
func TestFormatsAreDocumented(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"doc.go", "../docs/guides/your-frames-and-encoders.md"} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(strings.Fields(strings.ReplaceAll(string(data), "//", "")), " ")
		for _, f := range formats {
			want := f.name
			if file == "doc.go" {
				want += ": " + f.what
			}
			if !strings.Contains(text, want) {
				t.Errorf("%s does not say %q", file, want)
			}
		}
	}
	want := ".npy, .npz, .safetensors, .pt, .pth, .tif, .h5, .hdf5, .nc, .zarr, .parquet, .tar, .csv, .tsv " +
		"or a folder of images"
	if got := FormatNames(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
