// Files of text that may be compressed by gzip.

package dataset

import (
	"fmt"
	"io"

	"repscope/internal/format"
	"repscope/internal/gunzip"
	"repscope/internal/mmap"
)

// TextFile is an open file of text: as it is on disk, or expanded.
type TextFile interface {
	io.ReaderAt
	io.Closer
	Size() int64
	Path() string
	// Use calls a function with n bytes at an offset, which it must not keep.
	Use(offset, n int64, fn func(raw []byte) error) error
	// SHA256 is the digest of the file on disk.
	SHA256() (string, error)
}

// OpenText opens a file of text. A Parquet file is one of CSV. One that is compressed by gzip, by its first bytes, is
// expanded; see [gunzip.Bytes].
func OpenText(path string) (TextFile, error) {
	file, err := mmap.Open(path)
	if err != nil {
		return nil, err
	}
	head := make([]byte, min(4, file.Size()))
	if _, err := file.ReadAt(head, 0); err == nil && format.Of(head) == format.Parquet {
		defer file.Close()
		return parquetText(file)
	}
	if _, err := file.ReadAt(head, 0); err != nil || !gunzip.Is(head) {
		return mappedText{file}, nil // the reader reports errors
	}
	defer file.Close()
	e := &expandedText{path: path}
	if e.digest, err = hashFile(file, nil); err != nil {
		return nil, err
	}
	err = file.Use(0, file.Size(), func(raw []byte) error { e.data, err = gunzip.Bytes(raw); return err })
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return e, nil
}

// parquetText is a Parquet file as lines of CSV.
func parquetText(file *mmap.File) (TextFile, error) {
	e := &expandedText{path: file.Path()}
	s, err := parquetIn(file)
	if err == nil {
		e.data, err = s.text()
	}
	if err == nil {
		e.digest, err = s.digest()
	}
	return e, err
}

// mappedText is a file as it is on disk.
type mappedText struct{ *mmap.File }

func (m mappedText) SHA256() (string, error) { return hashFile(m.File, nil) }

// expandedText is the content of a compressed file.
type expandedText struct {
	path   string
	data   []byte
	digest string
}

func (e *expandedText) Size() int64             { return int64(len(e.data)) }
func (e *expandedText) Path() string            { return e.path }
func (e *expandedText) Close() error            { return nil }
func (e *expandedText) SHA256() (string, error) { return e.digest, nil }

func (e *expandedText) ReadAt(p []byte, offset int64) (int, error) {
	if offset < 0 || offset >= int64(len(e.data)) {
		return 0, io.EOF
	}
	n := copy(p, e.data[offset:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (e *expandedText) Use(offset, n int64, fn func(raw []byte) error) error {
	if offset < 0 || n < 0 || offset > int64(len(e.data))-n {
		return fmt.Errorf("%d bytes at offset %d: the expanded file has %d: %w", n, offset, len(e.data), io.ErrUnexpectedEOF)
	}
	return fn(e.data[offset : offset+n : offset+n])
}
