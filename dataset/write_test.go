// Tests of writing: round trips, equal bytes, errors.

package dataset

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"repscope/internal/safetensors"

	"pgregory.net/rapid"
)

func hashBytes(content []byte) string {
	h := sha256.Sum256(content)
	return hex.EncodeToString(h[:])
}

// writeSafetensors writes a .safetensors file.
func writeSafetensors(path string, fields ...Field) error {
	var arrays []safetensors.Data
	for _, f := range fields {
		t, raw, err := f.raw()
		if err != nil {
			return err
		}
		arrays = append(arrays, safetensors.Data{Name: f.Name, DType: t, Shape: f.Shape, Raw: raw})
	}
	return writeFile(path, func(w io.Writer) error { return safetensors.Encode(w, arrays...) })
}

// roundTrip writes data in all three formats and reads it back.
func roundTrip[T Element](t *rapid.T, folder string, shape []int, data []T, same func(a, b []T) bool, read func(a *Array, dst []T) error) {
	npy := filepath.Join(folder, "a.npy")
	npz := filepath.Join(folder, "a.npz")
	safe := filepath.Join(folder, "a.safetensors")
	fields := []Field{{"first", []int{1}, []uint8{7}}, {"data", shape, data}}
	for _, err := range []error{WriteNPY(npy, shape, data), WriteNPZ(npz, fields...), writeSafetensors(safe, fields...)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, spec := range []string{npy, npz + ":data", safe + ":data"} {
		a, err := Open(spec)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]T, len(data))
		if err := read(a, got); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(a.Shape(), shape) || !same(got, data) {
			t.Fatalf("%s: got %v %v, want %v %v", spec, a.Shape(), got, shape, data)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRoundTrips(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		shape := rapid.SliceOfN(rapid.IntRange(0, 4), 0, 4).Draw(t, "shape")
		n := 1
		for _, k := range shape {
			n *= k
		}
		switch rapid.IntRange(0, 4).Draw(t, "type") {
		case 0:
			roundTrip(t, folder, shape, rapid.SliceOfN(rapid.Uint8(), n, n).Draw(t, "u8"), slices.Equal,
				func(a *Array, dst []uint8) error { return a.ReadUint8(dst, 0, a.Len()) })
		case 1:
			roundTrip(t, folder, shape, rapid.SliceOfN(rapid.Int64(), n, n).Draw(t, "i64"), slices.Equal,
				func(a *Array, dst []int64) error { return a.ReadInt64(dst, 0, a.Len()) })
		case 2:
			roundTrip(t, folder, shape, rapid.SliceOfN(rapid.Float32(), n, n).Draw(t, "f32"), slices.Equal,
				func(a *Array, dst []float32) error { return a.ReadFloat32(dst, 0, a.Len()) })
		case 3:
			roundTrip(t, folder, shape, rapid.SliceOfN(rapid.Float64(), n, n).Draw(t, "f64"), slices.Equal,
				func(a *Array, dst []float64) error { return a.ReadFloat64(dst, 0, a.Len()) })
		case 4:
			roundTrip(t, folder, shape, rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "bool"), slices.Equal,
				func(a *Array, dst []bool) error {
					raw := make([]uint8, len(dst))
					err := a.ReadUint8(raw, 0, a.Len())
					for i, v := range raw {
						dst[i] = v == 1
					}
					return err
				})
		}
	})
	remains, err := os.ReadDir(folder)
	if err != nil || len(remains) != 3 {
		t.Errorf("temporary files were left: %v", remains)
	}
}

func TestWriteIsDeterministic(t *testing.T) {
	fields := []Field{{"b", []int{2}, []float32{1, 2}}, {"a", []int{1}, []int64{3}}}
	var x, y bytes.Buffer
	if err := errors.Join(EncodeNPZ(&x, fields...), EncodeNPZ(&y, fields...)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(x.Bytes(), y.Bytes()) {
		t.Error("equal arrays gave different .npz files")
	}
}

func TestWriteErrors(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a.npy")
	if err := WriteNPY(path, []int{2}, []float32{1}); err == nil {
		t.Error("1 value was written as shape [2]")
	}
	if err := WriteNPZ(path, Field{"a", []int{1}, []uint8{1}}, Field{"a", []int{1}, []uint8{1}}); err == nil {
		t.Error("a name was written twice")
	}
	if err := WriteNPZ(path, Field{"a", []int{1}, []string{"x"}}); err == nil {
		t.Error("strings were written")
	}
	if err := WriteNPY(filepath.Join(folder, "absent", "a.npy"), []int{1}, []float32{1}); err == nil {
		t.Error("a file was written into an absent folder")
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
