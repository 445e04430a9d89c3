// Tests of leverage against closed forms and by hand.

package stat

import (
	"math"
	"slices"
	"testing"
)

// The hundredth of normal values that lies farthest off holds E[z²; |z| > 2.576] = 0.0845 of
// their variance, that of exponential values e^(−4.605)·(4.605² + 1) = 0.222.
func TestLeverageOfDistributions(t *testing.T) {
	t.Parallel()
	random := NewRandom(NewKey(1))
	normal, exponential := make([]float64, 200000), make([]float64, 200000)
	for i := range normal {
		normal[i] = random.Normal()
		exponential[i] = -math.Log(1 - random.Float64())
	}
	for _, c := range []struct {
		values   []float64
		top, far float64
	}{
		// Far: E[z²; |z| > √10] and, of an exponential, e^(−x)·(x² + 1) at x = 1 + √10.
		{normal, 0.0845, 0.0182}, {exponential, 0.222, 0.285},
	} {
		l := LeverageOf(c.values)
		if math.Abs(l.Top-c.top) > 0.01 || math.Abs(l.Share-c.far) > 0.01 || l.Decides() {
			t.Errorf("top %v, far %v, want about %v and %v", l.Top, l.Share, c.top, c.far)
		}
	}
}

// Of 200 values, 2 at distance 1 from the others: the squares by hand.
func TestLeverageOfFewValues(t *testing.T) {
	t.Parallel()
	values := make([]float64, 200)
	values[7], values[150] = 1, 1
	want := 2 * 0.99 * 0.99 / (2*0.99*0.99 + 198*0.01*0.01)
	for _, scale := range []float64{1, 1e-300, 1e300} {
		scaled := slices.Clone(values)
		for i := range scaled {
			scaled[i] *= scale
		}
		l := LeverageOf(scaled)
		if !slices.Equal(l.Far, []int{7, 150}) || math.Abs(l.Share-want) > 1e-12 || math.Abs(l.Top-want) > 1e-12 || !l.Decides() {
			t.Errorf("values times %g: %+v, want 7 and 150 with a share of %v", scale, l, want)
		}
	}
	for _, none := range [][]float64{nil, {3, 3, 3}} {
		if l := LeverageOf(none); l.Top != 0 || l.Far != nil || l.Decides() {
			t.Errorf("%v: %+v", none, l)
		}
	}
}
