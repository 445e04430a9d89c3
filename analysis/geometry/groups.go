// Groups: clusters and labels, their quality, agreement and nearest neighbors.

package geometry

import (
	"context"
	"fmt"
	"slices"

	"repscope/analysis/internal/results"
	"repscope/measure/cluster"
	"repscope/neighbors"
	"repscope/points"
	"repscope/report"
)

// grouped measures the given labels and the clusters of k-means.
func (a *analyzer) grouped(ctx context.Context, m int, out *Measured) error {
	model := &out.Model
	z := sampled(a.in.Models[m].Latents, a.in.Sample)
	if a.labels != nil {
		g := Grouping{Source: SourceLabels, Groups: a.labels.Groups()}
		if err := a.quality(ctx, out, &g, "silhouette_labels", z, *a.labels); err != nil {
			return err
		}
	}
	for _, k := range a.o.Clusters {
		g := Grouping{Source: SourceKMeans, Groups: k}
		found, err := cluster.KMeans(ctx, z, k, cluster.KMeansOptions{Starts: a.o.Starts, Seed: a.o.Seed, Threads: a.o.Threads})
		if err != nil {
			v, ci, err := undefined(err)
			if err != nil {
				return err
			}
			g.Silhouette, g.SilhouetteCI, g.DaviesBouldin, g.CalinskiHarabasz, g.ByGroup = v, ci, v, v, []GroupResult{}
			model.Groupings = append(model.Groupings, g)
			model.SilhouetteOf, model.GroupOf = append(model.SilhouetteOf, nil), append(model.GroupOf, nil)
			continue
		}
		g.KMeans = &KMeansSummary{Inertia: found.Inertia, Iterations: found.Iterations, Converged: found.Converged, Reseeded: found.Reseeded}
		if !found.Converged {
			out.warn("%s: k-means with %d clusters stopped after %d iterations before it converged", model.Name, k, found.Iterations)
		}
		if a.labels != nil {
			if g.Agreement, err = a.agreement(found.Partition); err != nil {
				return err
			}
		}
		if err := a.quality(ctx, out, &g, fmt.Sprintf("silhouette_kmeans_%d", k), z, found.Partition); err != nil {
			return err
		}
	}
	return nil
}

// quality measures one partition and appends it to the model.
func (a *analyzer) quality(ctx context.Context, out *Measured, g *Grouping, metric string, z points.Points, p cluster.Partition) error {
	widths, err := cluster.Silhouette(ctx, z, p, a.o.Threads)
	if err != nil {
		if g.Silhouette, g.SilhouetteCI, err = undefined(err); err != nil {
			return err
		}
		g.DaviesBouldin, g.CalinskiHarabasz = g.Silhouette, g.Silhouette
	} else {
		if g.Silhouette, g.SilhouetteCI, err = a.mean(a.sample, metric, out, widths); err != nil {
			return err
		}
		d, err := cluster.NewDispersion(z, p)
		if err != nil {
			return err
		}
		g.DaviesBouldin, g.CalinskiHarabasz = valueOf(d.DaviesBouldin()), valueOf(d.CalinskiHarabasz())
	}
	groups := make([]int64, z.N)
	for i, group := range p.Of {
		groups[i] = p.Labels[group]
	}
	g.describe(p, widths)
	model := &out.Model
	model.Groupings = append(model.Groupings, *g)
	model.SilhouetteOf, model.GroupOf = append(model.SilhouetteOf, widths), append(model.GroupOf, groups)
	return nil
}

// describe lists the groups with their mean silhouette, undefined for nil widths.
func (g *Grouping) describe(p cluster.Partition, widths []float64) {
	sums := make([]float64, p.Groups())
	for i, width := range widths {
		sums[p.Of[i]] += width
	}
	for group, label := range p.Labels {
		r := GroupResult{Label: label, Size: p.Sizes[group], Silhouette: report.Undefined("%s", g.Silhouette.Reason)}
		if widths != nil {
			r.Silhouette = report.Number(sums[group] / float64(p.Sizes[group]))
		}
		g.ByGroup = append(g.ByGroup, r)
	}
}

