// Rank correlations and the pairs behind them.

package similarity

import (
	"math"
	"math/rand/v2"
	"testing"

	"repscope/measure/internal/radix"
	"repscope/measure/measuretest"
	"repscope/points"
	"repscope/stat"

	"gonum.org/v1/gonum/mat"
)

// The sampling error of RSA is the spread of the coefficient over seeds.
func TestSamplingErrorOfRSA(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	x := measuretest.Normal(random, 120, 4)
	y := measuretest.Times(x, mat.NewDense(4, 2, []float64{1, 0, 0.5, 1, 0, 0.3, 0.2, 0}), 1, 0)
	spaces, _ := compared(t, x, y, nil)
	var values, stated []float64
	for seed := range uint64(300) {
		pairs, err := DrawPairs(x.N, 1500, seed)
		if err != nil {
			t.Fatal(err)
		}
		r, err := RSA(t.Context(), spaces, pairs, 1)
		if err != nil {
			t.Fatal(err)
		}
		values, stated = append(values, r[0].Value), append(stated, r[0].SamplingError)
	}
	if ratio := stat.Mean(stated) / stat.StandardDeviation(values); ratio < 0.87 || ratio > 1.15 {
		t.Errorf("stated sampling error %.5f, spread over seeds %.5f", stat.Mean(stated), stat.StandardDeviation(values))
	}
	pairs, err := DrawPairs(x.N, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	exact, err := RSA(t.Context(), spaces, pairs, 1)
	if err != nil {
		t.Fatal(err)
	}
	if d := math.Abs(stat.Mean(values) - exact[0].Value); d > 0.003 || exact[0].SamplingError != 0 {
		t.Errorf("mean over samples is %v from the exact coefficient, whose sampling error is %v", d, exact[0].SamplingError)
	}
}

func TestDrawnPairsAreDifferent(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{0, 17, 44, 45, 46} {
		pairs, err := DrawPairs(10, limit, 3)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[[2]int32]bool{}
		for i, a := range pairs.a {
			b := pairs.b[i]
			if a >= b || a < 0 || b > 9 || seen[[2]int32{a, b}] {
				t.Fatalf("limit %d: pair %d is (%d, %d)", limit, i, a, b)
			}
			seen[[2]int32{a, b}] = true
		}
		if want := min(45, max(limit, 0)); len(seen) != want && limit > 0 || limit == 0 && len(seen) != 45 {
			t.Errorf("limit %d: %d pairs", limit, len(seen))
		}
	}
}

func TestRSAOfEqualDistances(t *testing.T) {
	t.Parallel()
	corners := points.Float64([]float64{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, 4)
	spaces, _ := compared(t, corners, points.Float64([]float64{1, 2, 4, 8}, 1), nil)
	pairs, err := DrawPairs(4, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	r, err := RSA(t.Context(), append(spaces, spaces[1]), pairs, 0)
	if err != nil {
		t.Fatal(err)
	}
	if !math.IsNaN(r[0].Value) || !math.IsNaN(r[1].Value) || r[2].Value != 1 || r[2].Without != nil {
		t.Errorf("equal distances %v and %v, the same space %v", r[0].Value, r[1].Value, r[2].Value)
	}
}

// TestRanksWithout: ranks among the pairs that are left, ties sharing the mean of theirs, are those of a count.
func TestRanksWithout(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(31, 32))
	for _, kinds := range []int{1, 3, 20, 1 << 20} {
		distance := make([]int, 60)
		entries := make([]radix.Entry[int32], len(distance))
		for i := range distance {
			distance[i] = random.IntN(kinds)
			entries[i] = radix.Entry[int32]{Key: uint64(distance[i]), Value: int32(i)}
		}
		entries = radix.Sort(entries)
		r := ranked{order: make([]int32, len(entries)), tied: make([]bool, len(entries))}
		for i, e := range entries {
			r.order[i], r.tied[i] = e.Value, i > 0 && e.Key == entries[i-1].Key
		}
		for _, gone := range []int{0, 2, 30, 59, 60} {
			dropped, rank := make([]bool, len(distance)), make([]float64, len(distance))
			for _, i := range random.Perm(len(distance))[:gone] {
				dropped[i], rank[i] = true, -1
			}
			r.without(dropped, rank)
			for i, got := range rank {
				want := 0.5
				for k, d := range distance {
					if !dropped[k] && d < distance[i] {
						want++
					} else if !dropped[k] && d == distance[i] {
						want += 0.5
					}
				}
				if dropped[i] {
					want = -1
				}
				if got != want {
					t.Fatalf("%d kinds, %d gone: rank %d is %v, want %v", kinds, gone, i, got, want)
				}
			}
		}
	}
}
