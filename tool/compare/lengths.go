// Groups of unequal size: a mean over samples counts a long episode more than a short one.

package compare

import (
	"fmt"
	"maps"
	"math"

	"repscope/internal/text"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

// What has equal weight in means of scores per sample.
const (
	WeightSamples = "samples" // default: each sample
	WeightGroups  = "groups"  // each group, such as an episode: the mean of the means of groups
)

// weigh replaces the scores per sample of all files by the means of their groups, if each group is to have equal
// weight, and else warns of means that go with the sizes of groups.
func (c *comparer) weigh() error {
	kept := 0
	for _, g := range c.groups {
		for _, f := range g.files {
			if f.samples == nil {
				continue
			}
			if c.o.Weights != WeightGroups {
				if err := c.warnOfSizes(f); err != nil {
					return err
				}
				continue
			}
			unweighted, err := f.weighGroups()
			if err != nil {
				return err
			}
			kept += unweighted
		}
	}
	if kept > 0 {
		c.warn("%s without scores per sample: their means keep the weights of their files (--weights groups)",
			text.Count(kept, "number"))
	}
	return nil
}

// warnOfSizes warns of scores per sample that come without a result, whose analysis has said so otherwise.
func (c *comparer) warnOfSizes(f *File) error {
	if f.result != nil {
		return nil
	}
	table, err := f.samples()
	if err != nil || table == nil {
		return err
	}
	for i := range table.Models {
		m := &table.Models[i]
		numbers, count := points.Numbered(m.Group)
		if count == len(m.Group) {
			continue // every sample is a group
		}
		for k, metric := range table.Metrics {
			if l, err := stat.LengthsOf(m.Scores[k], numbers); err == nil && l.Go() {
				c.warn("%s (--weights groups)", l.Warning(m.Model+": "+metric, "sample", "group"))
			}
		}
	}
	return nil
}

// weighGroups makes the mean of each group a sample; unweighted is the number of those without scores per sample.
func (f *File) weighGroups() (unweighted int, err error) {
	table, err := f.samples()
	if err != nil {
		return 0, err
	}
	if table == nil {
		for _, m := range f.Models {
			unweighted += len(m.Numbers)
		}
		return unweighted, nil
	}
	grouped := *table
	grouped.Models = make([]report.ModelSamples, len(table.Models))
	for i := range table.Models {
		grouped.Models[i] = meansOfGroups(&table.Models[i])
	}
	changed := map[string]bool{}
	for _, m := range f.Models {
		for i, n := range m.Numbers {
			_, reason, err := columnOf(m, n.Path)
			if err != nil {
				return 0, err
			}
			if reason != "" {
				unweighted++
				continue
			}
			means := grouped.Model(m.Given)
			mean := meanOf(lastStep(n.Path), means.Scores[m.columnIn(table.Metrics, n.Path)], means.Group)
			mean.Path = n.Path
			m.Numbers[i], changed[n.Path] = mean, true
		}
	}
	f.single, f.samples = f.samples, func() (*report.SampleTable, error) { return &grouped, nil }
	if compared := f.compared; compared != nil {
		f.compared = func() map[[3]string]report.Comparison {
			all := maps.Clone(compared())
			maps.DeleteFunc(all, func(key [3]string, _ report.Comparison) bool { return changed[key[0]] })
			return all
		}
	}
	return unweighted, nil
}

// meansOfGroups has a sample for every group, whose scores are the means of those that are defined.
func meansOfGroups(m *report.ModelSamples) report.ModelSamples {
	numbers, count := points.Numbered(m.Group)
	out := report.ModelSamples{
		Model: m.Model, Sample: make([]string, count), Group: make([]string, count), Scores: make([][]float64, len(m.Scores)),
	}
	for i, g := range numbers {
		out.Sample[g], out.Group[g] = m.Group[i], m.Group[i]
	}
	for k, scores := range m.Scores {
		sums, counts := make([]float64, count), make([]float64, count)
		for i, v := range scores {
			if !math.IsNaN(v) {
				sums[numbers[i]] += v
				counts[numbers[i]]++
			}
		}
		for g := range sums {
			sums[g] /= counts[g] // NaN where no score is defined
		}
		out.Scores[k] = sums
	}
	return out
}

// checkWeights reports a wrong value of Options.Weights.
func checkWeights(weights string) error {
	switch weights {
	case "", WeightSamples, WeightGroups:
		return nil
	}
	return fmt.Errorf("weights %q, want %s or %s", weights, WeightSamples, WeightGroups)
}
