package neighbors

// Neighbour search against full sorts.

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"repscope/points"
)

func checkNearest(t *testing.T, got *Nearest, keys [][]float64, metric Metric, candidate func(i, j int) bool) {
	t.Helper()
	for i := range keys {
		var list []int
		for j := range keys[i] {
			if candidate(i, j) {
				list = append(list, j)
			}
		}
		slices.SortStableFunc(list, func(a, b int) int {
			switch {
			case keys[i][a] < keys[i][b]:
				return -1
			case keys[i][a] > keys[i][b]:
				return 1
			}
			return 0
		})
		for q := range got.K {
			at := i*got.K + q
			want := keys[i][list[q]]
			if metric == Euclidean {
				want = math.Sqrt(want)
			}
			if int(got.Index[at]) != list[q] || got.Distance[at] != want {
				t.Fatalf("point %d, neighbour %d: got %d at %v, want %d at %v", i, q, got.Index[at], got.Distance[at], list[q], want)
			}
		}
	}
}

func TestKNearest(t *testing.T) {
	for _, c := range cases() {
		for _, pts := range []points.Points{c.original, c.embedded} {
			for _, metric := range []Metric{Euclidean, Cosine} {
				if metric == Cosine && checkNorms("", pts) != nil {
					continue
				}
				keys := naiveKeys(pts, pts, metric)
				for _, k := range []int{1, 2, pts.N / 2, pts.N - 1} {
					t.Run(fmt.Sprintf("%s/%s/%v/k=%d", c.name, typeName(pts), metric, k), func(t *testing.T) {
						got, err := KNearest(context.Background(), pts, k, Options{Metric: metric, Threads: 2, maxRows: 13})
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
	for i, dim := range []int{1, 9, 40, 100} {
		r := random(uint64(i))
		data := bytes8(r, 50, dim, 2)
		for _, p := range []points.Points{data, integers32(data)} {
			p = p.Select([]int{0, 1, 2, 3, 1, 4, 5, 0, 1})
			first, count, err := findDuplicates(context.Background(), p, 2)
			if err != nil {
				t.Fatal(err)
			}
			wanted := 0
			for i := range p.N {
				f := 0
				for ; !equalPoints(p, i, f); f++ {
				}
				if int(first[i]) != f {
					t.Errorf("dim %d: first[%d] = %d, want %d", dim, i, first[i], f)
				}
				if f < i {
					wanted++
				}
			}
			if count != wanted {
				t.Errorf("dim %d: %d duplicates, want %d", dim, count, wanted)
			}
		}
	}
}
