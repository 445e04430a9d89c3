// Intervals of probabilities and shares, which must not collapse where all runs agree.

package study

import (
	"context"
	"math"

	"repscope/stat"
)

// Improvement returns the probability of improvement of model x over y; see
// [Improvement]. Its interval (unless [Percentile]) is the score interval of Newcombe
// (2006), "Confidence intervals for an effect size measure based on the Mann–Whitney
// statistic": the probabilities θ with |estimate − θ| ≤ z·√V(θ) and, in every task with m
// and n runs, Hanley and McNeil's variance
//
//	V(θ) = θ(1 − θ)/(mn)·(1 + N·((1 − θ)/(2 − θ) + θ/(1 + θ))), N = (m + n)/2 − 1.
//
// The variance of a mean over tasks is largest where tasks have the same θ, so where they do not
// the interval is wide. It needs no second run. For [Options.Tasks] the interval is at
// least the interval of Student's t over tasks. P stays NaN: to test, see whether ½ is inside.
func (m *Matrix) Improvement(ctx context.Context, x, y string, o Options) (Estimate, error) {
	o.bare = o.Method == Jackknife && !o.Tasks
	e, err := m.one(ctx, []string{x, y}, o, func(of []ByTask) float64 { return Improvement(of[0], of[1]) })
	if err != nil || o.Method == Percentile || (o.Tasks && len(m.Tasks) == 1) {
		return e, err
	}
	scores, err := m.of([]string{x, y})
	if err != nil {
		return e, err
	}
	o, err = o.check()
	if err != nil {
		return e, err
	}
	z := stat.NormalQuantile((1 + o.Level) / 2)
	half := func(theta float64) float64 { return z * math.Sqrt(improvementVariance(theta, scores[0], scores[1])) }
	score := stat.Interval{Low: scoreEnd(e.Value, 0, half), High: scoreEnd(e.Value, 1, half), Level: o.Level}
	e.Interval = e.hull(score, o)
	return e, nil
}

// hull is the interval of a score; over tasks it reaches as far as the interval of Student's t
// inside [0, 1].
func (e *Estimate) hull(score stat.Interval, o Options) stat.Interval {
	if o.Tasks && e.Interval.Defined() {
		score.Low, score.High = min(score.Low, max(e.Interval.Low, 0)), max(score.High, min(e.Interval.High, 1))
		return score
	}
	// The error of deletions is not what the interval is made of.
	e.StdError, e.DF, e.Warnings = math.NaN(), math.NaN(), nil
	return score
}

// improvementVariance is the variance of the mean over tasks, where all have probability theta.
func improvementVariance(theta float64, x, y ByTask) float64 {
	var sum float64
	for t := range x {
		m, n := float64(len(x[t])), float64(len(y[t]))
		pairs := (m+n)/2 - 1
		sum += theta * (1 - theta) / (m * n) * (1 + pairs*((1-theta)/(2-theta)+theta/(1+theta)))
	}
	return sum / float64(len(x)*len(x))
}

// scoreEnd is the farthest θ from value towards end that is within half(θ) of it, by
// bisection.
func scoreEnd(value, end float64, half func(theta float64) float64) float64 {
	if math.Abs(end-value) <= half(end) {
		return end
	}
	inside, outside := value, end
	for range 100 {
		middle := inside/2 + outside/2
		if math.Abs(middle-value) <= half(middle) {
			inside = middle
		} else {
			outside = middle
		}
	}
	return inside
}

// RunProfile returns the performance profile of a model's run scores at thresholds; see
// [RunProfile]. Every point has an interval of its own (unless [Percentile]): Wilson's,
// for as many runs as have the same variance in tasks of equal shares. Where tasks
// differ it is too wide by a third or so, and holds more often than it says. For
// [Options.Tasks] it is at least the interval of Student's t over tasks.
func (m *Matrix) RunProfile(ctx context.Context, model string, thresholds []float64, o Options) ([]Estimate, error) {
	o.bare = o.Method == Jackknife && !o.Tasks
	list, err := m.profile(ctx, model, thresholds, RunProfile, o)
	if err != nil || o.Method == Percentile || (o.Tasks && len(m.Tasks) == 1) {
		return list, err
	}
	scores, err := m.of([]string{model})
	if err != nil {
		return nil, err
	}
	n := 0.0
	for _, runs := range scores[0] {
		n += 1 / float64(len(runs))
	}
	n = float64(len(m.Tasks)*len(m.Tasks)) / n
	for i := range list {
		score, err := stat.Wilson(list[i].Value*n, n, o.Level)
		if err != nil {
			return nil, err
		}
		list[i].Interval = list[i].hull(score, o)
	}
	return list, nil
}

