// NSS and information gain: literal forms, properties, what is undefined.

package saliency

import (
	"math"
	"math/rand/v2"
	"testing"

	"repscope/measure/measuretest"
)

func TestLocatedNaive(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(15, 3))
	must := must(t)
	for range 200 {
		w, h := 2+random.IntN(9), 2+random.IntN(9)
		m, baseline, f := randomMap(t, random, w, h, 0), randomMap(t, random, w, h, 0), randomFixations(t, random, w, h, 1+random.IntN(20))
		mean, squares, nss, gain := m.sum/float64(w*h), 0.0, 0.0, 0.0
		for _, v := range m.values {
			squares += (v - mean) * (v - mean)
		}
		deviation := math.Sqrt(squares / float64(w*h))
		for _, i := range f.pixels {
			nss += (m.values[i] - mean) / deviation / float64(f.Len())
			gain += math.Log2(m.values[i]/m.sum/(baseline.values[i]/baseline.sum)) / float64(f.Len())
		}
		measuretest.Near(t, "NSS", must(NSS(m, f)), nss, 1e-12)
		measuretest.Near(t, "information gain", must(InformationGain(m, baseline, f, 0)), gain, 1e-12)
		if v := must(InformationGain(m, m, f, GainEpsilon)); v != 0 {
			t.Errorf("a map gains %v over itself", v)
		}
		scale, shift := math.Exp(8*random.NormFloat64()), 3*random.NormFloat64()
		measuretest.Near(t, "NSS of an affine map", must(NSS(affine(t, m, scale, scale*shift), f)), nss, 1e-10)
		measuretest.Near(t, "gain of a scaled map", must(InformationGain(affine(t, m, scale, 0), baseline, f, 0)), gain, 1e-12)
	}
}

// TestEveryPixel holds that fixations on all pixels have the NSS 0, and that two maps of two pixels gain a bit.
func TestEveryPixel(t *testing.T) {
	t.Parallel()
	must := must(t)
	random := rand.New(rand.NewPCG(15, 4))
	m := randomMap(t, random, 7, 9, 0)
	all, err := fixationsOf(7, 9, affine(t, m, 0, 1).values)
	if err != nil || all.Len() != 63 {
		t.Fatal(all, err)
	}
	measuretest.Near(t, "NSS", must(NSS(m, all)), 0, 1e-14)
	uniform, err := Uniform(2, 1)
	if err != nil {
		t.Fatal(err)
	}
	one := mapOf(t, 2, 1, []float64{5, 0})
	measuretest.Near(t, "gain", must(InformationGain(one, uniform, fixationsAt(t, 2, 1, []float64{0}, []float64{0}), 0)), 1, 0)
	if v := must(InformationGain(one, uniform, fixationsAt(t, 2, 1, []float64{1}, []float64{0}), 0)); !math.IsInf(v, -1) {
		t.Errorf("gain at a pixel of 0 is %v", v)
	}
	v, err := InformationGain(one, one, fixationsAt(t, 2, 1, []float64{1}, []float64{0}), 0)
	undefined(t, v, err, "are 0 at fixations")
}

func TestLocatedUndefined(t *testing.T) {
	t.Parallel()
	m, zero := mapOf(t, 2, 2, []float64{1, 2, 3, 4}), mapOf(t, 2, 2, make([]float64, 4))
	f, none := fixationsAt(t, 2, 2, []float64{1}, []float64{1}), fixationsAt(t, 2, 2, nil, nil)
	outside := fixationsAt(t, 2, 2, []float64{5, 6}, []float64{5, 6})
	wide := mapOf(t, 4, 1, []float64{1, 2, 3, 4})
	gain := func(m *Map, f *Fixations) (float64, error) { return InformationGain(m, m, f, GainEpsilon) }
	judd := func(m *Map, f *Fixations) (float64, error) { return AUCJudd(m, f) }
	borji := func(m *Map, f *Fixations) (float64, error) { return AUCBorji(m, f, Step) }
	splits := func(m *Map, f *Fixations) (float64, error) {
		s, err := AUCBorjiSplits(m, f, Step, 3, 1)
		return s.Mean, err
	}
	shuffled := func(m *Map, f *Fixations) (float64, error) { return AUCShuffled(m, f, f) }
	for name, score := range map[string]func(*Map, *Fixations) (float64, error){
		"NSS": NSS, "gain": gain, "Judd": judd, "Borji": borji, "splits": splits, "shuffled": shuffled,
	} {
		v, err := score(m, none)
		undefined(t, v, err, "no fixations")
		v, err = score(m, outside)
		undefined(t, v, err, "no fixations: all 2 are outside the map")
		v, err = score(wide, f)
		undefined(t, v, err, "sizes differ: 4 × 1 and 2 × 2 pixels")
		v, err = score(zero, f)
		if name == "gain" {
			undefined(t, v, err, "a map of zeros")
			v, err = score(affine(t, m, -1, 0), f)
			undefined(t, v, err, "a map with the value -4 is not a distribution")
		} else {
			undefined(t, v, err, "the map is constant (0)")
		}
	}
	v, err := InformationGain(m, wide, f, 0)
	undefined(t, v, err, "sizes differ")
	v, err = InformationGain(m, m, f, math.NaN())
	undefined(t, v, err, "ε NaN")
}
