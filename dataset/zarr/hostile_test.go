// Damaged and malicious stores.

package zarr

import (
	"archive/zip"
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"repscope/dataset/zarr/zarrtest"
	"repscope/internal/lz4"
	"repscope/internal/mmap"
	"repscope/internal/readtest"
)

// readStore reads all metadata and the first and last rows of all arrays, with little memory.
func readStore(t *testing.T, s *Store, size int) (err error) {
	t.Helper()
	defer s.Close()
	readtest.Memory(t, size, readtest.Limit{Base: 256 << 20, PerByte: 1024}, func() { err = readEntries(s) })
	return err
}

func readEntries(s *Store) error {
	entries, err := s.Entries()
	if err != nil {
		return err
	}
	if _, err := s.Attributes(); err != nil {
		return err
	}
	for _, e := range entries {
		if e.Err != nil {
			return e.Err
		}
		a := e.Array
		if err := a.Prepare(); err != nil {
			return err
		}
		rows := min(a.Rows(), 2)
		if a.RowBytes() > 1<<14 || a.chunkBytes() > 1<<22 {
			continue
		}
		raw := make([]byte, rows*a.RowBytes())
		if err := a.Read(raw, 0, rows); err != nil {
			return err
		}
		if err := a.Read(raw, a.Rows()-rows, a.Rows()); err != nil {
			return err
		}
	}
	return nil
}

// readFolder writes a store and reads it.
func readFolder(t *testing.T, files map[string][]byte) error {
	t.Helper()
	dir := t.TempDir()
	size := 0
	for _, data := range files {
		size += len(data)
	}
	if err := zarrtest.Folder(dir, files); err != nil {
		t.Fatal(err)
	}
	s, err := Open(dir)
	if err == nil {
		err = readStore(t, s, size)
	}
	if err != nil && !strings.Contains(err.Error(), dir) && !strings.Contains(err.Error(), "chunk") {
		t.Errorf("%v does not name the store", err)
	}
	return err
}

// example is a store of one array.
func example() map[string][]byte {
	return zarrtest.Files(zarrtest.Array{Path: "x", Type: "uint8", Shape: []int{4, 3}, Rows: 2, Raw: []byte("abcdefghijkl")})
}

