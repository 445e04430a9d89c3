// Sequences as numbers, which are what all comparisons work on.

package text

import (
	"slices"
)

// Sequence is a sequence whose elements are numbers of a [Comparer], from 0 upward.
type Sequence []int32

// Comparer compares sequences of one alphabet, and keeps the memory that comparisons take for
// the next one. The zero value is ready to use. It serves one goroutine at a time.
type Comparer[T comparable] struct {
	codes map[T]int32
	masks []uint64 // by code: where it is in 64 elements of the pattern; 0 between comparisons
	carry []uint8  // by place in the text: what goes from 64 rows of the table to the next
	count []int32  // by code; 0 between comparisons
	match matcher
}

// Encode returns the numbers of the elements; elements that are new to the Comparer get the next
// ones.
func (c *Comparer[T]) Encode(elements []T) Sequence {
	if c.codes == nil {
		c.codes = map[T]int32{}
	}
	out := make(Sequence, len(elements))
	for i, e := range elements {
		code, ok := c.codes[e]
		if !ok {
			code = int32(len(c.codes))
			c.codes[e] = code
		}
		out[i] = code
	}
	return out
}

// Size is the number of different elements of all sequences so far.
func (c *Comparer[T]) Size() int { return len(c.codes) }

// Common returns the number of elements that two sequences share, whatever their order: the size
// of the intersection of multisets.
func (c *Comparer[T]) Common(a, b Sequence) int {
	c.count = slices.Grow(c.count[:0], c.Size())[:c.Size()]
	for _, code := range a {
		c.count[code]++
	}
	n := 0
	for _, code := range b {
		if c.count[code] > 0 {
			c.count[code]--
			n++
		}
	}
	for _, code := range a {
		c.count[code] = 0
	}
	return n
}

// trim leaves out what both sequences begin and end with, and returns how much that is.
func trim(a, b Sequence) (x, y Sequence, same int) {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
		same++
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
		same++
	}
	return a, b, same
}

// columns prepares the columns of a table of a pattern and a text: longer sequences make fewer,
// broader words as patterns, but have to be looked up.
func (c *Comparer[T]) columns(a, b Sequence) (pattern, text Sequence) {
	work := func(pattern, text Sequence) int { return (len(pattern)+63)/64*len(text) + len(pattern) }
	if pattern, text = a, b; work(b, a) < work(a, b) {
		pattern, text = b, a
	}
	if n := c.Size(); len(c.masks) < n {
		c.masks = append(c.masks, make([]uint64, n-len(c.masks))...)
	}
	c.carry = slices.Grow(c.carry[:0], len(text))[:len(text)]
	return pattern, text
}
