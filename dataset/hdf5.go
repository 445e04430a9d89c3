// Arrays of HDF5 files.

package dataset

import (
	"errors"
	"fmt"
	"strings"

	"repscope/dataset/hdf5"
	"repscope/internal/bound"
	"repscope/internal/dtype"
	"repscope/internal/format"
	"repscope/internal/mmap"
)

// isHDF5 recognizes HDF5 files, also behind a block of the user's.
func isHDF5(kind format.Kind, file *mmap.File) (bool, error) {
	return kind == format.HDF5 || kind == format.Unknown && hdf5.Begins(file), nil
}

// openHDF5 opens a dataset by its path, with or without a leading slash.
func openHDF5(file *mmap.File, key string) (*Array, error) {
	f, err := hdf5.Read(file)
	if err != nil {
		return nil, err
	}
	if key != "" {
		d, err := f.Dataset(key)
		if err == nil {
			return hdf5Array(file, f, d)
		}
		if !errors.Is(err, hdf5.ErrNotFound) {
			return nil, err
		}
	}
	entries, err := f.Entries()
	if err != nil {
		return nil, err
	}
	var names, data []string
	for _, e := range entries {
		names = append(names, e.Path)
		if e.Dataset == nil || !e.Dataset.IsScale() {
			data = append(data, e.Path)
		}
	}
	if key, err = chooseData(file.Path(), "dataset", strings.Trim(key, "/"), names, data); err != nil {
		return nil, err
	}
	d, err := f.Dataset(key)
	if err != nil {
		return nil, err
	}
	return hdf5Array(file, f, d)
}

// allHDF5 opens the datasets of numbers.
func allHDF5(file *mmap.File) ([]*Array, error) {
	f, err := hdf5.Read(file)
	if err != nil {
		return nil, err
	}
	entries, err := f.Entries()
	if err != nil {
		return nil, err
	}
	var arrays []*Array
	for _, e := range entries {
		if e.Err != nil || e.Dataset.Readable() != nil || e.Dataset.Type.Text {
			continue
		}
		a, err := hdf5Array(file, f, e.Dataset)
		if err != nil {
			return nil, err
		}
		arrays = append(arrays, a)
	}
	return arrays, nil
}

// hdf5Array presents a dataset as an array.
func hdf5Array(file *mmap.File, f *hdf5.File, d *hdf5.Dataset) (*Array, error) {
	if err := d.Prepare(); err != nil {
		return nil, err
	}
	name := file.Path() + ":" + d.Path
	if d.Type.Text {
		texts, err := d.Texts()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return textArray(file, d.Path, d.Shape, texts)
	}
	var s source = rowsOf{d}
	if offset, ok := d.Contiguous(); ok {
		s = &region{file, offset, d.RowBytes()}
	}
	a := newArray(name, file.Path(), d.Path, d.Shape, d.Type.DType, d.Type.Order, s)
	a.labels = func() (*Labels, error) { return hdf5Labels(file, f, d) }
	attributes, err := netCDFAttributes(file, f, d)
	if err != nil {
		return nil, err
	}
	a.decode(attributes)
	fromFile(a, file, nil)
	a.close = file.Close
	return a, nil
}

// rowReader reads rows into memory.
type rowReader interface {
	RowBytes() int
	Read(dst []byte, lo, hi int) error
}

// rowsOf is a source of rows that are read into memory.
type rowsOf struct{ reader rowReader }

func (r rowsOf) use(lo, hi int, fn func(raw []byte) error) error {
	raw := make([]byte, (hi-lo)*r.reader.RowBytes())
	if err := r.reader.Read(raw, lo, hi); err != nil {
		return err
	}
	return fn(raw)
}

// boxReader reads a part of an array into memory; not ok if it has no way other than rows.
type boxReader interface {
	ReadBox(dst []byte, from, to []int) (ok bool, err error)
}

// textCode is [Array.Time] of texts in files other than NumPy's.
const textCode = "text"

// textArray is an array of texts as bytes, for [OpenColumn].
func textArray(file *mmap.File, key string, shape []int, texts []string) (*Array, error) {
	name := file.Path() + ":" + key
	width := 1
	for _, t := range texts {
		width = max(width, len(t))
	}
	if err := bound.Check(name, int64(width)*int64(len(texts)), file.Size()); err != nil {
		return nil, err
	}
	raw := make([]byte, width*len(texts))
	for i, t := range texts {
		copy(raw[i*width:], t)
	}
	shape = append(append([]int{}, shape...), width)
	s := &region{memory(raw), 0, rowBytes(shape, Uint8)}
	a := newArray(name, file.Path(), key, shape, Uint8, dtype.LittleEndian, s)
	a.time = textCode
	fromFile(a, file, nil)
	a.close = file.Close
	return a, nil
}
