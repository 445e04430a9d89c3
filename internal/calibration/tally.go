// Counts: coverage and width of intervals, and rejections of tests for equal models.

package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/internal/parallel"
	"repscope/report"
	"repscope/stat"
)

// A Cell is what one design says about one metric.
type Cell struct {
	// Coverage is the share of intervals that hold the mean of the estimates over all
	// draws, and CoverageSE its Monte-Carlo error with draws as clusters.
	Coverage, CoverageSE float64
	// Width is the mean half width over 1.96 standard deviations of the estimates.
	Width           float64
	Held, Intervals int
	Missing         int // estimates without an interval
}

// A Rate is how often something was rejected.
type Rate struct {
	Share, SE       float64
	Rejected, Tests int
	Untested        int
}

// A Tally holds the outcome of an analysis under a design.
type Tally struct {
	Analysis string
	Design   Design
	Draws    int
	Order    []string // of metrics
	Cells    map[string]Cell
	Tests    []string        // the metrics that are compared
	P        map[string]Rate // p < 0.05 of a comparison
	Holm     map[string]Rate // any p_holm < 0.05 in a family of a run
	Any      Rate            // any p < 0.05 in a run
	AnyHolm  Rate            // any p_holm < 0.05 in a run
	AnyRun   Rate            // the same with --family run
}

const level = 0.05

// outcome is one draw.
type outcome struct {
	estimates   []Estimate
	comparisons []report.Comparison
}

// tally runs a analysis on draws of a design. Results depend on the seed alone.
func tally(ctx context.Context, subject Analysis, d Design, draws int, seed uint64, threads int) (*Tally, error) {
	outcomes := make([]outcome, draws)
	err := parallel.Try(ctx, threads, draws, func(_, rep int) error {
		r, err := subject.Analyze(ctx, d.draw(seed, uint64(rep)), uint64(rep))
		if err != nil {
			return fmt.Errorf("%s, %s, draw %d: %w", subject.Name, d, rep, err)
		}
		outcomes[rep].comparisons = r.Comparisons
		outcomes[rep].estimates, err = estimates(r, rep)
		return err
	})
	if err != nil {
		return nil, err
	}
	t := &Tally{Analysis: subject.Name, Design: d, Draws: draws, Cells: map[string]Cell{}, P: map[string]Rate{},
		Holm: map[string]Rate{}}
	byMetric := map[string][]Estimate{}
	for _, o := range outcomes {
		for _, e := range o.estimates {
			if _, ok := byMetric[e.Metric]; !ok {
				t.Order = append(t.Order, e.Metric)
			}
			byMetric[e.Metric] = append(byMetric[e.Metric], e)
		}
	}
	for metric, list := range byMetric {
		t.Cells[metric] = cell(list, draws)
	}
	t.test(outcomes)
	return t, nil
}

// cell counts the intervals of one metric.
func cell(list []Estimate, draws int) Cell {
	var values, halves []float64
	for _, e := range list {
		values = append(values, e.Value)
		halves = append(halves, (e.High-e.Low)/2)
	}
	center := stat.Mean(values)
	c := Cell{Intervals: len(list), Missing: draws*models - len(list)}
	held := clusters{}
	for _, e := range list {
		// An estimate that never varies is held by an interval without width.
		slack := 1e-9 * math.Abs(center)
		ok := e.Low-slack <= center && center <= e.High+slack
		if ok {
			c.Held++
		}
		held.add(e.Repetition, ok)
	}
	c.Coverage, c.CoverageSE = held.mean()
	c.Width = stat.Mean(halves) / (1.96 * stat.StandardDeviation(values))
	return c
}

// clusters are shares by draw.
type clusters map[int][2]float64

func (c clusters) add(rep int, yes bool) {
	v := c[rep]
	if yes {
		v[0]++
	}
	v[1]++
	c[rep] = v
}

// mean is the mean of the shares and its standard error.
func (c clusters) mean() (mean, se float64) {
	reps := make([]int, 0, len(c))
	for rep := range c {
		reps = append(reps, rep)
	}
	slices.Sort(reps)
	shares := make([]float64, len(reps))
	for i, rep := range reps {
		shares[i] = c[rep][0] / c[rep][1]
	}
	if len(shares) < 2 {
		return stat.Mean(shares), math.NaN()
	}
	return stat.Mean(shares), stat.StandardDeviation(shares) / math.Sqrt(float64(len(shares)))
}

// test counts rejections.
func (t *Tally) test(outcomes []outcome) {
	p, holm, anywhere, ofRun, raw := map[string]clusters{}, map[string]clusters{}, clusters{}, clusters{}, clusters{}
	untested := map[string]int{}
	for rep, o := range outcomes {
		families, some := map[string]bool{}, false
		var all []float64 // p values of the run
		for _, c := range o.comparisons {
			if _, ok := p[c.Metric]; !ok {
				p[c.Metric] = clusters{}
				t.Tests = append(t.Tests, c.Metric)
			}
			if t.Design.Noise > 0 && c.A != name(1) && c.B != name(1) {
				continue // neither is worse
			}
			if !c.P.Defined() {
				untested[c.Metric]++
				continue
			}
			p[c.Metric].add(rep, c.P.V < level)
			rejected := c.PHolm.V < level
			families[c.Family] = families[c.Family] || rejected
			some, all = some || rejected, append(all, c.P.V)
		}
		for family, rejected := range families {
			if holm[family] == nil {
				holm[family] = clusters{}
			}
			holm[family].add(rep, rejected)
		}
		if len(all) > 0 {
			anywhere.add(rep, some)
			ofRun.add(rep, slices.Min(stat.Holm(all)) < level)
			raw.add(rep, slices.Min(all) < level)
		}
	}
	for metric, c := range p {
		t.P[metric] = c.rate(untested[metric])
	}
	for family, c := range holm {
		t.Holm[family] = c.rate(0)
	}
	t.AnyHolm, t.AnyRun, t.Any = anywhere.rate(0), ofRun.rate(0), raw.rate(0)
}

func (c clusters) rate(untested int) Rate {
	r := Rate{Untested: untested}
	for _, v := range c {
		r.Rejected += int(v[0])
		r.Tests += int(v[1])
	}
	if r.Tests > 0 {
		r.Share, r.SE = c.mean()
	}
	return r
}

// Sizes is the printed effective sample size of a design, next to the true one.
type Sizes struct {
	Design            Design
	True, Printed, SE float64
	Reliable, Draws   float64
}

// sizes compares the printed effective sample size of a coordinate with the variance
// of its mean.
func sizes(d Design, draws int, seed uint64) (Sizes, error) {
	var means, variances, printed []float64
	reliable := 0.0
	for rep := range draws {
		s := d.draw(seed, uint64(rep))
		for m := range models {
			x := make([]float64, d.N)
			for t := range x {
				x[t] = float64(s.States[t*features+m*seen])
			}
			a, err := stat.IntegratedAutocorrelationTime(x, s.Episode)
			if err != nil {
				return Sizes{}, err
			}
			mean, variance := stat.MeanVariance(x)
			means, printed = append(means, mean), append(printed, a.EffectiveSampleSize)
			variances = append(variances, variance)
			if a.Reliable {
				reliable++
			}
		}
	}
	_, ofMean := stat.MeanVariance(means)
	n := float64(len(means))
	return Sizes{Design: d, True: (stat.Mean(variances) + ofMean) / ofMean, Printed: stat.Mean(printed),
		SE: stat.StandardDeviation(printed) / math.Sqrt(n), Reliable: reliable / n, Draws: n}, nil
}
