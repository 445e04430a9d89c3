// Sets made from arrays, and what they hold.

package set

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"repscope/points"
)

// random are n sets that hold every cell with the given chance.
func random(t testing.TB, n, cells int, chance float64, seed uint64) *Sets {
	t.Helper()
	source := rand.New(rand.NewPCG(seed, 1))
	in := make([]bool, n*cells)
	for k := range in {
		in[k] = source.Float64() < chance
	}
	s, err := FromBools(in, cells)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestWaysToMakeSets(t *testing.T) {
	t.Parallel()
	want, err := FromMembers([][]int{{0, 64, 2, 2}, {}, {69}}, 70)
	if err != nil {
		t.Fatal(err)
	}
	if want.Size(0) != 3 || want.Size(1) != 0 || !want.Has(2, 69) || want.Has(2, 68) {
		t.Fatalf("sizes %d and %d", want.Size(0), want.Size(1))
	}
	p := want.Points()
	values := make([]float32, len(p.U8))
	for k, v := range p.U8 {
		values[k] = 0.25 + 0.5*float32(v)
	}
	for name, from := range map[string]points.Points{"uint8": p, "float32": points.Float32(values, 70)} {
		got, err := FromPoints(from, 0.5)
		if err != nil || !slices.Equal(got.bits, want.bits) || !slices.Equal(got.sizes, want.sizes) {
			t.Errorf("%s: %v %v", name, got, err)
		}
	}
	if got := want.Counts(); got[0] != 1 || got[69] != 1 || got[1] != 0 {
		t.Errorf("counts %v", got)
	}
	if got := want.Select([]int{2, 0}); !got.Has(0, 69) || got.Size(1) != 3 {
		t.Errorf("selected %v", got)
	}
}

func TestBadSets(t *testing.T) {
	t.Parallel()
	_, nan := FromPoints(points.Float64([]float64{0, 1, math.NaN(), 0}, 2), 0.5)
	_, length := FromBools(make([]bool, 5), 2)
	_, member := FromMembers([][]int{{0}, {7}}, 7)
	s := random(t, 3, 10, 0.5, 1)
	_, channels := s.Channels(3)
	_, cells := Overlaps(s, random(t, 3, 11, 0.5, 1))
	_, rows := Overlaps(s, random(t, 4, 10, 0.5, 1))
	for want, err := range map[string]error{
		"set 1: cell 0 is NaN":                  nan,
		"5 values are no sets of 2 cells":       length,
		"set 1: cell 7 of 7":                    member,
		"10 cells are no 3 channels":            channels,
		"sets of 10 cells beside sets of 11":    cells,
		"3 sets beside 4, want as many of each": rows,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestOverlaps(t *testing.T) {
	t.Parallel()
	a, b := random(t, 20, 130, 0.3, 2), random(t, 20, 130, 0.3, 3)
	overlaps, err := Overlaps(a, b)
	if err != nil {
		t.Fatal(err)
	}
	parts, err := a.Channels(2)
	if err != nil {
		t.Fatal(err)
	}
	others, err := b.Channels(2)
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range overlaps {
		var want Overlap
		for c := range a.Cells {
			if a.Has(i, c) && b.Has(i, c) {
				want.Intersection++
			}
			if a.Has(i, c) || b.Has(i, c) {
				want.Union++
			}
		}
		if got != want {
			t.Errorf("set %d: %v, want %v", i, got, want)
		}
	}
	sum := Overlap{}
	for c := range parts {
		of, err := Overlaps(parts[c], others[c])
		if err != nil {
			t.Fatal(err)
		}
		sum.Intersection += of[4].Intersection
		sum.Union += of[4].Union
	}
	if sum != overlaps[4] {
		t.Errorf("channels add up to %v, want %v", sum, overlaps[4])
	}
	if (Overlap{}).IoU(1) != 1 || !math.IsNaN((Overlap{}).IoU(math.NaN())) {
		t.Error("IoU of two empty sets")
	}
}
