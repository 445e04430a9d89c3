// Fidelity of generators with known defects.

package generation

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/internal/runtest"
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
	runtest.Long(t, "it measures many sets")
	t.Parallel()
	real := normalRows("real", 200, 4, 0, 1, 1)
	in := Input{Real: real, HoldOut: normalRows("hold-out", 160, 4, 0, 1, 2), Generators: []Generator{
		{Name: "faithful", Generated: normalRows("faithful", 160, 4, 0, 1, 3)},
		{Name: "copies", Generated: &Samples{Name: "copies", Rows: points.Float64(real.Rows.F64[:160*4], 4), Labels: real.Labels[:160]}},
		{Name: "narrow", Generated: normalRows("narrow", 160, 4, 0, 0.3, 4)},
		{Name: "shifted", Generated: normalRows("shifted", 160, 4, 2, 1, 5)},
	}}
	result := fidelityOf(t, in, Options{Settings: analysis.Settings{Intervals: true, Seed: 1}})
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
	result := fidelityOf(t, Input{Real: grids(100, 1), Generators: []Generator{{Name: "g", Generated: grids(80, 2)}}}, Options{Settings: analysis.Settings{Intervals: true}})
	f := result.Models[0].Fidelity
	if f == nil || f.Real != 90 || f.Generated != 72 || !f.Ball.Precision.Value.Defined() || f.Memorization.Holdout != 0 || f.Memorization.CT.Defined() {
		t.Fatalf("%+v", f)
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
	if err == nil || !strings.Contains(err.Error(), "have dimension 4, but latents of real samples (latents) have 3") {
		t.Errorf("%v", err)
	}
}

// TestFidelityOfHeavyTails: where one sample or group decides a moment, distances of moments have no interval, and the
// others keep theirs.
func TestFidelityOfHeavyTails(t *testing.T) {
	t.Parallel()
	latents := func(seed uint64, groups []int) *Latents {
		rows := normalRows("", 80, 3, 0, 1, seed).Rows
		return &Latents{Name: "latents", Points: rows, Groups: groups}
	}
	o := Options{Settings: analysis.Settings{Intervals: true, Seed: 1}}
	groups := make([]int, 80)
	for i := range groups {
		groups[i] = i / 8
	}
	for name, c := range map[string]struct {
		groups []int
		far    int // samples that are far from the others
		want   string
	}{"none": {nil, 0, ""}, "one sample": {nil, 1, "one sample has"}, "one group": {groups, 8, "one group has"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			generated := latents(2, c.groups)
			for i := range 3 * c.far {
				generated.Points.F64[i] = 40 // from the mean in each coordinate
			}
			in := Input{RealLatents: latents(1, c.groups), Generators: []Generator{{Name: "g", Latents: generated}}}
			d := fidelityOf(t, in, o).Models[0].Fidelity.Distances
			for _, e := range []Estimate{d.KID, d.Frechet} {
				if !e.Value.Defined() || e.CI.Defined() != (c.want == "") || !strings.Contains(e.CI.Reason, c.want) {
					t.Errorf("%s: %v, interval %+v", e.Path, e.Value, e.CI)
				}
			}
			if !d.MMD.CI.Defined() || !d.Energy.CI.Defined() {
				t.Errorf("MMD %+v, energy distance %+v", d.MMD.CI, d.Energy.CI)
			}
		})
	}
}

// naiveBall are precision, recall, density and coverage by the definition: d < r, or d = 0.
func naiveBall(real, generated points.Points, k int) [4]float64 {
	distance := func(a, b points.Points, i, j int) float64 {
		sum, x, y := 0.0, make([]float64, a.Dim), make([]float64, b.Dim)
		for c, v := range a.Row(i, x) {
			sum += (v - b.Row(j, y)[c]) * (v - b.Row(j, y)[c])
		}
		return math.Sqrt(sum)
	}
	radius := func(p points.Points, i int) float64 {
		var all []float64
		for j := range p.N {
			if j != i {
				all = append(all, distance(p, p, i, j))
			}
		}
		slices.Sort(all)
		return all[k-1]
	}
	n, m := float64(real.N), float64(generated.N)
	var out [4]float64
	inReal, holds := make([]bool, generated.N), make([]bool, real.N)
	for i := range real.N {
		r, inGenerated := radius(real, i), false
		for j := range generated.N {
			d := distance(real, generated, i, j)
			if d < r || d == 0 {
				inReal[j], holds[i] = true, true
				out[2] += 1 / float64(k) / m
			}
			inGenerated = inGenerated || d < radius(generated, j) || d == 0
		}
		if inGenerated {
			out[1] += 1 / n
		}
	}
	for _, in := range inReal {
		if in {
			out[0] += 1 / m
		}
	}
	for _, in := range holds {
		if in {
			out[3] += 1 / n
		}
	}
	return out
}

