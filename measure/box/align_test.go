// Groups of aligned boxes beside comparing all with all.

package box

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// aligned links groups by their definition: of all pairs of neighbors the one of the smallest spread becomes one group,
// the first of equal ones, as long as some pair keeps the tolerance.
func aligned(boxes []Box, tolerance float64) (groups []Group) {
	for line := range lineCount {
		byLine := func(i, j int) int { return cmp.Compare(line.Of(boxes[i]), line.Of(boxes[j])) }
		order := make([]int, len(boxes))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, byLine)
		var found [][]int
		for _, i := range order {
			found = append(found, []int{i})
		}
		for {
			best, least := -1, math.Inf(1)
			for k := range len(found) - 1 {
				spread := line.Of(boxes[found[k+1][len(found[k+1])-1]]) - line.Of(boxes[found[k][0]])
				if spread <= tolerance && spread < least {
					best, least = k, spread
				}
			}
			if best < 0 {
				break
			}
			found[best] = slices.Concat(found[best], found[best+1])
			found = slices.Delete(found, best+1, best+2)
		}
		for _, members := range found {
			if slices.Sort(members); len(members) > 1 {
				groups = append(groups, Group{line, members})
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

// TestSpreads: no group is wider than the tolerance, no two neighboring groups could be one, and equal lines are
// together.
func TestSpreads(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(45, 1))
	for range 100 {
		boxes := design(rng, 2+rng.IntN(400))
		tolerance := rng.Float64() / 20
		for line := range lineCount {
			type span struct{ low, high float64 }
			var spans []span
			in := make([]bool, len(boxes))
			for _, g := range Aligned(boxes, tolerance) {
				if g.Line != line {
					continue
				}
				s := span{math.Inf(1), math.Inf(-1)}
				for _, i := range g.Members {
					s.low, s.high, in[i] = min(s.low, line.Of(boxes[i])), max(s.high, line.Of(boxes[i])), true
				}
				if s.high-s.low > tolerance*(1+2*sameSpread) {
					t.Fatalf("%v: a group spreads over %v, tolerance %v", line, s.high-s.low, tolerance)
				}
				spans = append(spans, s)
			}
			for i, b := range boxes {
				if !in[i] {
					spans = append(spans, span{line.Of(b), line.Of(b)})
				}
			}
			slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.low, b.low) })
			for k := range len(spans) - 1 {
				if spans[k].high >= spans[k+1].low || spans[k+1].high-spans[k].low <= tolerance {
					t.Fatalf("%v: %v and %v should be one group within %v", line, spans[k], spans[k+1], tolerance)
				}
			}
		}
	}
}

// TestEvenSteps: rows at equal steps are paired from the first, however their coordinates are rounded.
func TestEvenSteps(t *testing.T) {
	t.Parallel()
	for _, from := range []float64{0, 0.1, 1. / 3} {
		var rows []Box
		for i := range 40 {
			y := from + float64(i)*0.02
			rows = append(rows, Box{0.1, y, 0.9, y + 0.3})
		}
		var tops []Group
		for _, g := range Aligned(rows, 0.02) {
			if g.Line == Top {
				tops = append(tops, g)
			}
		}
		if len(tops) != 20 || !slices.Equal(tops[7].Members, []int{14, 15}) {
			t.Errorf("from %v: %v", from, tops)
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
		{[]Group{{Left, []int{0, 2}}}, good, []int{0, 1}, "group 0 has box 2, want an index below 2"},
		{good, []Group{{Left, []int{0, 1}}, {Left, []int{1, -1}}}, []int{0, 1}, "group 1 has box 1, want an index below 2"},
		{[]Group{{Line(7), []int{0, 1}}}, good, []int{0, 1}, "group 0 has the line Line(7)"},
		{good, good, []int{1, 1}, "the partner of box 1 is 1, want"},
		{good, good, []int{0, 2}, "the partner of box 1 is 2, want"},
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
