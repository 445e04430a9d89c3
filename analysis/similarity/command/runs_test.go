// Tests of the figure of runs: one run and three, with and without a null and intervals.

package command

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/analysis/similarity"
	"repscope/points"
	"repscope/stat"
)

// trained are runs whose checkpoints come nearer to the last one.
func trained(runs int) similarity.Input {
	in := spaces(runs)
	r := rand.New(rand.NewPCG(9, 10))
	final := in.Models
	in.Models = nil
	for m, model := range final {
		for step := 0; step <= 5000; step += 1000 {
			z := points.Float64(make([]float64, len(model.Latents.F64)), model.Latents.Dim)
			for i, v := range model.Latents.F64 {
				z.F64[i] = v + r.NormFloat64()*float64(5000-step)/2000
			}
			name := fmt.Sprintf("run_%d@%d", m, step)
			in.Models = append(in.Models, similarity.Encoded{Name: name, Latents: z})
		}
	}
	return in
}

func TestRunFigure(t *testing.T) {
	t.Parallel()
	for _, runs := range []int{1, 3} {
		for _, permutations := range []int{0, 19} {
			o := similarity.Options{
				Measures: []string{"cka_debiased", "mutual_knn"}, Permutations: permutations,
				Settings: analysis.Settings{Intervals: permutations > 0, Block: stat.BlockSpec{Kind: stat.EpisodeBlocks}},
			}
			result, err := similarity.Analyze(t.Context(), trained(runs), o)
			if err != nil {
				t.Fatal(err)
			}
			figure := RunFigure(result)
			if warnings, err := figure.Warnings(); err != nil || len(warnings) > 0 {
				t.Errorf("%d runs: warnings %q, %v", runs, warnings, err)
			}
			if !strings.Contains(figure.Footnote, fmt.Sprintf("run_%d@5000).", runs-1)) {
				t.Errorf("caption %q", figure.Footnote)
			}
			if dir := os.Getenv("FIGURES"); dir != "" {
				var out bytes.Buffer
				if err := figure.Render(&out, "png"); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(fmt.Sprintf("%s/runs%d-%d.png", dir, runs, permutations), out.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
