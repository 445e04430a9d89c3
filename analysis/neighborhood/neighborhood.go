// Package neighborhood measures how well encoders keep the neighborhoods of the
// original states: trustworthiness and continuity (Venna & Kaski 2001), MRRE and
// the co-ranking measures Q_NX, R_NX and LCMC (Lee & Verleysen 2009; Lee et al.
// 2013), exactly over all states, with jackknife intervals, the chance level and
// a permutation null.
//
//	result, err := neighborhood.Analyze(ctx, neighborhood.Input{
//		Frames:  frames, // points.Points, one row per state
//		Episode: episode,
//		Models:  []neighborhood.Encoded{{Name: "jepa", Latents: z}},
//	}, neighborhood.Options{Settings: analysis.Settings{Intervals: true, Seed: 42}, K: []int{5, 10, 20}, Permutations: 10})
//	fmt.Println(result.Models[0].ByK[0].Trustworthiness)
package neighborhood

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"repscope/analysis"
	"repscope/analysis/internal/results"
	"repscope/internal/option"
	"repscope/internal/text"
	"repscope/measure/spectrum"
	"repscope/neighbors"
	"repscope/points"
	"repscope/report"
)

// Encoded is one model's latents: Name, and Latents with a row per state.
type Encoded = results.Encoded

// Input is what Analyze looks at: N states, and one latent per state and model.
type Input struct {
	Frames points.Points // the original space
	// Source is what errors call the frames, such as the name of their file.
	Source string
	// Space says what Frames are, "frame" or "clip", for the result file.
	Space   string
	Episode []int // of each state; nil means one episode
	// Time is the frame of the recording at which each state begins, strictly
	// ascending, for the exclusion window; nil means 0, 1, 2, …
	Time []int
	// Sampled says that the states were drawn at random from more: they do not follow
	// each other, and the exclusion window counts their times.
	Sampled bool
	// Same numbers the states that an encoder saw, equal ones alike; nil: it is not known which
	// are equal.
	Same   []int
	Models []Encoded
}

// Options are the choices of an analysis; the zero value is the default, without
// intervals and without a null.
type Options struct {
	analysis.Settings
	K []int // neighborhood sizes; nil means 5, 10, 20
	// Metric is the metric of both spaces; with neighbors.Precomputed the frames are
	// the distances between the states and latents are compared by Euclidean ones.
	Metric neighbors.Metric
	// LatentMetric is LatentEuclidean or LatentCosine, the metric of latents where the states have
	// another; empty or LatentSame: as Metric says.
	LatentMetric string
	CoRanking    neighbors.CoRanking
	// Ties says how states at equal distances are ordered; the zero value averages over all
	// orders, independent in both spaces.
	Ties neighbors.Ties
	// ExcludeWindow w > 0 takes pairs of states at most w frames apart in one
	// episode out of the neighborhoods and the ranks. −1: the longest autocorrelation
	// time of the models, at most what leaves every state half of the others; an error
	// of Sampled states.
	ExcludeWindow int
	// PerPoint keeps the scores of every state, of every reference where Approximate.
	PerPoint bool
	// Approximate ranks a sample of References reference states (0:
	// neighbors.DefaultReferences) instead of all, each against all states;
	// sampling errors take the place of intervals and comparisons, and there are
	// no curves.
	Approximate bool
	References  int
	// Permutations is the number of other pairings of states and latents behind the
	// null; 0: none. Null is how they are made; empty means NullTime.
	Permutations int
	Null         NullKind
	Scale        spectrum.Scale // of latents; only spectrum.ScaleL2 changes neighbors
}

