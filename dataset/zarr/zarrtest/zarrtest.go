// Package zarrtest writes small Zarr stores of version 3 for tests.
//
//	x := zarrtest.Array{Path: "x", Type: "uint8", Shape: []int{3}, Rows: 2, Raw: []byte{1, 2, 3}}
//	err := zarrtest.Folder("a.zarr", zarrtest.Files(x))
package zarrtest

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Array is an array whose chunks divide the first axis alone. Raw has its values, little-endian. Attributes and
// Dimensions may be nil.
type Array struct {
	Path, Type string
	Shape      []int
	Rows       int // of a chunk
	Raw        []byte
	Attributes map[string]any
	Dimensions []string
}

// Files are the objects of a store by their keys. Chunks have a checksum.
func Files(arrays ...Array) map[string][]byte {
	files := map[string][]byte{"zarr.json": []byte(`{"zarr_format": 3, "node_type": "group", "attributes": {}}`)}
	for _, a := range arrays {
		chunk := append([]int{a.Rows}, a.Shape[1:]...)
		size := max(1, len(a.Raw)/max(1, a.Shape[0])) * a.Rows
		metadata := map[string]any{
			"zarr_format": 3, "node_type": "array", "shape": a.Shape, "data_type": a.Type, "fill_value": 0,
			"chunk_grid":         map[string]any{"name": "regular", "configuration": map[string]any{"chunk_shape": chunk}},
			"chunk_key_encoding": map[string]any{"name": "default"},
			"codecs": []any{map[string]any{"name": "bytes", "configuration": map[string]any{"endian": "little"}},
				map[string]any{"name": "crc32c"}},
			"attributes": a.Attributes, "dimension_names": a.Dimensions,
		}
		data, err := json.Marshal(metadata)
		if err != nil {
			panic(err)
		}
		files[a.Path+"/zarr.json"] = data
		for i := 0; i*size < len(a.Raw); i++ {
			raw := make([]byte, size, size+4)
			copy(raw, a.Raw[i*size:])
			sum := crc32.Checksum(raw, crc32.MakeTable(crc32.Castagnoli))
			key := fmt.Sprint(a.Path, "/c/", i) + strings.Repeat("/0", len(a.Shape)-1)
			files[key] = binary.LittleEndian.AppendUint32(raw, sum)
		}
	}
	return files
}

// Folder writes a store in a folder, which it makes.
func Folder(dir string, files map[string][]byte) error {
	for key, data := range files {
		path := filepath.Join(dir, filepath.FromSlash(key))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// Zip writes a store in a zip file, whose members are stored as they are.
func Zip(files map[string][]byte) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, key := range slices.Sorted(maps.Keys(files)) {
		member, err := w.CreateHeader(&zip.FileHeader{Name: key, Method: zip.Store})
		if err != nil {
			return nil, err
		}
		if _, err := member.Write(files[key]); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
