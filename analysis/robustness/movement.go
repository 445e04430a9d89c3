// Distances, retrieval and summaries of one model's movement.

package robustness

import (
	"context"
	"fmt"
	"math"

	"repscope/analysis/internal/results"
	"repscope/measure/spectrum"
	"repscope/neighbors"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

// movement is how far the latents of one model moved.
type movement struct {
	clean      points.Points  // in the scale distances are taken in
	places     points.Points  // the same, without what rounding alone tells apart: among them the nearest is looked for
	scale      spectrum.Scale // raw or l2
	draws      int
	search     neighbors.Options
	rms        report.Value // √(2·tr C) of clean, undefined for constant latents
	variance   report.Value
	effective  report.Value // rank
	duplicates int          // of clean latents

	// Per level, at [state·draws + draw]:
	distance [][]float64
	cosine   [][]float64 // NaN where a vector is zero
	flipped  [][]float64 // 1 where another state's clean latent is nearer than their own, else 0
}

func newMovement(m Encoder, o Options) (*movement, error) {
	out := &movement{scale: spectrum.ScaleRaw, draws: o.Draws, search: neighbors.Options{Threads: max(o.Threads, 0), Memory: o.Memory}}
	if o.L2 {
		out.scale = spectrum.ScaleL2
	}
	var err error
	if out.clean, err = spectrum.Scaled(m.Clean, out.scale); err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name, err)
	}
	if spread, err := spectrum.New(out.clean); err != nil {
		v := results.Undefined(err).Value
		out.rms, out.variance, out.effective = v, v, v
	} else {
		out.rms, out.variance = report.Number(spread.RMSDistance()), report.Number(spread.TotalVariance)
		out.effective = report.Number(spread.EffectiveRank)
	}
	if err := neighbors.Check(m.Name, out.clean, neighbors.Euclidean); err != nil {
		return nil, err
	}
	near, err := neighbors.WithoutRounding(context.Background(), out.clean, nil, out.search.Threads)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name, err)
	}
	out.places = near.Points
	space, err := neighbors.NewSpace(m.Name, out.places, neighbors.Euclidean)
	if err != nil {
		return nil, err
	}
	out.duplicates, err = space.Duplicates(context.Background(), out.search.Threads)
	return out, err
}

// record enters how the latents z of the corrupted states lo, lo+1, … have moved.
func (m *movement) record(ctx context.Context, moved Moved, lo int, z points.Points) error {
	if z.Dim != m.clean.Dim {
		return fmt.Errorf(
			"latents of corrupted states have dimension %d, but latents of clean states have %d", z.Dim, m.clean.Dim)
	}
	noisy, err := spectrum.Scaled(z, m.scale)
	if err != nil {
		return err
	}
	nearest, err := neighbors.Cross(ctx, noisy, m.places, 1, m.search)
	if err != nil {
		return err
	}
	a, b, place := make([]float64, z.Dim), make([]float64, z.Dim), make([]float64, z.Dim)
	for i := range noisy.N {
		noisy.Row(i, a)
		m.clean.Row(lo+i, b)
		square, dot, aa, bb := 0.0, 0.0, 0.0, 0.0
		for k, v := range a {
			d := v - b[k]
			square += float64(d * d)
			dot += float64(v * b[k])
			aa += float64(v * v)
			bb += float64(b[k] * b[k])
		}
		moved.Distance[lo+i] = math.Sqrt(square)
		moved.Cosine[lo+i] = math.NaN()
		if aa > 0 && bb > 0 {
			moved.Cosine[lo+i] = min(max(dot/(math.Sqrt(aa)*math.Sqrt(bb)), -1), 1)
		}
		// A state whose clean latent is as near, a copy for one, is no other state.
		square = 0
		for k, v := range m.places.Row(lo+i, place) {
			d := a[k] - v
			square += float64(d * d)
		}
		if int(nearest.Index[i]) != lo+i && nearest.Distance[i] < math.Sqrt(square) {
			moved.Flipped[lo+i] = 1
		}
	}
	return nil
}

// allEqual is why there is no flip rate where every clean latent is as near as another.
const allEqual = "all clean latents are equal, so the encoder has collapsed"

func (m *movement) collapsed() bool { return m.duplicates == m.clean.N-1 }

// stateMeans averages values[state·draws + draw] over draws.
func (m *movement) stateMeans(values []float64) []float64 {
	out := make([]float64, len(values)/m.draws)
	for i := range out {
		out[i] = stat.Mean(values[i*m.draws : (i+1)*m.draws])
	}
	return out
}
