// Texts that are read from left to right.

package text

import "strings"

// Cursor is a place in a text.
type Cursor struct {
	Text string
	At   int // in bytes, at most the length of Text
}

// Skip passes white space and zero bytes.
func (c *Cursor) Skip() {
	for c.At < len(c.Text) && strings.IndexByte(" \t\r\n\f\x00", c.Text[c.At]) >= 0 {
		c.At++
	}
}

// Next skips white space, and passes b if it is next.
func (c *Cursor) Next(b byte) bool {
	c.Skip()
	if c.At < len(c.Text) && c.Text[c.At] == b {
		c.At++
		return true
	}
	return false
}
