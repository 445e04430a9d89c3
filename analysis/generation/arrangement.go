// Numbers of the metric clusters that need labels: silhouettes, distances of centroids,
// neighbors, and the direction that the labels follow.

package generation

import (
	"context"
	"errors"
	"math"
	"slices"

	"repscope/measure/cluster"
	"repscope/measure/probe"
	"repscope/neighbors"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

// leaves is an undefined number where the data leave it so; other errors stay.
func leaves(path string, err error) (Estimate, error) {
	var u *stat.UndefinedError
	if !errors.As(err, &u) {
		return Estimate{}, err
	}
	return undefined(path, u.Reason), nil
}

// bounded cuts intervals at the ends of a range.
func bounded(low, high float64) func(*stat.Jackknifed) *stat.Jackknifed {
	return func(j *stat.Jackknifed) *stat.Jackknifed { return j.Within(low, high) }
}

// silhouette measures the groups of the labels, and groups of shuffled labels.
func (s *latentSpace) silhouette(ctx context.Context, c *Clusters) error {
	silhouettes, err := cluster.NewSilhouettes(ctx, s.z, s.groups, s.a.o.Threads)
	if err != nil {
		c.Silhouette, err = leaves(pathSilhouette, err)
		c.ShuffledSilhouette = c.Silhouette.Value
		for i := range c.ByLabel {
			c.ByLabel[i].Silhouette = c.Silhouette.Value
		}
		return err
	}
	sums := make([]float64, len(s.labels))
	for i, w := range silhouettes.Widths {
		sums[s.groups.Of[i]] += w
	}
	for k := range c.ByLabel {
		c.ByLabel[k].Silhouette = report.Number(sums[k] / float64(c.ByLabel[k].Count))
	}
	var without []float64
	if s.blocks != nil {
		if without, err = silhouettes.Without(ctx, s.left, s.a.o.Threads); err != nil {
			return err
		}
	}
	if c.Silhouette, err = s.jackknifed(pathSilhouette, stat.Mean(silhouettes.Widths), without, bounded(-1, 1)); err != nil {
		return err
	}
	shuffled := s.groups
	shuffled.Of = slices.Clone(s.groups.Of)
	stat.NewRandom(stat.StreamLabels.Key(s.a.o.Seed)).Shuffle(shuffled.Of)
	widths, err := cluster.Silhouette(ctx, s.z, shuffled, s.a.o.Threads)
	if err != nil {
		return err
	}
	c.ShuffledSilhouette = report.Number(stat.Mean(widths))
	centroids := make([]float64, len(s.labels)*s.z.Dim)
	counts := s.add(centroids, shuffled.Of, nil)
	c.ShuffledSeparation = report.Number(stat.Mean(s.distances(centroids, counts)))
	return nil
}

// add adds the latents of samples, nil for all, to the sums of their groups, and returns
// how many each has.
func (s *latentSpace) add(sums []float64, groups, samples []int) []int {
	counts, row, d := make([]int, len(s.labels)), make([]float64, s.z.Dim), s.z.Dim
	one := func(i int) {
		counts[groups[i]]++
		to := sums[groups[i]*d : (groups[i]+1)*d]
		for x, v := range s.z.Row(i, row) {
			to[x] += v
		}
	}
	if samples == nil {
		for i := range s.z.N {
			one(i)
		}
		return counts
	}
	for _, i := range samples {
		one(i)
	}
	return counts
}

// distances are the distances of the centroids of labels that follow each other, from the sums
// of their samples; NaN for a label without any.
func (s *latentSpace) distances(sums []float64, counts []int) []float64 {
	d := s.z.Dim
	out := make([]float64, len(counts)-1)
	for k := range out {
		square := 0.0
		for x := range d {
			v := sums[(k+1)*d+x]/float64(counts[k+1]) - sums[k*d+x]/float64(counts[k])
			square += v * v
		}
		out[k] = math.Sqrt(square)
	}
	return out
}

// within is the root mean squared distance of samples to the centroid of their label,
// from Σ‖z‖² over all of them and the sums by label.
func (s *latentSpace) within(squares float64, sums []float64, counts []int) float64 {
	n, d := 0, s.z.Dim
	for k, count := range counts {
		n += count
		for x := range d {
			squares -= sums[k*d+x] * sums[k*d+x] / float64(max(count, 1))
		}
	}
	return math.Sqrt(max(0, squares) / float64(n))
}

// separation measures the distances of neighboring centroids, and without each block.
func (s *latentSpace) separation(_ context.Context, c *Clusters) error {
	// Sums are taken about the mean, so that latents far from the origin keep their digits.
	s = s.centered()
	sums := make([]float64, len(s.labels)*s.z.Dim)
	counts := s.add(sums, s.groups.Of, nil)
	square := func(samples []int) float64 {
		total := 0.0
		for _, i := range samples {
			for _, v := range s.z.Row(i, nil) {
				total += v * v
			}
		}
		return total
	}
	every := make([]int, s.z.N)
	for i := range every {
		every[i] = i
	}
	squares, apart := square(every), s.distances(sums, counts)
	mean := stat.Mean(apart)
	c.SeparationStd = report.Number(deviation(apart))
	scaled := mean / c.Spread.Float()
	var means, scaleds []float64
	if s.blocks != nil {
		for b := range s.blocks.Count() {
			gone := make([]float64, len(sums))
			counted := s.add(gone, s.groups.Of, s.blocks.Block(b))
			for i := range gone {
				gone[i] = sums[i] - gone[i]
			}
			for k := range counted {
				counted[k] = counts[k] - counted[k]
			}
			m := stat.Mean(s.distances(gone, counted))
			means = append(means, m)
			scaleds = append(scaleds, m/s.within(squares-square(s.blocks.Block(b)), gone, counted))
		}
	}
	var err error
	if c.Separation, err = s.jackknifed(pathSeparation, mean, means, (*stat.Jackknifed).OnLogScale); err != nil {
		return err
	}
	if c.Spread.Float() == 0 {
		c.SeparationScaled = undefined(pathScaled, "the latents within every label are equal")
		return nil
	}
	c.SeparationScaled, err = s.jackknifed(pathScaled, scaled, scaleds, (*stat.Jackknifed).OnLogScale)
	return err
}

// centered is the same space with the mean of all latents at the origin.
func (s *latentSpace) centered() *latentSpace {
	out := *s
	every := make([]int, s.z.N)
	for i := range every {
		every[i] = i
	}
	center, data := s.mean(every), make([]float64, s.z.N*s.z.Dim)
	for i := range s.z.N {
		to := s.z.Row(i, data[i*s.z.Dim:(i+1)*s.z.Dim])
		for x := range to {
			to[x] -= center[x]
		}
	}
	out.z = points.Float64(data, s.z.Dim)
	return &out
}

// dispersion is Davies and Bouldin's index of the labels.
func (s *latentSpace) dispersion(ctx context.Context, c *Clusters) error {
	var value float64
	d, err := cluster.NewDispersion(s.z, s.groups)
	if err == nil {
		value, err = d.DaviesBouldin()
	}
	if err != nil {
		c.DaviesBouldin, err = leaves(pathDispersion, err)
		return err
	}
	var without []float64
	if s.blocks != nil {
		if without, _, err = cluster.DispersionsWithout(ctx, s.z, s.left, s.a.o.Threads); err != nil {
			return err
		}
	}
	c.DaviesBouldin, err = s.jackknifed(pathDispersion, value, without, func(j *stat.Jackknifed) *stat.Jackknifed {
		return j.OnPowerScale(-0.25).Within(0, math.Inf(1)) // what calibrates, see analysis/geometry
	})
	return err
}

// consistency looks at the labels of the nearest neighbors.
func (s *latentSpace) consistency(ctx context.Context, c *Clusters) error {
	accuracy, purity := s.groups.Chance()
	c.AccuracyChance, c.PurityChance = report.Number(accuracy), report.Number(purity)
	o := neighbors.Options{Threads: max(s.a.o.Threads, 0)}
	if fewest := cluster.FewestCandidates(s.z.N, o); fewest < Neighbors {
		reason := report.Undefined("a sample has only %d other samples, want %d", fewest, Neighbors).Reason
		c.Accuracy, c.Purity = undefined(pathAccuracy, reason), undefined(pathPurity, reason)
		return nil
	}
	vote, _, err := cluster.LabelConsistency(ctx, s.z, s.groups, []int{Neighbors}, o)
	if err != nil {
		if c.Accuracy, err = leaves(pathAccuracy, err); err == nil {
			c.Purity = undefined(pathPurity, c.Accuracy.Value.Reason)
		}
		return err
	}
	var d cluster.Deleted
	if s.blocks != nil {
		deleted, err := cluster.LabelConsistencyWithout(ctx, s.z, s.groups, []int{Neighbors}, s.blocks, o)
		if err != nil {
			return err
		}
		d = deleted[0]
	}
	// What rests on a sample and a neighbor in another block the jackknife counts for both.
	once := func(pairs [][]float64) func(*stat.Jackknifed) *stat.Jackknifed {
		return func(j *stat.Jackknifed) *stat.Jackknifed { return j.WithoutPairTerms(pairs, 1).Within(0, 1) }
	}
	if c.Accuracy, err = s.jackknifed(pathAccuracy, stat.Mean(vote[0].Correct), d.Correct, once(d.CorrectPairs)); err != nil {
		return err
	}
	c.Purity, err = s.jackknifed(pathPurity, stat.Mean(vote[0].Purity), d.Purity, once(d.PurityPairs))
	return err
}

// folds of the regression on labels.
const folds = 5

// tiedCeiling is the rank correlation of the labels with numbers in their order without
// ties: √(1 − Σ (m³ − m)/(n³ − n)) over labels of m of the n samples.
func (s *latentSpace) tiedCeiling() float64 {
	ties, n := 0.0, float64(s.z.N)
	for _, size := range s.groups.Sizes {
		m := float64(size)
		ties += m*m*m - m
	}
	return math.Sqrt(1 - ties/(n*n*n-n))
}

// direction predicts labels by ridge regression from latents that it has not seen.
func (s *latentSpace) direction(ctx context.Context, c *Clusters, l *Latents) error {
	c.SpearmanCeiling = report.Number(s.tiedCeiling())
	groups := l.Groups
	if groups == nil {
		groups = deal(s.z.N, s.given, mostBlocks)
	}
	fold, err := probe.GroupFolds(groups, folds)
	var fit *probe.RidgeCrossFit
	target := make([]float64, s.z.N)
	for i, label := range s.given {
		target[i] = float64(label)
	}
	if err == nil {
		fit, err = probe.CrossFitRidge(ctx, probe.Data{X: s.z, Groups: groups, Folds: fold}, points.Float64(target, 1),
			probe.RidgeOptions{Threads: s.a.o.Threads})
	}
	var value stat.Correlation
	if err == nil {
		value, err = stat.Spearman(target, fit.Predicted[0])
	}
	if err != nil {
		c.Spearman, err = leaves(pathSpearman, err)
		return err
	}
	var without []float64
	if s.blocks != nil {
		block, labels, predicted := s.blocks.Labels(), make([]float64, 0, s.z.N), make([]float64, 0, s.z.N)
		err = fit.Without(ctx, s.blocks, func(b int, made [][]float64) error {
			labels, predicted = labels[:0], predicted[:0]
			for i := range target {
				if block[i] != b {
					labels, predicted = append(labels, target[i]), append(predicted, made[0][i])
				}
			}
			correlation, err := stat.Spearman(labels, predicted)
			if err != nil {
				return err
			}
			without = append(without, correlation.Coefficient)
			return nil
		})
		if err != nil {
			return err
		}
	}
	c.Spearman, err = s.jackknifed(pathSpearman, value.Coefficient, without, (*stat.Jackknifed).OnFisherScale)
	return err
}
