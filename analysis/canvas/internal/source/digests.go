// Contents of files by their digests.

package source

import (
	"crypto/sha256"
	"encoding/hex"
	"sync"
)

// Digests are the digests of the contents that were read.
type Digests struct {
	from Reader
	mu   sync.Mutex
	sums map[string]string
}

// NewDigests returns digests of contents read from now on.
func NewDigests(from Reader) *Digests { return &Digests{from: from, sums: map[string]string{}} }

// Read is a [Reader] that remembers the digest of what it returns.
func (d *Digests) Read(path string) ([]byte, error) {
	data, err := d.from(path)
	text := unreadable
	if err == nil {
		text = DigestOf(data)
	}
	d.mu.Lock()
	d.sums[path] = text
	d.mu.Unlock()
	return data, err
}

// unreadable stands for the digest of a file that cannot be read, notGiven for a missing file.
const unreadable, notGiven = "unreadable", "-"

// Of is the digest of a file, which is read if it was not yet.
func (d *Digests) Of(path string) string {
	if path == "" {
		return notGiven
	}
	d.mu.Lock()
	text, ok := d.sums[path]
	d.mu.Unlock()
	if !ok {
		_, _ = d.Read(path) // an error is a digest too
		d.mu.Lock()
		text = d.sums[path]
		d.mu.Unlock()
	}
	return text
}

// DigestOf is the digest of a file that was read.
func DigestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
