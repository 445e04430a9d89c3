// Correlations of one number with the outcome, and their intervals.

package validate

import (
	"context"
	"math"
	"slices"

	"repscope/measure/selection"
	"repscope/report"
	"repscope/stat"
)

const (
	// fewestPooled is the number of runs from which intervals delete each, and fewestBetween for means of runs.
	fewestPooled, fewestBetween = 8, 10
	// fewestModels is the number of rows without runs from which intervals delete each.
	fewestModels = 10
	// mostDeleted is the most blocks of an interval; neighboring ones are joined.
	mostDeleted = 100
	// mostPairs is the most rows whose pairs are all compared for the interval of Kendall's correlation. With more rows at
	// most mostSorted blocks are deleted for the interval of the partial correlation, which sorts the rest each time.
	mostPairs, mostSorted = 4000, 25
	// fewestMeans is the number of runs from which means over runs have intervals.
	fewestMeans = 3
)

const intervalsOff = "intervals are off (bootstrap 0)"

// associate computes the correlations of a number.
func (a *analyzer) associate(ctx context.Context, c Candidate) (*Number, error) {
	n := &Number{Name: c.Name, Direction: c.Direction, From: c.From, values: c.Values}
	var rows []int
	for _, run := range a.groups.Runs() {
		for _, i := range run {
			if !math.IsNaN(c.Values[i]) {
				rows = append(rows, i)
			}
		}
	}
	n.Rows, n.Missing = len(rows), len(c.Values)-len(rows)
	x, y := selection.Complete(rows, c.Values, a.in.Outcome)
	rho, err := stat.Spearman(x, y)
	if err == nil && rho.Reason != "" {
		err = stat.Undefined("correlation", "%s", constant(rho.Reason))
	}
	if err != nil {
		none := report.NoEstimate("%s", stat.Reason(err))
		n.Spearman, n.Kendall, n.Partial, n.Within, n.Between, n.Disattenuated = none, none, none, none, none, none
		return n, nil
	}
	tau, err := stat.Kendall(x, y)
	if err != nil {
		return nil, err
	}
	n.Spearman, n.Kendall = valued(rho.Coefficient), valued(tau.Coefficient)
	n.Partial = report.NoEstimate("there is no step; name its column with --after")
	var z []float64
	if a.in.Step != nil {
		_, z = selection.Complete(rows, c.Values, a.in.Step)
		n.Partial = report.Estimate{Value: report.NumberOr(selection.Partial(x, y, z),
			"the number or the outcome has the order of the steps, or there are fewer than 4 rows")}
	}
	if err := a.intervals(ctx, n, rows, [3][]float64{x, y, z}); err != nil {
		return nil, err
	}
	a.apart(ctx, n, c.Values)
	n.Disattenuated = a.disattenuated(n.Spearman)
	return n, nil
}

// constant is a reason of package stat in words of a table.
func constant(reason string) string {
	switch reason {
	case "x is constant":
		return "the number is constant"
	case "y is constant":
		return "the outcome is constant in the rows of the number"
	case "x and y are constant":
		return "the number and the outcome are constant"
	}
	return reason
}

func valued(v float64) report.Estimate { return report.Estimate{Value: report.Number(v)} }

// intervals fills in the intervals of the correlations over all rows. xyz are the number, the outcome and the step.
func (a *analyzer) intervals(ctx context.Context, n *Number, rows []int, xyz [3][]float64) error {
	x, y, z := xyz[0], xyz[1], xyz[2]
	blocks, reason := a.blocks(rows, x, y)
	if reason != "" {
		none := report.NoInterval("%s", reason)
		n.Spearman.CI, n.Kendall.CI, n.Partial.CI = none, none, none
		return nil
	}
	j, err := stat.JackknifeSpearman(ctx, blocks, x, y, a.o.Threads)
	if err != nil {
		return err
	}
	n.Spearman.CI = intervalOf(j.OnFisherScale())
	if len(x) > mostPairs {
		n.Kendall.CI = report.NoInterval("more than %d rows; the interval of Spearman's correlation is computed", mostPairs)
	} else {
		if j, err = stat.JackknifeKendall(ctx, blocks, x, y, a.o.Threads); err != nil {
			return err
		}
		n.Kendall.CI = intervalOf(j.OnFisherScale())
	}
	if !n.Partial.Defined() {
		n.Partial.CI = report.NoInterval("%s", n.Partial.Reason)
		return nil
	}
	if len(x) > mostPairs {
		blocks = blocks.Coarsen(mostSorted)
	}
	labels := blocks.Labels()
	replicates := make([]float64, blocks.Count())
	var kept [3][]float64
	for b := range replicates {
		if err := ctx.Err(); err != nil {
			return err
		}
		for k, values := range [][]float64{x, y, z} {
			kept[k] = kept[k][:0]
			for i, l := range labels {
				if l != b {
					kept[k] = append(kept[k], values[i])
				}
			}
		}
		replicates[b] = selection.Partial(kept[0], kept[1], kept[2])
	}
	if j, err = blocks.Jackknife(n.Partial.V, replicates, nil); err != nil {
		return err
	}
	n.Partial.CI = intervalOf(j.OnFisherScale())
	return nil
}

