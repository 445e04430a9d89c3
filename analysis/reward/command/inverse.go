// Inverse dynamics: which action was taken, read from the latents of both of its states.

package command

import "repscope/analysis/reward"

// InverseTarget is the name of the target of inverse dynamics.
const InverseTarget = "action"

// inverse adds the actions to the targets, as classes of transitions, unless there is a
// target of that name.
func (d *loadedDynamics) inverse(targets []reward.Target) []reward.Target {
	if d.actions == nil {
		return targets
	}
	for _, t := range targets {
		if t.Name == InverseTarget {
			return targets
		}
	}
	return append(targets, reward.Target{Name: InverseTarget, OfTransition: true, Classes: d.actions})
}
