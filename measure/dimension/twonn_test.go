// Two-NN against NumPy and SciPy, and ratios that have no dimension.

package dimension

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"repscope/measure/measuretest"
	"repscope/neighbors"
	"repscope/points"
	"repscope/stat"
)

func TestTwoNNMatchesReference(t *testing.T) {
	t.Parallel()
	g, d := golden(t)
	want := g.TwoNN
	if len(d.Index) != want.NUsed || d.Duplicates != want.Duplicates {
		t.Errorf("%d used, %d duplicates, want %d, %d", len(d.Index), d.Duplicates, want.NUsed, want.Duplicates)
	}
	ratio := d.Ratios(1, 2)
	got, err := NewTwoNN(ratio)
	if err != nil {
		t.Fatal(err)
	}
	documented, err := DocumentedTwoNN(ratio)
	if err != nil {
		t.Fatal(err)
	}
	for name, pair := range map[string][2]float64{
		"mle": {got.MLE, want.MLE}, "unbiased mle": {got.MLEUnbiased, want.MLEUnbiased}, "fit": {got.Fit, want.Fit},
		"mle interval low": {got.MLECI[0], want.MLECI[0]}, "mle interval high": {got.MLECI[1], want.MLECI[1]},
		"documented": {documented, want.Documented},
	} {
		measuretest.Near(t, name, pair[0], pair[1], 1e-9)
	}
	if got.N != len(ratio) {
		t.Errorf("%d ratios used of %d", got.N, len(ratio))
	}
}

// spaceOf are points that were checked.
func spaceOf(t *testing.T, z points.Points) neighbors.Space {
	t.Helper()
	s, err := neighbors.NewSpace("points", z, neighbors.Euclidean)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// golden is the reference and its points without duplicates.
func golden(t *testing.T) (measuretest.Dimension, *Distinct) {
	t.Helper()
	g, z := measuretest.ReadDimension(t)
	d, err := NewDistinct(t.Context(), spaceOf(t, z), 64, Within(1e-7*g.Spectrum.RMSDistance), Search{})
	if err != nil {
		t.Fatal(err)
	}
	return g, d
}

func TestDocumentedFormula(t *testing.T) {
	t.Parallel()
	// A mean ratio of 2 gives 1/(ln 2 + γ) = 0.7872…; ratios near 1 approach
	// 1/γ = 1.7325 from below, whatever the dimension.
	got, err := DocumentedTwoNN([]float64{2, 2, 2})
	if err != nil || math.Abs(got-0.7872) > 5e-5 {
		t.Errorf("mean ratio 2: %v, %v, want 0.7872", got, err)
	}
	got, err = DocumentedTwoNN([]float64{1, 1, 1 + 1e-9})
	if err != nil || !(got < 1.7325) || got < 1.732 {
		t.Errorf("ratios near 1: %v, %v, want just below 1.7325", got, err)
	}
}

func TestNoDimension(t *testing.T) {
	t.Parallel()
	for want, ratio := range map[string][]float64{
		"2 neighbor ratios, want at least 3": {2, 2},
		"of point 1 is 0.5":                  {2, 0.5, 2},
		"of point 2 is NaN":                  {2, 2, math.NaN()},
		"of point 0 is +Inf":                 {math.Inf(1), 2, 2},
		"regular lattice":                    {1, 1, 1},
	} {
		for name, estimate := range map[string]func() error{
			"Two-NN":     func() error { _, err := NewTwoNN(ratio); return err },
			"documented": func() error { _, err := DocumentedTwoNN(ratio); return err },
			"gride":      func() error { _, err := Gride(ratio, 1, 2); return err },
		} {
			if err := estimate(); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v, want one containing %q", name, err, want)
			}
		}
	}
	// Nearly all of the ratios are 1: the fit has nothing to use.
	got, err := NewTwoNN([]float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 3})
	if err != nil || !math.IsNaN(got.Fit) {
		t.Errorf("fit %v, %v, want NaN", got.Fit, err)
	}
}

func TestAscending(t *testing.T) {
	t.Parallel()
	random := stat.NewRandom(stat.NewKey(8))
	var memory sorting
	for _, n := range []int{3, 30000, 2047, 2048} {
		draws := map[string]func() float64{
			"near 1":      func() float64 { return 1 + 1e-9*random.Float64() },
			"wide":        func() float64 { return math.Exp(300 * random.Float64()) },
			"ties":        func() float64 { return 1 + math.Floor(8*random.Float64())/8 },
			"equal":       func() float64 { return 1.25 },
			"zero":        func() float64 { return 0 },
			"some":        func() float64 { return max(0, random.Float64()-0.5) },
			"exponential": func() float64 { return -0.1 * math.Log(1-random.Float64()) },
			"one far":     func() float64 { return math.Exp(-700 * math.Log(random.Float64())) },
		}
		for _, name := range slices.Sorted(maps.Keys(draws)) {
			draw := draws[name]
			ratio := make([]float64, n)
			for i := range ratio {
				ratio[i] = draw()
			}
			want := slices.Sorted(slices.Values(ratio))
			given := slices.Clone(ratio)
			for _, most := range []int{n, n / 2} {
				var got []float64
				memory.ascending(ratio, stat.Mean(ratio), func(sorted []float64) bool {
					got = append(got, sorted...)
					return len(got) < most
				})
				if len(got) < most || !slices.Equal(got, want[:len(got)]) || !slices.Equal(ratio, given) {
					t.Errorf("%d of %d values, %s: not in order, or changed", most, n, name)
				}
			}
		}
	}
}
