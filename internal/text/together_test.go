// Tests of messages of several names.

package text

import (
	"slices"
	"testing"
)

func TestTogether(t *testing.T) {
	t.Parallel()
	names := []string{"a", "b", "a: b", "c", "d", "e"}
	for _, c := range []struct{ texts, want []string }{
		{nil, []string{}},
		{[]string{"short", "a: short", "b: long", "b: short", "short"}, []string{"short", "a and b: short", "b: long"}},
		{[]string{"c: short", "a: b: short", "b: short"}, []string{"c, a: b and b: short"}}, // of the longest name
		{[]string{"a: x", "a: x", "f: x", "c: 3 of 4", "d: 2 of 4"}, []string{"a: x", "f: x", "c: 3 of 4", "d: 2 of 4"}},
		{[]string{"a: x", "b: x", "c: x", "d: x"}, []string{"a, b, c and d: x"}},
		{[]string{"e: x", "b: x", "c: x", "d: x", "a: x"}, []string{"e, b, c and 2 more: x"}},
	} {
		got := Together(c.texts, names)
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.texts, got, c.want)
		}
		if again := Together(got, names); !slices.Equal(again, got) {
			t.Errorf("%q: once more %q, want the same", got, again)
		}
	}
}

func TestTogetherWithoutNames(t *testing.T) {
	t.Parallel()
	if got := Together([]string{"a: x", "b: x"}, nil); !slices.Equal(got, []string{"a: x", "b: x"}) {
		t.Errorf("%q", got)
	}
}