// TestFidelityOfFewSamples: below 20 samples of a kind what can be computed is there, without intervals,
// and the rest is null with the reason.
func TestFidelityOfFewSamples(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{1, 1}, {1, 40}, {2, 2}, {5, 30}, {6, 30}, {12, 60}, {30, 7}, {19, 19}, {20, 20}} {
		real, generated := normalRows("real", size[1], 3, 0, 1, 1), normalRows("few", size[0], 3, 0, 1, 2)
		m := fidelityOf(t, Input{Real: real, Generators: []Generator{{Name: "few", Generated: generated}}},
			Options{Settings: analysis.Settings{Intervals: true, Seed: 1}}).Models[0]
		f := m.Fidelity
		if f == nil {
			t.Fatalf("%v: skipped: %v", size, m.Skipped)
		}
		x, y := &cloud{points: real.Rows}, &cloud{points: generated.Rows}
		scaleColumns(real, x, y)
		least := min(size[0], size[1])
		scores := []Estimate{f.Ball.Precision, f.Ball.Recall, f.Ball.Density, f.Ball.Coverage}
		if least <= usualK {
			for _, e := range scores {
				if e.Value.Defined() || !strings.Contains(e.Value.Reason, "5 neighbors need 6 of each") {
					t.Errorf("%v: %s is %v, want null with the reason", size, e.Path, e.Value)
				}
			}
		} else {
			for i, want := range naiveBall(x.points, y.points, usualK) {
				if got := scores[i].Value.V; math.Abs(got-want) > 1e-12 {
					t.Errorf("%v: %s is %v, want %v", size, scores[i].Path, got, want)
				}
			}
		}
		for _, e := range append(scores, f.Distances.Energy, f.Distances.Frechet, f.Memorization.Novelty,
			f.Classifiers[0].AUC) {
			if defined := e.CI.Defined(); least < leastForErrors && (defined || e.CI.Reason == "") ||
				least >= leastForErrors && e.Value.Defined() && !defined {
				t.Errorf("%v: the interval of %s is %v (%s)", size, e.Path, e.CI, e.CI.Reason)
			}
		}
		if least > 1 && !(f.Distances.Energy.Value.Defined() && f.Distances.EnergyP.Defined() &&
			f.Distances.MMD.Value.Defined() && f.Memorization.Novelty.Value.Defined()) {
			t.Errorf("%v: %+v", size, f.Distances)
		}
	}
}

// TestFidelityOfLabels: a label that is missing on one side, or valid nowhere, is named.
func TestFidelityOfLabels(t *testing.T) {
	t.Parallel()
	real, generated := normalRows("real", 60, 3, 0, 1, 1), normalRows("g", 30, 3, 0, 1, 2)
	real.Valid = slices.Repeat([]bool{true}, 60)
	for i := range 5 {
		generated.Labels[2*i] = 7 // real ones have none of it
		real.Labels[i], real.Valid[i] = 9, false
	}
	f := fidelityOf(t, Input{Real: real, Generators: []Generator{{Name: "g", Generated: generated}}},
		Options{}).Models[0].Fidelity
	var left []string
	for _, s := range f.Left {
		left = append(left, strings.TrimSpace(strings.Split(s.Reason, ";")[0]))
	}
	want := []string{"found 5 generated and 0 real samples", "found 0 generated and 0 real samples"}
	if len(f.ByLabel) != 2 || f.ByLabel[0].Generated != 10 || !slices.Equal(left, want) || f.Left[0].Label != 7 ||
		f.Left[1].Label != 9 {
		t.Errorf("%d labels, left out %q, want %q", len(f.ByLabel), left, want)
	}
}

// TestFidelityOfEqualSamples: samples that are all equal have no distances, and say so.
func TestFidelityOfEqualSamples(t *testing.T) {
	t.Parallel()
	same := &Samples{Name: "same", Rows: points.Float64(make([]float64, 120), 3)}
	result := fidelityOf(t, Input{Real: same, Generators: []Generator{{Name: "g", Generated: same}}},
		Options{Settings: analysis.Settings{Intervals: true}})
	f := result.Models[0].Fidelity
	if f == nil || f.Ball.Recall.Value.V != 1 || f.Ball.Coverage.Value.V != 1 || f.Ball.Precision.Value.Float() != 1 ||
		f.Distances.MMD.Value.Defined() || f.Distances.Vendi.Value.Defined() || f.Memorization.Copies.Value.Float() != 1 {
		t.Fatalf("%+v", f)
	}
	const want = "fidelity of g is degenerate: 40 of 40 real samples have 5 copies or more, so precision, " +
		"density and coverage measure copies only; " +
		"40 of 40 generated samples have 5 copies or more, so recall measures copies only"
	if !slices.Equal(result.Warnings, []string{want}) {
		t.Errorf("%q, want %q", result.Warnings, want)
	}
}

// TestFidelityOfOnes: real = fake = ones in many coordinates, which classifiers cannot project.
func TestFidelityOfOnes(t *testing.T) {
	t.Parallel()
	ones := &Latents{Name: "ones", Points: points.Float32(slices.Repeat([]float32{1}, 64*100), 100)}
	f := fidelityOf(t, Input{RealLatents: ones, Generators: []Generator{{Name: "g", Latents: ones}}},
		Options{Settings: analysis.Settings{Intervals: true}}).Models[0].Fidelity
	if f.Ball.Precision.Value.V != 1 || f.Ball.Coverage.Value.V != 1 || f.Degenerate == "" {
		t.Errorf("%+v", f.Ball)
	}
	if len(f.Classifiers) != 2 || f.Classifiers[0].AUC.Value.Reason != "all samples are equal" {
		t.Errorf("%+v", f.Classifiers)
	}
}
