// CC, SIM and KL: literal forms, properties, what is undefined.

package saliency

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"repscope/measure/measuretest"
)

func TestAgreementNaive(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(15, 1))
	must := must(t)
	for range 200 {
		w, h, grain := 2+random.IntN(9), 2+random.IntN(9), random.IntN(6)
		if grain == 1 {
			grain = 0
		}
		p, q := randomMap(t, random, w, h, grain), randomMap(t, random, w, h, grain)
		if p.min == p.max || q.min == q.max {
			continue
		}
		var meanP, meanQ, pp, qq, pq, similarity, divergence, ratio float64
		n := float64(w * h)
		for i := range p.values {
			meanP, meanQ = meanP+p.values[i]/n, meanQ+q.values[i]/n
		}
		for i := range p.values {
			a, b := p.values[i]-meanP, q.values[i]-meanQ
			pp, qq, pq = pp+a*a, qq+b*b, pq+a*b
			a, b = p.values[i]/p.sum, q.values[i]/q.sum
			similarity += min(a, b)
			divergence += (a + 1e-8) * math.Log((a+1e-8)/(b+1e-8))
			ratio += a * math.Log(GainEpsilon+a/(b+GainEpsilon))
		}
		measuretest.Near(t, "CC", must(CC(p, q)), pq/math.Sqrt(pp*qq), 1e-12)
		measuretest.Near(t, "SIM", must(SIM(p, q)), similarity, 1e-12)
		measuretest.Near(t, "KL", must(KL(p, q, Epsilon)), divergence, 1e-12)
		measuretest.Near(t, "KL by ratios", must(KLRatio(p, q, GainEpsilon)), ratio, 1e-12)
		if a, b := must(KLRatio(p, q, 0)), must(KL(p, q, 0)); a != b {
			t.Errorf("KL by ratios without ε %v, KL %v", a, b)
		}
	}
}

// TestAgreementProperties holds that equal maps are perfect to the last bit, that CC knows no scale and shift
// and SIM and KL no scale, and the ranges.
func TestAgreementProperties(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(15, 2))
	must := must(t)
	for range 100 {
		w, h := 2+random.IntN(9), 2+random.IntN(9)
		p, q := randomMap(t, random, w, h, 0), randomMap(t, random, w, h, 0)
		if must(CC(p, p)) != 1 || must(SIM(p, p)) != 1 || must(KL(p, p, Epsilon)) != 0 || must(KL(p, p, 0)) != 0 {
			t.Fatal("a map is not equal to itself")
		}
		cc, sim, kl := must(CC(p, q)), must(SIM(p, q)), must(KL(p, q, Epsilon))
		if !(cc >= -1 && cc <= 1 && sim >= 0 && sim <= 1 && kl >= 0) {
			t.Fatal(cc, sim, kl)
		}
		if must(CC(q, p)) != cc || must(SIM(q, p)) != sim {
			t.Fatal("CC or SIM is not symmetric")
		}
		scale, shift := math.Exp(8*random.NormFloat64()), 3*random.NormFloat64()
		measuretest.Near(t, "CC of an affine map", must(CC(affine(t, p, scale, scale*shift), q)), cc, 1e-11)
		measuretest.Near(t, "CC of a negative map", must(CC(affine(t, p, -scale, 0), q)), -cc, 1e-11)
		measuretest.Near(t, "SIM of a scaled map", must(SIM(affine(t, p, scale, 0), q)), sim, 1e-12)
		measuretest.Near(t, "KL of a scaled map", must(KL(affine(t, p, scale, 0), q, Epsilon)), kl, 1e-12)
	}
	p, q := randomMap(t, random, 8, 8, 0), randomMap(t, random, 8, 8, 0)
	for _, scale := range []float64{1e-300, 1e-295, 1e-61, 1e61, 1e300} {
		measuretest.Near(t, "CC of extreme values", must(CC(affine(t, p, scale, 0), q)), must(CC(p, q)), 1e-13)
		if v := must(CC(affine(t, p, scale, 0), affine(t, p, scale, 0))); v != 1 {
			t.Errorf("CC of a map of %v with itself is %v", scale, v)
		}
		measuretest.Near(t, "SIM of extreme values", must(SIM(affine(t, p, scale, 0), q)), must(SIM(p, q)), 1e-13)
		measuretest.Near(t, "KL of extreme values", must(KL(affine(t, p, scale, 0), q, Epsilon)), must(KL(p, q, Epsilon)), 1e-13)
		f := randomFixations(t, random, 8, 8, 5)
		measuretest.Near(t, "NSS of extreme values", must(NSS(affine(t, p, scale, 0), f)), must(NSS(p, f)), 1e-13)
	}
	near, bit := mapOf(t, 2, 2, []float64{1, 1 + 0x1p-52, 1, 1 + 0x1p-51}), mapOf(t, 2, 2, []float64{0, 1, 0, 2})
	other := mapOf(t, 2, 2, []float64{3, 1, 4, 2})
	measuretest.Near(t, "CC of values that are all but equal", must(CC(near, other)), must(CC(bit, other)), 1e-14)
	left, right := mapOf(t, 2, 1, []float64{1, 0}), mapOf(t, 2, 1, []float64{0, 3})
	if v := must(SIM(left, right)); v != 0 {
		t.Errorf("SIM of maps that share no pixel is %v", v)
	}
	if v := must(CC(left, right)); v != -1 {
		t.Errorf("CC of opposite maps is %v", v)
	}
	if v := must(KL(left, right, 0)); !math.IsInf(v, 1) {
		t.Errorf("KL without ε of maps that share no pixel is %v", v)
	}
	// (1+ε)·ln((1+ε)/ε) + ε·ln(ε/(1+ε)) = ln((1+ε)/ε)
	measuretest.Near(t, "KL", must(KL(left, right, Epsilon)), math.Log((1+1e-8)/1e-8), 1e-14)
	tiny := mapOf(t, 2, 1, []float64{1, 1e-310})
	if v := must(KL(left, tiny, 0)); v != 0 {
		t.Errorf("KL beside a value next to 0 is %v", v)
	}
	measuretest.Near(t, "KL from a value next to 0", must(KL(right, tiny, 0)), -math.Log(1e-310), 1e-12)
}

