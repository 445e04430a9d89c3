// The jackknife over blocks of both samples, and the null that permutations give.

package twosample

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"repscope/measure/measuretest"
	"repscope/stat"
)

// The mean difference of two samples has Welch's error, and no p value where the blocks of one are too few.
func TestJackknifeBlocks(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	sample := func(n int) (values []float64, blocks *stat.Blocks) {
		groups := make([]int, n)
		for i := range n {
			values, groups[i] = append(values, random.NormFloat64()), i
		}
		blocks, err := stat.NewBlocks(n, groups, stat.BlockSpec{Kind: stat.EpisodeBlocks})
		if err != nil {
			t.Fatal(err)
		}
		return values, blocks
	}
	for _, sizes := range [][2]int{{20, 8}, {20, 5}, {5, 20}} {
		x, bx := sample(sizes[0])
		y, by := sample(sizes[1])
		theta := stat.Mean(x) - stat.Mean(y)
		var without []float64
		for i := range x {
			without = append(without, stat.Mean(slices.Delete(slices.Clone(x), i, i+1))-stat.Mean(y))
		}
		for i := range y {
			without = append(without, stat.Mean(x)-stat.Mean(slices.Delete(slices.Clone(y), i, i+1)))
		}
		j, err := JackknifeBlocks(theta, without, bx, by)
		if err != nil {
			t.Fatal(err)
		}
		welch, err := stat.Welch(x, y, 0)
		if err != nil {
			t.Fatal(err)
		}
		measuretest.Near(t, "standard error", j.StdError, welch.StdError, 1e-12)
		measuretest.Near(t, "degrees of freedom", j.DF, welch.DF, 1e-9)
		measuretest.Near(t, "low end", j.Interval.Low, welch.Interval.Low, 1e-9)
		if few := slices.Min(sizes[:]) < 6; few != (j.Untestable != "") {
			t.Errorf("%v blocks: untestable %q", sizes, j.Untestable)
		}
	}
}

func TestNullOfPermutations(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	x, y := measuretest.Normal(random, 30, 3), measuretest.Normal(random, 24, 3)
	o := Options{Permutations: 199, Seed: 1}
	kid, err := KID(t.Context(), x, y, o)
	if err != nil {
		t.Fatal(err)
	}
	energy, err := Energy(t.Context(), x, y, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []*Distance{kid, energy, energy.Root()} {
		exceeding := 0
		for _, v := range d.Null {
			if v >= d.Value {
				exceeding++
			}
		}
		if len(d.Null) != 199 || exceeding != d.Exceeding || d.P != float64(1+exceeding)/200 {
			t.Errorf("%d values, %d at least %v, p %v", len(d.Null), exceeding, d.Value, d.P)
		}
	}
	if mean := stat.Mean(kid.Null); math.Abs(mean) > 4*stat.StandardDeviation(kid.Null)/math.Sqrt(199) {
		t.Errorf("the null of an unbiased distance has the mean %v", mean)
	}
	o.GroupsX = make([]int, 30)
	one, err := KID(t.Context(), x, y, o)
	if err != nil || one.Null != nil || !strings.Contains(one.Reason, "only one sample has groups") {
		t.Errorf("groups of one sample: %+v, %v", one, err)
	}
}
