// One metric over several tasks: aggregates, probability of improvement, profiles and
// ranks, by package study.

package compare

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"repscope/measure/study"
	"repscope/report"
	"repscope/stat"
)

// TaskScale says what scores of a task mean: Worst becomes 0 and Best 1.
type TaskScale struct {
	Task, Metric string // an empty Metric is every metric
	Worst, Best  float64
}

// Study is one metric over several tasks.
type Study struct {
	Analysis  string           `json:"analysis,omitempty"`
	Metric    string           `json:"metric"`
	Direction report.Direction `json:"direction"`
	Unit      string           `json:"unit,omitempty"`
	Tasks     []string         `json:"tasks"`
	LeftOut   []string         `json:"left_out,omitempty"` // tasks that not all models have
	LeastRuns int              `json:"least_runs"`
	MostRuns  int              `json:"most_runs"`
	// Scaled says that scores are (score − worst)/(best − worst), by --scale.
	Scaled bool `json:"scaled"`
	// About is what the intervals generalize to: other runs of these tasks, on the samples that
	// these runs were evaluated on, or other tasks where every task has one run.
	About       string        `json:"intervals_about"`
	Models      report.Object `json:"models"` // of *Aggregate
	Improvement []Improvement `json:"improvement"`
	Friedman    *report.Value `json:"friedman_p,omitempty"`
	// FriedmanChiSquared has the correction for ties, FriedmanF is the form of Iman and Davenport, which has the p
	// value.
	FriedmanChiSquared *report.Value `json:"friedman_chi_squared,omitempty"`
	FriedmanF          *report.Value `json:"friedman_f,omitempty"`
	// CriticalDifference is Nemenyi's, of average ranks at the level 0.05, for comparing with published figures.
	CriticalDifference *report.Value           `json:"nemenyi_critical_difference,omitempty"`
	Pairs              []RankPair              `json:"rank_tests"`
	Groups             [][]string              `json:"groups"` // models whose ranks do not differ
	Notes              []string                `json:"notes,omitempty"`
	Profiles           Profiles                `json:"profiles"`
	names              []string                // of the models, in order
	of                 map[string]*Aggregate   // by name
	taskMeans          map[string]study.ByTask // of the models, as scored
	halves             map[string][]float64    // by task: half widths of intervals of the models; nil: unknown
	spans              []float64               // best − worst of the tasks, where scores are scaled
	tooFew             string                  // why no test of ranks could find anything, empty if it could
}

// Aggregate are the numbers of one model over all tasks.
//
// The intervals …SamplesCI are about other samples as well as about other runs. They hold for one model: models on
// the same samples share most of this error, which cancels in their difference. Nil where some run has no interval.
type Aggregate struct {
	IQM             report.Value     `json:"iqm"`
	IQMCI           report.Interval  `json:"iqm_ci"`
	Mean            report.Value     `json:"mean"`
	MeanCI          report.Interval  `json:"mean_ci"`
	Median          report.Value     `json:"median"`
	MedianCI        report.Interval  `json:"median_ci"`
	IQMSamplesCI    *report.Interval `json:"iqm_samples_ci,omitempty"`
	MeanSamplesCI   *report.Interval `json:"mean_samples_ci,omitempty"`
	MedianSamplesCI *report.Interval `json:"median_samples_ci,omitempty"`
	OptimalityGap   *report.Value    `json:"optimality_gap,omitempty"` // of scaled scores
	OptimalityGapCI *report.Interval `json:"optimality_gap_ci,omitempty"`
	AverageRank     report.Value     `json:"average_rank"`
	AverageRankCI   report.Interval  `json:"average_rank_ci"`
	Ratio           *report.Value    `json:"geometric_mean_ratio,omitempty"` // to the baseline
	RatioCI         *report.Interval `json:"geometric_mean_ratio_ci,omitempty"`
}

// Improvement is the probability that a run of A scores better than one of B in the same
// task.
type Improvement struct {
	A           string          `json:"a"`
	B           string          `json:"b"`
	Probability report.Value    `json:"probability"`
	CI          report.Interval `json:"probability_ci"`
}

