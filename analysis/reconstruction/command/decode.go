// Predictions by decoders, from latents of states or of a predictor.

package command

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"repscope/analysis/reconstruction"
	"repscope/dataset"
	"repscope/internal/input"
	"repscope/internal/run"
	"repscope/latent"
	"repscope/measure/image"
	"repscope/points"
	"repscope/shard"
)

// decoded are the predictions of a model whose latents are decoded.
type decoded struct {
	name      string
	decoder   *latent.Head
	predictor *latent.Head // nil: the latents of the next states are decoded
	acts      bool         // the predictor takes actions
	steps     int
	shape     image.Shape
	output    []int // of the decoder, for one row
	layout    layout
	pixels    dataset.PixelRange
	latents   latent.HeadInput   // a row for every sample: of its state, or without a predictor of the next
	actions   []latent.HeadInput // by step ahead: at the state before it, a row for every sample
	states    []int              // whose latents are decoded, or predictions are made from, of every sample
	present   []bool             // by sample: it is predicted
	options   latent.EncodeOptions
}

// openHeads opens and checks the heads of a model; nil if it has none.
func (s *settings) openHeads(ctx context.Context, env *run.Env, data *input.Data, m *input.Model,
	shape image.Shape) (*decoded, error) {
	d := &decoded{name: m.Name, shape: shape, steps: 1, options: latent.EncodeOptions{Batch: data.Options.Batch, Threads: env.Options.Threads}}
	var err error
	if d.decoder, err = s.decoders.Open(data, m.Name, ""); err != nil || d.decoder == nil {
		return nil, err
	}
	if d.predictor, err = s.predictors.Open(data, m.Name, ""); err != nil {
		return nil, err
	}
	state, err := m.HeadShape(ctx)
	if err != nil {
		return nil, err
	}
	rows := latent.HeadInput{Name: latent.HeadLatent, Rows: points.Points{Dim: count(state)}, Shape: state}
	if d.predictor != nil {
		if rows, err = s.checkPredictor(d, data, rows); err != nil {
			return nil, s.predictors.Hint(m.Name, fmt.Errorf("predictor %s: %w", m.Name, err))
		}
	}
	fail := func(err error) (*decoded, error) {
		return nil, s.decoders.Hint(m.Name, fmt.Errorf("decoder %s: %w", m.Name, err))
	}
	if d.output, err = d.decoder.Check([]latent.HeadInput{rows}, nil); err != nil {
		return fail(err)
	}
	l, ok := layoutOf(d.output, shape)
	if !ok {
		return nil, run.Hint(fmt.Errorf("decoder %s: %s produces frames of shape %v, but the frames %s have %s", m.Name, d.decoder.Path, d.output, data.States.Array().Name(), sizeOf(shape)),
			"frames are not resized: give frames of the decoder's size, or a decoder for the size of the frames")
	}
	d.layout = l
	return d, nil
}

// checkPredictor checks what goes into a predictor, and returns what comes out of it.
func (s *settings) checkPredictor(d *decoded, data *input.Data, rows latent.HeadInput) (latent.HeadInput, error) {
	inputs := []latent.HeadInput{rows}
	if d.acts = len(d.predictor.Inputs()) > 1; d.acts {
		actions, err := s.actionsOf(data, nil)
		if err != nil {
			return rows, err
		}
		if actions == nil {
			return rows, run.Hint(run.Usage("%s needs actions, but there is no --actions", d.predictor.Path),
				"give one action per frame with --actions FILE[:key]")
		}
		inputs = append(inputs, *actions)
	}
	var want []int
	if d.steps = s.rollout; d.steps > 1 {
		want = rows.Shape // it is given what it made
	}
	out, err := d.predictor.Check(inputs, want)
	if err != nil {
		return rows, err
	}
	return latent.HeadInput{Name: latent.HeadLatent, Rows: points.Points{Dim: count(out)}, Shape: out}, nil
}

// count is the number of values of a shape.
func count(shape []int) int {
	n := 1
	for _, k := range shape {
		n *= k
	}
	return n
}

