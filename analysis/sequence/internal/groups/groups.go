// Package groups deals sequences to the groups that intervals delete in turn, which are the units of the work too.
package groups

import (
	"fmt"

	"repscope/internal/text"
	"repscope/stat"
)

// Most bounds the groups of a dataset, so that sums of groups stay small: deleting each
// of a thousand tells the error as well as deleting each of more.
const Most = 1024

// Fewest is how many groups intervals need, and plenty how many make them no wider than a tenth.
const (
	Fewest = 3
	plenty = 10
)

// Groups are the sequences of a dataset by group.
type Groups struct {
	N        int
	Order    []int // sequences, by group, of one in the order of the dataset
	cut      []int // group g is order[cut[g]:cut[g+1]]
	Clusters int
}

// New deals clusters whole, in the order in which they begin, to at most most groups of about the
// same number of sequences.
func New(clusters []int, limit int) *Groups {
	n := len(clusters)
	number, sizes := map[int]int{}, []int{}
	clusterOf := make([]int, n) // cluster by sequence, numbered as they begin
	for i, c := range clusters {
		k, ok := number[c]
		if !ok {
			k = len(sizes)
			number[c], sizes = k, append(sizes, 0)
		}
		clusterOf[i] = k
		sizes[k]++
	}
	g := &Groups{N: n, Clusters: len(sizes), Order: make([]int, n)}
	group := make([]int, len(sizes)) // by cluster
	count, before, last := 0, 0, -1
	for k, size := range sizes {
		piece := k
		if len(sizes) > limit {
			piece = int(int64(before) * int64(limit) / int64(n))
		}
		if piece != last {
			count, last = count+1, piece
		}
		group[k] = count - 1
		before += size
	}
	g.cut = make([]int, count+1)
	for _, k := range clusterOf {
		g.cut[group[k]+1]++
	}
	for j := range count {
		g.cut[j+1] += g.cut[j]
	}
	next := append([]int(nil), g.cut...)
	for i, k := range clusterOf {
		g.Order[next[group[k]]] = i
		next[group[k]]++
	}
	return g
}

// Blocked are clusters of that many sequences that follow each other; the clusters themselves
// for 0.
func Blocked(clusters []int, length int) []int {
	if length == 0 {
		return clusters
	}
	out := make([]int, len(clusters))
	for i := range out {
		out[i] = i / length
	}
	return out
}

// Count is the number of groups.
func (g *Groups) Count() int { return len(g.cut) - 1 }

// Members are the sequences of a group.
func (g *Groups) Members(j int) []int { return g.Order[g.cut[j]:g.cut[j+1]] }

// sizes are the numbers of sequences of all groups.
func (g *Groups) sizes() []int {
	out := make([]int, g.Count())
	for j := range out {
		out[j] = g.cut[j+1] - g.cut[j]
	}
	return out
}

// The groups from which differences are tested; equal ones that unequal ones must be worth.
const (
	testedGroups = 6
	testedEqual  = 4
)

// Untestable says why no p value is computed over the groups; empty if one is.
func (g *Groups) Untestable() string {
	switch equal := g.equal(); {
	case g.Count() < testedGroups:
		return fmt.Sprintf("%s are too few for a test, want at least %d", g.Name(), testedGroups)
	case equal < testedEqual:
		return fmt.Sprintf("%s of such unequal sizes carry the information of %.1f equal ones, too few for a test", g.Name(), equal)
	}
	return ""
}

// equal is the number of groups of equal size that the groups are worth.
func (g *Groups) equal() float64 {
	var squares float64
	for _, m := range g.sizes() {
		squares += float64(m) * float64(m)
	}
	return float64(g.N) * float64(g.N) / squares
}

// Name counts the units that are deleted in turn: "240 sequences", "31 clusters", "1,024 groups of …".
func (g *Groups) Name() string {
	switch {
	case g.Count() < g.Clusters && g.Clusters == g.N:
		return fmt.Sprintf("%s of sequences", text.Count(g.Count(), "group"))
	case g.Count() < g.Clusters:
		return fmt.Sprintf("%s of whole clusters", text.Count(g.Count(), "group"))
	case g.Clusters < g.N:
		return text.Count(g.Count(), "cluster")
	}
	return text.Count(g.Count(), "sequence")
}

// Warnings are what a reader of intervals should know.
func (g *Groups) Warnings() []string {
	switch equal := g.equal(); {
	case g.Count() < Fewest:
		return []string{fmt.Sprintf("intervals are left out: they rest on %s, want at least %d", g.Name(), Fewest)}
	case g.Count() < plenty:
		return []string{fmt.Sprintf(
			"intervals are based on only %s and are therefore wide; use at least %d", g.Name(), plenty)}
	case equal < testedEqual:
		return []string{fmt.Sprintf("%s of such unequal sizes carry the information of %.1f equal ones: intervals depend on the largest", g.Name(), equal)}
	}
	return nil
}

// Jackknife is the jackknife of an estimate and its values without each group in turn. Its interval is wider where
// neighboring groups are alike.
func (g *Groups) Jackknife(estimate float64, replicates []float64) (*stat.Jackknifed, error) {
	j, err := stat.DeleteBlockJackknife(estimate, replicates, g.sizes(), 0)
	if err != nil {
		return nil, err
	}
	j.Untestable = g.Untestable()
	return j.InOrder(), nil
}

// ByGroup adds up columns of all sequences by group; columns of groups are returned as they are.
func (g *Groups) ByGroup(key string, column []float64) ([]float64, error) {
	switch len(column) {
	case g.Count():
		return column, nil
	case g.N:
		out := make([]float64, g.Count())
		for j := range out {
			out[j] = stat.Sum(column[g.cut[j]:g.cut[j+1]])
		}
		return out, nil
	}
	return nil, fmt.Errorf("%s: %d sums, want %d, one for each of %s", key, len(column), g.Count(), g.Name())
}

// OfSizes are groups whose sizes alone are known.
func OfSizes(sizes []int) *Groups {
	g := &Groups{cut: make([]int, len(sizes)+1)}
	for j, m := range sizes {
		g.cut[j+1] = g.cut[j] + m
		g.N += m
	}
	g.Clusters = len(sizes)
	return g
}

// Labels are the groups of all members.
func (g *Groups) Labels() []int {
	out := make([]int, g.N)
	for j := range g.Count() {
		for _, i := range g.Members(j) {
			out[i] = j
		}
	}
	return out
}
