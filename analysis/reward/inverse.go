// Inverse dynamics: which action was taken, read from the latents of both of its states.

package reward

// InverseTarget is the name of the target of inverse dynamics.
const InverseTarget = "action"

// inverse adds the actions to the targets, as classes of transitions, unless there is a
// target of that name.
func (d *loadedDynamics) inverse(targets []Target) []Target {
	if d.actions == nil {
		return targets
	}
	for _, t := range targets {
		if t.Name == InverseTarget {
			return targets
		}
	}
	return append(targets, Target{Name: InverseTarget, OfTransition: true, Classes: d.actions})
}

// rewarding reports whether the target is a number of transitions, as rewards are; the
// action taken is a class of them.
func (t *Target) rewarding() bool { return t.OfTransition && !t.classified() }
