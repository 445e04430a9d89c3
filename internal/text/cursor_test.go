// Tests of a place in a text.

package text

import "testing"

func TestCursor(t *testing.T) {
	t.Parallel()
	c := Cursor{Text: " \t[\x00\f 1"}
	if !c.Next('[') || c.Next('[') || c.At != 6 {
		t.Errorf("at %d, want 6, behind the bracket and what may be skipped", c.At)
	}
	if c.At = len(c.Text); c.Next('1') {
		t.Error("there is something behind the end")
	}
}