// blocks are what intervals over all rows delete in turn: runs, rows without runs, or stretches of a single run.
func (a *analyzer) blocks(rows []int, x, y []float64) (b *stat.Blocks, reason string) {
	if !a.o.Intervals {
		return nil, intervalsOff
	}
	runs := a.groups.Runs()
	var err error
	switch {
	case a.groups.Single() || len(runs) == 1 && !a.groups.Ordered():
		if len(rows) < fewestModels {
			return nil, report.NoInterval("%d rows are too few for an interval, want at least %d", len(rows),
				fewestModels).Reason
		}
		b, err = stat.NewBlocks(len(rows), nil, stat.BlockSpec{Kind: stat.MovingBlocks, Length: 1})
	case len(runs) == 1:
		if b, err = stat.NewBlocks(len(rows), nil, stat.BlockSpec{}, influence(x, y)); err == nil && b.Untestable() != "" {
			return nil, "of one run: " + b.Untestable()
		}
	default:
		labels := make([]int, len(a.y))
		for k, run := range runs {
			for _, i := range run {
				labels[i] = k
			}
		}
		var episodes []int
		count := map[int]bool{}
		for _, i := range rows {
			episodes = append(episodes, labels[i])
			count[labels[i]] = true
		}
		if len(count) < fewestPooled {
			return nil, report.NoInterval("%d runs are too few for an interval about other runs, want at least %d", len(count),
				fewestPooled).Reason
		}
		b, err = stat.NewBlocks(len(rows), episodes, stat.BlockSpec{Kind: stat.EpisodeBlocks})
	}
	if err != nil {
		return nil, stat.Reason(err)
	}
	return b.Coarsen(mostDeleted), ""
}

// influence is the share of every row in Spearman's correlation, for the length of blocks.
func influence(x, y []float64) []float64 {
	standard := func(values []float64) []float64 {
		ranks := stat.Ranks(values)
		mean, variance := stat.MeanVariance(ranks)
		for i := range ranks {
			ranks[i] = (ranks[i] - mean) / math.Sqrt(variance)
		}
		return ranks
	}
	u, v := standard(x), standard(y)
	rho := 0.0
	for i := range u {
		rho += u[i] * v[i] / float64(len(u)-1)
	}
	out := make([]float64, len(u))
	for i := range u {
		out[i] = u[i]*v[i] - rho/2*(u[i]*u[i]+v[i]*v[i])
	}
	return out
}

func intervalOf(j *stat.Jackknifed) report.Interval {
	if !j.Interval.Defined() {
		reason := j.Reason
		if reason == "" {
			reason = "the correlation or one without a run is undefined"
		}
		return report.NoInterval("%s", reason)
	}
	if j.Interval.Low == j.Interval.High {
		return report.NoInterval("no deletion changes the correlation: there is no error to see")
	}
	return report.Between(j.Interval.Low, j.Interval.High)
}

