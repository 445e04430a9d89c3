// Comparisons: which rows of two models are set against each other.

package reward

import (
	"fmt"
	"slices"

	"repscope/analysis/internal/results"
	"repscope/report"
	"repscope/stat"
)

// key names the rows that models are compared by.
type key struct{ metric, target, probe, fitted, evaluated string }

// name is the name of the comparison; family is the family of its tests: all tests of one metric and target.
func (k key) name() string {
	if k.fitted == "" {
		return fmt.Sprintf("%s of %s by %s", k.metric, k.target, k.probe)
	}
	return fmt.Sprintf("%s of %s by %s, %s on %s", k.metric, k.target, k.probe, k.fitted, k.evaluated)
}

// path is the path of the number in the part of a model.
func (k key) path() string {
	if k.fitted == "" {
		return fmt.Sprintf("gaps[name=%s/%s].%s", k.target, k.probe, k.metric)
	}
	return fmt.Sprintf("probes[name=%s/%s/%s/%s].%s", k.target, k.probe, k.fitted, k.evaluated, k.metric)
}

func (k key) family() string { return k.metric + " of " + k.target }

func (r *Row) key(metric string) key {
	return key{metric, r.Target, r.Probe, r.FittedOn, r.EvaluatedOn}
}

// comparisons collects estimates by row, in the order in which rows appear.
type comparisons struct{ entries []*entry }

type entry struct {
	key       key
	names     []string
	estimates []*stat.Jackknifed
	baselines []string // names that stand for no latents
}

// add files one model's estimate; nil is passed over.
func (c *comparisons) add(k key, name string, j *stat.Jackknifed) {
	if j == nil {
		return
	}
	i := slices.IndexFunc(c.entries, func(e *entry) bool { return e.key == k })
	if i < 0 {
		i = len(c.entries)
		c.entries = append(c.entries, &entry{key: k})
	}
	c.entries[i].names, c.entries[i].estimates = append(c.entries[i].names, name), append(c.entries[i].estimates, j)
}

// addBaseline adds a baseline's estimate to all rows of its target and metric.
func (c *comparisons) addBaseline(target, name string, s Score) {
	for _, e := range c.entries {
		j := s.Jackknife
		if e.key.probe == MLP {
			j = s.OverFolds
		}
		if j != nil && e.key.target == target && e.key.metric == s.Metric {
			e.names, e.estimates, e.baselines = append(e.names, name), append(e.estimates, j), append(e.baselines, name)
		}
	}
}

// compare compares all pairs, except pairs of baselines.
func (c *comparisons) compare(seed uint64) ([]report.Comparison, error) {
	var out []report.Comparison
	for _, e := range c.entries {
		rows, err := results.Pairwise(results.Metric{Name: e.key.name(), Family: e.key.family(), Path: e.key.path()}, e.names,
			e.estimates, seed)
		if err != nil {
			return nil, err
		}
		out = append(out, slices.DeleteFunc(rows, func(r report.Comparison) bool {
			return slices.Contains(e.baselines, r.A) && slices.Contains(e.baselines, r.B)
		})...)
	}
	return out, nil
}
