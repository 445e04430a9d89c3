// The test of Kolmogorov and Smirnov: the limit, and what p values hold.

package twosample

import (
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
