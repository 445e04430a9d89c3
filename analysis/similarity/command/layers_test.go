// Tests of the figure of layers: readable with two layers and with 24, with and without a null.

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

// stacks are two models whose layers change step by step.
func stacks(layers int) similarity.Input {
	in := spaces(2)
	r := rand.New(rand.NewPCG(7, 8))
	for _, m := range in.Models {
		model := similarity.Layered{Name: m.Name}
		z := m.Latents
		for k := range layers {
			next := points.Float64(make([]float64, len(z.F64)), z.Dim)
			for i, v := range z.F64 {
				next.F64[i] = v + 0.3*r.NormFloat64()
			}
			z = next
			model.Layers = append(model.Layers, similarity.Encoded{Name: fmt.Sprintf("blocks.%d", k), Latents: z})
		}
		in.Layers = append(in.Layers, model)
	}
	return in
}

func TestLayerFigure(t *testing.T) {
	t.Parallel()
	for _, layers := range []int{2, 24} {
		for _, permutations := range []int{0, 19} {
			o := similarity.Options{Measures: []string{"cka"}, Permutations: permutations}
			result, err := similarity.Analyze(t.Context(), stacks(layers), o)
			if err != nil {
				t.Fatal(err)
			}
			figure := LayerFigure(result)
			if warnings, err := figure.Warnings(); err != nil || len(warnings) > 0 {
				t.Errorf("%d layers: warnings %q, %v", layers, warnings, err)
			}
			if !strings.Contains(figure.Footnote, "best pair blocks.") {
				t.Errorf("caption %q", figure.Footnote)
			}
			if dir := os.Getenv("FIGURES"); dir != "" {
				var out bytes.Buffer
				if err := figure.Render(&out, "png"); err != nil {
					t.Fatal(err)
				}
				name := fmt.Sprintf("%s/layers%d-%d.png", dir, layers, permutations)
				if err := os.WriteFile(name, out.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