// Declare binds the options to their fields.
func (o *Options) Declare(l *option.List) {
	l.Ints(&o.K, "k", "`LIST` of neighborhood sizes").AtLeast(1).Distinct()
	option.Choice(l, &o.Metric, "metric", []neighbors.Metric{neighbors.Euclidean, neighbors.Cosine, neighbors.Precomputed},
		"`NAME` of the distance between states; precomputed: the frames are a distance matrix")
	option.Choice(l, &o.LatentMetric, "latent-metric", []string{LatentSame, LatentEuclidean, LatentCosine},
		"`NAME` of the distance between latents; same: as --metric, or euclidean if states are precomputed")
	option.Choice(l, &o.CoRanking, "coranking",
		[]neighbors.CoRanking{neighbors.CoRankingAuto, neighbors.CoRankingFull, neighbors.CoRankingOff},
		fmt.Sprintf("`WHEN` to compute the curves over all K; auto: up to %d states", neighbors.AutoCoRankingPoints))
	option.Choice(l, &o.Ties, "ties", []neighbors.Ties{neighbors.TiesAverage, neighbors.TiesRandom, neighbors.TiesIndex},
		"`RULE` for equal distances: average (mean over all orders, independent in both spaces), random (one "+
			"order, by --seed), index (lower index first)")
	l.Var((*results.Window)(&o.ExcludeWindow), "exclude-window", results.WindowUsage)
	l.Int(&o.Permutations, "permutations",
		"`N` shuffled pairings of states and latents for the null; 0: none").Draws(0)
	option.Choice(l, &o.Null, "null", []NullKind{NullTime, NullIndependent},
		"`KIND` of shuffled pairing: time (episodes are exchanged, fewer than 5 are rotated, which keeps the order "+
			"in time) or independent (any state)")
	l.Bool(&o.PerPoint, "per-point", "write the scores of every state to neighborhood_per_point.csv").Free()
	l.Bool(&o.Approximate, "approx", "for very many states: rank only a sample of reference states, each exactly "+
		"against all states; reports sampling errors instead of intervals")
	l.Int(&o.References, "approx-references", "`N` reference states of --approx, at least 2").AtLeast(2)
}

// The values of Options.LatentMetric.
const (
	LatentSame      = "same"
	LatentEuclidean = "euclidean"
	LatentCosine    = "cosine"
)

// latentMetric is the metric of latents.
func (o *Options) latentMetric() (neighbors.Metric, error) {
	switch {
	case o.LatentMetric != "" && o.LatentMetric != LatentSame:
		metric, err := neighbors.ParseMetric(o.LatentMetric)
		if err == nil && metric == neighbors.Precomputed {
			err = fmt.Errorf("latents cannot have precomputed distances")
		}
		return metric, err
	case o.Metric == neighbors.Precomputed:
		return neighbors.Euclidean, nil
	}
	return o.Metric, nil
}

// maxBlocks bounds the number of deletions: every one has its own ranks of every
// neighbor.
const maxBlocks = 40

// Result is the outcome for all models, in the order of the input.
type Result struct {
	Samples       int
	K             []int
	ExcludeWindow int
	Models        []Model
	Comparisons   []report.Comparison // of trustworthiness@k and continuity@k
	Blocks        string              // what the jackknife deletes, for captions; empty without intervals
	Sampling      *Sampling           // the sample; nil where all states were ranked
	Warnings      []string

	sampled   bool // the states were drawn at random
	automatic bool // the window follows from the autocorrelation times
}

