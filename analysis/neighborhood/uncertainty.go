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

// allIntervals are the intervals of all scores.
func (a *AtK) allIntervals() []*report.Interval {
	return []*report.Interval{&a.TrustCI, &a.ContCI, &a.QNXCI, &a.RNXCI, &a.LCMCCI, &a.MRREFalseCI, &a.MRREMissingCI}
}

// intervals fills in intervals and standard errors from the scores without each
// block.
func (a *AtK) intervals(s *neighbors.AtK, blocks *stat.Blocks, reason string) (jackknifed, error) {
	if blocks == nil {
		for _, ci := range a.allIntervals() {
			*ci = report.NoInterval("%s", reason)
		}
		undefined := report.Undefined("%s", reason)
		a.TrustSE, a.ContSE = undefined, undefined
		return jackknifed{}, nil
	}
	var out jackknifed
	for _, c := range []struct {
		score     func(*neighbors.Scores) float64
		floor     float64
		interval  *report.Interval
		se        *report.Value
		jackknife **stat.Jackknifed
	}{
		{func(s *neighbors.Scores) float64 { return s.Trustworthiness }, 0, &a.TrustCI, &a.TrustSE, &out.trust},
		{func(s *neighbors.Scores) float64 { return s.Continuity }, 0, &a.ContCI, &a.ContSE, &out.cont},
		{func(s *neighbors.Scores) float64 { return s.QNX }, 0, &a.QNXCI, nil, nil},
		{func(s *neighbors.Scores) float64 { return s.RNX }, math.Inf(-1), &a.RNXCI, nil, nil},
		{func(s *neighbors.Scores) float64 { return s.LCMC }, -1, &a.LCMCCI, nil, nil},
		{func(s *neighbors.Scores) float64 { return s.MRREFalse }, 0, &a.MRREFalseCI, nil, nil},
		{func(s *neighbors.Scores) float64 { return s.MRREMissing }, 0, &a.MRREMissingCI, nil, nil},
	} {
		replicates := make([]float64, len(s.Replicates))
		for j := range s.Replicates {
			replicates[j] = c.score(&s.Replicates[j].Scores)
		}
		j, err := blocks.Jackknife(c.score(&s.Scores), replicates, nil)
		if err != nil {
			return jackknifed{}, err
		}
		*c.interval = results.Interval(j.Within(c.floor, 1).Interval)
		if c.se != nil {
			*c.se = report.NumberOr(j.StdError, j.Reason)
			*c.jackknife = j
		}
	}
	return out, nil
}

// curveIntervals fills in the intervals of the curves' numbers.
func (m *Model) curveIntervals(c *neighbors.Curves, blocks *stat.Blocks, reason string) error {
	if c == nil {
		return nil // undefined, and so are their intervals
	}
	for _, number := range []struct {
		score func(neighbors.CurveReplicate) float64
		floor float64
		to    *report.Estimate
	}{
		{func(r neighbors.CurveReplicate) float64 { return r.AUCRNX }, math.Inf(-1), &m.AUCRNX},
		{func(r neighbors.CurveReplicate) float64 { return r.QLocal }, 0, &m.QLocal},
		{func(r neighbors.CurveReplicate) float64 { return r.QGlobal }, 0, &m.QGlobal},
	} {
		if blocks == nil {
			number.to.CI = report.NoInterval("%s", reason)
			continue
		}
		replicates := make([]float64, len(c.Without))
		for j, r := range c.Without {
			replicates[j] = number.score(r)
		}
		j, err := blocks.Jackknife(number.to.V, replicates, nil)
		if err != nil {
			return err
		}
		number.to.CI = results.Interval(j.Within(number.floor, 1).Interval)
	}
	return nil
}
