// The work of an analysis in units: distances of blocks of pairs, and the
// statistics of all distances.

package smoothness

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/analysis/internal/results"
	"repscope/internal/parallel"
	"repscope/measure/spectrum"
	"repscope/points"
	"repscope/shard"
)

// Definition is the version of what the numbers mean; see [shard.Identity].
const Definition = 2

// unitPairs is the number of pairs in a unit of work.
const unitPairs = 1024

// Units is the number of units for that many pairs.
func Units(pairs int) int { return (pairs + unitPairs - 1) / unitPairs }

// Part is the outcome of a range of units: distances of consecutive pairs, of
// which the smallest horizon's come first.
type Part struct {
	Pixel  []float64
	Models []PartOfModel
}

// PartOfModel are one model's distances: Scaled of latents as they are or, in the l2
// scale, of unit length; and there Raw of latents as they are, for pairs of the
// smallest horizon. Distances are divided by the RMS distance afterwards.
type PartOfModel struct{ Raw, Scaled []float64 }

// plan is the work of one analysis: all pairs, horizon after horizon.
type plan struct {
	in       Input
	o        Options
	horizons []int // ascending
	pairs    []points.Pair
	main     int // how many of the pairs have the smallest horizon
}

// Work returns the analysis in units of a thousand pairs; see [Analyze] for the
// result and the errors.
func Work(in Input, o Options) (shard.Work[*Part, *Result], error) {
	var none shard.Work[*Part, *Result]
	horizons, err := in.check()
	if err != nil {
		return none, err
	}
	if o.Scale == "" {
		o.Scale = spectrum.ScaleRMS
	}
	p := &plan{in: in, o: o, horizons: horizons, main: len(in.Pairs[horizons[0]])}
	for _, h := range horizons {
		p.pairs = append(p.pairs, in.Pairs[h]...)
	}
	return shard.Work[*Part, *Result]{
		Units:    Units(len(p.pairs)),
		Identity: p.identity,
		Map:      p.distances,
		Merge:    p.merge,
	}, nil
}

// identity is the identity of everything the numbers follow from.
func (p *plan) identity() shard.Identity {
	id := shard.Identity{
		Analysis: "smoothness", Definition: Definition,
		Inputs: []shard.Field{{Name: "frames", Value: shard.Digest(p.in.Frames, p.in.Episode)}},
		Options: append(p.o.Identity(),
			shard.Option("pixel range", []float64{p.in.PixelRange.Low, p.in.PixelRange.High}), shard.Option("latent scale", p.o.Scale)),
	}
	for _, h := range p.horizons {
		now, next := make([]int, 0, len(p.in.Pairs[h])), make([]int, 0, len(p.in.Pairs[h]))
		for _, pair := range p.in.Pairs[h] {
			now, next = append(now, pair.Now), append(next, pair.Next)
		}
		id.Inputs = append(id.Inputs, shard.Field{Name: fmt.Sprintf("pairs %d apart", h), Value: shard.Digest(points.Points{}, now, next)})
	}
	id.Inputs = append(id.Inputs, results.Digests(p.in.Models)...)
	return id
}

// distances measures the pairs of a range of units.
func (p *plan) distances(ctx context.Context, r shard.Range) (*Part, error) {
	lo, hi := r.Lo*unitPairs, min(r.Hi*unitPairs, len(p.pairs))
	pairs := p.pairs[lo:hi]
	main := pairs[:max(0, min(hi, p.main)-lo)] // pairs of the smallest horizon
	part := &Part{Models: make([]PartOfModel, len(p.in.Models))}
	var err error
	if part.Pixel, err = p.measure(ctx, p.in.Frames, pairs); err != nil {
		return nil, err
	}
	for i, m := range p.in.Models {
		relation, latents := &part.Models[i], m.Latents
		if p.o.Scale == spectrum.ScaleL2 {
			if relation.Raw, err = p.measure(ctx, latents, main); err != nil {
				return nil, err
			}
			if latents, err = spectrum.Scaled(latents, spectrum.ScaleL2); err != nil {
				return nil, err
			}
		}
		if relation.Scaled, err = p.measure(ctx, latents, pairs); err != nil {
			return nil, err
		}
	}
	return part, nil
}

// measure returns ‖a − b‖₂ for every pair.
func (p *plan) measure(ctx context.Context, set points.Points, pairs []points.Pair) ([]float64, error) {
	out := make([]float64, len(pairs))
	const block = 256
	err := parallel.Try(ctx, p.o.Threads, (len(pairs)+block-1)/block, func(_, b int) error {
		lo := b * block
		hi := min(lo+block, len(pairs))
		distances(out[lo:hi], set, pairs[lo:hi])
		return nil
	})
	return out, err
}

// distances puts ‖a − b‖₂ of every pair into dst.
func distances(dst []float64, p points.Points, pairs []points.Pair) {
	now, next := make([]float64, p.Dim), make([]float64, p.Dim)
	for i, pair := range pairs {
		p.Row(pair.Now, now)
		p.Row(pair.Next, next)
		square := 0.0
		for k, v := range now {
			d := v - next[k]
			square += float64(d * d)
		}
		dst[i] = math.Sqrt(square)
	}
}

// measurements are the distances of all parts, joined.
func (p *plan) measurements(parts []*Part) *Part {
	all := &Part{Models: make([]PartOfModel, len(p.in.Models))}
	for _, part := range parts {
		all.Pixel = append(all.Pixel, part.Pixel...)
		for i, m := range part.Models {
			all.Models[i].Raw = append(all.Models[i].Raw, m.Raw...)
			all.Models[i].Scaled = append(all.Models[i].Scaled, m.Scaled...)
		}
	}
	return all
}

// of cuts the distances of one horizon out of the distances of all pairs.
func (p *plan) of(horizon int, all []float64) []float64 {
	first := 0
	for _, h := range p.horizons {
		n := len(p.in.Pairs[h])
		if h == horizon {
			return slices.Clip(all[first : first+n])
		}
		first += n
	}
	return nil
}
