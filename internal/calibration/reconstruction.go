// Predicted frames: what reconstruction prints about one draw of a design.

package main

import (
	"context"
	"math"
	"slices"

	"repscope/analysis/reconstruction"
	"repscope/measure/image"
	"repscope/report"
)

// picture is the shape of the frames that are made of states.
var picture = image.Shape{Channels: 1, Height: 12, Width: 12}

// frame is a square in front of a background: its place and its brightness follow from
// sums of coordinates that every model sees alike, so that no model knows more of it
// than another. A prediction has the place shifted and the background wrong by latents.
func (s *Sample) frame(dst []float64, state int, latents []float64) {
	common := func(c int) float64 {
		sum := 0.0
		for m := range models {
			sum += float64(s.States[state*features+m*seen+c])
		}
		return sum / 2
	}
	var wrong, shift float64
	if latents != nil {
		wrong, shift = latents[1], 2.5*latents[0]
	}
	place := func(v float64) int { return min(max(int(math.Round(4.5+2*v)), 0), 9) }
	x, y := place(common(0)+shift/2), place(common(1)*1.5)
	for i := range dst {
		column, row := i%picture.Width, i/picture.Width
		dst[i] = 0.3 + 0.02*common(2)*float64(row%3) + 0.03*wrong*float64(column%4)
		if column >= x && column < x+3 && row >= y && row < y+3 {
			dst[i] += 0.4
		}
	}
}

func reconstruct(ctx context.Context, s *Sample, seed uint64) (*report.Result, error) {
	size := picture.Size()
	in := reconstruction.Input{Shape: picture, Episode: s.Episode, Frames: reconstruction.Frames{
		Read: func(_ context.Context, dst []float64, states []int) error {
			for i, state := range states {
				s.frame(dst[i*size:(i+1)*size], state, nil)
			}
			return nil
		},
	}}
	for i := 1; i < len(s.Episode); i++ {
		if s.Episode[i] == s.Episode[i-1] {
			in.Samples = append(in.Samples, reconstruction.Sample{State: i - 1, Next: []int{i}})
		}
	}
	for m := range models {
		in.Models = append(in.Models, reconstruction.Predictions{Name: name(m), Frames: reconstruction.Frames{
			Read: func(_ context.Context, dst []float64, samples []int) error {
				for i, sample := range samples {
					next := in.Samples[sample].Next[0]
					s.frame(dst[i*size:(i+1)*size], next, s.Latents[m].Row(next, nil))
				}
				return nil
			},
		}})
	}
	r, err := reconstruction.Analyze(ctx, in, reconstruction.Options{Settings: settings(seed)})
	if err != nil {
		return nil, err
	}
	// The baselines are no models of the design.
	baseline := func(name string) bool { return slices.Contains(reconstruction.Baselines(), name) }
	of := slices.DeleteFunc(r.Models, func(m reconstruction.Model) bool { return baseline(m.Name) })
	comparisons := slices.DeleteFunc(r.Comparisons, func(c report.Comparison) bool { return baseline(c.A) || baseline(c.B) })
	return result("reconstruction", of, func(m reconstruction.Model) string { return m.Name }, comparisons), nil
}
