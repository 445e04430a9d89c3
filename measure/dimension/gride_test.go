// Gride against SciPy and against Two-NN.

package dimension

import (
	"fmt"
	"strings"
	"testing"

	"repscope/measure/measuretest"
)

func TestGrideMatchesReference(t *testing.T) {
	t.Parallel()
	g, d := golden(t)
	for _, want := range g.Gride {
		got, err := Gride(d.Ratios(want.N1, want.N2), want.N1, want.N2)
		if err != nil {
			t.Fatal(err)
		}
		measuretest.Near(t, fmt.Sprintf("gride %d, %d", want.N1, want.N2), got, want.ID, 1e-9)
	}
	first, err := Gride(d.Ratios(1, 2), 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	measuretest.Near(t, "gride of the first two neighbors", first, g.TwoNN.MLE, 1e-9)
	if _, err := Gride(d.Ratios(1, 2), 2, 2); err == nil || !strings.Contains(err.Error(), "want 1 ≤ n1 < n2") {
		t.Errorf("equal orders: %v", err)
	}
}
