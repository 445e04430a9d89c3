// Package bound limits the memory that readers use for a file whose few bytes can represent much: compressed
// structures, values that are used repeatedly, tensors that repeat one element. The limit is a fixed amount plus a
// multiple of the file's size.
//
//	if err := bound.Check("member data.pkl", 1<<30, 1<<20); err != nil {
//		return err
//	}
package bound

import "fmt"

const (
	// Free is how many bytes any file may become.
	Free = 64 << 20
	// Ratio is the number of bytes allowed per byte of a file, in addition to the fixed amount. The values of real pickles
	// take up to a hundred.
	Ratio = 256
)

// Of is how many bytes a reader may make of size bytes of a file.
func Of(size int64) int64 {
	if size > (1<<62)/Ratio {
		return 1 << 62
	}
	return Free + Ratio*max(size, 0)
}

// Check reports whether size bytes of a file may expand to n bytes; what names them in the error.
func Check(what string, n, size int64) error {
	if n < 0 || n > Of(size) {
		return fmt.Errorf("%s takes %d bytes, from a file of %d bytes; want at most %d, and %d plus %d per byte of the file: the file is damaged or malicious",
			what, n, size, Of(size), Free, Ratio)
	}
	return nil
}

// arrayRatio is the number of bytes of an array allowed per stored byte, in addition to the fixed amount. Chunks and
// pages may expand much more than other parts of files: a run, or a chunk of one value, represents any number of
// elements.
const arrayRatio = 1 << 15

// StoredFor is how many bytes must be stored for an array of n bytes.
func StoredFor(n int64) int64 {
	if n <= Free {
		return 0
	}
	return (n-Free)/arrayRatio + 1
}

// Budget adds up the expansion of one file.
type Budget struct {
	size, used int64
}

// NewBudget is for a file of size bytes.
func NewBudget(size int64) *Budget { return &Budget{size: size} }

// Left is how many bytes may still come.
func (b *Budget) Left() int64 { return max(0, Of(b.size)-b.used) }

// Take adds n bytes.
func (b *Budget) Take(what string, n int64) error {
	if b.used += n; b.used < 0 || n < 0 {
		b.used = 1 << 62
	}
	return Check(what, b.used, b.size)
}
