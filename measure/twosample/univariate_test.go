// Distances of numbers: properties, deletions, bad samples.

package twosample

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"repscope/measure/measuretest"
	"repscope/stat"
)

func normal(random *rand.Rand, n int) []float64 { return measuretest.Normal(random, n, 1).F64 }

// TestWassersteinIsADistance: 0 beside itself in any order, symmetric, moved by shifts,
// scaled by factors, and the same for samples repeated.
func TestWassersteinIsADistance(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		x, y, z := normal(random, 1+random.IntN(30)), normal(random, 1+random.IntN(30)), normal(random, 9)
		of := func(x, y []float64) float64 {
			w, err := Wasserstein1(x, y)
			must(t, err)
			return w
		}
		moved, twice := make([]float64, len(x)), append(append([]float64(nil), x...), x...)
		for i, v := range x {
			moved[len(x)-1-i] = v
		}
		if of(x, moved) != 0 {
			t.Error("a sample is away from itself")
		}
		for i, v := range x {
			moved[i] = 3*v + 100
		}
		measuretest.Near(t, "symmetry", of(x, y), of(y, x), 1e-13)
		measuretest.Near(t, "repetition", of(twice, y), of(x, y), 1e-13)
		measuretest.Near(t, "shift", of(moved, x), math.Abs(3*stat.Mean(x)+100-stat.Mean(x)), 1e-12)
		if of(x, z) > of(x, y)+of(y, z)+1e-12 {
			t.Error("the triangle inequality does not hold")
		}
		measuretest.Near(t, "quantiles", byQuantiles(x, y), of(x, y), 1e-12)
	}
}

// byQuantiles is ∫ |F⁻¹ − G⁻¹| over shares.
func byQuantiles(x, y []float64) float64 {
	x, y = sorted(x), sorted(y)
	sum := 0.0
	for k := range len(x) * len(y) {
		sum += math.Abs(x[k/len(y)] - y[k/len(x)])
	}
	return sum / float64(len(x)*len(y))
}

// Beside values of 1e16 what is transported between small ones keeps its digits: mass 1/2
// moves from 1 to 2.
func TestWassersteinBesideHugeValues(t *testing.T) {
	t.Parallel()
	x, y := []float64{1e16, 1}, []float64{2, 1e16}
	for name, c := range map[string]struct {
		got  func() (float64, error)
		want float64
	}{
		"order 1":  {func() (float64, error) { return Wasserstein1(x, y) }, 0.5},
		"order 2":  {func() (float64, error) { return wasserstein(sorted(x), sorted(y), 2), nil }, 0.5},
		"the same": {func() (float64, error) { return Wasserstein1(x, []float64{1, 1e16}) }, 0},
	} {
		if got, err := c.got(); err != nil || math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %v, %v, want %v", name, got, err, c.want)
		}
	}
}

func TestWithoutBlocks(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	x, y := normal(random, 17), normal(random, 23)
	labels := make([]int, 40)
	for i := range labels {
		labels[i] = i * 5 / 40
	}
	labels[2], labels[39] = 4, 0
	blocks, err := stat.NewBlocks(40, labels, stat.BlockSpec{Kind: stat.EpisodeBlocks})
	must(t, err)
	of := blocks.Labels()
	without := WithoutEach(of, blocks.Count(), x, y, WassersteinSorted)
	scaledWithout := WithoutEach(of, blocks.Count(), x, y, ScaledSorted)
	for b := range without {
		var left [2][]float64
		for i, v := range append(append([]float64(nil), x...), y...) {
			if of[i] != b {
				side := 0
				if i >= len(x) {
					side = 1
				}
				left[side] = append(left[side], v)
			}
		}
		want, err := Wasserstein1(left[0], left[1])
		must(t, err)
		measuretest.Near(t, "without a block", without[b], want, 1e-14)
		_, variance := stat.MeanVariance(left[1])
		n := float64(len(left[1]))
		measuretest.Near(t, "scaled, without a block", scaledWithout[b], want/math.Sqrt(variance*(n-1)/n), 1e-13)
	}
}

