// Tests of samples that follow each other in their file.

package generation

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

// course are rows of a table, each near the one before it by rho.
func course(random *rand.Rand, n int, rho float64) *Samples {
	data := make([]float64, n*3)
	for i := range data {
		data[i] = random.NormFloat64()
		if i >= 3 {
			data[i] += rho * data[i-3]
		}
	}
	first := make([]float64, n)
	for i := range first {
		first[i] = data[3*i]
	}
	return &Samples{Name: "course", Rows: points.Float64(data, 3), Statistics: []Statistic{{Name: "first", Values: first}}}
}

// Samples without groups whose neighbors are alike are ten groups of neighbors without p values, whichever input they
// are; independent samples, those of a label each, and samples by --block 1 are not.
func TestSamplesInOrder(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 1))
	const n = 100
	input := func(real, a float64) Input {
		return Input{Real: course(random, n, real), Generators: []Generator{
			{Name: "a", Generated: course(random, n, a)}, {Name: "b", Generated: course(random, n, 0)}}}
	}
	o := Options{Settings: analysis.Settings{Intervals: true, Seed: 1}, Metrics: []string{"fidelity", "similarity"}}
	tested := func(r *Result) bool {
		return slices.ContainsFunc(r.Comparisons, func(c report.Comparison) bool { return c.P.Defined() })
	}
	alone := o
	alone.Block = stat.BlockSpec{Length: 1}
	sorted := input(0, 0)
	label := make([]int, n)
	for i := range label {
		label[i] = i * 5 / n
	}
	for _, s := range []*Samples{sorted.Real, sorted.Generators[0].Generated, sorted.Generators[1].Generated} {
		for i := range s.Rows.F64 {
			s.Rows.F64[i] += float64(10 * label[i/3])
		}
		s.Labels = label
	}
	for name, c := range map[string]struct {
		in    Input
		o     Options
		alike string // an input that is; empty: none
	}{
		"independent":         {input(0, 0), o, ""},
		"sorted by label":     {sorted, o, ""},
		"a follows":           {input(0, 0.9), o, "--generated a"},
		"real samples follow": {input(0.9, 0), o, "--real"},
		"--block 1":           {input(0.9, 0.9), alone, ""},
	} {
		r := analyzed(t, c.in, c.o)
		warned := slices.IndexFunc(r.Warnings, func(w string) bool { return strings.Contains(w, "ten groups of neighbors") })
		if tested(r) != (c.alike == "") || (warned >= 0) != (c.alike != "") {
			t.Errorf("%s: p values %v, warnings %q", name, tested(r), r.Warnings)
		}
		m := r.Models[0]
		for _, p := range []float64{m.Similarity.ByLabel[0].Statistics[0].KS.P, m.Similarity.ByLabel[0].Joint.Energy.P,
			m.Fidelity.Distances.MMDP.Float(), m.Fidelity.Classifiers[0].P.Float()} {
			if math.IsNaN(p) != (c.alike != "") {
				t.Errorf("%s: p of a test against real samples: %g", name, p)
			}
		}
		if c.in.Generators[0].Generated.Groups != nil {
			t.Errorf("%s: the input was changed", name)
		}
		if warned < 0 {
			continue
		}
		if w := r.Warnings[warned]; !strings.Contains(w, c.alike) || !strings.Contains(w, "have no p value") {
			t.Errorf("%s: warning %q", name, w)
		}
	}
}

// Latents, predictions and reconstructions are compared with their neighbors too.
func TestInputsInOrder(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 1))
	const n = 200
	follows := course(random, n, 0.95)
	z := course(random, n, 0.95)
	target, predicted, label := make([]int, n), make([]int, n), make([]int, n)
	for i := range n {
		label[i] = i % 2
		if follows.Rows.F64[3*i] > 0 {
			predicted[i] = 1
		}
	}
	r := analyzed(t, Input{Generators: []Generator{{Name: "a",
		Latents:     &Latents{Name: "a", Points: z.Rows, Labels: label},
		Predictions: &Predictions{Name: "a", Target: target, Predicted: predicted}}}},
		Options{Settings: analysis.Settings{Intervals: true}})
	warning := strings.Join(r.Warnings, "\n")
	for _, input := range []string{"--latents a", "--predictions a"} {
		if !strings.Contains(warning, input) {
			t.Errorf("no warning of %s: %q", input, warning)
		}
	}
	noise := func(i int) float64 { return 0.2 * follows.Rows.F64[3*i] }
	pairs := &Pairs{Name: "p", N: n, Shape: []int{20}, Digest: "p"}
	pairs.Read = func(_ context.Context, original, found []float64, lo, _ int) error {
		for k := range original {
			original[k] = float64(k % 2)
			found[k] = original[k] + noise(lo+k/20)*float64(random.IntN(2))
		}
		return nil
	}
	r = analyzed(t, Input{Generators: []Generator{{Name: "a", Reconstruction: pairs}}},
		Options{Settings: analysis.Settings{Intervals: true}})
	m := r.Models[0].Reconstruction
	if m.Alike < 0.3 || m.Groups != nil || len(m.Mean.Jackknife.BlockSizes) != neighborGroups {
		t.Errorf("reconstructions that follow each other: correlation %.2f, groups %v", m.Alike, m.Groups)
	}
	if warning := strings.Join(r.Warnings, "\n"); !strings.Contains(warning, "--reconstruction a") {
		t.Errorf("no warning of reconstructions: %q", warning)
	}
}
