// The metric diversity: how different generated grids are from each other, and from real
// ones.

package generation

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/analysis/internal/results"
	"repscope/measure/set"
	"repscope/report"
	"repscope/stat"
)

// Diversity is how different the valid ones of generated grids are. Means over labels are of
// those with at least 2 valid samples; samples without labels are one set.
type Diversity struct {
	// OverallMean is the mean over labels of the mean Hamming distance of their pairs, in
	// shares of the cells, and OverallSD the standard deviation of these means (ddof 0).
	OverallMean Estimate
	OverallSD   float64
	// Jaccard is the mean over labels of the mean Jaccard distance of their pairs.
	Jaccard Estimate
	// Ceiling is the mean over labels of the largest mean Hamming distance that as many sets
	// of these sizes can have, OfCeiling the mean over labels of the share of it.
	Ceiling   float64
	OfCeiling Estimate
	// OverallUniqueness is the mean over labels of the share of distinct ones among their valid
	// samples, as published. PooledUniqueness is the share of all valid samples, labels with
	// fewer than 2 of them included, that are the first of their kind in their label: labels
	// with more samples count more.
	OverallUniqueness, PooledUniqueness Estimate
	Unique                              int
	ByLabel                             []LabelDiversity
	Left                                []SkippedLabel

	IntDiv1, IntDiv2 report.Value // of all valid samples together
	UniqueAt         []UniqueAt
	Rarefaction      []UniqueAt
	Validity         Estimate // share of valid samples
	Valid, Generated int
	LeftOut          []Bad // samples of the file that could not be read
	Disagreements    int
	Warned           []Warned
	// Against the real samples; nil where there are none.
	Novelty *Novelty
}

// LabelDiversity is the diversity of the valid samples of one label.
type LabelDiversity struct {
	Label, Valid, Generated, Unique int
	Mean                            Estimate // Hamming, in shares of the cells
	SD                              float64  // over pairs
	Jaccard                         Estimate
	JaccardSD                       float64
	Ceiling                         float64
	OfCeiling                       Estimate
	Uniqueness                      Estimate
	Novelty, NearestJaccard         Estimate // against real samples of all labels
	HasReal                         bool     // there are real samples
}

// UniqueAt is the expected share of distinct samples among K.
type UniqueAt struct {
	K     int
	Share float64
	CI    report.Interval
}

// Novelty is how new valid samples are against the real ones.
type Novelty struct {
	Share Estimate // of samples that are not among the real ones
	// Nearest is the mean Jaccard similarity to the nearest real sample.
	Nearest Estimate
	// Joint is the share of all generated samples that are valid, new and the first of their
	// kind.
	Joint Estimate
	// CoOccurrence compares how often pairs of cells are set together; Baseline does so for
	// two halves of the real samples.
	CoOccurrence, Baseline report.Value
	Real                   int
}

// diversityMetric is its row of the registry.
var diversityMetric = Metric{
	Name: "diversity", Needs: []Need{needGenerated},
	Reads: []string{inGenerated, inReal}, compute: computeDiversity,
	Estimates: func(m *Model) []Estimate { return m.Diversity.estimates() },
}

// computeDiversity compares all pairs of valid samples of every label.
func computeDiversity(ctx context.Context, a *analyzer, g *Generator, m *Model) error {
	s := g.Generated
	if !s.Binary() {
		return skip("%s contains rows of numbers, not grids, so there are no cells to compare", s.Name)
	}
	all, err := set.FromPoints(s.Rows, 0.5)
	if err != nil {
		return err
	}
	var keep []int
	hits := make([]bool, s.N())
	for i := range s.N() {
		if hits[i] = s.IsValid(i); hits[i] {
			keep = append(keep, i)
		}
	}
	d := &Diversity{Valid: len(keep), Generated: s.N(), LeftOut: s.LeftOut, Disagreements: s.Disagreements, Warned: s.Warned}
	blocks, err := a.blocks(s.N(), s.Labels, s.Groups, 0)
	d.Validity = a.share("diversity.validity_rate", hits, s.Groups, blocks, err)
	if len(keep) < 2 {
		return skip("only %d of %d samples are valid, want at least 2", len(keep), s.N())
	}
	c := &diversityWork{a: a, s: s, keep: keep, valid: all.Select(keep), labels: chosen(s.Labels, keep), groups: chosen(s.Groups, keep)}
	c.blocks, c.why = a.blocks(len(keep), c.labels, c.groups, 0)
	if a.in.Real != nil {
		if err := c.nearReal(ctx); err != nil {
			return err
		}
	}
	if err := c.byLabel(ctx, d); err != nil {
		return err
	}
	if err := c.together(ctx, d); err != nil {
		return err
	}
	if c.nearest != nil {
		if err := c.novelty(ctx, d, all); err != nil {
			return err
		}
	}
	m.Diversity = d
	return nil
}

