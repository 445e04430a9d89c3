// Fidelity of generators with known defects.

package generation

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

// normalRows are n rows of normal numbers about a mean, with labels 0 and 1 in turn whose first column differs by 4.
func normalRows(name string, n, dim int, mean, sd float64, seed uint64) *Samples {
	r := stat.NewRandom(stat.StreamSample.Key(seed))
	s := &Samples{Name: name}
	var x []float64
	for i := range n {
		s.Labels = append(s.Labels, i%2)
		for k := range dim {
			v := mean + sd*r.Normal()
			if k == 0 {
				v += 4 * float64(i%2)
			}
			x = append(x, v)
		}
	}
	s.Rows = points.Float64(x, dim)
	return s
}

func fidelityOf(t *testing.T, in Input, o Options) *Result {
	t.Helper()
	o.Metrics = []string{"fidelity"}
	result, err := Analyze(context.Background(), in, o)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// TestFidelityFindsDefects: each generator has one defect, and the number that shows it.
func TestFidelityFindsDefects(t *testing.T) {
	t.Parallel()
	real := normalRows("real", 200, 4, 0, 1, 1)
	in := Input{Real: real, HoldOut: normalRows("hold-out", 160, 4, 0, 1, 2), Generators: []Generator{
		{Name: "faithful", Generated: normalRows("faithful", 160, 4, 0, 1, 3)},
		{Name: "copies", Generated: &Samples{Name: "copies", Rows: points.Float64(real.Rows.F64[:160*4], 4), Labels: real.Labels[:160]}},
		{Name: "narrow", Generated: normalRows("narrow", 160, 4, 0, 0.3, 4)},
		{Name: "shifted", Generated: normalRows("shifted", 160, 4, 2, 1, 5)},
	}}
	result := fidelityOf(t, in, Options{Intervals: true, Seed: 1})
	of := map[string]*Fidelity{}
	for i := range result.Models {
		of[result.Models[i].Name] = result.Models[i].Fidelity
	}
	good, copies, narrow, shifted := of["faithful"], of["copies"], of["narrow"], of["shifted"]
	value := func(e Estimate) float64 { return e.Value.Float() }
	b := good.Baseline.Ball
	for _, c := range []struct {
		what string
		ok   bool
	}{
		{"a faithful generator is like halves of the real samples", math.Abs(value(good.Ball.Precision)-b.Precision) < 0.1 && math.Abs(value(good.Ball.Coverage)-b.Coverage) < 0.1},
		{"nothing tells it from real samples", good.Classifiers[0].AUC.CI.Low < 0.5 && good.Distances.MMDP.Float() > 0.01},
		{"its samples are as new as hold-out ones", good.Memorization.CTP.Float() > 0.01 && value(good.Memorization.Copies) == 0},
		{"copies are found", value(copies.Memorization.Copies) == 1 && copies.Memorization.CT.Float() < -5 && value(copies.Memorization.Novelty) == 0},
		{"copies have the best precision", value(copies.Ball.Precision) == 1},
		{"a narrow generator loses recall, not precision", value(narrow.Ball.Recall) < 0.5 && value(narrow.Ball.Precision) > 0.95 && value(narrow.Ball.Density) > 1.2},
		{"a shifted one loses precision", value(shifted.Ball.Precision) < 0.6 && shifted.Distances.EnergyP.Float() < 0.01 && value(shifted.Classifiers[0].AUC) > 0.9},
		{"the limit of the Fréchet distance is below it", good.Distances.FrechetInfinity.Float() < value(good.Distances.Frechet)},
		{"both labels are there", len(good.ByLabel) == 2 && good.ByLabel[0].Generated == 80},
	} {
		if !c.ok {
			t.Errorf("%s: not so", c.what)
		}
	}
	found := slices.ContainsFunc(result.Comparisons, func(c report.Comparison) bool {
		return c.Metric == "fidelity.recall" && c.A == "faithful" && c.B == "narrow" && c.P.Float() < 1e-4
	})
	if !found {
		t.Error("the recall of a faithful and a narrow generator is not told apart")
	}
}

// TestFidelityOfGrids: grids of cells, some of them not valid.
func TestFidelityOfGrids(t *testing.T) {
	t.Parallel()
	grids := func(n int, seed uint64) *Samples {
		r := stat.NewRandom(stat.StreamSample.Key(seed))
		s := &Samples{Name: "grids", Shape: []int{1, 4, 5}, Valid: make([]bool, n)}
		for i := range n {
			s.Valid[i] = i%10 != 0
			for k := range 20 {
				set := uint8(0)
				if r.Float64() < 0.2+0.02*float64(k) {
					set = 1
				}
				s.Rows.U8 = append(s.Rows.U8, set)
			}
		}
		s.Rows = points.Uint8(s.Rows.U8, 20)
		return s
	}
	result := fidelityOf(t, Input{Real: grids(100, 1), Generators: []Generator{{Name: "g", Generated: grids(80, 2)}}}, Options{Intervals: true})
	f := result.Models[0].Fidelity
	if f == nil || f.Real != 90 || f.Generated != 72 || !f.Ball.Precision.Value.Defined() || f.Memorization.Holdout != 0 || f.Memorization.CT.Defined() {
		t.Fatalf("%+v", f)
	}
	o := f.object(nil)
	for _, key := range []string{"precision", "recall", "density", "coverage", "mmd", "energy_distance", "vendi_score", "novelty", "by_k", "classifier", "memorization", "real_halves"} {
		if _, ok := o.Get(key); !ok {
			t.Errorf("no %s in the result", key)
		}
	}
}

// TestFidelityOfLatents: latents come before samples where there are those of both.
func TestFidelityOfLatents(t *testing.T) {
	t.Parallel()
	latents := func(n, dim int, seed uint64) *Latents {
		return &Latents{Name: "latents", Points: normalRows("", n, dim, 0, 1, seed).Rows}
	}
	in := Input{RealLatents: latents(60, 3, 1), Generators: []Generator{{Name: "g", Latents: latents(50, 3, 2)}}}
	f := fidelityOf(t, in, Options{}).Models[0].Fidelity
	if f == nil || f.Space != "latents" || f.Memorization.Space != "latents" || f.Ball.Precision.CI.Defined() {
		t.Fatalf("%+v", f)
	}
	in.Generators[0].Latents = latents(50, 4, 2)
	_, err := Analyze(context.Background(), in, Options{Metrics: []string{"fidelity"}})
	if err == nil || !strings.Contains(err.Error(), "have dimension 4, those of real samples (latents) 3: want the same") {
		t.Errorf("%v", err)
	}
}

// TestFidelitySkips: too few samples of all or of a label are left out with the reason.
func TestFidelitySkips(t *testing.T) {
	t.Parallel()
	in := Input{Real: normalRows("real", 60, 3, 0, 1, 1), Generators: []Generator{{Name: "few", Generated: normalRows("few", 12, 3, 0, 1, 2)}}}
	m := fidelityOf(t, in, Options{}).Models[0]
	if m.Fidelity != nil || len(m.Skipped) != 1 || m.Skipped[0].Reason != "12 generated and 60 real samples: neighbors take 20 of each" {
		t.Errorf("%+v", m.Skipped)
	}
	in.Generators[0].Generated = normalRows("g", 30, 3, 0, 1, 2)
	f := fidelityOf(t, in, Options{}).Models[0].Fidelity
	if f == nil || len(f.ByLabel) != 0 || len(f.Left) != 2 || f.Left[0].Reason != "15 generated and 30 real samples: neighbors take 20 of each" {
		t.Errorf("%+v", f)
	}
}

// TestFidelityOfEqualSamples: samples that are all equal have no distances, and say so.
func TestFidelityOfEqualSamples(t *testing.T) {
	t.Parallel()
	same := &Samples{Name: "same", Rows: points.Float64(make([]float64, 120), 3)}
	f := fidelityOf(t, Input{Real: same, Generators: []Generator{{Name: "g", Generated: same}}}, Options{Intervals: true}).Models[0].Fidelity
	if f == nil || f.Ball.Precision.Value.Float() != 1 || f.Distances.MMD.Value.Defined() || f.Distances.Vendi.Value.Defined() || f.Memorization.Copies.Value.Float() != 1 {
		t.Fatalf("%+v", f)
	}
}
