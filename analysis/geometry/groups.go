// Groups: clusters and labels, their quality, agreement and nearest neighbors.

package geometry

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/analysis/internal/results"
	"repscope/internal/text"
	"repscope/measure/cluster"
	"repscope/neighbors"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

// ownClusters is why models are not compared by the silhouettes of k-means.
const ownClusters = "every model has its own clusters, so a difference does not compare the same groups; use " +
	"--labels for common groups"

// grouped measures the given labels and the clusters of k-means.
func (a *analyzer) grouped(ctx context.Context, m int, out *Measured) error {
	model := &out.Model
	z, s := sampled(a.in.Models[m].Latents, a.in.Sample), a.sample.coarsened(MaxRefits)
	if a.labels != nil {
		g := Grouping{Source: SourceLabels, Groups: a.labels.Groups()}
		var rest cluster.Left
		if s.blocks != nil {
			var err error
			if rest, err = a.labels.Without(s.blocks); err != nil {
				return err
			}
		}
		if err := a.quality(ctx, out, s, &g, z, *a.labels, rest); err != nil {
			return err
		}
	}
	for _, k := range a.o.Clusters {
		g := Grouping{Source: SourceKMeans, Groups: k, NotCompared: ownClusters}
		o := cluster.KMeansOptions{Starts: a.o.Starts, Seed: a.o.Seed, Threads: a.o.Threads}
		clusters, err := cluster.KMeans(ctx, z, k, o)
		if err != nil {
			v, err := undefined(err)
			if err != nil {
				return err
			}
			g.ByGroup = []GroupResult{}
			model.add(g.undefined(v.Reason), nil, nil)
			continue
		}
		g.KMeans = &KMeansSummary{Inertia: clusters.Inertia, Iterations: clusters.Iterations, Converged: clusters.Converged, Reseeded: clusters.Reseeded}
		if !clusters.Converged {
			out.warn("%s: k-means with %d clusters did not converge in %d iterations; its numbers may change with "+
				"--starts", model.Name, k, clusters.Iterations)
		}
		var rest cluster.Left
		if s.blocks != nil {
			if rest, err = clusters.Without(ctx, z, s.blocks, o); err != nil {
				return err
			}
		}
		if a.labels != nil {
			if g.Agreement, err = a.agreement(ctx, s, clusters.Partition, rest); err != nil {
				return err
			}
		}
		if err := a.quality(ctx, out, s, &g, z, clusters.Partition, rest); err != nil {
			return err
		}
	}
	return nil
}

// quality measures one partition, and what deletions leave of it, and appends it to the
// model. Only labels are compared.
func (a *analyzer) quality(ctx context.Context, out *Measured, s scope, g *Grouping, z points.Points,
	p cluster.Partition, rest cluster.Left) error {
	groups := make([]int64, z.N)
	for i, group := range p.Of {
		groups[i] = p.Labels[group]
	}
	silhouettes, err := cluster.NewSilhouettes(ctx, z, p, a.o.Threads)
	if err != nil {
		v, err := undefined(err)
		if err != nil {
			return err
		}
		*g = g.undefined(v.Reason)
		g.describe(p, nil)
		out.Model.add(*g, nil, groups)
		return nil
	}
	silhouette := stat.Mean(silhouettes.Widths)
	g.Silhouette.Value = report.Number(silhouette)
	d, err := cluster.NewDispersion(z, p)
	if err != nil {
		return err
	}
	g.DaviesBouldin.Value, g.CalinskiHarabasz.Value = valueOf(d.DaviesBouldin()), valueOf(d.CalinskiHarabasz())
	var estimates [3]*stat.Jackknifed
	byGroup := make([][]float64, p.Groups()) // by group, then by block
	if s.blocks != nil {
		without, groupsWithout, err := silhouettes.WithoutByGroup(ctx, rest, a.o.Threads)
		if err != nil {
			v, err := undefined(err)
			if err != nil {
				return err
			}
			out.warn("%s: no interval of a silhouette: %s", out.Model.Name, v.Reason)
			without = slices.Repeat([]float64{math.NaN()}, len(rest))
		}
		for g := range byGroup {
			byGroup[g] = slices.Repeat([]float64{math.NaN()}, len(rest))
			for b, means := range groupsWithout {
				byGroup[g][b] = means[g]
			}
		}
		db, ch, err := cluster.DispersionsWithout(ctx, z, rest, a.o.Threads)
		if err != nil {
			return err
		}
		for i, v := range [][]float64{without, db, ch} {
			if estimates[i], err = s.jackknife([]float64{silhouette, g.DaviesBouldin.Float(), g.CalinskiHarabasz.Float()}[i], v, nil); err != nil {
				return err
			}
		}
	}
	if g.Source == SourceLabels {
		out.compareBy("silhouette_labels", "silhouette_labels",
			fmt.Sprintf("groupings[source=labels;groups=%d].silhouette", g.Groups), estimates[0])
	}
	g.Silhouette = within(g.Silhouette.Value, estimates[0], -1, 1)
	g.DaviesBouldin = within(g.DaviesBouldin.Value, onPowerScale(estimates[1], -0.25), 0, math.Inf(1))
	g.CalinskiHarabasz = within(g.CalinskiHarabasz.Value, onPowerScale(estimates[2], 0.25), 0, math.Inf(1))
	g.describe(p, silhouettes.Widths)
	for i := range g.ByGroup {
		e := &g.ByGroup[i].Silhouette
		switch {
		case s.blocks == nil:
			e.CI = report.NoInterval(intervalsOff)
		case g.Source != SourceLabels:
			e.CI = report.NoInterval("clusters of other states would be other clusters")
		default:
			j, err := s.jackknife(e.V, byGroup[i], nil)
			if err != nil {
				return err
			}
			*e = within(e.Value, j, -1, 1)
		}
	}
	out.Model.add(*g, silhouettes.Widths, groups)
	return nil
}

