// The metric clusters: how labels are arranged among the latents.

package generation

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/measure/cluster"
	"repscope/points"
	"repscope/report"
	"repscope/shard"
	"repscope/stat"
)

// Neighbors is the number of nearest neighbors whose labels are looked at.
const Neighbors = 10

// Clusters is how labels are arranged among the latents.
type Clusters struct {
	Samples, Dim, Labels int
	// Items is the digest of labels and groups: what two generators have in common if they
	// encode the same samples; empty without labels.
	Items string
	// LatentMean is the mean of |z| over samples and dimensions, LatentStd the standard
	// deviation (ddof 0) of all values.
	LatentMean, LatentStd Estimate
	// Silhouette is the mean silhouette of the samples in the groups of their labels;
	// ShuffledSilhouette the one of the same labels, shuffled.
	Silhouette         Estimate
	ShuffledSilhouette report.Value
	DaviesBouldin      Estimate
	// Separation is the mean Euclidean distance of the centroids of labels that follow each
	// other among those present, SeparationStd its standard deviation (ddof 0) over
	// these pairs, and SeparationScaled the mean divided by Spread, the root mean squared
	// distance of the samples to the centroid of their label.
	Separation, SeparationScaled              Estimate
	SeparationStd, ShuffledSeparation, Spread report.Value
	// Accuracy is the accuracy of the majority vote of the Neighbors nearest neighbors of each
	// sample, Purity their share with its own label; Chance is what random ones give.
	Accuracy, Purity             Estimate
	AccuracyChance, PurityChance report.Value
	// Spearman is the rank correlation of the labels with their predictions by ridge
	// regression, each by a head that was fitted without the sample: the best linear
	// direction, on samples that it has not seen. SpearmanCeiling is the correlation of predictions in
	// the order of the labels: below 1, as equal labels are tied and predictions are not.
	Spearman        Estimate
	SpearmanCeiling report.Value
	ByLabel         []LabelCluster
}

// LabelCluster is the latents of one label.
type LabelCluster struct {
	Label, Count int
	Mean         []float64    // centroid
	Std          float64      // mean over dimensions of the standard deviations (ddof 0)
	Silhouette   report.Value // mean of its samples; a single one has 0
}

// clustersMetric is its row of the registry.
var clustersMetric = Metric{
	Name: "clusters", Aliases: []string{"latent_space"}, Needs: []Need{needLatents},
	Reads: []string{inLatents}, compute: computeClusters,
	Estimates: func(m *Model) []Estimate { return m.Clusters.estimates() },
}

// latentSpace is what the numbers of one generator are computed from.
type latentSpace struct {
	a      *analyzer
	z      points.Points
	given  []int // label of each sample
	labels []int // that there are, ascending
	groups cluster.Partition
	blocks *stat.Blocks // nil: no intervals
	left   cluster.Left
	// noBlocks is why there are none although intervals were asked for.
	noBlocks error
}

func computeClusters(ctx context.Context, a *analyzer, g *Generator, m *Model) error {
	l := g.Latents
	s := &latentSpace{a: a, z: l.Points}
	s.blocks, s.noBlocks = a.blocks(l.Points.N, l.Labels, l.Groups, 0)
	c := &Clusters{Samples: l.Points.N, Dim: l.Points.Dim}
	m.Clusters = c
	if err := s.values(c); err != nil {
		return err
	}
	if l.Labels == nil {
		c.without(fmt.Sprintf("%s has no labels", l.Name))
		return nil
	}
	codes := make([]int64, len(l.Labels))
	for i, label := range l.Labels {
		codes[i] = int64(label)
	}
	s.given, s.labels, s.groups = l.Labels, DistinctLabels(l.Labels), cluster.NewPartition(codes)
	c.Labels, c.Items = len(s.labels), shard.Digest(points.Points{}, l.Labels, l.Groups)
	s.centroids(c)
	switch {
	case c.Labels == 1:
		c.without("all samples have one label")
		return nil
	case s.constant():
		c.without("all latents are equal")
		return nil
	}
	if s.blocks != nil {
		var err error
		if s.left, err = s.groups.Without(s.blocks); err != nil {
			return err
		}
	}
	for _, step := range []func(context.Context, *Clusters) error{s.silhouette, s.dispersion, s.separation, s.consistency} {
		if err := step(ctx, c); err != nil {
			return err
		}
	}
	return s.direction(ctx, c, l)
}

// The paths of the numbers.
const (
	pathSilhouette = "clusters.silhouette_score"
	pathDispersion = "clusters.davies_bouldin"
	pathSeparation = "clusters.grade_separation"
	pathScaled     = "clusters.grade_separation_scaled"
	pathAccuracy   = "clusters.neighbor_accuracy"
	pathPurity     = "clusters.neighbor_purity"
	pathSpearman   = "clusters.label_spearman"
	pathMean       = "clusters.latent_mean"
	pathStd        = "clusters.latent_std"
)

