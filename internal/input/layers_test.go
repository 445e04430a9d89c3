// Lists of layers.

package input

import (
	"slices"
	"testing"
)

// Commas separate layers; one with a backslash is part of a name.
func TestLayerLists(t *testing.T) {
	var l layerLists
	for _, text := range []string{`a,b\,c`, ` A=x.*,A=y\,1 `, `d`} {
		if err := l.Set(text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	if want := []string{"a", "b,c", "d"}; !slices.Equal(l.all, want) {
		t.Errorf("layers %q, want %q", l.all, want)
	}
	if want := []string{"x.*", "y,1"}; !slices.Equal(l.of("A"), want) {
		t.Errorf("layers of A %q, want %q", l.of("A"), want)
	}
	for _, text := range []string{"", "a,", ",a", "a,,b", "A="} {
		if err := new(layerLists).Set(text); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}
