// Groups of sequences: the blocks that intervals delete in turn, and the units of the work.

package sequence

import (
	"fmt"
	"math"

	"repscope/analysis/internal/results"
	"repscope/internal/text"
	"repscope/report"
	"repscope/stat"
)

// mostGroups bounds the groups of a dataset, so that sums of groups stay small: deleting each
// of a thousand tells the error as well as deleting each of more.
const mostGroups = 1024

// fewestGroups is how many groups intervals need.
const fewestGroups = 3

// groups are the sequences of a dataset by group.
type groups struct {
	n        int
	order    []int // sequences, by group, of one in the order of the dataset
	cut      []int // group g is order[cut[g]:cut[g+1]]
	clusters int
}

// newGroups deals clusters whole, in the order in which they begin, to at most most groups of about the
// same number of sequences.
func newGroups(clusters []int, most int) *groups {
	n := len(clusters)
	number, sizes := map[int]int{}, []int{}
	of := make([]int, n) // cluster by sequence, numbered as they begin
	for i, c := range clusters {
		k, ok := number[c]
		if !ok {
			k = len(sizes)
			number[c], sizes = k, append(sizes, 0)
		}
		of[i] = k
		sizes[k]++
	}
	g := &groups{n: n, clusters: len(sizes), order: make([]int, n)}
	group := make([]int, len(sizes)) // by cluster
	count, before, last := 0, 0, -1
	for k, size := range sizes {
		at := k
		if len(sizes) > most {
			at = int(int64(before) * int64(most) / int64(n))
		}
		if at != last {
			count, last = count+1, at
		}
		group[k] = count - 1
		before += size
	}
	g.cut = make([]int, count+1)
	for _, k := range of {
		g.cut[group[k]+1]++
	}
	for j := range count {
		g.cut[j+1] += g.cut[j]
	}
	next := append([]int(nil), g.cut...)
	for i, k := range of {
		g.order[next[group[k]]] = i
		next[group[k]]++
	}
	return g
}

// blocked are clusters of so many sequences that follow each other; the clusters themselves
// for 0.
func blocked(clusters []int, length int) []int {
	if length == 0 {
		return clusters
	}
	out := make([]int, len(clusters))
	for i := range out {
		out[i] = i / length
	}
	return out
}

// count is the number of groups.
func (g *groups) count() int { return len(g.cut) - 1 }

// members are the sequences of a group.
func (g *groups) members(j int) []int { return g.order[g.cut[j]:g.cut[j+1]] }

// sizes are the numbers of sequences of all groups.
func (g *groups) sizes() []int {
	out := make([]int, g.count())
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

// untestable says why no p value is computed over the groups; empty if one is.
func (g *groups) untestable() string {
	switch equal := g.equal(); {
	case g.count() < testedGroups:
		return fmt.Sprintf("%s are too few for a test, want at least %d", g.name(), testedGroups)
	case equal < testedEqual:
		return fmt.Sprintf("%s of such unequal sizes are worth %.1f equal ones, too few for a test", g.name(), equal)
	}
	return ""
}

// equal is the number of groups of equal size that the groups are worth.
func (g *groups) equal() float64 {
	var squares float64
	for _, m := range g.sizes() {
		squares += float64(m) * float64(m)
	}
	return float64(g.n) * float64(g.n) / squares
}

// name says what is deleted in turn: "240 sequences", "31 clusters", "1,024 groups of …".
func (g *groups) name() string {
	switch {
	case g.count() < g.clusters && g.clusters == g.n:
		return fmt.Sprintf("%s of sequences", text.Count(g.count(), "group"))
	case g.count() < g.clusters:
		return fmt.Sprintf("%s of whole clusters", text.Count(g.count(), "group"))
	case g.clusters < g.n:
		return text.Count(g.count(), "cluster")
	}
	return text.Count(g.count(), "sequence")
}

// warnings are what a reader of intervals should know.
func (g *groups) warnings() []string {
	switch equal := g.equal(); {
	case g.count() < fewestGroups:
		return []string{fmt.Sprintf("intervals are left out: they rest on %s, want at least %d", g.name(), fewestGroups)}
	case g.count() < 10:
		return []string{fmt.Sprintf("intervals rest on %s: they are wide, and no narrower ones are honest", g.name())}
	case equal < testedEqual:
		return []string{fmt.Sprintf("%s of such unequal sizes are worth %.1f equal ones: intervals rest on the largest", g.name(), equal)}
	}
	return nil
}

// jackknife is that of an estimate and its values without each group in turn.
func (g *groups) jackknife(estimate float64, replicates []float64) (*stat.Jackknifed, error) {
	j, err := stat.DeleteBlockJackknife(estimate, replicates, g.sizes(), 0)
	if err != nil {
		return nil, err
	}
	j.Untestable = g.untestable()
	return j, nil
}

// byGroup adds up columns of all sequences by group; those of groups are returned as they are.
func (g *groups) byGroup(key string, column []float64) ([]float64, error) {
	switch len(column) {
	case g.count():
		return column, nil
	case g.n:
		out := make([]float64, g.count())
		for j := range out {
			out[j] = stat.Sum(column[g.cut[j]:g.cut[j+1]])
		}
		return out, nil
	}
	return nil, fmt.Errorf("%s: %d sums, want %d, one for each of %s", key, len(column), g.count(), g.name())
}

// interval is the interval of a jackknife as the result file holds it, cut at the range of a key.
func (k *Key) interval(j *stat.Jackknifed) report.Interval {
	if j == nil {
		return results.IntervalOf(nil)
	}
	return results.IntervalOf(results.Ranged(j, k.Low, k.High, k.Log))
}

// undefined reports whether any of the numbers is not one.
func undefined(values []float64) bool {
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return true
		}
	}
	return false
}

// groupsOfSizes are groups of which only the sizes are known.
func groupsOfSizes(sizes []int) *groups {
	g := &groups{cut: make([]int, len(sizes)+1)}
	for j, m := range sizes {
		g.cut[j+1] = g.cut[j] + m
		g.n += m
	}
	g.clusters = len(sizes)
	return g
}
