// Time of the steps of an encoder.

package latent

import "repscope/model"

// StepTime is the time of a step of an encoder: see [model.Model.Profile].
type StepTime = model.StepTime

// SetProfile begins to measure the time of the steps of an encoder. It reports false for encoders that are no graph.
func SetProfile(e Encoder) bool {
	m, ok := e.(*modelEncoder)
	if ok {
		m.model.SetProfile(true)
	}
	return ok
}

// Profile is the time of the steps since SetProfile.
func Profile(e Encoder) []StepTime {
	m, ok := e.(*modelEncoder)
	if !ok {
		return nil
	}
	return m.model.Profile()
}
