// What chance and dependence leave open: jackknife intervals and the permutation
// null.

package neighborhood

import (
	"math"

	"repscope/analysis/internal/results"
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
		j, err := blocks.Jackknife(c.estimate, c.replicates, nil)
		if err != nil {
			return jackknifed{}, err
		}
		*c.interval = results.Interval(j.Interval)
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
