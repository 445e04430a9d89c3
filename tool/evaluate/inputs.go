// The files that a task reads: as they were before it began, and whether they are the same when it ends.

package evaluate

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"repscope/internal/regular"
	"repscope/internal/run"
	"repscope/latent"
	"repscope/report"
)

// file is an input as it was when a task read it.
type file struct {
	Path    string `json:"path"`
	Size    int64  `json:"size"`              // of a folder: of all files in it
	Time    int64  `json:"time"`              // of its last change, in ns
	Changed int64  `json:"changed,omitempty"` // when its content or name changed by the system's own account, where it keeps one, in ns
	Listing string `json:"listing,omitempty"` // of a folder: the digest of the names, sizes and times in it
	SHA256  string `json:"sha256,omitempty"`  // of a file
}

// fresh is how young a file may be for its times to say nothing: it may change again within their resolution, or the
// clock that they come from may be another one.
const fresh = 2 * time.Second

// errChanged says that an input is not what it was when the task began.
var errChanged = errors.New("changed while the task was reading it")

// look is what the file system knows of a file, or of a folder with all files in it.
func look(path string) (file, error) {
	f, _, err := list(path)
	return f, err
}

// list is look with the files of a folder.
func list(path string) (file, map[string]file, error) {
	info, err := os.Stat(path)
	if err != nil {
		return file{}, nil, err
	}
	f := file{Path: path, Size: info.Size(), Time: info.ModTime().UnixNano(), Changed: changed(info)}
	if !info.IsDir() {
		return f, nil, nil
	}
	f.Size, f.Time, f.Changed = 0, 0, 0
	files := map[string]file{}
	h := sha256.New()
	err = filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		one, err := look(name)
		if errors.Is(err, fs.ErrNotExist) { // a link to nowhere, or a file that has just gone
			return nil
		}
		if err != nil {
			return err
		}
		files[name] = one
		f.Size += one.Size
		f.Time, f.Changed = max(f.Time, one.Time), max(f.Changed, one.Changed)
		fmt.Fprintf(h, "%q %d %d %d\n", name, one.Size, one.Time, one.Changed)
		return nil
	})
	f.Listing = hex.EncodeToString(h.Sum(nil))
	return f, files, err
}

// as reports whether the file system knows the same of a file as of another.
func (f file) as(other file) bool {
	f.SHA256, other.SHA256 = "", ""
	return f == other
}

// young reports whether the times of a file are too recent to tell a change; times in the future always are.
func (f file) young(now time.Time) bool {
	return now.Sub(time.Unix(0, max(f.Time, f.Changed))) < fresh
}

// describe is a file's size and time for a message.
func (f file) describe() string {
	return fmt.Sprintf("%d bytes of %s", f.Size, time.Unix(0, f.Time).Format(time.RFC3339Nano))
}

// sum is the SHA-256 of a file; empty for a folder.
func sum(path string) (string, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return "", nil
	}
	return report.FileSum(path)
}

// watch holds the state of the files that the options of a task name, from before it began.
type watch struct {
	begin   time.Time
	files   map[string]file
	folders map[string]map[string]file
	options []string // files and folders that options name, in their order
	data    map[string]bool
}

// watchOf looks at what the options name before the task begins. Only options that name inputs may name folders.
func watchOf(set *run.Settled) (*watch, error) {
	w := &watch{begin: time.Now(), files: map[string]file{}, folders: map[string]map[string]file{}, data: map[string]bool{}}
	for _, v := range set.Values {
		path := pathOf(v.Text)
		if path == "" {
			continue
		}
		if info, err := os.Stat(path); err != nil || info.IsDir() && !v.Input || !info.IsDir() && !info.Mode().IsRegular() {
			continue
		}
		if err := w.add(path); err != nil {
			return nil, err
		}
		for _, other := range latent.DataFiles(path) {
			if err := w.add(other); err != nil {
				return nil, err
			}
			w.data[other] = true
		}
	}
	return w, nil
}

