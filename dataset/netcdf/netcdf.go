// Package netcdf reads NetCDF files of the classic formats (CDF-1, CDF-2, CDF-5): variables with their shape, type and
// attributes, and rows of their values. Its [Coding] decodes the packed and missing values of all NetCDF files, also of
// those in HDF5. Sizes in a file are checked against the file before memory is taken.
//
//	mapped, err := mmap.Open("era5.nc")
//	…
//	file, err := netcdf.Read(mapped)
//	…
//	v := &file.Variables[0]
//	raw := make([]byte, 8*v.RowBytes())
//	err = v.Read(raw, 0, 8) // rows 0 to 7, big-endian
package netcdf

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"

	"repscope/dataset/chunk"
	"repscope/internal/dtype"
	"repscope/internal/format"
	"repscope/internal/mmap"
)

// Variable is an array of a file.
type Variable struct {
	Name       string
	Shape      []int
	Dimensions []string // names of the axes
	DType      dtype.DType
	Text       bool // characters; the last axis is the text
	Attributes []Attribute

	file   *File
	begin  int64
	record bool // the first axis grows, with the rows of all such variables taking turns
}

// Attribute is a value with a name: numbers or a text.
type Attribute struct {
	Name    string
	Numbers []float64
	Text    string
}

// File is the header of a file.
type File struct {
	Variables  []Variable
	Attributes []Attribute

	mapped  *mmap.File
	version byte
	records int
	stride  int64 // bytes of a record
}

// The formats by the last byte of their beginning.
const (
	classic  = 1
	offset64 = 2
	data64   = 5
)

// types are the types of elements by their number; 2 is a character.
var types = []dtype.DType{
	dtype.Invalid, dtype.Int8, dtype.Uint8, dtype.Int16, dtype.Int32, dtype.Float32, dtype.Float64,
	dtype.Uint8, dtype.Uint16, dtype.Uint32, dtype.Int64, dtype.Uint64,
}

const character = 2

// Read reads the header of a file.
func Read(mapped *mmap.File) (*File, error) {
	f, err := read(mapped)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", mapped.Path(), err)
	}
	return f, nil
}

// Headers are read in growing parts, as their size is not stored.
const (
	firstHeader = 1 << 16
	mostHeader  = 1 << 28
)

func read(mapped *mmap.File) (*File, error) {
	for n := int64(firstHeader); ; n *= 16 {
		data := make([]byte, min(n, mapped.Size()))
		if _, err := mapped.ReadAt(data, 0); err != nil {
			return nil, err
		}
		f := &File{mapped: mapped}
		r := &reader{data: data}
		err := f.header(r)
		switch {
		case err != nil:
			return nil, err
		case !r.short:
			return f, f.place()
		case int64(len(data)) == mapped.Size():
			return nil, fmt.Errorf("%w: the file ends inside its header", format.ErrTruncated)
		case n >= mostHeader:
			return nil, fmt.Errorf("a header of more than %d bytes", mostHeader)
		}
	}
}

// reader reads big-endian numbers. Past the end it returns zeros and sets short.
type reader struct {
	data  []byte
	next  int
	wide  bool // lengths have eight bytes
	short bool
}

func (r *reader) bytes(n uint64) []byte {
	if r.short || n > uint64(len(r.data)-r.next) {
		r.short = true
		return nil
	}
	r.next += int(n)
	return r.data[r.next-int(n) : r.next]
}

func (r *reader) word() uint64 {
	if b := r.bytes(4); b != nil {
		return uint64(binary.BigEndian.Uint32(b))
	}
	return 0
}

