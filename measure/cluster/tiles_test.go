// Sums of distances in tiles against the definition.

package cluster

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"repscope/measure/internal/matrix"
	"repscope/measure/measuretest"
)

// Several tiles, groups smaller and larger than a tile, near and equal points.
func TestSilhouetteInTiles(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(6, 6))
	const dim = 9
	for _, n := range []int{tileSize, tileSize + 1, 3*tileSize - 5} {
		x := measuretest.Normal(random, n, dim)
		for i := 0; i < n; i += 10 { // pairs that cancel, and equal ones
			copy(x.F64[i*dim:(i+1)*dim], x.F64[(n-1-i)*dim:(n-i)*dim])
			x.F64[i*dim] += 1e-7 * float64(i%3)
		}
		for _, groups := range []int{2, 5, n / 3} {
			labels := make([]int64, n)
			for i := range labels {
				labels[i] = int64(float64(groups) * math.Pow(random.Float64(), 3)) // sizes from many to few
			}
			p := NewPartition(labels)
			got, err := Silhouette(t.Context(), x, p, 2)
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range plainSilhouette(x, p) {
				if math.Abs(got[i]-want) > 1e-13 {
					t.Fatalf("n = %d, %d groups, point %d: %v, want %v", n, groups, i, got[i], want)
				}
			}
			// Some groups at a time give the same bits.
			order, start := p.order()
			tiles, err := newTiles(matrix.Of(x).Select(order), start)
			if err != nil {
				t.Fatal(err)
			}
			all, err := tiles.groupSums(t.Context(), 1, 0, p.Groups())
			if err != nil {
				t.Fatal(err)
			}
			for first := 0; first < p.Groups(); first += 7 {
				last := min(first+7, p.Groups())
				some, err := tiles.groupSums(t.Context(), 3, first, last)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(some.Data, all.Data[first*n:last*n]) {
					t.Fatalf("n = %d: groups %d to %d have other sums alone", n, first, last)
				}
			}
		}
	}
}

func TestTilePairs(t *testing.T) {
	t.Parallel()
	for count := 1; count < 10; count++ {
		seen := map[[2]int]bool{}
		for round := range tileRounds(count) {
			busy := map[int]bool{}
			for _, p := range tilePairs(round, count) {
				if seen[p] || p[0] > p[1] || p[1] >= count || busy[p[0]] || busy[p[1]] {
					t.Errorf("%d tiles, round %d: pair %v", count, round, p)
				}
				seen[p], busy[p[0]], busy[p[1]] = true, true, true
			}
		}
		if len(seen) != count*(count+1)/2 {
			t.Errorf("%d tiles: %d pairs", count, len(seen))
		}
	}
}
