// The approximate mode: scores estimated on a sample of reference states.

package neighborhood

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"repscope/neighbors"
	"repscope/report"
)

// Penalty is a sum of integers, or its expectation where distances tie and ties are averaged;
// undefined where only a sample was ranked or a space has collapsed.
type Penalty struct {
	Sum    float64
	Reason string // why it is undefined; empty for a sum
}

// MarshalJSON writes the sum, or null.
func (p Penalty) MarshalJSON() ([]byte, error) {
	if p.Reason != "" {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, p.Sum, 'f', -1, 64), nil
}

// Sampling says what the scores of a model were estimated from.
type Sampling struct {
	// References is the number of states whose neighbors were ranked, against
	// all states, and Strata the number of groups of consecutive states or
	// episodes that they were drawn from in proportion.
	References int `json:"references"`
	Strata     int `json:"strata"`
	// Recall is the share of true neighbors in the lists of the references. It
	// is 1 by construction: their distances to all states are computed.
	Recall SampleRecall `json:"recall"`
	// Exact and Estimated name in words the exact and the estimated numbers.
	Exact     string `json:"exact"`
	Estimated string `json:"estimated"`
}

// SampleRecall is the share of true nearest neighbors that were found for the references.
type SampleRecall struct {
	Value         report.Value `json:"value"`
	StandardError report.Value `json:"standard_error"`
	Queries       int          `json:"queries"` // points whose lists were compared with exact ones
	Exact         bool         `json:"exact"`   // the search was exact: nothing had to be compared
}

// SamplingErrors are the standard errors of scores for the draw of the
// references, stratified and with the finite-population correction. They say how
// far the scores of all states may be, not how scores vary with the data.
type SamplingErrors struct {
	Trustworthiness report.Value `json:"trustworthiness"`
	Continuity      report.Value `json:"continuity"`
	QNX             report.Value `json:"q_nx"`
	RNX             report.Value `json:"r_nx"`
	LCMC            report.Value `json:"lcmc"`
	MRREFalse       report.Value `json:"mrre_false"`
	MRREMissing     report.Value `json:"mrre_missing"`
}

const (
	noIntervals = "--approx has sampling errors instead of intervals"
	noPenalties = "--approx ranks a sample of the states"
)

func (o Options) approximation() neighbors.Approximation {
	return neighbors.Approximation{Seed: o.Seed, References: o.References}
}

// compareSampled is the comparison on reference states. It leaves out the
// intervals and the comparisons of models, which delete blocks of states and
// need all ranks.
func (r *Result) compareSampled(ctx context.Context, p *plan, o Options) error {
	in := p.in
	sample, short := &neighbors.Sample{}, &neighbors.Sample{}
	var err error
	if p.pass != nil {
		if sample, err = p.pass.CompareSampled(ctx, o.approximation()); err != nil {
			return err
		}
	}
	if p.cut != nil && p.cut.pass != nil {
		if short, err = p.cut.pass.CompareSampled(ctx, o.approximation()); err != nil {
			return err
		}
	}
	r.Sampling = &Sampling{
		References: len(sample.Index), Strata: len(sample.Strata),
		Recall: SampleRecall{Value: report.Number(1), StandardError: report.Number(0), Queries: len(sample.Index), Exact: true},
		Exact: fmt.Sprintf("neighbors, ranks and penalties of each of the %d references among all %d states; there "+
			"is no approximate search, so recall is 1",
			len(sample.Index), in.Frames.N),
		Estimated: fmt.Sprintf("the means over all states, from references drawn at random in %d strata; ± is the "+
			"standard error of this draw", len(sample.Strata)),
	}
	for i, encoded := range in.Models {
		if reason := p.collapsed[i]; reason != "" {
			m, err := p.undefined(i, reason)
			if err != nil {
				return err
			}
			m.Sampling = r.Sampling
			r.diagnose(&m, encoded.Latents)
			r.Models = append(r.Models, m)
			continue
		}
		s := &sample.Spaces[slices.Index(p.live, i)]
		scores := neighbors.Preservation{N: s.N, Original: s.Original, Embedded: s.Embedded, MinCandidates: s.MinCandidates}
		for _, a := range s.ByK {
			scores.ByK = append(scores.ByK, neighbors.AtK{K: a.K, Scores: neighbors.Scores{
				Trustworthiness: a.Trustworthiness.Value, Continuity: a.Continuity.Value,
				QNX: a.QNX.Value, RNX: a.RNX.Value, LCMC: a.LCMC.Value,
				MRREFalse: a.MRREFalse.Value, MRREMissing: a.MRREMissing.Value,
				Chance: a.Chance,
			}})
		}
		m := newModel(encoded, in, p.series[i], &scores, o.Ties, "--approx ranks a sample of the states")
		m.Sampling = r.Sampling
		r.diagnose(&m, encoded.Latents)
		for q, a := range s.ByK {
			k := &m.ByK[q]
			k.TrustPenalty, k.ContPenalty = Penalty{Reason: noPenalties}, Penalty{Reason: noPenalties}
			if _, err := k.intervals(&scores.ByK[q], nil, noIntervals); err != nil {
				return err
			}
			k.SamplingSE = &SamplingErrors{
				Trustworthiness: report.Number(a.Trustworthiness.StandardError), Continuity: report.Number(a.Continuity.StandardError),
				QNX: report.Number(a.QNX.StandardError), RNX: report.Number(a.RNX.StandardError), LCMC: report.Number(a.LCMC.StandardError),
				MRREFalse: report.Number(a.MRREFalse.StandardError), MRREMissing: report.Number(a.MRREMissing.StandardError),
			}
			if o.PerPoint {
				m.points = append(m.points, penalties{a.PointTrustPenalty, a.PointContPenalty, a.PointNormalizer})
			}
		}
		p.fillNull(&m, i, sampledNulls(sample), sampledNulls(short))
		if o.PerPoint {
			m.pointIndex = sample.Index
		}
		r.Models = append(r.Models, m)
	}
	r.fillChance()
	r.fillWindow()
	r.duplicateWarnings()
	return nil
}
