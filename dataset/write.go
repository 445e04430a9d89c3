// Writing arrays: npy, npz and safetensors.

package dataset

import (
	"archive/zip"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"

	"repscope/internal/atomicfile"
	"repscope/internal/dtype"
)

// Field is one named array of an npz or safetensors file to write. Data is a
// slice of an Element type with the product of Shape as its length.
type Field struct {
	Name  string
	Shape []int
	Data  any
}

// raw returns the type and the little-endian bytes of a field.
func (f Field) raw() (DType, []byte, error) {
	t, raw, err := elements(f.Data)
	if err != nil {
		return t, nil, fmt.Errorf("array %q: %w", f.Name, err)
	}
	size, err := dtype.ArraySize(f.Shape, t)
	if err != nil {
		return t, nil, fmt.Errorf("array %q: %w", f.Name, err)
	}
	if size != int64(len(raw)) {
		return t, nil, fmt.Errorf("array %q: %d elements do not fit shape %v", f.Name, len(raw)/t.Size(), f.Shape)
	}
	if dtype.HostOrder() == dtype.BigEndian && t.Size() > 1 {
		raw = slices.Clone(raw)
		dtype.SwapBytes(raw, t.Size())
	}
	return t, raw, nil
}

// NPYHeader returns the header of a .npy file (version 1) whose values follow in
// C order, little-endian. It is for writers of arrays that come in parts; its
// length is a multiple of 64.
func NPYHeader(t DType, shape []int) ([]byte, error) {
	code, ok := npyCodes[t]
	if !ok {
		return nil, fmt.Errorf("NumPy has no type %v", t)
	}
	if _, err := dtype.ArraySize(shape, t); err != nil {
		return nil, err
	}
	order := "<"
	if t.Size() == 1 {
		order = "|"
	}
	lengths := make([]string, len(shape))
	for i, n := range shape {
		lengths[i] = fmt.Sprint(n)
	}
	tuple := strings.Join(lengths, ", ")
	if len(shape) == 1 {
		tuple += ","
	}
	return npyHeaderOf(order+code, "("+tuple+")"), nil
}

// npyHeaderOf is the header of an array of a type and a shape as NumPy writes them.
func npyHeaderOf(descr, shape string) []byte {
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, shape)
	padding := (64 - (10+len(text)+1)%64) % 64
	text += strings.Repeat(" ", padding) + "\n"
	header := append([]byte(npyMagic), 1, 0)
	header = binary.LittleEndian.AppendUint16(header, uint16(len(text)))
	return append(header, text...)
}

// EncodeNPY writes an array in C order, little-endian, in the .npy format, version 1.
func EncodeNPY[T Element](w io.Writer, shape []int, data []T) error {
	return encodeNPY(w, Field{Shape: shape, Data: data})
}

func encodeNPY(w io.Writer, f Field) error {
	t, raw, err := f.raw()
	if err != nil {
		return err
	}
	header, err := NPYHeader(t, f.Shape)
	if err != nil {
		return err
	}
	if _, err := w.Write(header); err != nil {
		return err
	}
	_, err = w.Write(raw)
	return err
}

// WriteNPY writes an array in C order, little-endian, as .npy version 1. The
// file appears under its name only when complete.
func WriteNPY[T Element](path string, shape []int, data []T) error {
	return writeFile(path, func(w io.Writer) error { return EncodeNPY(w, shape, data) })
}

// EncodeNPZ writes the arrays as stored (uncompressed) members of an .npz file.
// Equal fields give equal bytes.
func EncodeNPZ(w io.Writer, fields ...Field) error {
	archive := zip.NewWriter(w)
	if err := checkNames(fields); err != nil {
		return err
	}
	for _, f := range fields {
		member, err := archive.CreateHeader(&zip.FileHeader{Name: f.Name + ".npy", Method: zip.Store})
		if err != nil {
			return err
		}
		if err := encodeNPY(member, f); err != nil {
			return err
		}
	}
	return archive.Close()
}

// WriteNPZ writes the arrays as EncodeNPZ does. The file appears under its name
// only when complete.
func WriteNPZ(path string, fields ...Field) error {
	return writeFile(path, func(w io.Writer) error { return EncodeNPZ(w, fields...) })
}

func checkNames(fields []Field) error {
	seen := map[string]bool{}
	for _, f := range fields {
		if f.Name == "" || f.Name == "__metadata__" || seen[f.Name] {
			return fmt.Errorf("array name %q is empty, reserved or used twice", f.Name)
		}
		seen[f.Name] = true
	}
	return nil
}

// writeFile writes a file that appears under its name only when complete.
func writeFile(path string, write func(w io.Writer) error) error {
	if err := atomicfile.Write(path, atomicfile.Options{Sync: true}, write); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
