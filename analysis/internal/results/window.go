// The exclusion window in time, as every analysis means it.

package results

import (
	"fmt"

	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/points"
)

// NoteWindowOfSample says that neighbours outside the window of sampled states are
// looked for on the processor, where GPUs would be asked otherwise.
func NoteWindowOfSample(env *run.Env, gpus, frames int, sampled bool) {
	if gpus > 0 && frames > 0 && sampled {
		env.Note("note: with --samples and --exclude-window neighbours are looked for on the processor")
	}
}

// ExcludeWindow returns the labels with which a neighbor search leaves out states at
// most so many frames apart in one episode; see [points.WindowLabels]. The warning,
// empty if no frames are missing inside the window, says how far it reaches.
func ExcludeWindow(episode, time []int, frames int) (labels []int, warning string) {
	labels, widest := points.WindowLabels(episode, time, frames)
	if widest > frames {
		warning = fmt.Sprintf("states are missing from the sequence: the exclusion window of %s leaves out pairs up to %s apart in places", text.Count(frames, "frame"), text.Count(widest, "frame"))
	}
	return labels, warning
}
