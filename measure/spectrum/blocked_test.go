// Sums over blocks against deletions by hand and against sums over all tuples of points.

package spectrum

import (
	"context"
	"math"
	deep "reflect"
	"slices"
	"testing"

	"repscope/measure/measuretest"
	"repscope/points"
	"repscope/stat"
)

func blocked(t *testing.T, z points.Points, length int) *Blocked {
	t.Helper()
	blocks, err := stat.NewBlocks(z.N, nil, stat.BlockSpec{Kind: stat.MovingBlocks, Length: length})
	if err != nil {
		t.Fatal(err)
	}
	b, err := newBlocked(t.Context(), z, blocks, 2)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// wide are few points of many coordinates, far from the origin.
func wide(n, dim int) points.Points {
	random := stat.NewRandom(stat.NewKey(3))
	data := make([]float64, n*dim)
	for i := range data {
		data[i] = 5 + random.Normal()*math.Exp(-float64(i%dim)/20)
	}
	return points.Float64(data, dim)
}

func without(z points.Points, b *stat.Blocks, j int) points.Points {
	var kept []int
	for i := range z.N {
		if !slices.Contains(b.Block(j), i) {
			kept = append(kept, i)
		}
	}
	return z.Select(kept)
}

func TestDeletionsEqualSpectraOfTheRest(t *testing.T) {
	t.Parallel()
	_, z := measuretest.ReadDimension(t)
	for name, set := range map[string]struct {
		z      points.Points
		length int
	}{"more points": {z, 48}, "more coordinates": {wide(31, 40), 4}} {
		b := blocked(t, set.z, set.length)
		ratios := b.ParticipationRatiosWithout()
		for j := range b.blocks.Count() {
			want, err := New(without(set.z, b.blocks, j))
			if err != nil {
				t.Fatal(err)
			}
			measuretest.Near(t, name+": participation ratio", ratios[j], want.ParticipationRatio, 1e-9)
		}
	}
}

// naiveCorrected sums over all quadruples of points of different blocks, as the
// definition says, without centering.
func naiveCorrected(z points.Points, labels []int) float64 {
	n := z.N
	product := make([][]float64, n)
	for i := range product {
		product[i] = make([]float64, n)
		for j := range product[i] {
			for k, v := range z.Row(i, nil) {
				product[i][j] += v * z.Row(j, nil)[k]
			}
		}
	}
	var above, below float64
	var pairs, triples, quadruples float64
	var a1, b1, a2, b2, c float64
	for i := range n {
		for j := range n {
			if labels[j] == labels[i] {
				continue
			}
			pairs++
			a1 += product[i][i] * product[j][j]
			b1 += product[i][j] * product[i][j]
			for k := range n {
				if labels[k] == labels[i] || labels[k] == labels[j] {
					continue
				}
				triples++
				a2 += product[i][i] * product[j][k]
				b2 += product[i][j] * product[i][k]
				for l := range n {
					if labels[l] == labels[i] || labels[l] == labels[j] || labels[l] == labels[k] {
						continue
					}
					quadruples++
					c += product[i][j] * product[k][l]
				}
			}
		}
	}
	above = a1/pairs - 2*a2/triples + c/quadruples
	below = b1/pairs - 2*b2/triples + c/quadruples
	return above / below
}

func TestCorrectedEqualsSumsOverTuples(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]struct {
		n, dim, length int
	}{"more points": {24, 3, 3}, "single points": {14, 4, 1}, "more coordinates": {15, 20, 2}, "unequal blocks": {23, 3, 4}} {
		z := wide(set.n, set.dim)
		b := blocked(t, z, set.length)
		centered := make([]float64, 0, z.N*z.Dim)
		for i := range z.N {
			for k, v := range z.Row(i, nil) {
				centered = append(centered, v-b.all.mean[k])
			}
		}
		got, deleted := b.Corrected()
		labels := b.blocks.Labels()
		c := points.Float64(centered, z.Dim)
		measuretest.Near(t, name, got, naiveCorrected(c, labels), 1e-9)
		for j := range deleted {
			left := without(c, b.blocks, j)
			measuretest.Near(t, name+" without a block", deleted[j], naiveCorrected(left, slices.DeleteFunc(slices.Clone(labels), func(a int) bool { return a == j })), 1e-9)
		}
	}
}

// The mean over many samples is the ratio of the distribution, where that of the sample
// ratios is not.
func TestCorrectedIsUnbiased(t *testing.T) {
	t.Parallel()
	const dim, n, draws = 10, 40, 200
	random := stat.NewRandom(stat.NewKey(8))
	plain, corrected := 0.0, 0.0
	for range draws {
		data := make([]float64, n*dim)
		for i := range data {
			data[i] = random.Normal()
		}
		z := points.Float64(data, dim)
		b := blocked(t, z, 1)
		v, _ := b.Corrected()
		s, err := New(z)
		if err != nil {
			t.Fatal(err)
		}
		plain, corrected = plain+s.ParticipationRatio/draws, corrected+v/draws
	}
	if math.Abs(corrected-dim) > 0.15 || plain > 8.2 {
		t.Errorf("mean participation ratios %v, corrected %v, want %d", plain, corrected, dim)
	}
}

