// Groups: from decisions about pairs to models that do not differ.

package study

import (
	"fmt"
	"slices"
	"strings"

	"repscope/stat"
)

// Group is a set of models no two of which differ, and to which no other could be
// added.
type Group struct {
	Members []int // at least two, from the best position to the worst
	// Between are models that stand between the members and differ from some of them:
	// with decisions about pairs that happens, and a bar from the first member to the
	// last would say what is not so.
	Between []int
}

// maxGroups bounds the number of groups, which can grow as 3^(models/3).
const maxGroups = 1000

// Groups returns the groups of models that do not differ, from the decisions about all
// pairs (differs is symmetric) and the models' positions, such as average ranks: the
// maximal cliques (Bron and Kerbosch 1973), in the order of their members' positions.
// A model that differs from all others is in no group. Errors: more than 1,000 groups.
func Groups(positions []float64, differs func(i, j int) bool) ([]Group, error) {
	n := len(positions)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case positions[a] < positions[b]:
			return -1
		case positions[a] > positions[b]:
			return 1
		}
		return 0
	})
	near := make([][]bool, n) // by place in the order
	for a := range near {
		near[a] = make([]bool, n)
		for b := range near[a] {
			near[a][b] = a != b && !differs(order[a], order[b])
		}
	}
	found := cliques(near)
	if found == nil {
		return nil, stat.Undefined("groups", "the decisions leave more than %d groups of models that do not differ", maxGroups)
	}
	var out []Group
	for _, clique := range found {
		if len(clique) < 2 {
			continue
		}
		g := Group{}
		for _, a := range clique {
			g.Members = append(g.Members, order[a])
		}
		first, last := positions[order[clique[0]]], positions[order[clique[len(clique)-1]]]
		for _, i := range order {
			if positions[i] > first && positions[i] < last && !slices.Contains(g.Members, i) {
				g.Between = append(g.Between, i)
			}
		}
		out = append(out, g)
	}
	return out, nil
}

// cliques are the maximal cliques of a graph, each in ascending order, sorted; nil for
// more than maxGroups.
func cliques(near [][]bool) [][]int {
	out := [][]int{}
	tooMany := false
	var grow func(clique, candidates, done []int)
	grow = func(clique, candidates, done []int) {
		if tooMany {
			return
		}
		if len(candidates) == 0 && len(done) == 0 {
			c := slices.Sorted(slices.Values(clique))
			out = append(out, c)
			tooMany = len(out) > maxGroups
			return
		}
		pivot, best := -1, -1
		for _, v := range slices.Concat(candidates, done) {
			if n := len(among(candidates, near[v])); n > best {
				pivot, best = v, n
			}
		}
		for _, v := range slices.Clone(candidates) {
			if near[pivot][v] {
				continue
			}
			grow(append(slices.Clone(clique), v), among(candidates, near[v]), among(done, near[v]))
			candidates = slices.DeleteFunc(slices.Clone(candidates), func(w int) bool { return w == v })
			done = append(slices.Clone(done), v)
		}
	}
	all := make([]int, len(near))
	for i := range all {
		all[i] = i
	}
	grow(nil, all, nil)
	if tooMany {
		return nil
	}
	slices.SortFunc(out, slices.Compare)
	return out
}

func among(list []int, near []bool) []int {
	var out []int
	for _, v := range list {
		if near[v] {
			out = append(out, v)
		}
	}
	return out
}

// Note says in words what a bar over a group would hide, empty where the members are
// neighbors in rank.
func (g Group) Note(names []string) string {
	if len(g.Between) == 0 {
		return ""
	}
	list := func(of []int) string {
		var out []string
		for _, i := range of {
			out = append(out, names[i])
		}
		if len(out) < 2 {
			return strings.Join(out, "")
		}
		return strings.Join(out[:len(out)-1], ", ") + " and " + out[len(out)-1]
	}
	verbs := "differs from some of them, ranks"
	if len(g.Between) > 1 {
		verbs = "each differ from some of them, rank"
	}
	return fmt.Sprintf("%s do not differ, although %s, which %s between", list(g.Members), list(g.Between), verbs)
}

// Positions is the range of places that a model can have.
type Positions struct{ Best, Worst int }

// PositionIntervals returns for each of n models the places in the ranking that the
// decisions about pairs leave open: not above the models that are better than it, not
// below those that are worse. If the decisions hold together at a level (Holm's
// correction over all pairs does), so do all these ranges (Mogstad, Romano, Shaikh and
// Wilhelm 2024, "Inference for ranks with applications to mobility across
// neighborhoods and academic achievement across countries"). better(i, j) says that i
// was found better than j.
func PositionIntervals(n int, better func(i, j int) bool) []Positions {
	out := make([]Positions, n)
	for i := range out {
		out[i] = Positions{1, n}
		for j := range n {
			switch {
			case i == j:
			case better(j, i):
				out[i].Best++
			case better(i, j):
				out[i].Worst--
			}
		}
	}
	return out
}
