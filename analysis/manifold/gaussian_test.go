// The comparison with a Gaussian: its level, also of latents that follow each other, its power, and where there is
// none.

package manifold

import (
	"math"
	"slices"
	"strings"
	"testing"

	"repscope/internal/runtest"
	"repscope/points"
	"repscope/shard"
	"repscope/shard/shardtest"
	"repscope/stat"
)

// walking are Gaussian latents of unit variance that remember the one before with rho, in episodes that differ by
// offsets
// of variance between.
func walking(n, dim, episodes int, rho, between float64, seed uint64) (points.Points, []int) {
	random := stat.NewRandom(stat.NewKey(seed, 11))
	data, episode := make([]float64, n*dim), make([]int, n)
	offset := make([]float64, dim)
	for i := range n {
		episode[i] = i * episodes / n
		for k := range dim {
			if data[i*dim+k] = random.Normal(); i > 0 && episode[i] == episode[i-1] {
				data[i*dim+k] = rho*data[(i-1)*dim+k] + math.Sqrt(1-rho*rho)*data[i*dim+k]
			}
		}
	}
	random = stat.NewRandom(stat.NewKey(seed, 12))
	for i := range n {
		if i == 0 || episode[i] != episode[i-1] {
			for k := range dim {
				offset[k] = math.Sqrt(between) * random.Normal()
			}
		}
		for k := range dim {
			data[i*dim+k] = math.Sqrt(1-between)*data[i*dim+k] + offset[k]
		}
	}
	return points.Float64(data, dim), episode
}

// rejections are the shares of Gaussian draws that the two tests reject at 5 %, and of those without a p value.
func rejections(t *testing.T, draws, n int, rho, between float64) (sliced, bhep, none float64) {
	t.Helper()
	tested := 0.0
	for d := range draws {
		z, episode := walking(n, 5, 16, rho, between, uint64(1000+d))
		result, err := Analyze(t.Context(), Input{Episode: episode, Models: []Encoded{{Name: "a", Latents: z}}},
			Options{GaussianSlices: 16, GaussianDraws: 39, GrideOrders: []int{}, Neighbors: []int{}})
		if err != nil {
			t.Fatal(err)
		}
		g := result.Models[0].Gaussianity
		if !g.SIGReg.P.Defined() {
			if !strings.Contains(g.SIGReg.P.Reason, "the latents depend on each other") || !g.SIGReg.Statistic.Defined() {
				t.Fatalf("%+v", g)
			}
			none++
			continue
		}
		tested++
		if g.SIGReg.P.V <= 0.05 {
			sliced++
		}
		if g.BHEP.P.V <= 0.05 {
			bhep++
		}
	}
	return sliced / max(tested, 1), bhep / max(tested, 1), none / float64(draws)
}

// Latents that follow each other are tested apart in time, or not at all.
func TestGaussian_Level(t *testing.T) {
	runtest.Long(t, "it simulates many samples")
	t.Parallel()
	const draws, most = 60, 0.16 // of 5 %, beyond three standard errors
	for _, c := range []struct{ rho, between float64 }{{0, 0}, {0.3, 0}, {0.8, 0}, {0.95, 0}, {0.8, 0.3}} {
		sliced, bhep, none := rejections(t, draws, 400, c.rho, c.between)
		t.Logf("ρ %v, between %v: SIGReg %.3f, BHEP %.3f, none %.2f", c.rho, c.between, sliced, bhep, none)
		if sliced > most || bhep > most {
			t.Errorf("ρ %v, between %v: SIGReg rejects %v, BHEP %v of Gaussian draws", c.rho, c.between, sliced, bhep)
		}
		if c.rho == 0 && none > 0 {
			t.Errorf("no p value for %v of independent draws", none)
		}
	}
}

