// The search through tiles, against the search row by row.

package rows

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"

	"repscope/points"
)

// The search by tiles gives what the search row by row gives, counts included.
func TestTilesAreRows(t *testing.T) {
	r := random(41)
	repeated := integers32(bytes8(r, 400, 12, 2)) // distances tie
	for i := range 100 {
		copy(repeated.F32[(300+i)*12:(301+i)*12], repeated.F32[i*12:(i+1)*12])
	}
	few := constant32(400, 12) // two kinds of points
	for i := range few.N {
		copy(few.F32[12*i:12*i+1], repeated.F32[12*i:])
	}
	walk := gaussian32(r, 500, 10) // neighbors in time are the nearest
	for i := 10; i < len(walk.F32); i++ {
		walk.F32[i] += walk.F32[i-10]
	}
	episode := make([]int, 500)
	for i := range episode {
		episode[i] = i / 130
	}
	for _, c := range []struct {
		name   string
		points points.Points
		k      int
		o      Options
		done   bool
	}{
		{"three points", gaussian32(r, 3, 9), 2, Options{}, true},
		{"one tile less one", gaussian32(r, tilePoints-1, 20), 5, Options{}, true},
		{"one tile", gaussian32(r, tilePoints, 64), 2, Options{Threads: 3}, true},
		{"one tile and one", gaussian32(r, tilePoints+1, 64), tilePoints, Options{}, true},
		{"several tiles", gaussian32(r, 900, 64), 2, Options{Threads: 2}, true},
		{"long lists", gaussian32(r, 700, 17), 300, Options{Threads: 3}, true},
		{"all", gaussian32(r, 500, 30), 499, Options{}, true},
		{"window", gaussian32(r, 500, 33), 7, Options{ExcludeWindow: 30, Episode: episode}, true},
		{"short window", walk, 7, Options{ExcludeWindow: 4, Episode: episode}, true},
		{"window and list of all groups", walk, 7, Options{ExcludeWindow: 12, Episode: episode, Threads: 2}, true},
		{"more than all groups", walk, 8, Options{ExcludeWindow: 12, Episode: episode}, true},
		{"cosine", gaussian32(r, 450, 40), 10, Options{Metric: Cosine, Threads: 2}, true},
		{"nearly equal", nearlyEqual32(r, 300, 25), 40, Options{Threads: 2}, true},
		{"ties", repeated, 3, Options{Threads: 2}, true},
		{"long ties", few, 3, Options{Threads: 2}, false},
		{"all equal", constant32(300, 10), 4, Options{}, false},
		{"large dimension", gaussian32(r, 200, keepingPays), 2, Options{}, false},
		{"little memory", gaussian32(r, 400, 30), 8, Options{Memory: 100_000}, false},
		{"float64", gaussian64(r, 200, 20), 2, Options{}, false},
		{"uint8", bytes8(r, 200, 20, 4), 2, Options{}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() && c.o.Threads == 0 && c.name != "little memory" {
				t.Skip("left out with -short: the same goroutines as with threads of its own, on other points")
			}
			n := c.points.N
			s, err := Open(context.Background(), c.points, c.points, true, false, &c.o, nil)
			if err != nil {
				t.Fatal(err)
			}
			tiled := &Nearest{N: n, K: c.k, Index: make([]int32, n*c.k), Distance: make([]float64, n*c.k)}
			last := 0
			c.o.Progress = func(done, total int) {
				if done <= last || done > total || total != n {
					t.Errorf("progress %d after %d of %d", done, last, total)
				}
				last = done
			}
			done, err := searchTiles(context.Background(), s, c.points, c.k, &c.o, tiled)
			if err != nil || done != c.done {
				t.Fatalf("done %v, error %v, want %v", done, err, c.done)
			}
			if done && last != n {
				t.Errorf("progress ended at %d of %d", last, n)
			}
			c.o.Progress = nil
			got, err := nearest(c.points, c.k, &c.o)
			if err != nil {
				t.Fatal(err)
			}
			if testing.Short() {
				return // the references are of one goroutine
			}
			checkNearest(t, got, naiveKeys(c.points, c.points, c.o.Metric), c.o.Metric, func(i, j int) bool {
				return i != j && (c.o.ExcludeWindow == 0 || max(i-j, j-i) > c.o.ExcludeWindow || c.o.Episode[i] != c.o.Episode[j])
			})
			c.o.MaxRows = 50
			want, err := nearest(c.points, c.k, &c.o)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("counts %+v, row by row %+v, or other neighbours", got.Counts, want.Counts)
			}
		})
	}
}

func TestPlaced(t *testing.T) {
	r := random(43)
	for range 500 {
		list := make([]float32, 1+r.IntN(70))
		for i := range list {
			list[i] = float32(r.IntN(1 + r.IntN(50)))
		}
		place := r.IntN(len(list))
		ordered := slices.Sorted(slices.Values(list))
		if got := placed(slices.Clone(list), place); got != ordered[place] {
			t.Fatalf("at place %d of %v: %v", place, list, got)
		}
	}
}

func TestCancelTiles(t *testing.T) {
	pts := gaussian32(random(42), 800, 30)
	s, err := Open(context.Background(), pts, pts, true, false, &Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	o := Options{Threads: 1, Progress: func(int, int) { cancel() }}
	result := &Nearest{N: 800, K: 2, Index: make([]int32, 1600), Distance: make([]float64, 1600)}
	if done, err := searchTiles(ctx, s, pts, 2, &o, result); done || !errors.Is(err, context.Canceled) {
		t.Errorf("done %v, error %v, want that of the context", done, err)
	}
}

// nearest is the search with its ties counted.
func nearest(pts points.Points, k int, o *Options) (*Nearest, error) {
	matches, err := Search(context.Background(), pts, pts, k, true, o)
	if err == nil {
		CountTies(matches)
	}
	return matches, err
}
