// The samples that a contact sheet shows.

package reconstruction

import (
	"context"
	"fmt"
	"slices"

	"repscope/stat"
)

// Shown are the frames of one sample, as planes in units of the pixel range.
type Shown struct {
	Sample         int // its number among the samples
	State          int
	Current, Truth []float64   // Current is nil where there is no frame before
	Predicted      [][]float64 // one step ahead, by model of the input
}

// Show reads count samples, drawn with the seed, for a contact sheet: the same for every
// model, in their order; all of them if there are fewer.
func Show(ctx context.Context, in Input, o Options, count int) ([]Shown, error) {
	index, err := DrawSamples(in.Samples, count, o.Seed)
	if err != nil || len(index) == 0 {
		return nil, err
	}
	states := in.States()
	size := in.Shape.Size()
	shown := make([]Shown, len(index))
	for i, sample := range index {
		s := in.Samples[sample]
		v := Shown{Sample: sample, State: states[sample], Truth: make([]float64, size)}
		if s.State >= 0 {
			v.Current = make([]float64, size)
			if err := in.Frames.Read(ctx, v.Current, []int{s.State}); err != nil {
				return nil, err
			}
		}
		if err := in.Frames.Read(ctx, v.Truth, []int{s.Next[0]}); err != nil {
			return nil, err
		}
		shown[i] = v
	}
	for _, m := range in.Models {
		each := m.steps() * size
		frames := make([]float64, len(index)*each)
		if err := m.Frames.Read(ctx, frames, index); err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
		for i := range shown {
			shown[i].Predicted = append(shown[i].Predicted, frames[i*each:i*each+size])
		}
	}
	return shown, nil
}

// DrawSamples returns count samples, ascending: of those with a current frame, which all models
// predict, or if there are none of all.
func DrawSamples(samples []Sample, count int, seed uint64) ([]int, error) {
	var index []int
	for i, s := range samples {
		if s.State >= 0 {
			index = append(index, i)
		}
	}
	if len(index) == 0 {
		for i := range samples {
			index = append(index, i)
		}
	}
	if count >= len(index) {
		return index, nil
	}
	chosen, err := stat.NewRandom(stat.StreamSheet.Key(seed)).SampleWithoutReplacement(len(index), count)
	slices.Sort(chosen)
	for i, k := range chosen {
		chosen[i] = index[k]
	}
	return chosen, err
}
