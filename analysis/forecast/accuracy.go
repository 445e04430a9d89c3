// Tests of equal accuracy over the sequence of initial times, next to the comparisons by
// blocks.

package forecast

import (
	"math"
	"slices"

	"repscope/report"
	"repscope/stat"
)

// AccuracyTest is the Diebold–Mariano test of a model against another on one loss: whether
// the mean difference over initial times is 0, by the equal-weighted cosine estimate of its
// variance.
type AccuracyTest struct {
	Metric     string       `json:"metric" report:"parameter"`
	Against    string       `json:"against" report:"parameter"`
	Difference report.Value `json:"difference"` // of the model − the other
	StdError   report.Value `json:"std_error"`
	T          report.Value `json:"t"`
	DF         report.Value `json:"df"`
	P          report.Value `json:"p"`
	PHolm      report.Value `json:"p_holm"` // over all pairs of models on this loss
}

// sequence are the groups in order, if they are initial times: each has the same leads,
// once. Otherwise it says why there is none.
func (s *summary) sequence() (groups []int, why string) {
	leads := map[int][]float64{}
	for i, g := range s.groups {
		lead := 0.0
		if s.leads != nil {
			lead = s.leads[i]
		}
		leads[g] = append(leads[g], lead)
	}
	var first []float64
	for g, times := range leads {
		groups = append(groups, g)
		slices.Sort(times)
		if first == nil {
			first = times
		}
		if !slices.Equal(times, first) || len(slices.Compact(slices.Clone(times))) < len(times) {
			return nil, "needs every initial time to have the same leads, each once, so that they form one sequence"
		}
	}
	slices.Sort(groups)
	return groups, ""
}

// equalAccuracy adds diebold_mariano to every model: a row per loss and later model.
func (s *summary) equalAccuracy(r *Result) {
	groups, why := s.sequence()
	if why != "" {
		for m := range r.Models {
			r.Models[m].Skipped.Set("diebold_mariano", why)
		}
		return
	}
	rows := make([][]AccuracyTest, len(r.Models))
	for _, formula := range r.Formulas {
		if !formula.mean || !formula.leads || formula.row() != "" {
			continue
		}
		losses := make([][]float64, len(r.Models))
		for m := range r.Models {
			if score, ok := r.Models[m].Score(formula.Name); ok && score.Value.Defined() && !slices.ContainsFunc(score.Sample, math.IsNaN) {
				losses[m] = s.byGroup(groups, score.Sample)
			}
		}
		s.testPairs(formula.Name, losses, rows)
	}
	for m := range r.Models {
		if rows[m] != nil {
			r.Models[m].Tables.Set("diebold_mariano", rows[m])
			r.Models[m].Fields.Set("diebold_mariano", rows[m])
		}
	}
}

// byGroup are the means over the samples of every group.
func (s *summary) byGroup(groups []int, values []float64) []float64 {
	sums, counts := make([]float64, len(groups)), make([]float64, len(groups))
	for i, v := range values {
		k, _ := slices.BinarySearch(groups, s.groups[i])
		sums[k] += v
		counts[k]++
	}
	for k := range sums {
		sums[k] /= counts[k]
	}
	return sums
}

// testPairs tests all pairs on one loss, but for two baselines.
func (s *summary) testPairs(metric string, losses [][]float64, rows [][]AccuracyTest) {
	type pair struct{ model, row int }
	var pairs []pair
	var p []float64
	for a := range losses {
		for b := a + 1; b < len(losses); b++ {
			if losses[a] == nil || losses[b] == nil || s.models[a].kind == "baseline" && s.models[b].kind == "baseline" {
				continue
			}
			test, err := stat.DieboldMariano(losses[a], losses[b], stat.DieboldMarianoOptions{})
			if err != nil { // fewer than three initial times
				test = stat.DieboldMarianoTest{Difference: stat.Mean(losses[a]) - stat.Mean(losses[b]), StdError: math.NaN(), T: math.NaN(), DF: math.NaN(),
					P: math.NaN(), Reason: stat.Reason(err)}
			}
			if test.Untestable != "" {
				test.P, test.Reason = math.NaN(), test.Untestable
			}
			number := func(v float64) report.Value { return report.NumberOr(v, test.Reason) }
			rows[a] = append(rows[a], AccuracyTest{Metric: metric, Against: s.models[b].name, Difference: number(test.Difference),
				StdError: number(test.StdError), T: number(test.T), DF: number(test.DF), P: number(test.P)})
			pairs, p = append(pairs, pair{a, len(rows[a]) - 1}), append(p, test.P)
		}
	}
	for k, v := range stat.Holm(p) {
		row := &rows[pairs[k].model][pairs[k].row]
		row.PHolm = report.NumberOr(v, row.P.Reason)
	}
}