// Model is the outcome for one model.
type Model struct {
	Name    string `json:"-"`
	Samples int    `json:"samples"`
	// Space is what the original space is: the last frame of each state or the
	// whole clip.
	Space string `json:"space,omitempty"`
	ByK   []AtK  `json:"by_k"`
	// Sampling says what the scores were estimated from; nil where all states
	// were ranked.
	Sampling *Sampling `json:"sampling,omitempty"`
	// AUCRNX is Σ_K R_NX(K)/K / Σ_K 1/K over K = 1..n−2. KStar maximizes LCMC;
	// QLocal is the mean of Q_NX over 1..KStar and QGlobal over KStar..n−2.
	// Undefined without co-ranking. KStar has no interval: where a curve is largest is no smooth function of the states.
	AUCRNX  report.Estimate `json:"auc_r_nx"`
	KStar   report.Value    `json:"k_star"`
	QLocal  report.Estimate `json:"q_local"`
	QGlobal report.Estimate `json:"q_global"`
	// Chance is the mean over k of the chance levels of ByK: the line of the
	// figure.
	Chance report.Value `json:"chance"`
	// Ties counts, over the states ranked, the candidates at exactly the distance
	// being ranked, which TiesRule orders; Duplicates the points equal to one of lower index;
	// Redecided the comparisons decided again on exact distances.
	Ties       Counts `json:"ties"`
	TiesRule   string `json:"ties_rule"`
	Duplicates Counts `json:"duplicates"`
	Redecided  Counts `json:"redecided"`
	// FrameDistances and LatentDistances name how distances were computed.
	FrameDistances  string `json:"frame_distances"`
	LatentDistances string `json:"latent_distances"`
	// Candidates is the smallest number of states that can be a neighbor of one:
	// n−1, fewer with an exclusion window.
	Candidates int `json:"candidates"`
	// ExcludeWindow is the exclusion window in frames where it was found from the
	// autocorrelation times, 0 where it was given.
	ExcludeWindow int `json:"exclude_window,omitempty"`
	// RMSDistance is √(2·tr C) of the raw latents and EffectiveRank the entropy
	// effective rank of their covariance. Where all latents or all states are equal, no
	// score is defined.
	RMSDistance   report.Value `json:"rms_distance"`
	EffectiveRank report.Value `json:"effective_rank"`
	// NEff is the number of independent latents that the dependent ones are worth
	// for the mean of the coordinate that varies most, NEffReliable whether the states
	// are enough to tell, and AutocorrelationTime the autocorrelation time of this coordinate about the means
	// of its episodes, in states.
	NEff                report.Value `json:"n_eff"`
	NEffReliable        bool         `json:"n_eff_reliable"`
	AutocorrelationTime report.Value `json:"autocorrelation_time"`
	Curves              *Curves      `json:"curves,omitempty"`

	points     []penalties // per k, with PerPoint
	pointIndex []int       // the states that points are of; nil: all
}

// Counts are the counts of the two spaces.
type Counts struct {
	Frames  int64 `json:"frames"`
	Latents int64 `json:"latents"`
}

// Curves are the co-ranking curves; entry K−1 belongs to neighborhood size K.
type Curves struct {
	QNX []float64 `json:"q_nx"`
	RNX []float64 `json:"r_nx"`
}

// AtK holds the scores of one neighborhood size; see [neighbors.Scores].
type AtK struct {
	K               int          `json:"k" report:"parameter"`
	Trustworthiness report.Value `json:"trustworthiness"`
	Continuity      report.Value `json:"continuity"`
	TrustPenalty    Penalty      `json:"trust_penalty"`
	ContPenalty     Penalty      `json:"cont_penalty"`
	QNX             report.Value `json:"q_nx"`
	RNX             report.Value `json:"r_nx"`
	LCMC            report.Value `json:"lcmc"`
	MRREFalse       report.Value `json:"mrre_false"`
	MRREMissing     report.Value `json:"mrre_missing"`
	// Intervals are the intervals of the delete-block jackknife, cut at the ends of the
	// score's range; SE is its standard error.
	TrustCI report.Interval `json:"trust_ci" report:"interval of trustworthiness"`
	ContCI  report.Interval `json:"cont_ci" report:"interval of continuity"`
	QNXCI   report.Interval `json:"q_nx_ci"`
	RNXCI   report.Interval `json:"r_nx_ci"`
	LCMCCI  report.Interval `json:"lcmc_ci"`
	// MRREFalseCI and MRREMissingCI end at 1, as the other scores do.
	MRREFalseCI   report.Interval `json:"mrre_false_ci"`
	MRREMissingCI report.Interval `json:"mrre_missing_ci"`

	TrustSE report.Value `json:"trust_se" report:"error of trustworthiness"`
	ContSE  report.Value `json:"cont_se" report:"error of continuity"`
	// SamplingSE are the standard errors of a sample; nil where all states were
	// ranked.
	SamplingSE *SamplingErrors `json:"sampling_se,omitempty"`
	// Chance is the trustworthiness, and the continuity, expected when ranks are
	// random, in closed form, for independent states. NullInTime is the score of pairings
	// that keep the order in time, Null the score of random pairings; one of the two.
	Chance     report.Value `json:"chance"`
	NullInTime *Null        `json:"null_in_time,omitempty"`
	Null       *Null        `json:"null,omitempty"`
}

