// Features: what probes read a target from.

package reward

import (
	"repscope/points"
)

// features are the rows that probes of one model are fitted and evaluated on, one per
// sample, in float64.
type features struct {
	on   string // True or PredictedLatents
	both bool   // the latents of both states, else of the second
	rows points.Points
}

// newFeatures are the latents of the second state of every sample, true or predicted,
// behind the true latent of the first if both are asked for.
func (s *samples) newFeatures(m *Model, on string, both bool) features {
	second, rows := m.Latents, s.next
	if on == PredictedLatents {
		second, rows = m.Predicted, s.now // a prediction stands in the row of the state it is made from
	}
	dim := second.Dim
	if both {
		dim += m.Latents.Dim
	}
	data := make([]float64, s.n()*dim)
	for i := range s.n() {
		row := data[i*dim : (i+1)*dim]
		if both {
			m.Latents.Row(s.now[i], row[:m.Latents.Dim])
			row = row[m.Latents.Dim:]
		}
		second.Row(rows[i], row)
	}
	return features{on: on, both: both, rows: points.Float64(data, dim)}
}

// both reports whether a target is read from the latents of both states.
func (o Options) both(t *Target) bool {
	if o.Features == FeaturesAuto {
		return t.OfTransition
	}
	return o.Features == FeaturesCurrent
}
