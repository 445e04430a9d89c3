// The flag of the exclusion window.

package output

import (
	"strconv"

	"repscope/analysis/internal/results"
	"repscope/internal/run"
)

// NoteWindowOfSample says that neighbours outside the window of sampled states are
// looked for on the processor, where GPUs would be asked otherwise.
func NoteWindowOfSample(env *run.Env, gpus, frames int, sampled bool) {
	if gpus > 0 && frames != 0 && sampled {
		env.Note("note: with --samples and --exclude-window neighbours are looked for on the processor")
	}
}

// Window is a flag for an exclusion window: a number of frames, or auto.
type Window int

// NewWindow defines the flag.
func NewWindow(flags *run.Flags) *Window {
	w := new(Window)
	flags.Var(w, "exclude-window", "`FRAMES` within which states of one episode are no neighbours, or auto: the longest autocorrelation time of the models")
	return w
}

func (w *Window) String() string {
	if *w == results.AutoWindow {
		return "auto"
	}
	return strconv.Itoa(int(*w))
}

// Get is the number of frames, or auto.
func (w *Window) Get() any {
	if *w == results.AutoWindow {
		return "auto"
	}
	return int(*w)
}

// Set reads a value.
func (w *Window) Set(text string) error {
	frames, err := results.ParseWindow(text)
	if err == nil {
		*w = Window(frames)
	}
	return err
}
