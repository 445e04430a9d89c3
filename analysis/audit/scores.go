// What leaks cost: scores on all tested states and on those without a duplicate or a state too near in training.

package audit

import (
	"cmp"
	"context"
	"math"
	"slices"

	"repscope/analysis/internal/results"
	"repscope/measure/probe"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

// ScoreAudit is a score on all tested states and without those that leak. Metric is mean, accuracy or r2.
//
// A target has the score of a linear probe fitted on the latents of the training states, for Clean without the
// training states that are too near to tested ones. Retrieval copies the target of the nearest training state. A
// model that is never better than Retrieval knows its training set and nothing else.
type ScoreAudit struct {
	Metric     string          `json:"metric"`
	States     int             `json:"clean_states"`
	All        report.Estimate `json:"all"`
	Clean      report.Estimate `json:"clean"`
	Difference report.Estimate `json:"difference"` // All − Clean
	Retrieval  Retrieval       `json:"retrieval"`

	// Curve has the mean score over the distance to the nearest training state.
	Curve []Bin `json:"-"`
}

// Retrieval is the score of copied targets.
type Retrieval struct {
	All     report.Value `json:"all"`
	Leaking report.Value `json:"leaking"`
	Clean   report.Value `json:"clean"`
}

// Bin is a tenth of the tested states by their distance to the nearest training state.
type Bin struct {
	Low, High float64
	States    int
	Mean      float64
}

// The metrics of scores.
const (
	metricMean     = "mean"
	metricAccuracy = "accuracy"
	metricR2       = "r2"
)

// scores audits given scores and scores of probes.
func (a *auditor) scores(ctx context.Context, t *Test, part division, leakingTrain []int, units grouping) error {
	for _, s := range a.in.Scores {
		values := make([]float64, len(t.Rows))
		for q, row := range t.Rows {
			values[q] = s.Values[row.State]
		}
		audit := scoreOf(t, terms{metricMean, mean, values, values, nil}, units)
		audit.Curve = curveOf(t, values)
		audit.Retrieval = report.Lack(Retrieval{}, "the score is given; retrieval needs --targets and --latents")
		t.Scores.Set(s.Name, audit)
	}
	for _, target := range a.in.Targets {
		for _, m := range a.in.Latents {
			audit, err := a.probe(ctx, t, part, target, m.Latents, leakingTrain, units)
			if err != nil {
				return err
			}
			name := target.Name
			if len(a.in.Latents) > 1 {
				name += "@" + m.Name
			}
			t.Scores.Set(name, audit)
		}
	}
	return nil
}

// statistic is a score from the sums of a term over states: of the score itself, and of the target and its square.
type statistic func(count, score, target, square float64) float64

func mean(count, score, _, _ float64) float64 { return score / count }

// r2 is 1 − the sum of squared errors over the sum of squared deviations of the target.
func r2(count, errors, target, square float64) float64 {
	return 1 - errors/(square-target*target/count)
}

// terms are what the tested states add to a score: all with all training states and clean without leaking ones; target
// are the values of the target, nil for a mean.
type terms struct {
	metric             string
	statistic          statistic
	all, clean, target []float64
}

// grouping are the blocks of tested states, or the reason why there are none.
type grouping struct {
	blocks *stat.Blocks
	reason string
}

// scoreOf audits a score.
func scoreOf(t *Test, s terms, units grouping) ScoreAudit {
	blocks, reason := units.blocks, units.reason
	f, all, clean, target := s.statistic, s.all, s.clean, s.target
	n := len(t.Rows)
	out := ScoreAudit{Metric: s.metric}
	sequences := make([][]float64, 7) // all, target, target²; kept, clean, target, target² of kept states
	for k := range sequences {
		sequences[k] = make([]float64, n)
	}
	for q := range t.Rows {
		y := 0.0
		if target != nil {
			y = target[q]
		}
		sequences[0][q], sequences[1][q], sequences[2][q] = all[q], y, y*y
		if !t.Rows[q].Leaks() {
			out.States++
			sequences[3][q], sequences[4][q], sequences[5][q], sequences[6][q] = 1, clean[q], y, y*y
		}
	}
	scores := func(count float64, sum, dst []float64) {
		dst[0] = f(count, sum[0], sum[1], sum[2])
		dst[1] = f(sum[3], sum[4], sum[5], sum[6])
		dst[2] = dst[0] - dst[1]
		dst[3] = 1 - sum[3]/count
	}
	sums, values := make([]float64, len(sequences)), make([]float64, 4)
	for k, list := range sequences {
		for _, v := range list {
			sums[k] += v
		}
	}
	scores(float64(n), sums, values)
	none := ""
	if out.States == 0 {
		none = "every tested state leaks"
	}
	estimates := make([]report.Estimate, 3)
	var jackknifed []*stat.Jackknifed
	if blocks != nil && none == "" {
		var err error
		if jackknifed, err = stat.JackknifeSums(blocks, sequences, len(values), scores); err != nil {
			jackknifed, reason = nil, stat.Reason(err)
		}
	}
	if jackknifed != nil {
		asProduct(jackknifed[2], jackknifed[3], n)
		s.limit(jackknifed[0], jackknifed[1], jackknifed[2], n, out.States)
	}
	for k, v := range values[:len(estimates)] {
		switch {
		case none != "" && k > 0:
			estimates[k] = report.NoEstimate("%s", none)
		case jackknifed != nil:
			estimates[k] = report.WithInterval(report.NumberOr(v, "the score is undefined on these states"),
				results.IntervalOf(jackknifed[k]))
		default:
			estimates[k] = report.WithInterval(report.NumberOr(v, "the score is undefined on these states"),
				report.NoInterval("%s", cmp.Or(reason, none)))
		}
	}
	out.All, out.Clean, out.Difference = estimates[0], estimates[1], estimates[2]
	return out
}

// asProduct gives the difference of a score on all n states and on clean ones an interval with the asymmetry of the
// share of leaking states: where few episodes leak, the difference, which is share × gap, is as skewed as the share.
// With half widths t·SE of the difference h and of the share s, and the interval [l, u] of the share q by
// [stat.Jackknifed.AsShare], the distances of the ends are √(h² − (gap·s)² + (gap·(q − l))²) and √(h² − (gap·s)² +
// (gap·(u − q))²): the variance that comes from the share is replaced at each end (Zou and Donner 2008, "Construction
// of confidence limits about effect measures").
func asProduct(difference, share *stat.Jackknifed, n int) {
	gap := difference.Estimate / share.Estimate
	if share.Estimate == 0 || math.IsNaN(gap) || !share.Interval.Defined() || !difference.Interval.Defined() {
		return
	}
	half := func(i stat.Interval) float64 { return (i.High - i.Low) / 2 }
	h, s := half(difference.Interval), gap*half(share.Interval)
	rest := max(0, float64(h*h)-float64(s*s))
	share.AsShare(n)
	end := func(limit float64) float64 {
		part := gap * (limit - share.Estimate)
		return difference.Estimate + math.Copysign(math.Sqrt(rest+float64(part*part)), part)
	}
	difference.Interval.Low, difference.Interval.High = end(share.Interval.Low), end(share.Interval.High)
	if gap < 0 {
		difference.Interval.Low, difference.Interval.High = difference.Interval.High, difference.Interval.Low
	}
}

// limit keeps the intervals of all n states, of clean ones and of their difference in the range of the score: of shares,
// and of R² up to 1. The range of other means is unknown.
func (s *terms) limit(all, clean, difference *stat.Jackknifed, n, cleanStates int) {
	isOther := func(v float64) bool { return v != 0 && v != 1 }
	switch {
	case s.metric == metricR2:
		all.OnScale(stat.RangeScale(math.Inf(-1), 1))
		clean.OnScale(stat.RangeScale(math.Inf(-1), 1))
	case !slices.ContainsFunc(s.all, isOther) && !slices.ContainsFunc(s.clean, isOther):
		all.AsShare(n)
		clean.AsShare(cleanStates)
		difference.Within(-1, 1)
	}
}

// probe audits the score of a linear probe.
func (a *auditor) probe(ctx context.Context, t *Test, part division, target Target, latents points.Points,
	leakingTrain []int,
	units grouping,
) (ScoreAudit, error) {
	copied := make([]float64, len(t.Rows))
	all, err := a.fit(ctx, part, target, latents, nil)
	var clean []float64
	if err == nil {
		clean, err = a.fit(ctx, part, target, latents, leakingTrain)
	}
	if ctx.Err() != nil {
		return ScoreAudit{}, ctx.Err()
	}
	metric, f := metricAccuracy, statistic(mean)
	var truth []float64
	if target.Class == nil {
		metric, f = metricR2, r2
		truth = points.Pick(target.Values, part.test)
		middle := stat.Mean(truth)
		for q := range truth {
			truth[q] -= middle
		}
	}
	for q, row := range t.Rows {
		copied[q] = math.NaN() // without a near training sequence
		if row.Nearest >= 0 {
			copied[q] = target.term(row.State, target.of(row.Nearest))
		}
	}
	out := report.Lack(ScoreAudit{Metric: metric}, "the probe cannot be fitted")
	if err != nil {
		out = report.Lack(out, "%s", stat.Reason(err))
	} else {
		out = scoreOf(t, terms{metric, f, all, clean, truth}, units)
		out.Curve = curve(t, target, all, truth)
	}
	out.Retrieval = retrieval(t, f, copied, truth)
	return out, nil
}

// of is the target of a state as a number.
func (t *Target) of(state int) float64 {
	if t.Class != nil {
		return float64(t.Class[state])
	}
	return t.Values[state]
}

// term is what a prediction adds to the sums of the score: 1 for the right class, or the squared error.
func (t *Target) term(state int, predicted float64) float64 {
	truth := t.of(state)
	switch {
	case t.Class == nil:
		return (predicted - truth) * (predicted - truth)
	case predicted == truth:
		return 1
	}
	return 0
}

// fit fits a probe on the training states but those left out, and returns the term of each tested state.
func (a *auditor) fit(ctx context.Context, part division, target Target, latents points.Points,
	without []int) ([]float64, error) {
	drop := map[int]bool{}
	for _, i := range without {
		drop[i] = true
	}
	rows := slices.Concat(part.test, part.train)
	data := probe.Data{X: latents.Select(rows), Train: make([][]int, 2)}
	for k, i := range rows {
		fold := 0
		if k >= len(part.test) {
			fold = 1
			if !drop[i] {
				data.Train[0] = append(data.Train[0], k)
			}
		} else {
			data.Train[1] = append(data.Train[1], k)
		}
		data.Folds = append(data.Folds, fold)
		data.Groups = append(data.Groups, 2*a.episode[i]+fold)
	}
	added := make([]float64, len(part.test))
	if target.Class != nil {
		class := points.Pick(target.Class, rows)
		classes := slices.Max(class) + 1
		fit, err := probe.CrossFitLogistic(ctx, data, class, classes, probe.LogisticOptions{Standardize: true,
			Threads: a.o.Threads})
		if err != nil {
			return nil, err
		}
		for q, i := range part.test {
			p := fit.Predicted[0][q*classes : (q+1)*classes]
			added[q] = target.term(i, float64(slices.Index(p, slices.Max(p))))
		}
		return added, nil
	}
	y := points.Pick(target.Values, rows)
	fit, err := probe.CrossFitRidge(ctx, data, points.Float64(y, 1), probe.RidgeOptions{Standardize: true,
		Threads: a.o.Threads})
	if err != nil {
		return nil, err
	}
	for q, i := range part.test {
		added[q] = target.term(i, fit.Predicted[0][q])
	}
	return added, nil
}

// retrieval is the score of the target of the nearest training state.
func retrieval(t *Test, f statistic, copied, truth []float64) Retrieval {
	over := func(keep func(r *Tested) bool, none string) report.Value {
		var count, score, target, square float64
		for q := range t.Rows {
			if !keep(&t.Rows[q]) || math.IsNaN(copied[q]) {
				continue
			}
			count++
			score += copied[q]
			if truth != nil {
				target += truth[q]
				square += truth[q] * truth[q]
			}
		}
		if count == 0 {
			return report.Undefined("%s", none)
		}
		return report.NumberOr(f(count, score, target, square), "the target is constant on these states")
	}
	return Retrieval{
		All:     over(func(*Tested) bool { return true }, "there are no tested states"),
		Leaking: over((*Tested).Leaks, "no tested state leaks"),
		Clean:   over(func(r *Tested) bool { return !r.Leaks() }, "every tested state leaks"),
	}
}

// bins is the number of points of a curve.
const bins = 10

// curve is the mean score over the distance: for numbers 1 − squared error/variance, whose mean is R².
func curve(t *Test, target Target, terms, truth []float64) []Bin {
	score := slices.Clone(terms)
	if target.Class == nil {
		variance := 0.0
		for _, y := range truth {
			variance += y * y / float64(len(truth))
		}
		for q, e := range terms {
			score[q] = 1 - e/variance
		}
	}
	return curveOf(t, score)
}

func curveOf(t *Test, score []float64) []Bin {
	order := make([]int, len(t.Rows))
	for q := range order {
		order[q] = q
	}
	slices.SortStableFunc(order, func(x, y int) int {
		d, e := t.Rows[x].Distance, t.Rows[y].Distance
		switch {
		case d < e:
			return -1
		case d > e:
			return 1
		}
		return 0
	})
	var out []Bin
	for b := range bins {
		lo, hi := b*len(order)/bins, (b+1)*len(order)/bins
		if lo == hi {
			continue
		}
		bin := Bin{Low: t.Rows[order[lo]].Distance, High: t.Rows[order[hi-1]].Distance, States: hi - lo}
		for _, q := range order[lo:hi] {
			bin.Mean += score[q] / float64(hi-lo)
		}
		if !math.IsNaN(bin.Mean) {
			out = append(out, bin)
		}
	}
	return out
}
