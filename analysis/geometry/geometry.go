// Package geometry measures the shape of latent spaces and of the paths that
// states take through them: uniformity and alignment on the unit sphere, clusters
// and labels, similarity between models, and coherence in time.
//
//	result, err := geometry.Analyze(ctx, geometry.Input{
//		Episode: episode,
//		Labels:  labels, // or nil
//		Models:  []geometry.Encoded{{Name: "jepa", Latents: z}},
//	}, geometry.Options{Settings: analysis.Settings{Intervals: true, Seed: 42}})
//	fmt.Println(result.Models[0].Uniformity, result.Models[0].Temporal.Tau)
//
// Everything that looks at all pairs does so in blocks of rows, in float64, without
// ever holding an n × n matrix; sums are taken in an order that does not depend on
// the number of threads.
package geometry

import (
	"context"
	"fmt"
	"slices"

	"repscope/analysis"
	"repscope/analysis/internal/results"
	"repscope/internal/option"
	"repscope/internal/text"
	"repscope/neighbors"
	"repscope/report"
)

// Encoded is one model's latents: Name, and Latents with a row per state.
type Encoded = results.Encoded

// Input is what Analyze looks at: latents of the same N states by each model.
type Input struct {
	Episode []int // of each state; nil means one episode
	// Time orders the states of an episode: states follow each other where it grows
	// by 1. nil means that all states of an episode do.
	Time []int
	// Labels are the classes of the states; nil for none.
	Labels []int64
	// Same numbers the states, equal ones alike; nil: it is not known which are equal.
	Same []int
	// Sample are the states, ascending, that the measures over pairs of states
	// (uniformity, clusters, labels, similarity) look at; nil means all. Measures of
	// time need every state.
	Sample []int
	Models []Encoded
}

// Options are the choices of an analysis; the zero value is the default.
type Options struct {
	analysis.Settings
	// Clusters are the numbers of k-means clusters; nil means 10. Numbers that need
	// more latents than there are left out.
	Clusters []int
	// Starts is the number of k-means++ starts; 0 means 10.
	Starts int
	// Neighbors are the k of the label consistency; nil means 1, 5, 20.
	Neighbors []int
	// ExcludeWindow leaves states at most ExcludeWindow frames apart in one episode out of
	// the neighbors of the label consistency. −1: the longest autocorrelation time of the
	// models, at most what leaves every state half of the others.
	ExcludeWindow int
	// Pairs is the number of pairs whose distances RSA ranks; 0 means 2,000,000,
	// negative all.
	Pairs int
	// Lags is the largest lag of the autocorrelation that is reported; 0 means 100.
	Lags int
	// Permutations is the number of orders of the null, in which episodes are given to other episodes, for similarities
	// of models and the agreement of clusters with labels; 0: none.
	Permutations int
}

// Declare binds the options to their fields.
func (o *Options) Declare(l *option.List) {
	l.Ints(&o.Clusters, "clusters", "`LIST` of numbers of k-means clusters").AtLeast(2).Distinct()
	l.Int(&o.Starts, "starts", "`N` k-means++ starts; the best result is used").Draws(1)
	l.Ints(&o.Neighbors, "k", "`LIST` of neighborhood sizes for the consistency of labels").AtLeast(1).Distinct()
	l.Var((*results.Window)(&o.ExcludeWindow), "exclude-window", results.WindowUsage)
	l.Int(&o.Pairs, "rsa-pairs", "`N` pairs of states for RSA; 0: all").AtLeast(0)
	l.Int(&o.Permutations, "permutations",
		"`N` exchanges of episodes for the null of similarities and of the agreement with labels; 0: none").Draws(0)
	l.Int(&o.Lags, "lags", "largest lag `N` of the autocorrelation").AtLeast(1)
}

// Result is the outcome for all models, in the order of the input.
type Result struct {
	Models      []Model
	Comparisons []report.Comparison
	// SampleBlocks and TimeBlocks say how states, and steps in time, are grouped for
	// intervals; empty without.
	SampleBlocks, TimeBlocks string
	Labelled                 bool
	// RSAPairs is the number of pairs that were ranked, RSAAll that there are.
	RSAPairs int
	RSAAll   bool
	Warnings []string
}

