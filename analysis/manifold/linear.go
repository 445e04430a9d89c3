// The linear dimensions of one model: estimates and their intervals by deleting blocks.
// A bootstrap would repeat latents, which makes spectra steeper.

package manifold

import (
	"context"
	"errors"
	"math"

	"repscope/analysis/internal/results"
	"repscope/measure/spectrum"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

const (
	// maxBlocks bounds the number of blocks: more are joined.
	maxBlocks = 60
	// Spectra of up to this many directions are computed again without each block, those
	// of up to wideDirections without each of fewer, larger blocks.
	manyDirections, wideDirections = 512, 1024
	wideBlocks                     = 15
)

// manySpectra is the reason for no intervals of ranks where p.spectra is nil.
const manySpectra = "too many directions to recompute the spectrum for each block"

// linear fills in what the spectrum of the latents z says, with the jackknifes that
// models are compared by.
func (m *Model) linear(ctx context.Context, z points.Points, p *plan, similarities *spectrum.Similarities,
	out *Measured) (*spectrum.Spectrum, error) {
	var s *spectrum.Spectrum
	var raw spectrum.Uncentered
	var err error
	if similarities != nil {
		s, raw, err = spectrum.WithUncentered(z)
	} else {
		s, raw, similarities, err = spectrum.WithSimilarities(ctx, z, p.o.Threads)
	}
	if err != nil {
		return nil, err
	}
	m.ParticipationRatio.Value = report.Number(s.ParticipationRatio)
	m.UsagePercent.Value = report.Number(100 * s.ParticipationRatio / float64(m.NominalDimension))
	m.EffectiveRank.Value, m.EffectiveRankSingular.Value = report.Number(s.EffectiveRank), report.Number(s.EffectiveRankSingular)
	m.RankMe.Value, m.StableRank.Value = report.Number(raw.RankMe), report.Number(s.StableRank)
	m.StableRankUncentered.Value = report.Number(raw.StableRank)
	m.TotalVariance, m.DeadDims = report.Number(s.TotalVariance), s.DeadDims
	m.Dims90.Value, m.Dims99.Value = report.Number(float64(s.Dims90)), report.Number(float64(s.Dims99))
	m.Eigenvalues = s.Eigenvalues
	blocked, err := similarities.Blocked(ctx, p.blocks, p.o.Threads)
	if err != nil {
		return nil, err
	}
	if err := m.ratios(blocked, similarities, p, out); err != nil {
		return nil, err
	}
	m.powerLaw(s.Eigenvalues)
	ranks := spectrum.RanksOf(s.Eigenvalues, raw, m.AlphaReQ.Low, m.AlphaReQ.High)
	return s, m.ranks(ctx, blocked, similarities, ranks, p, out)
}

// ratios fills in the participation ratios.
func (m *Model) ratios(b *spectrum.Blocked, similarities *spectrum.Similarities, p *plan, out *Measured) error {
	corrected, without := b.Corrected()
	m.ParticipationRatioCorrected.Value = report.NumberOr(corrected,
		"too few blocks, or too large an error, for an unbiased estimate of tr C²")
	if p.off != "" {
		none := report.NoInterval("%s", p.off)
		m.ParticipationRatio.CI, m.ParticipationRatioCorrected.CI, m.UsagePercent.CI = none, none, none
		return nil
	}
	influence := similarities.Influence()
	plain, err := p.blocks.Jackknife(m.ParticipationRatio.V, b.ParticipationRatiosWithout(), influence)
	if err != nil {
		return err
	}
	m.ParticipationRatio.CI = results.Interval(plain.WithTails().Within(1, float64(m.NominalDimension)).Interval)
	m.UsagePercent.CI = m.ParticipationRatio.CI
	if percent := 100 / float64(m.NominalDimension); m.UsagePercent.CI.Defined() {
		m.UsagePercent.CI = report.Between(percent*m.ParticipationRatio.CI.Low, percent*m.ParticipationRatio.CI.High)
	}
	if !m.ParticipationRatioCorrected.Defined() {
		m.ParticipationRatioCorrected.CI = report.NoInterval("%s", m.ParticipationRatioCorrected.Reason)
		return nil
	}
	if out.ParticipationRatio, err = p.blocks.Jackknife(corrected, without, influence); err != nil {
		return err
	}
	// Without bias the estimate can be beyond the least and the most directions there can
	// be; the interval goes no further than it.
	most := max(float64(m.NominalDimension), corrected)
	m.ParticipationRatioCorrected.CI = results.Interval(out.ParticipationRatio.WithTails().Within(min(1, corrected), most).Interval)
	return nil
}

// ranks fills in the intervals of the ranks, and by how much they are biased.
func (m *Model) ranks(
	ctx context.Context, b *spectrum.Blocked, similarities *spectrum.Similarities, ranks spectrum.Ranks, p *plan,
	out *Measured,
) error {
	ofRank, ofExponent := [2]float64{1, float64(m.NominalDimension)}, [2]float64{0, math.Inf(1)}
	cells := []struct {
		value float64
		of    func(spectrum.Ranks) float64
		ci    *report.Interval
		bias  *report.Value
		kept  **stat.Jackknifed
		ends  [2]float64
		means bool // it moves with the means of the latents, which remember as long as the latents do
	}{
		{
			ranks.Effective, func(r spectrum.Ranks) float64 { return r.Effective },
			&m.EffectiveRank.CI, &m.EffectiveRankBias, &out.EffectiveRank, ofRank, false,
		},
		{
			ranks.EffectiveSingular, func(r spectrum.Ranks) float64 { return r.EffectiveSingular },
			&m.EffectiveRankSingular.CI, nil, nil, ofRank, false,
		},
		{
			ranks.RankMe, func(r spectrum.Ranks) float64 { return r.RankMe },
			&m.RankMe.CI, &m.RankMeBias, &out.RankMe, ofRank, true,
		},
		{ranks.Stable, func(r spectrum.Ranks) float64 { return r.Stable }, &m.StableRank.CI, nil, nil, ofRank, false},
		{
			ranks.StableUncentered, func(r spectrum.Ranks) float64 { return r.StableUncentered },
			&m.StableRankUncentered.CI, nil, nil, ofRank, true,
		},
		{ranks.Directions90, func(r spectrum.Ranks) float64 { return r.Directions90 }, &m.Dims90.CI, nil, nil, ofRank, false},
		{ranks.Directions99, func(r spectrum.Ranks) float64 { return r.Directions99 }, &m.Dims99.CI, nil, nil, ofRank, false},
		{ranks.Alpha, func(r spectrum.Ranks) float64 { return r.Alpha }, &m.AlphaReQ.Alpha.CI, nil, nil, ofExponent, false},
	}
	off := p.off
	if off == "" && p.spectra == nil {
		off = manySpectra
	}
	var all spectrum.Ranks
	var without []spectrum.Ranks
	if off == "" {
		var err error
		if p.spectra != p.blocks {
			if b, err = similarities.Blocked(ctx, p.spectra, p.o.Threads); err != nil {
				return err
			}
		}
		if all, without, err = b.Ranks(ctx, m.AlphaReQ.Low, m.AlphaReQ.High, p.o.Threads); err != nil {
			return err
		}
	}
	for _, c := range cells {
		if math.IsNaN(c.value) {
			continue // with its reason
		}
		if off != "" {
			*c.ci = report.NoInterval("%s", off)
			if c.bias != nil {
				*c.bias = report.Undefined("%s", off)
			}
			continue
		}
		// What the decompositions of smaller matrices round differently is no deletion.
		replicates := make([]float64, len(without))
		for j, r := range without {
			replicates[j] = c.value + c.of(r) - c.of(all)
		}
		jackknifed, err := p.spectra.Jackknife(c.value, replicates, nil)
		if err != nil {
			return err
		}
		if c.means {
			jackknifed.WithMemory()
		}
		*c.ci = results.Interval(jackknifed.WithTails().Within(c.ends[0], c.ends[1]).Interval)
		if c.bias != nil {
			*c.bias, *c.kept = report.NumberOr(jackknifed.Bias, jackknifed.Reason), jackknifed
		}
	}
	for _, ci := range []*report.Interval{&m.Dims90.CI, &m.Dims99.CI} {
		if ci.Defined() {
			*ci = report.Between(math.Floor(ci.Low), math.Ceil(ci.High))
		}
	}
	return nil
}

// undefined marks every number of a model as undefined.
func (m *Model) undefined(reason string) {
	v, none := report.Undefined("%s", reason), report.NoEstimate("%s", reason)
	for _, e := range []*report.Estimate{
		&m.ParticipationRatio, &m.ParticipationRatioCorrected, &m.EffectiveRank, &m.EffectiveRankSingular, &m.RankMe,
		&m.UsagePercent, &m.StableRank, &m.StableRankUncentered, &m.Dims90, &m.Dims99, &m.AlphaReQ.Alpha,
	} {
		*e = none
	}
	for _, value := range []*report.Value{
		&m.EffectiveRankBias, &m.RankMeBias, &m.TotalVariance, &m.AlphaReQ.RSquared, &m.Tau, &m.NEff,
	} {
		*value = v
	}
	m.Eigenvalues, m.DeadDims = []float64{}, m.NominalDimension
	m.undefinedIntrinsic(reason)
}

// similaritiesOf are what the participation ratio of every model owes to every latent; nil for latents that do not
// vary.
func similaritiesOf(ctx context.Context, models []Encoded, threads int) ([]*spectrum.Similarities, error) {
	out := make([]*spectrum.Similarities, len(models))
	for i, m := range models {
		s, err := spectrum.NewSimilarities(ctx, m.Latents, threads)
		if _, constant := errors.AsType[*stat.UndefinedError](err); constant {
			continue
		}
		if err != nil {
			return nil, err
		}
		out[i] = s
	}
	return out, nil
}

// influences are the shares of every latent in the participation ratio, of the models where it is defined, for the
// length of blocks.
func influences(similarities []*spectrum.Similarities) [][]float64 {
	var out [][]float64
	for _, s := range similarities {
		if s == nil {
			continue
		}
		if series := s.Influence(); !math.IsNaN(stat.Sum(series)) {
			out = append(out, series)
		}
	}
	return out
}
