// Array: a named n-dimensional array on disk or in memory, read by rows.

package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"hash/crc32"
	"math"
	"slices"
	"strings"
	"sync"

	"repscope/internal/dtype"
	"repscope/internal/format"
	"repscope/internal/mmap"
	"repscope/points"
)

// DType is the element type of an array.
type DType = dtype.DType

// The element types an Array can have.
const (
	Bool     = dtype.Bool
	Uint8    = dtype.Uint8
	Int8     = dtype.Int8
	Int16    = dtype.Int16
	Int32    = dtype.Int32
	Int64    = dtype.Int64
	Uint16   = dtype.Uint16
	Uint32   = dtype.Uint32
	Uint64   = dtype.Uint64
	Float16  = dtype.Float16
	BFloat16 = dtype.BFloat16
	Float32  = dtype.Float32
	Float64  = dtype.Float64
)

// ErrTruncated reports that a file ends too early: it was cut while being copied or written.
var ErrTruncated = format.ErrTruncated

// Array is an n-dimensional array of any rank, in C order, whose first axis is
// read in ranges of rows. All methods may be called from several goroutines.
type Array struct {
	name, path, key string
	shape           []int
	dtype           DType
	order           dtype.Order
	rows, rowLen    int
	source          source

	digest   func() (string, error) // computes the SHA-256 once
	verified bool                   // no checksum is left for digest to verify
	same     func() error           // see [Array.Unchanged]; nil: it is in memory, or in a folder
	close    func() error
	values   func() (scan, error) // inspects the values once
	notes    []string

	labels func() (*Labels, error) // of the axes; nil: the format has none

	time    string   // NumPy's code of times, such as M8[ns]; empty for numbers
	whole   bool     // numbers are whole ones or classes, although their type has NaN
	classes []string // the texts coded by whole numbers
	columns []string // names of the columns of a table that are the columns of the array
	joined  *joined  // arrays whose rows these are; nil: it is one array
}

// source gives the bytes of rows, in C order.
type source interface {
	// use calls fn with the bytes of rows lo..hi-1, which must not be changed, nor
	// kept after fn returns.
	use(lo, hi int, fn func(raw []byte) error) error
}

// viewer is a source whose rows lie in memory as they are.
type viewer interface {
	view(lo, hi int) ([]byte, bool)
}

// Element is a Go type an array can be made of or written from.
type Element interface {
	bool | uint8 | int32 | int64 | float32 | float64
}

// elements returns the element type of T and the bytes of data in the machine's
// order; only bool is copied.
func elements(data any) (DType, []byte, error) {
	switch data := data.(type) {
	case []bool:
		raw := make([]byte, len(data))
		for i, v := range data {
			if v {
				raw[i] = 1
			}
		}
		return Bool, raw, nil
	case []uint8:
		return Uint8, data, nil
	case []int32:
		return Int32, dtype.Bytes(data), nil
	case []int64:
		return Int64, dtype.Bytes(data), nil
	case []float32:
		return Float32, dtype.Bytes(data), nil
	case []float64:
		return Float64, dtype.Bytes(data), nil
	}
	return dtype.Invalid, nil, fmt.Errorf("data of type %T, want a slice of bool, uint8, int32, int64, float32 or float64", data)
}

// newArray sets the fields that follow from the shape, whose size has been checked.
func newArray(name, path, key string, shape []int, t DType, order dtype.Order, s source) *Array {
	a := &Array{name: name, path: path, key: key, shape: shape, dtype: t, order: order, rows: 1, rowLen: 1, source: s}
	if len(shape) > 0 {
		a.rows = shape[0]
		for _, n := range shape[1:] {
			a.rowLen *= n
		}
	}
	a.digest = sync.OnceValues(a.hashContent)
	a.close = func() error { return nil }
	a.values = sync.OnceValues(a.inspect)
	return a
}

