// Tests of names of files.

package filename

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestOf(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"jepa": "jepa", "a/b": "a_b", "../x": "x", "..": "_", ".": "_", "": "_", ".hidden": "hidden", "/etc/passwd": "etc_passwd", `C:\x`: "C__x", "a b": "a_b",
		"a\x00b": "a_b", "a\nb": "a_b", "a\u202eb": "a_b", "\xff": "_", "x.": "x", "x ": "x", "x. .": "x", "NUL": "_NUL", "nul.npy": "_nul.npy", "com1": "_com1",
		"LPT¹": "_LPT¹", "com10": "com10", "console": "console", "größe": "größe", "日本": "日本", "epoch=1-step=100": "epoch=1-step=100", "_a_": "a", "a__b": "a__b", "...": "_",
		"conv_layers.3": "conv_layers.3", "-rf": "-rf", "{model}": "model",
	} {
		if got := Of(name); got != want {
			t.Errorf("Of(%q) is %q, want %q", name, got, want)
		}
	}
	long := strings.Repeat("é", 300)
	if got := Of(long); len(got) > Longest || !utf8.ValidString(got) || got == Of(long+"x") || got == Of("x"+long) {
		t.Errorf("a long name: %q", got)
	}
}

// uniqueNames are names of files for several names.
func uniqueNames(names []string) []string {
	taken, all := Taken{}, make([]string, len(names))
	for i, name := range names {
		all[i] = taken.Unique(Of(name), "")
	}
	return all
}

// Files of all names can be made and are found in their folder alone.
func FuzzUnique(f *testing.F) {
	for _, s := range []string{"a/b\na_b\nA_B\nA/B", "..\n.\n\n", "nul\nNUL.x", "x~2\nx\nx", strings.Repeat("a", 300) + "\n" + strings.Repeat("A", 300), "\xff\n\u202e", "ı\nI\ni"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		names := strings.Split(text, "\n")
		all := uniqueNames(names)
		dir := t.TempDir()
		for i, name := range all {
			if name == "" || strings.HasPrefix(name, ".") || filepath.Base(name) != name || !filepath.IsLocal(name) || len(name) > Longest+8 {
				t.Errorf("%q became %q", names[i], name)
			}
			for _, other := range all[:i] {
				if strings.EqualFold(name, other) {
					t.Errorf("%q and %q of %q", name, other, names)
				}
			}
			if i < 50 {
				if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
					t.Error(err)
				}
			}
		}
		if !slices.Equal(all, uniqueNames(names)) {
			t.Errorf("%q: not the same twice", names)
		}
	})
}

func TestStem(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"a/b.csv": "b", "b.tar.gz": "b.tar", "b": "b", "a/.csv": ".csv", ".": ".", "a.b/c": "c",
	} {
		if got := Stem(path); got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
}
