// The statistics of generated and of real samples, label by label: distances, intervals,
// tests and baselines.

package generation

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"repscope/internal/tabular"
	"repscope/internal/text"
	"repscope/measure/twosample"
	"repscope/report"
	"repscope/stat"
)

// leastGenerated is how many generated samples a label needs, leastReal how many real ones.
const (
	leastGenerated = 10
	leastReal      = 2
)

// column is a statistic of all generated and of all real samples.
type column struct {
	name            string
	published       bool
	generated, real []float64
}

// comparer compares a generator's statistics.
type comparer struct {
	ctx     context.Context
	a       *analyzer
	x, y    *Samples
	columns []column
	// block of every generated and of every real sample, numbered on, with the sizes of those
	// of both; noBlocks is why there are none.
	block    [2][]int
	sizes    [2][]int
	noBlocks string
	doubt    string // why there are no p values; empty: there are
}

func computeSimilarity(ctx context.Context, a *analyzer, g *Generator, m *Model) error {
	c := &comparer{ctx: ctx, a: a, x: g.Generated, y: a.in.Real,
		doubt: doubted(a.related, []string{inGenerated, inReal}, g.Name)}
	if a.o.Definition == DefinitionDocumented {
		if c.x = g.Generated.onlyValid(); c.x.N() == 0 {
			return skip("none of %d generated samples is valid", g.Generated.N())
		}
	}
	var err error
	if c.columns, err = columnsOf(c.x, c.y); err != nil {
		return err
	}
	c.group()
	s := &Similarity{Definition: a.o.Definition, Labeled: c.x.Labels != nil}
	for _, of := range c.columns {
		s.Statistics = append(s.Statistics, StatisticSummary{Name: of.name})
	}
	present := DistinctLabels(c.x.Labels, c.y.Labels)
	generated, real := members(present, c.x.Labels), members(present, c.y.Labels)
	if !s.Labeled {
		present, generated, real = []int{-1}, [][]int{count(c.x.N())}, [][]int{count(c.y.N())}
	}
	var overall, scaled [][]float64
	var kept []string
	for k, label := range present {
		if reason := tooFew(len(generated[k]), len(real[k])); reason != "" {
			s.Left = append(s.Left, SkippedLabel{label, reason})
			continue
		}
		l, deletions, err := c.label(label, generated[k], real[k])
		if err != nil {
			return err
		}
		s.ByLabel = append(s.ByLabel, *l)
		overall, scaled = append(overall, deletions[0]), append(scaled, deletions[1])
		kept = append(kept, strconv.Itoa(label))
		for i, column := range c.columns {
			to := &s.Statistics[i]
			to.generated = append(to.generated, chosen(column.generated, generated[k])...)
			to.original = append(to.original, chosen(column.real, real[k])...)
		}
	}
	if len(s.ByLabel) == 0 {
		return skip("no label has at least %d generated and %d real samples", leastGenerated, leastReal)
	}
	for i := range s.Statistics {
		if err := s.Statistics[i].describe(); err != nil {
			return err
		}
	}
	s.summarize()
	items := c.y.Identity() + strings.Join(kept, ",")
	s.Overall = c.mean("similarity.overall_mean_distance",
		s.ByLabel, func(l *LabelSimilarity) Estimate { return l.Mean }, overall, items)
	s.Scaled = c.mean("similarity.overall_mean_distance_scaled",
		s.ByLabel, func(l *LabelSimilarity) Estimate { return l.Scaled }, scaled, items)
	m.Similarity = s
	return nil
}