// add appends a grouping with the silhouette and the group of every state, nil where
// they are undefined.
func (m *Model) add(g Grouping, widths []float64, groups []int64) {
	m.Groupings = append(m.Groupings, g)
	m.SilhouetteOf, m.GroupOf = append(m.SilhouetteOf, widths), append(m.GroupOf, groups)
}

// describe lists the groups with their mean silhouette, undefined for nil widths.
func (g *Grouping) describe(p cluster.Partition, widths []float64) {
	sums := make([]float64, p.Groups())
	for i, width := range widths {
		sums[p.Of[i]] += width
	}
	for group, label := range p.Labels {
		r := GroupResult{Label: label, Size: p.Sizes[group], Silhouette: report.NoEstimate("%s", g.Silhouette.Reason)}
		if widths != nil {
			r.Silhouette.Value = report.Number(sums[group] / float64(p.Sizes[group]))
		}
		g.ByGroup = append(g.ByGroup, r)
	}
}

// valueOf is a number, or the reason why there is none.
func valueOf(v float64, err error) report.Value {
	if err != nil {
		return results.Undefined(err).Value
	}
	return report.Number(v)
}

// agreement compares clusters with the labels, and those found again without each block.
func (a *analyzer) agreement(ctx context.Context, s scope, p cluster.Partition, rest cluster.Left) (*Agreement, error) {
	table, err := cluster.NewContingency(p, *a.labels)
	if err != nil {
		return nil, err
	}
	out := &Agreement{}
	for _, measure := range []struct {
		of     func(*cluster.Contingency) float64
		to     *report.Estimate
		lowest float64
	}{
		{(*cluster.Contingency).AMI, &out.AMI, math.Inf(-1)},
		{(*cluster.Contingency).NMI, &out.NMI, 0},
		{(*cluster.Contingency).ARI, &out.ARI, math.Inf(-1)},
	} {
		var without []float64
		for _, partition := range rest {
			without = append(without, measure.of(cluster.Agreeing(partition, p.Groups(), *a.labels)))
		}
		estimate := measure.of(table)
		// Near chance these are squares of what has a symmetric error. The level of chance
		// of NMI is what the adjustment of AMI takes away.
		chance := 0.0
		if measure.to == &out.NMI && out.AMI.Defined() && out.AMI.V < 1 {
			chance = (estimate - out.AMI.V) / (1 - out.AMI.V)
		}
		for b := range without {
			without[b] -= chance
		}
		j, err := s.jackknife(estimate-chance, without, nil)
		if err != nil {
			return nil, err
		}
		*measure.to = within(report.Number(estimate), onPowerScale(j, 0.5), measure.lowest-chance, 1-chance)
		if ci := &measure.to.CI; ci.Defined() {
			*ci = report.Between(ci.Low+chance, ci.High+chance)
		}
	}
	return out, a.agreementUnder(ctx, p, out)
}