// Model is the outcome for one model.
type Model struct {
	Name             string `json:"-"`
	States           int    `json:"states"`
	Samples          int    `json:"samples"` // states behind the measures over pairs
	NominalDimension int    `json:"nominal_dimension"`

	// Uniformity is the uniformity of [sphere.Directions.Uniformity], UniformityCentered the uniformity of the
	// directions from the mean latent: [sphere.CenteredUniformity]. Alignment is the mean
	// ‖u_t − u_{t+1}‖² of consecutive states on the unit sphere, from 0 to 4.
	Uniformity         report.Estimate `json:"uniformity"`
	UniformityCentered report.Estimate `json:"uniformity_centered"`
	Alignment          report.Estimate `json:"alignment"`

	// RMSDistance is √(2·tr C) and EffectiveRank the entropy effective rank of the
	// covariance: they tell a collapsed encoder.
	RMSDistance   report.Value `json:"rms_distance"`
	EffectiveRank report.Value `json:"effective_rank"`
	// NEff is the number of independent states that the mean latent is worth, see
	// [motion.EffectiveSize]; NEffReliable says that it may be relied on.
	NEff         report.Value `json:"n_eff_mean_latent"`
	NEffReliable bool         `json:"n_eff_mean_latent_reliable"`

	Groupings        []Grouping         `json:"groupings"`
	LabelConsistency []LabelConsistency `json:"label_consistency"`
	// Duplicates is the number of latents equal to an earlier one, among those whose
	// neighbors are looked at; nil without labels or where all are one point.
	Duplicates *int `json:"duplicates,omitempty"`
	// ExcludeWindow is the exclusion window in frames where it was found from the
	// autocorrelation times, 0 where it was given or there are no labels.
	ExcludeWindow int      `json:"exclude_window,omitempty"`
	Temporal      Temporal `json:"temporal"`
	// Similarity to every model, itself included, by name: a row of the symmetric
	// matrices.
	Similarity report.Object `json:"similarity" shard:"-"`

	// StepLengths holds ‖z_{t+1} − z_t‖ over the RMS distance, for drawing; nil for
	// constant latents.
	StepLengths []float64 `json:"-"`
	// SilhouetteOf holds the silhouette of every sampled state for each of Groupings;
	// nil where undefined.
	SilhouetteOf [][]float64 `json:"-"`
	// GroupOf holds the label or cluster of every sampled state for each of
	// Groupings; nil where undefined.
	GroupOf [][]int64 `json:"-"`
}

// The sources of a Grouping.
const (
	SourceLabels = "labels"
	SourceKMeans = "kmeans"
)

// Grouping is how well the latents fall into the groups given by labels or found by
// k-means.
type Grouping struct {
	Source string `json:"source" report:"parameter"`
	Groups int    `json:"groups" report:"parameter"`

	Silhouette       report.Estimate `json:"silhouette"` // mean over points; see [cluster.Silhouette]
	DaviesBouldin    report.Estimate `json:"davies_bouldin"`
	CalinskiHarabasz report.Estimate `json:"calinski_harabasz"`
	ByGroup          []GroupResult   `json:"by_group"`
	// NotCompared says why models are not compared by these groups; empty if they are.
	NotCompared string `json:"not_compared,omitempty"`

	// KMeans describes the clusters, nil for labels.
	KMeans *KMeansSummary `json:"kmeans,omitempty"`
	// Agreement of clusters with the labels, nil without labels.
	Agreement *Agreement `json:"agreement,omitempty"`
}

// GroupResult is one group of a Grouping.
type GroupResult struct {
	Label int64 `json:"label" report:"parameter"`
	Size  int   `json:"size"`
	// Silhouette has an interval for groups by labels: clusters of other states would be other clusters.
	Silhouette report.Estimate `json:"silhouette"`
}

// KMeansSummary is what [cluster.KMeans] found.
type KMeansSummary struct {
	Inertia    float64 `json:"inertia"`
	Iterations int     `json:"iterations"`
	Converged  bool    `json:"converged"`
	Reseeded   int     `json:"reseeded"`
}

// Agreement of clusters with labels; see [cluster.Contingency].
type Agreement struct {
	NMI report.Estimate `json:"nmi"`
	AMI report.Estimate `json:"ami"`
	ARI report.Estimate `json:"ari"`
	// Null is what they are for labels of other episodes; nil without permutations.
	Null *AgreementNull `json:"null_in_time,omitempty"`
}

// LabelConsistency is how the K nearest neighbors of a state agree with its label.
type LabelConsistency struct {
	K int `json:"k" report:"parameter"`
	// Accuracy is the share of states whose label the majority of neighbors has
	// (leave one out; a tied vote goes to the label of the nearest), AccuracyChance the share by
	// always guessing the commonest label. Neighbors at equal distances count in the mean over
	// all their orders, here and in Purity; see [cluster.LabelConsistency].
	Accuracy       report.Estimate `json:"accuracy"`
	AccuracyChance report.Value    `json:"accuracy_chance"`
	// Purity is the mean share of neighbors with the state's label, PurityChance
	// the same of random states.
	Purity       report.Estimate `json:"purity"`
	PurityChance report.Value    `json:"purity_chance"`
}

// Temporal is how the latents move in time, over states that follow each other in
// one episode.
type Temporal struct {
	Autocorrelation []Lag `json:"autocorrelation"`
	// Tau is the integrated autocorrelation time 1 + 2·Σρ(k) of the latents with
	// Sokal's window, in states.
	Tau          report.Estimate `json:"tau"`
	TauWindow    int             `json:"tau_window"`
	TauConverged bool            `json:"tau_converged"`
	Steps        Steps           `json:"steps"`
	Straightness Straightness    `json:"straightness"`
}

// Lag is the autocorrelation at one lag: the mean over coordinates, weighted by
// their variances.
type Lag struct {
	Lag   int             `json:"lag" report:"parameter"`
	Rho   report.Estimate `json:"rho"`
	Pairs int             `json:"pairs"`
}