// diversityWork is what the parts of the metric share. Everything is of valid samples.
type diversityWork struct {
	a              *analyzer
	s              *Samples
	keep           []int
	valid          *set.Sets
	labels, groups []int
	blocks         *stat.Blocks
	why            error // there are no blocks
	nearest        *set.Nearest
	real           *set.Sets
	blocksOfReal   *set.BlockNearest // nil in a run without intervals
	errors         blocking          // its blocks of real samples
}

// nearReal finds the nearest real sample of each.
func (c *diversityWork) nearReal(ctx context.Context) error {
	real, err := set.FromPoints(c.a.in.Real.Rows, 0.5)
	if err != nil {
		return err
	}
	c.real = real
	if c.nearest, err = c.valid.Nearest(ctx, real, c.a.o.Threads); err != nil || !c.a.o.Intervals {
		return err
	}
	samples := c.a.in.Real
	c.errors.real, c.errors.why = c.a.blocks(real.N, samples.Labels, samples.Groups, mostHalved)
	if c.errors.why != nil {
		return nil
	}
	c.errors.of, c.errors.real = "grids", c.errors.real.Coarsen(mostHalved)
	c.blocksOfReal, err = c.valid.NearestOfBlocks(ctx, real, c.errors.real.Labels(), c.a.o.Threads)
	return err
}

// nearestOf is the mean of n values that follow from the nearest real sample, with the error of both samples. value is
// the value of sample i without a block of real samples (-1: with all).
func (c *diversityWork) nearestOf(path string, n int, blocks *stat.Blocks, why error,
	value func(i, block int) float64) Estimate {
	values := make([]float64, n)
	mean := func(block int) float64 {
		for i := range values {
			values[i] = value(i, block)
		}
		return stat.Sum(values) / float64(n)
	}
	all := mean(-1)
	b := c.errors
	b.generated = blocks
	if b.why == nil {
		b.why = why
	}
	if b.why != nil || blocks == nil {
		return estimate(path, all, nil, b.why)
	}
	var without []float64
	for j := range blocks.Count() {
		sum, members := 0.0, blocks.Block(j)
		for _, i := range members {
			sum += values[i]
		}
		without = append(without, (all*float64(n)-sum)/float64(n-len(members)))
	}
	var changes [][]float64
	before := slices.Clone(values)
	for block := range b.real.Count() {
		without = append(without, mean(block))
		row := make([]float64, blocks.Count())
		for j := range row {
			for _, i := range blocks.Block(j) {
				row[j] += (values[i] - before[i]) / float64(n)
			}
		}
		changes = append(changes, row)
	}
	return b.nearest(path, all, without, changes)
}

// shareNearest is nearestOf a share.
func (c *diversityWork) shareNearest(path string, n int, blocks *stat.Blocks, why error,
	hit func(i, block int) bool) Estimate {
	e := c.nearestOf(path, n, blocks, why, func(i, block int) float64 {
		if hit(i, block) {
			return 1
		}
		return 0
	})
	return e.asShare(n)
}

// novel reports whether no real sample outside a block equals valid sample i.
func (c *diversityWork) novel(i, block int) bool {
	if block < 0 {
		return c.nearest.Hamming[i] > 0
	}
	return c.blocksOfReal.Novel(i, block)
}

