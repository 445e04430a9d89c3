// Simulated scores with known truth: statistics of studies over tasks and runs, and of models trained several times.

package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"repscope/internal/parallel"
	"repscope/measure/study"
	"repscope/stat"
)

// A studyDesign has runs of each task; for models that were trained several times it
// has runs measured on the same episodes. Scores of runs are normal, or exponential.
type studyDesign struct {
	Runs, Tasks int
	Skewed      bool
}

func (d studyDesign) String() string {
	if d.Skewed {
		return fmt.Sprintf("%d/%d skewed", d.Runs, d.Tasks)
	}
	return fmt.Sprintf("%d/%d", d.Runs, d.Tasks)
}

// quantile is the quantile of a run's score about its mean, in units of its spread.
func (d studyDesign) quantile(p float64) float64 {
	if d.Skewed {
		return -math.Log1p(-p) - 1
	}
	return stat.NormalQuantile(p)
}

// above is the probability that a score is z spreads above its mean.
func (d studyDesign) above(z float64) float64 {
	if d.Skewed {
		return math.Exp(-max(z+1, 0))
	}
	return normal(-z)
}

// wins is the probability that one score is higher than another whose mean is z
// spreads below.
func (d studyDesign) wins(z float64) float64 {
	switch {
	case d.Skewed && z >= 0:
		return 1 - math.Exp(-z)/2
	case d.Skewed:
		return math.Exp(z) / 2
	}
	return normal(z / math.Sqrt2)
}

func studyDesigns() []studyDesign {
	var out []studyDesign
	for _, tasks := range []int{5, 20} {
		for _, runs := range []int{3, 5, 10} {
			out = append(out, studyDesign{Runs: runs, Tasks: tasks})
		}
	}
	return append(out, studyDesign{3, 5, true}, studyDesign{5, 20, true})
}

// An observation is an estimate of something whose truth is known.
type observation struct {
	Quantity           string
	Value, Low, High   float64
	Truth, P           float64
	Null, NoTest, Held bool
}

func observe(quantity string, value float64, interval stat.Interval, truth float64) observation {
	const rounding = 1e-9
	return observation{Quantity: quantity, Value: value, Low: interval.Low, High: interval.High, Truth: truth, P: math.NaN(),
		Held: interval.Low-rounding <= truth && truth <= interval.High+rounding}
}

// noInterval is the interval of an observation without one.
var noInterval = stat.Interval{Low: math.NaN(), High: math.NaN()}

// tested adds the p value of a comparison of equal models.
func (o observation) tested(p float64) observation {
	o.Null, o.P = true, p
	return o
}

// levels of the simulated models: the first two are equal, the third is better, the
// last wins almost always.
var shifts = []float64{0, 0, 0.2, 1}

// simulated are the scores of models in tasks.
type simulated struct {
	design   studyDesign
	mean, sd [][]float64 // [model][task]
	matrix   *study.Matrix
}

// drawStudy draws tasks, which differ in level and in spread, how models differ in
// them, and runs. Equal models are so in every task.
func drawStudy(d studyDesign, seed, rep uint64) (simulated, error) {
	r := stat.NewRandom(stat.StreamDesign.Key(seed, 1, uint64(d.Runs), uint64(d.Tasks), rep))
	noise := r.Normal
	if d.Skewed {
		noise = func() float64 { return d.quantile(r.Float64()) }
	}
	s := simulated{design: d, mean: make([][]float64, len(shifts)), sd: make([][]float64, len(shifts))}
	var scores []study.Score
	for t := range d.Tasks {
		level, spread := 0.5+0.4*r.Normal(), 0.2*math.Exp(0.5*r.Normal())
		for k, shift := range shifts {
			m := level + shift
			if shift != 0 {
				m += 0.15 * r.Normal()
			}
			s.mean[k], s.sd[k] = append(s.mean[k], m), append(s.sd[k], spread)
			for i := range d.Runs {
				scores = append(scores, study.Score{Model: simulatedName(k), Task: fmt.Sprint(t), Run: fmt.Sprint(i), Value: m + spread*noise()})
			}
		}
	}
	var err error
	s.matrix, err = study.New(scores, study.MissingError)
	return s, err
}

