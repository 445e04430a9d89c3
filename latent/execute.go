// Batches of states on their way through a model.

package latent

import (
	"context"
	"fmt"
	"math"

	"repscope/model"
	"repscope/model/pixels"
)

// run encodes n states and returns all outputs; the memory is the model's.
func (e *modelEncoder) run(ctx context.Context, batch []float32, n int, state []int) ([]result, error) {
	if err := e.integers(batch, false); err != nil {
		return nil, err
	}
	if err := e.submit(ctx, batch, n, state); err != nil {
		return nil, err
	}
	return e.collect(ctx)
}

// depth is the number of batches that may be under way.
func (e *modelEncoder) depth() int { return e.model.Depth() }

// submit begins to encode n states, which must stay as they are until they are collected.
func (e *modelEncoder) submit(ctx context.Context, batch []float32, n int, state []int) error {
	if err := e.bind(state); err != nil {
		return err
	}
	e.shape[0] = n
	e.values.Shape = e.shape
	if e.values.DType == model.Float32 {
		e.values.F32 = batch
	} else {
		if e.model.Rows() > 0 { // the batch may be read only when it is collected
			e.values.I64 = nil
		}
		e.values.I64 = e.values.I64[:0]
		for _, v := range batch {
			if v >= 1<<63 { // of uint64, see graph.Type
				e.values.I64 = append(e.values.I64, int64(uint64(v)))
				continue
			}
			e.values.I64 = append(e.values.I64, int64(v))
		}
	}
	return e.began(n, e.model.Submit(ctx, e.inputs))
}

// integers checks that states are valid for an input of integers, or with nearest rounds them to the nearest valid
// integers.
func (e *modelEncoder) integers(states []float32, nearest bool) error {
	if e.input.DType != model.Int64 {
		return nil
	}
	low, high := e.input.Range()
	for i, v := range states {
		if nearest {
			v = float32(min(max(math.RoundToEven(float64(v)), low), high))
			if float64(v) > high {
				v = math.Nextafter32(v, 0)
			}
			states[i] = v
		}
		if float64(v) < low || float64(v) > high || v != float32(math.Trunc(float64(v))) {
			return fmt.Errorf("element %d is %g, but input %q takes integers of type %s, %.0f to %.0f: give unscaled states of that type",
				i, v, e.input.Name, e.input.Element, low, high)
		}
		if !nearest && max(v, -v) > 1<<24 {
			return fmt.Errorf("element %d is %.0f, but integer states are limited to %d", i, v, 1<<24)
		}
	}
	return nil
}

func (e *modelEncoder) began(n int, err error) error {
	if err == nil {
		e.queue = append(e.queue, n)
	}
	return err
}

// takesPixels reports whether batches of n states may go in as the source has them.
func (e *modelEncoder) takesPixels(n int) bool { return e.model.TakesPixels(n) }

// submitBytes is submit for states of bytes; see model.Model.SubmitBytes.
func (e *modelEncoder) submitBytes(
	ctx context.Context, states []uint8, n int, state []int, levels pixels.Levels,
) error {
	if err := e.bind(state); err != nil {
		return err
	}
	e.shape[0] = n
	return e.began(n, e.model.SubmitBytes(ctx, states, e.shape, levels))
}

// submitNoisy is submit for states that noise changes; see model.Model.SubmitNoisy.
func (e *modelEncoder) submitNoisy(ctx context.Context, batch pixels.Noisy, n int, state []int) error {
	if err := e.bind(state); err != nil {
		return err
	}
	e.shape[0] = n
	return e.began(n, e.model.SubmitNoisy(ctx, batch, e.shape))
}

func (e *modelEncoder) displacements() []float64 { return e.model.Displacements() }

// collect returns all outputs of the oldest batch under way; the memory is the model's.
func (e *modelEncoder) collect(ctx context.Context) ([]result, error) {
	n := e.queue[0]
	e.queue = append(e.queue[:0], e.queue[1:]...)
	out, err := e.model.Collect(ctx)
	if err != nil {
		return nil, err
	}
	if e.out == nil {
		e.out = make([]result, len(out))
	}
	for k, t := range out {
		if err := e.checkOutput(k, model.Type{DType: t.DType, Shape: t.Shape}, n); err != nil {
			return nil, err
		}
		r := &e.out[k]
		r.values = t.F32
		r.shape = append(r.shape[:0], n)
		if t.Shape[0] != n {
			r.shape = append(r.shape, t.Shape[0]/n)
		}
		r.shape = append(r.shape, t.Shape[1:]...)
	}
	return e.out, nil
}

// drain finishes the pending batches after an error.
func (e *modelEncoder) drain() {
	e.model.Drain()
	e.queue = e.queue[:0]
}
