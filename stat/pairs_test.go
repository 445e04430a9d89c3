// Tests of the correction for pairs: on kernels whose variance is known.

package stat

import (
	"math"
	"testing"
)

// A mean over pairs of blocks of share·(x_a + x_b) + rest·(x_a·x_b): the jackknife counts
// the variance of the product twice, and only that.
func TestWithoutPairTerms(t *testing.T) {
	t.Parallel()
	const g, draws = 20, 400
	random := NewRandom(NewKey(12))
	for _, c := range []struct{ alone, together float64 }{{0, 1}, {1, 0}, {0.2, 1}} {
		var estimates, before, after []float64
		for range draws {
			x, sizes, pair := make([]float64, g), make([]int, g), make([][]float64, g)
			for a := range x {
				x[a], sizes[a], pair[a] = random.Normal(), 10, make([]float64, g)
			}
			h := func(a, b int) float64 { return c.alone*(x[a]+x[b]) + c.together*x[a]*x[b] }
			mean := func(without int) float64 {
				sum, count := 0.0, 0.0
				for a := range g {
					for b := range a {
						if a != without && b != without {
							sum, count = sum+h(a, b), count+1
						}
					}
				}
				return sum / count
			}
			replicates := make([]float64, g)
			for a := range g {
				replicates[a] = mean(a)
				for b := range g {
					if a != b {
						pair[a][b] = h(a, b) / (g * (g - 1))
					}
				}
			}
			v, err := DeleteBlockJackknife(mean(-1), replicates, sizes, 0)
			if err != nil {
				t.Fatal(err)
			}
			estimates, before = append(estimates, v.Estimate), append(before, v.StdError*v.StdError)
			v.WithoutPairTerms(pair, 1)
			after = append(after, v.StdError*v.StdError)
			if half := (v.Interval.High - v.Interval.Low) / 2; math.Abs(half-v.StdError*2.093) > 0.01*half {
				t.Fatalf("the interval is not that of the standard error: %v, %v", half, v.StdError)
			}
		}
		truth := StandardDeviation(estimates)
		was, is := math.Sqrt(Mean(before))/truth, math.Sqrt(Mean(after))/truth
		// Shares above a half, by chance, are cut: where all rests on pairs a part of the excess stays.
		if is < 0.9 || is > 1.32 || c.together > 0 && is > was-0.1 {
			t.Errorf("%+v: standard error %.2f times the true one, before %.2f", c, is, was)
		}
		if c.alone == 0 && was < 1.3 || c.together == 0 && math.Abs(was-is) > 0.03 {
			t.Errorf("%+v: before the correction %.2f times, after it %.2f", c, was, is)
		}
	}
	few := &Jackknifed{BlockSizes: []int{1, 1, 1}, StdError: 1}
	if few.WithoutPairTerms(make([][]float64, 3), 1).StdError != 1 {
		t.Error("3 blocks are corrected")
	}
}