func simulatedName(model int) string { return string(rune('a' + model)) }

func normal(z float64) float64 { return 0.5 * math.Erfc(-z/math.Sqrt2) }

// interquartile is the mean that an interquartile mean of n runs estimates: the mean of the
// mixture of the tasks between the same shares.
func (s simulated) interquartile(model, runs int) float64 {
	const grid = 500
	n := runs * len(s.mean[model])
	var all []float64
	for t, m := range s.mean[model] {
		for i := range grid {
			all = append(all, m+s.sd[model][t]*s.design.quantile((float64(i)+0.5)/grid))
		}
	}
	slices.Sort(all)
	cut := int(float64(n/4) / float64(n) * float64(len(all)))
	return stat.Mean(all[cut : len(all)-cut])
}

// over is the mean over tasks.
func (s simulated) over(f func(t int) float64) float64 {
	var sum float64
	for t := range s.mean[0] {
		sum += f(t)
	}
	return sum / float64(len(s.mean[0]))
}

// thresholds of the profiles.
var thresholds = []float64{0, 0.5, 1}

// observeStudy makes every estimate by one method.
func observeStudy(ctx context.Context, s simulated, d studyDesign, o study.Options) ([]observation, error) {
	var out []observation
	var failed error
	add := func(quantity string, truth float64, e study.Estimate, err error) {
		if err != nil {
			failed = err
		}
		out = append(out, observe(quantity, e.Value, e.Interval, truth))
	}
	m := s.matrix
	for _, row := range []struct {
		name  string
		s     study.Statistic
		truth float64
	}{{"mean", study.Mean, stat.Mean(s.mean[0])}, {"IQM", study.IQM, s.interquartile(0, d.Runs)},
		{"median", study.Median, stat.Median(s.mean[0])}} {
		e, err := m.Estimate(ctx, "a", row.s, o)
		add(row.name, row.truth, e, err)
	}
	e, err := m.Difference(ctx, "a", "b", study.IQM, o)
	add("difference of IQM, equal models", 0, e, err)
	out[len(out)-1] = out[len(out)-1].tested(e.P)
	for _, pair := range []struct {
		x, y int
		name string
	}{{0, 1, "probability of improvement, equal models"}, {2, 0, "probability of improvement, better"},
		{3, 0, "probability of improvement near 1"}} {
		truth := s.over(func(t int) float64 {
			return d.wins((s.mean[pair.x][t] - s.mean[pair.y][t]) / s.sd[0][t])
		})
		e, err := m.Improvement(ctx, simulatedName(pair.x), simulatedName(pair.y), o)
		add(pair.name, truth, e, err)
	}
	runs, err := m.RunProfile(ctx, "a", thresholds, o)
	if err != nil {
		return nil, err
	}
	averages, err := m.AverageProfile(ctx, "a", thresholds, o)
	if err != nil {
		return nil, err
	}
	for i, tau := range thresholds {
		add(fmt.Sprintf("profile of runs at %g", tau), s.over(func(t int) float64 { return d.above((tau - s.mean[0][t]) / s.sd[0][t]) }), runs[i], nil)
		add(fmt.Sprintf("profile of averages at %g", tau), s.over(func(t int) float64 {
			if s.mean[0][t] > tau {
				return 1
			}
			return 0
		}), averages[i], nil)
	}
	return out, failed
}

