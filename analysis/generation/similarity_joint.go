// All statistics at once: energy distance and maximum mean discrepancy with permutation
// tests, and correlations of pairs of statistics.

package generation

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"repscope/measure/twosample"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

// The sizes of the tests and baselines of all statistics at once: permutations that a p value
// below 0.05 after Holm's correction over 19 labels needs, units that keep each of them fast,
// and samples of either side, whose pairs take time by their square: of more, some are drawn.
const (
	jointSamples      = 4000
	jointPermutations = 999
	jointUnits        = 400
	jointSplits       = 50
)

// JointDistance is the distance of all statistics of one label at once, every statistic in
// standard deviations of the real samples (as it is, where these do not vary).
type JointDistance struct {
	Energy, MMD Tested
	// Bandwidth of the Gaussian kernel of MMD: the median distance of the pooled samples.
	Bandwidth float64
	// Trends is the mean of 1 − |difference of correlations|/2 over pairs of statistics, 1
	// for the same correlations; NaN for less than two statistics that vary.
	Trends         float64
	Pairs          []PairTrend
	TrendsBaseline Baseline
	// Samples are how many generated and real samples the distances are of.
	Samples [2]int
}

// Tested is a distance with a permutation p value.
type Tested struct {
	Value, P, Holm float64
	Reason         string // why there is no value, or no p
}

// PairTrend is the correlation of two statistics.
type PairTrend struct {
	First, Second               string
	Generated, Real, Similarity float64
}

// joint compares all statistics of a label.
func (c *comparer) joint(l *LabelSimilarity, generated, real []int) error {
	var err error
	if generated, err = c.some(generated, 0); err != nil {
		return err
	}
	if real, err = c.some(real, 1); err != nil {
		return err
	}
	l.Joint.Samples = [2]int{len(generated), len(real)}
	x, y := c.scaled(l, generated, false), c.scaled(l, real, true)
	o := c.permutations(generated, real)
	energy, err := twosample.Energy(c.ctx, x, y, o)
	if err == nil {
		energy = energy.Root()
	}
	if l.Joint.Energy, err = tested(energy, err); err != nil {
		return err
	}
	mmd, err := twosample.MMD(c.ctx, x, y, twosample.MMDOptions{Options: o})
	var distance *twosample.Distance
	if err == nil {
		distance, l.Joint.Bandwidth = &mmd.Distance, mmd.Bandwidth
	}
	if l.Joint.MMD, err = tested(distance, err); err != nil {
		return err
	}
	if c.doubt != "" {
		for _, t := range []*Tested{&l.Joint.Energy, &l.Joint.MMD} {
			t.P, t.Holm, t.Reason = math.NaN(), math.NaN(), cmp.Or(t.Reason, c.doubt)
		}
	}
	return c.trends(l, x, y, o.GroupsY)
}

// permutations are the options of permutations of some generated and some real samples.
func (c *comparer) permutations(generated, real []int) twosample.Options {
	return twosample.Options{Permutations: jointPermutations, Units: jointUnits, Seed: c.a.o.Seed, Threads: c.a.o.Threads,
		GroupsX: chosen(c.x.Groups, generated), GroupsY: chosen(c.y.Groups, real)}
}

// some are at most jointSamples of the samples, drawn by the seed, in their order.
func (c *comparer) some(index []int, side uint64) ([]int, error) {
	if len(index) <= jointSamples {
		return index, nil
	}
	drawn, err := stat.NewRandom(stat.StreamJoint.Key(c.a.o.Seed, side)).SampleWithoutReplacement(len(index), jointSamples)
	if err != nil {
		return nil, err
	}
	slices.Sort(drawn)
	return chosen(index, drawn), nil
}

// tested is a distance as it is reported; err, why there is none, is returned unless it says
// that the distance is undefined.
func tested(d *twosample.Distance, err error) (Tested, error) {
	var undefined *stat.UndefinedError
	switch {
	case errors.As(err, &undefined):
		return Tested{Value: math.NaN(), P: math.NaN(), Holm: math.NaN(), Reason: stat.Reason(err)}, nil
	case err != nil:
		return Tested{}, err
	}
	return Tested{Value: d.Value, P: d.P, Holm: d.P, Reason: d.Reason}, nil
}

