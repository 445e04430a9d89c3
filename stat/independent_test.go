// Tests of comparisons of models on observations of their own.

package stat

import (
	"math"
	"testing"
)

// With single observations as blocks the comparison of two means is Welch's.
func TestCompareIndependentOfMeansIsWelch(t *testing.T) {
	t.Parallel()
	random := NewRandom(NewKey(7))
	a, b := make([]float64, 23), make([]float64, 40)
	for i := range a {
		a[i] = random.Normal()
	}
	for i := range b {
		b[i] = 0.7 + 3*random.Normal()
	}
	of := func(values []float64) *Jackknifed {
		labels := make([]int, len(values))
		for i := range labels {
			labels[i] = i
		}
		blocks, err := NewBlocks(len(values), labels, BlockSpec{Kind: EpisodeBlocks})
		if err != nil {
			t.Fatal(err)
		}
		j, err := JackknifeMean(blocks, values)
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	got, err := CompareIndependent(of(a), of(b), CompareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := Welch(a, b, 0)
	if err != nil {
		t.Fatal(err)
	}
	for name, pair := range map[string][2]float64{"difference": {got.Difference, want.Difference}, "low": {got.Interval.Low, want.Interval.Low},
		"high": {got.Interval.High, want.Interval.High}, "t": {got.T, want.T}, "df": {got.DF, want.DF}, "p": {got.P, want.P}} {
		if math.Abs(pair[0]-pair[1]) > 1e-12*math.Abs(pair[1]) {
			t.Errorf("%s: %v, want %v", name, pair[0], pair[1])
		}
	}
}

// Statistics that do not vary leave nothing to test against, and say so.
func TestCompareIndependentUndefined(t *testing.T) {
	t.Parallel()
	constant, err := DeleteBlockJackknife(1, []float64{1, 1, 1}, []int{1, 1, 1}, 0)
	if err != nil {
		t.Fatal(err)
	}
	c, err := CompareIndependent(constant, constant, CompareOptions{})
	if err != nil || c.Reason == "" || c.Interval.Defined() || !math.IsNaN(c.P) || c.Difference != 0 {
		t.Errorf("%+v, %v", c, err)
	}
}
