// Episodes whose length goes with the values in them.

package results

import "repscope/stat"

// LengthWarning names a mean whose values go with the lengths of their episodes, and tells the mean over episodes;
// empty for others, and for fewer than 5 episodes. The argument what names an observation. See [stat.Lengths].
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