func TestHostile(t *testing.T) {
	t.Parallel()
	if err := readFolder(t, example()); err != nil {
		t.Fatalf("a store that is right: %v", err)
	}
	replaced := func(old, by string) func(files map[string][]byte) {
		return func(files map[string][]byte) {
			text := strings.Replace(string(files["x/zarr.json"]), old, by, 1)
			if text == string(files["x/zarr.json"]) {
				t.Errorf("%s is not in %s", old, text)
			}
			files["x/zarr.json"] = []byte(text)
		}
	}
	const codecs = `{"name":"crc32c"}]`
	for want, change := range map[string]func(files map[string][]byte){
		"corrupt: shape [1152921504606846976 3]":  replaced(`"shape":[4,3]`, `"shape":[1152921504606846976,3]`),
		"shape [281474976710656 281474976710656]": replaced(`"shape":[4,3]`, `"shape":[281474976710656,281474976710656]`),
		"is more than":                      replaced(`"shape":[4,3]`, `"shape":[281474976710656,3]`),
		"shape [-4 3]":                      replaced(`"shape":[4,3]`, `"shape":[-4,3]`),
		"corrupt: chunks of shape [2]":      replaced(`"chunk_shape":[2,3]`, `"chunk_shape":[2]`),
		"corrupt: chunks of shape [0 3]":    replaced(`"chunk_shape":[2,3]`, `"chunk_shape":[0,3]`),
		"chunks of shape [1048576 1048576]": replaced(`"chunk_shape":[2,3]`, `"chunk_shape":[1048576,1048576]`),
		"truncated":                         replaced(`"chunk_shape":[2,3]`, `"chunk_shape":[2,9]`),
		"elements are of type complex64":    replaced(`"uint8"`, `"complex64"`),
		"stored with zfp":                   replaced(codecs, `{"name":"zfp"}]`),
		"zstd: ":                            replaced(codecs, `{"name":"zstd"}]`),
		"gzip: ":                            replaced(codecs, `{"name":"gzip"}]`),
		"blosc: ":                           replaced(codecs, `{"name":"blosc"}]`),
		"fill_value":                        replaced(`"fill_value":0`, `"fill_value":300`),
		"transpose: order [1 1]":            replaced(`[{"configuration":{"endian"`, `[{"name":"transpose","configuration":{"order":[1,1]}},{"configuration":{"endian"`),
		"endian":                            replaced(`"little"`, `"middle"`),
		"without one that makes bytes":      replaced(`"codecs":[`, `"codecs":[],"x":[`),
		"chunk_grid":                        replaced(`"regular"`, `"rectilinear"`),
		"chunk_key_encoding":                replaced(`"default"`, `"../../etc"`),
		"separator":                         replaced(`"name":"default"`, `"name":"default","configuration":{"separator":"/../"}`),
		"checksum":                          func(files map[string][]byte) { files["x/c/1/0"][1]++ },
		"truncated: a chunk":                func(files map[string][]byte) { files["x/c/1/0"] = files["x/c/1/0"][:3] },
		"corrupt: 1000000 bytes":            func(files map[string][]byte) { files["x/c/1/0"] = make([]byte, 1000000) },
		"JSON ends":                         func(files map[string][]byte) { files["x/zarr.json"] = files["x/zarr.json"][:40] },
		"the index has more than": replaced(`"codecs":[`, `"codecs":[{"name":"sharding_indexed","configuration":{"chunk_shape":[1,1],"codecs":[{"name":"bytes"}],
			"index_codecs":[{"name":"bytes"}]}}],"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[1000000,1000000]}},"x":[`),
		"shards inside shards":            replaced(`"codecs":[`, `"codecs":[{"name":"sharding_indexed","configuration":{"chunk_shape":[2,3],"codecs":[{"name":"sharding_indexed"}]}}],"x":[`),
		"chunks of shape [3 3] in shards": replaced(`"codecs":[`, `"codecs":[{"name":"sharding_indexed","configuration":{"chunk_shape":[3,3]}}],"x":[`),
		"index of shard": replaced(`"codecs":[`, `"codecs":[{"name":"sharding_indexed","configuration":{"chunk_shape":[1,1],"codecs":[{"name":"bytes"}],
			"index_codecs":[{"name":"bytes"},{"name":"crc32c"}]}}],"x":[`),
		"bytes at offset": func(files map[string][]byte) {
			replaced(`"codecs":[`, `"codecs":[{"name":"sharding_indexed","configuration":{"chunk_shape":[2,3],"codecs":[{"name":"bytes"}],
				"index_codecs":[{"name":"bytes"}]}}],"x":[`)(files)
			files["x/c/0/0"] = []byte("\xff\xff\xff\xff\xff\xff\xff\x7f\x06\x00\x00\x00\x00\x00\x00\x00")
		},
		"want 3, and array or group": func(files map[string][]byte) {
			files["zarr.json"] = []byte(`{"zarr_format": 3, "node_type": "group", "consolidated_metadata": {"metadata": {"x": {}}}}`)
		},
		"is no path in a store": func(files map[string][]byte) {
			array := string(files["x/zarr.json"])
			files["zarr.json"] = []byte(`{"zarr_format": 3, "node_type": "group", "consolidated_metadata": {"metadata": {"../../x": ` + array + `}}}`)
		},
	} {
		files := maps.Clone(example())
		change(files)
		if err := readFolder(t, files); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Links that lead out of the store, pipes and circles are errors, or not followed; none is waited for.
func TestHostile_Files(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(dir string) error{
		"outside its folder": func(dir string) error {
			return os.Symlink(filepath.Join(dir, "..", "..", "outside"), filepath.Join(dir, "x", "c", "0", "0"))
		},
		"named pipe": func(dir string) error { return syscall.Mkfifo(filepath.Join(dir, "x", "c", "0", "0"), 0o600) },
		"folder":     func(dir string) error { return os.Mkdir(filepath.Join(dir, "x", "c", "0", "0"), 0o700) },
		"loop":       func(dir string) error { return os.Symlink("0", filepath.Join(dir, "x", "c", "0", "0")) },
		"device":     func(dir string) error { return os.Symlink("/dev/zero", filepath.Join(dir, "x", "c", "0", "0")) },
	} {
		dir := filepath.Join(t.TempDir(), "a.zarr")
		if err := zarrtest.Folder(dir, example()); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(filepath.Join(dir, "x", "c", "0", "0")); err != nil {
			t.Fatal(err)
		}
		if err := change(dir); err != nil {
			t.Fatal(err)
		}
		s, err := Open(dir)
		if err == nil {
			err = readStore(t, s, 100)
		}
		if want == "device" {
			want = "outside its folder"
		}
		if err == nil || !strings.Contains(err.Error(), want) && want != "loop" {
			t.Errorf("%v, want %q", err, want)
		}
	}
	dir := filepath.Join(t.TempDir(), "a.zarr") // a group that links to the store
	if err := zarrtest.Folder(dir, example()); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(".", filepath.Join(dir, "again")); err != nil {
		t.Fatal(err)
	}
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if entries, err := s.Entries(); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

// Compressed data that expand without end are stopped at the size of a chunk.
func TestHostile_Bombs(t *testing.T) {
	t.Parallel()
	var d decoder
	bomb := func(n uint32) []byte { // a frame of Blosc that states n bytes
		return []byte{2, 1, bloscPlain, 1, byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24), 0, 0, 0, 0, 16, 0, 0, 0}
	}
	if _, err := d.decode([]codec{{"blosc", 1}}, bomb(1<<31), 100); err == nil || !strings.Contains(err.Error(), "want at most 100") {
		t.Errorf("%v", err)
	}
	// zstd: a block of one byte repeated 128 KiB times; the window is that large.
	frame := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58, 0x03, 0x00, 0x10, 'a'}
	if _, err := d.decode([]codec{{"zstd", 1}}, frame, 100); err == nil {
		t.Error("it expands to more than a chunk")
	}
	// LZ4: a literal, then a copy whose length is 255 again and again.
	block := append([]byte{0xff, 0xff, 0xff, 0x7f, 0x1f, 'a', 1, 0}, bytes.Repeat([]byte{255}, 1000)...)
	if _, err := d.decode([]codec{{"lz4", 1}}, block, 100); err == nil || !strings.Contains(err.Error(), "want at most 100") {
		t.Errorf("%v", err)
	}
}

// FuzzStore reads stores whose metadata and chunk are any bytes.
func FuzzStore(f *testing.F) {
	files := example()
	f.Add(files["x/zarr.json"], files["x/c/0/0"], false)
	f.Add([]byte(`{"zarr_format": 2, "shape": [4], "chunks": [2], "dtype": "<f4", "compressor": {"id": "blosc"}, "fill_value": "NaN", "order": "F", "filters": null}`), []byte{1, 2, 3}, true)
	f.Add([]byte(`{"zarr_format":3,"node_type":"array","shape":[4],"data_type":"float32","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[4]}},
		"chunk_key_encoding":{"name":"v2"},"fill_value":NaN,"codecs":[{"name":"sharding_indexed","configuration":{"chunk_shape":[2],"codecs":[{"name":"bytes"},
		{"name":"zstd"}],"index_codecs":[{"name":"bytes"},{"name":"crc32c"}]}}]}`), []byte{1}, false)
	f.Fuzz(func(t *testing.T, metadata, chunk []byte, second bool) {
		files := map[string][]byte{"x/zarr.json": metadata, "x/c/0": chunk}
		if second {
			files = map[string][]byte{"x/.zarray": metadata, "x/0": chunk, ".zgroup": []byte(`{"zarr_format": 2}`)}
		}
		data, err := zarrtest.Zip(files)
		if err != nil {
			return
		}
		path := filepath.Join(t.TempDir(), "a.zip")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		mapped, err := mmap.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		r, err := zip.NewReader(mapped, mapped.Size())
		if err != nil {
			t.Fatal(err)
		}
		if s, err := OpenZip(mapped, r); err == nil {
			_ = readStore(t, s, len(data))
		}
	})
}

// FuzzCodecs decodes any bytes by every codec.
func FuzzCodecs(f *testing.F) {
	f.Add([]byte("\x02\x01\x01\x04\x10\x00\x00\x00\x10\x00\x00\x00\x24\x00\x00\x00"), uint8(0))
	f.Add([]byte("\x10\x00\x00\x00\xf0\x01abcdefghijklmnop"), uint8(1))
	names := []string{"blosc", "lz4", "zstd", "zlib", "gzip", "crc32c", "shuffle"}
	f.Fuzz(func(t *testing.T, raw []byte, which uint8) {
		var d decoder
		name := names[int(which)%len(names)]
		for _, size := range []int{16, 1024} {
			if out, err := d.decode([]codec{{name, 4}}, raw, size); err == nil && len(out) != size {
				t.Errorf("%d bytes, want %d", len(out), size)
			}
		}
		dst := make([]byte, 64)
		_, _ = lz4.Block(dst, raw), blosclz(dst, raw)
	})
}