// Steps is the distribution of ‖z_{t+1} − z_t‖. Relative is the mean over the RMS
// distance √(2·tr C) of two random states, RelativeRMS the RMS over the same: 1 for
// independent states, where Relative is less (0.80 in one dimension, 0.95 in five). The
// intervals are the intervals of the ratios.
type Steps struct {
	Mean        report.Estimate `json:"mean"`
	Relative    report.Estimate `json:"relative_mean"`
	RelativeRMS report.Estimate `json:"relative_rms"`
	SD          report.Value    `json:"sd"`
	P05         report.Value    `json:"p05"`
	P25         report.Value    `json:"p25"`
	Median      report.Value    `json:"median"`
	P75         report.Value    `json:"p75"`
	P95         report.Value    `json:"p95"`
	P99         report.Value    `json:"p99"`
	Max         report.Value    `json:"max"`
	Pairs       int             `json:"pairs"`
}

// Straightness compares successive steps (Hénaff, Goris & Simoncelli 2019).
type Straightness struct {
	// Cosine is the mean cosine of z_{t+1} − z_t and z_{t+2} − z_{t+1}: 1 on a straight
	// line, 0 for independent steps, Independent for independent states.
	Cosine report.Estimate `json:"cosine"`
	// Independent is the mean cosine of triples of states that are drawn at random from
	// these latents: −0.5 in many dimensions, −0.34 in one.
	Independent report.Value `json:"independent"`
	// Curvature is the mean angle between them in degrees.
	Curvature report.Estimate `json:"curvature_degrees"`
	Triples   int             `json:"triples"`
	// Still counts triples left out because a step has no length.
	Still int `json:"still"`
}

// SimilarityRow is the similarity of two models; see [similarity.Similarity].
type SimilarityRow struct {
	CKA         report.Estimate `json:"cka"`
	CKADebiased report.Estimate `json:"cka_debiased"`
	Procrustes  report.Estimate `json:"procrustes"`
	// RSA is Spearman's correlation of the distances within the two spaces, over all
	// pairs of states or a sample of them; RSASamplingError is the standard error
	// that drawing pairs causes, 0 for all pairs, and RSACI is about states.
	RSA              report.Estimate `json:"rsa"`
	RSASamplingError report.Value    `json:"rsa_sampling_error"`
	RSAPairs         int             `json:"rsa_pairs"`
	// CKABetween and RSABetween are debiased CKA and RSA from pairs of states in different blocks: whole episodes
	// where there are at least 5, at most 50. They are 0 on average for spaces that share nothing, also where
	// states change slowly. Undefined with fewer than 4 blocks, and without intervals, for which blocks are made.
	CKABetween report.Estimate `json:"cka_between"`
	RSABetween report.Estimate `json:"rsa_between"`
	// Null is what they are when episodes are given to other episodes; nil without permutations, for a model with
	// itself, and for constant latents.
	Null *SimilarityNull `json:"null_in_time,omitempty"`
}

// Analyze measures every model. What cannot be computed (constant latents, latents
// of length zero on the sphere, labels of one class, no consecutive states) is
// undefined with its reason. Errors: no models, unequal numbers of latents, fewer
// than 4, labels or times of another length, NaN or Inf.
func Analyze(ctx context.Context, in Input, o Options) (*Result, error) {
	work, err := Work(in, o)
	if err != nil {
		return nil, err
	}
	return work.Run(ctx)
}

func (in Input) check(o Options) error {
	n := 0
	if len(in.Models) > 0 {
		n = in.Models[0].Latents.N
	}
	if err := results.Check(in.Models, n, in.Episode); err != nil {
		return err
	}
	if in.Time != nil && len(in.Time) != n {
		return fmt.Errorf("%d times for %d states", len(in.Time), n)
	}
	if in.Labels != nil && len(in.Labels) != n {
		return fmt.Errorf("%d labels for %d states", len(in.Labels), n)
	}
	used := n
	if in.Sample != nil {
		used = len(in.Sample)
		for i, s := range in.Sample {
			if s < 0 || s >= n || i > 0 && s <= in.Sample[i-1] {
				return fmt.Errorf("sample: entry %d is state %d, want ascending states below %d", i, s, n)
			}
		}
	}
	if used < 4 {
		return fmt.Errorf("%s, want at least 4", text.Count(used, "latent"))
	}
	for _, m := range in.Models {
		if err := neighbors.Check(m.Name, m.Latents, neighbors.Euclidean); err != nil {
			return err
		}
	}
	for _, k := range slices.Concat(o.Clusters, o.Neighbors) {
		if k < 1 {
			return fmt.Errorf("%d clusters or neighbors, want at least 1", k)
		}
	}
	return nil
}

func (o Options) withDefaults() Options {
	if o.Clusters == nil {
		o.Clusters = []int{10}
	}
	if o.Neighbors == nil {
		o.Neighbors = []int{1, 5, 20}
	}
	if o.Pairs == 0 {
		o.Pairs = 2_000_000
	}
	if o.Lags == 0 {
		o.Lags = 100
	}
	return o
}