// consistency is the row of a neighborhood size before anything is measured.
func (a *analyzer) consistency(k int) LabelConsistency {
	accuracy, purity := a.labels.Chance()
	return LabelConsistency{K: k, AccuracyChance: report.Number(accuracy), PurityChance: report.Number(purity)}
}

// labeled measures how the nearest neighbors agree with the labels.
func (a *analyzer) labeled(ctx context.Context, m int, out *Measured) error {
	model := &out.Model
	if a.labels == nil {
		return nil
	}
	s := a.sample.coarsened(MaxRefits)
	o := neighbors.Options{
		Threads: max(a.o.Threads, 0), Memory: a.o.Memory, Device: a.o.Device,
		ExcludeWindow: a.o.ExcludeWindow, Episode: a.windowed.episode, Time: a.windowed.time,
	}
	fewest := cluster.FewestCandidates(a.samples(), o)
	ks := slices.DeleteFunc(slices.Clone(a.o.Neighbors), func(k int) bool { return k > fewest })
	var consistency []cluster.Consistency
	var deleted []cluster.Deleted
	var collapsed error
	if len(ks) > 0 {
		model.Duplicates = new(int)
		near, err := neighbors.WithoutRounding(ctx, sampled(a.in.Models[m].Latents, a.in.Sample), at(a.in.Same, a.in.Sample),
			a.o.Threads)
		if err != nil {
			return err
		}
		z := near.Points
		consistency, *model.Duplicates, collapsed = cluster.LabelConsistency(ctx, z, *a.labels, ks, o)
		if collapsed == nil && s.blocks != nil {
			if deleted, err = cluster.LabelConsistencyWithout(ctx, z, *a.labels, ks, s.blocks, o); err != nil {
				return err
			}
		}
		if n := a.samples(); collapsed == nil && float64(*model.Duplicates) > results.DuplicateShare*float64(n) {
			out.warn("%s: %d of %d latents are duplicates of an earlier latent; label accuracy and purity are "+
				"means over all orders of neighbors at equal distances",
				model.Name, *model.Duplicates, n)
		}
	}
	for _, k := range a.o.Neighbors {
		row := a.consistency(k)
		if k > fewest {
			model.LabelConsistency = append(model.LabelConsistency, row.undefined(
				fmt.Sprintf("k = %d: a state has only %s as possible neighbors", k, text.Count(fewest, "other"))))
			continue
		}
		if collapsed != nil {
			v, err := undefined(collapsed)
			if err != nil {
				return err
			}
			model.LabelConsistency = append(model.LabelConsistency, row.undefined(v.Reason))
			continue
		}
		accuracy, purity := stat.Mean(consistency[0].Correct), stat.Mean(consistency[0].Purity)
		var estimates [2]*stat.Jackknifed
		if deleted != nil {
			compared, err := s.votes(&estimates, accuracy, purity, deleted[0])
			if err != nil {
				return err
			}
			out.compareBy(fmt.Sprintf("label_accuracy_%d", k), "label_accuracy",
				fmt.Sprintf("label_consistency[k=%d].accuracy", k), compared)
			deleted = deleted[1:]
		}
		consistency = consistency[1:]
		row.Accuracy = within(report.Number(accuracy), estimates[0], 0, 1)
		row.Purity = within(report.Number(purity), estimates[1], 0, 1)
		model.LabelConsistency = append(model.LabelConsistency, row)
	}
	return nil
}

// votes jackknifes accuracy and purity, without what rests on a state and a neighbor in
// another block, which the jackknife counts for both. Models are compared by an accuracy
// that keeps half of it.
func (s scope) votes(estimates *[2]*stat.Jackknifed, accuracy, purity float64,
	d cluster.Deleted) (compared *stat.Jackknifed, err error) {
	if compared, err = s.jackknife(accuracy, d.Correct, nil); err != nil {
		return nil, err
	}
	if estimates[0], err = s.jackknife(accuracy, d.Correct, nil); err != nil {
		return nil, err
	}
	if estimates[1], err = s.jackknife(purity, d.Purity, nil); err != nil {
		return nil, err
	}
	estimates[0].WithoutPairTerms(d.CorrectPairs, 1)
	estimates[1].WithoutPairTerms(d.PurityPairs, 1)
	return compared.WithoutPairTerms(d.CorrectPairs, 0.5), nil
}