// valueOf is a number, or the reason why there is none.
func valueOf(v float64, err error) report.Value {
	if err != nil {
		undefined, _ := results.Undefined(err)
		return undefined
	}
	return report.Number(v)
}

// agreement compares clusters with the labels. Its intervals delete blocks:
// resampled blocks would agree more, because what occurs twice agrees with itself.
func (a *analyzer) agreement(p cluster.Partition) (*Agreement, error) {
	table, err := cluster.NewContingency(p, *a.labels)
	if err != nil {
		return nil, err
	}
	out := &Agreement{NMI: report.Number(table.NMI()), AMI: report.Number(table.AMI()), ARI: report.Number(table.ARI())}
	sizes := a.sample.blockSizes()
	var nmi, ari []float64
	for b := range sizes {
		members := a.sample.blocks.Block(b)
		for _, i := range members {
			table.Add(p.Of[i], a.labels.Of[i], -1)
		}
		nmi, ari = append(nmi, table.NMI()), append(ari, table.ARI())
		for _, i := range members {
			table.Add(p.Of[i], a.labels.Of[i], 1)
		}
	}
	_, out.NMICI = a.sample.jackknife(out.NMI.V, nmi)
	_, out.ARICI = a.sample.jackknife(out.ARI.V, ari)
	return out, nil
}

// labelled measures how the nearest neighbours agree with the labels.
func (a *analyzer) labelled(ctx context.Context, m int, out *Measured) error {
	model := &out.Model
	if a.labels == nil {
		return nil
	}
	episode := a.windowed
	fewest := cluster.FewestCandidates(a.samples(), a.o.ExcludeWindow, episode)
	ks := slices.DeleteFunc(slices.Clone(a.o.Neighbors), func(k int) bool { return k > fewest })
	var found []cluster.Consistency
	var err error
	if len(ks) > 0 {
		model.Duplicates = new(int)
		found, *model.Duplicates, err = cluster.LabelConsistency(ctx, sampled(a.in.Models[m].Latents, a.in.Sample), *a.labels, ks, neighbors.Options{
			Threads: max(a.o.Threads, 0), Memory: a.o.Memory, Device: a.o.Device, ExcludeWindow: a.o.ExcludeWindow, Episode: episode,
		})
	}
	undefinedRow := func(row LabelConsistency, v report.Value, ci report.Interval) {
		row.Accuracy, row.AccuracyCI, row.Purity, row.PurityCI = v, ci, v, ci
		model.LabelConsistency = append(model.LabelConsistency, row)
	}
	accuracy, purity := a.labels.Chance()
	collapsed := err
	if n := a.samples(); collapsed == nil && len(ks) > 0 && float64(*model.Duplicates) > results.DuplicateShare*float64(n) {
		out.warn("%s: %d of %d latents equal an earlier one; label accuracy and purity are means over all orders of neighbours at equal distances",
			model.Name, *model.Duplicates, n)
	}
	for _, k := range a.o.Neighbors {
		row := LabelConsistency{K: k, AccuracyChance: report.Number(accuracy), PurityChance: report.Number(purity)}
		if k > fewest {
			reason := fmt.Sprintf("k = %d: a state has only %d others to choose neighbours from", k, fewest)
			undefinedRow(row, report.Undefined("%s", reason), report.NoInterval("%s", reason))
			continue
		}
		if collapsed != nil {
			v, ci, err := undefined(collapsed)
			if err != nil {
				return err
			}
			undefinedRow(row, v, ci)
			continue
		}
		c := found[0]
		found = found[1:]
		if row.Accuracy, row.AccuracyCI, err = a.mean(a.sample, fmt.Sprintf("label_accuracy_%d", c.K), out, c.Correct); err != nil {
			return err
		}
		if row.Purity, row.PurityCI, err = a.mean(a.sample, "", out, c.Purity); err != nil {
			return err
		}
		model.LabelConsistency = append(model.LabelConsistency, row)
	}
	return nil
}
