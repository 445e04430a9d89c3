// What scoringrules and literal NumPy say.

package ensemble

import (
	"context"
	_ "embed"
	"encoding/json"
	"math"
	"testing"
)

//go:embed testdata/golden.json
var goldenJSON []byte

// golden is one case of testdata/golden.json; what is nil has no number there.
type golden struct {
	Name           string
	Grid           [3]int
	Members        int
	Kind           string
	Truth, Values  []float64
	Weights        []float64
	Levels, Alphas []float64
	CRPSFair       *float64 `json:"crps_fair"`
	CRPSBiased     *float64 `json:"crps_biased"`
	CRPSSkill      *float64 `json:"crps_skill"`
	Threshold      [3]float64
	TwCRPSFair     *float64 `json:"twcrps_fair"`
	TwCRPSAbove    *float64 `json:"twcrps_above"`
	Quantile       []float64
	Interval       []float64
	Coverage       []float64
	WIS            *float64
	Bias, MAE, MSE *float64
	Spread, Ratio  *float64
	Debiased       *float64
	DSS, ESS       *float64
	EnergyFair     *float64 `json:"energy_fair"`
	EnergyBiased   *float64 `json:"energy_biased"`
	Pooled, Tiled  *float64
	Pairwise       *float64
	Variogram      []struct {
		P, Reach   float64
		Documented bool
		Scores     []float64
	}
	TiledVariogram *float64 `json:"tiled_variogram"`
	Ranks          []float64
}

// TestGolden holds all scores against golden.py to 1e-10 of their size.
func TestGolden(t *testing.T) {
	t.Parallel()
	var out struct{ Cases []golden }
	if err := json.Unmarshal(goldenJSON, &out); err != nil || len(out.Cases) == 0 {
		t.Fatal(len(out.Cases), err)
	}
	for _, g := range out.Cases {
		t.Run(g.Name, func(t *testing.T) {
			t.Parallel()
			if g.Kind == "float32" {
				checkGolden[float32](t, g)
			}
			checkGolden[float64](t, g) // float32 values are float64 ones too
		})
	}
}

func checkGolden[T Float](t *testing.T, g golden) {
	t.Helper()
	grid := Grid{Variables: g.Grid[0], Height: g.Grid[1], Width: g.Grid[2]}
	s := sampleOf[T](t, g.Truth, g.Values, g.Weights)
	if s.Members() != g.Members || s.Cells() != grid.Cells() {
		t.Fatal(s.Members(), s.Cells())
	}
	checkCells(t, g, s)
	energy := Energy(s)
	near(t, "energy", energy.Score(Fair), g.EnergyFair)
	near(t, "biased energy", energy.Score(Biased), g.EnergyBiased)
	if g.Pooled != nil {
		near(t, "pooled energy", must(PooledEnergy(s, grid, 2)).Score(Fair), g.Pooled)
		near(t, "tiled energy", must(TiledEnergy(s, grid, 3)).Score(Fair), g.Tiled)
		v := must(NewVariogram(3, 3, VariogramOptions{}))
		nearRoots(t, "tiled variogram", g.Kind == "float32", must(TiledVariogram(s, grid, v)).Value(), g.TiledVariogram)
	}
	near(t, "pairwise energy", must(PairwiseEnergy(s, grid, nil)).Score(Fair), g.Pairwise)
	for _, want := range g.Variogram {
		v := must(NewVariogram(grid.Height, grid.Width, VariogramOptions{P: want.P, MaxDistance: want.Reach, Documented: want.Documented}))
		for i, score := range want.Scores {
			field := s.Range(i*grid.Height*grid.Width, (i+1)*grid.Height*grid.Width)
			nearRoots(t, "variogram", g.Kind == "float32", must(VariogramScore(context.Background(), 1, v, field)), &score)
		}
	}
}

// checkCells checks the scores of cells alone.
func checkCells[T Float](t *testing.T, g golden, s Sample[T]) {
	t.Helper()
	crps := CRPS(s)
	near(t, "CRPS", crps.Score(Fair), g.CRPSFair)
	near(t, "biased CRPS", crps.Score(Biased), g.CRPSBiased)
	near(t, "skill of CRPS", crps.Skill(), g.CRPSSkill)
	near(t, "threshold-weighted CRPS", must(ThresholdCRPS(s, g.Threshold[0], g.Threshold[1])).Score(Fair), g.TwCRPSFair)
	near(t, "CRPS above", must(ThresholdCRPS(s, g.Threshold[2], math.Inf(1))).Score(Biased), g.TwCRPSAbove)
	for i, mean := range must(Quantiles(s, g.Levels)) {
		near(t, "quantile score", mean.Value(), &g.Quantile[i])
	}
	for i, interval := range must(Intervals(s, g.Alphas)) {
		near(t, "interval score", interval.Score.Value(), &g.Interval[i])
		near(t, "coverage", interval.Coverage.Value(), &g.Coverage[i])
	}
	near(t, "WIS", must(WeightedInterval(s, g.Alphas)).Value(), g.WIS)
	m := MomentsOf(s)
	near(t, "bias", m.ErrorSum/m.Weight, g.Bias)
	near(t, "MAE", m.AbsoluteSum/m.Weight, g.MAE)
	near(t, "MSE", m.MSE(), g.MSE)
	if g.Spread != nil {
		near(t, "spread", m.Spread(), g.Spread)
		near(t, "spread-skill ratio", m.SpreadSkillRatio(), g.Ratio)
		near(t, "debiased MSE", m.DebiasedMSE(), g.Debiased)
		near(t, "Dawid–Sebastiani", DawidSebastiani(s).Value(), g.DSS)
		near(t, "error-spread score", ErrorSpread(s).Value(), g.ESS)
	}
	counts := make([]int64, s.Members()+1)
	if err := AddRanks(counts, s); err != nil {
		t.Fatal(err)
	}
	for r, n := range counts {
		if got := float64(n) / rankUnit; math.Abs(got-g.Ranks[r]) > 1e-10*float64(s.Cells()) {
			t.Errorf("rank %d: %.17g, want %.17g", r, got, g.Ranks[r])
		}
	}
}

// sampleOf is a sample of numbers of a type.
func sampleOf[T Float](t testing.TB, truth, members, weights []float64) Sample[T] {
	t.Helper()
	s, err := NewSample(to[T](truth), to[T](members))
	if err == nil {
		s, err = s.Weighted(weights)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func to[T Float](values []float64) []T {
	out := make([]T, len(values))
	for i, v := range values {
		out[i] = T(v)
	}
	return out
}

// near compares with a golden number, if there is one.
func near(t *testing.T, name string, got float64, want *float64) {
	t.Helper()
	if want != nil && !(math.Abs(got-*want) <= 1e-10*max(1, math.Abs(*want))) {
		t.Errorf("%s = %.17g, want %.17g", name, got, *want)
	}
}

// nearRoots is near, to 1e-6 for roots that are rounded to float32.
func nearRoots(t *testing.T, name string, single bool, got float64, want *float64) {
	t.Helper()
	if single && want != nil && math.Abs(got-*want) <= 1e-6**want {
		return
	}
	near(t, name, got, want)
}

// must returns the value of a call that may not fail.
func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}
