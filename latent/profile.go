// What the steps of an encoder take.

package latent

import "repscope/model"

// StepTime is what a step of an encoder took: see [model.Model.Profile].
type StepTime = model.StepTime

// SetProfile begins to measure what the steps of an encoder take. It reports false where
// that is not measured: of encoders that are no graph.
func SetProfile(e Encoder) bool {
	m, ok := e.(*modelEncoder)
	if ok {
		m.model.SetProfile(true)
	}
	return ok
}

// Profile is what the steps took since SetProfile.
func Profile(e Encoder) []StepTime {
	m, ok := e.(*modelEncoder)
	if !ok {
		return nil
	}
	return m.model.Profile()
}