func (a *AtK) setNull(kind NullKind, n *Null) {
	if kind == NullIndependent {
		a.Null = n
	} else {
		a.NullInTime = n
	}
}

// null is the one that was made, nil for none.
func (a *AtK) MadeNull() *Null { return cmp.Or(a.NullInTime, a.Null) }

// Null describes the scores of latents given to other states.
type Null struct {
	Permutations int `json:"permutations"`
	// Cut are the scores of the states that the null is of, where they are not all: compare it with these.
	Cut                 *CutScores   `json:"cut,omitempty"`
	TrustworthinessMean report.Value `json:"trustworthiness_mean"`
	TrustworthinessSD   report.Value `json:"trustworthiness_sd"`
	ContinuityMean      report.Value `json:"continuity_mean"`
	ContinuitySD        report.Value `json:"continuity_sd"`
	RNXMean             report.Value `json:"r_nx_mean"`
	RNXSD               report.Value `json:"r_nx_sd"`
}

// CutScores are scores of episodes cut to one length; see [stat.EqualLengths].
type CutScores struct {
	States          int          `json:"states"`
	Trustworthiness report.Value `json:"trustworthiness"`
	Continuity      report.Value `json:"continuity"`
	RNX             report.Value `json:"r_nx"`
}

// penalties are the penalties of every state at one k.
type penalties struct {
	trust, cont []float64
	normalizer  []int64
}

// Analyze compares the neighborhoods of the frames with the neighborhoods of every model's
// latents. Errors: no models, unequal numbers of states and latents, fewer than
// 3, a k outside 1..n−2 or given twice, NaN or Inf, a zero vector under the
// cosine metric, an exclusion window that leaves too few candidates.
func Analyze(ctx context.Context, in Input, o Options) (*Result, error) {
	if o.Approximate {
		return sampledResult(ctx, in, o)
	}
	work, err := Work(in, o)
	if err != nil {
		return nil, err
	}
	return work.Run(ctx)
}

// source is what errors call the frames.
func (in Input) source() string { return cmp.Or(in.Source, "original states") }

func (in Input) check() error {
	n := in.Frames.N
	if n < 3 {
		return fmt.Errorf("%s: %s, want at least 3", in.source(), text.Count(n, "state"))
	}
	if err := results.Check(in.Models, n, in.Episode); err != nil {
		return err
	}
	if in.Time != nil && len(in.Time) != n {
		return fmt.Errorf("%d times for %d states", len(in.Time), n)
	}
	for i := 1; i < len(in.Time); i++ {
		if in.Time[i] <= in.Time[i-1] {
			return fmt.Errorf("state %d begins at frame %d and state %d at frame %d, want ascending times",
				i-1, in.Time[i-1], i, in.Time[i])
		}
	}
	return nil
}

// latents returns the latents on the scale asked for, without what rounding alone tells
// apart, validated so that errors name the model.
func (in Input) latents(metric neighbors.Metric, scale spectrum.Scale, threads int) ([]neighbors.Space, error) {
	spaces := make([]neighbors.Space, len(in.Models))
	for i, m := range in.Models {
		var err error
		if spaces[i], err = neighbors.NewSpace(m.Name, m.Latents, metric); err != nil {
			return nil, err
		}
		near, err := neighbors.WithoutRounding(context.Background(), m.Latents, in.Same, threads)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
		if scale == spectrum.ScaleL2 {
			if near.Points, err = spectrum.Scaled(near.Points, scale); err != nil {
				return nil, fmt.Errorf("%s: %w", m.Name, err)
			}
		} else if near.Moved == 0 {
			continue
		}
		if spaces[i], err = neighbors.NewSpace(m.Name, near.Points, metric); err != nil {
			return nil, err
		}
	}
	return spaces, nil
}

