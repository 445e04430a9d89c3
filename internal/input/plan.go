// Planning: everything is opened and checked, a few states are encoded to take the time,
// and nothing else of the data is read.

package input

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"repscope/internal/regular"
	"repscope/internal/run"
	"repscope/latent"
)

// planStates is the number of states that are encoded to take the time.
const planStates = 8

// programBytes is about what a run takes with next to no data.
const programBytes = 35 << 20

// Plan is [Inputs.Load] for --dry-run: it opens and checks what the flags name and fills
// the plan. Of the frames a few states are read; given latents are looked through for what
// cannot be measured, up to a gigabyte each, and not kept.
func (in *Inputs) Plan(ctx context.Context, env *run.Env) (*Data, error) {
	d := &Data{Options: in.Options, inputs: in, env: env, plan: env.Plan}
	if err := d.load(ctx); err != nil {
		return nil, err
	}
	d.describeFrames()
	env.Plan.Held = programBytes
	if d.frames != nil {
		env.Plan.Held += int64(d.frames.Len()) * int64(d.frames.RowLen()) * int64(d.frames.DType().Size()) // mapped
	}
	index := d.Sample()
	env.Plan.States = len(index)
	for _, m := range slices.Clone(d.Models) {
		planned, err := d.planModel(ctx, m, index)
		if err != nil {
			if err := d.leave(ctx, m.Name, err); err != nil {
				return nil, err
			}
			continue
		}
		env.Plan.Models = append(env.Plan.Models, planned)
	}
	return d, d.settle()
}

// planModel checks a model on a few states and takes the time.
func (d *Data) planModel(ctx context.Context, m *Model, index []int) (run.PlanModel, error) {
	p := run.PlanModel{Name: m.Name}
	if m.Encoder == nil {
		p.Output = []run.PlanOutput{{Shape: []int{m.dimension()}}}
		if m.unfitted > 0 {
			p.Given, p.Cost.Unknown = "principal components of the frames", "it needs all frames"
		} else {
			p.Given = strings.TrimPrefix(m.describeInput(), m.Name+": ")
		}
		return p, nil
	}
	p.Given = strings.TrimPrefix(m.describeInput(), m.Name+": ")
	d.plan.Held += 4 * int64(m.Encoder.Info().Parameters)
	few := index[:min(len(index), planStates, max(d.Options.Batch, 1))]
	stream, err := latent.NewStream(ctx, m.Encoder, d.statesOf(m.Name).Subset(few), m.EncodeOptions(""))
	if err != nil {
		return p, fmt.Errorf("model %s: %w", m.Name, err)
	}
	for _, out := range stream.Outputs() {
		shown := run.PlanOutput{Shape: out.Shape}
		if len(stream.Outputs()) > 1 || !out.Layer.Output {
			shown.Layer = out.Layer.Label()
		}
		p.Output = append(p.Output, shown)
	}
	taken, err := shortest(func() error {
		return stream.Run(ctx, 0, func(int, int, [][]float32) error { return nil })
	})
	if err != nil {
		return p, fmt.Errorf("model %s: %w", m.Name, err)
	}
	p.Cost.Measured = len(few)
	p.Cost.Seconds = taken.Seconds() / float64(len(few)) * float64(len(index))
	return p, nil
}

// shortest is the least time that something takes, which is done for a fraction of a
// second and more than once: the first time, memory is made too.
func shortest(do func() error) (least time.Duration, err error) {
	const enough, maximum = 300 * time.Millisecond, 5 * time.Second
	begin := time.Now()
	for n := 0; n < 2 && time.Since(begin) < maximum || time.Since(begin) < enough; n++ {
		start := time.Now()
		if err := do(); err != nil {
			return 0, err
		}
		if taken := time.Since(start); n == 0 || taken < least {
			least = taken
		}
	}
	return least, nil
}

// Hold adds to the plan the memory of the latents of n states, and of the states
// themselves in the given space.
func (d *Data) Hold(n int, space Space) {
	for _, m := range d.plan.Models {
		for _, out := range m.Output {
			size := int64(4 * n)
			for _, k := range out.Shape {
				size *= int64(k)
			}
			d.plan.Held += size
		}
	}
	if d.States == nil || space == NoFrames {
		return
	}
	values := d.States.Size()
	if space == LastFrames {
		values = d.States.LastFrame().Size()
	}
	d.plan.Held += int64(n) * int64(values) * int64(d.States.Array().DType().Size())
}

// checkCache finds a folder of --cache that cannot be one, without making it.
func (d *Data) checkCache() error {
	dir := d.inputs.cache
	if dir == "" || dir == "off" {
		return nil
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil // it will be made
	case err != nil:
		return fmt.Errorf("latent cache %w", regular.PathError(err))
	case !info.IsDir():
		return fmt.Errorf("latent cache %s: not a directory", dir)
	}
	return nil
}
