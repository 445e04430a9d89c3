// Overlaps beside comparing all boxes with all.

package box

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func comparePairs(a, b [2]int) int { return cmp.Or(a[0]-b[0], a[1]-b[1]) }

// gridBoxes has boxes with few coordinates, so that many touch, are the same or have no area.
func gridBoxes(rng *rand.Rand, n, side int) []Box {
	out := make([]Box, n)
	for i := range out {
		x, y := rng.IntN(side), rng.IntN(side)
		out[i] = Box{float64(x), float64(y), float64(x + rng.IntN(4)), float64(y + rng.IntN(4))}
	}
	return out
}

func TestOverlaps(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(21, 1))
	for range 400 {
		a, b := gridBoxes(rng, rng.IntN(30), 12), gridBoxes(rng, rng.IntN(30), 12)
		var got, want [][2]int
		Overlaps(a, b, 1e-9, func(i, j int) bool {
			got = append(got, [2]int{i, j})
			return true
		})
		for i := range a {
			for j := range b {
				if ExtentIoU(a[i], b[j], 1e-9) > 0 {
					want = append(want, [2]int{i, j})
				}
			}
		}
		slices.SortFunc(got, comparePairs)
		for k := range got {
			if k > 0 && got[k] == got[k-1] {
				t.Fatalf("%v twice", got[k])
			}
		}
		// Lines that cross boxes or each other meet without a share of either.
		got = slices.DeleteFunc(got, func(p [2]int) bool { return ExtentIoU(a[p[0]], b[p[1]], 1e-9) == 0 })
		if !slices.Equal(got, want) {
			t.Fatalf("%v and %v: %v, want %v", a, b, got, want)
		}
	}
}

func TestOverlapWeights(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(22, 1))
	for range 100 {
		a, b := gridBoxes(rng, rng.IntN(30), 12), gridBoxes(rng, rng.IntN(30), 12)
		of := func(i, j int) float64 { return ExtentIoU(a[i], b[j], 1e-9) }
		w, err := OverlapWeights(a, b, 1e-9, 1000, of)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.check(); err != nil {
			t.Fatal(err)
		}
		for at, cost := range w.costs() {
			if want := 1 - of(at/len(b), at%len(b)); cost != want {
				t.Fatalf("the cost of %d is %v, want %v", at, cost, want)
			}
		}
	}
	same := slices.Repeat([]Box{{0, 0, 1, 1}}, 10)
	for limit, want := range map[int]error{99: ErrTooMany, 100: nil} {
		if _, err := OverlapWeights(same, same, 0, limit, func(int, int) float64 { return 1 }); !errors.Is(err, want) {
			t.Errorf("limit %d: %v, want %v", limit, err, want)
		}
	}
}

// TestExtentIoU: the limit of what ever thinner boxes have.
func TestExtentIoU(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(23, 1))
	for range 2000 {
		boxes := gridBoxes(rng, 2, 3)
		a, b := boxes[0], boxes[1]
		grow := func(b Box) Box {
			const by = 1e-7
			if b.X0 == b.X1 {
				b.X1 += by
			}
			if b.Y0 == b.Y1 {
				b.Y1 += by
			}
			return b
		}
		got, want := ExtentIoU(a, b, 1e-12), IoU(grow(a), grow(b))
		if math.Abs(got-want) > 1e-5 || got != ExtentIoU(b, a, 1e-12) || ExtentIoU(a, a, 0) != 1 {
			t.Fatalf("%v and %v: %v, want %v", a, b, got, want)
		}
	}
	if v := ExtentIoU(Box{0, 0, 0, 1}, Box{math.NaN(), 0, 1, 1}, 0); !math.IsNaN(v) {
		t.Errorf("with NaN: %v", v)
	}
}

func TestOverlapsEdges(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b      Box
		tolerance float64
		want      bool
	}{
		{Box{0, 0, 1, 1}, Box{1, 0, 2, 1}, 1e-9, false}, // only touches
		{Box{0, 0, 1, 1}, Box{0.5, math.NaN(), 2, 1}, 1e-9, false},
		{Box{0, 0, 1, 0}, Box{0, 1e-10, 1, 1e-10}, 1e-9, true},
		{Box{0, 0, 1, 0}, Box{0, 1e-8, 1, 1e-8}, 1e-9, false},
		{Box{3, 3, 2, 4}, Box{0, 0, 9, 9}, 1e-9, false}, // ends before it begins
		{Box{math.Inf(-1), 0, math.Inf(1), 1}, Box{5, 0.5, 6, 7}, 0, true},
	} {
		met := false
		Overlaps([]Box{c.a}, []Box{c.b}, c.tolerance, func(int, int) bool { met = true; return true })
		if met != c.want {
			t.Errorf("%v and %v meet: %v, want %v", c.a, c.b, met, c.want)
		}
	}
}

func BenchmarkOverlapMatch(b *testing.B) {
	for _, n := range []int{1000, 2000, 100_000} {
		b.Run(map[int]string{1000: "1k", 2000: "2k", 100_000: "100k"}[n], func(b *testing.B) {
			rng := rand.New(rand.NewPCG(24, 1))
			from := design(rng, n)
			to := moved(rng, from)
			for b.Loop() {
				w, err := OverlapWeights(from, to, 1e-9, 1<<23, func(i, j int) float64 { return ExtentIoU(from[i], to[j], 1e-9) })
				if err != nil {
					b.Fatal(err)
				}
				if _, _, err := Match(w); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(w.Column)), "pairs")
			}
		})
	}
}