// actionsOf are the actions at states: integers as they are, vectors as they are; nil if
// there are none. Without states it is empty, for a check.
func (s *settings) actionsOf(data *input.Data, states []int) (*latent.HeadInput, error) {
	if s.acted == nil {
		return nil, nil
	}
	a := s.acted
	out := &latent.HeadInput{Name: latent.HeadAction}
	rows, err := s.actions.Rows(data, input.Array{Array: a}, states)
	if err != nil {
		return nil, err
	}
	if a.RowLen() == 1 {
		if s.acts == nil {
			s.acts = make([]int64, a.Len())
			if err := a.ReadInt64(s.acts, 0, a.Len()); err == nil {
				s.whole = true
			} else if !a.DType().IsFloat() {
				return nil, fmt.Errorf("actions: %w", err)
			}
		}
		if s.whole {
			out.Ints = make([]int64, len(rows))
			for i, row := range rows {
				out.Ints[i] = s.acts[row]
			}
			return out, nil
		}
	}
	values := make([]float32, len(rows)*a.RowLen())
	for i, row := range rows {
		if err := a.ReadFloat32(values[i*a.RowLen():(i+1)*a.RowLen()], row, row+1); err != nil {
			return nil, fmt.Errorf("actions: %w", err)
		}
	}
	if i := slices.IndexFunc(values, func(v float32) bool { return v-v != 0 }); i >= 0 {
		return nil, fmt.Errorf("actions: %s: row %d contains NaN or Inf", a.Name(), rows[i/a.RowLen()])
	}
	out.Rows, out.Shape = points.Float32(values, a.RowLen()), slices.Clone(a.Shape()[1:])
	if len(out.Shape) == 0 {
		out.Shape = []int{1}
	}
	return out, nil
}

// decodedModels opens the decoders of all models, before anything is encoded. Pixel PCA
// and the random encoder, which nothing decodes, are left out.
func (s *settings) decodedModels(ctx context.Context, env *run.Env, data *input.Data,
	shape image.Shape) (all []*decoded, models []*input.Model, err error) {
	if s.predictors.Any() {
		arrays, err := s.actions.Open(env)
		if err != nil {
			return nil, nil, err
		}
		if len(arrays) > 0 {
			s.acted = arrays[0].Array
		}
	}
	var names []string
	for _, m := range data.Models {
		if slices.Contains(reconstruction.Baselines(), m.Name) {
			return nil, nil, run.Usage("model %s: the name is reserved for a baseline; choose another", m.Name)
		}
		d, err := s.openHeads(ctx, env, data, m, shape)
		if err != nil {
			if err := data.LeaveOut(ctx, m.Name, err); err != nil {
				return nil, nil, err
			}
			continue
		}
		switch {
		case d == nil && !m.Baseline():
			return nil, nil, run.Hint(run.Usage("model %s: its latents have no decoder", m.Name), "give a decoder with --decoder "+m.Name+"=FILE.onnx, "+
				"or remove the model")
		case d == nil:
			names = append(names, m.Name)
			continue
		case slices.Contains(s.predictions.Names(), m.Name):
			return nil, nil, run.Usage("two models are named %q: rename --predictions %s", m.Name, m.Name)
		}
		all, models = append(all, d), append(models, m)
	}
	if len(names) > 0 {
		env.Note("note: the latents of %s have no decoder and are not scored", strings.Join(names, " and "))
	}
	return all, models, nil
}

// encode takes the latents and actions of samples.
func (d *decoded) encode(ctx context.Context, s *settings, data *input.Data, m *input.Model,
	samples []reconstruction.Sample) error {
	states := make([]int, len(samples))
	d.states, d.present = make([]int, len(samples)), make([]bool, len(samples))
	for i, sample := range samples {
		if states[i] = sample.State; d.predictor == nil || sample.State < 0 {
			states[i] = sample.Next[0] // of no current state nothing is predicted
		}
		if d.states[i] = sample.State; sample.State < 0 {
			d.states[i] = sample.Next[0]
		}
		d.present[i] = sample.State >= 0 || d.predictor == nil
	}
	var err error
	if d.latents, err = m.HeadLatents(ctx, states); err != nil || !d.acts {
		return err
	}
	for step := range d.steps {
		if step > 0 {
			for i, sample := range samples {
				if next := sample.Next[step-1]; next >= 0 { // else the prediction is not used
					states[i] = next
				}
			}
		}
		actions, err := s.actionsOf(data, states)
		if err != nil {
			return err
		}
		d.actions = append(d.actions, *actions)
	}
	return nil
}

// rows are some rows of what a head is given.
func rows(in latent.HeadInput, index []int) latent.HeadInput {
	if in.Ints == nil {
		in.Rows = in.Rows.Select(index)
		return in
	}
	ints := make([]int64, len(index))
	for i, k := range index {
		ints[i] = in.Ints[k]
	}
	in.Ints = ints
	return in
}

