// Levina–Bickel against scikit-learn's neighbors, and distances that have no dimension.

package dimension

import (
	"fmt"
	"strings"
	"testing"

	"repscope/measure/measuretest"
)

func TestLevinaBickelMatchesReference(t *testing.T) {
	t.Parallel()
	g, d := golden(t)
	for _, want := range g.LevinaBickel {
		got, err := LevinaBickel(d.Nearest.Distance, d.Nearest.K, want.K)
		if err != nil {
			t.Fatal(err)
		}
		measuretest.Near(t, fmt.Sprintf("levina–bickel of %d neighbors", want.K), got, want.ID, 1e-9)
	}
}

func TestLevinaBickelOfSpecialDistances(t *testing.T) {
	t.Parallel()
	for want, f := range map[string]func() (float64, error){
		"k = 1, want 2 ≤ k ≤ 3":    func() (float64, error) { return LevinaBickel([]float64{1, 2, 3}, 3, 1) },
		"k = 4, want 2 ≤ k ≤ 3":    func() (float64, error) { return LevinaBickel([]float64{1, 2, 3}, 3, 4) },
		"of point 1 is 0, want":    func() (float64, error) { return LevinaBickel([]float64{1, 2, 0, 2}, 2, 2) },
		"all 2 neighbor distances": func() (float64, error) { return LevinaBickel([]float64{2, 2, 3, 3}, 2, 2) },
	} {
		if _, err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one containing %q", err, want)
		}
	}
}