// scaled are the statistics of some samples as points.
func (c *comparer) scaled(l *LabelSimilarity, index []int, real bool) points.Points {
	data := make([]float64, 0, len(index)*len(c.columns))
	for _, i := range index {
		for k, column := range c.columns {
			values, sd := column.generated, l.Statistics[k].Real.SD
			if real {
				values = column.real
			}
			if sd == 0 {
				sd = 1
			}
			data = append(data, values[i]/sd)
		}
	}
	return points.Float64(data, len(c.columns))
}

// trends compares the correlations of pairs of statistics.
func (c *comparer) trends(l *LabelSimilarity, x, y points.Points, groups []int) error {
	j := &l.Joint
	pairs, err := twosample.ColumnPairTrends(x, y)
	if err != nil {
		return err
	}
	for _, t := range pairs {
		j.Pairs = append(j.Pairs, PairTrend{c.columns[t.First].name, c.columns[t.Second].name, t.X, t.Y, t.Similarity})
	}
	j.Trends = meanTrend(pairs)
	o := twosample.SplitOptions{First: l.Generated, Splits: jointSplits, Groups: groups, Seed: c.a.o.Seed, Threads: c.a.o.Threads}
	splits, err := twosample.SplitHalvesVector(c.ctx, y.N, 1, o, func(first, second []int, dst []float64) {
		pairs, err := twosample.ColumnPairTrends(y.Select(first), y.Select(second))
		dst[0] = math.NaN()
		if err == nil {
			dst[0] = meanTrend(pairs)
		}
	})
	if c.ctx.Err() != nil {
		return err
	}
	b := baselineOf(splits, 0, l, err)
	b.Expected = 1 - (1-b.Mean)*b.Expected/b.Mean // the difference is what falls with more samples
	j.TrendsBaseline = b
	return nil
}

func meanTrend(trends []twosample.Trend) float64 {
	values := make([]float64, len(trends))
	for k, t := range trends {
		values[k] = t.Similarity
	}
	return meanOf(values)
}

// correctJoint corrects the p values over labels, for each distance.
func (s *Similarity) correctJoint() {
	for _, test := range []func(*LabelSimilarity) *Tested{
		func(l *LabelSimilarity) *Tested { return &l.Joint.Energy },
		func(l *LabelSimilarity) *Tested { return &l.Joint.MMD },
	} {
		p := make([]float64, len(s.ByLabel))
		for k := range s.ByLabel {
			p[k] = test(&s.ByLabel[k]).P
		}
		for k, v := range stat.Holm(p) {
			test(&s.ByLabel[k]).Holm = v
		}
	}
}

// JointMeans are the means over labels of the energy distance, the maximum mean discrepancy and the similarity of
// correlations, each over the labels that have one, and of the similarity of correlations in two parts of the real
// samples; NaN where no label has one.
func (s *Similarity) JointMeans() (energy, mmd, trends, baseline float64) {
	var values [4][]float64
	for _, l := range s.ByLabel {
		j := &l.Joint
		for k, v := range []float64{j.Energy.Value, j.MMD.Value, j.Trends, j.TrendsBaseline.Mean} {
			values[k] = append(values[k], v)
		}
	}
	return meanOf(values[0]), meanOf(values[1]), meanOf(values[2]), meanOf(values[3])
}

// SmallestP are the smallest p values over labels, after correction: of any difference in
// any label.
func (s *Similarity) SmallestP() (energy, mmd report.Probability) {
	e, m := math.NaN(), math.NaN()
	for _, l := range s.ByLabel {
		for _, smallest := range []struct {
			to *float64
			p  float64
		}{{&e, l.Joint.Energy.Holm}, {&m, l.Joint.MMD.Holm}} {
			if math.IsNaN(*smallest.to) || smallest.p < *smallest.to {
				*smallest.to = smallest.p
			}
		}
	}
	return report.Probability(report.NumberOr(e, "not tested")), report.Probability(report.NumberOr(m, "not tested"))
}
