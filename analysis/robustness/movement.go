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
		v, _ := results.Undefined(err)
		out.rms, out.variance, out.effective = v, v, v
	} else {
		out.rms, out.variance = report.Number(spread.RMSDistance()), report.Number(spread.TotalVariance)
		out.effective = report.Number(spread.EffectiveRank)
	}
	space, err := neighbors.NewSpace(m.Name, out.clean, neighbors.Euclidean)
	if err != nil {
		return nil, err
	}
	out.duplicates, err = space.Duplicates(context.Background(), out.search.Threads)
	return out, err
}

// record enters how the latents z of the corrupted states lo, lo+1, … have moved.
func (m *movement) record(ctx context.Context, moved Moved, lo int, z points.Points) error {
	if z.Dim != m.clean.Dim {
		return fmt.Errorf("latents of corrupted states have dimension %d, those of clean ones %d", z.Dim, m.clean.Dim)
	}
	noisy, err := spectrum.Scaled(z, m.scale)
	if err != nil {
		return err
	}
	nearest, err := neighbors.Cross(ctx, noisy, m.clean, 1, m.search)
	if err != nil {
		return err
	}
	a, b := make([]float64, z.Dim), make([]float64, z.Dim)
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
		if int(nearest.Index[i]) != lo+i && nearest.Distance[i] < moved.Distance[lo+i] {
			moved.Flipped[lo+i] = 1
		}
	}
	return nil
}

// allEqual is why there is no flip rate where every clean latent is as near as another.
const allEqual = "all clean latents are equal: the encoder has collapsed"

func (m *movement) collapsed() bool { return m.duplicates == m.clean.N-1 }

// stateMeans averages values[state·draws + draw] over draws.
func (m *movement) stateMeans(values []float64) []float64 {
	out := make([]float64, len(values)/m.draws)
	for i := range out {
		out[i] = stat.Mean(values[i*m.draws : (i+1)*m.draws])
	}
	return out
}

// describe summarises every level; the jackknifed relative mean at the compared
// level is nil where it is undefined.
func (m *movement) describe(o Options, blocks *stat.Blocks, perturbation []float64, compared int) (*Model, *stat.Jackknifed, error) {
	model := &Model{RMSDistance: m.rms, TotalVariance: m.variance, EffectiveRank: m.effective, Duplicates: m.duplicates, Distances: m.distance}
	var relative *stat.Jackknifed
	for l, sigma := range o.Levels {
		all, err := stat.Summarize(m.distance[l])
		if err != nil {
			return nil, nil, err
		}
		means := m.stateMeans(m.distance[l])
		perState, err := stat.Summarize(means)
		if err != nil {
			return nil, nil, err
		}
		mean, err := stat.JackknifeMean(blocks, means)
		if err != nil {
			return nil, nil, err
		}
		flips, err := stat.JackknifeMean(blocks, m.stateMeans(m.flipped[l]))
		if err != nil {
			return nil, nil, err
		}
		level := Level{
			Sigma: sigma,
			Mean:  report.Number(all.Mean), MeanCI: m.interval(o, mean.Within(0, math.Inf(1))),
			SD: report.NumberOr(all.SD, all.Reason), SE: report.NumberOr(perState.SE, perState.Reason),
			Median: report.Number(all.Median), Min: report.Number(all.Min), Max: report.Number(all.Max),
			FlipRate: report.Number(flips.Estimate), FlipRateCI: m.interval(o, flips.Within(0, 1)),
			Cosine:            meanDefined(m.cosine[l]),
			InputPerturbation: report.Number(perturbation[l]),
			Samples:           len(m.distance[l]),
		}
		if m.collapsed() {
			level.FlipRate, level.FlipRateCI = report.Undefined(allEqual), report.NoInterval(allEqual)
		}
		if !m.rms.Defined() {
			level.RelativeMean, level.RelativeMeanCI = report.Undefined("%s", m.rms.Reason), report.NoInterval("%s", m.rms.Reason)
		} else {
			scaled := make([]float64, len(means))
			for i, v := range means {
				scaled[i] = v / m.rms.V
			}
			boot, err := stat.JackknifeMean(blocks, scaled)
			if err != nil {
				return nil, nil, err
			}
			level.RelativeMean, level.RelativeMeanCI = report.Number(boot.Estimate), m.interval(o, boot)
			if l == compared {
				relative = boot
			}
		}
		model.Levels = append(model.Levels, level)
	}
	return model, relative, nil
}

// interval is that of a jackknife, unless intervals are off.
func (m *movement) interval(o Options, j *stat.Jackknifed) report.Interval {
	if o.Bootstrap <= 0 {
		return report.NoInterval("intervals are off (bootstrap 0)")
	}
	return results.Interval(j.Interval)
}

// meanDefined averages the values that are defined.
func meanDefined(values []float64) report.Value {
	var defined []float64
	for _, v := range values {
		if !math.IsNaN(v) {
			defined = append(defined, v)
		}
	}
	if len(defined) == 0 {
		return report.Undefined("every latent is zero")
	}
	return report.Number(stat.Mean(defined))
}
