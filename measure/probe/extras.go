// Controls of what a probe shows: how many labels it needs, and what it reads where
// there is nothing to read.

package probe

import (
	"fmt"
	"math"
	"slices"

	"repscope/points"
	"repscope/stat"
)

// fewestEpisodes is how many episodes a head is fitted on at least: its penalty is chosen, and its
// training ended, by episodes that it is not fitted on.
const fewestEpisodes = 2

// Fractions returns, for every fold, the training rows (Data.Train) of a share of the episodes
// (groups) in the other folds: ⌈share·episodes⌉ episodes, but at least 2 if possible. The order of
// episodes is a function of the seed, so that a larger share contains the smaller ones. episodes is
// their number in each fold. Errors: unequal lengths, a share outside (0, 1].
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
		order := slices.Compact(slices.Sorted(slices.Values(points.Pick(groups, rows))))
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

// ControlOrder returns, for every row, another row whose target it receives in a control task. Targets
// keep their order in time but lose their relation to the features. The score of a probe on them
// measures memorization and the order in time; selectivity is its score on the real targets minus this
// score (Hewitt and Liang 2019, "Designing and interpreting probes with control tasks").
//
// All rows, with episodes (groups) in an order drawn from the seed, are mapped to the original rows
// with a random shift between a quarter and three quarters of their number. order is a permutation.
func ControlOrder(groups []int, seed uint64) []int {
	random := stat.NewRandom(stat.StreamControl.Key(seed))
	labels := slices.Compact(slices.Sorted(slices.Values(groups)))
	rows := make(map[int][]int, len(labels))
	for i, g := range groups {
		rows[g] = append(rows[g], i)
	}
	var original, drawn []int
	for _, g := range labels {
		original = append(original, rows[g]...)
	}
	for _, k := range random.Perm(len(labels)) {
		drawn = append(drawn, rows[labels[k]]...)
	}
	n := len(groups)
	shift := n/4 + random.Intn(max(n/2, 1))
	order := make([]int, n)
	for at, i := range original {
		order[i] = drawn[(at+shift)%n]
	}
	return order
}

// Entropy returns the entropy of the classes 0 … classes−1 in bits, −Σ p·log₂ p over their shares,
// from 0 for one class to log₂ classes. A target of low entropy leaves little to predict. NaN for no
// rows.
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
