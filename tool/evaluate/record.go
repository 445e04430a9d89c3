// What a study remembers of the tasks that are done, so that the same command goes on where it was.

package evaluate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"repscope/internal/atomicfile"
	"repscope/internal/run"
	"repscope/report"
)

// recordName is the file in the study's folder that holds it.
const recordName = ".evaluate.record.json"

// recordForm is the version of its form.
const recordForm = "repscope/study/1"

// record is what is known of the tasks that are done.
type record struct {
	Form  string          `json:"form"`
	Tasks map[string]done `json:"tasks"`
}

// done is a task that was done.
type done struct {
	Digest  string    `json:"digest"` // of the task: program, analysis, options
	Inputs  []file    `json:"inputs"`
	Outputs []written `json:"outputs"`
	Seconds float64   `json:"seconds"`
}

// file is an input as it was when it was read.
type file struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`
	Time   int64  `json:"time"` // of its last change, in ns
	SHA256 string `json:"sha256,omitempty"`
}

// written is a file of a result.
type written struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
}

// readRecord reads the record of a folder. One that is missing, damaged or of another form is as none: the tasks are done again.
func readRecord(folder string) *record {
	r := &record{}
	if data, err := os.ReadFile(filepath.Join(folder, recordName)); err == nil {
		_ = json.Unmarshal(data, r)
	}
	if r.Form != recordForm || r.Tasks == nil {
		r = &record{Form: recordForm, Tasks: map[string]done{}}
	}
	return r
}

func (r *record) write(folder string) error {
	data, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(folder, recordName), atomicfile.Options{}, func(w io.Writer) error {
		_, err := w.Write(append(data, '\n'))
		return err
	})
}

// digest is that of everything but the files' contents that decides what a task writes.
func digest(t *Task, set report.Object) (string, error) {
	build := report.ReadBuild()
	var text strings.Builder
	if err := report.Encode(&text, set); err != nil {
		return "", err
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s\n%s\n%s", recordForm, t.Analysis, build.Version, build.Revision, text.String()))
	return hex.EncodeToString(sum[:]), nil
}

// unchanged reports whether a task that was done would write the same again. A file whose size and time are those of before is
// taken for the same; one with another time is read.
func (d *done) unchanged(folder, digest string) bool {
	if d.Digest != digest {
		return false
	}
	for _, o := range d.Outputs {
		if info, err := os.Stat(filepath.Join(folder, o.Name)); err != nil || info.Size() != o.Size {
			return false
		}
	}
	for i := range d.Inputs {
		if !d.Inputs[i].same() {
			return false
		}
	}
	return true
}

func (f *file) same() bool {
	now, err := look(f.Path)
	switch {
	case err != nil || now.Size != f.Size:
		return false
	case now.Time == f.Time:
		return true
	}
	now.SHA256, err = sum(f.Path)
	if err != nil || now.SHA256 != f.SHA256 || f.SHA256 == "" {
		return false
	}
	*f = now
	return true
}

// look is the size and time of a file, or of all files of a folder.
func look(path string) (file, error) {
	info, err := os.Stat(path)
	if err != nil {
		return file{}, err
	}
	f := file{Path: path, Size: info.Size(), Time: info.ModTime().UnixNano()}
	if !info.IsDir() {
		return f, nil
	}
	f.Size = 0
	err = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			f.Size += info.Size() + 1 // the number of files too
			f.Time = max(f.Time, info.ModTime().UnixNano())
		}
		return err
	})
	return f, err
}

// sum is the SHA-256 of a file; empty for a folder.
func sum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.IsDir() {
		return "", err
	}
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// inputsOf are the files that a result was made of, as they are when the task has ended.
func inputsOf(result *report.Result) ([]file, error) {
	var list []file
	for _, in := range result.Inputs {
		path := pathOf(in.Path)
		if path == "" || slices.ContainsFunc(list, func(f file) bool { return f.Path == path }) {
			continue
		}
		f, err := look(path)
		if err != nil {
			return nil, run.PathError(err)
		}
		if in.SHA256 != "" {
			f.SHA256, err = sum(path)
			if err != nil {
				return nil, err
			}
		}
		list = append(list, f)
	}
	return list, nil
}

// pathOf is the file of an input, without the name of an array in it; empty for what is no file.
func pathOf(path string) string {
	if path == "" || strings.HasPrefix(path, "example:") {
		return ""
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if i := strings.LastIndexByte(path, ':'); i > 0 {
			if _, err := os.Stat(path[:i]); err == nil {
				return path[:i]
			}
		}
		return ""
	}
	return path
}

// outputsOf are the files of a task's folder.
func outputsOf(folder, task string) ([]written, error) {
	var list []written
	err := filepath.WalkDir(filepath.Join(folder, task), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), ".") {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(folder, path)
		list = append(list, written{filepath.ToSlash(name), info.Size()})
		return err
	})
	return list, err
}
