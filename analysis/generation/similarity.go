// The metric similarity: statistics of generated samples next to the statistics of real ones, label by
// label, and next to two parts of the real ones.

package generation

import (
	"math"

	"repscope/measure/twosample"
	"repscope/stat"
)

// Similarity is how near the statistics of generated samples are to statistics of real ones of
// the same label. Distances are exact Wasserstein distances of order 1: how far the values of
// one sample have to move on average to become the other.
type Similarity struct {
	// Overall is the mean over labels of LabelSimilarity.Mean, Scaled the mean of Scaled.
	Overall, Scaled Estimate
	// Baseline is the mean over labels of what two parts of the real samples are apart.
	Baseline float64
	// Expected is the mean over labels of what a perfect generator would have, with as many
	// samples; see Baseline.Expected.
	Expected float64
	Labeled  bool
	ByLabel  []LabelSimilarity
	Left     []SkippedLabel
	// Statistics over labels.
	Statistics []StatisticSummary
	Definition string
}

// LabelSimilarity is the similarity of the samples of one label; of all, where there are no labels.
type LabelSimilarity struct {
	Label, Generated, Real int
	// Mean distance of the published statistics, in their units; Scaled is the mean of all
	// statistics that vary in the real samples, in standard deviations of these.
	Mean, Scaled Estimate
	// Baseline is the mean distance of two parts of the real samples.
	Baseline   Baseline
	Statistics []StatisticDistance
	Joint      JointDistance
}

// StatisticDistance is the distance of one statistic.
type StatisticDistance struct {
	Name             string
	Published        bool
	Distance, Scaled Estimate
	KS               twosample.KS
	KSHolm           float64 // p after Holm's correction over statistics and labels
	Baseline         Baseline
	Boundaries       twosample.Boundaries // of generated values, to the range of real ones
	Generated, Real  Moments
}

// Moments are the mean and the standard deviation of values, with their number in the
// denominator.
type Moments struct{ Mean, SD float64 }

// Baseline is the distance of two random parts of the real samples.
type Baseline struct {
	Mean, Low, High float64 // the central 95 % of the splits
	Sizes           [2]int
	Reduced         bool // the parts are smaller than the samples that are compared
	// Expected is Mean·√((1/n + 1/m)/(1/a + 1/b)): what the distance of parts of a and b says of
	// samples of n and m of one distribution, whose distance falls as such roots do.
	Expected float64
	Reason   string // why there is none
}

// StatisticSummary is a statistic over labels.
type StatisticSummary struct {
	Name               string
	Mean, SD, Min, Max float64 // of the distance
	Scaled             float64 // mean of the distance in standard deviations
	Baseline           float64 // mean of the baselines
	Inside             float64 // share of all generated values in the range of real ones
	Generated, Real    Moments // of all samples of the labels

	generated, original []float64 `shard:"-"` // until they are described
}

// similarityMetric is its row of the registry.
var similarityMetric = Metric{
	Name: "similarity", Aliases: []string{"statistical"}, Needs: []Need{needReference},
	Reads: []string{inGenerated, inReal}, compute: computeSimilarity,
	Estimates: func(m *Model) []Estimate {
		if m.Similarity == nil {
			return nil
		}
		return []Estimate{m.Similarity.Overall, m.Similarity.Scaled}
	},
}

// summarize fills in the statistics over labels, and corrects p values over them.
func (s *Similarity) summarize() {
	var p []float64
	for k := range s.ByLabel {
		for _, of := range s.ByLabel[k].Statistics {
			p = append(p, of.KS.P)
		}
	}
	p = stat.Holm(p)
	for k := range s.ByLabel {
		for i := range s.ByLabel[k].Statistics {
			s.ByLabel[k].Statistics[i].KSHolm, p = p[0], p[1:]
		}
	}
	s.correctJoint()
	for i := range s.ByLabel[0].Statistics {
		var distances, scaled, baselines []float64
		for _, l := range s.ByLabel {
			statistic := l.Statistics[i]
			distances = append(distances, statistic.Distance.Value.Float())
			scaled = append(scaled, statistic.Scaled.Value.Float())
			baselines = append(baselines, statistic.Baseline.Mean)
		}
		to := &s.Statistics[i]
		to.Mean, to.SD = stat.Mean(distances), deviation(distances)
		to.Min, to.Max = math.Inf(1), math.Inf(-1)
		for _, d := range distances {
			to.Min, to.Max = min(to.Min, d), max(to.Max, d)
		}
		to.Scaled, to.Baseline = meanOf(scaled), meanOf(baselines)
	}
	var baselines, expected []float64
	for _, l := range s.ByLabel {
		baselines, expected = append(baselines, l.Baseline.Mean), append(expected, l.Baseline.Expected)
	}
	s.Baseline, s.Expected = meanOf(baselines), meanOf(expected)
}

// meanOf is the mean of the values that are not NaN; NaN for none.
func meanOf(values []float64) float64 {
	var kept []float64
	for _, v := range values {
		if !math.IsNaN(v) {
			kept = append(kept, v)
		}
	}
	return stat.Mean(kept)
}
