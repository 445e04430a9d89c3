// The distance of two parts of one sample: what a distance is when nothing differs.

package twosample

import (
	"context"
	"fmt"
	"math"

	"repscope/internal/parallel"
	"repscope/internal/text"
	"repscope/stat"
)

// Baseline is the distance between two random parts of one sample.
type Baseline struct {
	Values    []float64 // of every split
	Mean      float64
	Low, High float64 // the central 95 % of the values: a range of a null, not an interval for its mean
	// Sizes are the numbers of observations of both parts (of groups, on average).
	Sizes [2]int
	// Reduced says that the first part is smaller than was asked for, as the sample is too
	// small for it: the null distances are then too large for that size.
	Reduced bool
}

// SplitOptions are the choices of [SplitHalvesVector].
type SplitOptions struct {
	// First is the size wanted for the first part, the size of the sample which is judged; 0:
	// half. At most half of the observations are taken; the others are the second part.
	First  int
	Splits int // 0: 200
	// Groups is a label per observation; observations of one label stay together. nil: none.
	Groups  []int
	Seed    uint64
	Threads int
}

// SplitHalvesVector computes size distances between two random disjoint parts of n
// observations, in many seeded splits. f gets the observations of both parts, in ascending
// order, fills dst[:size] and must be safe for concurrent calls. Splits for which a distance
// is NaN are left out; one that is NaN for all splits has no values and NaN for the rest.
// Fewer than 2 observations or groups are a [stat.UndefinedError]; groups of another number
// are an error.
func SplitHalvesVector(ctx context.Context, n, size int, o SplitOptions,
	f func(first, second []int, dst []float64)) ([]*Baseline, error) {
	const quantity = "baseline of two halves"
	if o.Splits == 0 {
		o.Splits = 200
	}
	if o.Groups != nil && len(o.Groups) != n {
		return nil, fmt.Errorf("%s: groups of %s for %d", quantity, text.Count(len(o.Groups), "observation"), n)
	}
	groups := groupsOf(n, o.Groups)
	if len(groups) < 2 {
		return nil, stat.Undefined(quantity, "%s in %s, want at least 2",
			text.Count(n, "observation"), text.Count(len(groups), "group"))
	}
	want := o.First
	if want <= 0 {
		want = n / 2
	}
	count := min(max(1, (want*len(groups)+n/2)/n), len(groups)/2)
	sizes := [2]int{count * n / len(groups), n - count*n/len(groups)}
	values := make([][]float64, o.Splits)
	err := parallel.For(ctx, o.Threads, o.Splits, func(_, k int) {
		order := stat.NewRandom(stat.StreamSplits.Key(o.Seed, uint64(k))).Perm(len(groups))
		first := make([]bool, n)
		for _, g := range order[:count] {
			for _, i := range groups[g] {
				first[i] = true
			}
		}
		var parts [2][]int
		for i, yes := range first {
			part := 1
			if yes {
				part = 0
			}
			parts[part] = append(parts[part], i)
		}
		values[k] = make([]float64, size)
		f(parts[0], parts[1], values[k])
	})
	if err != nil {
		return nil, err
	}
	out := make([]*Baseline, size)
	for d := range out {
		out[d] = &Baseline{Sizes: sizes, Reduced: sizes[0] < o.First, Mean: math.NaN(), Low: math.NaN(), High: math.NaN()}
		if err := out[d].describe(values, d); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// describe takes distance d of every split.
func (b *Baseline) describe(values [][]float64, d int) error {
	for _, list := range values {
		if !math.IsNaN(list[d]) {
			b.Values = append(b.Values, list[d])
		}
	}
	if len(b.Values) == 0 {
		return nil
	}
	ends, err := stat.Quantiles(b.Values, 0.025, 0.975)
	if err != nil {
		return err
	}
	b.Mean, b.Low, b.High = stat.Mean(b.Values), ends[0], ends[1]
	return nil
}

// groupsOf lists the observations of each label in the order of their first occurrence.
func groupsOf(n int, labels []int) [][]int {
	var groups [][]int
	numbers := map[int]int{}
	for i := range n {
		label := i
		if labels != nil {
			label = labels[i]
		}
		group, seen := numbers[label]
		if !seen {
			group = len(groups)
			numbers[label] = group
			groups = append(groups, nil)
		}
		groups[group] = append(groups[group], i)
	}
	return groups
}
