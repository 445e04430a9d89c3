// Label efficiency, and the coordinates of latents.

package reward

import (
	"repscope/internal/run"
)

// printEfficiency writes how scores grow with the number of labels.
func (r *Result) printEfficiency(env *run.Env) error { return nil }

// printDisentanglement writes DCI and MIG.
func (r *Result) printDisentanglement(env *run.Env) error { return nil }
