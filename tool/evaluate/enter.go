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

// Enter enters tasks of a suite whose results are complete in the study's folder, so that they are not run again.
// Whoever calls it answers for their options; an input that is another than the result says is an error.
func Enter(s *Suite, folder string, names []string) error {
	lock, err := folderlock.Take(context.Background(), folder, "evaluate", true)
	if err != nil {
		return err
	}
	defer lock.Release()
	for i := range s.Datasets {
		for k := range s.Datasets[i].Tasks {
			t := &s.Datasets[i].Tasks[k]
			if !slices.Contains(names, t.Name()) {
				continue
			}
			if err := t.enter(filepath.Join(folder, filepath.FromSlash(t.Name())), lock); err != nil {
				return fmt.Errorf("%s: %w", t.Name(), err)
			}
		}
	}
	return nil
}

// enter writes the record of a task whose result is in its folder.
func (t *Task) enter(folder string, lock *folderlock.Lock) error {
	result, err := report.Read(filepath.Join(folder, t.Analysis+".json"))
	if err != nil {
		return err
	}
	set, err := t.Settle()
	if err != nil {
		return err
	}
	d := &done{Form: recordForm, Program: program(), Seconds: result.Elapsed, Warnings: len(result.Warnings)}
	if d.Options, err = optionsOf(set.Set); err != nil {
		return err
	}
	watch, err := watchOf(set)
	if err != nil {
		return err
	}
	if d.Inputs, err = watch.inputs(result.Inputs); err != nil {
		return err
	}
	if d.Outputs, err = outputsOf(folder); err != nil {
		return err
	}
	if err := lock.Check(); err != nil {
		return err
	}
	return d.write(folder)
}
