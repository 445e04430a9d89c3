// Areas: literal forms, properties, sampled against expected, what is undefined.

package saliency

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"repscope/measure/measuretest"
)

// naiveArea goes down the thresholds and counts anew at each.
func naiveArea(positive, negative, descending []float64) float64 {
	share := func(values []float64, t float64) float64 {
		n := 0
		for _, v := range values {
			if v >= t {
				n++
			}
		}
		return float64(n) / float64(len(values))
	}
	total, tp, fp := 0.0, 0.0, 0.0
	for _, t := range descending {
		nextT, nextF := share(positive, t), share(negative, t)
		total += (nextF - fp) * (nextT + tp) / 2
		tp, fp = nextT, nextF
	}
	return total + (1-fp)*(1+tp)/2
}

var tenths = []float64{1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0}

func TestAreasNaive(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(15, 5))
	must := must(t)
	for range 200 {
		w, h, grain := 2+random.IntN(9), 2+random.IntN(9), 5*random.IntN(3)
		m, f := randomMap(t, random, w, h, grain), randomFixations(t, random, w, h, 1+random.IntN(20))
		others := randomFixations(t, random, w, h, 9)
		if m.min == m.max || f.Pixels() == w*h {
			continue
		}
		found, from := f.of(m), others.of(m)
		var unfixated, units, foundUnits []float64
		for i, v := range m.values {
			if !slices.Contains(f.pixels, i) {
				unfixated = append(unfixated, v)
			}
			units = append(units, (v-m.min)/(m.max-m.min))
		}
		for _, v := range found {
			foundUnits = append(foundUnits, (v-m.min)/(m.max-m.min))
		}
		descending := slices.Clone(found)
		slices.Sort(descending)
		slices.Reverse(descending)
		measuretest.Near(t, "AUC-Judd", must(AUCJudd(m, f)), naiveArea(found, unfixated, descending), 1e-12)
		measuretest.Near(t, "AUC-Borji", must(AUCBorji(m, f, Step)), naiveArea(foundUnits, units, tenths), 1e-12)
		uneven := []float64{1, 0.7, 0.4, 1 - 3*0.3}
		measuretest.Near(t, "AUC-Borji by 0.3", must(AUCBorji(m, f, 0.3)), naiveArea(foundUnits, units, uneven), 1e-12)
		wins := 0.0
		for _, a := range found {
			for _, b := range from {
				if a > b {
					wins++
				} else if a == b {
					wins += 0.5
				}
			}
		}
		measuretest.Near(t, "shuffled AUC", must(AUCShuffled(m, f, others)), wins/float64(len(found)*len(from)), 1e-13)
	}
}

// TestAUCShuffledMany holds counts of many others, with ties, neighboring numbers and without, against all pairs.
func TestAUCShuffledMany(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(15, 11))
	for _, grain := range []int{0, 7, 300} {
		m := randomMap(t, random, 40, 30, grain)
		values := slices.Clone(m.values)
		values[3], values[4] = math.Nextafter(values[5], 9), math.Nextafter(math.Nextafter(values[5], 9), 9)
		m = mapOf(t, 40, 30, values)
		f, others := randomFixations(t, random, 40, 30, 500), randomFixations(t, random, 40, 30, 6000)
		wins := 0.0
		for _, a := range f.of(m) {
			for _, b := range others.of(m) {
				if a > b {
					wins++
				} else if a == b {
					wins += 0.5
				}
			}
		}
		if got, want := must(t)(AUCShuffled(m, f, others)), wins/500/6000; got != want {
			t.Errorf("grain %d: %v, want %v", grain, got, want)
		}
	}
}

