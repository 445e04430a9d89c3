// Neighbors with all ties of the last, against sorting.

package neighbors

import (
	"slices"
	"sync"
	"testing"

	"repscope/points"
)

func TestVisitTied(t *testing.T) {
	t.Parallel()
	const n = 80
	r := random(101)
	for name, pts := range map[string]points.Points{
		"untied": gaussian32(r, n, 20), "few values": bytes8(r, n, 3, 3), "duplicates": nearlyEqual32(r, n, 30), "equal": constant32(n, 12),
	} {
		for _, c := range []struct{ k, window int }{{1, 0}, {7, 0}, {n - 1, 0}, {5, 3}} {
			space, err := NewSpace("points", pts, Euclidean)
			if err != nil {
				t.Fatal(err)
			}
			var mutex sync.Mutex
			seen := map[int]bool{}
			keys := newNaive(naiveKeys(pts, pts, Euclidean), c.window, nil)
			orders, _ := keys.orders()
			counts, err := space.VisitTied(t.Context(), c.k, Options{ExcludeWindow: c.window, Threads: 2}, func(i int, index, run []int32) {
				mutex.Lock()
				defer mutex.Unlock()
				if seen[i] {
					t.Errorf("%s: point %d is visited twice", name, i)
				}
				seen[i] = true
				want := orders[i]
				length := c.k
				for length < len(want) && keys.keys[i][want[length]] == keys.keys[i][want[c.k-1]] {
					length++
				}
				if len(index) != length || len(run) != length {
					t.Fatalf("%s, k = %d: point %d has %d neighbours, want %d", name, c.k, i, len(index), length)
				}
				for q, j := range index {
					first := slices.IndexFunc(want, func(l int) bool { return keys.keys[i][l] == keys.keys[i][want[q]] })
					if int(j) != want[q] || int(run[q]) != first {
						t.Fatalf("%s, k = %d: point %d, place %d: %d of the run at %d, want %d at %d", name, c.k, i, q, j, run[q], want[q], first)
					}
				}
			})
			if err != nil || len(seen) != n {
				t.Errorf("%s, k = %d: %d points visited, %v", name, c.k, len(seen), err)
			}
			if want, _ := space.Duplicates(t.Context(), 1); counts.Duplicates != want || space.Collapsed() != (want == n-1) {
				t.Errorf("%s: %d duplicates, want %d", name, counts.Duplicates, want)
			}
		}
	}
}
