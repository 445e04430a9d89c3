// Controls of what a probe shows: how many labels it needs, and what it reads where
// there is nothing to read.

package probe

import (
	"fmt"
	"math"
	"slices"

	"repscope/stat"
)

// fewestEpisodes is how many episodes a head is fitted on at least: its penalty is chosen, and its
// training ended, by episodes that it is not fitted on.
const fewestEpisodes = 2

// Fractions returns, for every fold, the rows of a share of the episodes (groups) in other folds, for
// Data.Train: ⌈share·episodes⌉ of them, but at least 2 where there are so many. The episodes come in
// an order that is a function of the seed, so that a larger share holds the smaller ones; episodes
// says how many of them each fold has. Errors: lengths that differ, a share outside (0, 1].
func Fractions(groups, folds []int, share float64, seed uint64) (train [][]int, episodes []int, err error) {
	if len(groups) != len(folds) || len(groups) == 0 {
		return nil, nil, fmt.Errorf("share of episodes: %d groups and %d folds", len(groups), len(folds))
	}
	if !(share > 0 && share <= 1) {
		return nil, nil, fmt.Errorf("share of episodes %v, want a number above 0, at most 1", share)
	}
	labels := slices.Compact(slices.Sorted(slices.Values(groups)))
	place := make(map[int]int, len(labels))
	for at, k := range stat.NewRandom(stat.StreamFractions.Key(seed)).Perm(len(labels)) {
		place[labels[k]] = at
	}
	d := &Data{Groups: groups, Folds: folds}
	for f := range d.rowsOf() {
		rows := d.train(f)
		order := slices.Compact(slices.Sorted(slices.Values(pick(groups, rows))))
		slices.SortFunc(order, func(a, b int) int { return place[a] - place[b] })
		// Of a share like 0.1 of 30 episodes, rounding is not to make a fourth one.
		count := max(int(math.Ceil(share*float64(len(order))-1e-9)), min(fewestEpisodes, len(order)))
		chosen := make(map[int]bool, count)
		for _, g := range order[:count] {
			chosen[g] = true
		}
		train = append(train, slices.DeleteFunc(rows, func(i int) bool { return !chosen[groups[i]] }))
		episodes = append(episodes, count)
	}
	return train, episodes, nil
}

// ControlOrder returns for every row another row whose target it gets in a control task: the targets
// keep their sequence in time and lose what they have to do with the features. What a probe scores on
// them is what it memorizes or owes to the order in time; selectivity is its score on the real targets
// minus that (Hewitt and Liang 2019, "Designing and interpreting probes with control tasks").
//
// The sequence of all rows, with the episodes (groups) in an order drawn from the seed, is laid over the rows
// in their own order, shifted by a number of rows that is drawn between a quarter and three quarters of
// all. order is a permutation.
func ControlOrder(groups []int, seed uint64) []int {
	random := stat.NewRandom(stat.StreamControl.Key(seed))
	labels := slices.Compact(slices.Sorted(slices.Values(groups)))
	rows := make(map[int][]int, len(labels))
	for i, g := range groups {
		rows[g] = append(rows[g], i)
	}
	var own, drawn []int
	for _, g := range labels {
		own = append(own, rows[g]...)
	}
	for _, k := range random.Perm(len(labels)) {
		drawn = append(drawn, rows[labels[k]]...)
	}
	n := len(groups)
	shift := n/4 + random.Intn(max(n/2, 1))
	order := make([]int, n)
	for at, i := range own {
		order[i] = drawn[(at+shift)%n]
	}
	return order
}

// Entropy is that of the classes 0 … classes−1 in bits, −Σ p·log₂ p over their shares, from 0 for one
// class to log₂ classes; a probe of a target of low entropy has little to predict. NaN for no rows.
func Entropy(class []int, classes int) float64 {
	counts := make([]float64, classes)
	for _, k := range class {
		counts[k]++
	}
	return EntropyOfCounts(counts) / math.Ln2
}

// EntropyOfCounts is the entropy of the shares of counts in nats, from 0 to the logarithm of their number. NaN where
// all counts are 0.
func EntropyOfCounts(counts []float64) float64 {
	total := stat.Sum(counts)
	if total == 0 {
		return math.NaN()
	}
	out := 0.0
	for _, c := range counts {
		if c > 0 {
			out -= float64(c / total * math.Log(c/total))
		}
	}
	return out
}
