// Groups against all subsets, and positions.

package study

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Every maximal set of models that do not differ, found by trying all sets.
func TestGroups(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 7).Draw(r, "n")
		positions := rapid.SliceOfN(rapid.Float64Range(1, 7), n, n).Draw(r, "positions")
		apart := map[[2]int]bool{}
		for i := range n {
			for j := range i {
				apart[[2]int{j, i}] = rapid.Bool().Draw(r, "apart")
			}
		}
		differs := func(i, j int) bool { return apart[[2]int{min(i, j), max(i, j)}] }
		groups, err := Groups(positions, differs)
		if err != nil {
			r.Fatal(err)
		}
		found := map[string]bool{}
		for _, g := range groups {
			members := slices.Sorted(slices.Values(g.Members))
			found[fmt.Sprint(members)] = true
			if !slices.IsSortedFunc(g.Members, func(a, b int) int { return compare(positions[a], positions[b]) }) {
				r.Fatalf("%v are not in the order of %v", g.Members, positions)
			}
			first, last := positions[g.Members[0]], positions[g.Members[len(g.Members)-1]]
			for i := range n {
				between := positions[i] > first && positions[i] < last && !slices.Contains(g.Members, i)
				if between != slices.Contains(g.Between, i) {
					r.Fatalf("%+v of %v: is %d between?", g, positions, i)
				}
			}
		}
		together := func(set int) bool {
			for i := range n {
				for j := range i {
					if set>>i&1 == 1 && set>>j&1 == 1 && differs(i, j) {
						return false
					}
				}
			}
			return true
		}
		want := 0
		for set := range 1 << n {
			var members []int
			maximal := together(set)
			for i := range n {
				if set>>i&1 == 1 {
					members = append(members, i)
				} else {
					maximal = maximal && !together(set|1<<i)
				}
			}
			if maximal && len(members) > 1 {
				want++
				if !found[fmt.Sprint(members)] {
					r.Fatalf("%v is missing in %v", members, groups)
				}
			}
		}
		if want != len(groups) {
			r.Fatalf("%d groups, want %d", len(groups), want)
		}
	})
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func TestGroupsLimit(t *testing.T) {
	t.Parallel()
	// 21 models in threes that differ within: 3^7 groups.
	_, err := Groups(make([]float64, 21), func(i, j int) bool { return i/3 == j/3 })
	if err == nil || !strings.Contains(err.Error(), "more than 1000 groups") {
		t.Error(err)
	}
}

func TestNote(t *testing.T) {
	t.Parallel()
	names := []string{"a", "b", "c", "d"}
	groups, err := Groups([]float64{1, 2, 3, 4}, func(i, j int) bool { return i == 1 || j == 1 })
	if err != nil || len(groups) != 1 {
		t.Fatal(groups, err)
	}
	if got, want := groups[0].Note(names), "a, c and d do not differ, although b, which differs from some of them, ranks between"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := (Group{Members: []int{0, 3}, Between: []int{1, 2}}).Note(names); !strings.HasSuffix(got, "although b and c, which each differ from some of them, rank between") {
		t.Errorf("%q", got)
	}
	if got := (Group{Members: []int{0, 1}}).Note(names); got != "" {
		t.Errorf("a note %q without a gap", got)
	}
}

func TestPositionIntervals(t *testing.T) {
	t.Parallel()
	// 0 is better than 1 and 2; nothing else is decided.
	got := PositionIntervals(4, func(i, j int) bool { return i == 0 && (j == 1 || j == 2) })
	want := []Positions{{1, 2}, {2, 4}, {2, 4}, {1, 4}}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
