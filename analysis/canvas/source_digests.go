// What was read of files, by its digest.

package canvas

import (
	"crypto/sha256"
	"encoding/hex"
	"sync"
)

// digests are those of the contents that were read.
type digests struct {
	from Reader
	mu   sync.Mutex
	sums map[string]string
}

// newDigests returns digests of what is read from now on.
func newDigests(from Reader) *digests { return &digests{from: from, sums: map[string]string{}} }

// read is a [Reader] that remembers the digest of what it returns.
func (d *digests) read(path string) ([]byte, error) {
	data, err := d.from(path)
	text := unreadable
	if err == nil {
		text = digestOf(data)
	}
	d.mu.Lock()
	d.sums[path] = text
	d.mu.Unlock()
	return data, err
}

// unreadable stands for the digest of a file that cannot be read, notGiven for that of no file.
const unreadable, notGiven = "unreadable", "-"

// of is the digest of a file, which is read if it was not yet.
func (d *digests) of(path string) string {
	if path == "" {
		return notGiven
	}
	d.mu.Lock()
	text, known := d.sums[path]
	d.mu.Unlock()
	if !known {
		_, _ = d.read(path) // an error is a digest too
		d.mu.Lock()
		text = d.sums[path]
		d.mu.Unlock()
	}
	return text
}

// digestOf is the digest of a file that was read.
func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
