// Time of the steps of a model.

package model

import "repscope/model/operator"

// StepTime is the time of a step of the prepared graph: see [Model.Profile] and [operator.StepTime].
type StepTime = operator.StepTime

// SetProfile begins to measure the time of the steps of runs, or ends it.
func (m *Model) SetProfile(on bool) { m.exec.SetProfile(on) }

// Profile is the time of the steps of runs since [Model.SetProfile]: of the fused graph, for every shape of the inputs.
// Times are wall-clock times of all threads together, or by the GPU's own clock; the first run of a shape on a GPU is
// not measured.
func (m *Model) Profile() []StepTime { return m.exec.Profile() }
