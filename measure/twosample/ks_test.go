// The test of Kolmogorov and Smirnov: the limit, and what p values hold.

package twosample

import (
	"math"
	"math/rand/v2"
	"testing"

	"repscope/measure/measuretest"
)

// TestLimit holds the limit against the exact distribution where both are computed.
func TestLimit(t *testing.T) {
	t.Parallel()
	for _, sizes := range [][2]int{{800, 800}, {300, 2100}} {
		n, m := sizes[0], sizes[1]
		for _, d := range []float64{0.03, 0.06, 0.09} {
			limit := int(d * float64(n*m))
			statistic := float64(limit) / float64(n*m)
			exact := outside(n, m, limit, nil)
			got := kolmogorov(statistic, float64(n)*float64(m)/float64(n+m))
			if got < exact-0.006 || got > 1.25*exact+0.02 {
				t.Errorf("n = %d, m = %d, D = %v: limit %v, exact %v", n, m, statistic, got, exact)
			}
		}
	}
}

// TestLevelWithTies: given ties, p ≤ 0.05 is as frequent as it says, and the p value for
// continuous values is not.
func TestLevelWithTies(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(2, 2))
	const runs = 1500
	var rejected, continuous int
	for range runs {
		var samples [2][]float64
		for side, n := range []int{60, 80} {
			for range n {
				samples[side] = append(samples[side], float64(random.IntN(4)))
			}
		}
		ks, err := KolmogorovSmirnov(samples[0], samples[1])
		must(t, err)
		if ks.P <= 0.05 {
			rejected++
		}
		if ks.PContinuous <= 0.05 {
			continuous++
		}
	}
	if share := float64(rejected) / runs; share < 0.03 || share > 0.065 {
		t.Errorf("level %v, want about 0.05", share)
	}
	if share := float64(continuous) / runs; share > 0.02 {
		t.Errorf("level without ties %v, want far less than 0.05", share)
	}
	ks, err := KolmogorovSmirnov([]float64{1, 1, 2}, []float64{2, 1, 1, 1, 2, 2})
	must(t, err)
	measuretest.Near(t, "ties", float64(ks.Ties), 9, 0)
}

// Values of a group depend on each other: whole groups are divided, so that the level holds; single values as groups
// have the p value of the exact test.
func TestKolmogorovSmirnovGroups(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 2))
	const runs, groups, size = 400, 12, 10
	label := make([]int, groups*size)
	for i := range label {
		label[i] = i / size
	}
	grouped, independent := 0, 0
	for run := range runs {
		var samples [2][]float64
		for side := range samples {
			for range groups {
				level := random.NormFloat64()
				for range size {
					samples[side] = append(samples[side], level+0.5*random.NormFloat64())
				}
			}
		}
		o := Options{GroupsX: label, GroupsY: label, Permutations: 199, Seed: uint64(run)}
		ks, err := KolmogorovSmirnovGroups(t.Context(), samples[0], samples[1], o)
		must(t, err)
		alone, err := KolmogorovSmirnov(samples[0], samples[1])
		must(t, err)
		if ks.Statistic != alone.Statistic || !math.IsNaN(ks.PContinuous) || ks.Exact {
			t.Fatalf("%+v, without groups %+v", ks, alone)
		}
		if ks.P <= 0.05 {
			grouped++
		}
		if alone.P <= 0.05 {
			independent++
		}
	}
	if share := float64(grouped) / runs; share < 0.02 || share > 0.08 {
		t.Errorf("level %v, want about 0.05", share)
	}
	if share := float64(independent) / runs; share < 0.4 {
		t.Errorf("level of values taken as independent %v, want far more", share)
	}

	var x, y []float64
	var single []int
	for i := range 30 {
		x, y, single = append(x, random.NormFloat64()), append(y, random.NormFloat64()+0.7), append(single, i)
	}
	exact, err := KolmogorovSmirnov(x, y)
	must(t, err)
	ks, err := KolmogorovSmirnovGroups(t.Context(), x, y, Options{GroupsX: single, GroupsY: single, Permutations: 9999})
	must(t, err)
	measuretest.Near(t, "p of single values", ks.P, exact.P, 0.006)
	if ks, err = KolmogorovSmirnovGroups(t.Context(), x, y, Options{Permutations: 9}); err != nil || ks != exact {
		t.Errorf("without groups: %+v, %v, want %+v", ks, err, exact)
	}
	one := make([]int, 30)
	for reason, o := range map[string]Options{
		onlyOneHasGroups: {GroupsX: single, Permutations: 9},
		"samples of 1 group and of 30: want at least 2 of each": {GroupsX: one, GroupsY: single, Permutations: 9},
	} {
		if ks, err = KolmogorovSmirnovGroups(t.Context(), x, y, o); err != nil || ks.Reason != reason || !math.IsNaN(ks.P) {
			t.Errorf("%+v, %v, want %q", ks, err, reason)
		}
	}
}
