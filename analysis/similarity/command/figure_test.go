// Tests of the figure: readable with two models and with sixty, honest about collapsed ones.

package command

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"repscope/analysis/similarity"
	"repscope/points"
)

// spaces are models in four groups that share more.
func spaces(count int) similarity.Input {
	r := rand.New(rand.NewPCG(1, 2))
	const n, dim = 48, 4
	in := similarity.Input{Episode: make([]int, n)}
	shared := make([][]float64, 4)
	for g := range shared {
		for range n * dim {
			shared[g] = append(shared[g], r.NormFloat64())
		}
	}
	for i := range n {
		in.Episode[i] = i / 6
	}
	for m := range count {
		z := make([]float64, n*dim)
		for i := range z {
			z[i] = shared[m*len(shared)/count][i] + 0.6*r.NormFloat64()
		}
		name := fmt.Sprintf("encoder_%02d", m)
		in.Models = append(in.Models, similarity.Encoded{Name: name, Latents: points.Float64(z, dim)})
	}
	return in
}

func TestFigureOfManyModels(t *testing.T) {
	t.Parallel()
	for _, count := range []int{2, 6, 20, 60} {
		o := similarity.Options{Measures: []string{"cka_debiased"}, Permutations: 19}
		result, err := similarity.Analyze(t.Context(), spaces(count), o)
		if err != nil {
			t.Fatal(err)
		}
		figure := Figure(result)
		if warnings, err := figure.Warnings(); err != nil || len(warnings) > 0 {
			t.Errorf("%d models: warnings %q, %v", count, warnings, err)
		}
		if dir := os.Getenv("FIGURES"); dir != "" {
			var out bytes.Buffer
			if err := figure.Render(&out, "png"); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(fmt.Sprintf("%s/%d.png", dir, count), out.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A collapsed model has no numbers; the figure says why.
func TestFigureOfACollapsedModel(t *testing.T) {
	t.Parallel()
	in := spaces(3)
	in.Models[1].Latents = points.Float64(make([]float64, 48*4), 4)
	for i := range in.Models[1].Latents.F64 {
		in.Models[1].Latents.F64[i] = 1
	}
	result, err := similarity.Analyze(t.Context(), in, similarity.Options{Measures: []string{"cka"}, Permutations: 19})
	if err != nil {
		t.Fatal(err)
	}
	if s := result.Pairs[0].Score("cka"); s.Value.Defined() || !strings.Contains(s.Value.Reason, in.Models[1].Name+": ") {
		t.Errorf("score %v %q", s.Value.V, s.Value.Reason)
	}
	if s := result.Pairs[1].Score("cka"); !s.Value.Defined() || !s.Null.P.Defined() {
		t.Errorf("the score of the others: %q", s.Value.Reason)
	}
	var out bytes.Buffer
	if err := Figure(result).Render(&out, "svg"); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "collapsed") {
		t.Error("the figure does not say that a model is collapsed")
	}
}
