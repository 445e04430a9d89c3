// Lists and places from tiles of rounded points and of float32 products, against counting by direct keys.

package rows

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"repscope/internal/kernel"
	"repscope/neighbors/internal/naive"
	"repscope/points"
)

// shortPoints are points of kinds that bounds could miss.
func shortPoints() map[string]points.Points {
	r := random(51)
	far, clusters, wide := gaussian64(r, 250, 40), gaussian64(r, 250, 7), gaussian64(r, 200, 30)
	for i := range far.F64 {
		far.F64[i] = 1e9 + 1e-2*far.F64[i]
	}
	for i := range clusters.F64 {
		clusters.F64[i] = 1e-3*clusters.F64[i] + float64(i/7%5)
	}
	for i := range wide.F64 {
		wide.F64[i] *= math.Exp(float64(i % 30))
	}
	copies := gaussian32(r, 230, 33)
	for i := range 100 {
		copy(copies.F32[(2*i+1)*33:(2*i+2)*33], copies.F32[i*33:(i+1)*33])
	}
	tiny, huge := gaussian64(r, 60, 5), gaussian64(r, 60, 5)
	for i := range tiny.F64 {
		tiny.F64[i] *= 1e-160
		huge.F64[i] *= 1e150
	}
	one := gaussian64(r, 200, 20)
	one.F64[700] = 1e6
	return map[string]points.Points{
		"usual": gaussian32(r, 450, 64), "float64": gaussian64(r, 400, 31), "one dimension": gaussian32(r, 300, 1),
		"blocks of depths": gaussian64(r, 210, 1100), "far away": far, "clusters": clusters, "wide": wide, "copies": copies,
		"integers": integers32(bytes8(r, 300, 9, 3)), "coarse": coarse(gaussian32(r, 200, 520)), "nearly equal": nearlyEqual32(r, 260, 80),
		"three points": gaussian64(r, 3, 4), "tiny": tiny, "huge": huge, "outlier": one, "all equal": constant32(100, 5),
	}
}

func TestShort(t *testing.T) {
	t.Parallel()
	for name, pts := range shortPoints() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && name != "copies" {
				t.Skip("left out with -short: the same goroutines, on other points")
			}
			for _, metric := range []Metric{Euclidean, Cosine} {
				if metric == Cosine && name != "usual" && name != "float64" && name != "copies" {
					continue
				}
				keys := naive.Keys(pts, pts, metric == Cosine)
				testShort(t, pts, keys, &Options{Metric: metric, Threads: 3}, true)
				testShort(t, pts, keys, &Options{Metric: metric, Threads: 2}, false)
			}
		})
	}
}

func testShort(t *testing.T, pts points.Points, keys [][]float64, o *Options, rounded bool) {
	t.Helper()
	ctx := context.Background()
	p := newCountPass(pts, o)
	defer p.release()
	if rounded {
		q, err := openQuantized(ctx, p, nil)
		if err != nil {
			t.Fatal(err)
		}
		if q == nil {
			return
		}
		defer q.release()
		p.tiles = q
	} else {
		f, err := openFloatTiles(ctx, p)
		if err != nil {
			t.Fatal(err)
		}
		if f == nil {
			return
		}
		p.tiles = f
	}
	checkLimits(t, p, keys)
	for _, k := range []int{1, 5, 12} {
		if k >= pts.N {
			continue
		}
		inRows := func(visit func(_, i int, list, run []int32)) (bool, error) { return p.visit(ctx, k, 24, visit) }
		inTiles := func(visit func(_, i int, list, run []int32)) (bool, error) { return p.visitTiles(ctx, k, visit) }
		listed(t, pts.N, k, keys, inTiles)
		lists := listed(t, pts.N, k, keys, inRows)
		if lists == nil {
			continue
		}
		checkPlaced(t, p, lists, keys)
	}
}

// listed are lists that are right; nil where they were given up.
func listed(t *testing.T, n, k int, keys [][]float64, visitAll func(visit func(_, i int, list, run []int32)) (bool, error)) *Short {
	t.Helper()
	index, run := make([][]int32, n), make([][]int32, n)
	done, err := visitAll(func(_, i int, list, runs []int32) { index[i], run[i] = slices.Clone(list), slices.Clone(runs) })
	if err != nil {
		t.Fatal(err)
	}
	if !done {
		return nil
	}
	lists := &Short{Start: make([]int, n+1)}
	for i := range n {
		checkShort(t, i, k, keys[i], index[i], run[i])
		lists.Index = append(lists.Index, index[i]...)
		lists.Start[i+1] = len(lists.Index)
	}
	return lists
}

