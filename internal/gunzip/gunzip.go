// Package gunzip reads files that may be compressed by gzip, recognized by their first bytes, not by name, and writes
// large ones compressed.
//
//	data, err := gunzip.Bytes([]byte("a,b\n1,2\n")) // unchanged, or expanded
package gunzip

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"

	"repscope/internal/bound"
)

// Most is how many bytes a file may expand to; less where [bound.Of] its size is.
const Most = 1 << 30

// ErrTooLarge is why a file is not expanded.
var ErrTooLarge = errors.New("it is compressed by gzip and expands too much")

// Is reports whether data begins as files that are compressed by gzip do.
func Is(data []byte) bool { return bytes.HasPrefix(data, []byte("\x1f\x8b")) }

// Ending is the ending of the name of a compressed file.
const Ending = ".gz"

// Name is the name of a file without the ending .gz.
func Name(path string) string {
	if k := len(path) - len(Ending); k > 0 && strings.EqualFold(path[k:], Ending) {
		return path[:k]
	}
	return path
}

// Bytes returns the content of a file, expanded if it is compressed by gzip, also of several parts. Errors: damaged or
// truncated data; more than Most bytes, or than [bound.Of] the size of the file ([ErrTooLarge]).
func Bytes(data []byte) ([]byte, error) {
	return upTo(data, int(min(Most, bound.Of(int64(len(data))))))
}

func upTo(data []byte, limit int) ([]byte, error) {
	if !Is(data) {
		return data, nil
	}
	// Expanded twice: too large data take no memory, and others exactly their size.
	n, err := expand(io.Discard, data, int64(limit)+1)
	switch {
	case err != nil:
		return nil, err
	case n > int64(limit):
		return nil, fmt.Errorf("%w, to more than %d bytes; expand it with gunzip", ErrTooLarge, limit)
	}
	out := bytes.NewBuffer(make([]byte, 0, n))
	if _, err := expand(out, data, n); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// expand writes at most most bytes of compressed data.
func expand(w io.Writer, data []byte, limit int64) (n int64, err error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err == nil {
		n, err = io.Copy(w, io.LimitReader(r, limit))
	}
	if err != nil {
		return n, damaged(err)
	}
	return n, nil
}

// damaged is the error of damaged compressed data.
func damaged(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return fmt.Errorf("it is compressed by gzip and truncated: %w", io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("it is compressed by gzip and damaged: %w", err)
}
