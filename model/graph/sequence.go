// Lists of values. They exist only while a graph is bound to shapes: steps that create a list, or read values from it,
// become names of values.

package graph

import "slices"

// Sequence is a list of values of one element type, by their names, or an optional value without one.
type Sequence struct {
	None   bool // an optional value without one; a value that is there is a value like any other
	Type        // of the elements, without a shape
	Items  []string
	taken  *int // used length of the memory behind Items, which lists may share
	copied int  // the copies made to create it
}

// NewSequence is a list of values.
func NewSequence(t Type, items ...string) *Sequence {
	t.Shape = nil
	taken := len(items)
	return &Sequence{Type: t, Items: slices.Clip(items), taken: &taken, copied: len(items)}
}

// Append is the list with one more value at its end. Loops make lists so, where a copy at every step would
// take the square of their steps.
func (s *Sequence) Append(name string) *Sequence {
	if *s.taken != len(s.Items) {
		return NewSequence(s.Type, append(slices.Clip(s.Items), name)...)
	}
	longer := &Sequence{Type: s.Type, Items: append(s.Items, name), taken: s.taken, copied: 1}
	*s.taken++
	return longer
}
