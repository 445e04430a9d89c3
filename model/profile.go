// What the steps of a model take.

package model

import "repscope/model/cpu"

// StepTime is what a step of the prepared graph took: see [Model.Profile].
type StepTime = cpu.StepTime

// SetProfile begins to measure what the steps of runs take, or ends it. It reports false
// where that is not measured: on GPUs.
func (m *Model) SetProfile(on bool) bool {
	p, ok := m.exec.(*processor)
	if ok {
		p.Executor.SetProfile(on)
	}
	return ok
}

// Profile is what the steps of runs took since [Model.SetProfile]: those of the graph as it
// is computed, with operators that became one, for every shape of the inputs. Times are of
// all threads together, by the clock.
func (m *Model) Profile() []StepTime {
	if p, ok := m.exec.(*processor); ok {
		return p.Executor.Profile()
	}
	return nil
}