// TestAreasProperties holds that areas know no scale and shift, that chance is 0.5, that a map turned over
// is the rest to 1 where ties count half, and that a map finds its own highest pixels.
func TestAreasProperties(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(15, 6))
	must := must(t)
	for range 100 {
		w, h := 3+random.IntN(9), 3+random.IntN(9)
		m, f, others := randomMap(t, random, w, h, 0), randomFixations(t, random, w, h, 5), randomFixations(t, random, w, h, 7)
		// Powers of two and no shift: not one bit of the order changes; ties come with rounding only.
		turned := affine(t, m, 0.25, 0)
		moved := affine(t, m, 1+random.Float64()*9, 100*random.NormFloat64())
		for name, of := range map[string]func(*Map) (float64, error){
			"AUC-Judd":     func(m *Map) (float64, error) { return AUCJudd(m, f) },
			"AUC-Borji":    func(m *Map) (float64, error) { return AUCBorji(m, f, Step) },
			"shuffled AUC": func(m *Map) (float64, error) { return AUCShuffled(m, f, others) },
			"sampled": func(m *Map) (float64, error) {
				s, err := AUCBorjiSplits(m, f, Step, 5, 3)
				return s.Mean, err
			},
		} {
			v := must(of(m))
			if v < 0 || v > 1 || must(of(turned)) != v {
				t.Fatalf("%s: %v of a map, %v of its quarter", name, v, must(of(turned)))
			}
			measuretest.Near(t, name+" of an affine map", must(of(moved)), v, 1e-12)
		}
		turnedOver := must(AUCShuffled(affine(t, m, -1, 0), f, others))
		measuretest.Near(t, "shuffled AUC of the map turned over", turnedOver, 1-must(AUCShuffled(m, f, others)), 1e-15)
		measuretest.Near(t, "fixations against themselves", must(AUCShuffled(m, f, f)), 0.5, 1e-15)
		top, err := Top(m, 10)
		if err != nil {
			t.Fatal(err)
		}
		if v := must(AUCJudd(m, top)); v != 1 {
			t.Fatalf("AUC-Judd of a map and its own highest pixels is %v", v)
		}
		all, err := fixationsOf(w, h, affine(t, m, 0, 1).values)
		if err != nil {
			t.Fatal(err)
		}
		measuretest.Near(t, "AUC-Borji of all pixels", must(AUCBorji(m, all, Step)), 0.5, 1e-15)
		v, err := AUCJudd(m, all)
		undefined(t, v, err, "every pixel is fixated")
	}
}

// TestExpectation holds that AUC-Borji is what its splits tend to.
func TestExpectation(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(15, 7))
	m, f := randomMap(t, random, 30, 20, 0), randomFixations(t, random, 30, 20, 12)
	want := must(t)(AUCBorji(m, f, Step))
	s, err := AUCBorjiSplits(m, f, Step, 20000, 1)
	if err != nil || len(s.Splits) != 20000 || !(math.Abs(s.Mean-want) < 4*s.SE) || !(s.SE < 0.001) {
		t.Errorf("mean %v ± %v of splits, want %v (%v)", s.Mean, s.SE, want, err)
	}

	again, err := AUCBorjiSplits(m, f, Step, 10, 1)
	if err != nil || !slices.Equal(again.Splits, s.Splits[:10]) {
		t.Error("a split depends on how many there are")
	}
	other, err := AUCBorjiSplits(m, f, Step, 10, 2)
	if err != nil || slices.Equal(other.Splits, again.Splits) {
		t.Error("two seeds draw the same")
	}
	one, err := AUCBorjiSplits(m, f, Step, 1, 1)
	if err != nil || one.Mean != s.Splits[0] || !math.IsNaN(one.SE) {
		t.Errorf("one split: %+v, %v", one, err)
	}
}

// TestThresholds holds that values on a threshold reach it: tenths of a range are tenths, whatever 1 − k·0.1 is.
func TestThresholds(t *testing.T) {
	t.Parallel()
	got, err := ladder("", Step)
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(got)
	if !slices.Equal(got, tenths) {
		t.Errorf("%v, want %v", got, tenths)
	}
	m, err := NewMap(11, 1, []uint8{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range m.levels(m.values, []float64{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1})[1:] {
		if n != 1 {
			t.Errorf("%d values reach threshold %d and no other", n, i)
		}
	}
}

// TestLevels holds that cells count as the plain search does, also where nearly all values are in one.
func TestLevels(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(15, 9))
	for _, power := range []float64{1, 3, 40} {
		for _, n := range []int{1, 11, 3000} {
			values := make([]float64, 5000)
			for i := range values {
				values[i] = 7 + 2*math.Pow(random.Float64(), power)
			}
			thresholds := slices.Compact(slices.Sorted(slices.Values(values[:n])))
			want := make([]int, len(thresholds)+1)
			for _, v := range values {
				want[reached(v, thresholds)]++
			}
			if !slices.Equal(levels(values, thresholds, 7, 2), want) {
				t.Errorf("power %v, %d thresholds: counts differ", power, n)
			}
		}
	}
}

func TestAreasUndefined(t *testing.T) {
	t.Parallel()
	m := mapOf(t, 2, 2, []float64{1, 2, 3, 4})
	f, none := fixationsAt(t, 2, 2, []float64{1}, []float64{1}), fixationsAt(t, 2, 2, nil, nil)
	for _, step := range []float64{0, -0.1, 1.5, 1e-9, math.NaN()} {
		v, err := AUCBorji(m, f, step)
		undefined(t, v, err, "want at least 1e-6 and at most 1")
	}
	s, err := AUCBorjiSplits(m, f, Step, 0, 1)
	undefined(t, s.Mean, err, "0 splits, want at least 1")
	v, err := AUCShuffled(m, f, none)
	undefined(t, v, err, "no fixations of other images")
	v, err = AUCShuffled(m, f, fixationsAt(t, 1, 4, []float64{0}, []float64{0}))
	undefined(t, v, err, "sizes differ: 2 × 2 and 1 × 4 pixels")
}
