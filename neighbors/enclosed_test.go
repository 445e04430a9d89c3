// Pairs across two sets against the definition.

package neighbors

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"repscope/neighbors/internal/naive"
	"repscope/points"
)

// TestEnclose counts, for every pair, the listed neighbors that are as near as the other point: of few distinct
// points, so that distances tie and are 0.
func TestEnclose(t *testing.T) {
	t.Parallel()
	const k = 4
	for _, dim := range []int{3, 30} {
		a, b := naive.Coarse(naive.Gaussian32(naive.Random(1), 60, dim)), naive.Coarse(naive.Gaussian32(naive.Random(2), 40, dim))
		copy(b.F32[:5*dim], a.F32[:5*dim])
		ofA, err := KNearest(context.Background(), a, k, Options{})
		if err != nil {
			t.Fatal(err)
		}
		ofB, err := KNearest(context.Background(), b, k, Options{})
		if err != nil {
			t.Fatal(err)
		}
		place := func(list *Nearest, i int, distance float64) (n int32) {
			for _, d := range list.Distance[i*k : (i+1)*k] {
				if distance > 0 && d <= distance {
					n++
				}
			}
			return n
		}
		want := make([][]Enclosed, a.N)
		for i := range a.N {
			all, err := Cross(context.Background(), a.Select([]int{i}), b, b.N, Options{})
			if err != nil {
				t.Fatal(err)
			}
			for q, j := range all.Index {
				e := Enclosed{Point: j, OfQuery: place(ofA, i, all.Distance[q]), OfPoint: place(ofB, int(j), all.Distance[q])}
				if e.OfQuery < k || e.OfPoint < k {
					want[i] = append(want[i], e)
				}
			}
			slices.SortFunc(want[i], func(x, y Enclosed) int { return int(x.Point) - int(y.Point) })
		}
		var turn sync.Mutex
		visited := 0
		_, err = Enclose(context.Background(), a, b, ofA, ofB, Options{Threads: 2}, func(_, i int, matches []Enclosed) {
			turn.Lock()
			defer turn.Unlock()
			visited++
			if !slices.Equal(matches, want[i]) {
				t.Errorf("dimension %d, query %d: %v, want %v", dim, i, matches, want[i])
			}
		})
		if err != nil || visited != a.N {
			t.Errorf("%d of %d queries visited, %v", visited, a.N, err)
		}
	}
}

func TestEncloseErrors(t *testing.T) {
	t.Parallel()
	a, b := naive.Coarse(naive.Gaussian32(naive.Random(1), 10, 3)), naive.Coarse(naive.Gaussian32(naive.Random(2), 12, 3))
	ofA, err := KNearest(context.Background(), a, 2, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		pts    points.Points
		metric Metric
		want   string
	}{
		{b, Euclidean, "neighbor lists for 10 queries and 10 points, want 10 and 12"},
		{points.Float32(b.F32, 2), Euclidean,
			"queries are float32 of dimension 3, but points are float32 of dimension 2: want the same"},
		{b, Precomputed, "this search needs coordinates"},
	} {
		_, err := Enclose(context.Background(), a, c.pts, ofA, ofA, Options{Metric: c.metric}, func(int, int, []Enclosed) {})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}