// jaccard is the similarity of valid sample i to the nearest real sample outside a block.
func (c *diversityWork) jaccard(i, block int) float64 {
	if block < 0 {
		return c.nearest.Jaccard[i]
	}
	return c.blocksOfReal.Jaccard(i, block)
}

// pairs are numbers of the pairs of one label, and those without each block.
type pairs struct {
	hamming, jaccard, ofCeiling float64
	without                     [][3]float64 // of hamming, jaccard and ofCeiling
}

// byLabel fills in the numbers of each label.
func (c *diversityWork) byLabel(ctx context.Context, d *Diversity) error {
	var present []int
	var groups [][]int
	if c.labels == nil {
		groups = [][]int{nil}
		for i := range c.valid.N {
			groups[0] = append(groups[0], i)
		}
	} else {
		present = DistinctLabels(c.s.Labels)
		groups = members(present, c.labels)
	}
	generated := members(present, c.s.Labels)
	var perLabel []pairs
	var all, kept []counted
	for k, index := range groups {
		distinct := c.count(index)
		d.Unique += distinct.unique
		if all = append(all, distinct); len(index) < 2 {
			d.Left = append(d.Left, SkippedLabel{present[k], fmt.Sprintf(
				"only %d of %d samples are valid, want at least 2", len(index), len(generated[k]))})
			continue
		}
		l, p, err := c.label(ctx, index)
		if err != nil {
			return err
		}
		perLabel, kept = append(perLabel, p), append(kept, distinct)
		if present == nil {
			d.Ceiling = l.Ceiling
			continue
		}
		l.Label, l.Generated = present[k], len(generated[k])
		d.ByLabel = append(d.ByLabel, l)
	}
	if len(perLabel) == 0 {
		return skip("no label has 2 valid samples")
	}
	c.overall(d, perLabel)
	c.overallUniqueness(d, all, kept)
	return nil
}

// label measures the pairs of the samples of one label, at least 2.
func (c *diversityWork) label(ctx context.Context, index []int) (LabelDiversity, pairs, error) {
	const none = "no real samples are given"
	l := LabelDiversity{Valid: len(index), Novelty: undefined("", none), NearestJaccard: undefined("", none)}
	sets := c.valid.Select(index)
	all, err := sets.Pairwise(ctx, c.a.o.Threads)
	if err != nil {
		return l, pairs{}, err
	}
	cells := float64(sets.Cells)
	l.SD, l.JaccardSD, l.Ceiling = all.Hamming.SD()/cells, all.SDJaccard(), sets.Ceiling()/cells
	uniqueness := sets.Distinct()
	l.Unique = uniqueness.Unique()

	labelBlocks, why := c.a.blocks(len(index), nil, chosen(c.groups, index), 0)
	means, err := sets.Means(ctx, all, labelBlocks, c.a.o.Threads)
	if err != nil {
		return l, pairs{}, err
	}
	ceiling := ceilings(sets, labelBlocks)
	l.Mean = jackknifed("", means.Hamming, labelBlocks, why).within(0, 1)
	l.Jaccard = jackknifed("", oneMinus(means.Jaccard), labelBlocks, why).within(0, 1)
	l.OfCeiling = jackknifed("", ofCeiling(means.Hamming, l.Ceiling, ceiling), labelBlocks, why).within(0, math.Inf(1))
	l.Uniqueness = c.uniqueness("", uniqueness, labelBlocks, why)
	if c.nearest != nil {
		l.HasReal = true
		l.Novelty = c.shareNearest("", len(index), labelBlocks, why, func(i, block int) bool {
			return c.novel(index[i], block)
		})
		l.NearestJaccard = c.nearestOf("", len(index), labelBlocks, why, func(i, block int) float64 {
			return c.jaccard(index[i], block)
		}).within(0, 1)
	}
	p, err := c.pairsOf(ctx, sets, all, index, l.Ceiling)
	return l, p, err
}

