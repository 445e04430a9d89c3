// αReQ: planted exponents, ranks by option, and spectra without a power law.

package manifold

import (
	"math"
	"slices"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/internal/runtest"
	"repscope/points"
)

// decaying are latents whose variances fall as i^−alpha.
func decaying(n, dim int, alpha float64, seed uint64) points.Points {
	z := normal(n, dim, seed)
	for i := range z.F64 {
		z.F64[i] *= math.Pow(float64(i%dim+1), -alpha/2)
	}
	return z
}

func TestAlphaReQ_Planted(t *testing.T) {
	runtest.Long(t, "it simulates many spectra")
	t.Parallel()
	o := Options{Settings: analysis.Settings{Intervals: true}, PowerLaw: []int{2, 12}}
	for _, alpha := range []float64{0.5, 1, 2} {
		result := analyzed(t, o, decaying(2000, 16, alpha, 5))
		fit := result.Models[0].AlphaReQ
		if ci := fit.Alpha.CI; !(ci.Low < alpha && alpha < ci.High && ci.High-ci.Low < 0.4) || !(fit.RSquared.V > 0.95) || fit.Doubt != "" || fit.Low != 2 || fit.High != 12 {
			t.Errorf("exponent %v: %+v", alpha, fit)
		}
		if w := powerLawWarnings(result); len(w) != 0 {
			t.Errorf("warnings %q", w)
		}
	}
}

// powerLawWarnings are the warnings of power laws.
func powerLawWarnings(r *Result) []string {
	return slices.DeleteFunc(slices.Clone(r.Warnings), func(w string) bool { return !strings.Contains(w, "power law") })
}

func TestAlphaReQ_Doubtful(t *testing.T) {
	t.Parallel()
	z := normal(600, 24, 3)
	for i := range z.F64 {
		z.F64[i] *= math.Exp(-float64(i%24) / 3)
	}
	m := analyzed(t, Options{}, z)
	if fit := m.Models[0].AlphaReQ; !fit.Alpha.Defined() || !strings.Contains(fit.Doubt, "follow no power law") || len(powerLawWarnings(m)) != 0 {
		t.Errorf("exponential decay: %+v, warnings %q", fit, m.Warnings)
	}
	if w := powerLawWarnings(analyzed(t, Options{PowerLaw: []int{1, 20}}, z)); len(w) != 1 || !strings.HasPrefix(w[0], "a: the eigenvalues of ranks 1 to 20 follow no power law") {
		t.Errorf("warnings %q", w)
	}
}

// What has no exponent says why; every other number stays.
func TestAlphaReQ_Undefined(t *testing.T) {
	t.Parallel()
	flat, low := points.Float64(make([]float64, 300), 3), normal(200, 20, 4)
	for i := range low.F64 { // three directions, the others constant
		if i%20 > 2 {
			low.F64[i] = 0.5
		}
	}
	for want, z := range map[string]points.Points{
		"the points are constant":                flat,
		"2 ranks (1 to 2) are too few":           normal(100, 4, 1),
		"eigenvalue 10 is below 1e-12":           low,
		"3 ranks (1 to 3) are too few for a fit": normal(8, 40, 2),
	} {
		m := analyzed(t, Options{Settings: analysis.Settings{Intervals: true}}, z).Models[0]
		a := m.AlphaReQ
		if a.Alpha.Defined() || a.RSquared.Defined() || !strings.Contains(a.Alpha.Reason, want) || !strings.Contains(a.Alpha.CI.Reason, want) || a.RSquared.Reason != a.Alpha.Reason {
			t.Errorf("%q: %+v", want, a)
		}
		if m.StableRankUncentered.Defined() != m.StableRank.Defined() {
			t.Errorf("%q: stable ranks %v and %v", want, m.StableRank, m.StableRankUncentered)
		}
	}
	// More coordinates than latents.
	m := analyzed(t, Options{Settings: analysis.Settings{Intervals: true}}, decaying(60, 200, 1, 6)).Models[0]
	if fit := m.AlphaReQ; fit.Low != 7 || fit.High != 29 || !fit.Alpha.CI.Defined() || !(fit.Alpha.V > 0.5 && fit.Alpha.V < 2) {
		t.Errorf("60 latents of 200 coordinates: %+v", fit)
	}
	if _, err := Analyze(t.Context(), Input{Models: []Encoded{{Name: "a", Latents: flat}}}, Options{PowerLaw: []int{3, 5}}); err == nil || !strings.Contains(err.Error(), "ranks 3,5: want LOW,HIGH with HIGH at least LOW + 4") {
		t.Errorf("error %v", err)
	}
}

// An offset of all latents moves the stable rank of the latents as they are alone.
func TestStableRankUncentered(t *testing.T) {
	t.Parallel()
	z := normal(300, 6, 8)
	near := analyzed(t, Options{Settings: analysis.Settings{Intervals: true}}, z).Models[0]
	for i := range z.F64 {
		z.F64[i] += 20
	}
	far := analyzed(t, Options{Settings: analysis.Settings{Intervals: true}}, z).Models[0]
	if math.Abs(near.StableRank.V-far.StableRank.V) > 1e-9 || !(near.StableRankUncentered.V > 4) || !(far.StableRankUncentered.V < 1.01) {
		t.Errorf("stable rank %v and %v, uncentered %v and %v",
			near.StableRank, far.StableRank, near.StableRankUncentered, far.StableRankUncentered)
	}
	if ci := far.StableRankUncentered.CI; !(ci.Low >= 1 && ci.Low < far.StableRankUncentered.V && ci.High > far.StableRankUncentered.V) {
		t.Errorf("interval %+v of %v", ci, far.StableRankUncentered)
	}
}