// NewArray returns an array over data in memory, which is not copied and must not change. name is its name in messages.
// It is an error when the shape does not hold len(data) elements.
func NewArray[T Element](name string, shape []int, data []T) (*Array, error) {
	t, raw, err := elements(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	size, err := dtype.ArraySize(shape, t)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if size != int64(len(raw)) {
		return nil, fmt.Errorf("%s: %d elements do not fit shape %v", name, len(data), shape)
	}
	return newArray(name, "", "", slices.Clone(shape), t, dtype.HostOrder(),
		&region{memory(raw), 0, rowBytes(shape, t)}), nil
}

// rowBytes is the number of bytes of one row.
func rowBytes(shape []int, t DType) int {
	n := t.Size()
	for _, k := range shape[min(1, len(shape)):] {
		n *= k
	}
	return n
}

// blob is a run of bytes that is too large to copy: a mapped file or memory.
type blob interface {
	Use(offset, n int64, fn func(raw []byte) error) error
	View(offset, n int64) ([]byte, bool)
}

// memory is a blob in memory.
type memory []byte

func (m memory) Use(offset, n int64, fn func(raw []byte) error) error {
	return fn(m[offset : offset+n])
}

func (m memory) View(offset, n int64) ([]byte, bool) { return m[offset : offset+n], true }

// region is a source whose rows lie in a blob as they are.
type region struct {
	in     blob
	offset int64
	row    int
}

func (r *region) use(lo, hi int, fn func(raw []byte) error) error {
	return r.in.Use(r.offset+int64(lo)*int64(r.row), int64(hi-lo)*int64(r.row), fn)
}

func (r *region) view(lo, hi int) ([]byte, bool) {
	return r.in.View(r.offset+int64(lo)*int64(r.row), int64(hi-lo)*int64(r.row))
}

// fortran is a source in Fortran order: the first axis varies fastest, so that
// one element of all rows lies together.
type fortran struct {
	region
	shape []int
	size  int
}

func (f *fortran) use(lo, hi int, fn func(raw []byte) error) error {
	rows := hi - lo
	dst := make([]byte, rows*f.row)
	axes := f.shape[1:]
	// stride in C order of each of the remaining axes
	stride := make([]int, len(axes))
	step := 1
	for i := len(axes) - 1; i >= 0; i-- {
		stride[i] = step
		step *= axes[i]
	}
	index := make([]int, len(axes))
	written := 0
	for k := range f.row / f.size {
		offset := f.offset + (int64(k)*int64(f.shape[0])+int64(lo))*int64(f.size)
		err := f.in.Use(offset, int64(rows)*int64(f.size), func(raw []byte) error {
			for r := range rows {
				copy(dst[r*f.row+written*f.size:][:f.size], raw[r*f.size:])
			}
			return nil
		})
		if err != nil {
			return err
		}
		for i := range axes {
			index[i]++
			written += stride[i]
			if index[i] < axes[i] {
				break
			}
			written -= index[i] * stride[i]
			index[i] = 0
		}
	}
	return fn(dst)
}

func (f *fortran) view(int, int) ([]byte, bool) { return nil, false }

// Name is the array's name in messages: its file and key.
func (a *Array) Name() string { return a.name }

// Path is the file or folder the array came from, "" for one in memory.
func (a *Array) Path() string { return a.path }

// Key is the array's name inside its file, "" where there is none.
func (a *Array) Key() string { return a.key }

// Shape returns the shape; it must not be changed.
func (a *Array) Shape() []int { return a.shape }

// Notes are facts for the reader about the conversion of the array from its files, such as resized images.
func (a *Array) Notes() []string { return a.notes }

// DType returns the element type.
func (a *Array) DType() DType { return a.dtype }

// Time is the unit of whole numbers that are times: NumPy's code of its type, such as M8[ns] (datetime64[ns], since
// 1970) or m8[h] (timedelta64[h]); "" for numbers.
func (a *Array) Time() string { return a.time }

// Whole reports whether floating-point numbers are whole ones or classes, with NaN in rows that have
// none: a column of a table with empty cells.
func (a *Array) Whole() bool { return a.whole }

// Classes are the texts coded by the numbers 0, 1, …, in ascending order; nil for numbers.
func (a *Array) Classes() []string { return a.classes }

// Len is the number of rows: Shape()[0], or 1 for a scalar.
func (a *Array) Len() int { return a.rows }

// RowLen is the number of elements of a row, the product of Shape()[1:].
func (a *Array) RowLen() int { return a.rowLen }

// use checks the range and passes on the bytes of rows lo..hi-1.
func (a *Array) use(length, lo, hi int, fn func(raw []byte) error) error {
	if lo < 0 || hi < lo || hi > a.rows {
		return fmt.Errorf("%s: rows %d..%d of %d", a.name, lo, hi, a.rows)
	}
	if length != (hi-lo)*a.rowLen {
		return fmt.Errorf("%s: reading %d rows of %d values into %d", a.name, hi-lo, a.rowLen, length)
	}
	if length == 0 {
		return nil
	}
	if err := a.source.use(lo, hi, fn); err != nil {
		if rest, ok := strings.CutPrefix(err.Error(), a.name); ok && rest != "" && strings.ContainsRune(":/\\", rune(rest[0])) {
			return err // it names a file of the folder
		}
		return fmt.Errorf("%s: %w", a.name, err)
	}
	return nil
}

// Points are all rows as points in their own type, as [States.Points] returns them. Floating-point numbers are not
// copied if the file is mapped and has the processor's byte order. They must not be changed.
func (a *Array) Points() (points.Points, error) {
	if v, ok := a.source.(viewer); ok && a.order == dtype.HostOrder() && (a.dtype == Float32 || a.dtype == Float64) {
		if raw, ok := v.view(0, a.rows); ok {
			if x, ok := dtype.Elements[float32](raw); ok && a.dtype == Float32 {
				return points.Float32(x, a.rowLen), nil
			}
			if x, ok := dtype.Elements[float64](raw); ok && a.dtype == Float64 {
				return points.Float64(x, a.rowLen), nil
			}
		}
	}
	s, err := NewStates(a, StateOptions{})
	if err != nil {
		return points.Points{}, err
	}
	return s.Points()
}

// ReadUint8 reads rows lo..hi-1 of a uint8 or bool array into dst, which has
// length (hi-lo)·RowLen().
func (a *Array) ReadUint8(dst []uint8, lo, hi int) error {
	return a.use(len(dst), lo, hi, func(raw []byte) error { return dtype.Uint8s(dst, raw, a.dtype) })
}

// ReadFloat32 reads rows lo..hi-1, converted to float32, unscaled.
func (a *Array) ReadFloat32(dst []float32, lo, hi int) error {
	return a.use(len(dst), lo, hi, func(raw []byte) error { return dtype.Float32s(dst, raw, a.dtype, a.order) })
}

// ReadFloat64 reads rows lo..hi-1, converted to float64, unscaled.
func (a *Array) ReadFloat64(dst []float64, lo, hi int) error {
	return a.use(len(dst), lo, hi, func(raw []byte) error { return dtype.Float64s(dst, raw, a.dtype, a.order) })
}

// ReadInt64 reads rows lo..hi-1 as integers; floating-point elements must be
// whole numbers, and times there (not NaT).
func (a *Array) ReadInt64(dst []int64, lo, hi int) error {
	err := a.use(len(dst), lo, hi, func(raw []byte) error { return dtype.Int64s(dst, raw, a.dtype, a.order) })
	if err != nil || a.time == "" {
		return err
	}
	if i := slices.Index(dst, math.MinInt64); i >= 0 {
		return fmt.Errorf("%s: element %d is NaT, want a time", a.name, lo*a.rowLen+i)
	}
	return nil
}

// SHA256 returns the hexadecimal digest of the array's file, the same as sha256sum prints. For a folder it is the
// digest of the names and contents of its images in order; for an array in memory, of its type, shape and bytes. It
// is computed once, by streaming.
func (a *Array) SHA256() (string, error) { return a.digest() }

// Unchanged is an error if the array's file has another size or time of modification than when it was opened: then
// values that were read before and after, and its digest, may be of different files.
func (a *Array) Unchanged() error {
	if a.same == nil {
		return nil
	}
	return a.same()
}

// Close releases the file. The array cannot be read afterwards.
func (a *Array) Close() error { return a.close() }

// hashContent is the digest of an array in memory.
func (a *Array) hashContent() (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%v %v %v\n", a.dtype, a.order, a.shape)
	step := max(1, (1<<20)/max(1, a.rowLen*a.dtype.Size()))
	for lo := 0; lo < a.rows && a.rowLen > 0; lo += step {
		if err := a.source.use(lo, min(lo+step, a.rows), func(raw []byte) error { h.Write(raw); return nil }); err != nil {
			return "", fmt.Errorf("%s: %w", a.name, err)
		}
	}
	return hexDigest(h), nil
}

func hexDigest(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }

// checksum is a part of a file and the CRC-32 that its container gives.
type checksum struct {
	offset, size int64
	want         uint32
}

// hashFile returns the SHA-256 of a file and verifies the checksum of a part of
// it on the way; part may be nil.
func hashFile(f *mmap.File, part *checksum) (string, error) {
	h := sha256.New()
	sum := crc32.NewIEEE()
	for offset := int64(0); offset < f.Size(); offset += 1 << 20 {
		err := f.Use(offset, min(1<<20, f.Size()-offset), func(raw []byte) error {
			h.Write(raw)
			if part != nil {
				lo, hi := max(offset, part.offset), min(offset+int64(len(raw)), part.offset+part.size)
				if lo < hi {
					sum.Write(raw[lo-offset : hi-offset])
				}
			}
			return nil
		})
		if err != nil {
			return "", fmt.Errorf("%s: %w", f.Path(), err)
		}
	}
	if err := f.Unchanged(); err != nil {
		return "", err
	}
	if part != nil && sum.Sum32() != part.want {
		return "", fmt.Errorf("%s: corrupt: checksum %08x of %d bytes at offset %d, want %08x",
			f.Path(), sum.Sum32(), part.size, part.offset, part.want)
	}
	return hexDigest(h), nil
}

// shared closes something when the last of its users is closed.
type shared struct {
	lock  sync.Mutex
	users int
	close func() error
}

// join adds a user and returns the user's close function, which may be called repeatedly.
func (s *shared) join() func() error {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.users++
	return sync.OnceValue(func() error {
		s.lock.Lock()
		defer s.lock.Unlock()
		if s.users--; s.users > 0 {
			return nil
		}
		return s.close()
	})
}
