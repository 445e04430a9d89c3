// CKA and Procrustes against NumPy and SciPy, what they do not depend on, and input
// that cannot be compared.

package similarity

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"repscope/measure/internal/matrix"
	"repscope/measure/measuretest"
	"repscope/points"
	"repscope/stat"
)

// compared are two sets of points as spaces, and their similarity.
func compared(t interface{ Fatal(...any) }, a, b points.Points, blocks *stat.Blocks) (spaces []*Space, s *Similarity) {
	for _, z := range []points.Points{a, b} {
		space, err := NewSpace(z, blocks)
		if err != nil {
			t.Fatal(err)
		}
		spaces = append(spaces, space)
	}
	s, err := Compare(spaces[0], spaces[1])
	if err != nil {
		t.Fatal(err)
	}
	return spaces, s
}

// Values, and those without a block, equal those of the points that remain.
func TestSimilarityMatchesReference(t *testing.T) {
	t.Parallel()
	g, x, y := measuretest.ReadGeometry(t)
	blocks, err := stat.NewBlocks(x.N, g.Episode, stat.BlockSpec{Kind: stat.EpisodeBlocks})
	if err != nil {
		t.Fatal(err)
	}
	spaces, s := compared(t, x, y, blocks)
	measuretest.Near(t, "CKA", s.CKA.Value, g.Similarity.CKA, 1e-10)
	measuretest.Near(t, "debiased CKA", s.CKADebiased.Value, g.Similarity.CKADebiased, 1e-10)
	measuretest.Near(t, "Procrustes", s.Procrustes.Value, g.Similarity.Procrustes, 1e-10)
	want := g.SimilarityWithoutLastEpisode
	measuretest.Near(t, "CKA", s.CKA.Without[2], want.CKA, 1e-10)
	measuretest.Near(t, "debiased CKA", s.CKADebiased.Without[2], want.CKADebiased, 1e-10)
	measuretest.Near(t, "Procrustes", s.Procrustes.Without[2], want.Procrustes, 1e-10)

	pairs, err := DrawPairs(x.N, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	ranks, err := RSA(t.Context(), spaces, pairs, 1)
	if err != nil {
		t.Fatal(err)
	}
	measuretest.Near(t, "RSA", ranks[0].Value, g.Similarity.RSA, 1e-10)
	measuretest.Near(t, "RSA", ranks[0].Without[2], want.RSA, 1e-10)
}

func TestInvariances(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		n, dim := rapid.IntRange(12, 130).Draw(rt, "n"), rapid.IntRange(2, 7).Draw(rt, "dim")
		x, y := measuretest.Normal(random, n, dim), measuretest.Normal(random, n, rapid.IntRange(2, 7).Draw(rt, "other"))
		moved := measuretest.Times(x, measuretest.Rotation(random, dim), 0.3, 4)
		perm := random.Perm(n)
		check := func(name string, got, want float64) {
			if math.Abs(got-want) > 1e-9*max(1, math.Abs(want)) {
				rt.Fatalf("%s changed from %v to %v", name, want, got)
			}
		}
		similarity := func(a, b points.Points) *Similarity {
			_, s := compared(rt, a, b, nil)
			return s
		}
		self := similarity(x, moved)
		check("CKA", self.CKA.Value, 1)
		check("debiased CKA", self.CKADebiased.Value, 1)
		check("Procrustes", self.Procrustes.Value, 0)
		padded := matrix.New(n, dim+2)
		for i := range n {
			copy(padded.Row(i), x.F64[i*dim:(i+1)*dim])
		}
		check("Procrustes in more dimensions", similarity(x, points.Float64(padded.Data, dim+2)).Procrustes.Value, 0)
		plain, both := similarity(x, y), similarity(moved.Select(perm), y.Select(perm))
		check("CKA", both.CKA.Value, plain.CKA.Value)
		check("debiased CKA", both.CKADebiased.Value, plain.CKADebiased.Value)
		check("Procrustes", both.Procrustes.Value, plain.Procrustes.Value)
		check("Procrustes", similarity(y, x).Procrustes.Value, plain.Procrustes.Value)
	})
}

