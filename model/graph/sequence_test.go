// Lists that go on from one another.

package graph

import (
	"strings"
	"testing"
)

// A list whose memory another list has gone on in is copied when it goes on itself.
func TestSequenceAppend(t *testing.T) {
	t.Parallel()
	first := NewSequence(Type{DType: Float32}).Append("a")
	b, c := first.Append("b"), first.Append("c")
	d := b.Append("d")
	for i, c := range []struct {
		list *Sequence
		want string
	}{{first, "a"}, {b, "a b"}, {c, "a c"}, {d, "a b d"}} {
		if have := strings.Join(c.list.Items, " "); have != c.want {
			t.Errorf("list %d is %q, want %q", i, have, c.want)
		}
	}
}
