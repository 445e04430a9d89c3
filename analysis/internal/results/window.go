// The exclusion window in time, as every analysis means it.

package results

import (
	"fmt"
	"math"
	"strconv"

	"repscope/internal/text"
	"repscope/points"
)

// ExcludeWindow returns the labels with which a neighbor search leaves out states at
// most this number of frames apart in one episode; see [points.WindowLabels]. The warning,
// empty if no frames are missing inside the window, says how far it reaches.
func ExcludeWindow(episode, time []int, frames int) (labels []int, warning string) {
	labels, widest := points.WindowLabels(episode, time, frames)
	if widest > frames {
		warning = fmt.Sprintf("states are missing from the sequence, so the exclusion window of %s leaves out "+
			"pairs up to %s apart in places; use complete "+
			"episodes", text.Count(frames, "frame"), text.Count(widest, "frame"))
	}
	return labels, warning
}

// AutoWindow is the exclusion window of the longest autocorrelation time of the models.
const AutoWindow = -1

// Window is an exclusion window as an option: a number of frames, or [AutoWindow], which is written auto.
type Window int

// WindowUsage is the help of an exclusion window.
const WindowUsage = "`FRAMES` within which states of one episode do not count as neighbors, or auto: the longest " +
	"autocorrelation time of the models"

func (w *Window) String() string { return fmt.Sprint(w.Get()) }

// Get is the number of frames, or auto.
func (w *Window) Get() any {
	if *w == AutoWindow {
		return "auto"
	}
	return int(*w)
}

// Set reads a value.
func (w *Window) Set(text string) error {
	if text == "auto" {
		*w = AutoWindow
		return nil
	}
	frames, err := strconv.Atoi(text)
	if err != nil || frames < 0 {
		return fmt.Errorf("want a number of frames of 0 or more, or auto")
	}
	*w = Window(frames)
	return nil
}

// FramesOf is an autocorrelation time as an exclusion window: 1 at least, also where it is
// not defined.
func FramesOf(tau float64) int {
	if !(tau > 1) {
		return 1
	}
	return int(math.Ceil(tau))
}

// WindowOf is the exclusion window of the longest autocorrelation time, at most widest,
// with a warning where that cuts it. Times of models that do not vary are NaN or 0.
func WindowOf(taus []float64, widest int, leaves string) (frames int, warning string) {
	longest := 0.0
	for _, tau := range taus {
		longest = max(longest, orZero(tau))
	}
	if frames = FramesOf(longest); frames <= widest {
		return frames, ""
	}
	return widest, fmt.Sprintf("the autocorrelation time of %.3g frames is long for this number of states; the "+
		"exclusion window is limited to %s, which leaves %s",
		longest, text.Count(widest, "frame"), leaves)
}

func orZero(v float64) float64 {
	if v != v {
		return 0
	}
	return v
}

// WidestWindow is the widest window that leaves every state at least half of the states
// as candidates; episode is nil for one.
func WidestWindow(n int, episode []int) int {
	longest, length := 0, 0
	for i := range n {
		if length++; episode != nil && i > 0 && episode[i] != episode[i-1] {
			length = 1
		}
		longest = max(longest, length)
	}
	if 2*longest <= n {
		return n
	}
	return max(1, (n/2-1)/2)
}
