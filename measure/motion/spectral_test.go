// Tests of the sums over pairs from transforms: against all pairs one by one, and against products of pairs.

package motion

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"repscope/points"
)

func TestTransformedSumsArePairs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n, episodes, dim, most int
		share                  float64 // of the steps with a point
		kind                   string
	}{
		{700, 3, 3, 40, 1, "float64"},
		{700, 3, 4, 233, 0.4, "float32"},
		{9000, 1, 2, 60, 1, "uint8"}, // in stretches
		{9500, 2, 1, 700, 0.7, "float64"},
	} {
		t.Run(fmt.Sprintf("n=%d most=%d share=%v", c.n, c.most, c.share), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(7, uint64(c.n)))
			full, labels := walks(random, c.n, c.dim, c.episodes, 0.9)
			var index, episode, time []int
			for i := range c.n {
				if random.Float64() < c.share {
					index, episode, time = append(index, i), append(episode, labels[i]), append(time, i)
				}
			}
			z := full.Select(index)
			switch c.kind {
			case "float32":
				z = points.Float32(narrow[float32](z.F64, 1, 0), c.dim)
			case "uint8":
				z = points.Uint8(narrow[uint8](z.F64, 20, 128), c.dim)
			}
			l := newLagged(z, episode, time)
			if err := l.center(t.Context(), 2); err != nil {
				t.Fatal(err)
			}
			sums, counts, err := l.transformed(t.Context(), c.most, 2)
			if err != nil {
				t.Fatal(err)
			}
			wantSums, wantCounts := pairsOneByOne(z, episode, time, c.most)
			for lag := range sums {
				if math.Abs(sums[lag]-wantSums[lag]) > 1e-11*wantSums[0] || counts[lag] != wantCounts[lag] {
					t.Fatalf("lag %d: %v of %v pairs, want %v of %v", lag, sums[lag], counts[lag], wantSums[lag], wantCounts[lag])
				}
			}
			again, _, _ := l.transformed(t.Context(), c.most, 1)
			for lag := range sums {
				if math.Float64bits(again[lag]) != math.Float64bits(sums[lag]) {
					t.Fatalf("lag %d: %v with one thread, %v with two", lag, again[lag], sums[lag])
				}
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if _, _, err := l.transformed(ctx, c.most, 2); err == nil {
				t.Error("no error when canceled")
			}
		})
	}
}

func narrow[T uint8 | float32](x []float64, scale, shift float64) []T {
	out := make([]T, len(x))
	for i, v := range x {
		out[i] = T(v*scale + shift)
	}
	return out
}

// pairsOneByOne adds up the products of all pairs of points less their mean.
func pairsOneByOne(z points.Points, episode, time []int, most int) (sums, counts []float64) {
	mean := make([]float64, z.Dim)
	for i := range z.N {
		for k, v := range z.Row(i, nil) {
			mean[k] += v / float64(z.N)
		}
	}
	sums, counts = make([]float64, most+1), make([]float64, most+1)
	a, b := make([]float64, z.Dim), make([]float64, z.Dim)
	for i := range z.N {
		for j := i; j < z.N && episode[j] == episode[i] && time[j]-time[i] <= most; j++ {
			z.Row(i, a)
			z.Row(j, b)
			for k := range a {
				sums[time[j]-time[i]] += (a[k] - mean[k]) * (b[k] - mean[k])
			}
			counts[time[j]-time[i]]++
		}
	}
	return sums, counts
}

// Most steps without a point: pairs are multiplied one by one, with the same outcome.
func TestSparseSeries(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(8, 8))
	z, episode := walks(random, 600, 2, 2, 0.8)
	time := make([]int, z.N)
	for i := range time {
		time[i] = 3 * i
	}
	near, err := EffectiveSize(t.Context(), z, episode, time, 2)
	if err != nil {
		t.Fatal(err)
	}
	for i := range time {
		time[i] = 5 * i
	}
	far, err := EffectiveSize(t.Context(), z, episode, time, 2)
	if err != nil {
		t.Fatal(err)
	}
	if near.Tau/3 < 0.9*far.Tau/5 || near.Tau/3 > 1.1*far.Tau/5 {
		t.Errorf("τ = %v steps of three and %v of five", near.Tau, far.Tau)
	}
}
