// Stitched models: what follows a layer, CSV rows, and the console table.

package command

import (
	"context"

	"repscope/analysis/internal/output"
	"repscope/analysis/similarity"
	"repscope/internal/input"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/latent"
	"repscope/points"
	"repscope/report"
)

// rest is what follows a layer of an encoder.
type rest struct {
	*latent.Rest
	shape []int // of the layer, for one state
	o     latent.EncodeOptions
}

func (r *rest) Outputs(ctx context.Context, values []float32, n int) (points.Points, error) {
	in := latent.HeadInput{Name: latent.HeadLatent, Rows: points.Float32(values, len(values)/n), Shape: r.shape}
	out, _, err := r.Run(ctx, []latent.HeadInput{in}, nil, r.o)
	if err != nil {
		return points.Points{}, err
	}
	return points.Float32(out, len(out)/n), nil
}

func (r *rest) Size() int { return points.Size(r.Output) }

func (r *rest) Classes() bool { return r.Rest.Classes }

// addStages gives the layers what --stitch needs.
func addStages(ctx context.Context, data *input.Data, layers []input.Layers, states *points.Selection,
	in *similarity.Input) error {
	stages, err := data.Stages(ctx, layers, states)
	if err != nil {
		return err
	}
	for m, model := range stages {
		for _, s := range model {
			in.Layers[m].Stages = append(in.Layers[m].Stages, similarity.Stage{
				Values: s.Values.F32, Shape: s.Shape, Channels: s.Channels, Identity: s.Identity,
				Open: func() (similarity.Rest, error) {
					opened, err := s.Open()
					if err != nil {
						return nil, err
					}
					return &rest{opened, s.Shape, latent.EncodeOptions{Batch: data.Options.Batch}}, nil
				},
			})
		}
	}
	return nil
}

// writeStitches writes two rows for each pair of layers.
func writeStitches(r *similarity.Result, env *run.Env) error {
	return output.ModelCSV(env, "similarity_stitches.csv", []string{
		"From", "Layer_From", "To", "Layer_To", "Positions", "Score", "Value", "CI_Low", "CI_High", "Self", "Null_Mean",
		"Null_SD", "Null_Threshold", "P", "P_Holm", "Adjusted", "Gated", "Null_States", "Null_Value",
	}, func(csv *report.CSV) error {
		for _, s := range r.Stitches {
			for _, one := range []struct {
				name  string
				score similarity.PairScore
				self  report.Value
			}{{"error", s.Error, s.SelfError}, {"agreement", s.Agreement, s.SelfAgreement}} {
				low, high := output.Ends(one.score.Value.CI)
				c := chanceOf(one.score)
				if err := csv.Row(s.From, s.LayerFrom, s.To, s.LayerTo, s.Positions, one.name, one.score.Value.Value,
					report.NumberOr(low, "no interval"), report.NumberOr(high, "no interval"), one.self, c.Mean, c.SD,
					c.Threshold, c.P, c.PHolm, c.Adjusted, c.Gated, c.States, c.Value); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// printStitches writes the stitched models to the console.
func printStitches(r *similarity.Result, env *run.Env) error {
	table := report.NewTable("Stitched models", "From", "Layer", "To", "Layer", "Error", "… self", "… null", "p (Holm)",
		"Agreement")
	for i, s := range r.Stitches {
		if i == mostPairs {
			break
		}
		c := chanceOf(s.Error)
		table.Row(s.From, s.LayerFrom, s.To, s.LayerTo, s.Error.Value, s.SelfError, c.Mean, report.Probability(c.PHolm),
			s.Agreement.Value)
	}
	table.Note("Error of the outputs of the second model when a linear map of the first one's layer replaces its own " +
		"layer: 0 for equal outputs, 1 for their mean")
	table.Note("… self: its own layer through such a map; … null: mean over maps fitted to episodes in other orders")
	if len(r.Stitches) > mostPairs {
		table.Note("%d of %s; all: similarity_stitches.csv", mostPairs, text.Count(len(r.Stitches), "pair of layers"))
	}
	return env.Table(table)
}
