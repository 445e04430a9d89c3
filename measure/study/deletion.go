// Statistics without one run or one task, from sums that are made once: the jackknife of N scores computes N of them.

package study

import (
	"math"
	"reflect"
	"slices"
	"sort"

	"repscope/stat"
)

// quick returns the function that makes, of a model's scores, the statistic without run r of task t, or without the
// task where r is [wholeTask]; nil for statistics that have none. Values differ from the statistic of the remaining
// scores by rounding.
func (s Statistic) quick() func(scores ByTask) func(t, r int) float64 {
	for _, quick := range []struct {
		statistic Statistic
		deletions func(scores ByTask) func(t, r int) float64
	}{{IQM, iqmDeletions}, {Mean, meanDeletions}, {Median, medianDeletions}} {
		if reflect.ValueOf(s).Pointer() == reflect.ValueOf(quick.statistic).Pointer() {
			return quick.deletions
		}
	}
	return nil
}

// total is a sum of values, each less the first of them: sums of small numbers lose fewer digits.
type total struct {
	first, sum float64
	count      int
}

func totalOf(values []float64) total {
	t := total{first: values[0], count: len(values)}
	var sum compensated
	for _, v := range values {
		t.sum = sum.add(v - t.first)
	}
	return t
}

// without is the mean of the values without one of them.
func (t total) without(value float64) float64 {
	return t.first + (t.sum-(value-t.first))/float64(t.count-1)
}

// changed is the mean of the values with another one instead of one of them.
func (t total) changed(value, other float64) float64 {
	return t.first + (t.sum-(value-t.first)+(other-t.first))/float64(t.count)
}

// totals are the totals of the tasks' runs.
func (b ByTask) totals() []total {
	out := make([]total, len(b))
	for t, runs := range b {
		out[t] = totalOf(runs)
	}
	return out
}

func meanDeletions(scores ByTask) func(t, r int) float64 {
	means, totals := scores.Means(), scores.totals()
	all := totalOf(means)
	return func(t, r int) float64 {
		if r == wholeTask {
			return all.without(means[t])
		}
		return all.changed(means[t], totals[t].without(scores[t][r]))
	}
}

// gapDeletions are deletions of [OptimalityGap]: gamma minus the mean of scores that are cut at gamma.
func gapDeletions(gamma float64) func(scores ByTask) func(t, r int) float64 {
	return func(scores ByTask) func(t, r int) float64 {
		mean := meanDeletions(scores.cutAt(gamma))
		return func(t, r int) float64 { return gamma - mean(t, r) }
	}
}

// medianDeletions is the median of sorted means without one of them, and with another one.
func medianDeletions(scores ByTask) func(t, r int) float64 {
	means, totals := scores.Means(), scores.totals()
	sorted := slices.Sorted(slices.Values(means))
	return func(t, r int) float64 {
		out, _ := slices.BinarySearch(sorted, means[t])
		n, put, in := len(sorted)-1, len(sorted), 0.0 // without the mean of the task
		if r != wholeTask {
			in = totals[t].without(scores[t][r])
			put, _ = slices.BinarySearch(sorted, in)
			if put > out {
				put-- // of the means that stay
			}
			n++
		}
		mean := func(i int) float64 {
			switch {
			case i == put:
				return in
			case i > put:
				i--
			}
			if i >= out {
				i++
			}
			return sorted[i]
		}
		if n == 0 {
			return stat.Median(nil)
		}
		return stat.Median([]float64{mean((n - 1) / 2), mean(n / 2)})
	}
}

// sortedRuns are the runs of all tasks in ascending order, each with the weight of its task. A run of a task with n of
// them has the weight 1/n.
type sortedRuns struct {
	center  float64 // a score near the middle, which is subtracted from all: sums of small numbers lose fewer digits
	scores  []float64
	weights []float64 // sums of the first k weights
	sums    []float64 // sums of the first k weighted scores
	places  [][]int   // of the runs of each task, ascending
}