func TestBadSamples(t *testing.T) {
	t.Parallel()
	_, empty := Wasserstein1(nil, []float64{1})
	_, nan := Wasserstein1([]float64{1}, []float64{2, math.NaN()})
	_, inf := KolmogorovSmirnov([]float64{math.Inf(1)}, []float64{2})
	for want, err := range map[string]error{
		"the first sample is empty":                                empty,
		"value 1 of the second sample is NaN, want finite numbers": nan,
		"value 0 of the first sample is +Inf, want finite numbers": inf,
	} {
		if stat.Reason(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	constant, err := Scaled1([]float64{1, 2}, []float64{3, 3})
	must(t, err)
	if !math.IsNaN(constant) {
		t.Errorf("in units of no spread: %v", constant)
	}
}

func TestBoundaryAdherence(t *testing.T) {
	t.Parallel()
	b, err := BoundaryAdherence([]float64{0, 1, 2, 3}, []float64{1, 2.5})
	must(t, err)
	if b != (Boundaries{Inside: 0.5, Below: 0.25, Above: 0.25}) {
		t.Errorf("%+v", b)
	}
}

func TestPool(t *testing.T) {
	t.Parallel()
	one, err := stat.NewBlocks(4, []int{7, 7, 3, 3}, stat.BlockSpec{Kind: stat.EpisodeBlocks})
	must(t, err)
	two, err := stat.NewBlocks(3, nil, stat.BlockSpec{Kind: stat.MovingBlocks, Length: 1})
	must(t, err)
	pooled, err := Pool(one, two)
	must(t, err)
	if got := pooled.Labels(); pooled.Count() != 5 || got[0] != 0 || got[3] != 1 || got[4] != 2 || got[6] != 4 {
		t.Errorf("labels %v", got)
	}
}

// TestJackknife: for the difference of two means the variance is the sum of both.
func TestJackknife(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 3))
	x, y := normal(random, 12), normal(random, 30)
	labels, sizes := make([]int, 42), [2][]int{}
	for i := range labels {
		labels[i] = i
	}
	for i := range labels {
		side := 0
		if i >= len(x) {
			side = 1
		}
		sizes[side] = append(sizes[side], 1)
	}
	difference := func(x, y []float64) float64 { return stat.Mean(x) - stat.Mean(y) }
	j, err := Jackknife(difference(x, y), WithoutEach(labels, 42, x, y, difference), sizes[0], sizes[1], 0)
	must(t, err)
	_, vx := stat.MeanVariance(x)
	_, vy := stat.MeanVariance(y)
	vx, vy = vx/12, vy/30
	measuretest.Near(t, "standard error", j.StdError, math.Sqrt(vx+vy), 1e-12)
	measuretest.Near(t, "degrees of freedom", j.DF, (vx+vy)*(vx+vy)/(vx*vx/11+vy*vy/29), 1e-9)
	quantile, err := stat.StudentTQuantile(0.975, j.DF)
	must(t, err)
	measuretest.Near(t, "interval", j.Interval.High-j.Estimate, quantile*j.StdError, 1e-12)
	if _, err := Jackknife(0, []float64{1, 2}, []int{1}, []int{1}, 0); err == nil {
		t.Error("a jackknife of one block in each sample")
	}
	if _, err := Jackknife(0, []float64{1, 2}, []int{1}, []int{1, 1}, 0); err == nil || err.Error() != "jackknife: 2 values for blocks of samples of 1 and 2" {
		t.Error(err)
	}
}

// Values of 1e16 beside 1 move nothing that lies still: equal shares of both cost 0 whatever the
// sizes, and what remains is the distance of the small values, 0.5·1 and 1·0.5.
func TestWasserstein_HugeValues(t *testing.T) {
	t.Parallel()
	const huge = 1e16
	for _, c := range []struct {
		x, y []float64
		want float64
	}{
		{[]float64{1, huge}, []float64{2, huge}, 0.5},
		{[]float64{huge, 1, huge, 3}, []float64{huge, 2, 4, huge}, 0.5},
		{slices.Repeat([]float64{1, 1, huge}, 5), slices.Repeat([]float64{huge, 1, 1}, 7), 0},
		{slices.Repeat([]float64{1, -huge, 1, huge, 3, 1, 1}, 3), slices.Repeat([]float64{1, huge, 1, -huge, 1, 1, 3}, 11),
			0},
	} {
		got, err := Wasserstein1(c.x, c.y)
		must(t, err)
		measuretest.Near(t, "Wasserstein distance", got, c.want, 1e-15)
	}
}