// newModel is the outcome for a model; noCurves says why there are no co-ranking curves.
func newModel(encoded Encoded, in Input, series []float64, p *neighbors.Preservation, ties neighbors.Ties,
	noCurves string) Model {
	m := Model{
		Name: encoded.Name, Samples: p.N, Space: in.Space, Candidates: p.MinCandidates,
		Ties:            Counts{p.Original.Ties, p.Embedded.Ties},
		Duplicates:      Counts{int64(p.Original.Duplicates), int64(p.Embedded.Duplicates)},
		Redecided:       Counts{p.Original.Redecided, p.Embedded.Redecided},
		FrameDistances:  p.Original.Method,
		LatentDistances: p.Embedded.Method,
		TiesRule:        ties.String(),
	}
	m.memory(series, in.Episode)
	chance := 0.0
	for i := range p.ByK {
		s := &p.ByK[i]
		m.ByK = append(m.ByK, AtK{
			K:               s.K,
			Trustworthiness: report.Number(s.Trustworthiness), Continuity: report.Number(s.Continuity),
			TrustPenalty: Penalty{Sum: s.TrustPenalty}, ContPenalty: Penalty{Sum: s.ContPenalty},
			QNX: report.Number(s.QNX), RNX: report.Number(s.RNX), LCMC: report.Number(s.LCMC),
			MRREFalse: report.Number(s.MRREFalse), MRREMissing: report.Number(s.MRREMissing),
			Chance: report.Number(s.Chance),
		})
		if s.PointNormalizer != nil {
			m.points = append(m.points, penalties{s.PointTrustPenalty, s.PointContPenalty, s.PointNormalizer})
		}
		chance += s.Chance / float64(len(p.ByK))
	}
	m.Chance = report.Number(chance)
	if c := p.Curves; c != nil {
		m.AUCRNX.Value, m.KStar = report.Number(c.AUCRNX), report.Number(float64(c.KStar))
		m.QLocal.Value, m.QGlobal.Value = report.Number(c.QLocal), report.Number(c.QGlobal)
		m.Curves = &Curves{QNX: c.QNX, RNX: c.RNX}
	} else {
		v := report.NoEstimate("the co-ranking curves were not computed: %s", noCurves)
		m.AUCRNX, m.KStar, m.QLocal, m.QGlobal = v, v.Value, v, v
	}
	return m
}

// diagnose fills in what tells a collapsed encoder.
func (r *Result) diagnose(m *Model, z points.Points) {
	m.RMSDistance, m.EffectiveRank = results.Spread(z)
	if !m.RMSDistance.Defined() {
		r.warn(results.Collapsed(m.Name, m.RMSDistance.Reason))
	}
}

// undefined returns a model whose neighborhoods cannot be compared: duplicates are counted, scores have the reason.
func (p *plan) undefined(i int, reason string) (Model, error) {
	counts := func(s neighbors.Space) (neighbors.SpaceCounts, error) {
		n, err := s.Duplicates(context.Background(), max(p.o.Threads, 0))
		return neighbors.SpaceCounts{Duplicates: n, Method: "none"}, err
	}
	preservation := neighbors.Preservation{N: p.in.Frames.N, MinCandidates: p.in.Frames.N - 1}
	var err error
	if preservation.Original, err = counts(p.frames); err != nil {
		return Model{}, err
	}
	if preservation.Embedded, err = counts(p.spaces[i]); err != nil {
		return Model{}, err
	}
	m := newModel(p.in.Models[i], p.in, p.series[i], &preservation, p.o.Ties, reason)
	v, none := report.Undefined("%s", reason), report.NoInterval("%s", reason)
	m.KStar, m.Chance = v, v
	for _, e := range []*report.Estimate{&m.AUCRNX, &m.QLocal, &m.QGlobal} {
		*e = report.NoEstimate("%s", reason)
	}
	for _, k := range p.ks {
		a := AtK{K: k, Trustworthiness: v, Continuity: v, TrustPenalty: Penalty{Reason: reason}, ContPenalty: Penalty{Reason: reason},
			QNX: v, RNX: v, LCMC: v, MRREFalse: v, MRREMissing: v, TrustSE: v, ContSE: v, Chance: v}
		for _, ci := range a.allIntervals() {
			*ci = none
		}
		if p.o.Approximate {
			a.SamplingSE = &SamplingErrors{v, v, v, v, v, v, v}
		}
		m.ByK = append(m.ByK, a)
	}
	return m, nil
}

