// The figures: which there are, for every dataset.

package command

import (
	"context"
	"fmt"
	"slices"

	"repscope/analysis/internal/output"
	"repscope/analysis/sequence"
	"repscope/internal/run"
	"repscope/plots"
)

// figureKind is a figure of all models of a dataset.
type figureKind struct {
	name    string
	metrics []string // it is planned where one of them is computed of some model
	// draw returns nil where there is nothing to show.
	draw func(d *sequence.DatasetResult) *plots.Figure
}

// figureKinds are the figure kinds of a run, in their order.
func figureKinds() []figureKind {
	return []figureKind{
		{figureRegions, []string{"region_accuracy", "region_perplexity"}, regionFigure},
		{figureCalibration, []string{"calibration"}, calibrationFigure},
		{"sequence_contacts", []string{"p_at_l"}, contactFigure},
		{"sequence_contact_maps", []string{"p_at_l"}, contactMapFigure},
		{"sequence_attention", []string{"cross_chain"}, attentionFigure},
		{"sequence_probes", []string{"chain_probe", "position_probe", "cdr_probe", "cdr_probe_class"}, probeFigure},
		{"sequence_substitutions", []string{"substitutions"}, drawSubstitutions},
	}
}

// figureName is the name of a figure of a dataset.
func figureName(name string, dataset int) string {
	if dataset == 0 {
		return name
	}
	return fmt.Sprintf("%s_%d", name, dataset+1)
}

// planned reports whether a model has a metric that the figure shows.
func (f *figureKind) planned(m *sequence.ModelPlan) bool {
	return slices.ContainsFunc(m.Kinds, func(k *sequence.Kind) bool { return slices.Contains(f.metrics, k.Name) })
}

// planFigures adds the figures to a plan.
func (s *settings) planFigures(env *run.Env, p *sequence.Plan) error {
	for i, d := range p.Datasets {
		for _, f := range figureKinds() {
			if slices.ContainsFunc(d.Planned, f.planned) {
				env.PlanFigures(figureName(f.name, i))
			}
		}
	}
	return nil
}

// figures draws the figures of all datasets.
func (s *settings) figures(ctx context.Context, env *run.Env, r *sequence.Result) error {
	var drawings []run.Drawing
	for i := range r.Datasets {
		d := &r.Datasets[i]
		for _, f := range figureKinds() {
			drawings = append(drawings, output.Drawing(figureName(f.name, i), func() (*plots.Figure, error) {
				figure := f.draw(d)
				if figure == nil {
					return nil, nil // nothing to show
				}
				if len(r.Datasets) > 1 {
					figure.Footnote = "Dataset " + plots.Escape(d.Name) + ". " + figure.Footnote
				}
				figure.Notes = append(figure.Notes, output.IntervalNotes(r.Warnings)...)
				return figure, nil
			}))
		}
	}
	return env.Figures(ctx, drawings)
}