// pairsOf are the means of pairs of one label, without each block of all samples.
func (c *diversityWork) pairsOf(ctx context.Context, sets *set.Sets, all *set.Pairwise, index []int,
	ceiling float64) (pairs, error) {
	cells := float64(sets.Cells)
	hamming := all.Hamming.Mean() / cells
	p := pairs{hamming: hamming, jaccard: 1 - all.MeanJaccard(), ofCeiling: ratio(hamming, ceiling)}
	if c.blocks == nil {
		return p, nil
	}
	p.without = slices.Repeat([][3]float64{{p.hamming, p.jaccard, p.ofCeiling}}, c.blocks.Count())
	blocks, number, err := within(c.blocks, index)
	if err != nil { // a deletion leaves no pair, or no other block
		for _, block := range chosen(c.blocks.Labels(), index) {
			p.without[block] = [3]float64{math.NaN(), math.NaN(), math.NaN()}
		}
		return p, nil
	}
	means, err := sets.Means(ctx, all, blocks, c.a.o.Threads)
	if err != nil {
		return p, err
	}
	without := ceilings(sets, blocks)
	for b, block := range number {
		h := means.Hamming.Without[b]
		p.without[block] = [3]float64{h, 1 - means.Jaccard.Without[b], ratio(h, without[b])}
	}
	return p, nil
}

// ratio is a/b; 0 where both are, as of empty grids.
func ratio(a, b float64) float64 {
	if a == 0 && b == 0 {
		return 0
	}
	return a / b
}

// ceilings are the ceilings of the sets outside each block, in shares of the cells.
func ceilings(sets *set.Sets, blocks *stat.Blocks) []float64 {
	if blocks == nil {
		return nil
	}
	blockOf := blocks.Labels()
	out := make([]float64, blocks.Count())
	for b := range out {
		var sizes []int
		for i := range sets.N {
			if blockOf[i] != b {
				sizes = append(sizes, sets.Size(i))
			}
		}
		out[b] = set.Ceiling(sizes, sets.Cells) / float64(sets.Cells)
	}
	return out
}

// oneMinus turns mean similarities into distances.
func oneMinus(m set.Mean) set.Mean {
	out := set.Mean{Value: 1 - m.Value}
	for _, v := range m.Without {
		out.Without = append(out.Without, 1-v)
	}
	for _, v := range m.Influence {
		out.Influence = append(out.Influence, -v)
	}
	return out
}

// ofCeiling are mean distances as shares of what can be reached.
func ofCeiling(m set.Mean, ceiling float64, without []float64) set.Mean {
	out := set.Mean{Value: ratio(m.Value, ceiling)}
	for b, v := range m.Without {
		out.Without = append(out.Without, ratio(v, without[b]))
	}
	return out
}

// jackknifed is a mean over pairs with the interval of its deletions; why says why there are
// no blocks.
func jackknifed(path string, m set.Mean, blocks *stat.Blocks, why error) Estimate {
	if blocks == nil || why != nil {
		return estimate(path, m.Value, nil, why)
	}
	j, err := blocks.Jackknife(m.Value, m.Without, m.Influence)
	return estimate(path, m.Value, j, err)
}

// uniqueness is the share of distinct sets.
func (c *diversityWork) uniqueness(path string, distinct set.Distinct, blocks *stat.Blocks, why error) Estimate {
	n := len(distinct.Class)
	if blocks == nil || why != nil {
		return estimate(path, distinct.Ratio(), nil, why)
	}
	without, err := distinct.RatioWithout(blocks)
	if err != nil {
		return estimate(path, distinct.Ratio(), nil, err)
	}
	return shareOf(path, distinct.Ratio(), without, n, blocks)
}

// shareOf is a share of n samples with its deletions.
func shareOf(path string, value float64, without []float64, n int, blocks *stat.Blocks) Estimate {
	j, err := blocks.Jackknife(value, without, nil)
	if err != nil {
		return estimate(path, value, nil, err)
	}
	j.AsShare(n)
	e := estimate(path, value, j, nil)
	e.CI = results.Interval(j.Interval)
	return e
}

