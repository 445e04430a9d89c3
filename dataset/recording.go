// Recordings: frames with the episodes in their own file.

package dataset

import (
	"io"
	"os"

	"repscope/dataset/zarr"
	"repscope/internal/mmap"
)

// Recording is the frames of a file. Formats with episodes also set Ends, Window, Episodes and Folders; they are nil
// and 0 for plain arrays.
type Recording struct {
	Frames   *Array
	Ends     []bool   // end-of-episode flag per frame
	Window   int      // frames of a state
	Episodes []int64  // number of the folder of each image, or of the episode of each row
	Folders  []string // names of the folders or episodes, by number
	Kind     string   // what has the episodes: "folders", or a format

	file io.Closer
}

// OpenRecording opens the frames that spec names as [Open] does; of a published
// dataset, whole or one of its splits (see experience), also the episodes and
// the window. Which of the two a file is, its content decides, once: a published
// dataset that is damaged is an error, and so are times and texts.
func OpenRecording(spec string, o ImageOptions) (*Recording, error) {
	r, err := anyRecording(spec, o)
	if err != nil {
		return nil, err
	}
	if err := r.Frames.plain(); err != nil {
		r.Close()
		return nil, withRecipe(r.Frames.path, err)
	}
	return r, nil
}

// anyRecording is [OpenRecording] of any elements.
func anyRecording(spec string, o ImageOptions) (*Recording, error) {
	path, key := SplitSpec(spec)
	if a, err := openPattern(path, key, o); a != nil || err != nil {
		return recordingOf(a, err)
	}
	switch info, err := os.Stat(path); {
	case err != nil:
		return recordingOf(Open(spec))
	case info.IsDir() && zarr.Is(path), isTextTable(path):
		return recordingOf(Open(spec))
	case info.IsDir():
		return openFolder(path, key, o)
	}
	file, err := mmap.Open(path)
	if err != nil {
		return nil, err
	}
	r, err := openRecording(file, key, o)
	if err != nil {
		file.Close()
	}
	return r, err
}

// openRecording opens the recording in a file by the row of its format. The
// recording closes the file; on error the caller does.
func openRecording(file *mmap.File, key string, o ImageOptions) (*Recording, error) {
	f, err := formatOf(file)
	if err != nil {
		return nil, err
	}
	var r *Recording
	if f.record == nil {
		r, err = recordingOf(f.array(file, key))
	} else {
		r, err = f.record(file, key, o)
	}
	return r, withRecipe(file.Path(), err)
}

// recordingOf is an array, with the arrays that it joins as episodes.
func recordingOf(a *Array, err error) (*Recording, error) {
	if err != nil {
		return nil, err
	}
	r := &Recording{Frames: a, file: a}
	if r.Episodes, r.Folders = a.Joined(); r.Episodes != nil {
		r.Kind = "arrays"
	}
	return r, nil
}

// Unchanged is [Array.Unchanged] of the frames.
func (r *Recording) Unchanged() error { return r.Frames.Unchanged() }

// Close releases the file.
func (r *Recording) Close() error { return r.file.Close() }