// RankPair is the signed rank test of two models over the tasks.
type RankPair struct {
	A     string       `json:"a"`
	B     string       `json:"b"`
	P     report.Value `json:"p"`
	PHolm report.Value `json:"p_holm"`
}

// Profiles are the shares of runs that score better than thresholds.
type Profiles struct {
	Thresholds []float64     `json:"thresholds"`
	Models     report.Object `json:"models"` // of *Profile
	of         map[string]*Profile
}

// Profile is the profile of one model.
type Profile struct {
	Share []float64 `json:"share"`
	Low   []float64 `json:"low"`
	High  []float64 `json:"high"`
}

// studies aggregates every metric that several tasks have.
func (c *comparer) studies(ctx context.Context) error {
	if len(c.result.Tasks) < 2 {
		return nil
	}
	for i, row := range c.result.Table {
		same := func(other *Row) bool {
			return other.Analysis == row.Analysis && other.Metric == row.Metric && !other.summary
		}
		if slices.ContainsFunc(c.result.Table[:i], same) || row.sense() == 0 || row.summary {
			continue
		}
		rows := slices.DeleteFunc(slices.Clone(c.result.Table), func(other *Row) bool { return !same(other) })
		if len(rows) < 2 {
			continue
		}
		s, err := c.study(ctx, rows)
		if err != nil {
			return err
		}
		if s != nil {
			c.result.Studies = append(c.result.Studies, s)
		}
	}
	return nil
}

// scores are the runs of all models that have at least half of the tasks: one that was
// tried in a single task must not leave out all others.
func (c *comparer) scores(rows []*Row) []study.Score {
	var scores []study.Score
	for x, name := range c.result.Models {
		before, tasks := len(scores), 0
		for _, row := range rows {
			cell := row.Cells[x]
			if cell == nil || !cell.Value.Defined() {
				continue
			}
			tasks++
			for i, v := range cell.of.values {
				scores = append(scores, study.Score{Model: name, Task: taskName(row.Task),
					Run: strconv.Itoa(i), Value: v})
			}
		}
		if 2*tasks >= len(rows) {
			continue
		}
		if scores = scores[:before]; tasks > 0 {
			c.warn("%s has %s in %d of %d tasks only: it is excluded from aggregates over tasks; add the missing results", name, rows[0].Metric, tasks, len(rows))
		}
	}
	return scores
}

func taskName(task string) string {
	if task == "" {
		return "(no name)"
	}
	return task
}

// study aggregates one metric; nil where no two tasks have all models.
func (c *comparer) study(ctx context.Context, rows []*Row) (*Study, error) {
	first := rows[0]
	m, err := study.New(c.scores(rows), study.DropTasks)
	if err != nil {
		c.warn("%s is not aggregated over tasks: %s", first.Metric, stat.Reason(err))
		return nil, nil
	}
	if len(m.Tasks) < 2 || len(m.Models) < 2 {
		c.warn("%s is not aggregated over tasks: %d tasks have all %d models, want 2 tasks and 2 models", first.Metric, len(m.Tasks), len(m.Models))
		return nil, nil
	}
	s := &Study{Analysis: first.Analysis, Metric: first.Metric, Direction: first.Direction, Unit: first.Unit, Tasks: m.Tasks, LeftOut: m.LeftOut,
		names: m.Models, of: map[string]*Aggregate{}, taskMeans: map[string]study.ByTask{}}
	s.LeastRuns, s.MostRuns = m.Runs()
	scaled, spans, err := c.scaled(m, first.Metric)
	if err != nil {
		return nil, err
	}
	s.Scaled, s.spans = scaled != nil, spans
	better := m // higher is better
	switch {
	case s.Scaled:
		m, better = scaled, scaled
	case first.sense() < 0:
		better = m.Negate()
	}
	if !s.Scaled {
		s.Notes = append(s.Notes, "tasks have no common scale: aggregates are in the unit of the metric, and tasks with large values dominate; set --scale")
	}
	o := study.Options{Seed: c.o.Seed, Threads: c.o.Threads, Method: c.o.Method, Resamples: c.o.Resamples}
	s.About = "other runs of these tasks on these samples"
	if o.Method == study.Jackknife && s.MostRuns > 1 {
		s.sampled(rows, m, c.result.Models)
	}
	if !s.Scaled {
		o.Scale = first.scale
	}
	if s.MostRuns < 2 {
		o.Tasks = true
		s.About = "other tasks of the same kind"
	} else if o.Method == study.Jackknife {
		s.About += "; average ranks: about other tasks"
	}
	if err := s.aggregates(ctx, m, better, o, c.result.Baseline); err != nil {
		return nil, err
	}
	return s, s.ranks(better)
}

