// Exclusion windows in time: points near in time are no neighbors.

package points

// WindowLabels returns labels of states that turn an exclusion window of w frames inside an episode into a window of w
// positions inside a label, as neighbor searches expect. A label ends where more than w frames are missing. episode and
// time hold a value for every state, with ascending times. A nil episode means a single one; with a nil time every
// position counts as a frame, and the labels are the episodes.
//
// If fewer frames are missing, positions span more frames: widest is the largest distance in frames between two
// excluded states, w if none are missing.
func WindowLabels(episode, time []int, w int) (labels []int, widest int) {
	if time == nil {
		return episode, w
	}
	type key struct{ episode, run int }
	indices := map[key]int{}
	labels = make([]int, len(time))
	run, first, widest := 0, 0, w // first is where the run begins
	for i := range labels {
		if i > 0 && time[i]-time[i-1] > w {
			run, first = run+1, i
		}
		widest = max(widest, time[i]-time[max(first, i-w)])
		k := key{run: run}
		if episode != nil {
			k.episode = episode[i]
		}
		label, ok := indices[k]
		if !ok {
			label = len(indices)
			indices[k] = label
		}
		labels[i] = label
	}
	return labels, widest
}
