// Neighbor search against full sorts.

package neighbors

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"repscope/points"
)

func TestKNearest(t *testing.T) {
	for _, c := range cases() {
		for _, pts := range []points.Points{c.original, c.embedded} {
			for _, metric := range []Metric{Euclidean, Cosine} {
				if metric == Cosine && Check("", pts, Cosine) != nil {
					continue
				}
				keys := naiveKeys(pts, pts, metric)
				for _, k := range []int{1, 2, pts.N / 2, pts.N - 1} {
					t.Run(fmt.Sprintf("%s/%s/%v/k=%d", c.name, pts.Type(), metric, k), func(t *testing.T) {
						got, err := KNearest(blocksOf(13), pts, k, Options{Metric: metric, Threads: 2})
						if err != nil {
							t.Fatal(err)
						}
						checkNearest(t, got, keys, metric, func(i, j int) bool { return i != j })
					})
				}
			}
		}
	}
}

func TestKNearestExcludes(t *testing.T) {
	r := random(8)
	pts := nearlyEqual32(r, 60, 20)
	episode := make([]int, 60)
	for i := range episode {
		episode[i] = i / 20
	}
	keys := naiveKeys(pts, pts, Euclidean)
	got, err := KNearest(context.Background(), pts, 5, Options{ExcludeWindow: 3, Episode: episode})
	if err != nil {
		t.Fatal(err)
	}
	checkNearest(t, got, keys, Euclidean, func(i, j int) bool {
		return i != j && (episode[i] != episode[j] || i-j > 3 || j-i > 3)
	})
}

func TestCross(t *testing.T) {
	r := random(9)
	clean := nearlyEqual32(r, 70, 30)
	noisy := clean.Select([]int{3, 3, 50, 12, 69, 0})
	for i := range noisy.F32 {
		if i%3 == 0 {
			noisy.F32[i] += 1e-7 * float32(r.NormFloat64())
		}
	}
	copy(noisy.F32[:30], clean.F32[90:120]) // query 0 is point 3 itself
	for _, metric := range []Metric{Euclidean, Cosine} {
		got, err := Cross(context.Background(), noisy, clean, 4, Options{Metric: metric})
		if err != nil {
			t.Fatal(err)
		}
		checkNearest(t, got, naiveKeys(noisy, clean, metric), metric, func(int, int) bool { return true })
		if got.Distance[0] != 0 {
			t.Errorf("a query equal to a point is at %v", got.Distance[0])
		}
	}
	bytes := bytes8(r, 40, 12, 4)
	queries := bytes8(r, 9, 12, 4)
	for _, metric := range []Metric{Euclidean, Cosine} {
		got, err := Cross(context.Background(), queries, bytes, 40, Options{Metric: metric})
		if err != nil {
			t.Fatal(err)
		}
		checkNearest(t, got, naiveKeys(queries, bytes, metric), metric, func(int, int) bool { return true })
	}
	far := gaussian64(r, 10, 12)
	for i := range far.F64 {
		far.F64[i] *= 1e120
	}
	pts := gaussian64(r, 30, 12)
	got, err := Cross(context.Background(), far, pts, 3, Options{})
	if err != nil {
		t.Fatal(err)
	}
	checkNearest(t, got, naiveKeys(far, pts, Euclidean), Euclidean, func(int, int) bool { return true })
}

func TestDuplicatesAndTiesAreCounted(t *testing.T) {
	// −0 and 0 are the same coordinate.
	zero := float32(math.Copysign(0, -1))
	pts := points.Float32([]float32{0, 1, zero, 1, 2, 3, 0, 1, 2, 3, 5, 5}, 2)
	got, err := KNearest(context.Background(), pts, 3, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got.Counts.Duplicates != 3 {
		t.Errorf("%d duplicates, want 3", got.Counts.Duplicates)
	}
	want := []int32{1, 3, 2, 0, 3, 2, 4, 0, 1, 0, 1, 2, 2, 0, 1, 2, 4, 0}
	if !slices.Equal(got.Index, want) {
		t.Errorf("got %v, want %v", got.Index, want)
	}
}