func TestAgreementUndefined(t *testing.T) {
	t.Parallel()
	p, wide := mapOf(t, 2, 3, []float64{1, 2, 3, 4, 5, 6}), mapOf(t, 3, 2, []float64{1, 2, 3, 4, 5, 6})
	constant, zero := mapOf(t, 2, 3, []float64{2, 2, 2, 2, 2, 2}), mapOf(t, 2, 3, make([]float64, 6))
	negative := affine(t, p, 1, -3)
	kl := func(p, q *Map) (float64, error) { return KL(p, q, Epsilon) }
	ratio := func(p, q *Map) (float64, error) { return KLRatio(p, q, GainEpsilon) }
	for name, score := range map[string]func(p, q *Map) (float64, error){"CC": CC, "SIM": SIM, "KL": kl, "KL ": ratio} {
		v, err := score(p, wide)
		undefined(t, v, err, "sizes differ: 2 × 3 and 3 × 2 pixels")
		if err == nil || err.Error() != strings.TrimSpace(name)+": sizes differ: 2 × 3 and 3 × 2 pixels" {
			t.Error(err)
		}
		for _, swap := range []bool{false, true} {
			of := func(q *Map) (float64, error) {
				if swap {
					return score(q, p)
				}
				return score(p, q)
			}
			if name == "CC" {
				v, err = of(constant)
				undefined(t, v, err, "the map is constant (2)")
				continue
			}
			if v, err := of(constant); err != nil || !(v > 0) { // the uniform distribution
				t.Errorf("%s of a constant map: %v, %v", name, v, err)
			}
			v, err = of(zero)
			undefined(t, v, err, "a map of zeros is not a distribution")
			v, err = of(negative)
			undefined(t, v, err, "a map with the value -2 is not a distribution")
		}
	}
	for _, epsilon := range []float64{-1, math.NaN(), math.Inf(1)} {
		v, err := KL(p, p, epsilon)
		undefined(t, v, err, "want a number of at least 0")
		v, err = KLRatio(p, p, epsilon)
		undefined(t, v, err, "want a number of at least 0")
	}
}
