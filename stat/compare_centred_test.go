// A test of comparisons whose models both change with the number of observations.

package stat

import (
	"math"
	"testing"
)

// A score that falls where observations are fewer, as ranks at a fixed k do: every
// deletion lowers both models. The test must be about the difference reported, not
// about its extrapolation to infinitely many observations, which is far from it.
func TestComparisonIsCentredOnTheDifference(t *testing.T) {
	sizes := []int{10, 30, 25, 12, 20, 18, 22, 16}
	// Differences a − b per block around 0.02, and a size effect on a alone.
	var a, b []float64
	for j, m := range sizes {
		noise := 1e-4 * float64(j%3-1)
		a = append(a, 0.95-0.004*float64(m)/25+noise)
		b = append(b, 0.93)
	}
	first, err := DeleteBlockJackknife(0.95, a, sizes, 0)
	if err != nil {
		t.Fatal(err)
	}
	second, err := DeleteBlockJackknife(0.93, b, sizes, 0)
	if err != nil {
		t.Fatal(err)
	}
	if first.Bias > -0.02 {
		t.Fatalf("bias %v: the example should have a large one", first.Bias)
	}
	c, err := CompareJackknifed(first, second, CompareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	// Effect = difference / standard deviation over blocks, with the sign and size
	// of the difference.
	sd := c.Difference / c.Effect
	if math.Abs(c.Difference-0.02) > 1e-12 || !(sd > 0) || !(c.Interval.Low > 0) || c.P > 2/math.Exp2(7) {
		t.Errorf("difference %v, interval [%v, %v], p %v, effect %v", c.Difference, c.Interval.Low, c.Interval.High, c.P, c.Effect)
	}
}