// observeTasks makes the estimates that are about other tasks; truth is that over all
// draws, which the caller fills in.
func observeTasks(ctx context.Context, s simulated, d studyDesign) ([]observation, error) {
	o := study.Options{Tasks: true}
	iqm, err := s.matrix.Estimate(ctx, "a", study.IQM, o)
	if err != nil {
		return nil, err
	}
	better, err := s.matrix.Improvement(ctx, "c", "a", o)
	if err != nil {
		return nil, err
	}
	ranks, err := s.matrix.AverageRanks(ctx, o)
	if err != nil {
		return nil, err
	}
	out := []observation{observe("IQM, other tasks", iqm.Value, iqm.Interval, 0),
		observe("probability of improvement, other tasks", better.Value, better.Interval, 0)}
	for k, e := range ranks {
		out = append(out, observe("average rank of "+[]string{"an equal model", "an equal model", "the better", "the best"}[k], e.Value, e.Interval, 0))
	}
	return out, nil
}

// decisions counts a wrong one among all pairs: equal models that differ, or a position
// interval that leaves out the place that the simulated models have.
func decisions(ctx context.Context, s simulated) (observation, error) {
	d, err := s.matrix.Decide(ctx, study.Mean, study.Options{})
	if err != nil {
		return observation{}, err
	}
	means := make([]float64, len(shifts))
	for k := range means {
		means[k] = stat.Mean(s.mean[k])
	}
	held := true
	for i, p := range d.Positions {
		above, below := 0, 0
		for j := range means {
			if means[j] > means[i] {
				above++
			} else if means[j] < means[i] {
				below++
			}
		}
		// Equal models share their places: any of them will do.
		held = held && p.Best <= len(means)-below && p.Worst >= 1+above
	}
	p := 1.0
	if d.Pairs[0].Differs {
		p = 0
	}
	return observation{Quantity: "all ranks of the models together", Held: held, Null: true, P: p}, nil
}

// drawSeeds draws what runs of two equal models score on the same observations in
// episodes, with variance between runs, between episodes in how the models differ,
// and of runs in episodes.
func drawSeeds(d studyDesign, seed, rep uint64, runs, episodes float64) (observation, error) {
	const length = 10
	r := stat.NewRandom(stat.StreamDesign.Key(seed, 2, uint64(d.Runs), uint64(d.Tasks), rep))
	labels := make([]int, d.Tasks*length)
	for i := range labels {
		labels[i] = i / length
	}
	blocks, err := stat.NewBlocks(len(labels), labels, stat.BlockSpec{Kind: stat.EpisodeBlocks})
	if err != nil {
		return observation{}, err
	}
	models := make([][]*stat.Jackknifed, 2)
	for k := range models {
		means := make([]float64, d.Tasks)
		for e := range means {
			means[e] = episodes * r.Normal()
		}
		for range d.Runs {
			run, values := runs*r.Normal(), make([]float64, len(labels))
			both := 0.0
			for i, e := range labels {
				if i%length == 0 {
					both = 0.3 * r.Normal()
				}
				values[i] = run + means[e] + both + 0.5*r.Normal()
			}
			j, err := stat.JackknifeMean(blocks, values)
			if err != nil {
				return observation{}, err
			}
			models[k] = append(models[k], j)
		}
	}
	c, err := stat.CompareSeeds(models[0], models[1], stat.CompareOptions{Permutations: 99})
	if err != nil {
		return observation{}, err
	}
	quantity := fmt.Sprintf("runs %g, episodes %g", runs, episodes)
	return observe(quantity, c.Difference, c.Interval, 0).tested(c.P), nil
}

// A studyTally is what one design says.
type studyTally struct {
	Design fmt.Stringer
	Order  []string
	Cells  map[string]Cell
	Means  map[string]float64 // of the estimates
	P      map[string]Rate
}