// read fills dst with the predictions of samples.
func (d *decoded) read(ctx context.Context, dst []float64, samples []int) error {
	z := rows(d.latents, samples)
	size := d.shape.Size()
	for step := range d.steps {
		if d.predictor != nil {
			inputs := []latent.HeadInput{z}
			if d.acts {
				inputs = append(inputs, rows(d.actions[step], samples))
			}
			out, shape, err := d.predictor.Run(ctx, inputs, nil, d.options)
			if err != nil {
				return fmt.Errorf("predictor, from state %d on: %w", d.states[samples[0]], err)
			}
			z = latent.HeadInput{Name: latent.HeadLatent, Rows: points.Float32(out, count(shape)), Shape: shape}
		}
		var row []float64
		_, err := d.decoder.Stream(ctx, []latent.HeadInput{z}, d.output, d.options, func(lo, hi int, frames []float32) error {
			width := len(frames) / (hi - lo)
			row = slices.Grow(row[:0], width)[:width]
			for i := lo; i < hi; i++ {
				for k, v := range frames[(i-lo)*width : (i-lo+1)*width] {
					row[k] = float64(v)
				}
				to := dst[(i*d.steps+step)*size : (i*d.steps+step+1)*size]
				d.layout.frame(to, row, d.layout.steps-1, d.shape, d.pixels)
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("decoder, from state %d on: %w", d.states[samples[0]], err)
		}
	}
	return nil
}

// rangeSamples is the number of samples that are decoded to learn the pixel range.
const rangeSamples = 256

// choosePixels decides on the pixel range of what the decoder makes: as given, or by
// samples at equal distances.
func (d *decoded) choosePixels(ctx context.Context, choice string, frames dataset.PixelRange) error {
	switch choice {
	case rangeFrames:
		d.pixels = dataset.PixelRange{Low: frames.Low, High: frames.High, Source: "range of the frames, as given"}
		return nil
	case rangeAuto:
	default:
		var err error
		d.pixels, err = parseRange(choice)
		return err
	}
	d.pixels = dataset.PixelRange{Low: 0, High: 1}
	var all []int
	for i, present := range d.present {
		if present {
			all = append(all, i)
		}
	}
	n := len(all)
	if n == 0 {
		return fmt.Errorf("predictor %s: no state has a predecessor in its episode, so there is no input for "+
			"predictions", d.name)
	}
	samples := make([]int, min(n, rangeSamples))
	for i := range samples {
		samples[i] = all[i*n/len(samples)]
	}
	low, high := math.Inf(1), math.Inf(-1)
	const piece = 32
	each := d.steps * d.shape.Size()
	values := make([]float64, piece*each)
	for lo := 0; lo < len(samples); lo += piece {
		some := samples[lo:min(lo+piece, len(samples))]
		made := values[:len(some)*each]
		if err := d.read(ctx, made, some); err != nil {
			return err
		}
		low, high = min(low, slices.Min(made)), max(high, slices.Max(made))
	}
	var ok bool
	if d.pixels, ok = guessRange(frames, low, high); !ok {
		return run.Hint(fmt.Errorf(
			"decoder %s: %s has outputs in %.6g..%.6g, but the pixel range of the frames is %g..%g (%s)",
			d.name, d.decoder.Path, low, high, frames.Low, frames.High, frames.Source),
			fmt.Sprintf("set the range with --predictions-range %s=LOW,HIGH, or --predictions-range %s=frames if "+
				"such values are intended", d.name, d.name))
	}
	return nil
}

// predictions are the predictions of the samples that were encoded.
func (d *decoded) predictions() reconstruction.Predictions {
	return reconstruction.Predictions{Name: d.name, Steps: d.steps, From: d.note(), Forward: d.predictor != nil, Frames: reconstruction.Frames{Read: d.read, Digest: d.digest}}
}

// note describes the decoded latents.
func (d *decoded) note() string {
	if d.predictor == nil {
		return fmt.Sprintf("%s decoding the latents of the next states", d.decoder.Path)
	}
	return fmt.Sprintf("%s decoding the latents predicted by %s", d.decoder.Path, d.predictor.Path)
}

func (d *decoded) digest() (string, error) {
	out := fmt.Sprintf("decoder %s of %s range %v %v",
		d.decoder.SHA256, shard.Digest(d.latents.Rows), d.pixels.Low, d.pixels.High)
	if d.predictor == nil {
		return out, nil
	}
	out += " predictor " + d.predictor.SHA256
	for _, a := range d.actions {
		ints := make([]int, len(a.Ints))
		for i, v := range a.Ints {
			ints[i] = int(v)
		}
		out += " " + shard.Digest(a.Rows, ints)
	}
	return out, nil
}