// checkShort checks a list and its runs.
func checkShort(t *testing.T, i, k int, keys []float64, index, run []int32) {
	t.Helper()
	var order []int32
	for j := range keys {
		if j != i {
			order = append(order, int32(j))
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(keys[a], keys[b]) })
	end := k
	for end < len(order) && keys[order[end]] == keys[order[k-1]] {
		end++
	}
	if !slices.Equal(index, order[:end]) {
		t.Fatalf("point %d, k = %d: %v, want %v", i, k, index, order[:end])
	}
	for q := range index {
		want := slices.IndexFunc(index, func(j int32) bool { return keys[j] == keys[index[q]] })
		if int(run[q]) != want {
			t.Fatalf("point %d, k = %d: runs %v, place %d wants %d", i, k, run, q, want)
		}
	}
}

// checkPlaced checks the places of other lists than the nearest, too.
func checkPlaced(t *testing.T, p *countPass, lists *Short, keys [][]float64) {
	t.Helper()
	for offset := range lists.Index {
		if i := offset % p.points.N; offset%3 == 0 && int32(i) != lists.Index[offset] {
			owner, _ := slices.BinarySearch(lists.Start, offset+1)
			if owner-1 != i {
				lists.Index[offset] = int32(i)
			}
		}
	}
	lists.Below, lists.Tied = make([]int32, len(lists.Index)), make([]int32, len(lists.Index))
	p.lists, p.keys = lists, make([]float64, len(lists.Index))
	for i := range p.points.N {
		if lists.Start[i+1]-lists.Start[i] > LongestShort {
			return
		}
		p.findKeys(0, i)
	}
	done, err := p.run(context.Background(), p.tiles, math.MaxInt64)
	if err != nil || !done {
		t.Fatalf("done %v, error %v", done, err)
	}
	for i := range p.points.N {
		for offset := lists.Start[i]; offset < lists.Start[i+1]; offset++ {
			below, tied := int32(0), int32(0)
			for j, key := range keys[i] {
				if want := keys[i][lists.Index[offset]]; j != i && key < want {
					below++
				} else if j != i && key == want {
					tied++
				}
			}
			if lists.Below[offset] != below || lists.Tied[offset] != tied {
				t.Fatalf("point %d, listed %d: %d and %d, want %d and %d", i, lists.Index[offset], lists.Below[offset], lists.Tied[offset], below, tied)
			}
		}
	}
}

// checkLimits checks what values say about direct keys.
func checkLimits(t *testing.T, p *countPass, keys [][]float64) {
	t.Helper()
	n := p.points.N
	c := make([]float32, n*n)
	for row := 0; row < n; row += 2 * tilePoints {
		if err := p.tiles.products(&p.workers[0].work, c[row*n:], n, row, min(2*tilePoints, n-row), 0, n); err != nil {
			t.Fatal(err)
		}
	}
	norms := p.tiles.norms()
	for i := range n {
		row := c[i*n : (i+1)*n]
		kernel.FinishDistances(row, norms, norms[i])
		for m := (i + 1) % 43; m < n; m += 43 {
			if m == i {
				continue
			}
			key := keys[i][m]
			below, within := p.tiles.limits(i, key)
			reach := p.tiles.reach(i, row[m])
			for l, v := range row {
				if l == i {
					continue
				}
				limit := keys[i][l]
				if v <= below && limit >= key || v > within && limit <= key || v > reach && limit <= key {
					t.Fatalf("point %d: value %v of key %v, limits %v, %v and reach %v of key %v", i, v, limit, below, within, reach, key)
				}
				if v <= below || v > within {
					continue
				}
				if open, nearer := p.tiles.doubt(i, int32(l), v, key); !open && (nearer != (limit < key) || limit == key) {
					t.Fatalf("point %d: value %v of key %v is taken for nearer %v than %v", i, v, limit, nearer, key)
				}
			}
		}
	}
}

func TestVisitShortGivesUp(t *testing.T) {
	t.Parallel()
	ctx, r := context.Background(), random(52)
	stopped, stop := context.WithCancel(ctx)
	stop()
	for name, c := range map[string]struct {
		points points.Points
		k      int
		ctx    context.Context
		o      Options
		err    error
	}{
		"all equal":   {constant32(300, 5), 3, ctx, Options{}, nil},
		"long lists":  {gaussian32(r, 300, 5), LongestShort + 1, ctx, Options{}, nil},
		"few points":  {gaussian32(r, 5, 5), 5, ctx, Options{}, nil},
		"no memory":   {gaussian32(r, 300, 5), 3, ctx, Options{Memory: 1000}, nil},
		"was stopped": {gaussian32(r, 300, 5), 3, stopped, Options{}, context.Canceled},
	} {
		done, err := VisitShort(c.ctx, c.points, c.k, &c.o, func(int, int, []int32, []int32) {})
		if done || err != c.err {
			t.Errorf("%s: done %v, error %v", name, done, err)
		}
	}
	var visited atomic.Int32
	done, err := VisitShort(ctx, gaussian32(r, 1000, 20), 5, &Options{Threads: 2}, func(int, int, []int32, []int32) { visited.Add(1) })
	if !done || err != nil || visited.Load() != 1000 {
		t.Errorf("done %v, error %v, %d points visited", done, err, visited.Load())
	}
}
