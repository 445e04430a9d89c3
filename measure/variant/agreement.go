// How scores of the variants of one assay agree with measurements.

package variant

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"repscope/internal/quantile"
	"repscope/stat"
)

// Measure is a number of the agreement of scores with measurements.
type Measure int

// The measures, as ProteinGym defines them where it has them. Higher is better.
const (
	// Spearman is the rank correlation of scores and measurements; ties share the mean of
	// their ranks. Range −1 to 1.
	Spearman Measure = iota
	// NDCG is the normalized discounted cumulative gain of the first k = ⌊n/10⌋ variants by
	// score: Σ g/log2(rank + 1) over the same sum of the first k by gain, with the measurements as
	// gains g, scaled to 0..1 by their smallest and largest. Equal scores share the mean of
	// the gains that they have in all orders, so that the order of the table changes
	// nothing (ProteinGym breaks such ties by it). Undefined for fewer than 10 variants.
	// Range 0 to 1.
	NDCG
	// AUC is the area under the ROC curve of the scores for the variants that are fit;
	// equal scores count half.
	AUC
	// MCC is the Matthews correlation of being fit with a score of at least the median of
	// the scores. Range −1 to 1.
	MCC
	// TopRecall is the share of the variants whose measurement is above the 90th percentile
	// that have a score above the 90th percentile of scores, both strictly. Range 0 to 1.
	TopRecall
	// PartialSpearman is the correlation of the ranks of scores and measurements that is
	// left when a third number, such as the number of mutations, is accounted for: the correlation of
	// the residuals of both after linear regression on its ranks.
	PartialSpearman
	measureCount
)

var measureNames = [measureCount]string{"spearman", "ndcg", "auc", "mcc", "top_recall", "partial_spearman"}

// String is the name of a measure: "spearman", "ndcg", "auc", "mcc", "top_recall",
// "partial_spearman".
func (m Measure) String() string { return measureNames[m] }

// About says in a line what a measure is.
func (m Measure) About() string {
	return [measureCount]string{
		"rank correlation with measurements", "NDCG of the first tenth", "area under the ROC curve of fit variants",
		"Matthews correlation of being fit with a score of at least the median", "share of the best tenth in the first tenth",
		"rank correlation with measurements, given the distance to the germline or the number of substitutions",
	}[m]
}

// Measures are all of them, in their order.
func Measures() []Measure {
	out := make([]Measure, measureCount)
	for i := range out {
		out[i] = Measure(i)
	}
	return out
}

// Range is the range of the values of a measure.
func (m Measure) Range() (low, high float64) {
	switch m {
	case NDCG, AUC, TopRecall:
		return 0, 1
	}
	return -1, 1
}

// minimumRanked is the least number of variants for a meaningful rank correlation.
const minimumRanked = 10

// Agreement compares scores of variants with measurements of the same.
type Agreement struct {
	measured, score, given []float64
	fit                    []bool
	// orders are the variants in ascending order of measured, score and given.
	byMeasured, byScore, byGiven []int
}

// NewAgreement sorts the variants. fit says which are, as the assay defines it; nil where that is
// not known: AUC and MCC are undefined then. given is what [PartialSpearman] accounts for; nil: it
// is undefined. Errors: lists of different lengths, NaN and Inf.
func NewAgreement(measured, score []float64, fit []bool, covariate []float64) (*Agreement, error) {
	n := len(measured)
	if len(score) != n || fit != nil && len(fit) != n || covariate != nil && len(covariate) != n {
		return nil, fmt.Errorf("%d measurements, %d scores, %d classes and %d covariates; want equal numbers",
			n, len(score), len(fit), len(covariate))
	}
	a := &Agreement{measured: measured, score: score, fit: fit, given: covariate}
	for _, column := range []struct {
		what   string
		values []float64
		order  *[]int
	}{{"measurement", measured, &a.byMeasured}, {"score", score, &a.byScore}, {"given number", covariate, &a.byGiven}} {
		for i, v := range column.values {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("%s %d is %v", column.what, i, v)
			}
		}
		*column.order = ascending(column.values)
	}
	return a, nil
}