// tallyStudies runs draws of a design through observe, whose observations may be of any
// number. about names the quantities whose truth is the mean over all draws.
func tallyStudies(ctx context.Context, d fmt.Stringer, draws, threads int, about func(quantity string) bool,
	observe func(rep uint64) ([]observation, error)) (studyTally, error) {
	all := make([][]observation, draws)
	err := parallel.Try(ctx, threads, draws, func(_, rep int) error {
		var err error
		all[rep], err = observe(uint64(rep))
		return err
	})
	t := studyTally{Design: d, Cells: map[string]Cell{}, Means: map[string]float64{}, P: map[string]Rate{}}
	lists := map[string][]observation{}
	repetition := map[string][]int{}
	for rep, list := range all {
		for _, o := range list {
			if _, ok := lists[o.Quantity]; !ok {
				t.Order = append(t.Order, o.Quantity)
			}
			lists[o.Quantity] = append(lists[o.Quantity], o)
			repetition[o.Quantity] = append(repetition[o.Quantity], rep)
		}
	}
	for quantity, list := range lists {
		t.Cells[quantity], t.P[quantity] = studyCell(list, repetition[quantity], about(quantity))
		for _, o := range list {
			t.Means[quantity] += o.Value / float64(len(list))
		}
	}
	return t, err
}

// never says that the truth of no quantity is the mean over all draws.
func never(string) bool { return false }

