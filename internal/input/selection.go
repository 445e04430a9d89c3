// Selections: everything an analysis wants to know of some states, at once.

package input

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"repscope/dataset"
	"repscope/internal/parallel"
	"repscope/points"
)

// Space tells which part of the original states is loaded.
type Space int

const (
	NoFrames   Space = iota // nothing
	LastFrames              // the last frame of each; see [Data.Frames]
	Clips                   // whole states; see [Data.Clips]
)

// Select loads the states with the given indices, which are ascending: their
// episodes, times and frames, and the latents of every model; see [Data.Latents].
func (d *Data) Select(ctx context.Context, index []int, space Space) (*points.Selection, error) {
	return d.SelectSeen(ctx, index, func([]*Model) Space { return space })
}

// SelectSeen is [Data.Select] for a space that depends on the models that can be measured.
func (d *Data) SelectSeen(ctx context.Context, index []int, space func([]*Model) Space) (*points.Selection, error) {
	s := &points.Selection{Index: index, Episode: d.Episodes(index), Time: d.Frame(index)}
	if d.States != nil {
		s.Source = "frames " + d.States.Array().Name()
	}
	latents, err := d.Latents(ctx, index)
	if err != nil {
		return nil, err
	}
	switch space(d.Models) {
	case LastFrames:
		s.Frames, err = d.Frames(ctx, index)
	case Clips:
		s.Frames, err = d.Clips(ctx, index)
	}
	if err != nil {
		return nil, err
	}
	for i, m := range d.Models {
		s.Models = append(s.Models, points.Encoded{Name: m.Name, Latents: latents[i]})
	}
	s.Same, err = d.same(ctx, index)
	return s, err
}

// same numbers states, equal ones alike, if there are some and latents were computed
// elsewhere: encoders that run here take equal states to equal latents.
func (d *Data) same(ctx context.Context, index []int) ([]int, error) {
	elsewhere := slices.ContainsFunc(d.Models, func(m *Model) bool { return m.Encoder == nil })
	if d.States == nil || !elsewhere {
		return nil, nil
	}
	states := d.States.Subset(index)
	size, exact := states.Size(), states.DType() == dataset.Uint8
	const together = 1 << 22 // values
	step := max(1, together/max(size, 1))
	sums := make([][sha256.Size]byte, len(index))
	err := parallel.With(ctx, d.env.Options.Threads, (len(index)+step-1)/step, func() func(part int) error {
		var bytes []uint8
		var floats []float32
		return func(part int) error {
			lo, hi := part*step, min((part+1)*step, len(index))
			if exact {
				bytes = slices.Grow(bytes[:0], (hi-lo)*size)[:(hi-lo)*size]
				if err := states.Uint8(bytes, lo, hi); err != nil {
					return err
				}
			} else {
				floats = slices.Grow(floats[:0], (hi-lo)*size)[:(hi-lo)*size]
				if err := states.Float32(floats, lo, hi); err != nil {
					return err
				}
				bytes = bytes[:0]
				for _, v := range floats {
					bytes = binary.LittleEndian.AppendUint32(bytes, math.Float32bits(v+0)) // −0 is 0
				}
			}
			width := len(bytes) / (hi - lo)
			for i := range hi - lo {
				sums[lo+i] = sha256.Sum256(bytes[i*width : (i+1)*width])
			}
			return nil
		}
	})
	if err != nil {
		return nil, fmt.Errorf("frames: %w", err)
	}
	numbers, count := points.Numbered(sums)
	if count == len(index) {
		return nil, nil // all are different
	}
	return numbers, nil
}
