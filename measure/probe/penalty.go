// The penalties of heads that lack a block.

package probe

import (
	"cmp"
	"context"
	"math"
	"slices"

	"repscope/stat"
)

// trial has the errors of the rows of one of the folds that choose penalties, by heads that were fitted without them:
// their sums [parts, values] over the parts into which rows are divided, and the numbers of rows of the parts.
type trial struct{ sums, rows []float64 }

// choosingFolds are the rows of the grouped folds that choose among penalties.
func choosingFolds(quantity string, groups []int, folds, penalties int) ([][]int, error) {
	count := Groups(groups)
	if count < 2 {
		return nil, stat.Undefined(quantity,
			"only one group to choose among %d penalties, want at least 2 groups, or one penalty", penalties)
	}
	index, err := GroupFolds(groups, min(folds, count))
	if err != nil {
		return nil, err
	}
	return (&Data{Folds: index}).rowsOf(), nil
}

// penalties are those [J, T] of ridge regression without each of J blocks, by [totals.moved]; nil with one penalty, as
// it stays.
func (p *ridgeProblem) penalties(ctx context.Context, fit *ridgeFit, blocks *stat.Blocks) ([]float64, error) {
	if len(p.alphas) == 1 {
		return nil, nil
	}
	tried, err := p.try(ctx, fit.train, blocks.Labels(), blocks.Count())
	if err != nil {
		return nil, err
	}
	targets, all := p.y.Dim, newTotals(tried)
	out := make([]float64, blocks.Count()*targets)
	for t := range targets {
		first, last := t, t+1
		if !p.o.PerTarget {
			first, last = 0, targets
		}
		for j, alpha := range all.moved(p.alphas, fit.alpha[t], func(j, a int) (sum float64) {
			for target := first; target < last; target++ {
				sum += all.without(j, a*targets+target)
			}
			return sum
		}) {
			out[j*targets+t] = alpha
		}
	}
	return out, nil
}

// totals are sums over all parts of trials.
type totals struct {
	tried []trial
	sums  [][]float64
	rows  []float64
}

func newTotals(tried []trial) *totals {
	out := &totals{tried: tried}
	for _, t := range tried {
		sums, rows := make([]float64, len(t.sums)/len(t.rows)), 0.0
		for j, n := range t.rows {
			rows += n
			for i := range sums {
				sums[i] += t.sums[j*len(sums)+i]
			}
		}
		out.sums, out.rows = append(out.sums, sums), append(out.rows, rows)
	}
	return out
}

// without is the mean of value i over the folds that have rows outside part j; of all parts where j is −1.
func (s *totals) without(j, i int) float64 {
	sum, folds := 0.0, 0.0
	for f, t := range s.tried {
		value, n := s.sums[f][i], s.rows[f]
		if j >= 0 {
			value, n = value-t.sums[j*len(s.sums[f])+i], n-t.rows[j]
		}
		if n > 0 {
			sum += value / n
			folds++
		}
	}
	return sum / folds
}

// moved is the penalty without each part: the chosen one times the factor by which the place of the smallest error
// moves where the rows of the part choose no longer, on a logarithmic scale between the penalties to choose from. The
// heads that were tried keep the part. errorOf is the error of penalty a without part j.
func (s *totals) moved(penalties []float64, chosen float64, errorOf func(j, a int) float64) []float64 {
	order := make([]int, len(penalties))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(penalties[a], penalties[b]) })
	logs, errors := make([]float64, len(order)), make([]float64, len(order))
	for i, a := range order {
		logs[i] = math.Log(penalties[a])
	}
	place := func(j int) float64 {
		for i, a := range order {
			errors[i] = errorOf(j, a)
		}
		return lowest(logs, errors)
	}
	out, from := make([]float64, len(s.tried[0].rows)), place(-1)
	for j := range out {
		out[j] = math.Exp(min(max(math.Log(chosen)+place(j)-from, logs[0]), logs[len(logs)-1]))
	}
	return out
}

// lowest is the place of the minimum of the parabola through the smallest value and its neighbors, or of the first
// smallest value at an end.
func lowest(x, y []float64) float64 {
	i := 0
	for k, v := range y {
		if v < y[i] {
			i = k
		}
	}
	if i == 0 || i == len(x)-1 {
		return x[i]
	}
	slope, next := (y[i]-y[i-1])/(x[i]-x[i-1]), (y[i+1]-y[i])/(x[i+1]-x[i])
	curvature := (next - slope) / (x[i+1] - x[i-1])
	if !(curvature > 0) || math.IsInf(curvature, 1) {
		return x[i]
	}
	// In the middle of the first step the slope is this one, and it grows by twice the curvature.
	return min(max((x[i-1]+x[i])/2-slope/(2*curvature), x[i-1]), x[i+1])
}
