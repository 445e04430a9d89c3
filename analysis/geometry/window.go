// The exclusion window of the label consistency.

package geometry

import "repscope/analysis/internal/results"

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
