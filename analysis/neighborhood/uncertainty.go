// What chance and dependence leave open: jackknife intervals and the permutation
// null.

package neighborhood

import (
	"context"
	"math"
	"slices"

	"repscope/analysis/internal/evidence"
	"repscope/dataset"
	"repscope/neighbors"
	"repscope/report"
	"repscope/stat"
)

// jackknifed holds the jackknifes of one model at one k, nil without intervals.
type jackknifed struct{ trust, cont *stat.Jackknifed }

// intervals fills in intervals and standard errors from the scores without each
// block.
func (a *AtK) intervals(s *neighbors.AtK, blocks *stat.Blocks, reason string) (jackknifed, error) {
	if blocks == nil {
		none, undefined := report.NoInterval("%s", reason), report.Undefined("%s", reason)
		a.TrustCI, a.ContCI, a.RNXCI = none, none, none
		a.TrustSE, a.ContSE = undefined, undefined
		return jackknifed{}, nil
	}
	var trust, cont, rnx []float64
	for _, r := range s.Replicates {
		trust, cont, rnx = append(trust, r.Trustworthiness), append(cont, r.Continuity), append(rnx, r.RNX)
	}
	var out jackknifed
	for _, c := range []struct {
		estimate   float64
		replicates []float64
		floor      float64
		interval   *report.Interval
		se         *report.Value
		jackknife  **stat.Jackknifed
	}{
		{s.Trustworthiness, trust, 0, &a.TrustCI, &a.TrustSE, &out.trust},
		{s.Continuity, cont, 0, &a.ContCI, &a.ContSE, &out.cont},
		{s.RNX, rnx, math.Inf(-1), &a.RNXCI, nil, nil},
	} {
		j, err := stat.DeleteBlockJackknife(c.estimate, c.replicates, blocks.Sizes(), 0)
		if err != nil {
			return jackknifed{}, err
		}
		*c.interval = evidence.Interval(j.Interval)
		if c.interval.Defined() {
			*c.interval = report.Between(max(j.Interval.Low, c.floor), min(j.Interval.High, 1))
		}
		if c.se != nil {
			*c.se = report.NumberOr(j.StdError, j.Reason)
			*c.jackknife = j
		}
	}
	return out, nil
}

// nullScores are the scores of one model at one k over the permutations.
type nullScores struct{ trust, cont []float64 }

func (s nullScores) summary() *Null {
	const one = "one permutation has no spread"
	return &Null{
		Permutations:        len(s.trust),
		TrustworthinessMean: report.Number(stat.Mean(s.trust)),
		TrustworthinessSD:   report.NumberOr(stat.StandardDeviation(s.trust), one),
		ContinuityMean:      report.Number(stat.Mean(s.cont)),
		ContinuitySD:        report.NumberOr(stat.StandardDeviation(s.cont), one),
	}
}

// nullBytes bounds the permuted copies of latents that one pass compares, where
// no memory limit is given.
const nullBytes = 512 << 20

// order is the random order of permutation p: state i is given the latent of
// state order[i].
func (o Options) order(p, n int) []int {
	return stat.NewRandom(stat.NewKey(o.Seed, streamPermutation, uint64(p))).Perm(n)
}

// permuted scores every model on the references with its latents given to the states in
// random orders, the same orders for all models. Copies are compared together, as many
// as memory allows. It returns nil for no permutations.
func permuted(ctx context.Context, frames dataset.Points, spaces []dataset.Points, settings neighbors.Options, o Options, progress func(done int)) ([][]nullScores, error) {
	if o.Permutations <= 0 {
		return nil, nil
	}
	settings.CoRanking, settings.PerPoint, settings.Blocks = neighbors.CoRankingOff, false, nil
	metrics := settings.EmbeddedMetrics
	out := make([][]nullScores, len(spaces))
	for i := range out {
		out[i] = make([]nullScores, len(settings.Ks))
	}
	budget := int64(nullBytes)
	if o.Memory > 0 {
		budget = min(budget, o.Memory/2)
	}
	var copies []dataset.Points
	var models []int
	held, done := int64(0), 0
	flush := func() error {
		if len(copies) == 0 {
			return nil
		}
		if metrics != nil {
			settings.EmbeddedMetrics = slices.Repeat(metrics[:1], len(copies))
		}
		settings.Progress = func(rows, _ int) { progress(done + rows) }
		compared, err := o.scores(ctx, frames, copies, settings)
		if err != nil {
			return err
		}
		for c, i := range models {
			for q, one := range compared[c] {
				s := &out[i][q]
				s.trust, s.cont = append(s.trust, one.trust), append(s.cont, one.cont)
			}
		}
		done += len(copies) * o.ranked(frames.N)
		copies, models, held = copies[:0], models[:0], 0
		return nil
	}
	for p := range o.Permutations {
		order := o.order(p, frames.N)
		for i, z := range spaces {
			size := sizeOf(z)
			if held+size > budget {
				if err := flush(); err != nil {
					return nil, err
				}
			}
			copies, models, held = append(copies, z.Select(order)), append(models, i), held+size
		}
	}
	return out, flush()
}

// sizeOf is the size of points in memory.
func sizeOf(p dataset.Points) int64 {
	return int64(len(p.U8)) + 4*int64(len(p.F32)) + 8*int64(len(p.F64))
}
