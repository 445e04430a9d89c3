// What scipy and literal NumPy say, in testdata.

package twosample

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"repscope/measure/measuretest"
	"repscope/points"
	"repscope/stat"
)

type golden struct {
	Univariate []struct {
		Name       string
		X, Y       []float64
		W1, Energy float64
		KS, P      float64
	}
	Ties struct {
		X, Y []float64
		P    float64
	}
	Multivariate struct {
		Dim           int
		X, Y          []float64
		Energy        float64
		EnergyWithout []float64 `json:"energy_without"`
		Sigma, MMD    float64
		MMDWithout    []float64 `json:"mmd_without"`
		KID, Frechet  float64
		Correlations  [2][]float64 `json:"correlations"`
	}
}

func readGolden(t *testing.T) (g golden) {
	t.Helper()
	data, err := os.ReadFile("testdata/golden.json")
	must(t, err)
	must(t, json.Unmarshal(data, &g))
	return g
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestGoldenUnivariate(t *testing.T) {
	t.Parallel()
	g := readGolden(t)
	for _, c := range g.Univariate {
		w, err := Wasserstein1(c.X, c.Y)
		must(t, err)
		measuretest.Near(t, c.Name+", Wasserstein", w, c.W1, 1e-13)
		d, err := Energy(t.Context(), points.Float64(c.X, 1), points.Float64(c.Y, 1), Options{})
		must(t, err)
		measuretest.Near(t, c.Name+", energy of points", d.Root().Value, c.Energy, 1e-7)
		ks, err := KolmogorovSmirnov(c.X, c.Y)
		must(t, err)
		measuretest.Near(t, c.Name+", KS", ks.Statistic, c.KS, 1e-14)
		if math.Abs(ks.PContinuous-c.P) > 1e-9*c.P {
			t.Errorf("%s: p = %v, want %v", c.Name, ks.PContinuous, c.P)
		}
		if ks.P > ks.PContinuous || (ks.Ties == 0 && ks.P != ks.PContinuous) || !ks.Exact {
			t.Errorf("%s: %+v", c.Name, ks)
		}
	}
	ks, err := KolmogorovSmirnov(g.Ties.X, g.Ties.Y)
	must(t, err)
	measuretest.Near(t, "p with ties", ks.P, g.Ties.P, 1e-12)
}

func TestGoldenMultivariate(t *testing.T) {
	t.Parallel()
	g := readGolden(t).Multivariate
	x, y := points.Float64(g.X, g.Dim), points.Float64(g.Y, g.Dim)
	labels := make([]int, x.N+y.N)
	for i := range labels {
		labels[i] = i / 8
		if i >= x.N {
			labels[i] = 5 + (i-x.N)/11
		}
	}
	blocks, err := stat.NewBlocks(len(labels), labels, stat.BlockSpec{Kind: stat.EpisodeBlocks})
	must(t, err)
	energy, err := Energy(t.Context(), x, y, Options{Blocks: blocks})
	must(t, err)
	measuretest.Near(t, "energy", energy.Value, g.Energy, 1e-13)
	mmd, err := MMD(t.Context(), x, y, MMDOptions{Options: Options{Blocks: blocks}, Bandwidth: g.Sigma})
	must(t, err)
	measuretest.Near(t, "MMD", mmd.Value, g.MMD, 1e-13)
	for b := range blocks.Count() {
		measuretest.Near(t, "energy without a block", energy.Without[b], g.EnergyWithout[b], 1e-13)
		measuretest.Near(t, "MMD without a block", mmd.Without[b], g.MMDWithout[b], 1e-13)
	}
	sigma, err := medianDistance(t.Context(), x, y, 1, 2)
	must(t, err)
	measuretest.Near(t, "median distance", sigma, g.Sigma, 1e-13)
	kid, err := KID(t.Context(), x, y, Options{})
	must(t, err)
	measuretest.Near(t, "KID", kid.Value, g.KID, 1e-11)
	frechet, err := Frechet(x, y)
	must(t, err)
	measuretest.Near(t, "Fréchet", frechet, g.Frechet, 1e-10)
	trends, err := ColumnPairTrends(x, y)
	must(t, err)
	for k, trend := range trends {
		measuretest.Near(t, "correlation in x", trend.X, g.Correlations[0][k], 1e-12)
		measuretest.Near(t, "correlation in y", trend.Y, g.Correlations[1][k], 1e-12)
	}
}
