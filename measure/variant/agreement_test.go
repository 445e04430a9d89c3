// Properties of the measures, and what is not defined.

package variant

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"repscope/measure/measuretest"
	"repscope/stat"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// drawn are n variants with ties everywhere.
func drawn(random *rand.Rand, n int) (measured, score, given []float64, fit []bool, labels []int) {
	for range n {
		m := math.Round(8*random.NormFloat64()) / 8
		measured, score = append(measured, m), append(score, math.Round(4*(m+random.NormFloat64()))/4)
		given, fit = append(given, float64(random.IntN(4))), append(fit, m > 0)
		labels = append(labels, random.IntN(9))
	}
	return measured, score, given, fit, labels
}

// Without a label every measure is that of the variants that are left.
func TestWithout(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	measured, score, given, fit, labels := drawn(random, 150)
	a, err := NewAgreement(measured, score, fit, given)
	must(t, err)
	for label := range 9 {
		var m, s, z []float64
		var f []bool
		for i, l := range labels {
			if l != label {
				m, s, z, f = append(m, measured[i]), append(s, score[i]), append(z, given[i]), append(f, fit[i])
			}
		}
		rest, err := NewAgreement(m, s, f, z)
		must(t, err)
		for _, measure := range Measures() {
			want, err := rest.Value(measure)
			must(t, err)
			measuretest.Near(t, measure.String(), a.Without(measure, labels, label), want, 1e-13)
		}
	}
}

// The order of the table changes no bit, and monotone scores no rank.
func TestInvariance(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	measured, score, given, fit, _ := drawn(random, 123)
	a, err := NewAgreement(measured, score, fit, given)
	must(t, err)
	n := len(score)
	m, s, z, f := make([]float64, n), make([]float64, n), make([]float64, n), make([]bool, n)
	for i, k := range random.Perm(n) {
		m[i], s[i], z[i], f[i] = measured[k], math.Exp(score[k]), given[k], fit[k]
	}
	b, err := NewAgreement(m, s, f, z)
	must(t, err)
	for _, measure := range Measures() {
		x, err := a.Value(measure)
		must(t, err)
		y, err := b.Value(measure)
		must(t, err)
		if measure != TopRecall { // a percentile between two scores is not that of their exponentials
			measuretest.Near(t, measure.String(), y, x, 1e-13)
		}
		low, high := measure.Range()
		if x < low || x > high {
			t.Errorf("%s is %v, want %v to %v", measure, x, low, high)
		}
	}
	perfect, err := NewAgreement(measured, measured, fit, given)
	must(t, err)
	for _, measure := range []Measure{Spearman, NDCG, AUC, TopRecall} {
		v, err := perfect.Value(measure)
		must(t, err)
		measuretest.Near(t, measure.String(), v, 1, 1e-15)
	}
}

func TestUndefined(t *testing.T) {
	t.Parallel()
	ramp := func(n int) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = float64(i)
		}
		return out
	}
	flat := make([]float64, 12)
	yes := make([]bool, 12)
	for i := range yes {
		yes[i] = true
	}
	half := append(make([]bool, 6), yes[:6]...)
	top := append(make([]float64, 9), 1, 1, 1) // the 90th percentile is the largest
	for _, c := range []struct {
		measure         Measure
		measured, score []float64
		fit             []bool
		given           []float64
		want            string
	}{
		{Spearman, ramp(9), ramp(9), nil, nil, "9 variants, want at least 10"},
		{Spearman, flat, ramp(12), nil, nil, "all measurements are equal"},
		{Spearman, ramp(12), flat, nil, nil, "all scores are equal"},
		{PartialSpearman, ramp(12), top, nil, nil, "no covariate"},
		{PartialSpearman, ramp(12), top, nil, flat, "the covariate is constant"},
		{PartialSpearman, ramp(12), top, nil, ramp(12), "a function of the covariate"},
		{NDCG, ramp(9), ramp(9), nil, nil, "9 variants, want at least 10"},
		{NDCG, flat, ramp(12), nil, nil, "all measurements are equal"},
		{AUC, ramp(12), ramp(12), nil, nil, "has no fitness classes"},
		{AUC, ramp(12), ramp(12), yes, nil, "all variants are fit"},
		{MCC, ramp(12), ramp(12), make([]bool, 12), nil, "no variant is fit"},
		{MCC, ramp(12), flat, half, nil, "no score is below their median"},
		{TopRecall, top, ramp(12), nil, nil, "no measurement is above"},
		{TopRecall, nil, nil, nil, nil, "no variants"},
	} {
		a, err := NewAgreement(c.measured, c.score, c.fit, c.given)
		must(t, err)
		if v, err := a.Value(c.measure); !math.IsNaN(v) || !strings.Contains(stat.Reason(err), c.want) {
			t.Errorf("%s is %v for %q, want NaN for %q", c.measure, v, stat.Reason(err), c.want)
		}
	}
	for _, c := range []struct {
		measured, score []float64
		fit             []bool
		given           []float64
		want            string
	}{
		{ramp(3), ramp(2), nil, nil, "3 measurements, 2 scores"},
		{ramp(3), ramp(3), half, nil, "12 classes"},
		{ramp(3), ramp(3), nil, flat, "12 covariates"},
		{[]float64{1, math.NaN()}, ramp(2), nil, nil, "measurement 1 is NaN"},
		{ramp(2), []float64{math.Inf(-1), 1}, nil, nil, "score 0 is -Inf"},
	} {
		if _, err := NewAgreement(c.measured, c.score, c.fit, c.given); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// A level that has no defined assay is not a number, and undefined assays count nowhere.
func TestAggregateOfNothing(t *testing.T) {
	t.Parallel()
	l := Aggregate([]Assay{{"p", "f", math.NaN()}})
	if l.Assays != 0 || !math.IsNaN(l.AssayMean) || !math.IsNaN(l.FunctionMean) || len(l.Proteins) != 0 {
		t.Errorf("%+v", l)
	}
	l = Aggregate([]Assay{{"p", "f", 1}, {"p", "g", math.NaN()}, {"p", "f", 2}})
	if l.Assays != 2 || l.FunctionMean != 1.5 || len(l.Functions) != 1 || l.Proteins[0].Count != 2 {
		t.Errorf("%+v", l)
	}
}