// scaled brings scores to the scale of the tasks, best − worst long; nil without one.
func (c *comparer) scaled(m *study.Matrix, metric string) (scaled *study.Matrix, spans []float64, err error) {
	if len(c.o.Scale) == 0 {
		return nil, nil, nil
	}
	var worst, best []float64
	for _, task := range m.Tasks {
		chosen, level := -1, noLevel+1
		for i, s := range c.o.Scale {
			rank := noLevel // a row of all metrics
			if s.Metric != "" {
				if rank = levelOf(s.Metric, metric); rank == noLevel {
					continue
				}
			}
			if s.Task == task && rank < level {
				chosen, level = i, rank
			}
		}
		if chosen < 0 {
			return nil, nil, fmt.Errorf("--scale has no row for task %q and metric %s", task, metric)
		}
		worst, best = append(worst, c.o.Scale[chosen].Worst), append(best, c.o.Scale[chosen].Best)
		spans = append(spans, c.o.Scale[chosen].Best-c.o.Scale[chosen].Worst)
	}
	scaled, err = m.Normalize(worst, best)
	return scaled, spans, err
}

// aggregates fills in what study computes: m in its own unit, better with higher being
// better.
func (s *Study) aggregates(ctx context.Context, m, better *study.Matrix, o study.Options, baseline string) error {
	ranks, err := better.AverageRanks(ctx, o)
	if err != nil {
		return err
	}
	for i, name := range m.Models {
		a := &Aggregate{}
		a.AverageRank, a.AverageRankCI = estimated(ranks[i])
		for _, want := range []struct {
			of      study.Statistic
			value   *report.Value
			ci      *report.Interval
			samples **report.Interval
		}{
			{study.IQM, &a.IQM, &a.IQMCI, &a.IQMSamplesCI}, {study.Mean, &a.Mean, &a.MeanCI, &a.MeanSamplesCI},
			{study.Median, &a.Median, &a.MedianCI, &a.MedianSamplesCI},
		} {
			e, err := m.Estimate(ctx, name, want.of, o)
			if err != nil {
				return err
			}
			*want.value, *want.ci = estimated(e)
			*want.samples = s.widened(e, m.Scores(name), name, want.of, o.Scale)
		}
		if s.Scaled {
			e, err := m.OptimalityGap(ctx, name, 1, o)
			if err != nil {
				return err
			}
			gap, ci := estimated(e)
			a.OptimalityGap, a.OptimalityGapCI = &gap, &ci
		}
		if baseline != "" && name != baseline && !s.Scaled && slices.Contains(m.Models, baseline) {
			e, err := m.GeometricMeanRatio(ctx, name, baseline, o)
			if err != nil {
				return err
			}
			ratio, ci := estimated(e)
			a.Ratio, a.RatioCI = &ratio, &ci
		}
		s.of[name] = a
		s.Models.Set(name, a)
		s.taskMeans[name] = m.Scores(name)
	}
	every := len(better.Models) <= mostStudied
	for i, a := range better.Models {
		for _, b := range better.Models[i+1:] {
			if !every && a != baseline && b != baseline {
				continue
			}
			e, err := better.Improvement(ctx, a, b, o)
			if err != nil {
				return err
			}
			one := Improvement{A: a, B: b}
			one.Probability, one.CI = estimated(e)
			s.Improvement = append(s.Improvement, one)
		}
	}
	return s.profiles(ctx, better, o)
}

