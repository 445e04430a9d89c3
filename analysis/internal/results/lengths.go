// Episodes whose length goes with what is measured in them.

package results

import "repscope/stat"

// LengthWarning names a mean over observations whose values go with the lengths of their episodes, and says what the mean
// over episodes is; empty for others, and for fewer than 5 episodes. What is an observation. See [stat.Lengths].
func LengthWarning(name, what string, values []float64, episode []int) string {
	if episode == nil {
		return ""
	}
	l, err := stat.LengthsOf(values, episode)
	if err != nil {
		return ""
	}
	return l.Warning(name, what, "episode")
}