func sortRuns(scores ByTask) *sortedRuns {
	type run struct {
		score   float64
		task, r int
	}
	var all []run
	s := &sortedRuns{weights: []float64{0}, sums: []float64{0}}
	for t, runs := range scores {
		s.places = append(s.places, make([]int, 0, len(runs)))
		for r, v := range runs {
			all = append(all, run{v, t, r})
		}
	}
	slices.SortStableFunc(all, func(a, b run) int {
		switch {
		case a.score < b.score:
			return -1
		case a.score > b.score:
			return 1
		}
		return 0
	})
	s.center = all[len(all)/2].score
	var weight, sum compensated
	for k, one := range all {
		w, v := 1/float64(len(scores[one.task])), one.score-s.center
		s.scores = append(s.scores, v)
		s.places[one.task] = append(s.places[one.task], k)
		s.weights, s.sums = append(s.weights, weight.add(w)), append(s.sums, sum.add(float64(w*v)))
	}
	return s
}

// compensated is a sum with the rounding error of its additions (Neumaier).
type compensated struct{ sum, rest float64 }

// add adds a value and returns the sum.
func (c *compensated) add(v float64) float64 {
	total := c.sum + v
	if math.Abs(c.sum) >= math.Abs(v) {
		c.rest += (c.sum - total) + v
	} else {
		c.rest += (v - total) + c.sum
	}
	c.sum = total
	return c.sum + c.rest
}

// iqmDeletions cuts the sorted runs of all tasks where the weights without the run reach a quarter and three quarters.
// Places of the task's runs are ascending as its scores are, so run r is the one at places[r].
func iqmDeletions(scores ByTask) func(t, r int) float64 {
	for _, runs := range scores {
		if !slices.IsSorted(runs) {
			return func(t, r int) float64 { return IQM(scores.without(t, r)) }
		}
	}
	s := sortRuns(scores)
	prefixes := make([][]float64, len(scores)) // of each task, sums of the first scores
	for t, places := range s.places {
		var sum compensated
		prefixes[t] = []float64{0}
		for _, k := range places {
			prefixes[t] = append(prefixes[t], sum.add(s.scores[k]))
		}
	}
	return func(t, r int) float64 {
		places, sums := s.places[t], prefixes[t]
		runs, n, whole := float64(len(places)), len(s.scores)-len(places), float64(len(scores)-1)
		before, after := 1/runs, 0.0 // weight of a run of the task
		if r != wholeTask {
			n, whole, after = len(s.scores)-1, float64(len(scores)), 1/(runs-1)
		}
		// first are the weight and the weighted sum of the first k runs.
		first := func(k int) (weight, sum float64) {
			c, _ := slices.BinarySearch(places, k)
			weight, sum = s.weights[k]+float64(float64(c)*(after-before)), s.sums[k]+float64(sums[c]*(after-before))
			if r != wholeTask && places[r] < k {
				weight, sum = weight-after, sum-float64(after*s.scores[places[r]])
			}
			return weight, sum
		}
		below := func(cut float64) float64 { // weighted sum of the runs below a cut
			k := sort.Search(len(s.scores), func(k int) bool { weight, _ := first(k + 1); return weight > cut })
			weight, sum := first(k)
			if k == len(s.scores) {
				return sum
			}
			return sum + float64((cut-weight)*s.scores[k])
		}
		tail := float64(n/4) / float64(n) * whole
		return s.center + (below(whole-tail)-below(tail))/(whole-2*tail)
	}
}

// without are the scores without run r of task t, or without the task where r is [wholeTask].
func (b ByTask) without(t, r int) ByTask {
	fewer := slices.Clone(b)
	if r == wholeTask {
		return slices.Delete(fewer, t, t+1)
	}
	fewer[t] = slices.Delete(slices.Clone(b[t]), r, r+1)
	return fewer
}
