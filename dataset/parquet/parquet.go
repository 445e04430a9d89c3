// Package parquet reads columns of numbers, times, texts and bytes of Parquet files, also lists of numbers of one size
// as arrays of more axes. Rows are read in ranges: pages are expanded in parallel, and no more of them are in memory
// than a range needs.
//
//	mapped, err := mmap.Open("latents.parquet")
//	…
//	file, err := parquet.Read(mapped)
//	…
//	column := file.Columns[0]                              // embedding: float32, lists of 768
//	err = column.Prepare()                                 // its Shape: [768]
//	rows := make([]byte, 64*column.RowBytes())
//	err = column.Read(rows, 0, 64)                         // little-endian
//
// It reads data pages of version 1 and 2, all encodings of the format but the bit-packed levels of 2013, and pages that
// are uncompressed or compressed by Snappy, gzip, Zstandard and LZ4.
package parquet

import (
	"fmt"
	"io"
	"slices"

	"repscope/internal/dtype"
)

// Source is a file.
type Source interface {
	io.ReaderAt
	Path() string
	Size() int64
	// Use calls a function with n bytes at an offset, which it must not keep.
	Use(offset, n int64, fn func(raw []byte) error) error
}

// File is an open file.
type File struct {
	Columns []*Leaf
	Rows    int
	// Properties are the texts that the writer stored, such as the schema of pandas.
	Properties []Property
}

// Leaf is a column, a leaf of the schema: by the names of its groups joined by points, without the names of lists.
type Leaf struct {
	Name  string
	DType dtype.DType // of numbers and times; Invalid for texts and bytes
	Time  string      // NumPy's code of times, such as M8[ns]; empty for others
	// Text says that values are texts, or bytes without a meaning, which Binary says.
	Text, Binary bool
	// Problem is why it cannot be read; nil where it can.
	Problem error
	Rows    int
	// Shape is the shape of a row: nil for one value. The sizes of lists are known after [Leaf.Prepare].
	Shape []int
	// Lists is how deep its lists lie in each other.
	Lists int
	// Codecs are the compressions of its pages.
	Codecs []string

	leaf     leaf
	chunks   []*chunk
	count    int    // values per row
	pattern  []byte // repetition levels of a row
	prepared bool
	cache    cache
}

// leaf is how values are stored.
type leaf struct {
	path     []string
	kind     physical
	length   int // bytes of a value, 0 for byte arrays
	def, rep int // the largest levels
	lists    []int
}

// Read reads the header of a file. Its columns can be read while it is open.
func Read(file Source) (*File, error) {
	h, err := readHeader(file)
	if err == nil {
		var f *File
		if f, err = h.file(file); err == nil {
			return f, nil
		}
	}
	return nil, fmt.Errorf("%s: %w", file.Path(), err)
}

// Column is the column of a name; nil if there is none.
func (f *File) Column(name string) *Leaf {
	for _, c := range f.Columns {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// Append adds the rows of another file, whose columns must be the same.
func (f *File) Append(other *File) error {
	for _, c := range f.Columns {
		o := other.Column(c.Name)
		switch {
		case o == nil:
			return fmt.Errorf("has no column %q, which the first file has", c.Name)
		case o.DType != c.DType || o.Time != c.Time || o.Text != c.Text || o.Lists != c.Lists:
			return fmt.Errorf("column %q is %s, but %s in the first file", c.Name, o.Type(), c.Type())
		case o.leaf.def != c.leaf.def || o.leaf.kind != c.leaf.kind ||
			o.leaf.length != c.leaf.length || !slices.Equal(o.leaf.lists, c.leaf.lists):
			return fmt.Errorf("column %q is stored in another way than in the first file: levels %d and %d of %v and %v; "+
				"write the files with one schema",
				c.Name, o.leaf.def, c.leaf.def, o.leaf.kind, c.leaf.kind)
		}
		for _, k := range o.chunks {
			k.column = c
			k.firstRow += c.Rows
			c.chunks = append(c.chunks, k)
		}
		c.Rows += o.Rows
		c.prepared = false
		if c.Problem == nil {
			c.Problem = o.Problem
		}
		for _, name := range o.Codecs {
			if !slices.Contains(c.Codecs, name) {
				c.Codecs = append(c.Codecs, name)
			}
		}
	}
	f.Rows += other.Rows
	return nil
}

// Type is the name of its type, for messages.
func (c *Leaf) Type() string {
	switch {
	case c.Time != "":
		return c.Time
	case c.Binary:
		return "bytes"
	case c.Text:
		return "text"
	case c.DType == dtype.Invalid:
		return c.leaf.kind.String()
	}
	return c.DType.String()
}

// RowBytes is the size of a row of numbers.
func (c *Leaf) RowBytes() int { return c.count * c.DType.Size() }
