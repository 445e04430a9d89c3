// Models that cannot be measured: each is left out with its reason, and the others are
// measured as they would be without it.

package input

import (
	"context"
	"fmt"
	"slices"

	"repscope/internal/fault"
	"repscope/internal/run"
	"repscope/report"
)

// A model cannot be measured where its file cannot be opened or read, is of a kind or shape
// that does not fit the states, holds NaN or Inf, or where its encoder fails on a state. It
// is left out, with a warning, and the run goes on, unless no model is left but baselines:
// then the first reason is the error of the run. A file or folder that is not there, wrong
// usage, states that cannot be read and an interrupt end the run at once.

// Losses are the models of a run that cannot be measured, in the order in which that turned
// out. The zero value is none.
type Losses struct{ left []leftOut }

// leftOut is a model that was left out.
type leftOut struct {
	name string
	err  error
	told bool // the run has entered it
}

// Leave notes that a model is left out for an error that is its own; see above. It returns
// the error where the run must end.
func (l *Losses) Leave(ctx context.Context, name string, err error) error {
	if !fault.OfModel(ctx, err) {
		return err
	}
	if !l.Has(name) {
		l.left = append(l.left, leftOut{name: name, err: err})
	}
	return nil
}

// Has reports whether a model was left out.
func (l *Losses) Has(name string) bool {
	return slices.ContainsFunc(l.left, func(m leftOut) bool { return m.name == name })
}

// Names are the names of the models that were left out.
func (l *Losses) Names() []string {
	var names []string
	for _, m := range l.left {
		names = append(names, m.name)
	}
	return names
}

// Settle enters the models that were left out since it was called last, of all that were to
// be measured. Where none remains it is the error of the first.
func (l *Losses) Settle(env *run.Env, all []string) error {
	if !slices.ContainsFunc(l.left, func(m leftOut) bool { return !m.told }) {
		return nil
	}
	failures := l.left
	var failed error
	if !slices.ContainsFunc(all, func(name string) bool { return !l.Has(name) }) {
		if failed = failures[0].err; len(all) > 1 {
			failed = fmt.Errorf("%w (none of the %d models can be measured)", failed, len(all))
		}
		failures = failures[1:]
	}
	for i := range failures {
		if m := &failures[i]; !m.told {
			m.told = true
			env.LeaveOut(m.name, m.err)
		}
	}
	return failed
}

// LeaveOut leaves a model out of the run for an error that is its own; see above. It returns
// the error where the run must end. [Data.Models] stays as it is.
func (d *Data) LeaveOut(ctx context.Context, name string, err error) error {
	if err := d.leave(ctx, name, err); err != nil {
		return err
	}
	return d.settle()
}

// LeftOut reports whether a model was left out.
func (d *Data) LeftOut(name string) bool { return d.inputs.left.Has(name) }

// leave is [Losses.Leave], told later.
func (d *Data) leave(ctx context.Context, name string, err error) error {
	if d.inputs.needs.AllModels {
		return err
	}
	return d.inputs.left.Leave(ctx, name, err)
}

// settle is [Losses.Settle] of the models that were asked for.
func (d *Data) settle() error { return d.inputs.left.Settle(d.env, d.inputs.asked()) }

// asked are the names to be measured: of models but baselines, or of baselines
// where there is nothing else.
func (in *Inputs) asked() []string {
	var models, baselines []string
	for _, s := range in.sources {
		if s.kind == "baseline" {
			baselines = append(baselines, s.name)
		} else {
			models = append(models, s.name)
		}
	}
	for _, g := range in.roles {
		if g.role.Measured {
			models = append(models, g.Names()...)
		}
	}
	if len(models) == 0 {
		return baselines
	}
	return models
}

// leftInput is what the result says was read of a model that was left out.
func leftInput(s source, latents []givenLatents) report.Input {
	for _, g := range latents {
		if s.kind == "latents" && g.source.name == s.name {
			return g.input
		}
	}
	in := report.Input{Role: s.kind, Name: s.name, Path: s.path}
	switch s.kind {
	case "example":
		in.Role = "model"
	case "baseline":
		in.Path = "baseline:" + s.path
	}
	return in
}

// OpenMeasured is [Given.Open] of a named role whose arrays are models to be measured, in a
// command without states: those that cannot be opened are left out.
func (g *Given) OpenMeasured(ctx context.Context, env *run.Env, losses *Losses) ([]Array, error) {
	var arrays []Array
	for _, s := range g.sources() {
		opened, err := g.openInto(env, s)
		if err != nil {
			if err := losses.Leave(ctx, s.name, err); err != nil {
				return nil, err
			}
			continue
		}
		arrays = append(arrays, opened...)
	}
	return arrays, nil
}