// AverageProfile returns the performance profile of a model's average scores at
// thresholds; see [AverageProfile]. It moves in steps of a task, so its error is not
// the error of deletions. The interval (unless [Percentile]) is about the share of tasks whose
// expected score is above the threshold: task t's is with the probability that Student's t
// gives, F((mean_t − τ)/SE_t), and the interval holds the number of such tasks with the
// level asked for (quantiles of the sum of these events). It is on the safe side, and
// undefined where a task has one run. For [Options.Tasks] it is Wilson's, over tasks.
func (m *Matrix) AverageProfile(ctx context.Context, model string, thresholds []float64,
	o Options) ([]Estimate, error) {
	if o.Method == Percentile {
		return m.profile(ctx, model, thresholds, AverageProfile, o)
	}
	o, err := o.check()
	if err != nil {
		return nil, err
	}
	scores, err := m.of([]string{model})
	if err != nil {
		return nil, err
	}
	out := make([]Estimate, len(thresholds))
	for i, tau := range thresholds {
		out[i] = Estimate{Value: AverageProfile(tau)(scores[0]), StdError: math.NaN(), DF: math.NaN(), P: math.NaN()}
		switch {
		case o.Tasks && len(m.Tasks) == 1:
			out[i].Interval = noInterval(o.Level, oneTask)
		case o.Tasks:
			n := float64(len(m.Tasks))
			if out[i].Interval, err = stat.Wilson(math.Round(out[i].Value*n), n, o.Level); err != nil {
				return nil, err
			}
		default:
			out[i].Interval = averageInterval(scores[0], tau, o.Level)
		}
	}
	return out, ctx.Err()
}

// averageInterval is the interval of the number of tasks whose expected score is above tau.
func averageInterval(scores ByTask, tau, level float64) stat.Interval {
	counts := []float64{1} // probabilities of the number of tasks above
	for _, runs := range scores {
		if len(runs) < 2 {
			return noInterval(level, "a task has only one run, so the error of its mean is unknown")
		}
		mean, variance := stat.MeanVariance(runs)
		above := 0.0
		switch distance := mean - tau; {
		case variance > 0:
			tail := stat.TTestP(distance/math.Sqrt(variance/float64(len(runs))), float64(len(runs)-1)) / 2
			if above = tail; distance > 0 {
				above = 1 - tail
			}
		case distance > 0:
			above = 1
		}
		next := make([]float64, len(counts)+1)
		for k, p := range counts {
			next[k] += float64(p * (1 - above))
			next[k+1] += float64(p * above)
		}
		counts = next
	}
	tail := (1 - level) / 2
	low, high := 0, len(scores)
	for sum := counts[low]; sum < tail && low < high; sum += counts[low] {
		low++
	}
	for sum := counts[high]; sum < tail && high > low; sum += counts[high] {
		high--
	}
	n := float64(len(scores))
	return stat.Interval{Low: float64(low) / n, High: float64(high) / n, Level: level}
}

func (m *Matrix) profile(ctx context.Context, model string, thresholds []float64, statisticAt func(float64) Statistic,
	o Options) ([]Estimate, error) {
	statistics := make([]Statistic, len(thresholds))
	for i, tau := range thresholds {
		statistics[i] = statisticAt(tau)
	}
	return m.estimates(ctx, []string{model}, len(thresholds), o, statistic{of: func(byModel []ByTask, dst []float64) {
		for i, s := range statistics {
			dst[i] = s(byModel[0])
		}
	}})
}
