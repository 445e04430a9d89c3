// Groups of aligned boxes beside comparing all with all.

package box

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// aligned finds groups by joining boxes with neighbors of the same line until nothing changes.
func aligned(boxes []Box, tolerance float64) (groups []Group) {
	for line := range lineCount {
		group := make([]int, len(boxes))
		for i := range group {
			group[i] = i
		}
		for changed := true; changed; {
			changed = false
			for i := range boxes {
				for j := range boxes {
					if d := line.Of(boxes[i]) - line.Of(boxes[j]); math.Abs(d) <= tolerance && group[j] < group[i] {
						group[i], changed = group[j], true
					}
				}
			}
		}
		for first := range boxes {
			g := Group{Line: line}
			for i := range boxes {
				if group[i] == first {
					g.Members = append(g.Members, i)
				}
			}
			if len(g.Members) > 1 {
				groups = append(groups, g)
			}
		}
	}
	return groups
}

func sortedGroups(groups []Group) []string {
	var out []string
	for _, g := range groups {
		out = append(out, fmt.Sprint(g))
	}
	slices.Sort(out)
	return out
}

func TestAligned(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(41, 1))
	for n := range 300 {
		boxes := gridBoxes(rng, rng.IntN(15), 40)
		tolerance := float64(n % 4)
		got := Aligned(boxes, tolerance)
		if want := aligned(boxes, tolerance); !slices.Equal(sortedGroups(got), sortedGroups(want)) {
			t.Fatalf("%v within %v: %v, want %v", boxes, tolerance, got, want)
		}
		for k, g := range got {
			if !slices.IsSorted(g.Members) || k > 0 && got[k-1].Line > g.Line {
				t.Fatalf("out of order: %v", got)
			}
		}
	}
}

func TestGroupEdges(t *testing.T) {
	t.Parallel()
	nan, inf := math.NaN(), math.Inf(1)
	boxes := []Box{{0, 0, 4, 2}, {nan, 0, 4, 2}, {0, 9, inf, inf}, {2, 5, 2, 5}, {1.5, 40, 2.5, 60}}
	want := []Group{{Left, []int{0, 2}}, {Left, []int{3, 4}}, {CenterX, []int{0, 3, 4}}, {Right, []int{3, 4}}}
	got := Aligned(boxes, 0.5)
	if !slices.Equal(sortedGroups(got), sortedGroups(want)) {
		t.Errorf("groups %v, want %v", got, want)
	}
	for _, bad := range []float64{nan, -1} {
		if got := Aligned(boxes, bad); len(got) > 0 {
			t.Errorf("within %v: %v", bad, got)
		}
	}
	if v := Line(9).Of(boxes[0]); !math.IsNaN(v) || Line(9).String() != "Line(9)" || CenterY.String() != "y_center" {
		t.Errorf("line 9 is at %v", v)
	}
}

// TestGroupOverlaps counts members with sets.
func TestGroupOverlaps(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(43, 1))
	for range 200 {
		x, y := gridBoxes(rng, rng.IntN(12), 8), gridBoxes(rng, rng.IntN(12), 8)
		a, b := Aligned(x, 1), Aligned(y, 1)
		partner := rng.Perm(max(len(x), len(y)))[:len(y)]
		for j := range partner {
			if partner[j] >= len(x) {
				partner[j] = -1
			}
		}
		w, err := GroupOverlaps(a, b, len(x), partner)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.check(); err != nil {
			t.Fatal(err)
		}
		for i, g := range a {
			for j, h := range b {
				both := 0
				for _, m := range h.Members {
					if slices.Contains(g.Members, partner[m]) {
						both++
					}
				}
				want := float64(both) / float64(len(g.Members)+len(h.Members)-both)
				if g.Line != h.Line {
					want = 0
				}
				if got := w.At(i, j); got != want {
					t.Fatalf("%v and %v with partners %v: %v, want %v", g, h, partner, got, want)
				}
			}
		}
	}
}

func TestGroupOverlapsErrors(t *testing.T) {
	t.Parallel()
	good := []Group{{Left, []int{0, 1}}}
	for _, c := range []struct {
		a, b    []Group
		partner []int
		want    string
	}{
		{[]Group{{Left, []int{0, 2}}}, good, []int{0, 1}, "group 0 has box 2 of 2"},
		{good, []Group{{Left, []int{0, 1}}, {Left, []int{1, -1}}}, []int{0, 1}, "group 1 has box 1 of 2"},
		{[]Group{{Line(7), []int{0, 1}}}, good, []int{0, 1}, "group 0 is of Line(7)"},
		{good, good, []int{1, 1}, "the partner of box 1 is 1 of 2"},
		{good, good, []int{0, 2}, "the partner of box 1 is 2 of 2"},
	} {
		if _, err := GroupOverlaps(c.a, c.b, 2, c.partner); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

func BenchmarkAligned(b *testing.B) {
	rng := rand.New(rand.NewPCG(44, 1))
	boxes := design(rng, 1000)
	for b.Loop() {
		Aligned(boxes, 0.02)
	}
}
