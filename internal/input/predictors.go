// Predictors: models of dynamics, which make the next latent of a latent and an action.

package input

import (
	"context"
	"fmt"

	"repscope/internal/run"
	"repscope/latent"
	"repscope/points"
)

// Predictors are what the flags --predictor and --actions name.
type Predictors struct {
	Files   *GivenHeads
	Actions *Given
}

// Predictors adds the flags of models of dynamics. example makes the file of an encoder of the built-in example;
// target, if not empty, says what actions are for besides.
func (in *Inputs) Predictors(flags *run.Flags, example func(model string) ([]byte, error), target string) *Predictors {
	return &Predictors{
		Files: in.Heads(flags, HeadRole{Name: "predictor", Example: example,
			Usage: "`NAME=FILE.onnx` of a dynamics model that predicts the next latent from a latent of NAME and the " +
				"action (repeats)"}),
		Actions: in.Role(flags, Role{Name: "actions", Unit: "action", Example: "action", Published: "actions",
			Usage: "`FILE[:key]` of the action at every frame, an integer from 0 (a window has the action of its last " +
				"frame): input of --predictor" + target + ". Default: the actions of a published dataset given with --frames"}),
	}
}

// Predictor is an open model of dynamics of a model.
type Predictor struct {
	Shape []int // of one row of its input and output

	flags *Predictors
	model *Model
	head  *latent.Head
}

// Open opens the predictor of a model whose latents go into heads in a shape; nil if there is none.
func (p *Predictors) Open(data *Data, m *Model, shape []int) (*Predictor, error) {
	head, err := p.Files.Open(data, m.Name, "")
	if head == nil || err != nil {
		return nil, err
	}
	return &Predictor{Shape: shape, flags: p, model: m, head: head}, nil
}

// Check checks, for a dry run, that latents and actions fit.
func (p *Predictor) Check() error {
	inputs, err := p.inputs(points.Points{Dim: points.Size(p.Shape)}, []int64{})
	if err == nil {
		_, err = p.head.Check(inputs, p.Shape)
	}
	return p.hint(err)
}

// hint names the predictor in an error.
func (p *Predictor) hint(err error) error {
	if err == nil {
		return nil
	}
	return p.flags.Files.Hint(p.model.Name, fmt.Errorf("predictor %s: %w", p.model.Name, err))
}

// inputs are what goes into the predictor: the actions too, if it takes them.
func (p *Predictor) inputs(z points.Points, actions []int64) ([]latent.HeadInput, error) {
	state := latent.HeadInput{Name: latent.HeadLatent, Rows: z, Shape: p.Shape}
	if len(p.head.Inputs()) == 1 {
		return []latent.HeadInput{state}, nil
	}
	if !p.flags.Actions.Any() {
		return nil, run.Hint(run.Usage("--predictor %s=%s needs actions, but there is no --actions", p.model.Name,
			p.head.Path),
			"give actions with --actions FILE[:key]")
	}
	return []latent.HeadInput{state, {Name: latent.HeadAction, Ints: actions}}, nil
}

// Step predicts the latents that follow rows of [Model.HeadLatents] and the actions taken there, in their shape.
func (p *Predictor) Step(ctx context.Context, z points.Points, actions []int64) (points.Points, error) {
	inputs, err := p.inputs(z, actions)
	if err != nil {
		return points.Points{}, err
	}
	values, _, err := p.head.Run(ctx, inputs, p.Shape, p.model.EncodeOptions("predicting "+p.model.Name))
	if err != nil {
		return points.Points{}, p.hint(err)
	}
	return points.Float32(values, z.Dim), nil
}