// fillChance gives models without scores the level of chance, which is the same for all.
func (r *Result) fillChance() {
	first := slices.IndexFunc(r.Models, func(m Model) bool { return m.Chance.Defined() })
	for i := range r.Models {
		if m := &r.Models[i]; first >= 0 && !m.Chance.Defined() {
			m.Chance, m.Candidates = r.Models[first].Chance, r.Models[first].Candidates
			for q := range m.ByK {
				m.ByK[q].Chance = r.Models[first].ByK[q].Chance
			}
		}
	}
}

// fillWindow gives all models the window that was found for them.
func (r *Result) fillWindow() {
	for i := range r.Models {
		if r.automatic {
			r.Models[i].ExcludeWindow = r.ExcludeWindow
		}
	}
}

// TiesInWords say what becomes of neighbors at equal distances.
var TiesInWords = map[string]string{
	neighbors.TiesAverage.String(): "scores are means over all orders of neighbors at equal distances",
	neighbors.TiesRandom.String():  "neighbors at equal distances have one random order",
	neighbors.TiesIndex.String(): "neighbors at equal distances are ranked by index, which inflates the " +
		"agreement of both spaces; use --ties average",
}

func (r *Result) duplicateWarnings() {
	tell := func(what string, count int64) {
		if float64(count) > results.DuplicateShare*float64(r.Samples) {
			r.warn(fmt.Sprintf("%s: %d of %d are duplicates of an earlier one; %s", what, count, r.Samples, TiesInWords[r.Models[0].TiesRule]))
		}
	}
	tell("original states", r.Models[0].Duplicates.Frames)
	for _, m := range r.Models {
		if m.RMSDistance.Defined() { // else the warning of a collapse says more
			tell(m.Name+": latents", m.Duplicates.Latents)
		}
	}
}

func (r *Result) warn(text string) {
	if text != "" && !slices.Contains(r.Warnings, text) {
		r.Warnings = append(r.Warnings, text)
	}
}

// PointScores returns the trustworthiness and the continuity of every state at
// the i-th k: 1 minus the state's penalty over the worst penalty it could have.
// Their mean is the score of all states. nil without Options.PerPoint, which [Model.Penalties] are too.
func (m *Model) PointScores(i int) (trust, cont []float64) {
	if i >= len(m.points) {
		return nil, nil
	}
	p := m.points[i]
	trust, cont = make([]float64, len(p.trust)), make([]float64, len(p.cont))
	for j, worst := range p.normalizer {
		trust[j] = 1 - p.trust[j]/float64(worst)
		cont[j] = 1 - p.cont[j]/float64(worst)
	}
	return trust, cont
}

// Penalties returns the penalties of every state at the i-th k: the sums of (rank − k) that scores are made of.
func (m *Model) Penalties(i int) (trust, cont []float64) {
	if i >= len(m.points) {
		return nil, nil
	}
	return m.points[i].trust, m.points[i].cont
}

// PointState returns the state that entry i of [Model.PointScores] belongs to: i itself, unless states were sampled.
func (m *Model) PointState(i int) int {
	if m.pointIndex == nil {
		return i
	}
	return m.pointIndex[i]
}
