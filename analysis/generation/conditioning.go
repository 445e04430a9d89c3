// The metric conditioning: whether a classifier finds in samples the label that they were
// made for.

package generation

import (
	"context"
	"math"
	"slices"

	"repscope/analysis/internal/results"
	"repscope/measure/score"
	"repscope/report"
	"repscope/stat"
)

// Conditioning is how often a classifier finds the label that samples were made for. Macro
// numbers are means over labels, the others over samples. Labels are numbers: the distance
// of two is the absolute difference.
type Conditioning struct {
	Exact, WithinOne, WithinTwo                Estimate
	MacroExact, MacroWithinOne, MacroWithinTwo Estimate
	MeanAbsoluteError                          Estimate
	Kappa                                      Estimate
	ByLabel                                    []LabelConditioning
	N                                          int
	// Labels are those that occur as targets or predictions, ascending, and Confusion[i][j] how
	// many samples of target Labels[i] were taken for Labels[j].
	Labels    []int
	Confusion [][]int64
	// Ceiling is what the classifier's own errors on real samples allow; nil without them.
	Ceiling *ConditioningCeiling
	// NotClassified are labels that samples were made for while no sample was classified.
	NotClassified []int
}

// LabelConditioning is the conditioning of the samples that were made for one label.
type LabelConditioning struct {
	Label, N                    int
	Generated                   report.Value // samples that were made, valid or not
	Exact, WithinOne, WithinTwo Estimate
	MeanAbsoluteError           Estimate
}

// ConditioningCeiling is how often the classifier finds the label of real samples, whose
// labels are weighted as those that were asked for: what samples that have exactly the label
// that they were made for would reach.
type ConditioningCeiling struct {
	Exact, WithinOne, WithinTwo, MacroExact Estimate
	// OfCeiling is Exact of the generator divided by Exact of the ceiling.
	OfCeiling Estimate
	N         int
	// Missing are labels without real samples, which are left out.
	Missing   []int
	Labels    []int
	Confusion [][]int64
}

// conditioningMetric is its row of the registry.
var conditioningMetric = Metric{
	Name: "conditioning", Aliases: []string{"grade_conditioning"}, Needs: []Need{needPredictions},
	Reads: []string{inPredictions, inRealPredictions}, compute: computeConditioning,
	Estimates: func(m *Model) []Estimate { return m.Conditioning.estimates() },
}

// scores of a confusion matrix, in the order of conditioned.
const (
	exactScore = iota
	withinOneScore
	withinTwoScore
	macroExactScore
	macroWithinOneScore
	macroWithinTwoScore
	errorScore
	kappaScore
	conditionedScores
)

// conditioned are the scores of counts[t·K + p] samples of target labels[t] that were taken
// for labels[p].
func conditioned(labels []int, counts []int64) (out [conditionedScores]float64) {
	k := len(labels)
	var total, off, expected float64
	rows, columns := make([]float64, k), make([]float64, k)
	present := 0.0
	for t := range k {
		var hits [3]float64
		for p := range k {
			n := float64(counts[t*k+p])
			rows[t] += n
			columns[p] += n
			d := math.Abs(float64(labels[t] - labels[p]))
			out[errorScore] += n * d
			off += n * d * d
			for within := range hits {
				if d <= float64(within) {
					hits[within] += n
				}
			}
		}
		for within, n := range hits {
			out[exactScore+within] += n
			if rows[t] > 0 {
				out[macroExactScore+within] += n / rows[t]
			}
		}
		total += rows[t]
		if rows[t] > 0 {
			present++
		}
	}
	for t := range k {
		for p := range k {
			d := float64(labels[t] - labels[p])
			expected += rows[t] * columns[p] / total * d * d
		}
	}
	for within := range 3 {
		out[exactScore+within] /= total
		out[macroExactScore+within] /= present
	}
	out[errorScore] /= total
	out[kappaScore] = 1 - off/expected
	return out
}

// count is the confusion matrix of predictions over labels, which are ascending, and of
// those outside each block.
func (p *Predictions) count(labels []int, blocks *stat.Blocks) (all []int64, without [][]int64, err error) {
	truth, predicted := places(labels, p.Target), places(labels, p.Predicted)
	if blocks == nil {
		c, err := score.NewConfusion(len(labels), truth, predicted)
		if err != nil {
			return nil, nil, err
		}
		return c.Count, nil, nil
	}
	c, parts, err := score.ConfusionWithout(blocks, len(labels), truth, predicted)
	if err != nil {
		return nil, nil, err
	}
	for _, part := range parts {
		without = append(without, part.Count)
	}
	return c.Count, without, nil
}