// ascending lists the places of values in ascending order, equal ones by place.
func ascending(values []float64) []int {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(values[a], values[b]), cmp.Compare(a, b)) })
	return order
}

// Value is a measure of all variants. Where it is not defined it is NaN and the error, a
// [stat.UndefinedError], says why.
func (a *Agreement) Value(m Measure) (float64, error) {
	v, reason := a.of(m, all(len(a.score)))
	if reason != "" {
		return math.NaN(), stat.Undefined(m.String(), "%s", reason)
	}
	return v, nil
}

// Without is a measure without the variants of a label, in O(n) from the order of all; NaN where
// it is not defined.
func (a *Agreement) Without(m Measure, labels []int, label int) float64 {
	kept := make([]bool, len(labels))
	count := 0
	for i, l := range labels {
		if kept[i] = l != label; kept[i] {
			count++
		}
	}
	v, reason := a.of(m, subset{kept, count})
	if reason != "" {
		return math.NaN()
	}
	return v
}

// subset is a part of the variants.
type subset struct {
	kept  []bool // nil: all
	count int
}

func all(n int) subset { return subset{nil, n} }

func (s subset) has(i int) bool { return s.kept == nil || s.kept[i] }

// runs calls visit for the runs of equal values among the kept ones of an order.
func (s subset) runs(order []int, values []float64, visit func(run []int)) {
	var run []int
	for _, i := range order {
		if !s.has(i) {
			continue
		}
		if len(run) > 0 && values[i] != values[run[0]] {
			visit(run)
			run = run[:0]
		}
		run = append(run, i)
	}
	if len(run) > 0 {
		visit(run)
	}
}

// sorted are the kept values of an order.
func (s subset) sorted(order []int, values []float64) []float64 {
	out := make([]float64, 0, s.count)
	for _, i := range order {
		if s.has(i) {
			out = append(out, values[i])
		}
	}
	return out
}

// of is a measure of a part of the variants, or why it is not defined.
func (a *Agreement) of(m Measure, s subset) (v float64, reason string) {
	switch m {
	case Spearman, PartialSpearman:
		return a.correlation(m, s)
	case NDCG:
		return a.ndcg(s)
	case AUC:
		return a.auc(s)
	case MCC:
		return a.mcc(s)
	case TopRecall:
		return a.topRecall(s)
	}
	return math.NaN(), "unknown measure"
}

func (a *Agreement) correlation(m Measure, s subset) (float64, string) {
	if s.count < minimumRanked {
		return math.NaN(), fmt.Sprintf("%d variants, want at least %d", s.count, minimumRanked)
	}
	x, y := s.ranks(a.byMeasured, a.measured), s.ranks(a.byScore, a.score)
	r := s.product(x, y)
	switch {
	case s.product(x, x) == 0:
		return math.NaN(), "all measurements are equal"
	case s.product(y, y) == 0:
		return math.NaN(), "all scores are equal"
	}
	r /= math.Sqrt(s.product(x, x)) * math.Sqrt(s.product(y, y))
	if m == Spearman {
		return clip(r), ""
	}
	if a.given == nil {
		return math.NaN(), "no covariate"
	}
	z := s.ranks(a.byGiven, a.given)
	zz := s.product(z, z)
	if zz == 0 {
		return math.NaN(), "the covariate is constant"
	}
	xz, yz := s.product(x, z)/math.Sqrt(s.product(x, x)*zz), s.product(y, z)/math.Sqrt(s.product(y, y)*zz)
	variance := (1 - xz*xz) * (1 - yz*yz)
	if variance < 1e-12 {
		return math.NaN(), "measurements or scores are a function of the covariate"
	}
	return clip((r - xz*yz) / math.Sqrt(variance)), ""
}

func clip(r float64) float64 { return min(max(r, -1), 1) }

// ranks are the ranks of the kept values less their mean, multiples of ¼; ties share theirs.
func (s subset) ranks(order []int, values []float64) []float64 {
	out := make([]float64, len(values))
	below, mean := 0, float64(s.count+1)/2
	s.runs(order, values, func(run []int) {
		rank := float64(2*below+len(run)+1)/2 - mean
		for _, i := range run {
			out[i] = rank
		}
		below += len(run)
	})
	return out
}

