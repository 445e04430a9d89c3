// A study held against its records: --check.

package evaluate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"repscope/internal/regular"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/report"
)

// checkedTask is what became of the files of a task since it was done.
type checkedTask struct {
	Name        string   `json:"name"`  // dataset/analysis, or the name of the study's own files
	State       string   `json:"state"` // as recorded, changed or not done
	Differences []string `json:"differences,omitempty"`
	Files       int      `json:"files"` // that were read
	Unchecked   int      `json:"without_digest,omitempty"`
}

// The states of checked files.
const (
	asRecorded = "as recorded"
	hasChanged = "changed"
	notDone    = "not done"
)

// checkAll reads all inputs and results of the tasks that are done, and the study's own files, and holds them against
// the digests that were recorded, whatever the times of the files say. Nothing is run or written.
func (s *study) checkAll(ctx context.Context) ([]checkedTask, error) {
	var all []checkedTask
	digests := map[string]string{} // of inputs, which tasks share
	one := func(name, folder string) error {
		c := checkedTask{Name: name, State: asRecorded}
		if d := readDone(folder); d == nil {
			c.State = notDone
		} else if err := d.compare(ctx, folder, digests, &c); err != nil {
			return err
		}
		if len(c.Differences) > 0 {
			c.State = hasChanged
		}
		all = append(all, c)
		return nil
	}
	for _, p := range s.tasks {
		if err := one(p.Name(), s.folderOf(p)); err != nil {
			return nil, err
		}
	}
	return all, one("summaries and report", s.folder)
}

// compare reads what a record names.
func (d *done) compare(ctx context.Context, folder string, digests map[string]string, c *checkedTask) error {
	for _, list := range []struct {
		what, folder string
		files        []file
	}{{"input", "", d.Inputs}, {"result", folder, d.Outputs}} {
		for _, f := range list.files {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			path := filepath.Join(list.folder, filepath.FromSlash(f.Path))
			if f.SHA256 == "" {
				c.Unchecked++
				continue
			}
			digest, ok := digests[path]
			if !ok {
				var err error
				if digest, err = sum(path); errors.Is(err, fs.ErrNotExist) {
					digest = "is gone"
				} else if err != nil {
					digest = regular.PathError(err).Error()
				}
				digests[path] = digest
			}
			c.Files++
			switch {
			case digest == f.SHA256:
			case len(digest) == len(f.SHA256) && !strings.Contains(digest, " "):
				c.Differences = append(c.Differences, fmt.Sprintf("%s %s: it is %.12s…, recorded is %.12s…", list.what, path,
					digest, f.SHA256))
			default:
				c.Differences = append(c.Differences, fmt.Sprintf("%s %s: %s", list.what, path, digest))
			}
		}
	}
	return nil
}

// writeCheck prints the differences, as JSON if asked for. It is an error if something has changed, or nothing was
// done.
func (s *study) writeCheck(w io.Writer, all []checkedTask, asJSON, quiet bool) error {
	changed, done, files, unchecked := 0, 0, 0, 0
	for _, c := range all {
		files, unchecked = files+c.Files, unchecked+c.Unchecked
		if c.State == hasChanged {
			changed++
		}
		if c.State != notDone {
			done++
		}
	}
	var err error
	switch {
	case asJSON:
		err = report.Encode(w, struct {
			Schema string        `json:"schema"`
			OK     bool          `json:"ok"`
			Tasks  []checkedTask `json:"tasks"`
		}{"repscope/study-check/1", changed == 0 && done > 0, all})
	case !quiet:
		var b strings.Builder
		for _, c := range all {
			fmt.Fprintf(&b, "%-12s %s\n", c.State, c.Name)
			for _, d := range c.Differences {
				fmt.Fprintf(&b, "             %s\n", d)
			}
		}
		fmt.Fprintf(&b, "%s read", text.Count(files, "file"))
		if unchecked > 0 {
			fmt.Fprintf(&b, "; %s without a digest, such as folders", text.Count(unchecked, "input"))
		}
		_, err = io.WriteString(w, b.String()+"\n")
	}
	switch {
	case err != nil:
		return err
	case changed > 0:
		return run.Hint(fmt.Errorf("%s: %d of %d are not as recorded", s.folder, changed, len(all)),
			"the same command without --check runs these tasks again")
	case done == 0:
		return fmt.Errorf("%s: no task is finished, so there is nothing to check; run it first", s.folder)
	}
	return nil
}
