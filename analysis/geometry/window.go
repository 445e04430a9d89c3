// The exclusion window of the label consistency.

package geometry

import (
	"context"

	"repscope/analysis/internal/results"
	"repscope/measure/motion"
)

// decideWindow makes an automatic window one of frames: the longest autocorrelation time
// of the models, as manifold takes it.
func (a *analyzer) decideWindow() error {
	if a.o.ExcludeWindow != results.AutoWindow {
		return nil
	}
	var taus []float64
	for _, m := range a.in.Models {
		t, err := motion.EffectiveSize(context.Background(), m.Latents, a.in.Episode, a.in.Time, a.o.Threads)
		if err != nil {
			if _, err = undefined(err); err != nil {
				return err
			}
			continue // the model does not vary
		}
		taus = append(taus, t.Tau)
	}
	var warning string
	widest := results.WidestWindow(a.in.Models[0].Latents.N, a.in.Episode)
	if a.window, warning = results.WindowOf(taus, widest, "every state half of the others as candidates"); warning != "" {
		a.warnings = append(a.warnings, warning)
	}
	a.o.ExcludeWindow = a.window
	return nil
}

// windowed says where the exclusion window counts among the states in measures over
// pairs: inside equal episodes, in times or, where they are nil, in positions.
type windowed struct{ episode, time []int }

// exclusion makes the window one of frames: of all states, the episodes are cut where
// frames are missing; of a sample the times count.
func (a *analyzer) exclusion() windowed {
	if a.o.ExcludeWindow == 0 {
		return windowed{episode: at(a.in.Episode, a.in.Sample)}
	}
	if a.in.Sample != nil {
		time := a.in.Sample
		if a.in.Time != nil {
			time = at(a.in.Time, a.in.Sample)
		}
		return windowed{at(a.in.Episode, a.in.Sample), time}
	}
	labels, warning := results.ExcludeWindow(a.in.Episode, a.in.Time, a.o.ExcludeWindow)
	if warning != "" {
		a.warnings = append(a.warnings, warning)
	}
	return windowed{episode: labels}
}
