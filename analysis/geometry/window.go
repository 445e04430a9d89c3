// The exclusion window of the label consistency.

package geometry

import "repscope/analysis/internal/results"

// windowLabels are the labels of the states in measures over pairs inside which the
// exclusion window counts: episodes, cut where frames are missing, so that the window
// is one of frames.
func (a *analyzer) windowLabels() []int {
	if a.o.ExcludeWindow == 0 {
		return at(a.in.Episode, a.in.Sample)
	}
	labels, warning := results.ExcludeWindow(a.in.Episode, a.in.Time, a.o.ExcludeWindow) // without a sample
	if warning != "" {
		a.warnings = append(a.warnings, warning)
	}
	return labels
}
