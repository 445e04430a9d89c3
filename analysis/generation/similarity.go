// The metric similarity: statistics of generated samples beside those of real ones, label by
// label, and beside two parts of the real ones.

package generation

import (
	"fmt"
	"math"

	"repscope/measure/twosample"
	"repscope/report"
	"repscope/stat"
)

// Similarity is how near the statistics of generated samples are to those of real ones of
// the same label. Distances are exact Wasserstein distances of order 1: how far the values of
// one sample have to move on average to become those of the other.
type Similarity struct {
	// Overall is the mean over labels of LabelSimilarity.Mean, Scaled that of Scaled.
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

// LabelSimilarity is that of the samples of one label; of all, where there are no labels.
type LabelSimilarity struct {
	Label, Generated, Real int
	// Mean distance of the published statistics, in their units; Scaled is that of all
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
	Name: "similarity", Aliases: []string{"statistical"}, Tier: High,
	Summary: "how near the statistics of generated samples are to those of real ones", Target: "distance < 0.1", Needs: []Need{needReference},
	compute:        computeSimilarity,
	object:         func(m *Model, names labels) *report.Object { return m.Similarity.object(names) },
	interpretation: func(m *Model) string { return m.Similarity.interpretation() },
	estimates: func(m *Model) []Estimate {
		if m.Similarity == nil {
			return nil
		}
		return []Estimate{m.Similarity.Overall, m.Similarity.Scaled}
	},
	tables: similarityTables,
	csv: &csvFile{name: "generation_similarity.csv",
		columns: []string{"Model", "Label", "Statistic", "Wasserstein", "Wasserstein_Low", "Wasserstein_High", "Scaled", "KS", "KS_P", "KS_P_Holm",
			"Baseline_Mean", "Baseline_Low", "Baseline_High", "Generated_Mean", "Generated_Std", "Real_Mean", "Real_Std", "Num_Generated", "Num_Real"},
		rows: similarityRows},
	describe: []described{
		{report.Lower, "", []string{"similarity.overall_mean_distance"}},
		{report.Lower, "SD", []string{"similarity.overall_mean_distance_scaled"}},
	},
}

func (s *Similarity) interpretation() string {
	reachable := "there is no baseline of real samples"
	if !math.IsNaN(s.Expected) {
		reachable = fmt.Sprintf("a perfect generator has about %.3g with as many samples, as two random parts of the real ones say", s.Expected)
	}
	return fmt.Sprintf("Lower is better, 0 for equal distributions, in the units of the statistics; %s; published target: mean distance < 0.1 (%s).",
		reachable, met(s.Overall.Value.Float() < 0.1))
}

// object is the part of the result file.
func (s *Similarity) object(names labels) *report.Object {
	var o, statistics report.Object
	s.Overall.set(&o, "overall_mean_distance")
	s.Scaled.set(&o, "overall_mean_distance_scaled")
	o.Set("baseline_mean_distance", report.NumberOr(s.Baseline, "no label has a baseline"))
	o.Set("expected_of_perfect", report.NumberOr(s.Expected, "no label has a baseline"))
	for _, of := range s.Statistics {
		var part report.Object
		part.Set("mean", report.Number(of.Mean))
		part.Set("std", report.Number(of.SD))
		part.Set("min", report.Number(of.Min))
		part.Set("max", report.Number(of.Max))
		of.Generated.set(&part, "generated")
		of.Real.set(&part, "real")
		part.Set("mean_scaled", report.NumberOr(of.Scaled, "the real values of no label vary"))
		part.Set("baseline_mean", report.NumberOr(of.Baseline, "no label has a baseline"))
		part.Set("inside_real_range", report.Number(of.Inside))
		statistics.Set(of.Name, part)
	}
	o.Set("per_statistic", statistics)
	s.jointObject(&o)
	if s.Labeled {
		o.Set("per_grade", byLabel(names, s.ByLabel, func(l *LabelSimilarity) int { return l.Label }, (*LabelSimilarity).object, s.Left))
	} else {
		o.Set("per_grade", report.Object{})
		o.Set("all", *s.ByLabel[0].object())
	}
	o.Set("num_grades", len(s.ByLabel))
	o.Set("definition", s.Definition)
	return &o
}

func (m Moments) set(o *report.Object, key string) {
	o.Set(key+"_mean", report.Number(m.Mean))
	o.Set(key+"_std", report.Number(m.SD))
}

func (l *LabelSimilarity) object() *report.Object {
	var o, distances, statistics report.Object
	for _, of := range l.Statistics {
		distances.Set(of.Name, of.Distance.Value)
		statistics.Set(of.Name, *of.object())
	}
	o.Set("wasserstein_distances", distances)
	l.Mean.set(&o, "mean_distance")
	l.Scaled.set(&o, "mean_distance_scaled")
	o.Set("baseline", *l.Baseline.object())
	o.Set("num_generated", l.Generated)
	o.Set("num_real", l.Real)
	o.Set("statistics", statistics)
	l.Joint.set(&o)
	return &o
}

func (d *StatisticDistance) object() *report.Object {
	var o, ks report.Object
	d.Generated.set(&o, "generated")
	d.Real.set(&o, "real")
	d.Distance.set(&o, "wasserstein")
	d.Scaled.set(&o, "wasserstein_scaled")
	ks.Set("statistic", report.Number(d.KS.Statistic))
	ks.Set("p", report.Number(d.KS.P))
	ks.Set("p_holm", report.Number(d.KSHolm))
	ks.Set("p_without_ties", report.Number(d.KS.PContinuous))
	ks.Set("ties", d.KS.Ties)
	ks.Set("exact", d.KS.Exact)
	o.Set("ks", ks)
	o.Set("baseline", *d.Baseline.object())
	o.Set("inside_real_range", report.Number(d.Boundaries.Inside))
	return &o
}

func (b *Baseline) object() *report.Object {
	var o report.Object
	o.Set("mean", report.NumberOr(b.Mean, b.Reason))
	o.Set("range", report.Between(b.Low, b.High))
	if b.Reason != "" {
		o.Set("range", report.NoInterval("%s", b.Reason))
		return &o
	}
	o.Set("sizes", b.Sizes[:])
	o.Set("reduced", b.Reduced)
	o.Set("expected_of_perfect", report.NumberOr(b.Expected, "it is undefined for all splits"))
	return &o
}

func similarityTables(r *Result) []*report.Table {
	header := []string{"Generator", "Mean distance", "In SD", "Real against real", "Perfect", "Energy p", "MMD p", "Labels"}
	t := report.NewTable("Similarity (Wasserstein distance)", header...)
	var each *report.Table
	for i := range r.Models {
		of := r.Models[i].Similarity
		if of == nil {
			continue
		}
		energy, mmd := of.smallest()
		t.Row(r.Models[i].Name, of.Overall.Estimate, of.Scaled.Value,
			report.NumberOr(of.Baseline, "no baseline"), report.NumberOr(of.Expected, "no baseline"), energy, mmd, len(of.ByLabel))
		if each == nil {
			columns := []string{"Generator"}
			for _, s := range of.Statistics {
				columns = append(columns, s.Name)
			}
			each = report.NewTable("Distance by statistic (mean over labels; in brackets real against real)", columns...)
		}
		cells := []any{r.Models[i].Name}
		for _, s := range of.Statistics {
			cell := fmt.Sprintf("%.4g", s.Mean)
			if !math.IsNaN(s.Baseline) {
				cell += fmt.Sprintf(" (%.4g)", s.Baseline)
			}
			cells = append(cells, cell)
		}
		each.Row(cells...)
	}
	t.Note("real against real: two random parts of the real samples; perfect: what that says of two samples of the sizes compared; p: the smallest over labels, after Holm's correction")
	return []*report.Table{t, each}
}

func similarityRows(m *Model, names labels, row func(cells ...any) error) error {
	if m.Similarity == nil {
		return nil
	}
	for _, l := range m.Similarity.ByLabel {
		name := "all"
		if m.Similarity.Labeled {
			name = names.name(l.Label)
		}
		for _, s := range l.Statistics {
			ends := ends(s.Distance.CI)
			base := [3]report.Value{}
			for k, v := range []float64{s.Baseline.Mean, s.Baseline.Low, s.Baseline.High} {
				base[k] = report.NumberOr(v, s.Baseline.Reason)
			}
			err := row(m.Name, name, s.Name, s.Distance.Value, ends[0], ends[1], s.Scaled.Value, s.KS.Statistic, s.KS.P, s.KSHolm,
				base[0], base[1], base[2], s.Generated.Mean, s.Generated.SD, s.Real.Mean, s.Real.SD, l.Generated, l.Real)
			if err != nil {
				return err
			}
		}
	}
	return nil
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
			of := l.Statistics[i]
			distances = append(distances, of.Distance.Value.Float())
			scaled = append(scaled, of.Scaled.Value.Float())
			baselines = append(baselines, of.Baseline.Mean)
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
