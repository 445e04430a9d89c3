// What a study remembers of the tasks that are done, so that the same command goes on where it was.

package evaluate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"repscope/internal/atomicfile"
	"repscope/internal/escape"
	"repscope/internal/regular"
	"repscope/internal/run"
	"repscope/report"
)

// recordName is the file in a task's folder that holds it.
const recordName = ".evaluate.json"

// recordForm is the version of its form.
const recordForm = "repscope/study/2"

// memoryName is the folder of a study in which parts of analyses are kept by the content of models.
const memoryName = ".memory"

// done is a task that was done. Its file is there from when the result is complete until another result is: a run
// that fails or is stopped leaves both, and a result without its record is told by the digests.
type done struct {
	Form    string            `json:"form"`
	Program string            `json:"program"`
	Options map[string]string `json:"options"`
	Inputs  []file            `json:"inputs"`
	Outputs []file            `json:"outputs"` // by their names in the task's folder
	Seconds float64           `json:"seconds"`
	// Warnings is how many the result has.
	Warnings int `json:"warnings"`
}

// readDone reads the record of a task's folder; nil if it is missing, damaged or of another form: the task is done
// again.
func readDone(folder string) *done {
	data, err := regular.Read(filepath.Join(folder, recordName), regular.Listing)
	if err != nil {
		return nil
	}
	d := &done{}
	if json.Unmarshal(data, d) != nil || d.Form != recordForm {
		return nil
	}
	return d
}

func (d *done) write(folder string) error {
	data, err := json.MarshalIndent(d, "", " ")
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(folder, recordName), atomicfile.Options{Sync: true}, func(w io.Writer) error {
		_, err := io.WriteString(w, escape.JSON(string(data))+"\n")
		return err
	})
}

// sweep removes the temporary files of a folder in which no other process works.
func sweep(folder string) error {
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !atomicfile.IsTemporary(d.Name()) {
			return err
		}
		return run.Remove(path)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// sweepOwn removes what a process that was killed left of the study's own files.
func sweepOwn(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() && atomicfile.IsTemporary(e.Name()) {
			if err := run.Remove(filepath.Join(folder, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// program names what computes: another version may give other numbers.
func program() string {
	build := report.ReadBuild()
	return strings.TrimSpace(build.Version + " " + build.Revision)
}

// optionsOf are the options of a task as the record has them.
func optionsOf(set report.Object) (map[string]string, error) {
	options := map[string]string{}
	for _, name := range set.Keys() {
		value, _ := set.Get(name)
		if s, ok := value.(string); ok {
			options[name] = s
			continue
		}
		var b strings.Builder
		if err := report.Encode(&b, value); err != nil {
			return nil, err
		}
		options[name] = strings.TrimSpace(b.String())
	}
	return options, nil
}

// changes are the reasons for which a task that was done would write something else now: none if it is unchanged. A
// file with the size and times of before is assumed unchanged; another one is read, and if its content is unchanged,
// its new size and times are recorded.
func (d *done) changes(folder, program string, options map[string]string) (reasons []string, touched bool) {
	if d.Program != program {
		reasons = append(reasons, fmt.Sprintf("program %s, was %s", program, d.Program))
	}
	for _, name := range slices.Sorted(maps.Keys(options)) {
		switch was, ok := d.Options[name]; {
		case !ok:
			reasons = append(reasons, fmt.Sprintf("option %s: %s, was not set", name, options[name]))
		case was != options[name]:
			reasons = append(reasons, fmt.Sprintf("option %s: %s, was %s", name, options[name], was))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.Options)) {
		if _, ok := options[name]; !ok && name != "methods" { // its files may stay
			reasons = append(reasons, fmt.Sprintf("option %s: not set, was %s", name, d.Options[name]))
		}
	}
	for _, list := range []struct {
		what, folder string
		files        []file
	}{{"input", "", d.Inputs}, {"result", folder, d.Outputs}} {
		for i := range list.files {
			reason, read := list.files[i].change(list.folder)
			touched = touched || read
			if reason != "" {
				reasons = append(reasons, list.what+" "+list.files[i].Path+" "+reason)
			}
		}
	}
	return reasons, touched
}

// change says how a file is another than before; nothing if it is the same. read says that it had to be read to know,
// and f is then as it is now.
func (f *file) change(folder string) (reason string, read bool) {
	path := filepath.Join(folder, f.Path)
	if folder == "" {
		path = f.Path
	}
	now, err := look(path)
	now.Path = f.Path
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "is gone", false
	case err != nil:
		return regular.PathError(err).Error(), false
	case now.as(*f):
		return "", false
	case now.Size != f.Size:
		return fmt.Sprintf("has %d bytes, had %d", now.Size, f.Size), false
	case f.Listing != "" || now.Listing != "" || f.SHA256 == "":
		return "has changed", false
	}
	if now.SHA256, err = sum(path); err != nil {
		return regular.PathError(err).Error(), false
	}
	if now.SHA256 != f.SHA256 {
		return "has another content", false
	}
	*f = now
	return "", true
}

// outputsOf are the files of a task's folder.
func outputsOf(folder string) ([]file, error) {
	var list []file
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), ".") {
			return err
		}
		f, err := look(path)
		if err != nil {
			return err
		}
		if f.SHA256, err = sum(path); err != nil {
			return err
		}
		name, err := filepath.Rel(folder, path)
		f.Path = filepath.ToSlash(name)
		list = append(list, f)
		return err
	})
	return list, err
}