// sampled fills in the errors that the samples give to a task's mean over runs, which share them: half the widths of
// the runs' intervals, in the unit of the matrix; none unless every run has one.
func (s *Study) sampled(rows []*Row, m *study.Matrix, models []string) {
	halves := map[string][]float64{}
	for x, name := range models {
		if !slices.Contains(m.Models, name) {
			continue
		}
		for t, task := range m.Tasks {
			k := slices.IndexFunc(rows, func(row *Row) bool { return taskName(row.Task) == task })
			half := rows[k].Cells[x].of.half
			if s.Scaled {
				half /= math.Abs(s.spans[t])
			}
			if math.IsNaN(half) || math.IsInf(half, 0) {
				return
			}
			halves[name] = append(halves[name], half)
		}
	}
	s.halves = halves
}

// widened adds the error of the samples to an interval over runs, in squares: the changes of the statistic where all
// runs of a task, in turn, go to the ends of their intervals. Nil where one of them is not known.
func (s *Study) widened(e study.Estimate, scores study.ByTask, name string, f study.Statistic,
	scale stat.Scale) *report.Interval {
	if s.halves == nil || !e.Interval.Defined() {
		return nil
	}
	squares := 0.0
	for t, half := range s.halves[name] {
		values := [2]float64{}
		for k, shift := range []float64{half, -half} {
			shifted := slices.Clone(scores)
			shifted[t] = slices.Clone(scores[t])
			for i := range shifted[t] {
				shifted[t][i] += shift
			}
			values[k] = f(shifted)
		}
		squares += (values[0] - values[1]) * (values[0] - values[1]) / 4
	}
	low := e.Value - math.Hypot(e.Value-e.Interval.Low, math.Sqrt(squares))
	high := e.Value + math.Hypot(e.Interval.High-e.Value, math.Sqrt(squares))
	if scale.Bounded() {
		low, high = scale.Within(low), scale.Within(high)
	}
	return new(report.Between(low, high))
}

// estimated is an estimate as the result file holds it.
func estimated(e study.Estimate) (report.Value, report.Interval) {
	reason := e.Reason
	if reason == "" {
		reason = "not defined"
	}
	return report.NumberOr(e.Value, reason), intervalOf(e.Interval)
}

// mostStudied is the largest number of models whose pairs are all compared over tasks.
const mostStudied = 500

// profilePoints is the number of thresholds of a performance profile.
const profilePoints = 51

// profiles fills in the shares of runs that score better than thresholds between the
// worst and the best run. Thresholds are in the metric's unit.
func (s *Study) profiles(ctx context.Context, better *study.Matrix, o study.Options) error {
	low, high := math.Inf(1), math.Inf(-1)
	for _, name := range better.Models {
		for _, runs := range better.Scores(name) {
			for _, v := range runs {
				low, high = min(low, v), max(high, v)
			}
		}
	}
	sense := 1.0
	if s.Direction == report.Lower && !s.Scaled {
		sense = -1
	}
	thresholds := make([]float64, profilePoints)
	for i := range thresholds {
		thresholds[i] = low + (high-low)*float64(i)/(profilePoints-1)
		s.Profiles.Thresholds = append(s.Profiles.Thresholds, sense*thresholds[i])
	}
	s.Profiles.of = map[string]*Profile{}
	for _, name := range better.Models {
		estimates, err := better.RunProfile(ctx, name, thresholds, o)
		if err != nil {
			return err
		}
		p := &Profile{}
		for _, e := range estimates {
			p.Share = append(p.Share, e.Value)
			lower, upper := math.NaN(), math.NaN()
			if e.Interval.Defined() {
				lower, upper = e.Interval.Low, e.Interval.High
			}
			p.Low, p.High = append(p.Low, lower), append(p.High, upper)
		}
		s.Profiles.of[name] = p
		s.Profiles.Models.Set(name, p)
	}
	return nil
}

