// Selections: everything an analysis wants to know of some states, at once.

package input

import (
	"context"

	"repscope/points"
)

// Space says what is loaded of the original states.
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
	return s, nil
}
