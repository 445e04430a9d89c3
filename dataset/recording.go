// Recordings: frames with what their own file tells of episodes.

package dataset

import (
	"io"
	"os"

	"repscope/internal/mmap"
)

// Recording is frames as a file holds them. Ends and Window are those of a format
// that brings episodes, nil and 0 for plain arrays.
type Recording struct {
	Frames *Array
	Ends   []bool // end-of-episode flag per frame
	Window int    // frames of a state

	file io.Closer
}

// OpenRecording opens the frames that spec names as [Open] does; of a published
// dataset, whole or one of its splits (see [OpenExperience]), also the episodes and
// the window. Which of the two a file is, its content decides, once: a published
// dataset that is damaged is an error.
func OpenRecording(spec string) (*Recording, error) {
	if !namesExperience(spec) {
		a, err := Open(spec)
		if err != nil {
			return nil, err
		}
		return &Recording{Frames: a, file: a}, nil
	}
	e, err := OpenExperience(spec)
	if err != nil {
		return nil, err
	}
	return &Recording{Frames: e.Frames, Ends: e.Stop, Window: e.SequenceLength, file: e}, nil
}

// Close releases the file.
func (r *Recording) Close() error { return r.file.Close() }

// namesExperience reports whether spec is a published dataset or a split of one.
// What cannot be opened is none; the reader of arrays says why.
func namesExperience(spec string) bool {
	path, key := splitSpec(spec)
	if _, split := splits[key]; key != "" && !split {
		return false
	}
	if info, err := os.Stat(path); err != nil || info.IsDir() {
		return false
	}
	file, err := mmap.Open(path)
	if err != nil {
		return false
	}
	format, err := formatOf(file)
	file.Close()
	if err != nil || format != torchFormat {
		return false
	}
	torch, err := openTorchFile(path)
	if err != nil {
		return false
	}
	defer torch.Close()
	return isExperience(torch.Root())
}