// tallyTrue tallies every design, whose observations know the truth.
func tallyTrue[D fmt.Stringer](ctx context.Context, designs []D, draws, threads int, observe func(d D, rep uint64) ([]observation, error)) ([]studyTally, error) {
	var out []studyTally
	for _, d := range designs {
		t, err := tallyStudies(ctx, d, draws, threads, never, func(rep uint64) ([]observation, error) { return observe(d, rep) })
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

// studyCell counts the intervals and tests of one quantity.
func studyCell(list []observation, repetition []int, aboutMean bool) (Cell, Rate) {
	center := 0.0
	for _, o := range list {
		center += o.Value / float64(len(list))
	}
	var c Cell
	var rate Rate
	held, rejected := clusters{}, clusters{}
	var halves, squares float64
	for i, o := range list {
		if aboutMean {
			o.Truth = center
			o.Held = o.Low-1e-9 <= center && center <= o.High+1e-9
		}
		switch {
		case !o.Null:
		case math.IsNaN(o.P):
			rate.Untested++
		default:
			rate.Tests++
			rejected.add(repetition[i], o.P < level)
			if o.P < level {
				rate.Rejected++
			}
		}
		if math.IsNaN(o.Low) {
			c.Missing++
			continue
		}
		c.Intervals++
		held.add(repetition[i], o.Held)
		if o.Held {
			c.Held++
		}
		halves += (o.High - o.Low) / 2
		squares += (o.Value - o.Truth) * (o.Value - o.Truth)
	}
	c.Coverage, c.CoverageSE = held.mean()
	c.Width = halves / float64(c.Intervals) / (1.96 * math.Sqrt(squares/float64(c.Intervals)))
	rate.Share, rate.SE = rejected.mean()
	return c, rate
}

// writeStudies writes the tables of studies.
func writeStudies(ctx context.Context, w io.Writer, designs []studyDesign, draws int, seed uint64, threads int) error {
	for _, method := range []study.Method{study.Jackknife, study.Percentile} {
		var tallies []studyTally
		for _, d := range designs {
			t, err := tallyStudies(ctx, d, draws, threads, isAboutTasks, func(rep uint64) ([]observation, error) {
				return observeAll(ctx, d, method, seed, rep)
			})
			if err != nil {
				return err
			}
			tallies = append(tallies, t)
		}
		title := map[study.Method]string{study.Jackknife: "Default intervals",
			study.Percentile: "Percentiles of the stratified bootstrap, as rliable"}[method]
		writeStudyTable(w, fmt.Sprintf("%s, coverage in percent ± Monte-Carlo error (width), %d draws", title, draws), tallies)
	}
	var tallies []studyTally
	for _, d := range designs {
		if d.Skewed {
			continue
		}
		t, err := tallyStudies(ctx, d, draws, threads, isAboutTasks, func(rep uint64) ([]observation, error) {
			var out []observation
			for _, parts := range [][2]float64{{0, 0.5}, {0.2, 0.5}, {0.5, 0.5}, {0.5, 0.2}, {0.5, 0}} {
				o, err := drawSeeds(d, seed, rep, parts[0], parts[1])
				if err != nil {
					return nil, err
				}
				out = append(out, o)
			}
			return out, nil
		})
		if err != nil {
			return err
		}
		tallies = append(tallies, t)
	}
	writeStudyTable(w, fmt.Sprintf("Difference of two models over runs and episodes, by the standard deviations between runs and between episodes; "+
		"runs/episodes, %d draws", draws), tallies)
	return nil
}

// isAboutTasks names the quantities whose truth is the mean over all draws: those
// about tasks, which every draw draws again.
func isAboutTasks(quantity string) bool {
	return quantity == "IQM, other tasks" || quantity == "probability of improvement, other tasks" ||
		strings.HasPrefix(quantity, "average rank")
}

// observeAll is one draw of a study.
func observeAll(ctx context.Context, d studyDesign, method study.Method, seed, rep uint64) ([]observation, error) {
	s, err := drawStudy(d, seed, rep)
	if err != nil {
		return nil, err
	}
	out, err := observeStudy(ctx, s, d, study.Options{Method: method, Resamples: 500, Seed: rep, Threads: 1})
	if err != nil || method == study.Percentile {
		return out, err
	}
	tasks, err := observeTasks(ctx, s, d)
	if err != nil {
		return nil, err
	}
	places, err := decisions(ctx, s)
	return append(append(out, tasks...), places), err
}

// studyRow writes a row with a cell for each design.
func studyRow(w io.Writer, first string, tallies []studyTally, cell func(studyTally) string) {
	fmt.Fprintf(w, "| %s |", first)
	for _, t := range tallies {
		fmt.Fprintf(w, " %s |", cell(t))
	}
	fmt.Fprintln(w)
}

func writeStudyTable(w io.Writer, title string, tallies []studyTally) {
	columns := func(first string, cell func(studyTally) string) { studyRow(w, first, tallies, cell) }
	fmt.Fprintf(w, "%s:\n\n", title)
	heading := func() {
		columns("quantity", func(t studyTally) string { return t.Design.String() })
		columns("---", func(studyTally) string { return "---" })
	}
	heading()
	for _, quantity := range tallies[0].Order {
		columns(quantity, func(t studyTally) string { return t.Cells[quantity].text() })
	}
	var tests []string
	for _, quantity := range tallies[0].Order {
		for _, t := range tallies {
			if t.P[quantity].Tests > 0 && !slices.Contains(tests, quantity) {
				tests = append(tests, quantity)
			}
		}
	}
	fmt.Fprintln(w)
	if tests == nil {
		return
	}
	fmt.Fprintf(w, "p < 0.05 for equal models in percent ± Monte-Carlo error:\n\n")
	heading()
	for _, quantity := range tests {
		columns(quantity, func(t studyTally) string { return t.P[quantity].text(true) })
	}
	fmt.Fprintln(w)
}

// writeMissing writes the percentage of draws without an interval, of quantities that lack some.
func writeMissing(w io.Writer, tallies []studyTally) {
	missing := func(t studyTally, quantity string) float64 {
		c := t.Cells[quantity]
		return 100 * float64(c.Missing) / float64(c.Missing+c.Intervals)
	}
	line := func(first string, cell func(studyTally) string) { studyRow(w, first, tallies, cell) }
	fmt.Fprint(w, "Without an interval, in percent of the draws:\n\n")
	line("quantity", func(t studyTally) string { return t.Design.String() })
	line("---", func(studyTally) string { return "---" })
	for _, quantity := range tallies[0].Order {
		if slices.ContainsFunc(tallies, func(t studyTally) bool { return missing(t, quantity) > 0 }) {
			line(quantity, func(t studyTally) string { return fmt.Sprintf("%.1f", missing(t, quantity)) })
		}
	}
	fmt.Fprintln(w)
}