func TestInfluenceOfPoints(t *testing.T) {
	t.Parallel()
	for name, z := range map[string]points.Points{"more points": wide(300, 3), "more coordinates": wide(60, 70)} {
		b := blocked(t, z, 5)
		s, err := New(z)
		if err != nil {
			t.Fatal(err)
		}
		influence := b.all.Influence()
		measuretest.Near(t, name+": sum", stat.Sum(influence), 0, 1e-7)
		of := func(i int) float64 {
			var kept []int
			for k := range z.N {
				if k != i {
					kept = append(kept, k)
				}
			}
			rest, err := New(z.Select(kept))
			if err != nil {
				t.Fatal(err)
			}
			return float64(z.N) * (s.ParticipationRatio - rest.ParticipationRatio)
		}
		// The deletion of any point has the bias besides.
		measuretest.Near(t, name+": influence", influence[0]-influence[7], of(0)-of(7), 0.05*stat.StandardDeviation(influence))
	}
}

func TestRanksOfTheRest(t *testing.T) {
	t.Parallel()
	_, z := measuretest.ReadDimension(t)
	for name, set := range map[string]struct {
		z      points.Points
		length int
		turns  bool // episodes that take turns, not pieces of one
	}{
		"more points": {z, 48, false}, "more coordinates": {wide(31, 40), 4, false}, "mixed episodes": {z, 48, true},
		"few points of blocks": {wide(50, 40), 5, false}, "few points of mixed episodes": {wide(90, 40), 9, true},
	} {
		b := blocked(t, set.z, set.length)
		if set.turns {
			episode := make([]int, set.z.N)
			for i := range episode {
				episode[i] = i * 7 % (set.z.N / set.length)
			}
			blocks, err := stat.NewBlocks(set.z.N, episode, stat.BlockSpec{Kind: stat.EpisodeBlocks})
			if err != nil {
				t.Fatal(err)
			}
			if b, err = newBlocked(t.Context(), set.z, blocks, 2); err != nil {
				t.Fatal(err)
			}
		}
		full, rest, err := b.Ranks(t.Context(), 1, 5, 2)
		if err != nil {
			t.Fatal(err)
		}
		check := func(got Ranks, z points.Points) {
			s, err := New(z)
			if err != nil {
				t.Fatal(err)
			}
			rankMe, err := RankMe(z)
			if err != nil {
				t.Fatal(err)
			}
			if law, err := FitPowerLaw(s.Eigenvalues, 1, 5); err == nil {
				measuretest.Near(t, name+": exponent", got.Alpha, law.Alpha, 1e-7)
			} else if !math.IsNaN(got.Alpha) {
				t.Errorf("%s: exponent %v, want none: %v", name, got.Alpha, err)
			}
			_, raw, err := WithUncentered(z)
			if err != nil {
				t.Fatal(err)
			}
			measuretest.Near(t, name+": stable rank as they are", got.StableUncentered, raw.StableRank, 1e-9)
			measuretest.Near(t, name+": effective rank", got.Effective, s.EffectiveRank, 1e-9)
			measuretest.Near(t, name+": effective rank of singular values", got.EffectiveSingular, s.EffectiveRankSingular, 1e-7)
			measuretest.Near(t, name+": RankMe", got.RankMe, rankMe, 1e-7)
		}
		check(full, set.z)
		for j, got := range rest {
			check(got, without(set.z, b.blocks, j))
		}
	}
}

// What is computed together is what is computed alone, to the bit.
func TestWithSimilarities(t *testing.T) {
	t.Parallel()
	_, z := measuretest.ReadDimension(t)
	for name, z := range map[string]points.Points{"many points": z, "more points": wide(90, 40), "more coordinates": wide(31, 40)} {
		want, wantRank, err := WithUncentered(z)
		if err != nil {
			t.Fatal(err)
		}
		alone, err := NewSimilarities(t.Context(), z, 1)
		if err != nil {
			t.Fatal(err)
		}
		s, rankMe, similarities, err := WithSimilarities(t.Context(), z, 2)
		if err != nil {
			t.Fatal(err)
		}
		if !deep.DeepEqual(s, want) || rankMe != wantRank || !deep.DeepEqual(similarities, alone) {
			t.Errorf("%s: other numbers together than alone", name)
		}
	}
	constant := points.Float64(make([]float64, 12), 2)
	if _, _, _, err := WithSimilarities(t.Context(), constant, 2); stat.Reason(err) != "the points are constant" {
		t.Errorf("constant points: %v", err)
	}
}

// newBlocked is [NewSimilarities] and [Similarities.Blocked].
func newBlocked(ctx context.Context, z points.Points, blocks *stat.Blocks, threads int) (*Blocked, error) {
	s, err := NewSimilarities(ctx, z, threads)
	if err != nil {
		return nil, err
	}
	return s.Blocked(ctx, blocks, threads)
}
