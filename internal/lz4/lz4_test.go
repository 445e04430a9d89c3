// Blocks of LZ4 by the format's description, and blocks that are damaged.

package lz4

import (
	"strings"
	"testing"
)

func TestBlock(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, src, want string }{
		{"literals", "\x50hello", "hello"},
		{"a copy", "\x32abc\x03\x00\x10d", "abcabcabcd"},
		{"a copy of itself", "\x12a\x01\x00\x00", "aaaaaaa"},
		{"long literals", "\xf0\x05" + strings.Repeat("x", 20), strings.Repeat("x", 20)},
		{"a long copy", "\x1fa\x01\x00\xff\x00\x10b", strings.Repeat("a", 275) + "b"},
		{"nothing", "\x00", ""},
	} {
		dst := make([]byte, len(c.want))
		if err := Block(dst, []byte(c.src)); err != nil || string(dst) != c.want {
			t.Errorf("%s: %q, %v, want %q", c.name, dst, err, c.want)
		}
		for n := range len(c.src) { // a shorter block, one of another size
			if err := Block(dst, []byte(c.src[:n])); err == nil && c.want != "" {
				t.Errorf("%s: no error of %d bytes", c.name, n)
			}
		}
		if err := Block(make([]byte, len(c.want)+1), []byte(c.src)); err == nil {
			t.Errorf("%s: no error of one byte more", c.name)
		}
		if c.want != "" && Block(make([]byte, len(c.want)-1), []byte(c.src)) == nil {
			t.Errorf("%s: no error of one byte less", c.name)
		}
	}
	for name, src := range map[string]string{
		"before the first byte": "\x12a\x02\x00\x00", "no distance": "\x12a\x00\x00\x00", "an endless length": "\xf0" + strings.Repeat("\xff", 50),
	} {
		if err := Block(make([]byte, 7), []byte(src)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func FuzzBlock(f *testing.F) {
	f.Add([]byte("\x32abc\x03\x00\x10d"), 10)
	f.Fuzz(func(_ *testing.T, src []byte, n int) { _ = Block(make([]byte, min(max(n, 0), 1<<16)), src) })
}
