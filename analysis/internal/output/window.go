// What a run says of its exclusion window.

package output

import "repscope/internal/run"

// NoteWindowOfSample says that neighbors outside the window of sampled states are
// looked for on the processor, where GPUs would be asked otherwise.
func NoteWindowOfSample(env *run.Env, gpus, frames int, sampled bool) {
	if gpus > 0 && frames != 0 && sampled {
		env.Note("note: with --samples and --exclude-window, neighbors are searched on the CPU")
	}
}