// places are the places of values among ascending labels.
func places(labels, values []int) []int {
	out := make([]int, len(values))
	for i, v := range values {
		out[i], _ = slices.BinarySearch(labels, v)
	}
	return out
}

func computeConditioning(_ context.Context, a *analyzer, g *Generator, m *Model) error {
	p := g.Predictions
	c := &Conditioning{N: len(p.Target), Labels: DistinctLabels(p.Target, p.Predicted)}
	blocks, why := a.blocks(c.N, p.Target, p.Groups, 0)
	counts, without, err := p.count(c.Labels, blocks)
	if err != nil {
		return err
	}
	c.Confusion = rowsOf(counts, len(c.Labels))
	all := conditioned(c.Labels, counts)
	var deleted [][conditionedScores]float64
	for _, part := range without {
		deleted = append(deleted, conditioned(c.Labels, part))
	}
	measured := func(key string, k int) Estimate {
		path := "conditioning." + key
		if blocks == nil || why != nil {
			return estimate(path, all[k], nil, why)
		}
		j, err := blocks.Jackknife(all[k], score.Values(deleted, func(v [conditionedScores]float64) float64 { return v[k] }),
			nil)
		return estimate(path, all[k], j, err)
	}
	within := func(limit int) []bool { return p.within(limit, nil) }
	c.Exact = a.share("conditioning.exact_accuracy", within(0), p.Groups, blocks, why)
	c.WithinOne = a.share("conditioning.within_one_accuracy", within(1), p.Groups, blocks, why)
	c.WithinTwo = a.share("conditioning.within_two_accuracy", within(2), p.Groups, blocks, why)
	c.MacroExact, c.MacroWithinOne, c.MacroWithinTwo = measured("macro_exact_accuracy",
		macroExactScore), measured("macro_within_one_accuracy", macroWithinOneScore), measured("macro_within_two_accuracy", macroWithinTwoScore)
	c.MeanAbsoluteError, c.Kappa = measured("mean_absolute_error", errorScore), measured("quadratic_weighted_kappa",
		kappaScore)
	if len(DistinctLabels(p.Target)) < 2 {
		c.Kappa = undefined(c.Kappa.Path, "all samples were generated for one label, so kappa is undefined")
	}
	c.labels(a, p)
	if a.in.RealPredictions != nil {
		if err := c.ceiling(a, p, blocks, without); err != nil {
			return err
		}
	}
	m.Conditioning = c
	return nil
}

// within says of samples, all or some, whether the prediction is no farther from the target
// than a limit.
func (p *Predictions) within(limit int, index []int) []bool {
	target, predicted := p.Target, p.Predicted
	if index != nil {
		target, predicted = chosen(target, index), chosen(predicted, index)
	}
	out := make([]bool, len(target))
	for i := range out {
		d := target[i] - predicted[i]
		out[i] = max(d, -d) <= limit
	}
	return out
}

// rowsOf divides a matrix of k columns into rows.
func rowsOf(counts []int64, k int) [][]int64 {
	var out [][]int64
	for row := range slices.Chunk(counts, k) {
		out = append(out, row)
	}
	return out
}

// labels fills in the numbers of each target.
func (c *Conditioning) labels(a *analyzer, p *Predictions) {
	present := DistinctLabels(p.Target)
	for k, index := range members(present, p.Target) {
		groups := chosen(p.Groups, index)
		blocks, why := a.blocks(len(index), nil, groups, 0)
		within := func(limit int) Estimate { return a.share("", p.within(limit, index), groups, blocks, why) }
		l := LabelConditioning{Label: present[k], N: len(index), Exact: within(0), WithinOne: within(1),
			WithinTwo: within(2), Generated: report.Undefined(
				"the number of generated samples is unknown")}
		errors := make([]float64, len(index))
		for i, sample := range index {
			errors[i] = math.Abs(float64(p.Target[sample] - p.Predicted[sample]))
		}
		l.MeanAbsoluteError = mean("", errors, blocks, why).within(0, math.Inf(1))
		if n, ok := p.Generated[l.Label]; ok {
			l.Generated = report.Number(float64(n))
		}
		c.ByLabel = append(c.ByLabel, l)
	}
	for _, label := range sortedKeys(p.Generated) {
		if !slices.Contains(present, label) && p.Generated[label] > 0 {
			c.NotClassified = append(c.NotClassified, label)
		}
	}
}

