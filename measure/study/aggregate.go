// Aggregates: one number for a model's scores in all tasks.

package study

import (
	"cmp"
	"math"
	"slices"

	"repscope/stat"
)

// A Statistic is a number for a model's scores; [IQM], [Mean] and [Median] are, and
// [OptimalityGap] makes one. It must not keep or change the scores.
type Statistic func(scores ByTask) float64

// Mean returns the mean over tasks of the mean score of each.
func Mean(scores ByTask) float64 { return stat.Mean(scores.Means()) }

// Median returns the median over tasks of the mean score of each. It follows one task
// or two, and its error is large and hard to estimate: prefer [IQM].
func Median(scores ByTask) float64 { return stat.Median(scores.Means()) }

// IQM returns the interquartile mean: the mean of the middle half of the runs of all
// tasks together. Of N runs the ⌊N/4⌋ lowest and as many of the highest are left out.
// Where tasks differ in their runs, a run of a task with n of them, of T tasks, weighs
// N/(T·n), and that much weight is cut at both ends, of the runs at the cuts a part.
// Equal scores share a weight, so their order does not matter.
func IQM(scores ByTask) float64 {
	n, equal := 0, true
	for _, runs := range scores {
		n += len(runs)
		equal = equal && len(runs) == len(scores[0])
	}
	if !equal {
		return raggedIQM(scores, n)
	}
	all := make([]float64, 0, n)
	for _, runs := range scores {
		all = append(all, runs...)
	}
	slices.Sort(all)
	return stat.Mean(all[n/4 : n-n/4])
}

// raggedIQM is the IQM of n runs with weights.
func raggedIQM(scores ByTask, n int) float64 {
	type run struct{ score, weight float64 }
	all := make([]run, 0, n)
	for _, runs := range scores {
		weight := float64(n) / (float64(len(scores)) * float64(len(runs)))
		for _, v := range runs {
			all = append(all, run{v, weight})
		}
	}
	slices.SortFunc(all, func(a, b run) int {
		switch { // half the time of cmp.Compare, which looks for NaN
		case a.score < b.score:
			return -1
		case a.score > b.score:
			return 1
		}
		return cmp.Compare(a.weight, b.weight)
	})
	low, high := float64(n/4), float64(n-n/4)
	values := make([]float64, 0, n)
	before := 0.0
	for _, r := range all {
		after := before + r.weight
		values = append(values, float64(r.score*max(0, min(after, high)-max(before, low))))
		before = after
	}
	return stat.Sum(values) / (high - low)
}

// OptimalityGap returns the statistic that says by how much a model falls short of a
// score gamma: gamma minus the mean over tasks of the mean of min(score, gamma). It is
// 0 where all runs reach gamma, and better when lower.
func OptimalityGap(gamma float64) Statistic {
	return func(scores ByTask) float64 { return gamma - Mean(scores.cutAt(gamma)) }
}

// cutAt are the scores, and gamma for those above it.
func (b ByTask) cutAt(gamma float64) ByTask {
	out := make(ByTask, len(b))
	for t, runs := range b {
		out[t] = make([]float64, len(runs))
		for r, v := range runs {
			out[t][r] = math.Min(v, gamma)
		}
	}
	return out
}

// Improvement returns the probability of improvement of x over y: the mean over tasks
// of the share of pairs of runs, one of x and one of y, in which the run of x is higher;
// equal scores count a half (Mann and Whitney's U over the number of pairs). In [0, 1].
func Improvement(x, y ByTask) float64 {
	shares := make([]float64, len(x))
	for t := range x {
		shares[t] = wins(x[t], y[t])
	}
	return stat.Mean(shares)
}

// wins is the share of pairs in which x is higher, by halves; NaN is neither higher nor lower.
func wins(x, y []float64) float64 {
	x, y = ascending(x), ascending(y)
	pairs := len(x) * len(y)
	for len(y) > 0 && math.IsNaN(y[0]) { // NaN is sorted to the front
		y = y[1:]
	}
	halves, below, within := 0, 0, 0
	for _, a := range x {
		for below < len(y) && y[below] < a {
			below++
		}
		for within = max(within, below); within < len(y) && y[within] == a; {
			within++
		}
		halves += below + within
	}
	return float64(halves) / float64(2*pairs)
}

// ascending are values in ascending order: themselves if they are.
func ascending(values []float64) []float64 {
	if slices.IsSorted(values) {
		return values
	}
	return slices.Sorted(slices.Values(values))
}

// RunProfile returns the statistic that is the share of runs with a score above tau:
// the mean over tasks of the share of each. Over thresholds it is the performance
// profile of run scores.
func RunProfile(tau float64) Statistic {
	return func(scores ByTask) float64 {
		shares := make([]float64, len(scores))
		for t, runs := range scores {
			above := 0
			for _, v := range runs {
				if v > tau {
					above++
				}
			}
			shares[t] = float64(above) / float64(len(runs))
		}
		return stat.Mean(shares)
	}
}

// AverageProfile returns the statistic that is the share of tasks whose mean score is
// above tau: over thresholds the performance profile of average scores.
func AverageProfile(tau float64) Statistic {
	return func(scores ByTask) float64 {
		above := 0
		for _, v := range scores.Means() {
			if v > tau {
				above++
			}
		}
		return float64(above) / float64(len(scores))
	}
}

// GeometricMeanRatio returns exp of the mean over tasks of ln(mean score of x / mean
// score of y): how many times x is y, whatever the units of the tasks. NaN unless all
// mean scores are positive.
func GeometricMeanRatio(x, y ByTask) float64 {
	logs := make([]float64, len(x))
	for t := range x {
		a, b := stat.Mean(x[t]), stat.Mean(y[t])
		if !(a > 0 && b > 0) {
			return math.NaN()
		}
		logs[t] = math.Log(a / b)
	}
	return math.Exp(stat.Mean(logs))
}

// AverageRanks returns for each of several models its mean rank over tasks by the mean
// score: 1 is the best (highest), equal scores share the mean of their ranks.
func AverageRanks(models []ByTask) []float64 {
	out := make([]float64, len(models))
	for i, ranks := range ranksByTask(models) {
		out[i] = stat.Mean(ranks)
	}
	return out
}

// ranksByTask are the ranks of the models in each task.
func ranksByTask(models []ByTask) [][]float64 {
	tasks := len(models[0])
	ranks := make([][]float64, len(models))
	column := make([]float64, len(models))
	for t := range tasks {
		for i, scores := range models {
			column[i] = -stat.RankMean(scores[t])
		}
		for i, r := range stat.Ranks(column) {
			ranks[i] = append(ranks[i], r)
		}
	}
	return ranks
}
