// Writing large content compressed.

package gunzip

import (
	"compress/gzip"
	"io"
)

// Writer writes up to a number of bytes as they are. More are compressed by gzip, all of them from the first one. The
// same bytes give the same file, however they are divided into writes: it has no name or time.
type Writer struct {
	w     io.Writer
	limit int
	held  []byte
	zip   *gzip.Writer
}

// NewWriter returns a writer that compresses more than limit bytes.
func NewWriter(w io.Writer, limit int) *Writer { return &Writer{w: w, limit: limit} }

// Write implements io.Writer. Nothing is written to the underlying writer before the limit or [Writer.Close].
func (z *Writer) Write(data []byte) (int, error) {
	if z.zip == nil {
		if len(z.held)+len(data) <= z.limit {
			z.held = append(z.held, data...)
			return len(data), nil
		}
		z.zip = gzip.NewWriter(z.w)
		if _, err := z.zip.Write(z.held); err != nil {
			return 0, err
		}
		z.held = nil
	}
	return z.zip.Write(data)
}

// Compressed reports whether there were more bytes than the limit.
func (z *Writer) Compressed() bool { return z.zip != nil }

// Close writes the held content; it does not close the underlying writer.
func (z *Writer) Close() error {
	if z.zip != nil {
		return z.zip.Close()
	}
	_, err := z.w.Write(z.held)
	return err
}
