// What the steps of a model take.

package model

import "repscope/model/operator"

// StepTime is what a step of the prepared graph took: see [Model.Profile] and [operator.StepTime].
type StepTime = operator.StepTime

// SetProfile begins to measure what the steps of runs take, or ends it.
func (m *Model) SetProfile(on bool) { m.exec.SetProfile(on) }

// Profile is what the steps of runs took since [Model.SetProfile]: those of the graph as it
// is computed, with operators that became one, for every shape of the inputs. Times are of
// all threads together, by the clock, or of a GPU, by its own; the first run of a shape on a GPU is not measured.
func (m *Model) Profile() []StepTime { return m.exec.Profile() }