// The debiased CKA divides by n(n − 3) and (n − 1)(n − 2): for two and three points it is
// undefined, and says so; for four it is finite.
func TestTooFewPoints(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(6, 6))
	for n := 1; n <= 4; n++ {
		var spaces []*Space
		for range 2 {
			s, err := NewSpace(measuretest.Normal(random, n, 5), nil)
			if err != nil {
				t.Fatal(err)
			}
			spaces = append(spaces, s)
		}
		s, err := Compare(spaces[0], spaces[1])
		_, undefined := errors.AsType[*stat.UndefinedError](err)
		if n < 4 && (!undefined || !strings.Contains(err.Error(), "at least 4")) {
			t.Errorf("%d points: %+v, %v", n, s, err)
		}
		if n == 4 && (err != nil || math.IsNaN(s.CKA.Value) || math.IsInf(s.CKADebiased.Value, 0)) {
			t.Errorf("4 points: %+v, %v", s, err)
		}
	}
}

// Of independent points the debiased CKA is 0 on average for any number of points, where
// the plain one grows as these become few.
func TestIndependentPoints(t *testing.T) {
	t.Parallel()
	const draws, dim = 60, 20
	for _, n := range []int{32, 64, 128, 256} {
		var plain, debiased []float64
		for draw := range draws {
			random := rand.New(rand.NewPCG(uint64(n), uint64(draw)))
			_, s := compared(t, measuretest.Normal(random, n, dim), measuretest.Normal(random, n, dim), nil)
			plain, debiased = append(plain, s.CKA.Value), append(debiased, s.CKADebiased.Value)
		}
		error := stat.StandardDeviation(debiased) / math.Sqrt(draws)
		if mean := stat.Mean(debiased); math.Abs(mean) > 3*error {
			t.Errorf("n = %d: %v ± %v", n, mean, error)
		}
		if n == 32 && stat.Mean(plain) < 0.3 {
			t.Errorf("the plain CKA of 32 points is %v", stat.Mean(plain))
		}
	}
}

func TestNothingToCompare(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(4, 4))
	good := measuretest.Normal(random, 30, 3)
	bad := slices.Clone(good.F64)
	bad[7] = math.NaN()
	if _, err := NewSpace(points.Float64(bad, 3), nil); err == nil || !strings.Contains(err.Error(), "similarity: point 2, coordinate") {
		t.Errorf("NaN: %v", err)
	}
	halves, err := stat.NewBlocks(30, nil, stat.BlockSpec{Kind: stat.MovingBlocks, Length: 15})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewSpace(points.Float64(good.F64[:87], 3), halves); err == nil || !strings.Contains(err.Error(), "blocks of 30 points for 29") {
		t.Errorf("other blocks: %v", err)
	}
	space := func(z points.Points, blocks *stat.Blocks) *Space {
		s, err := NewSpace(z, blocks)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	whole := space(good, nil)
	for want, other := range map[string]*Space{
		"30 and 29 latents, want equal":   space(points.Float64(good.F64[:87], 3), nil),
		"the latents are constant":        space(points.Float64(make([]float64, 90), 3), nil),
		"the spaces have different block": space(good, halves),
	} {
		if _, err := Compare(whole, other); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one containing %q", err, want)
		}
	}
	pairs, err := DrawPairs(29, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := RSA(t.Context(), []*Space{whole, whole}, pairs, 0); err == nil || !strings.Contains(err.Error(), "pairs of 29 points for spaces of 30") {
		t.Errorf("other pairs: %v", err)
	}
}

// Rounding alone takes an alignment beyond its range, where it is cut: h(x,y)² ≤ h(x,x)·h(y,y).
func TestAlignmentRange(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ xy, xx, yy, want float64 }{{math.Nextafter(3, 4), 3, 3, 1}, {-math.Nextafter(3, 4), 3, 3, -1}, {1.5, 3, 3, 0.5}} {
		if got := alignment(c.xy, c.xx, c.yy); got != c.want {
			t.Errorf("%v: %v, want %v", c, got, c.want)
		}
	}
	if v := alignment(1, 0, 3); !math.IsNaN(v) {
		t.Errorf("a space that does not vary: %v, want NaN", v)
	}
}
