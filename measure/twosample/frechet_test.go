// Fréchet distances of singular covariances, and FD∞.

package twosample

import (
	"math"
	"math/rand/v2"
	"testing"

	"repscope/measure/measuretest"
	"repscope/points"
)

// TestFrechetOfAxes: along axes the distance is Σ (μ − ν)² + (σ − τ)².
func TestFrechetOfAxes(t *testing.T) {
	t.Parallel()
	// Every axis has two points at ±a around the mean, and the third axis does not vary.
	x := points.Float64([]float64{1, 0, 5, -1, 0, 5, 0, 2, 5, 0, -2, 5}, 3)
	y := points.Float64([]float64{4, 1, 5, -2, 1, 5, 1, 2, 5, 1, 0, 5}, 3)
	got, err := Frechet(x, y)
	must(t, err)
	root := func(sum float64) float64 { return math.Sqrt(sum / 3) }
	want := 1 + 1 + math.Pow(root(2)-root(18), 2) + math.Pow(root(8)-root(2), 2)
	measuretest.Near(t, "Fréchet", got, want, 1e-13)
}

// TestFrechetOfFewPoints: a rotation of both samples into many coordinates changes
// nothing.
func TestFrechetOfFewPoints(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(4, 1))
	x, y := measuretest.Normal(random, 20, 3), measuretest.Normal(random, 25, 3)
	want, err := Frechet(x, y)
	must(t, err)
	const dim = 40
	wide := func(p points.Points) points.Points {
		data := make([]float64, p.N*dim)
		for i := range p.N {
			copy(data[i*dim:], p.F64[i*3:(i+1)*3])
		}
		return points.Float64(data, dim)
	}
	rotation := measuretest.Rotation(random, dim)
	got, err := Frechet(measuretest.Times(wide(x), rotation, 1, 2), measuretest.Times(wide(y), rotation, 1, 2))
	must(t, err)
	measuretest.Near(t, "Fréchet", got, want, 1e-11)
}

// TestFrechetInfinity: the limit is nearer to 0 than the distance at any size, for samples of
// one distribution beside a large one.
func TestFrechetInfinity(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(4, 2))
	x, y := measuretest.Normal(random, 400, 10), measuretest.Normal(random, 20000, 10)
	all, err := Frechet(x, y)
	must(t, err)
	infinity, err := FrechetInfinity(t.Context(), x, y, InfinityOptions{Seed: 1, Threads: 2})
	must(t, err)
	again, err := FrechetInfinity(t.Context(), x, y, InfinityOptions{Seed: 1, Threads: 1})
	must(t, err)
	if len(infinity.Sizes) != 15 || infinity.Sizes[0] != 40 || infinity.Sizes[14] != 400 || math.Abs(infinity.At[14]-all) > 1e-12 {
		t.Errorf("%+v, want %v at all points", infinity, all)
	}
	if math.Abs(infinity.Limit) > all/2 || infinity.Slope <= 0 || again.Limit != infinity.Limit {
		t.Errorf("limit %v and %v, distance %v", infinity.Limit, again.Limit, all)
	}
}
