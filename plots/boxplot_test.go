// What a box shows of its values.

package plots

import (
	"math"
	"testing"
)

// Quartiles follow numpy's linear rule: np.quantile([1, 2, 3, 4, 10], q).
func TestBoxSummary(t *testing.T) {
	t.Parallel()
	var data extent
	var lost dropped
	b := summarize([]float64{10, 3, math.NaN(), 1, 4, 2, math.Inf(1)}, Axis{}, 100, &data, &lost)
	if b.q1 != 2 || b.median != 3 || b.q3 != 4 || b.mean != 4 || b.low != 1 || b.high != 4 {
		t.Errorf("summary %+v", b)
	}
	if len(b.outliers) != 1 || b.outliers[0] != 10 || data.high != 10 || lost.undefined != 1 || lost.infinite != 1 {
		t.Errorf("outliers %v, range %+v, lost %+v", b.outliers, data, lost)
	}
	sorted := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}
	if got := thinned(sorted, 3); len(got) != 3 || got[0] != 1 || got[1] != 5 || got[2] != 9 {
		t.Errorf("thinned %v", got)
	}
	values := make([]float64, 0, 3000)
	for i := range 2000 {
		values = append(values, float64(i%10))
	}
	for i := range 500 {
		values = append(values, 100+float64(i), -100-float64(i))
	}
	b = summarize(values, Axis{}, 50, &extent{}, &lost)
	if len(b.outliers) != 50 || b.outliers[0] != -599 || b.outliers[49] != 599 {
		t.Errorf("%d outliers from %g to %g, want 50 with both extremes", len(b.outliers), b.outliers[0], b.outliers[len(b.outliers)-1])
	}
}
