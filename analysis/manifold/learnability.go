// Cluster learnability, which CLID adds to the intrinsic dimension.

package manifold

import (
	"context"
	"errors"

	"repscope/measure/cluster"
	"repscope/neighbors"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

// learningNeighbors is the number of neighbors that vote for the cluster of a latent.
const learningNeighbors = 5

// Learnability is how well neighbors predict the clusters of k-means (Lu et al. 2022); see [cluster.LabelConsistency].
type Learnability struct {
	Clusters  int `json:"clusters"`
	Neighbors int `json:"neighbors"`
	// Accuracy is the share of the latents whose cluster has the majority among their neighbors, leave one out. Its
	// interval has a reason in its place: other latents have other clusters.
	Accuracy report.Estimate `json:"accuracy"`
	// Chance is the share of the largest cluster.
	Chance report.Value `json:"chance"`
}

func (l *Learnability) undefined(reason string) {
	l.Accuracy, l.Chance = report.NoEstimate("%s", reason), report.Undefined("%s", reason)
}

// learn fills in the learnability of the clusters of the latents z.
func (m *Model) learn(ctx context.Context, z points.Points, p *plan) error {
	if p.o.Clusters == 0 {
		return nil
	}
	l := &Learnability{Clusters: p.o.Clusters, Neighbors: learningNeighbors}
	m.Learnability = l
	clusters, err := cluster.KMeans(ctx, z, p.o.Clusters, cluster.KMeansOptions{Seed: p.o.Seed, Threads: p.o.Threads})
	if undefined, ok := errors.AsType[*stat.UndefinedError](err); ok {
		l.undefined(undefined.Reason)
		return nil
	}
	if err != nil {
		return err
	}
	o := neighbors.Options{Threads: max(p.o.Threads, 0), Memory: p.o.Memory, Device: p.o.Device,
		ExcludeWindow: p.window.Frames, Episode: p.in.Episode, Time: p.in.Time}
	if fewest := cluster.FewestCandidates(z.N, o); fewest < learningNeighbors {
		l.undefined("too few latents outside the exclusion window for 5 neighbors")
		return nil
	}
	agreement, _, err := cluster.LabelConsistency(ctx, z, clusters.Partition, []int{learningNeighbors}, o)
	if undefined, ok := errors.AsType[*stat.UndefinedError](err); ok {
		l.undefined(undefined.Reason)
		return nil
	}
	if err != nil {
		return err
	}
	chance, _ := clusters.Partition.Chance()
	l.Chance = report.Number(chance)
	l.Accuracy = report.WithInterval(report.Number(stat.Mean(agreement[0].Correct)),
		report.NoInterval("clusters of other latents would be other clusters"))
	return nil
}