// overall puts the labels together.
func (c *diversityWork) overall(d *Diversity, byLabel []pairs) {
	var sums [3]float64
	var means []float64
	for _, p := range byLabel {
		means = append(means, p.hamming)
		for k, v := range [3]float64{p.hamming, p.jaccard, p.ofCeiling} {
			sums[k] += v / float64(len(byLabel))
		}
	}
	d.OverallSD = deviation(means)
	if len(d.ByLabel) > 0 {
		for _, l := range d.ByLabel {
			d.Ceiling += l.Ceiling / float64(len(d.ByLabel))
		}
	}
	var without [3][]float64
	if c.blocks != nil {
		for b := range c.blocks.Count() {
			var replicate [3]float64
			for _, p := range byLabel {
				for k := range replicate {
					replicate[k] += p.without[b][k] / float64(len(byLabel))
				}
			}
			for k := range replicate {
				without[k] = append(without[k], replicate[k])
			}
		}
	}
	estimateOf := func(path string, k int) Estimate {
		return jackknifed("diversity."+path, set.Mean{Value: sums[k], Without: without[k]}, c.blocks, c.why)
	}
	d.OverallMean, d.Jaccard, d.OfCeiling = estimateOf("overall_mean_diversity", 0), estimateOf("mean_jaccard_distance", 1), estimateOf("diversity_of_ceiling", 2)
}

// counted are the distinct ones among some samples: how many there are, of how many samples, and
// how many of both lie in each block alone.
type counted struct {
	unique, samples              int
	classesInside, samplesInside []int
}

// count counts the distinct ones among some samples. Equal samples count as long as one of
// them is left.
func (c *diversityWork) count(index []int) counted {
	distinct := c.valid.Select(index).Distinct()
	out := counted{unique: distinct.Unique(), samples: len(index)}
	if c.blocks == nil {
		return out
	}
	out.classesInside, out.samplesInside = make([]int, c.blocks.Count()), make([]int, c.blocks.Count())
	sizes := map[[2]int]int{} // of the part of a class in a block
	for i, block := range chosen(c.blocks.Labels(), index) {
		out.samplesInside[block]++
		if part := [2]int{distinct.Class[i], block}; sizes[part]+1 == distinct.Sizes[distinct.Class[i]] {
			out.classesInside[block]++
		} else {
			sizes[part]++
		}
	}
	return out
}

// without is the share of distinct ones without a block; NaN where no sample is left.
func (u *counted) without(block int) float64 {
	return float64(u.unique-u.classesInside[block]) / float64(u.samples-u.samplesInside[block])
}

// overallUniqueness is the mean over the labels that have pairs, and the share of the samples
// of all labels.
func (c *diversityWork) overallUniqueness(d *Diversity, all, kept []counted) {
	const mean, pooled = "diversity.overall_uniqueness_ratio", "diversity.pooled_uniqueness_ratio"
	var together counted
	for _, u := range all {
		together.unique, together.samples = together.unique+u.unique, together.samples+u.samples
	}
	ratios, inverse := make([]float64, len(kept)), 0.0
	for k, u := range kept {
		ratios[k] = float64(u.unique) / float64(u.samples)
		inverse += 1 / float64(u.samples)
	}
	value, share := stat.Mean(ratios), float64(together.unique)/float64(together.samples)
	if c.blocks == nil || c.why != nil {
		d.OverallUniqueness, d.PooledUniqueness = estimate(mean, value, nil, c.why), estimate(pooled, share, nil, c.why)
		return
	}
	means, shares := make([]float64, c.blocks.Count()), make([]float64, c.blocks.Count())
	for b := range means {
		for k := range kept {
			ratios[k] = kept[k].without(b)
		}
		means[b] = stat.Mean(ratios)
		rest := counted{unique: together.unique, samples: together.samples}
		for _, u := range all {
			rest.unique, rest.samples = rest.unique-u.classesInside[b], rest.samples-u.samplesInside[b]
		}
		shares[b] = float64(rest.unique) / float64(rest.samples)
	}
	// The mean over labels of unequal sizes varies like a share of fewer samples.
	effective := int(math.Round(float64(len(kept)*len(kept)) / inverse))
	d.OverallUniqueness = shareOf(mean, value, means, effective, c.blocks)
	d.PooledUniqueness = shareOf(pooled, share, shares, together.samples, c.blocks)
}

