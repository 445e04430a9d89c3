// Writing .npz files whose arrays are made while they are written.

package dataset

import (
	"archive/zip"
	"fmt"
	"io"

	"repscope/internal/dtype"
)

// StreamedField is an array of an .npz file that Write writes in C order, little-endian: exactly the bytes of the
// shape.
type StreamedField struct {
	Name  string
	DType DType
	Shape []int
	Write func(w io.Writer) error

	header []byte // of a text
	size   int64
}

// TextField is a text as NumPy's bytes, which [ReadText] reads.
func TextField(name, text string) StreamedField {
	return StreamedField{Name: name, header: npyHeaderOf(fmt.Sprintf("|S%d", max(len(text), 1)), "()"), size: int64(max(len(text), 1)),
		Write: func(w io.Writer) error {
			if text == "" {
				text = "\x00"
			}
			_, err := io.WriteString(w, text)
			return err
		}}
}

// StreamNPZ writes the arrays as [EncodeNPZ] does, without holding any of them. An array whose size differs from its
// shape is an error.
func StreamNPZ(w io.Writer, fields ...StreamedField) error {
	archive := zip.NewWriter(w)
	for _, f := range fields {
		if f.header == nil {
			var err error
			if f.header, err = NPYHeader(f.DType, f.Shape); err != nil {
				return fmt.Errorf("array %q: %w", f.Name, err)
			}
			if f.size, err = dtype.ArraySize(f.Shape, f.DType); err != nil {
				return fmt.Errorf("array %q: %w", f.Name, err)
			}
		}
		member, err := archive.CreateHeader(&zip.FileHeader{Name: f.Name + ".npy", Method: zip.Store})
		if err != nil {
			return err
		}
		if _, err := member.Write(f.header); err != nil {
			return err
		}
		counted := &countingWriter{to: member}
		if err := f.Write(counted); err != nil {
			return fmt.Errorf("array %q: %w", f.Name, err)
		}
		if counted.n != f.size {
			return fmt.Errorf("array %q: %d bytes were written, want %d", f.Name, counted.n, f.size)
		}
	}
	return archive.Close()
}

// countingWriter counts the bytes it passes on.
type countingWriter struct {
	to io.Writer
	n  int64
}

func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.n += int64(n)
	return n, err
}
