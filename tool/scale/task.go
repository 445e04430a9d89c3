// scale task: runs one task of divided work, by its number.

package scale

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"repscope/internal/folderlock"
	"repscope/internal/option"
	"repscope/internal/regular"
	"repscope/internal/run"
	"repscope/report"
	"repscope/shard"
)

const taskManual = `scale task runs one task of work divided by "scale slurm" or "scale k8s", which call it. Call
it by hand to try one task, or to run all tasks on a machine without a scheduler:

  scale task DIR --index 3

The number comes from --index, or from SLURM_ARRAY_TASK_ID or JOB_COMPLETION_INDEX plus
--offset. A complete task is not run again, and two processes never run the same task at the
same time. Exit status: 2 for wrong usage, which a retry does not fix; 1 for other failures.`

// lockName is the name of the lock in a task's folder.
const lockName = "task"

// indexVariables are those in which schedulers say the number of a task.
var indexVariables = []string{"SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"}

// taskSettings are the values of the command's own flags.
type taskSettings struct{ index, offset int }

// Declare lists the options.
func (s *taskSettings) Declare(l *option.List) {
	l.Int(&s.index, "index", "`N` of the task; default: of "+strings.Join(indexVariables, " or ")).Free()
	l.Int(&s.offset, "offset", "`N` to add to the index of a scheduler").Free()
}

// newTask is the command.
func newTask(analyses []run.Command, studies Studies) run.Command {
	return run.Command{
		Name:      "task",
		Summary:   "runs one task of divided work",
		Manual:    taskManual,
		Out:       placeholder,
		Arguments: "DIR",
		Omit:      []string{"seed", "bootstrap", "format", "width", "config", "json", "out"},
		Setup: func(flags *run.Flags) run.Job {
			flags.Usage("DIR [--index N]")
			s := &taskSettings{index: -1}
			flags.Declare(option.Of(s))
			return run.Job{Check: func(o *run.Options) error {
				if len(o.Args) != 1 {
					return run.Usage("%d folders: want one", len(o.Args))
				}
				if s.index >= 0 {
					return nil
				}
				for _, name := range indexVariables {
					if n, err := strconv.Atoi(os.Getenv(name)); err == nil && n+s.offset >= 0 {
						s.index = n + s.offset
						return nil
					}
				}
				return run.Usage("no task: want --index N; %s are not set", strings.Join(indexVariables, " and "))
			}, Direct: func(ctx context.Context, o *run.Options, _, stderr io.Writer) error {
				job, err := readJob(o.Args[0])
				if err != nil {
					return err
				}
				if s.index >= len(job.tasks) {
					return run.Usage("--index %d: there are %d tasks, from 0", s.index, len(job.tasks))
				}
				w := worker{job: job, analyses: analyses, studies: studies, threads: o.Threads, memory: o.Memory, quiet: o.Quiet, stderr: stderr}
				return w.do(ctx, &job.tasks[s.index])
			}}
		},
	}
}

// worker does tasks.
type worker struct {
	job      *Job
	analyses []run.Command
	studies  Studies
	threads  int
	memory   int64
	quiet    bool
	stderr   io.Writer
}

func (w *worker) say(format string, args ...any) {
	if !w.quiet {
		_, _ = fmt.Fprintf(w.stderr, "scale task: "+format+"\n", args...)
	}
}

// do does a task unless it is complete, and leaves a record.
func (w *worker) do(ctx context.Context, t *task) error {
	if err := w.enter(); err != nil {
		return err
	}
	folder := w.job.own(t)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return regular.PathError(err)
	}
	lock, err := folderlock.Take(ctx, folder, lockName, true)
	if err != nil {
		return err
	}
	defer lock.Release()
	if r := w.job.recordOf(t); r != nil && r.Done && w.job.whole(t) == nil {
		w.say("%s is complete", t.Name())
		return nil
	}
	if err := run.Remove(filepath.Join(folder, recordFile)); err != nil {
		return err
	}
	begin := time.Now()
	host, _ := os.Hostname()
	r := record{Job: w.job.digest, Host: host}
	err = w.run(ctx, t)
	if err == nil {
		err = w.job.whole(t)
	}
	if lost := lock.Check(); lost != nil {
		return lost // the other process writes the record
	}
	r.Seconds = time.Since(begin).Seconds()
	r.Done = err == nil
	if err != nil {
		var lines []string
		r.Code, lines = run.Exit(err)
		r.Message = strings.Join(lines, "\n")
	}
	if failed := writeJSON(filepath.Join(folder, recordFile), &r); failed != nil && err == nil {
		err = failed
	}
	if err == nil {
		w.say("%s: done in %.1f s", t.Name(), r.Seconds)
	}
	return err
}

// enter goes to the folder from which the paths of the job count.
func (w *worker) enter() error {
	now, err := os.Getwd()
	if err != nil {
		return err
	}
	if w.job.root, err = filepath.Abs(w.job.root); err != nil || now == w.job.Dir {
		return err
	}
	if err := os.Chdir(w.job.Dir); err != nil {
		return run.Hint(fmt.Errorf("the working folder of the job: %w", regular.PathError(err)),
			"it must exist under the same name on all machines")
	}
	return nil
}

// run runs the analysis.
func (w *worker) run(ctx context.Context, t *task) error {
	p := t.piece
	command, err := w.taskOf(ctx, p)
	if err != nil {
		return err
	}
	memory := p.Working
	if w.memory > 0 {
		memory = w.memory
	}
	command.Args = append(command.Args, "--quiet", "--out", filepath.Dir(w.job.output(t)))
	if memory > 0 {
		command.Args = append(command.Args, "--memory", strconv.FormatInt(memory, 10))
	}
	if w.threads > 0 {
		command.Args = append(command.Args, "--threads", strconv.Itoa(w.threads))
	}
	if p.Shards > 1 {
		command.Args = append(command.Args, "--shard", fmt.Sprintf("%d/%d", t.shard, p.Shards))
	}
	return command.Run(ctx, io.Discard, w.stderr)
}

// taskOf is the run of a piece, without what scale sets.
func (w *worker) taskOf(ctx context.Context, p *Piece) (run.Task, error) {
	if w.job.Suite == "" {
		c, ok := command(w.analyses, p.Analysis)
		if !ok {
			return run.Task{}, fmt.Errorf("%s: this version has no analysis %q", manifestName, p.Analysis)
		}
		return run.Task{Command: c, Args: append([]string{}, p.Args...)}, nil
	}
	sum, err := fileSum(w.job.Suite)
	if err != nil {
		return run.Task{}, err
	}
	if sum != w.job.SHA256 {
		return run.Task{}, run.Hint(run.Usage("suite %s has changed since the work was divided", w.job.Suite),
			"divide it again")
	}
	tasks, _, err := w.studies.Read(ctx, w.job.Suite)
	if err != nil {
		return run.Task{}, err
	}
	for _, t := range tasks {
		if t.Dataset+"/"+t.Analysis == p.Name {
			return t.Task, nil
		}
	}
	return run.Task{}, fmt.Errorf("suite %s has no task %s", w.job.Suite, p.Name)
}

// whole returns the error of the file that a task leaves.
func (j *Job) whole(t *task) error {
	path := j.output(t)
	if t.piece.Shards == 1 {
		_, err := report.Read(path)
		return err
	}
	state, err := shard.Open(path)
	if err != nil {
		return regular.PathError(err)
	}
	if state.Identity.Analysis != t.piece.Analysis {
		return fmt.Errorf("%s: a shard of %s, want a shard of %s", path, state.Identity.Analysis, t.piece.Analysis)
	}
	return nil
}
