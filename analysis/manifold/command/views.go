// Views of the states for LiDAR: states that a corruption changes, encoded again.

package command

import (
	"context"

	"repscope/analysis/manifold"
	"repscope/dataset"
	"repscope/internal/input"
	"repscope/internal/run"
	"repscope/measure/corruption"
	"repscope/points"
	"repscope/stat"
)

// views make changed states.
type views struct {
	states    *dataset.States
	corrupter *corruption.Corrupter
	number    []int // of each state, by which its random numbers are drawn
	level     float64
	draw      int
}

// newViews prepares the views of the states of data; nil without any. Errors: a level or a corruption that the states
// cannot have.
func newViews(data *input.Data, o manifold.Options, seed uint64) (*views, error) {
	if o.Views == 0 || data.States == nil {
		return nil, nil
	}
	if data.States.Vectors() && !data.States.Range().Given() {
		return nil, run.Hint(run.Usage("--views: vectors have no pixel range that levels are shares of"),
			"give a range with --pixel-range LOW,HIGH, or groups with --groups")
	}
	pixels := data.States.Range()
	c, err := corruption.New(o.ViewCorruption, corruption.ClipRange, pixels.Low, pixels.High, data.States.Shape(), seed)
	if err != nil {
		return nil, run.Usage("--view-corruption: %v", err)
	}
	return &views{states: data.States, corrupter: c, level: o.ViewLevel}, nil
}

// drawn is view number draw of the states with the numbers index.
func (v *views) drawn(index []int, draw int) *views {
	out := *v
	out.states, out.number, out.draw = v.states.Subset(index), index, draw
	return &out
}

// Len is the number of states.
func (v *views) Len() int { return v.states.Len() }

// Shape is the shape of one state.
func (v *views) Shape() []int { return v.states.Shape() }

// Float32 writes the changed states lo … hi−1.
func (v *views) Float32(dst []float32, lo, hi int) error {
	if err := v.states.Float32(dst, lo, hi); err != nil {
		return err
	}
	size := v.states.Size()
	state := make([]float32, size)
	for i := lo; i < hi; i++ {
		out := dst[(i-lo)*size : (i-lo+1)*size]
		copy(state, out)
		if err := v.corrupter.Apply(out, state, v.number[i], v.level, v.draw); err != nil {
			return err
		}
	}
	return nil
}

// Fingerprint is empty: changed states are not worth keeping.
func (v *views) Fingerprint() (string, error) { return "", nil }

// view returns the latents of views of the states index, as the analysis asks for them.
func (v *views) view(data *input.Data, index []int) func(ctx context.Context, model, view int) (points.Points, error) {
	return func(ctx context.Context, model, view int) (points.Points, error) {
		if m := data.Models[model]; v != nil && m.Encoder != nil {
			return m.Encode(ctx, v.drawn(index, view), "encoding views of "+m.Name)
		}
		return points.Points{}, stat.Undefined("LiDAR", "precomputed latents have no views; use --groups")
	}
}

// viewBytes is the largest size of the latents of all views of one model.
func viewBytes(o manifold.Options, models []points.Encoded) (size int64) {
	for _, m := range models {
		size = max(size, 4*int64(o.Views)*int64(m.Latents.N)*int64(m.Latents.Dim))
	}
	return size
}
