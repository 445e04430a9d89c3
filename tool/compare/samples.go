// Scores per sample: which belong to a number, and which two models have in common.

package compare

import (
	"fmt"
	"math"
	"slices"

	"repscope/internal/text"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

// column are the scores of one run of a model.
type column struct {
	of     *FileModel
	table  *report.ModelSamples
	scores []float64
	what   string // a sample is
}

// columnOf finds the scores whose mean is the number at a path; the reason says why there
// are none.
func columnOf(m *FileModel, path string) (c column, reason string, err error) {
	if m.file.samples == nil {
		return c, noSamples, nil
	}
	table, err := m.file.samples()
	if err != nil {
		return c, "", err
	}
	if table == nil {
		return c, noSamples, nil
	}
	scored, k := table.Model(m.Given), m.columnIn(table.Metrics, path)
	if scored == nil || k < 0 {
		return c, noSamples, nil
	}
	c = column{of: m, table: scored, scores: scored.Scores[k], what: "sample"}
	if r := m.file.result; r != nil && r.Samples != nil && r.Samples.Sample != "" {
		c.what = m.file.result.Samples.Sample
	}
	want, _ := m.number(path)
	mean, count := 0.0, 0
	for _, v := range c.scores {
		if !math.IsNaN(v) {
			mean += v
			count++
		}
	}
	mean /= float64(count)
	if count == 0 || math.IsInf(mean, 0) {
		return c, fmt.Sprintf("the scores of %s have no finite mean", m.Name), nil
	}
	if d := math.Abs(mean - want.Value.V); d > 1e-6*math.Max(math.Abs(mean), math.Abs(want.Value.V)) && d > 1e-12 {
		return c, fmt.Sprintf("the scores per %s of %s have the mean %.6g, not %.6g: they are not paired", c.what, m.Name, mean, want.Value.V), nil
	}
	return c, "", nil
}

// columnIn is the place of the column of a number, by whatever path leads to it; -1 if there
// is none.
func (m *FileModel) columnIn(columns []string, path string) int {
	place := path
	if own, ok := m.own[path]; ok {
		place = own
	}
	if k := slices.Index(columns, place); k >= 0 {
		return k
	}
	return slices.IndexFunc(columns, func(column string) bool {
		at, ok := m.part.Place(column)
		return ok && at == place
	})
}

// shared are the samples that all columns have.
type shared struct {
	groups []string
	scores [][]float64 // by column
	note   string
}

// inCommon keeps the samples that are defined in all columns, in the order of the first;
// the reason says why there are too few.
func inCommon(columns []column) (s shared, reason string) {
	s.scores = make([][]float64, len(columns))
	first := columns[0]
	index := make([]map[string]int, len(columns))
	for k, c := range columns[1:] {
		if slices.Equal(c.table.Sample, first.table.Sample) {
			continue // by position
		}
		index[k+1] = make(map[string]int, len(c.table.Sample))
		for i, sample := range c.table.Sample {
			index[k+1][sample] = i
		}
	}
	row := make([]int, len(columns))
	for i, sample := range first.table.Sample {
		whole := true
		for k := range columns {
			row[k] = i
			if index[k] != nil {
				j, ok := index[k][sample]
				if !ok {
					whole = false
					break
				}
				row[k] = j
			}
			if v := columns[k].scores[row[k]]; math.IsNaN(v) || math.IsInf(v, 0) {
				whole = false
				break
			}
			if group := columns[k].table.Group[row[k]]; group != first.table.Group[i] {
				return s, fmt.Sprintf("%s %s is of group %s for %s and of group %s for %s: not paired", first.what, sample,
					first.table.Group[i], first.of.Name, group, columns[k].of.Name)
			}
		}
		if !whole {
			continue
		}
		s.groups = append(s.groups, first.table.Group[i])
		for k := range columns {
			s.scores[k] = append(s.scores[k], columns[k].scores[row[k]])
		}
	}
	largest := 0
	for _, c := range columns {
		largest = max(largest, len(c.scores))
	}
	if len(s.groups) == 0 {
		return s, fmt.Sprintf("no %s has scores of all: not paired", first.what)
	}
	if len(s.groups) < largest {
		s.note = fmt.Sprintf("the difference is that over %s of %d that all have", text.Count(len(s.groups), first.what),
			largest)
	}
	return s, ""
}

// blockSpec is the grouping that both models' files asked for, else the default.
func (c *comparer) blockSpec(a, b *estimate) stat.BlockSpec {
	spec := stat.BlockSpec{}
	for i, e := range []*estimate{a, b} {
		option, _ := e.runs[0].file.Options.Get("block")
		name, _ := option.(string)
		parsed, err := stat.ParseBlockSpec(name)
		if err != nil || i == 1 && parsed != spec {
			return stat.BlockSpec{}
		}
		spec = parsed
	}
	return spec
}

// blocksOf cuts samples into the blocks of their groups; alone reports whether each sample has a group of its own. Such
// samples are rows of a file that may be related ([stat.Blocks.InOrder]).
func blocksOf(groups []string, spec stat.BlockSpec, series ...[]float64) (blocks *stat.Blocks, alone bool, err error) {
	numbers, n := points.Numbered(groups)
	blocks, err = stat.NewBlocks(len(numbers), numbers, spec, series...)
	return blocks, n == len(numbers), err
}

// blocks is [blocksOf] for the scores of all models of a comparison. Where each sample has a group of its own,
// intervals are wider if neighbors are alike, unless samples are said to be independent.
func (c *comparer) blocks(groups []string, spec stat.BlockSpec, scores [][]float64) (*stat.Blocks, bool, error) {
	blocks, alone, err := blocksOf(groups, spec, stat.Differences(scores...)...)
	if err != nil || !alone || c.o.Independent {
		return blocks, false, err
	}
	return blocks.InOrder(), true, nil
}

// inRange cuts an interval at the ends of the range of a well-known metric, where all scores are inside.
func inRange(ci report.Interval, metric string, scores []float64) report.Interval {
	m, _ := WellKnown(metric)
	if !ci.Defined() || m.Range == nil || slices.Min(scores) < m.Range.Low || slices.Max(scores) > m.Range.High {
		return ci
	}
	return report.Between(max(ci.Low, m.Range.Low), min(ci.High, m.Range.High))
}

// meanOf is the mean of the scores that are defined, with its interval over groups.
func meanOf(metric string, scores []float64, groups []string) report.Named {
	var kept []float64
	var labels []string
	for i, v := range scores {
		if !math.IsNaN(v) {
			kept, labels = append(kept, v), append(labels, groups[i])
		}
	}
	n := report.Named{Path: metric, SD: report.Undefined("no spread was computed")}
	if len(kept) == 0 {
		n.Value = report.Undefined("no sample has a score")
		n.Interval = report.NoInterval("no sample has a score")
		return n
	}
	n.Value = report.NumberOr(stat.Mean(kept), "the scores have no finite mean")
	n.Interval = report.NoInterval("the scores have no finite mean")
	if !n.Value.Defined() {
		return n
	}
	n.SD = report.NumberOr(stat.StandardDeviation(kept), "one score has no spread")
	blocks, alone, err := blocksOf(labels, stat.BlockSpec{}, kept)
	if err == nil {
		if alone {
			blocks = blocks.InOrder()
		}
		var j *stat.Jackknifed
		if j, err = stat.JackknifeMean(blocks, kept); err == nil {
			n.Interval = inRange(intervalOf(j.Interval), metric, kept)
			if j.StdError == 0 {
				n.Interval = report.NoInterval("all blocks have the same mean: nothing shows its error")
			}
			return n
		}
	}
	n.Interval = report.NoInterval("%s", stat.Reason(err))
	return n
}
