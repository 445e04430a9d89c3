// Names under an axis.

package plots

import (
	"math"
	"testing"
)

// Names stand side by side where they fit, then wrapped, then turned.
func TestLayoutCategories(t *testing.T) {
	t.Parallel()
	names := []string{"encoder_decoder", "masked_autoencoder", "jepa"}
	lines := func(l categoryLabels) (highest int) {
		for _, b := range l.blocks {
			highest = max(highest, len(b.lines))
		}
		return highest
	}
	if l := layoutCategories(names, 400, 60); l.rotation != 0 || lines(l) != 1 {
		t.Errorf("wide: turned by %g, %d lines", l.rotation, lines(l))
	}
	if l := layoutCategories(names, 130, 60); l.rotation != 0 || lines(l) != 2 {
		t.Errorf("narrower: turned by %g, %d lines", l.rotation, lines(l))
	}
	l := layoutCategories(names, 40, 80)
	if l.rotation == 0 || l.cut || l.height > 80 {
		t.Errorf("narrow: turned by %g, cut %v, %v high", l.rotation, l.cut, l.height)
	}
	if l := layoutCategories(names, 40, 20); !l.cut || l.rotation > math.Pi/2 {
		t.Errorf("no height: cut %v", l.cut)
	}
	if l := layoutCategories(longNames, 30, 80); !l.small {
		t.Error("slots lower than the text are not said to be small")
	}
}