// ceiling fills in what the classifier allows.
func (c *Conditioning) ceiling(a *analyzer, p *Predictions, generated *stat.Blocks, ownWithout [][]int64) error {
	real := a.in.RealPredictions
	u := &ConditioningCeiling{N: len(real.Target), Labels: DistinctLabels(c.Labels, real.Target, real.Predicted)}
	blocks, why := a.blocks(u.N, real.Target, real.Groups, 0)
	counts, without, err := real.count(u.Labels, blocks)
	if err != nil {
		return err
	}
	u.Confusion = rowsOf(counts, len(u.Labels))
	asked := map[int]float64{}
	for _, label := range p.Target {
		asked[label]++
	}
	for _, label := range DistinctLabels(p.Target) {
		if !slices.Contains(real.Target, label) {
			u.Missing = append(u.Missing, label)
			delete(asked, label)
		}
	}
	const path = "conditioning.ceiling."
	if len(asked) == 0 {
		return c.noCeiling(u, path)
	}
	all := ceilingOf(u.Labels, counts, asked)
	var deleted [][4]float64
	for _, part := range without {
		deleted = append(deleted, ceilingOf(u.Labels, part, asked))
	}
	measured := func(key string, k int) Estimate {
		if blocks == nil || why != nil {
			return estimate(path+key, all[k], nil, why)
		}
		j, err := blocks.Jackknife(all[k], score.Values(deleted, func(v [4]float64) float64 { return v[k] }), nil)
		if err != nil {
			return estimate(path+key, all[k], nil, err)
		}
		j.AsShare(u.N)
		e := estimate(path+key, all[k], j, nil)
		e.CI = results.Interval(j.Interval)
		return e
	}
	u.Exact, u.WithinOne, u.WithinTwo, u.MacroExact = measured("exact_accuracy", 0), measured("within_one_accuracy",
		1), measured("within_two_accuracy", 2), measured("macro_exact_accuracy", 3)
	u.OfCeiling = c.ofCeiling(u, generated, ownWithout, blocks, deleted)
	c.Ceiling = u
	return nil
}

// noCeiling enters a ceiling for which there are no real samples.
func (c *Conditioning) noCeiling(u *ConditioningCeiling, path string) error {
	const reason = "no real samples have these labels"
	for key, to := range map[string]*Estimate{"exact_accuracy": &u.Exact, "within_one_accuracy": &u.WithinOne, "within_two_accuracy": &u.WithinTwo,
		"macro_exact_accuracy": &u.MacroExact, "exact_of_ceiling": &u.OfCeiling} {
		*to = undefined(path+key, reason)
	}
	c.Ceiling = u
	return nil
}

// ceilingOf are the shares of real samples where the classifier finds the label exactly,
// within one and within two, over labels as often as they were asked for, and exactly over
// labels alike.
func ceilingOf(labels []int, counts []int64, asked map[int]float64) (out [4]float64) {
	k := len(labels)
	total := 0.0
	for t, label := range labels {
		weight, ok := asked[label]
		if !ok {
			continue
		}
		n, hits := 0.0, [3]float64{}
		for p := range k {
			count := float64(counts[t*k+p])
			n += count
			d := label - labels[p]
			for within := range hits {
				if max(d, -d) <= within {
					hits[within] += count
				}
			}
		}
		for within := range hits {
			out[within] += weight * hits[within] / n
		}
		out[3] += hits[0] / n / float64(len(asked))
		total += weight
	}
	for within := range 3 {
		out[within] /= total
	}
	return out
}

// ofCeiling is the exact accuracy as a share of the ceiling: both vary, the one with the
// generated samples, the other with the real ones.
func (c *Conditioning) ofCeiling(u *ConditioningCeiling, generated *stat.Blocks, ownWithout [][]int64,
	real *stat.Blocks, realWithout [][4]float64) Estimate {
	const path = "conditioning.ceiling.exact_of_ceiling"
	exact, ceiling := c.Exact.Value.Float(), u.Exact.Value.Float()
	if len(u.Missing) > 0 {
		return undefined(path, "some labels have no real samples")
	}
	value := exact / ceiling
	if ceiling == 0 {
		return undefined(path, "the classifier predicts no label of the real samples correctly")
	}
	if generated == nil || real == nil {
		return estimate(path, value, nil, nil)
	}
	var replicates []float64
	for _, part := range ownWithout {
		replicates = append(replicates, conditioned(c.Labels, part)[exactScore]/ceiling)
	}
	for _, part := range realWithout {
		replicates = append(replicates, exact/part[0])
	}
	j, err := stat.DeleteBlockJackknife(value, replicates, slices.Concat(generated.Sizes(), real.Sizes()), 0)
	if err != nil {
		return estimate(path, value, nil, err)
	}
	return estimate(path, value, j.Within(0, math.Inf(1)), nil)
}

func (c *Conditioning) estimates() []Estimate {
	if c == nil {
		return nil
	}
	return []Estimate{c.Exact, c.WithinOne, c.MacroExact, c.MeanAbsoluteError, c.Kappa}
}
