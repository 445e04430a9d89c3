// Tests of the figures: that nothing in them is cut, with one model and with twelve.

package command

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"repscope/analysis/sequence"
	"repscope/analysis/sequence/internal/sequencetest"
	"repscope/analysis/sequence/metrics"
	"repscope/internal/runtest"
)

// figureModels are names as long as those of real models.
var figureModels = []string{"esm2_t33_650M", "ablang2", "antiberty", "protbert_bfd", "balm_paired",
	"igbert", "igt5_encoder", "nanobert_small", "curr_bert_5e-4",
	"sapiens_heavy_light", "position_frequencies", "from_scratch_undertrained"}

// folded answers as the fake model does, and its last heads see contacts: the more, the higher
// skill.
type folded struct{ *sequencetest.Source }

func (f folded) Answer(ctx context.Context, passes []sequence.Pass, want sequence.Outputs, visit func(pass int, out *sequence.Output) error) error {
	return f.Source.Answer(ctx, passes, want, func(i int, out *sequence.Output) error {
		n := len(passes[i].Record.Tokens)
		xyz := passes[i].Record.Coordinates
		for k := range out.Attentions {
			a, b := k/n%n, k%n
			near := 0.0
			for c := range 3 {
				d := float64(xyz[3*a+c] - xyz[3*b+c])
				near += d * d
			}
			if near < 64 && k >= len(out.Attentions)/2 {
				out.Attentions[k] *= float32(1 + f.Skill)
			}
		}
		return visit(i, out)
	})
}

// figureMetrics are those that figures show.
func figureMetrics() []string {
	var out []string
	for _, kind := range figureKinds() {
		for _, name := range kind.metrics {
			if metrics.All().Find(name) != nil && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// With REPSCOPE_FIGURES=DIR the figures are written there to be looked at.
func TestFigures(t *testing.T) {
	t.Parallel()
	for _, models := range []int{1, 2, 12} {
		s := sequencetest.NewSequences(24, 3)
		in := sequence.Input{Registry: metrics.All(), Datasets: []sequence.Dataset{{Name: "fake", Choice: sequence.Choice{Mask: sequencetest.Mask, Metrics: figureMetrics(),
			Substitutions: sequencetest.Variants(t, s, 6, 40),
			Set:           map[string]map[string]any{"p_at_l": {"logistic": models == 2}}}}}}
		for k := range models {
			source := sequencetest.NewSource(uint64(k), 3/float64(1+k))
			source.Outputs[sequence.CleanPass] &^= sequence.ContactScores
			in.Datasets[0].Models = append(in.Datasets[0].Models, sequencetest.Model(figureModels[k], s, folded{source}))
		}
		d := &sequencetest.Analyze(t, in).Datasets[0]
		for _, kind := range figureKinds() {
			figure := kind.draw(d)
			if figure == nil {
				t.Errorf("%d models: there is no %s", models, kind.name)
				continue
			}
			warnings, err := figure.Warnings()
			if err != nil {
				t.Errorf("%d models: %s: %v", models, kind.name, err)
				continue
			}
			warnings = slices.DeleteFunc(warnings, func(w string) bool { return strings.Contains(w, "no room to print the values") })
			if len(warnings) > 0 {
				t.Errorf("%d models: %s: %q", models, kind.name, warnings)
			}
			runtest.SaveFigure(t, fmt.Sprintf("%s_%02d", kind.name, models), figure)
		}
	}
}
