// Paths of modules and their patterns.

package scope

import (
	"slices"
	"strings"
	"testing"
)

func TestMatchName(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"", "", true}, {"", "a", false}, {"*", "", true}, {"*", "a/b", true}, {"a*b", "ab", true}, {"a*b", "axxb/b", true}, {"a*b", "axxc", false},
		{"?", "ä", true}, {"?", "", false}, {"**a", "ba", true}, {"*a*", "bab", true}, {"[a]", "a", false}, {"a?c*", "abcd", true},
	} {
		if got := MatchName(c.pattern, c.name); got != c.want {
			t.Errorf("Match(%q, %q) = %v", c.pattern, c.name, got)
		}
	}
}

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, path string
		want          bool
	}{
		{"blocks.*", "blocks.7", true}, {"blocks.*", "blocks.7.attn", false}, {"blocks.*", "blocks", false}, {"layer*", "layer3", true},
		{"layer*", "layer3.1", false}, {"layer*.*", "layer3.1", true}, {"*.layer.?", "encoder.layer.7", true}, {"*", "norm", true}, {"*", "a.b", false},
	} {
		if got := Match(c.pattern, c.path); got != c.want {
			t.Errorf("Match(%q, %q) = %v", c.pattern, c.path, got)
		}
	}
}

func TestAround(t *testing.T) {
	if got := Around("blocks.7.attn"); !slices.Equal(got, []string{"blocks", "blocks.7", "blocks.7.attn"}) {
		t.Errorf("modules %v", got)
	}
	for _, path := range []string{"", strings.Repeat("a", longest+1), strings.Repeat("a.", deepest+1) + "a"} {
		if got := Around(path); got != nil {
			t.Errorf("%.40s: modules %v", path, got)
		}
	}
}
