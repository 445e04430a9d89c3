// Tests of patterns of names.

package text

import "testing"

func TestWildcard(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{{"*", "", true}, {"a*c", "abbc", true}, {"a*c", "abcd", false}, {"?", "é", true}, {"?", "", false}, {"*b*b", "abab", true},
		{"x[1]", "x[1]", true}, {"**", "a/b", true}} {
		if got := Wildcard(c.pattern, c.name); got != c.want {
			t.Errorf("Wildcard(%q, %q) is %v", c.pattern, c.name, got)
		}
	}
}