// uniqueAtSizes are the numbers of samples whose distinct share is reported.
var uniqueAtSizes = []int{100, 1000, 10000}

// rarefactionPoints is the number of points of the rarefaction curve.
const rarefactionPoints = 20

// together fills in the numbers of all valid samples, whatever their labels.
func (c *diversityWork) together(ctx context.Context, d *Diversity) error {
	all, err := c.valid.Pairwise(ctx, c.a.o.Threads)
	if err != nil {
		return err
	}
	for order, to := range map[int]*report.Value{1: &d.IntDiv1, 2: &d.IntDiv2} {
		v, err := all.IntDiv(order)
		if err != nil {
			return err
		}
		*to = report.Number(v)
	}
	distinct := c.valid.Distinct()
	for _, k := range uniqueAtSizes {
		if k > c.valid.N {
			break
		}
		share, err := distinct.At(k)
		if err != nil {
			return err
		}
		u := UniqueAt{K: k, Share: share, CI: report.NoInterval("intervals are off (--bootstrap 0)")}
		if c.blocks != nil {
			without, err := distinct.AtWithout(c.blocks, k)
			if err != nil {
				return err
			}
			u.CI = shareOf("", share, without, c.valid.N, c.blocks).CI
		}
		d.UniqueAt = append(d.UniqueAt, u)
	}
	var ks []int
	for i := 1; i <= rarefactionPoints; i++ {
		if k := i * c.valid.N / rarefactionPoints; k > 0 && (len(ks) == 0 || k > ks[len(ks)-1]) {
			ks = append(ks, k)
		}
	}
	curve, err := distinct.Curve(ks)
	if err != nil {
		return err
	}
	for i, k := range ks {
		d.Rarefaction = append(d.Rarefaction, UniqueAt{K: k, Share: curve[i]})
	}
	return nil
}

// novelty fills in the numbers that compare with the real samples.
func (c *diversityWork) novelty(ctx context.Context, d *Diversity, all *set.Sets) error {
	n := &Novelty{Real: c.real.N}
	n.Share = c.shareNearest("diversity.novelty", len(c.keep), c.blocks, c.why, c.novel)
	n.Nearest = c.nearestOf("diversity.mean_nearest_jaccard", len(c.keep), c.blocks, c.why, c.jaccard)
	// Of all generated samples, the invalid ones among them.
	number := slices.Repeat([]int{-1}, all.N) // among the valid ones, if it is the first of its kind
	first := c.valid.Distinct().First()
	for i, sample := range c.keep {
		if first[i] {
			number[sample] = i
		}
	}
	blocks, why := c.a.blocks(all.N, c.s.Labels, c.s.Groups, 0)
	n.Joint = c.shareNearest("diversity.valid_unique_novel", all.N, blocks, why, func(i, block int) bool {
		return number[i] >= 0 && c.novel(number[i], block)
	})
	n.CoOccurrence, n.Baseline = c.coOccurrence(ctx, c.valid, c.real), report.Undefined(
		"%d real samples are too few to split in halves", c.real.N)
	if c.real.N >= 4 {
		var halves [2][]int
		for i := range c.real.N {
			halves[i%2] = append(halves[i%2], i)
		}
		n.Baseline = c.coOccurrence(ctx, c.real.Select(halves[0]), c.real.Select(halves[1]))
	}
	d.Novelty = n
	return ctx.Err()
}

// coOccurrence is the distance of two sets of grids by how often pairs of cells are set
// together.
func (c *diversityWork) coOccurrence(ctx context.Context, a, b *set.Sets) report.Value {
	difference, err := set.CompareCoOccurrence(ctx, a, b, c.a.o.Threads)
	if err != nil {
		return results.Undefined(err).Value
	}
	return report.Number(difference.TotalVariation)
}

func (d *Diversity) estimates() []Estimate {
	if d == nil {
		return nil
	}
	out := []Estimate{d.OverallMean, d.OverallUniqueness, d.Jaccard, d.Validity}
	if d.Novelty != nil {
		out = append(out, d.Novelty.Share, d.Novelty.Joint)
	}
	return out
}
