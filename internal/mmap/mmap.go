// Package mmap reads files that may be larger than memory: through a memory
// mapping where the system offers one, and with ordinary reads elsewhere.
//
//	file, err := mmap.Open("frames.npy")
//	if err != nil { … }
//	defer file.Close()
//	err = file.Use(128, 7056, func(raw []byte) error { … })
package mmap

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"repscope/internal/regular"
)

// File is an open file of known size. It is safe for concurrent use.
type File struct {
	path     string
	size     int64
	modified time.Time

	// lock is held for reading while the file's bytes are in use, so that Close
	// waits for them.
	lock   sync.RWMutex
	file   *os.File
	data   []byte
	pinned bool

	used atomic.Int64 // bytes since the mapping was last released
}

// resident bounds the part of a mapped file that counts as the program's memory
// when it is read from end to end.
const resident = 2 << 20

// large reads are loaded and released separately: at once instead of page by page, and without evicting other data.
const large, largest = 1 << 20, 1 << 26

// letGo gives the mapping's pages back once enough of it has been read, here n bytes at offset. They stay
// in the system's cache, from which further reads take them.
func (f *File) letGo(offset, n int64) {
	switch {
	case f.pinned:
	case n >= large:
		release(f.pages(offset-around, n+2*around))
	case f.used.Add(n) >= resident:
		f.used.Store(0)
		release(f.data)
	}
}

// bringIn maps the pages of a large read.
func (f *File) bringIn(offset, n int64) {
	if n >= large && n <= largest {
		populate(f.pages(offset, n))
	}
}

// around is how much a system maps around an accessed page, as Linux does by default.
const around = 1 << 16

// pages are the pages that hold n bytes at offset, as far as they exist.
func (f *File) pages(offset, n int64) []byte {
	begin := max(0, offset)
	begin -= begin % int64(os.Getpagesize())
	return f.data[begin:min(offset+n, int64(len(f.data)))]
}

// Open opens a regular file for reading.
func Open(path string) (*File, error) { return open(path, mapsAll) }

// Shared opens a file that another process has mapped and writes to: it is mapped if the system can. On Windows, reads
// may not show data written through a mapping, so a file that cannot be mapped is an error there.
func Shared(path string) (*File, error) { return open(path, true) }

func open(path string, mapped bool) (*File, error) {
	file, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	f, err := fromFile(file, mapped)
	if err != nil {
		file.Close()
		return nil, err
	}
	return f, nil
}

// FromFile takes a regular file that was opened for reading; from then on the
// result's Close closes it.
func FromFile(file *os.File) (*File, error) { return fromFile(file, mapsAll) }

func fromFile(file *os.File, mapped bool) (*File, error) {
	path := file.Name()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if err := regular.Check(path, info); err != nil {
		return nil, err
	}
	f := &File{path: path, size: info.Size(), modified: info.ModTime(), file: file}
	if mapped && f.size > 0 && f.size <= math.MaxInt {
		// A file system that cannot map is read in the ordinary way.
		if f.data, err = mapFile(file, int(f.size)); err != nil && !readsShow {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return f, nil
}

// Size is the number of bytes when the file was opened.
func (f *File) Size() int64 { return f.size }

// Path is the name the file was opened with.
func (f *File) Path() string { return f.path }

// Unchanged returns an error if the file's size or time of modification has changed since it was opened. Reading the
// mapping of a file that was cut ends the program, so a long-lived reader checks first.
func (f *File) Unchanged() error {
	info, err := f.stat()
	if err != nil {
		return err
	}
	if info.Size() != f.size || !info.ModTime().Equal(f.modified) {
		return fmt.Errorf("%s: changed while it was in use (%d bytes at %v, was %d at %v)", f.path,
			info.Size(), info.ModTime().Format(time.RFC3339), f.size, f.modified.Format(time.RFC3339))
	}
	return nil
}

// Current reports whether the path still names this file, of the size that it was opened with.
func (f *File) Current() bool {
	info, err := f.stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(f.path)
	return err == nil && os.SameFile(info, named) && named.Size() == f.size
}

// stat describes the open file as it is now.
func (f *File) stat() (fs.FileInfo, error) {
	f.lock.RLock()
	defer f.lock.RUnlock()
	if f.file == nil {
		return nil, ErrClosed
	}
	return f.file.Stat()
}

// ErrClosed is the error of reading after Close.
var ErrClosed = errors.New("the file is closed")

// check returns an error when the range does not lie in the file; lock is held.
func (f *File) check(offset, n int64) error {
	if f.file == nil {
		return ErrClosed
	}
	if offset < 0 || n < 0 || offset > f.size || n > f.size-offset {
		return fmt.Errorf("%d bytes at offset %d: the file has %d bytes: %w", n, offset, f.size, io.ErrUnexpectedEOF)
	}
	return nil
}

// Use calls fn with n bytes at offset. They must not be changed, nor kept
// after fn returns.
func (f *File) Use(offset, n int64, fn func(raw []byte) error) error {
	f.lock.RLock()
	defer f.lock.RUnlock()
	if err := f.check(offset, n); err != nil {
		return err
	}
	if f.data != nil {
		f.bringIn(offset, n)
		defer f.letGo(offset, n)
		return f.guarded(func() error { return fn(f.data[offset : offset+n : offset+n]) })
	}
	raw := make([]byte, n)
	if err := f.read(raw, offset); err != nil {
		return err
	}
	return fn(raw)
}

func (f *File) read(p []byte, offset int64) error {
	n, err := f.file.ReadAt(p, offset)
	if n == len(p) {
		return nil
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("%s: %w", f.path, err)
}

// ReadAt implements io.ReaderAt.
func (f *File) ReadAt(p []byte, offset int64) (int, error) {
	f.lock.RLock()
	defer f.lock.RUnlock()
	if f.file == nil {
		return 0, ErrClosed
	}
	if offset < 0 || offset >= f.size {
		return 0, io.EOF
	}
	n := int(min(int64(len(p)), f.size-offset))
	if f.data != nil {
		f.bringIn(offset, int64(n))
		if err := f.guarded(func() error { copy(p, f.data[offset:]); return nil }); err != nil {
			return 0, err
		}
		f.letGo(offset, int64(n))
	} else if err := f.read(p[:n], offset); err != nil {
		return 0, err
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// View returns n bytes at offset that stay readable, also after Close, or
// false when the file is not mapped. They must not be changed.
func (f *File) View(offset, n int64) ([]byte, bool) {
	f.lock.Lock()
	defer f.lock.Unlock()
	if f.data == nil || f.check(offset, n) != nil {
		return nil, false
	}
	f.pinned = true
	return f.data[offset : offset+n : offset+n], true
}

// Unmap is Close for a caller that reads no View of the file any more: their memory is released, too.
func (f *File) Unmap() error {
	f.lock.Lock()
	f.pinned = false
	f.lock.Unlock()
	return f.Close()
}

// Close releases the file after the calls in progress. A second Close does nothing.
func (f *File) Close() error {
	f.lock.Lock()
	defer f.lock.Unlock()
	if f.file == nil {
		return nil
	}
	var err error
	if f.data != nil && !f.pinned {
		err = unmapFile(f.data)
	}
	err = errors.Join(err, f.file.Close())
	f.data, f.file = nil, nil
	return err
}