// without leaves what needs labels undefined.
func (c *Clusters) without(reason string) {
	for _, e := range []struct {
		to   *Estimate
		path string
	}{{&c.Silhouette, pathSilhouette}, {&c.DaviesBouldin, pathDispersion}, {&c.Separation, pathSeparation}, {&c.SeparationScaled, pathScaled},
		{&c.Accuracy, pathAccuracy}, {&c.Purity, pathPurity}, {&c.Spearman, pathSpearman}} {
		*e.to = undefined(e.path, reason)
	}
	none := report.Undefined("%s", reason)
	c.ShuffledSilhouette, c.SeparationStd, c.ShuffledSeparation, c.AccuracyChance, c.PurityChance, c.SpearmanCeiling = none, none, none, none, none, none
	if c.Labels == 0 {
		c.Spread = none
	}
	for i := range c.ByLabel {
		c.ByLabel[i].Silhouette = none
	}
}

// jackknifed is a number with its interval from its values without each block, on a
// scale that scale sets.
func (s *latentSpace) jackknifed(path string, value float64, without []float64,
	scale func(*stat.Jackknifed) *stat.Jackknifed) (Estimate, error) {
	if s.blocks == nil {
		return estimate(path, value, nil, s.noBlocks), nil
	}
	j, err := s.blocks.Jackknife(value, without, nil)
	if err != nil {
		return Estimate{}, err
	}
	return estimate(path, value, scale(j), nil), nil
}

// values describes the latents without their labels.
func (s *latentSpace) values(c *Clusters) error {
	n, d := s.z.N, float64(s.z.Dim)
	absolute, mean, square := make([]float64, n), make([]float64, n), make([]float64, n)
	row, center := make([]float64, s.z.Dim), 0.0
	for i := range n {
		center += stat.Mean(s.z.Row(i, row)) / float64(n)
	}
	for i := range n {
		for _, v := range s.z.Row(i, row) {
			absolute[i] += math.Abs(v) / d
			mean[i] += (v - center) / d
			square[i] += (v - center) * (v - center) / d
		}
	}
	std := func(count float64, sums, dst []float64) {
		m := sums[0] / count
		dst[0] = math.Sqrt(max(0, sums[1]/count-m*m))
	}
	all := []float64{0}
	std(float64(n), []float64{stat.Sum(mean), stat.Sum(square)}, all)
	if s.blocks == nil {
		c.LatentMean, c.LatentStd = estimate(pathMean, stat.Mean(absolute), nil, s.noBlocks), estimate(pathStd, all[0], nil, s.noBlocks)
		return nil
	}
	j, err := stat.JackknifeMean(s.blocks, absolute)
	if err != nil {
		return err
	}
	c.LatentMean = estimate(pathMean, j.Estimate, j.Within(0, math.Inf(1)), nil)
	js, err := stat.JackknifeSums(s.blocks, [][]float64{mean, square}, 1, std)
	if err != nil {
		return err
	}
	c.LatentStd = estimate(pathStd, all[0], js[0].OnLogScale(), nil)
	return nil
}

// centroids describes the latents of each label, and how far they are from their centroid.
func (s *latentSpace) centroids(c *Clusters) {
	d := s.z.Dim
	row := make([]float64, d)
	squares, from := make([]float64, d), 0.0
	for k, group := range members(s.labels, s.given) {
		centroid := s.mean(group)
		clear(squares)
		for _, i := range group {
			for x, v := range s.z.Row(i, row) {
				squares[x] += (v - centroid[x]) * (v - centroid[x])
			}
		}
		l := LabelCluster{Label: s.labels[k], Count: len(group), Mean: centroid}
		for _, q := range squares {
			from += q
			l.Std += math.Sqrt(q/float64(len(group))) / float64(d)
		}
		c.ByLabel = append(c.ByLabel, l)
	}
	c.Spread = report.Number(math.Sqrt(from / float64(s.z.N)))
}

// mean is the mean of some samples.
func (s *latentSpace) mean(group []int) []float64 {
	out, row := make([]float64, s.z.Dim), make([]float64, s.z.Dim)
	for _, i := range group {
		for x, v := range s.z.Row(i, row) {
			out[x] += v
		}
	}
	for x := range out {
		out[x] /= float64(len(group))
	}
	return out
}

// constant reports whether all latents are equal.
func (s *latentSpace) constant() bool {
	first, row := s.z.Row(0, nil), make([]float64, s.z.Dim)
	for i := range s.z.N {
		if !slices.Equal(s.z.Row(i, row), first) {
			return false
		}
	}
	return true
}

// estimates are the numbers by which generators are compared: those that do not depend on
// the scale of their latents. They have one if all encoded the same samples, or may be
// taken to by their labels.
func (c *Clusters) estimates() []Estimate {
	if c == nil {
		return nil
	}
	var out []Estimate
	for _, e := range []Estimate{c.Silhouette, c.DaviesBouldin, c.SeparationScaled, c.Accuracy, c.Spearman} {
		e.Shared, e.Items = shared(e), c.Items
		out = append(out, e)
	}
	return out
}
