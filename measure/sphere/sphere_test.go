// Uniformity and alignment against NumPy, and what they do not depend on.

package sphere

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"repscope/measure/measuretest"
	"repscope/points"
	"repscope/stat"
)

func TestSphereMatchesReference(t *testing.T) {
	t.Parallel()
	g, x, _ := measuretest.ReadGeometry(t)
	u, err := NewDirections(x)
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := stat.NewBlocks(x.N, g.Episode, stat.BlockSpec{Kind: stat.EpisodeBlocks})
	if err != nil {
		t.Fatal(err)
	}
	value, without, err := u.Uniformity(t.Context(), blocks, 1)
	if err != nil {
		t.Fatal(err)
	}
	measuretest.Near(t, "uniformity", value, g.Uniformity, 1e-10)
	measuretest.Near(t, "uniformity without an episode", without[2], g.UniformityWithoutLastEpisode, 1e-10)
	var pairs []points.Pair
	for i := range x.N - 1 {
		if g.Episode[i] == g.Episode[i+1] {
			pairs = append(pairs, points.Pair{Now: i, Next: i + 1})
		}
	}
	measuretest.Near(t, "alignment", stat.Mean(u.Alignment(pairs)), g.Alignment, 1e-10)
}

// Rotation and scale, the order of the points and the number of threads change nothing.
func TestInvariances(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		n, dim := rapid.IntRange(12, 130).Draw(rt, "n"), rapid.IntRange(2, 7).Draw(rt, "dim")
		x := measuretest.Normal(random, n, dim)
		uniformity := func(z points.Points, threads int) float64 {
			u, err := NewDirections(z)
			if err != nil {
				rt.Fatal(err)
			}
			value, _, err := u.Uniformity(t.Context(), nil, threads)
			if err != nil {
				rt.Fatal(err)
			}
			return value
		}
		want := uniformity(x, 2)
		for _, got := range []float64{
			uniformity(measuretest.Times(x, measuretest.Rotation(random, dim), 2.5, 0), 1),
			uniformity(x.Select(random.Perm(n)), 1),
		} {
			if math.Abs(got-want) > 1e-9*max(1, math.Abs(want)) {
				rt.Fatalf("uniformity changed from %v to %v", want, got)
			}
		}
		if uniformity(x, 1) != want {
			rt.Fatal("1 and 2 threads differ")
		}
	})
}

func TestNoDirection(t *testing.T) {
	t.Parallel()
	if _, err := NewDirections(points.Float64([]float64{1, 0, 0, 0, 0, 2}, 2)); err == nil || !strings.Contains(err.Error(), "1 of 3 latents are zero") {
		t.Errorf("a point of length zero: %v", err)
	}
	// Squares of these coordinates under- and overflow.
	u, err := NewDirections(points.Float64([]float64{3e-200, 4e-200, 3e150, 4e150}, 2))
	if err != nil {
		t.Fatal(err)
	}
	if d := u.Alignment([]points.Pair{{Now: 0, Next: 1}})[0]; d > 1e-30 {
		t.Errorf("directions that agree are %v apart", d)
	}
	one, err := NewDirections(points.Float64([]float64{1, 2}, 2))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := one.Uniformity(t.Context(), nil, 0); stat.Reason(err) != "1 latent, want at least 2" {
		t.Errorf("one point: %v", err)
	}
}