// length is a number of four or eight bytes.
func (r *reader) length() uint64 {
	if !r.wide {
		return r.word()
	}
	if b := r.bytes(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

func (r *reader) pad() { r.bytes(uint64(-r.next & 3)) }

func (r *reader) name() string {
	name := string(r.bytes(r.length()))
	r.pad()
	return name
}

// list reads the head of a list: its tag, or 0 if it is empty, and its length.
func (r *reader) list(want uint64, what string) (uint64, error) {
	tag, n := r.word(), r.length()
	if r.short || tag == 0 && n == 0 {
		return 0, nil
	}
	if tag != want {
		return 0, fmt.Errorf("corrupt: tag %d in the place of the %s", tag, what)
	}
	return n, nil
}

type dimension struct {
	name   string
	length uint64 // 0: records
}

func (f *File) header(r *reader) error {
	head := r.bytes(4)
	if r.short || string(head[:3]) != "CDF" {
		return errors.New("it does not begin with CDF: not a NetCDF file")
	}
	f.version = head[3]
	if f.version != classic && f.version != offset64 && f.version != data64 {
		return fmt.Errorf("CDF-%d, want 1, 2 or 5", f.version)
	}
	r.wide = f.version == data64
	records := r.length()
	if f.records = -1; r.wide && records != math.MaxUint64 || !r.wide && records != math.MaxUint32 {
		if records > 1<<48 {
			return fmt.Errorf("corrupt: %d records", records)
		}
		f.records = int(records)
	}
	n, err := r.list(10, "dimensions")
	if err != nil {
		return err
	}
	var dimensions []dimension
	for ; n > 0 && !r.short; n-- {
		dimensions = append(dimensions, dimension{r.name(), r.length()})
	}
	if f.Attributes, err = r.attributes(); err != nil {
		return err
	}
	if n, err = r.list(11, "variables"); err != nil {
		return err
	}
	for ; n > 0 && !r.short; n-- {
		v, err := f.variable(r, dimensions)
		if err != nil {
			return err
		}
		f.Variables = append(f.Variables, v)
	}
	return nil
}

func (r *reader) attributes() (list []Attribute, err error) {
	n, err := r.list(12, "attributes")
	for ; n > 0 && !r.short && err == nil; n-- {
		a := Attribute{Name: r.name()}
		kind, count := r.word(), r.length()
		if r.short {
			break
		}
		if kind == 0 || kind >= uint64(len(types)) {
			return nil, fmt.Errorf("corrupt: attribute %q of type %d", a.Name, kind)
		}
		high, size := bits.Mul64(count, uint64(types[kind].Size()))
		if high != 0 {
			return nil, fmt.Errorf("corrupt: attribute %q of %d values", a.Name, count)
		}
		raw := r.bytes(size)
		r.pad()
		if r.short {
			break
		}
		if kind == character {
			a.Text = string(raw)
		} else {
			a.Numbers = make([]float64, count)
			if e := dtype.Float64s(a.Numbers, raw, types[kind], dtype.BigEndian); e != nil {
				a.Numbers = nil // an integer beyond 2^53
			}
		}
		list = append(list, a)
	}
	return list, err
}

func (f *File) variable(r *reader, dimensions []dimension) (v Variable, err error) {
	v.file, v.Name = f, r.name()
	n := r.length()
	if r.short {
		return v, nil
	}
	if n > 32 {
		return v, fmt.Errorf("variable %q has %d axes, want at most 32", v.Name, n)
	}
	for axis := range n {
		i := r.length()
		if r.short {
			return v, nil
		}
		if i >= uint64(len(dimensions)) {
			return v, fmt.Errorf("corrupt: variable %q has dimension %d, there are %d", v.Name, i, len(dimensions))
		}
		d := dimensions[i]
		if d.length == 0 && axis > 0 {
			return v, fmt.Errorf("corrupt: variable %q grows along axis %d", v.Name, axis)
		}
		if d.length > 1<<48 {
			return v, fmt.Errorf("corrupt: dimension %q has length %d", d.name, d.length)
		}
		v.record = v.record || d.length == 0
		v.Shape, v.Dimensions = append(v.Shape, int(d.length)), append(v.Dimensions, d.name)
	}
	if v.Attributes, err = r.attributes(); err != nil {
		return v, err
	}
	kind := r.word()
	r.length() // the size follows from the shape
	begin := uint64(0)
	if f.version == classic {
		begin = r.word()
	} else if b := r.bytes(8); b != nil {
		begin = binary.BigEndian.Uint64(b)
	}
	if r.short {
		return v, nil
	}
	if kind == 0 || kind >= uint64(len(types)) {
		return v, fmt.Errorf("corrupt: variable %q of type %d", v.Name, kind)
	}
	if begin > 1<<62 {
		return v, fmt.Errorf("corrupt: variable %q begins at %d", v.Name, begin)
	}
	v.DType, v.Text, v.begin = types[kind], kind == character, int64(begin)
	return v, nil
}

// place computes where records are, and checks every variable against the size of the file.
func (f *File) place() error {
	var records []*Variable
	first := f.mapped.Size()
	for i := range f.Variables {
		v := &f.Variables[i]
		if _, err := v.size(); err != nil {
			return err
		}
		if v.record {
			records = append(records, v)
			f.stride += int64(v.RowBytes()+3) &^ 3
			first = min(first, v.begin)
		}
	}
	if len(records) == 1 {
		f.stride = int64(records[0].RowBytes()) // the only one is not padded
	}
	if f.records < 0 { // not written yet when the header was
		if f.records = 0; f.stride > 0 {
			f.records = int((f.mapped.Size() - first) / f.stride)
		}
	}
	for i := range f.Variables {
		v := &f.Variables[i]
		if v.record {
			v.Shape[0] = f.records
		}
		n, err := v.size()
		if err != nil {
			return err
		}
		end := v.begin + n
		if v.record && f.records > 0 {
			high, low := bits.Mul64(uint64(f.stride), uint64(f.records-1))
			if end = v.begin + int64(v.RowBytes()) + int64(low); high != 0 || low > 1<<61 {
				end = math.MaxInt64
			}
		}
		if n > 0 && end > f.mapped.Size() {
			return fmt.Errorf("%w: variable %q of shape %v ends at byte %d, the file has %d", format.ErrTruncated,
				v.Name, v.Shape, end, f.mapped.Size())
		}
	}
	return nil
}

// size is the number of bytes of all values, whose records lie apart.
func (v *Variable) size() (int64, error) {
	shape := v.Shape
	if v.record && v.file.stride == 0 {
		shape = shape[1:] // before the number of records is known
	}
	n, err := dtype.ArraySize(shape, v.DType)
	if err != nil || n > 1<<61 {
		return 0, fmt.Errorf("corrupt: variable %q of shape %v", v.Name, v.Shape)
	}
	return n, nil
}

// Sibling is the variable of a name in the same file; nil if there is none.
func (v *Variable) Sibling(name string) *Variable {
	for i := range v.file.Variables {
		if v.file.Variables[i].Name == name {
			return &v.file.Variables[i]
		}
	}
	return nil
}

// Rows is the length of the first axis; 1 for a single value.
func (v *Variable) Rows() int { return chunk.Rows(v.Shape) }

// RowBytes is the number of bytes of a row: of one index of the first axis.
func (v *Variable) RowBytes() int { return chunk.RowBytes(v.Shape, v.DType.Size()) }

// Contiguous returns the offset in the file where all values lie; ok is false for records that take turns.
func (v *Variable) Contiguous() (offset int64, ok bool) {
	return v.begin, !v.record || v.file.stride == int64(v.RowBytes())
}

// Read reads rows lo to hi-1, big-endian. dst has (hi-lo)·RowBytes bytes.
func (v *Variable) Read(dst []byte, lo, hi int) error {
	row := v.RowBytes()
	if lo < 0 || hi < lo || hi > v.Rows() || len(dst) != (hi-lo)*row {
		return fmt.Errorf("rows %d to %d of %d into %d bytes", lo, hi, v.Rows(), len(dst))
	}
	if len(dst) == 0 {
		return nil
	}
	if offset, ok := v.Contiguous(); ok {
		_, err := v.file.mapped.ReadAt(dst, offset+int64(lo)*int64(row))
		return err
	}
	for i := lo; i < hi; i++ {
		if _, err := v.file.mapped.ReadAt(dst[(i-lo)*row:][:row], v.begin+int64(i)*v.file.stride); err != nil {
			return err
		}
	}
	return nil
}