// count is 0 … n−1.
func count(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// tooFew says why a label is left out; empty if it is not.
func tooFew(generated, real int) string {
	switch {
	case generated == 0:
		return "no generated samples"
	case real == 0:
		return "no real samples"
	case generated < leastGenerated:
		return fmt.Sprintf("%s, want at least %d", text.Count(generated, "generated sample"), leastGenerated)
	case real < leastReal:
		return fmt.Sprintf("%s, want at least %d", text.Count(real, "real sample"), leastReal)
	}
	return ""
}

// columnsOf pairs the statistics of both by name; of grids that come without any they are
// how many cells are set, in all and in each channel.
func columnsOf(x, y *Samples) ([]column, error) {
	statistics := [2][]Statistic{x.Statistics, y.Statistics}
	if x.Binary() && len(statistics[0]) == 0 && len(statistics[1]) == 0 {
		statistics = [2][]Statistic{x.cellCounts(), y.cellCounts()}
	}
	var names [2][]string
	for side := range statistics {
		for _, s := range statistics[side] {
			names[side] = append(names[side], s.Name)
		}
	}
	order, err := tabular.Pair(x.Name, names[0], y.Name, names[1])
	if err != nil {
		return nil, err
	}
	var columns []column
	for k, s := range statistics[1] {
		columns = append(columns, column{s.Name, s.Published, statistics[0][order[k]].Values, s.Values})
	}
	if len(columns) == 0 {
		return nil, skip("the samples have no common statistics")
	}
	return columns, nil
}

// cellCounts are how many cells of grids are set.
func (s *Samples) cellCounts() []Statistic {
	channels := 1
	if len(s.Shape) > 1 {
		channels = s.Shape[0]
	}
	out := []Statistic{{Name: "num_cells", Published: true, Values: make([]float64, s.N())}}
	for c := range channels {
		if channels > 1 {
			name := strconv.Itoa(c)
			if c < len(s.Channels) {
				name = s.Channels[c]
			}
			out = append(out, Statistic{Name: "num_" + name, Published: true, Values: make([]float64, s.N())})
		}
	}
	size := s.Rows.Dim / channels
	for i := range s.N() {
		for k, v := range s.Rows.U8[i*s.Rows.Dim : (i+1)*s.Rows.Dim] {
			out[0].Values[i] += float64(v)
			if channels > 1 {
				out[1+k/size].Values[i] += float64(v)
			}
		}
	}
	return out
}

// group finds the blocks of both sets of samples.
func (c *comparer) group() {
	if !c.a.o.Intervals {
		c.noBlocks = "intervals are off (--bootstrap 0)"
		return
	}
	first := 0
	for side, s := range []*Samples{c.x, c.y} {
		blocks, err := c.a.blocks(s.N(), s.Labels, s.Groups, 0)
		if err != nil {
			c.noBlocks = stat.Reason(err)
			return
		}
		c.sizes[side] = blocks.Sizes()
		for _, b := range blocks.Labels() {
			c.block[side] = append(c.block[side], first+b)
		}
		first += blocks.Count()
	}
}

// label compares the samples of one label. deletions are its mean distance, raw and scaled,
// without each block of all samples; nil without intervals.
func (c *comparer) label(label int, generated, real []int) (*LabelSimilarity, [2][]float64, error) {
	l := &LabelSimilarity{Label: label, Generated: len(generated), Real: len(real)}
	var block []int
	if c.noBlocks == "" {
		block = append(chosen(c.block[0], generated), chosen(c.block[1], real)...)
	}
	var means, scales meanOfColumns
	values := make([][]float64, len(c.columns)) // real ones
	o := c.permutations(generated, real)
	for k, column := range c.columns {
		x, y := chosen(column.generated, generated), chosen(column.real, real)
		values[k] = y
		d := StatisticDistance{Name: column.name, Published: column.published, Generated: momentsOf(x), Real: momentsOf(y)}
		raw, err := twosample.Wasserstein1(x, y)
		if err != nil {
			return nil, [2][]float64{}, fmt.Errorf("%s: %w", column.name, err)
		}
		inSD, err := twosample.Scaled1(x, y)
		if err != nil {
			return nil, [2][]float64{}, err
		}
		var without, scaledWithout []float64
		if block != nil {
			blocks := len(c.sizes[0]) + len(c.sizes[1])
			without = twosample.WithoutEach(block, blocks, x, y, twosample.WassersteinSorted)
			scaledWithout = twosample.WithoutEach(block, blocks, x, y, func(x, y []float64) float64 {
				if v := twosample.ScaledSorted(x, y); !math.IsNaN(v) {
					return v
				}
				return twosample.WassersteinSorted(x, y) / d.Real.SD // the unit of all, where the rest has none
			})
		}
		d.Distance = c.estimate(raw, without, block, len(x), "")
		d.Scaled = c.estimate(inSD, scaledWithout, block, len(x), "the real values do not vary")
		if d.KS, err = twosample.KolmogorovSmirnovGroups(c.ctx, x, y, o); err != nil {
			return nil, [2][]float64{}, err
		}
		if c.doubt != "" {
			d.KS.P, d.KS.PContinuous, d.KS.Reason = math.NaN(), math.NaN(), c.doubt
		}
		if d.Boundaries, err = twosample.BoundaryAdherence(x, y); err != nil {
			return nil, [2][]float64{}, err
		}
		if column.published {
			means.add(raw, without)
		}
		if !math.IsNaN(inSD) {
			scales.add(inSD, scaledWithout)
		}
		l.Statistics = append(l.Statistics, d)
	}
	l.Mean = c.estimate(means.value(), means.without(), block, len(generated), "no published statistic")
	l.Scaled = c.estimate(scales.value(), scales.without(), block, len(generated),
		"the real values of all statistics do not vary")
	if err := c.baselines(l, values, chosen(c.y.Groups, real)); err != nil {
		return nil, [2][]float64{}, err
	}
	if err := c.joint(l, generated, real); err != nil {
		return nil, [2][]float64{}, err
	}
	return l, [2][]float64{means.without(), scales.without()}, nil
}

// meanOfColumns is the mean of distances of several statistics, with its deletions.
type meanOfColumns struct {
	sum  float64
	sums []float64
	n    int
}

func (m *meanOfColumns) add(value float64, without []float64) {
	m.n++
	m.sum += value
	if m.sums == nil {
		m.sums = make([]float64, len(without))
	}
	for b, v := range without {
		m.sums[b] += v
	}
}

func (m *meanOfColumns) value() float64 { return m.sum / float64(m.n) }

func (m *meanOfColumns) without() []float64 {
	out := make([]float64, len(m.sums))
	for b, v := range m.sums {
		out[b] = v / float64(m.n)
	}
	return out
}

// estimate is a distance of one label with its interval, from the deletions of those blocks
// that hold samples of the label; the first n of block belong to generated ones. reason
// is why it may be undefined.
func (c *comparer) estimate(value float64, without []float64, block []int, n int, reason string) Estimate {
	e := Estimate{Estimate: report.WithInterval(report.NumberOr(value, reason), report.NoInterval("%s", c.noBlocks))}
	if block == nil || math.IsNaN(value) {
		if math.IsNaN(value) {
			e.CI = report.NoInterval("%s", reason)
		}
		return e
	}
	var sizes [2][]int
	var replicates []float64
	for side, members := range [2][]int{block[:n], block[n:]} {
		counts := map[int]int{}
		for _, b := range members {
			counts[b]++
		}
		for _, b := range sortedKeys(counts) {
			sizes[side] = append(sizes[side], counts[b])
			replicates = append(replicates, without[b])
		}
	}
	j, err := twosample.Jackknife(value, replicates, sizes[0], sizes[1], 0)
	return nonNegative(estimate("", value, j, err))
}

// nonNegative makes an interval of the root, as distances have longer tails above than
// below, and cuts it at 0.
func nonNegative(e Estimate) Estimate {
	if e.Jackknife != nil {
		e = estimate(e.Path, e.Value.V, e.Jackknife.OnPowerScale(0.5).Within(0, math.Inf(1)), nil)
	}
	return e
}

// mean is the mean of a distance over labels, with the interval by deleting blocks of all
// samples. Labels without a value are left out.
func (c *comparer) mean(path string, labels []LabelSimilarity, value func(*LabelSimilarity) Estimate,
	without [][]float64, items string) Estimate {
	var all meanOfColumns
	for k := range labels {
		if v := value(&labels[k]).Value; v.Defined() {
			all.add(v.V, without[k])
		}
	}
	if all.n == 0 {
		return undefined(path, value(&labels[0]).Value.Reason)
	}
	if c.noBlocks != "" {
		e := estimate(path, all.value(), nil, nil)
		e.CI = report.NoInterval("%s", c.noBlocks)
		return e
	}
	j, err := twosample.Jackknife(all.value(), all.without(), c.sizes[0], c.sizes[1], 0)
	e := nonNegative(estimate(path, all.value(), j, err))
	e.Shared, e.Items = len(c.sizes[1]), items
	return e
}

// momentsOf describes values.
func momentsOf(values []float64) Moments {
	return Moments{Mean: stat.Mean(values), SD: deviation(values)}
}

// describe fills in the numbers of all samples of a statistic.
func (s *StatisticSummary) describe() error {
	b, err := twosample.BoundaryAdherence(s.generated, s.original)
	s.Inside, s.Generated, s.Real = b.Inside, momentsOf(s.generated), momentsOf(s.original)
	s.generated, s.original = nil, nil
	return err
}

// baselines splits the real samples into two parts, the first as large as the generated
// sample where there are enough: for every statistic and for the mean of the published ones.
func (c *comparer) baselines(l *LabelSimilarity, values [][]float64, groups []int) error {
	n := l.Real
	orders := make([][]int, len(values))
	for k, column := range values {
		orders[k] = count(n)
		slices.SortStableFunc(orders[k], func(i, j int) int {
			switch {
			case column[i] < column[j]:
				return -1
			case column[i] > column[j]:
				return 1
			}
			return 0
		})
	}
	o := twosample.SplitOptions{First: l.Generated, Groups: groups, Seed: c.a.o.Seed, Threads: c.a.o.Threads}
	halves, err := twosample.SplitHalvesVector(c.ctx, n, len(values)+1, o, func(first, _ []int, dst []float64) {
		in := make([]bool, n)
		for _, i := range first {
			in[i] = true
		}
		var parts [2][]float64
		mean := meanOfColumns{}
		for k, order := range orders {
			parts[0], parts[1] = parts[0][:0], parts[1][:0]
			for _, i := range order {
				part := 1
				if in[i] {
					part = 0
				}
				parts[part] = append(parts[part], values[k][i])
			}
			dst[k] = twosample.WassersteinSorted(parts[0], parts[1])
			if c.columns[k].published {
				mean.add(dst[k], nil)
			}
		}
		dst[len(values)] = mean.value()
	})
	if c.ctx.Err() != nil {
		return err
	}
	for k := range l.Statistics {
		l.Statistics[k].Baseline = baselineOf(halves, k, l, err)
	}
	l.Baseline = baselineOf(halves, len(values), l, err)
	return nil
}

// baselineOf is one of the baselines of a split for the samples of a label; err is why there
// are none.
func baselineOf(baselines []*twosample.Baseline, k int, l *LabelSimilarity, err error) Baseline {
	if err != nil {
		return Baseline{Mean: math.NaN(), Low: math.NaN(), High: math.NaN(), Expected: math.NaN(), Reason: stat.Reason(err)}
	}
	b := Baseline{Mean: baselines[k].Mean, Low: baselines[k].Low, High: baselines[k].High, Sizes: baselines[k].Sizes,
		Reduced: baselines[k].Reduced}
	inverse := func(n, m int) float64 { return 1/float64(n) + 1/float64(m) }
	b.Expected = b.Mean * math.Sqrt(inverse(l.Generated, l.Real)/inverse(b.Sizes[0], b.Sizes[1]))
	if math.IsNaN(b.Mean) {
		b.Reason = "undefined for all splits"
	}
	return b
}
