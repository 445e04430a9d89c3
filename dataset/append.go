// Appender: writing one array row by row, in several sittings if need be.

package dataset

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"

	"repscope/internal/atomicfile"
	"repscope/internal/dtype"
	"repscope/internal/regular"
	"repscope/internal/safetensors"
)

// AppendFormats are the formats that an Appender writes.
func AppendFormats() []string { return []string{"npy", "npz", "safetensors"} }

// Appender writes an array [N, …] whose rows come one after the other into a
// file. Its length is known from the start, so that the file is valid as soon as
// the last row is there and Finish has been called. Writing can be interrupted
// at any row and continued later with ResumeAppender; the bytes are the same.
type Appender struct {
	path      string
	f         *os.File
	head      []byte // everything before the rows
	member    string // name of the npz member; empty for other formats
	inner     []byte // the part of head that belongs to the npz member
	t         DType
	rows, row int // of the array: number, and bytes of one
	done      int
	crc       uint32
	raw       []byte
}

// AppendPosition is the progress of an Appender.
type AppendPosition struct {
	Rows int    `json:"rows"`
	CRC  uint32 `json:"crc32"` // of the bytes so far, starting with the array's own header
}

// NewAppender creates the file, or empties it, and writes the part before the rows. The format is one of AppendFormats;
// name is the array's name in npz and safetensors files. The type is Float32 or Float16.
func NewAppender(path, format, name string, t DType, shape []int) (*Appender, error) {
	a, err := newAppender(path, format, name, t, shape)
	if err != nil {
		return nil, err
	}
	if a.f, err = openAppended(path, os.O_CREATE); err != nil {
		return nil, err
	}
	if err = a.f.Truncate(0); err == nil {
		_, err = a.f.Write(a.head)
	}
	if err != nil {
		return nil, errors.Join(err, a.f.Close())
	}
	return a, nil
}

// ResumeAppender opens a file that an Appender left at this position. The position can be before the end of the file;
// later contents are cut off. Errors: the file is shorter or its contents have changed, in which case it stays
// unchanged, or another process holds the lock on the file. An Appender locks its file if the file system supports
// locks.
func ResumeAppender(path, format, name string, t DType, shape []int, position AppendPosition) (*Appender, error) {
	a, err := newAppender(path, format, name, t, shape)
	if err != nil {
		return nil, err
	}
	if a.f, err = openAppended(path, 0); err != nil {
		return nil, err
	}
	if err := a.resume(position); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), a.f.Close())
	}
	return a, nil
}

func (a *Appender) resume(position AppendPosition) error {
	if position.Rows < 0 || position.Rows > a.rows {
		return fmt.Errorf("row %d of %d", position.Rows, a.rows)
	}
	head := make([]byte, len(a.head))
	_, err := io.ReadFull(a.f, head)
	if a.member != "" {
		copy(head[zipCRC:zipCRC+4], a.head[zipCRC:]) // set by a Finish that was interrupted
	}
	if err != nil || !bytes.Equal(head, a.head) {
		return errors.New("its header belongs to another array")
	}
	length := int64(position.Rows) * int64(a.row)
	sum := crc32.NewIEEE()
	sum.Write(a.inner)
	n, err := io.Copy(sum, io.LimitReader(a.f, length))
	switch {
	case err != nil:
		return err
	case n < length:
		return fmt.Errorf("%d bytes of rows, want %d: %w", n, length, ErrTruncated)
	}
	if sum.Sum32() != position.CRC {
		return errors.New("its rows have changed since they were written")
	}
	end := int64(len(a.head)) + length
	if err := a.f.Truncate(end); err != nil {
		return err
	}
	a.done, a.crc = position.Rows, position.CRC
	_, err = a.f.Seek(end, io.SeekStart)
	return err
}

// openAppended opens the file of an Appender for itself alone.
func openAppended(path string, flags int) (*os.File, error) {
	f, err := regular.OpenFile(path, os.O_RDWR|flags, 0o666)
	if err != nil {
		return nil, err
	}
	if err := atomicfile.TryLock(f); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return f, nil
}

// ErrLocked reports that another process is writing a file.
var ErrLocked = atomicfile.ErrLocked

// DiscardAppended removes a file that an Appender left. That there is none is no
// error; that an Appender is writing it is.
func DiscardAppended(path string) error {
	f, err := openAppended(path, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(path))
}

func newAppender(path, format, name string, t DType, shape []int) (*Appender, error) {
	if t != Float32 && t != Float16 {
		return nil, fmt.Errorf("%s: rows of type %v, want float32 or float16", path, t)
	}
	size, err := dtype.ArraySize(shape, t)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(shape) == 0 || size == 0 {
		return nil, fmt.Errorf("%s: shape %v has no rows", path, shape)
	}
	a := &Appender{path: path, t: t, rows: shape[0], row: int(size / int64(shape[0]))}
	switch format {
	case "npy":
		if a.head, err = NPYHeader(t, shape); err != nil {
			return nil, err
		}
		a.inner = a.head
	case "npz":
		if a.inner, err = NPYHeader(t, shape); err != nil {
			return nil, err
		}
		a.member = name + ".npy"
		a.head = append(localHeader(a.member, int64(len(a.inner))+size, 0), a.inner...)
	case "safetensors":
		if a.head, err = safetensors.Header(safetensors.Tensor{Name: name, DType: t, Shape: shape}); err != nil {
			return nil, err
		}
		a.inner = a.head
	default:
		return nil, fmt.Errorf("%s: format %q, want %s", path, format, strings.Join(AppendFormats(), ", "))
	}
	a.crc = crc32.ChecksumIEEE(a.inner)
	return a, nil
}

