// Exclusion windows in time: what is near in time is no neighbor.

package points

// WindowLabels returns labels of states that turn an exclusion window of w frames inside an episode
// into a window of w positions inside a label, as neighbor searches expect. A label ends where more
// than w frames are missing. episode and time are given for every state, with ascending times. A nil
// episode means a single one; with a nil time every position counts as a frame, and the labels are the
// episodes.
//
// Where fewer frames are missing, positions span more frames: widest is the largest distance in frames
// between two excluded states, w if none are missing.
func WindowLabels(episode, time []int, w int) (labels []int, widest int) {
	if time == nil {
		return episode, w
	}
	type key struct{ episode, run int }
	known := map[key]int{}
	labels = make([]int, len(time))
	run, first, widest := 0, 0, w // first is where the run begins
	for i := range labels {
		if i > 0 && time[i]-time[i-1] > w {
			run, first = run+1, i
		}
		widest = max(widest, time[i]-time[max(first, i-w)])
		at := key{run: run}
		if episode != nil {
			at.episode = episode[i]
		}
		label, ok := known[at]
		if !ok {
			label = len(known)
			known[at] = label
		}
		labels[i] = label
	}
	return labels, widest
}
