// Groups: from decisions about pairs to models that do not differ.

package study

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"repscope/stat"
)

// Group is a maximal set of models without significant differences between any two of them.
type Group struct {
	Members []int // at least two, from the best position to the worst
	// Between are models that stand between the members and differ from some of them:
	// with decisions about pairs that happens, and a bar from the first member to the
	// last would include models that do not belong to it.
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
	near := make([]set, n) // by place in the order
	for a := range near {
		near[a] = newSet(n)
		for b := range n {
			if a != b && !differs(order[a], order[b]) {
				near[a].add(b)
			}
		}
	}
	groups := cliques(near)
	if groups == nil {
		return nil, stat.Undefined("groups",
			"the decisions give more than %d groups of models that do not differ", maxGroups)
	}
	var out []Group
	for _, clique := range groups {
		if len(clique) < 2 {
			continue
		}
		g := Group{}
		for _, a := range clique {
			g.Members = append(g.Members, order[a])
		}
		first, last := positions[order[clique[0]]], positions[order[clique[len(clique)-1]]]
		inside := newSet(n)
		for _, i := range g.Members {
			inside.add(i)
		}
		for _, i := range order {
			if positions[i] > first && positions[i] < last && !inside.has(i) {
				g.Between = append(g.Between, i)
			}
		}
		out = append(out, g)
	}
	return out, nil
}

// set is a set of models, a bit for each.
type set []uint64

func newSet(n int) set { return make(set, (n+63)/64) }

func (s set) add(i int)      { s[i/64] |= 1 << (i % 64) }
func (s set) remove(i int)   { s[i/64] &^= 1 << (i % 64) }
func (s set) has(i int) bool { return s[i/64]>>(i%64)&1 != 0 }

// and are the members of both.
func (s set) and(other set) set {
	out := make(set, len(s))
	for w, word := range s {
		out[w] = word & other[w]
	}
	return out
}

// shared is the number of members of both.
func (s set) shared(other set) int {
	n := 0
	for w, word := range s {
		n += bits.OnesCount64(word & other[w])
	}
	return n
}

// members are in ascending order.
func (s set) members() []int {
	var out []int
	for w, word := range s {
		for ; word != 0; word &= word - 1 {
			out = append(out, 64*w+bits.TrailingZeros64(word))
		}
	}
	return out
}

// cliques are the maximal cliques of a graph, each in ascending order, sorted; nil for
// more than maxGroups.
func cliques(near []set) [][]int {
	out := [][]int{}
	tooMany := false
	var grow func(clique, candidates, done set)
	grow = func(clique, candidates, done set) { // which it may change
		if tooMany {
			return
		}
		// Candidates that are near all others are in every clique from here.
		list, size := candidates.members(), 0
		pivot, best := -1, -1
		count := len(list)
		for _, v := range list {
			n := candidates.shared(near[v])
			if n == count-1 {
				clique.add(v)
				candidates.remove(v)
				done = done.and(near[v])
				count--
				continue
			}
			if list[size] = v; n > best {
				pivot, best = v, n
			}
			size++
		}
		list = list[:size]
		rest := done.members()
		if size == 0 {
			if len(rest) == 0 {
				out = append(out, clique.members())
				tooMany = len(out) > maxGroups
			}
			return
		}
		for _, v := range rest {
			if n := candidates.shared(near[v]); n > best {
				pivot, best = v, n
			}
		}
		for _, v := range list {
			if near[pivot].has(v) {
				continue
			}
			longer := slices.Clone(clique)
			longer.add(v)
			grow(longer, candidates.and(near[v]), done.and(near[v]))
			candidates.remove(v)
			done.add(v)
		}
	}
	all := newSet(len(near))
	for i := range near {
		all.add(i)
	}
	grow(newSet(len(near)), all, newSet(len(near)))
	if tooMany {
		return nil
	}
	slices.SortFunc(out, slices.Compare)
	return out
}

// Note says in words what a bar over a group would hide, empty where the members are
// neighbors in rank.
func (g Group) Note(names []string) string {
	if len(g.Between) == 0 {
		return ""
	}
	list := func(members []int) string {
		var out []string
		for _, i := range members {
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
