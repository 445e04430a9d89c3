// scale finish: what the tasks of a divided work make together.

package scale

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"repscope/internal/folderlock"
	"repscope/internal/run"
)

const finishManual = `scale finish combines the shards of divided work when all tasks are complete: each analysis
as "scale merge" does, and for a suite also the summary of evaluate. It is the last job of
"scale slurm" and "scale k8s".`

// newFinish is the command.
func newFinish(analyses []run.Command, studies Studies) run.Command {
	return run.Command{
		Name:      "finish",
		Summary:   "combines the shards of completed work into results",
		Manual:    finishManual,
		Out:       placeholder,
		Arguments: "DIR",
		Omit:      []string{"seed", "bootstrap", "format", "width", "config", "json", "out"},
		Setup: func(flags *run.Flags) run.Job {
			flags.Usage("DIR")
			return run.Job{Check: func(o *run.Options) error {
				if len(o.Args) != 1 {
					return run.Usage("%d folders: want one", len(o.Args))
				}
				return nil
			}, Direct: func(ctx context.Context, o *run.Options, _, stderr io.Writer) error {
				job, err := readJob(o.Args[0])
				if err != nil {
					return err
				}
				w := worker{job: job, analyses: analyses, studies: studies, threads: o.Threads, memory: o.Memory, quiet: o.Quiet, stderr: stderr}
				return w.finish(ctx)
			}}
		},
	}
}

// finish puts everything together.
func (w *worker) finish(ctx context.Context) error {
	if err := w.enter(); err != nil {
		return err
	}
	lock, err := folderlock.Take(ctx, w.job.root, "scale", true)
	if err != nil {
		return err
	}
	defer lock.Release()
	all, err := w.job.standings(ctx)
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(all, func(s standing) bool { return s.state != complete }); i >= 0 {
		n := len(all) - count(all)[complete]
		return run.Hint(fmt.Errorf("%d of %d tasks are not complete; task %d (%s) is %s: %s", n, len(all), i, w.job.tasks[i].Name(), all[i].state, all[i].detail),
			w.job.next(all))
	}
	for _, p := range w.job.unfinished() {
		if err := w.merge(ctx, p); err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		w.say("%s: combined from %d shards", p.Name, p.Shards)
	}
	if err := lock.Check(); err != nil || w.job.Suite == "" {
		return err
	}
	return w.summary(ctx)
}

// merge puts the shards of a piece together.
func (w *worker) merge(ctx context.Context, p *Piece) error {
	task := run.Task{Command: newMerge(w.analyses), Args: append([]string{"--quiet", "--out", w.job.folder(p)}, w.job.shards(p)...)}
	if w.memory > 0 {
		task.Args = append(task.Args, "--memory", fmt.Sprint(w.memory))
	}
	if err := task.Run(ctx, io.Discard, w.stderr); err != nil {
		return err
	}
	return writeJSON(filepath.Join(w.job.folder(p), shardsName, mergedFile), map[string]string{"job": w.job.digest})
}

// summary writes the summary of a suite.
func (w *worker) summary(ctx context.Context) error {
	var names []string
	for i := range w.job.Pieces {
		names = append(names, w.job.Pieces[i].Name)
	}
	if w.studies.Enter == nil {
		return errors.New("this program does not support suites")
	}
	if err := w.studies.Enter(ctx, w.job.Suite, w.job.root, names); err != nil {
		return err
	}
	task := run.Task{Command: w.studies.Command, Args: []string{w.job.Suite, "--quiet", "--out", w.job.root}}
	return task.Run(ctx, io.Discard, w.stderr)
}
