// Tests of comparisons of models on observations of their own and on shared ones.

package stat

import (
	"math"
	"testing"
)

// With single observations as blocks the comparison of two means is Welch's.
func TestCompareSharingNothingIsWelch(t *testing.T) {
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
	got, err := CompareSharing(of(a), of(b), 0, CompareOptions{})
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
func TestCompareSharingUndefined(t *testing.T) {
	t.Parallel()
	constant, err := DeleteBlockJackknife(1, []float64{1, 1, 1}, []int{1, 1, 1}, 0)
	if err != nil {
		t.Fatal(err)
	}
	c, err := CompareSharing(constant, constant, 0, CompareOptions{})
	if err != nil || c.Reason == "" || c.Interval.Defined() || !math.IsNaN(c.P) || c.Difference != 0 {
		t.Errorf("%+v, %v", c, err)
	}
}

// Two differences of means that share the second sample: what is shared goes out, and the
// comparison is that of the first samples alone.
func TestCompareSharingTakesOutWhatIsShared(t *testing.T) {
	t.Parallel()
	random := NewRandom(NewKey(8))
	draw := func(n int, mean, scale float64) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = mean + scale*random.Normal()
		}
		return out
	}
	a, b, real := draw(30, 0, 1), draw(45, 0.5, 2), draw(20, 3, 50)
	without := func(values []float64) []float64 {
		out := make([]float64, len(values))
		for i, v := range values {
			out[i] = (Sum(values) - v) / float64(len(values)-1)
		}
		return out
	}
	of := func(own []float64) *Jackknifed {
		var replicates []float64
		var sizes []int
		for _, v := range without(own) {
			replicates, sizes = append(replicates, v-Mean(real)), append(sizes, 1)
		}
		for _, v := range without(real) {
			replicates, sizes = append(replicates, Mean(own)-v), append(sizes, 1)
		}
		j, err := DeleteBlockJackknife(Mean(own)-Mean(real), replicates, sizes, 0)
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	got, err := CompareSharing(of(a), of(b), len(real), CompareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := Welch(a, b, 0)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(got.Interval.Low-want.Interval.Low) > 1e-9 || math.Abs(got.Interval.High-want.Interval.High) > 1e-9 || math.Abs(got.P-want.P) > 1e-9 || got.Blocks != 95 {
		t.Errorf("%+v, want %+v", got, want)
	}
	if _, err := CompareSharing(of(a), of(b), 60, CompareOptions{}); err == nil {
		t.Error("blocks of one alone are taken for shared ones")
	}
}