// product is Σ x·y over the kept ones; ranks of others are 0.
func (s subset) product(x, y []float64) float64 {
	sum := 0.0
	for i, v := range x {
		sum += float64(v * y[i])
	}
	return sum
}

func (a *Agreement) ndcg(s subset) (float64, string) {
	k := s.count / 10
	if k == 0 {
		return math.NaN(), fmt.Sprintf("%d variants, want at least 10, because the first 10 %% are scored", s.count)
	}
	gains := s.sorted(a.byMeasured, a.measured)
	low, high := gains[0], gains[len(gains)-1]
	if low == high {
		return math.NaN(), "all measurements are equal"
	}
	ideal := 0.0
	for rank := 1; rank <= k; rank++ {
		ideal += (gains[len(gains)-rank] - low) / (high - low) / math.Log2(float64(rank+1))
	}
	var groups [][2]float64 // of equal scores, ascending: their number and mean gain
	s.runs(a.byScore, a.score, func(run []int) {
		sum := 0.0
		for _, i := range run {
			sum += (a.measured[i] - low) / (high - low)
		}
		groups = append(groups, [2]float64{float64(len(run)), sum / float64(len(run))})
	})
	gain, rank := 0.0, 1
	for _, g := range slices.Backward(groups) {
		discounts := 0.0
		for last := rank + int(g[0]); rank < last; rank++ {
			if rank <= k {
				discounts += 1 / math.Log2(float64(rank+1))
			}
		}
		gain += float64(g[1] * discounts)
		if rank > k {
			break
		}
	}
	return gain / ideal, ""
}

// unclassed is why a measure of classes is not defined; empty where it is.
func (a *Agreement) unclassed(s subset) (reason string) {
	if a.fit == nil {
		return "the table has no fitness classes"
	}
	fit := 0
	for i, f := range a.fit {
		if f && s.has(i) {
			fit++
		}
	}
	switch fit {
	case 0:
		return "no variant is fit"
	case s.count:
		return "all variants are fit"
	}
	return ""
}

func (a *Agreement) auc(s subset) (float64, string) {
	if reason := a.unclassed(s); reason != "" {
		return math.NaN(), reason
	}
	var fit, unfit, halves int64
	s.runs(a.byScore, a.score, func(run []int) {
		var f int64
		for _, i := range run {
			if a.fit[i] {
				f++
			}
		}
		u := int64(len(run)) - f
		halves += f * (2*unfit + u)
		fit, unfit = fit+f, unfit+u
	})
	return float64(halves) / 2 / (float64(fit) * float64(unfit)), ""
}

func (a *Agreement) mcc(s subset) (float64, string) {
	if reason := a.unclassed(s); reason != "" {
		return math.NaN(), reason
	}
	median := quantile.Sorted(s.sorted(a.byScore, a.score), 0.5)
	var count [2][2]float64 // fit, high
	for i, fit := range a.fit {
		if s.has(i) {
			count[index(fit)][index(a.score[i] >= median)]++
		}
	}
	tp, tn, fp, fn := count[1][1], count[0][0], count[0][1], count[1][0]
	if tn+fn == 0 {
		return math.NaN(), "no score is below their median"
	}
	return (tp*tn - fp*fn) / (math.Sqrt((tp+fp)*(tp+fn)) * math.Sqrt((tn+fp)*(tn+fn))), ""
}

func index(v bool) int {
	if v {
		return 1
	}
	return 0
}

func (a *Agreement) topRecall(s subset) (float64, string) {
	if s.count == 0 {
		return math.NaN(), "no variants"
	}
	const top = 0.9
	measured := quantile.Sorted(s.sorted(a.byMeasured, a.measured), top)
	score := quantile.Sorted(s.sorted(a.byScore, a.score), top)
	both, best := 0, 0
	for i, v := range a.measured {
		if s.has(i) && v > measured {
			best++
			if a.score[i] > score {
				both++
			}
		}
	}
	if best == 0 {
		return math.NaN(), "no measurement is above their 90th percentile"
	}
	return float64(both) / float64(best), ""
}