// apart computes the correlations within and between runs.
func (a *analyzer) apart(ctx context.Context, n *Number, values []float64) {
	runs := len(a.groups.Runs())
	switch {
	case a.groups.Single():
		n.Within = report.NoEstimate("every row is a run")
		n.Between = n.Spearman
		return
	case runs == 1:
		n.Within = n.Spearman
		n.Between = report.NoEstimate("there is one run")
		return
	}
	mean, each := a.groups.Within(values, a.in.Outcome)
	n.Within = report.Estimate{Value: report.NumberOr(mean, "no run has 3 rows in which the number and the outcome vary")}
	n.Within.CI = a.meanInterval(each, fisherScale)
	x, y := a.groups.RunMeans(values, a.in.Outcome)
	rho, err := stat.Spearman(x, y)
	switch {
	case err != nil:
		n.Between = report.NoEstimate("%s", stat.Reason(err))
		return
	case rho.Reason != "":
		n.Between = report.NoEstimate("means of runs: %s", constant(rho.Reason))
		return
	}
	n.Between = valued(rho.Coefficient)
	n.Between.CI = report.NoInterval("%d runs are too few for an interval, want at least %d", len(x), fewestBetween)
	if !a.o.Intervals {
		n.Between.CI = report.NoInterval(intervalsOff)
	} else if len(x) >= fewestBetween {
		b, err := stat.NewBlocks(len(x), nil, stat.BlockSpec{Kind: stat.MovingBlocks, Length: 1})
		if err == nil {
			var j *stat.Jackknifed
			if j, err = stat.JackknifeSpearman(ctx, b.Coarsen(mostDeleted), x, y, a.o.Threads); err == nil {
				n.Between.CI = intervalOf(j.OnFisherScale())
			}
		}
		if err != nil {
			n.Between.CI = report.NoInterval("%s", stat.Reason(err))
		}
	}
	n.Reversed = len(x) >= fewestBetween && decided(n.Within)*decided(n.Between) < 0
}

// decided is the sign of a correlation that is ±1 or whose interval leaves out 0; 0 of others.
func decided(rho report.Estimate) int {
	switch low, high := ends(rho.CI); {
	case low > 0 || rho.V == 1:
		return 1
	case high < 0 || rho.V == -1:
		return -1
	}
	return 0
}

// The scales of intervals of means over runs.
type meanScale int

const (
	plainScale meanScale = iota
	fisherScale
	skewScale // of regrets, which are skewed
)

// meanInterval is Student's interval of the mean of runs, of those that are no NaN.
func (a *analyzer) meanInterval(each []float64, scale meanScale) report.Interval {
	var values []float64
	for _, v := range each {
		if !math.IsNaN(v) {
			values = append(values, v)
		}
	}
	n := len(values)
	switch {
	case !a.o.Intervals:
		return report.NoInterval(intervalsOff)
	case n < fewestMeans:
		return report.NoInterval("%d of a choice in each run: too few for an interval, want at least %d runs", n, fewestMeans)
	}
	mean, variance := stat.MeanVariance(values)
	if variance <= 1e-24*mean*mean {
		return report.NoInterval("all %d runs have the same: there is no error to see", n)
	}
	t, err := stat.StudentTQuantile(0.975, float64(n-1))
	if err != nil {
		return report.NoInterval("%s", stat.Reason(err))
	}
	half := t * math.Sqrt(variance/float64(n))
	switch scale {
	case fisherScale:
		if slope := 1 - mean*mean; slope > 0 {
			z := math.Atanh(mean)
			return report.Between(math.Tanh(z-half/slope), math.Tanh(z+half/slope))
		}
	case skewScale:
		i := selection.SkewInterval(values, t)
		if slices.Min(values) >= 0 {
			i.Low = max(i.Low, 0)
		}
		return report.Between(i.Low, i.High)
	}
	return report.Between(mean-half, mean+half)
}

// disattenuated is a correlation without the error of the outcome.
func (a *analyzer) disattenuated(rho report.Estimate) report.Estimate {
	v := a.result.Reliability
	switch {
	case !v.Defined():
		return report.NoEstimate("%s", v.Reason)
	case v.V <= 0:
		return report.NoEstimate("the error of the outcome is as large as its spread: the reliability is %.2g", v.V)
	case !rho.Defined():
		return rho
	}
	root := math.Sqrt(min(v.V, 1))
	e := report.Estimate{Value: report.Number(rho.V / root), CI: rho.CI}
	if math.Abs(e.V) > 1 {
		return report.NoEstimate("%.2g is larger than 1: the error of the outcome is overstated, or there "+
			"are too few rows", e.V)
	}
	if rho.CI.Defined() {
		e.CI = report.Between(max(-1, rho.CI.Low/root), min(1, rho.CI.High/root))
	}
	return e
}