func TestGaussian_Power(t *testing.T) {
	t.Parallel()
	z := normal(300, 6, 21)
	for i, v := range z.F64 {
		z.F64[i] = v * v * v
	}
	o := Options{GaussianSlices: 32, GaussianDraws: 99}
	r := analyzed(t, o, z, points.Float64(make([]float64, 600), 2))
	g := r.Models[0].Gaussianity
	for name, s := range map[string]GaussianStatistic{"SIGReg": g.SIGReg, "BHEP": g.BHEP} {
		if s.P.V != 0.01 || !(s.Excess.V > 3*s.NullSD.V) || s.Statistic != s.Tested || math.Abs(s.Tested.V-s.NullMean.V-s.Excess.V) > 1e-12 {
			t.Errorf("%s: %+v", name, s)
		}
	}
	if g.Apart != 1 || g.TestedStates != 300 || g.Scale != "isotropic" {
		t.Errorf("%+v", g)
	}
	if flat := r.Models[1].Gaussianity; flat == nil || flat.SIGReg.Statistic.Reason != "the points are constant" || flat.BHEP.P.Defined() {
		t.Errorf("collapsed model: %+v", flat)
	}
	if m := analyzed(t, Options{}, z).Models[0]; m.Gaussianity != nil || m.Learnability != nil {
		t.Errorf("not asked for: %+v, %+v", m.Gaussianity, m.Learnability)
	}
	// Raw latents are compared with N(0, I): a shift tells, which the isotropic scale takes off.
	shifted := normal(300, 6, 22)
	for i := range shifted.F64 {
		shifted.F64[i] += 2
	}
	o.GaussianScale = "raw"
	raw := analyzed(t, o, shifted).Models[0].Gaussianity
	o.GaussianScale = "isotropic"
	if scaled := analyzed(t, o, shifted).Models[0].Gaussianity; raw.SIGReg.P.V != 0.01 || scaled.SIGReg.P.V < 0.03 {
		t.Errorf("shifted latents: raw %+v, isotropic %+v", raw.SIGReg, scaled.SIGReg)
	}
}

// Two clumps are predicted by their neighbors; what has no clusters says why.
func TestLearnability(t *testing.T) {
	t.Parallel()
	z := normal(200, 4, 31)
	for i := range z.F64 {
		if i/4 < 50 {
			z.F64[i] += 50
		}
	}
	twins := points.Float64(slices.Repeat([]float64{1, 2, 3, 4}, 100), 2)
	r := analyzed(t, Options{Clusters: 2}, z, twins, points.Float64(make([]float64, 400), 2))
	l := r.Models[0].Learnability
	if l.Accuracy.V != 1 || l.Chance.V != 0.75 || l.Clusters != 2 || !strings.Contains(l.Accuracy.CI.Reason, "other clusters") {
		t.Errorf("%+v", l)
	}
	if r.Models[2].Learnability.Accuracy.Reason != "the points are constant" {
		t.Errorf("collapsed model: %+v", r.Models[2].Learnability)
	}
	if l := analyzed(t, Options{Clusters: 3}, twins).Models[0].Learnability; l.Accuracy.Defined() || l.Accuracy.Reason == "" {
		t.Errorf("three clusters of two points: %+v", l)
	}
	if l := analyzed(t, Options{Clusters: 2}, normal(5, 3, 1)).Models[0].Learnability; l.Accuracy.Defined() || l.Accuracy.Reason == "" {
		t.Errorf("five latents: %+v", l)
	}
}

// Any split of the models gives the same bytes.
func TestExtras_Work(t *testing.T) {
	t.Parallel()
	models := []Encoded{{Name: "a", Latents: normal(80, 3, 1)}, {Name: "b", Latents: normal(80, 4, 2)}, {Name: "flat", Latents: points.Float64(make([]float64, 160), 2)}}
	open := func(slices int) func() shard.Work[*Part, *Result] {
		return func() shard.Work[*Part, *Result] {
			work, err := Work(Input{Models: models}, Options{GaussianSlices: slices, GaussianDraws: 19, Clusters: 4})
			if err != nil {
				t.Fatal(err)
			}
			return work
		}
	}
	text := shardtest.Encoded[*Result](t)
	shardtest.Check(t, open(8), text, open(9))
}