func (w *watch) add(path string) error {
	if slices.Contains(w.options, path) {
		return nil
	}
	f, files, err := list(path)
	if err != nil {
		return regular.PathError(err)
	}
	w.options = append(w.options, path)
	if files != nil {
		w.folders[path] = files
		maps.Copy(w.files, files)
		w.files[path] = f
		return nil
	}
	if f.young(w.begin) {
		if f.SHA256, err = sum(path); err != nil {
			return regular.PathError(err)
		}
	}
	w.files[path] = f
	return nil
}

// inputs are the files of a task that has read them, as they were when it began. It is an error if one of them has
// changed or gone meanwhile. The digests come from the result, if it has them.
func (w *watch) inputs(list []report.Input) ([]file, error) {
	var all []file
	for _, in := range list {
		path := pathOf(in.Path)
		if path == "" && in.SHA256 != "" && !builtIn(in.Path) {
			path = in.Path // it has gone
		}
		if path == "" || slices.ContainsFunc(all, func(f file) bool { return f.Path == path }) {
			continue
		}
		f, err := w.input(path, in.SHA256)
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	for _, path := range w.options {
		if slices.ContainsFunc(all, func(f file) bool { return f.Path == path }) {
			continue
		}
		f, err := w.besides(path)
		if err != nil {
			return nil, err
		}
		if f.Path != "" {
			all = append(all, f)
		}
	}
	return all, nil
}

// input is an input of the result, with its digest there.
func (w *watch) input(path, digest string) (file, error) {
	before, seen := w.files[path]
	now, files, err := list(path)
	if err != nil {
		return file{}, fmt.Errorf("%s %w: %w", path, errChanged, regular.PathError(err))
	}
	if files != nil {
		return w.folder(path, now, files)
	}
	now.SHA256 = digest
	if seen && now.as(before) && !before.young(w.begin) && digest != "" {
		return now, nil
	}
	content, err := sum(path)
	if err != nil {
		return file{}, fmt.Errorf("%s %w: %w", path, errChanged, regular.PathError(err))
	}
	now.SHA256 = content
	switch {
	case content == digest || content == before.SHA256, seen && now.as(before) && !before.young(w.begin), !seen && !now.young(w.begin):
		return now, nil // some digests are of more than the file
	}
	return file{}, fmt.Errorf("%s %w: it has %s now, had %s", path, errChanged, now.describe(), before.describe())
}

// folder is a folder of inputs, in which files may have come up but not changed. With new ones it counts as it was.
func (w *watch) folder(path string, now file, files map[string]file) (file, error) {
	before, seen := w.folders[path]
	if !seen {
		return now, nil
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if f, ok := files[name]; !ok {
			return file{}, fmt.Errorf("%s %w: it is gone", name, errChanged)
		} else if !f.as(before[name]) {
			return file{}, fmt.Errorf("%s %w: it has %s now, had %s", name, errChanged, f.describe(), before[name].describe())
		}
	}
	return w.files[path], nil
}

// besides is a file that options name and the result does not: one that the task read, or one that it wrote.
func (w *watch) besides(path string) (file, error) {
	before := w.files[path]
	if before.Listing != "" {
		return before, nil
	}
	now, err := look(path)
	if err == nil {
		now.SHA256, err = sum(path)
	}
	switch same := err == nil && (now.as(before) && !before.young(w.begin) || now.SHA256 == before.SHA256); {
	case same:
		return now, nil
	case w.data[path]:
		return file{}, fmt.Errorf("%s %w: it has %s now, had %s", path, errChanged, now.describe(), before.describe())
	case err != nil:
		return file{}, nil
	}
	return now, nil
}

// pathOf is the file of an input, without the name of an array in it; empty if the input is no file.
func pathOf(path string) string {
	if path == "" || builtIn(path) {
		return ""
	}
	if _, err := os.Stat(path); err == nil {
		return path
	}
	if i := strings.LastIndexByte(path, ':'); i > 0 {
		if _, err := os.Stat(path[:i]); err == nil {
			return path[:i]
		}
	}
	return ""
}

// builtIn reports whether a path is one that stands for a part of a built-in example.
func builtIn(path string) bool { return strings.HasPrefix(path, "example:") }
