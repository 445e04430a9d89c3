// What the reader is told about values left out.

package plots

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg/recorder"
)

// Omitted values are counted in the footnote.
func TestNotes(t *testing.T) {
	t.Parallel()
	f := one(&Scatter{X: Axis{Log: true}, Series: []ScatterSeries{{Name: "図", X: []float64{1, 0, -1, math.NaN(), math.Inf(1)}, Y: []float64{1, 1, 1, 1, 1}}}})
	s, err := f.compose(&recorder.Canvas{}, false)
	if err != nil {
		t.Fatal(err)
	}
	want := "Panel a: not shown: 2 values non-positive on a log axis, 1 value infinite or above 1e300, 1 value undefined (NaN)."
	ok := false
	for _, m := range s.marks {
		ok = ok || m.kind == "footnote" && m.text == want
	}
	if !ok {
		t.Errorf("the footnote does not say %q", want)
	}
	warnings, err := f.Warnings()
	if err != nil || len(warnings) != 2 || !strings.Contains(strings.Join(warnings, "\n"), "no glyph") {
		t.Errorf("warnings %q, error %v", warnings, err)
	}
}