// ranks tests all pairs of models by the ranks of their differences over the tasks.
func (s *Study) ranks(better *study.Matrix) error {
	n := len(better.Models)
	means := make([][]float64, n)
	for i, name := range better.Models {
		means[i] = better.Scores(name).Means()
	}
	byTask := make([][]float64, len(better.Tasks))
	for t := range byTask {
		for i := range means {
			byTask[t] = append(byTask[t], means[i][t])
		}
	}
	s.omnibus(byTask)
	if n > mostStudied {
		s.Notes = append(s.Notes, fmt.Sprintf("%d models are too many to compare all pairs over tasks (at most %d): "+
			"only pairs with the baseline have probabilities of improvement, and ranks are not tested", n, mostStudied))
		return nil
	}
	var p []float64
	for i := range n {
		for j := i + 1; j < n; j++ {
			d := make([]float64, len(byTask))
			for t := range d {
				d[t] = means[i][t] - means[j][t]
			}
			tested, err := stat.WilcoxonSignedRank(d, stat.ZerosPratt)
			if err != nil {
				return err
			}
			p = append(p, tested.P)
			s.Pairs = append(s.Pairs, RankPair{A: better.Models[i], B: better.Models[j], P: report.Number(tested.P)})
		}
	}
	corrected := newPairs(n)
	for i, v := range stat.Holm(p) {
		s.Pairs[i].PHolm = report.Number(v)
		corrected.tests[i].holm = v
	}
	positions := make([]float64, n)
	for i, name := range better.Models {
		positions[i] = s.of[name].AverageRank.Float()
	}
	groups, err := study.Groups(positions, func(i, j int) bool {
		t, _ := corrected.between(i, j)
		return t.holm < alpha
	})
	if err != nil {
		s.Notes = append(s.Notes, stat.Reason(err))
		return nil
	}
	for _, g := range groups {
		var names []string
		for _, i := range g.Members {
			names = append(names, better.Models[i])
		}
		s.Groups = append(s.Groups, names)
		if note := g.Note(better.Models); note != "" {
			s.Notes = append(s.Notes, note)
		}
	}
	if least := math.Pow(0.5, float64(len(better.Tasks)-1)) * float64(len(s.Pairs)); least >= alpha {
		s.tooFew = fmt.Sprintf("%d tasks are too few for a test of ranks over %d pairs of models to find anything", len(better.Tasks), len(s.Pairs))
		s.Notes = append(s.Notes, s.tooFew)
	}
	return nil
}

// omnibus tests whether any models differ, from scores by task and model.
func (s *Study) omnibus(byTask [][]float64) {
	f, err := stat.Friedman(byTask)
	if err != nil {
		s.Friedman = new(report.Undefined("%s", stat.Reason(err)))
		return
	}
	s.Friedman = new(report.NumberOr(f.P, "not defined"))
	s.FriedmanChiSquared = new(report.NumberOr(f.ChiSquared, "not defined"))
	s.FriedmanF = new(report.NumberOr(f.F, "all tasks rank the models alike"))
	critical, err := stat.NemenyiDifference(f.Models, f.Tasks, alpha)
	if err != nil {
		return
	}
	s.CriticalDifference = new(report.Number(critical))
	words := "F of Iman and Davenport is undefined, as all tasks rank the models alike"
	if s.FriedmanF.Defined() {
		words = fmt.Sprintf("F(%.0f, %.0f) = %.3g", f.DF1, f.DF2, f.F)
	}
	s.Notes = append(s.Notes, fmt.Sprintf("ranks: Friedman's χ² = %.3g, %s, p = %.2g; Nemenyi's critical difference "+
		"is %.3g (for published figures; "+
		"here signed rank tests decide)", f.ChiSquared, words, f.P, critical))
}