// Append writes further rows. An element that float16 cannot hold is an error.
func (a *Appender) Append(values []float32) error {
	size := a.t.Size()
	n := len(values) * size
	if n%a.row != 0 || a.done+n/a.row > a.rows {
		return fmt.Errorf("%s: %d elements after row %d of %d: want whole rows of %d",
			a.path, len(values), a.done, a.rows, a.row/size)
	}
	a.raw = slices.Grow(a.raw[:0], n)[:n]
	if a.t == Float16 {
		for i, v := range values {
			h := dtype.Float32ToFloat16(v)
			if h&0x7fff == 0x7c00 && !math.IsInf(float64(v), 0) {
				return fmt.Errorf("%s: row %d: element %d is %g, outside the range of float16 (±65504); choose float32",
					a.path, a.done+i*size/a.row, i%(a.row/size), v)
			}
			binary.LittleEndian.PutUint16(a.raw[2*i:], h)
		}
	} else {
		for i, v := range values {
			binary.LittleEndian.PutUint32(a.raw[4*i:], math.Float32bits(v))
		}
	}
	if _, err := a.f.Write(a.raw); err != nil {
		return err
	}
	a.crc = crc32.Update(a.crc, crc32.IEEETable, a.raw)
	a.done += n / a.row
	return nil
}

// Position is the position of the Appender, for ResumeAppender.
func (a *Appender) Position() AppendPosition { return AppendPosition{a.done, a.crc} }

// Sync forces the rows to disk.
func (a *Appender) Sync() error { return a.f.Sync() }

// Close closes the file as it is.
func (a *Appender) Close() error { return a.f.Close() }

// Finish completes the file, forces it to disk and closes it. All rows must be
// there.
func (a *Appender) Finish() error {
	if a.done != a.rows {
		return errors.Join(fmt.Errorf("%s: %d rows of %d", a.path, a.done, a.rows), a.f.Close())
	}
	var err error
	if a.member != "" {
		size := int64(len(a.inner)) + int64(a.rows)*int64(a.row)
		if _, err = a.f.Write(directory(a.member, size, a.crc, int64(len(a.head)-len(a.inner))+size)); err == nil {
			_, err = a.f.WriteAt(localHeader(a.member, size, a.crc), 0)
		}
	}
	if err == nil {
		err = a.f.Sync()
	}
	return errors.Join(err, a.f.Close())
}

// The parts of a ZIP archive (APPNOTE.TXT 6.3.10) of one stored member, with sizes from 4 GiB on in a ZIP64 field.
// Package archive/zip needs a data descriptor for a member whose checksum is not known in advance, and not every reader
// of .npz files takes one.

const (
	zipDate = 1<<5 | 1 // 1 January 1980
	zipCRC  = 14       // offset of the checksum in a local header
)

func isWide(size int64) bool { return size >= math.MaxUint32 }

func localHeader(name string, size int64, crc uint32) []byte {
	le := binary.LittleEndian
	version, short, extra := uint16(20), uint32(size), []byte(nil)
	if isWide(size) {
		version, short = 45, math.MaxUint32
		extra = le.AppendUint16(le.AppendUint16(nil, 1), 16)
		extra = le.AppendUint64(le.AppendUint64(extra, uint64(size)), uint64(size))
	}
	b := le.AppendUint32(nil, 0x04034b50)
	for _, v := range []uint16{version, 0, 0, 0, zipDate} {
		b = le.AppendUint16(b, v)
	}
	for _, v := range []uint32{crc, short, short} {
		b = le.AppendUint32(b, v)
	}
	b = le.AppendUint16(le.AppendUint16(b, uint16(len(name))), uint16(len(extra)))
	return append(append(b, name...), extra...)
}

// directory is the central directory at this offset, and the end of the archive.
func directory(name string, size int64, crc uint32, offset int64) []byte {
	le := binary.LittleEndian
	version, short, extra := uint16(20), uint32(size), []byte(nil)
	if isWide(size) {
		version, short = 45, math.MaxUint32
		extra = le.AppendUint16(le.AppendUint16(nil, 1), 16)
		extra = le.AppendUint64(le.AppendUint64(extra, uint64(size)), uint64(size))
	}
	b := le.AppendUint32(nil, 0x02014b50)
	for _, v := range []uint16{version, version, 0, 0, 0, zipDate} {
		b = le.AppendUint16(b, v)
	}
	for _, v := range []uint32{crc, short, short} {
		b = le.AppendUint32(b, v)
	}
	for _, v := range []uint16{uint16(len(name)), uint16(len(extra)), 0, 0, 0} {
		b = le.AppendUint16(b, v)
	}
	b = le.AppendUint32(le.AppendUint32(b, 0), 0) // attributes; the member begins at 0
	b = append(append(b, name...), extra...)
	length := len(b)
	narrow := uint32(offset)
	if isWide(offset) {
		narrow = math.MaxUint32
		b = le.AppendUint64(le.AppendUint32(b, 0x06064b50), 44)
		b = le.AppendUint16(le.AppendUint16(b, 45), 45)
		b = le.AppendUint32(le.AppendUint32(b, 0), 0)
		for _, v := range []int64{1, 1, int64(length), offset} {
			b = le.AppendUint64(b, uint64(v))
		}
		b = le.AppendUint32(le.AppendUint32(b, 0x07064b50), 0)
		b = le.AppendUint32(le.AppendUint64(b, uint64(offset)+uint64(length)), 1)
	}
	b = le.AppendUint32(b, 0x06054b50)
	for _, v := range []uint16{0, 0, 1, 1} {
		b = le.AppendUint16(b, v)
	}
	b = le.AppendUint32(le.AppendUint32(b, uint32(length)), narrow)
	return le.AppendUint16(b, 0)
}
