// Tasks that were done elsewhere, entered into the record of a study.

package evaluate

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"repscope/internal/folderlock"
	"repscope/report"
)

// Enter enters tasks of a suite whose results are complete in the study's folder, so that they are not run again. Whoever calls it
// answers for their options and inputs: they are those of now.
func Enter(s *Suite, folder string, names []string) error {
	lock, err := folderlock.Take(context.Background(), folder, "evaluate", true)
	if err != nil {
		return err
	}
	defer lock.Release()
	r := readRecord(folder)
	for i := range s.Datasets {
		for k := range s.Datasets[i].Tasks {
			t := &s.Datasets[i].Tasks[k]
			if !slices.Contains(names, t.Name()) {
				continue
			}
			d, err := t.done(folder)
			if err != nil {
				return fmt.Errorf("%s: %w", t.Name(), err)
			}
			r.Tasks[t.Name()] = *d
		}
	}
	if err := lock.Check(); err != nil {
		return err
	}
	return r.write(folder)
}

// done is the record of a task whose result is in its folder.
func (t *Task) done(folder string) (*done, error) {
	result, err := report.Read(filepath.Join(folder, filepath.FromSlash(t.Name()), t.Analysis+".json"))
	if err != nil {
		return nil, err
	}
	set, err := t.Settle()
	if err != nil {
		return nil, err
	}
	d := &done{Seconds: result.Elapsed}
	if d.Digest, err = digest(t, set); err != nil {
		return nil, err
	}
	if d.Inputs, err = inputsOf(result); err != nil {
		return nil, err
	}
	d.Outputs, err = outputsOf(folder, t.Name())
	return d, err
}
