// Array: a named n-dimensional array on disk or in memory, read by rows.

package dataset

import (
	"repscope/internal/dtype"
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

// Array is an n-dimensional array of any rank, in C order, whose first axis is
// read in ranges of rows. All methods may be called from several goroutines.
type Array struct {
	name  string
	shape []int
	dtype DType
}

// Element is a Go type an array can be made of or written from.
type Element interface {
	bool | uint8 | int32 | int64 | float32 | float64
}

// NewArray returns an array over data in memory, which is not copied and must
// not change. name stands in messages. It is an error when the shape does not
// hold len(data) elements.
func NewArray[T Element](name string, shape []int, data []T) (*Array, error) { return nil, nil }

// Open opens "FILE" or "FILE:key" (see the package comment for the formats).
// The key names one array of an npz or safetensors file and may be left out
// when there is only one; of an experience dataset it is "val" (the default) or
// "train", optionally followed by ".states", ".actions", ".rewards" or
// ".stop_episodes"; of another PyTorch file it is the path of a tensor, such as
// "buffer.frames". A directory is a folder of images.
func Open(spec string) (*Array, error) { return nil, nil }

// Name is what messages call the array: its file and key.
func (a *Array) Name() string { return a.name }

// Path is the file or folder the array came from, "" for one in memory.
func (a *Array) Path() string { return "" }

// Key is the array's name inside its file, "" where there is none.
func (a *Array) Key() string { return "" }

// Shape returns the shape; it must not be changed.
func (a *Array) Shape() []int { return a.shape }

// DType returns the element type.
func (a *Array) DType() DType { return a.dtype }

// Len is the number of rows: Shape()[0], or 1 for a scalar.
func (a *Array) Len() int { return 0 }

// RowLen is the number of elements of a row, the product of Shape()[1:].
func (a *Array) RowLen() int { return 0 }

// ReadUint8 reads rows lo..hi-1 of a uint8 or bool array into dst, which has
// length (hi-lo)·RowLen().
func (a *Array) ReadUint8(dst []uint8, lo, hi int) error { return nil }

// ReadFloat32 reads rows lo..hi-1, converted to float32, unscaled.
func (a *Array) ReadFloat32(dst []float32, lo, hi int) error { return nil }

// ReadFloat64 reads rows lo..hi-1, converted to float64, unscaled.
func (a *Array) ReadFloat64(dst []float64, lo, hi int) error { return nil }

// ReadInt64 reads rows lo..hi-1 as integers; floating-point elements must be
// whole numbers.
func (a *Array) ReadInt64(dst []int64, lo, hi int) error { return nil }

// SHA256 returns the hexadecimal digest of the file the array came from, the
// same as sha256sum prints; of a folder, that of its images' names and
// contents in order; of an array in memory, that of its type, shape and bytes. It is computed
// once, by streaming.
func (a *Array) SHA256() (string, error) { return "", nil }

// Close releases the file. The array cannot be read afterwards.
func (a *Array) Close() error { return nil }
