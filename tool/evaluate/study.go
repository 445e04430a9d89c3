// The run of a study: task after task, each written when it is complete.

package evaluate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"repscope/internal/folderlock"
	"repscope/internal/gunzip"
	"repscope/internal/memory"
	"repscope/internal/parallel"
	"repscope/internal/run"
	"repscope/internal/share"
	"repscope/internal/text"
	"repscope/report"
	"repscope/shard"
	"repscope/tool/evaluate/page"
)

// study is a suite on its way.
type study struct {
	folder   string
	tasks    []*planned
	omitted  []string // names of tasks that --only and --skip leave out
	failFast bool
	resume   bool
	jobs     int
	say      func(format string, args ...any) // not with --quiet
	fail     func(format string, args ...any)
	progress func(done, total int) // of the tasks that run
	lock     *folderlock.Lock
}

// planned is a task with its earlier result and its plan.
type planned struct {
	*Task
	settled  *run.Settled
	options  map[string]string
	state    string   // what became of it
	reasons  []string // why it is to be done again
	before   *done    // the earlier result, if any
	seconds  float64
	warnings int
	result   *report.Result // of a task that was run
	err      error
}

// The states of tasks.
const (
	unchanged = "unchanged" // done before
	pending   = "pending"
	finished  = "done"
	failed    = "failed"
	stopped   = "not begun" // after a failure, or an interrupt
)

// plan checks the options of every task before the first begins, and finds tasks that are done already.
func (s *study) plan() error {
	var all error
	for _, p := range s.tasks {
		var err error
		if p.settled, err = p.Settle(); err != nil {
			all = errors.Join(all, fmt.Errorf("%s: %w", p.Name(), err))
			continue
		}
		if p.options, err = optionsOf(p.settled.Set); err != nil {
			return err
		}
		if err := s.find(p, false); err != nil {
			return err
		}
	}
	return all
}

// find finds out whether a task is done already. What had to be read for that is written down if keep is true, for
// which the folder must be locked.
func (s *study) find(p *planned, keep bool) error {
	folder := s.folderOf(p)
	p.state, p.reasons, p.before = pending, nil, readDone(folder)
	switch {
	case p.before == nil:
		p.reasons = []string{"not done before"}
		return nil
	case !s.resume:
		p.reasons = []string{"--resume=false"}
		return nil
	}
	var touched bool
	p.reasons, touched = p.before.changes(folder, program(), p.options)
	if len(p.reasons) > 0 {
		return nil
	}
	p.state, p.seconds, p.warnings = unchanged, p.before.Seconds, p.before.Warnings
	if touched && keep {
		return p.before.write(folder)
	}
	return nil
}

// again finds tasks that are done once the folder is locked: another process may have done some meanwhile.
func (s *study) again() error {
	for _, p := range s.tasks {
		if err := s.find(p, true); err != nil {
			return err
		}
	}
	return nil
}

// folderOf is where a task's result is written.
func (s *study) folderOf(p *planned) string {
	return filepath.Join(s.folder, filepath.FromSlash(p.Name()))
}

// run does the tasks that are pending.
func (s *study) run(ctx context.Context) error {
	if !share.In(ctx) {
		ctx = share.With(ctx, share.NewStore(0))
	}
	memory := &shard.Memory{Dir: filepath.Join(s.folder, memoryName), Program: program()}
	ctx = memory.In(ctx)
	defer memory.Trim()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-s.lock.Lost():
			cancel(s.lock.Check())
		case <-ctx.Done():
		}
	}()
	next, order := make(chan *planned), s.order()
	var wait sync.WaitGroup
	var ended atomic.Int64
	for range max(s.jobs, 1) {
		wait.Go(func() {
			for p := range next {
				s.do(ctx, p)
				s.progress(int(ended.Add(1)), len(order))
				if p.err != nil && s.failFast {
					cancel(errFailFast)
				}
			}
		})
	}
	for _, p := range order {
		if ctx.Err() == nil {
			select {
			case next <- p:
				continue
			case <-ctx.Done():
			}
		}
		p.state = stopped
	}
	close(next)
	wait.Wait()
	if err := memory.Foreign(); err != nil {
		s.fail("warning: %v", err)
	}
	if err := context.Cause(ctx); err != nil && !errors.Is(err, errFailFast) {
		return err
	}
	return s.lock.Check()
}

// order is the tasks to be done in the order in which they begin: as they stand in the suite, but for several at a
// time those first that took longest the last time, so that none is left to the end alone.
func (s *study) order() []*planned {
	var list []*planned
	for _, p := range s.tasks {
		if p.state != unchanged {
			list = append(list, p)
		}
	}
	if s.jobs > 1 {
		slices.SortStableFunc(list, func(a, b *planned) int { return cmp.Compare(b.took(), a.took()) })
	}
	return list
}

// took is how long a task took the last time, or usually takes compared with others.
func (p *planned) took() float64 {
	if p.before != nil {
		return p.before.Seconds
	}
	return usual[p.Analysis]
}

// usual are about the seconds that the analyses take on the built-in example, two at a time on two cores.
var usual = map[string]float64{
	"reward": 20, "surprise": 20, "generation": 12, "sequence": 10, "reconstruction": 10, "forecast": 6.5, "geometry": 6,
	"similarity": 6, "canvas": 4.5,
	"audit": 4, "robustness": 4,
	"neighborhood": 3, "smoothness": 0.7, "manifold": 0.7,
}

var errFailFast = errors.New("a task failed")

// do runs one task and enters it into the record. If one of its files changes meanwhile, nothing is written, and it
// is run once more.
func (s *study) do(ctx context.Context, p *planned) {
	defer parallel.Beside()()
	begin := time.Now()
	err := s.once(ctx, p)
	if errors.Is(err, errChanged) && ctx.Err() == nil {
		s.say("%s: again: %v", p.Name(), err)
		if err = s.once(ctx, p); errors.Is(err, errChanged) {
			err = run.Hint(err, "nothing was written; the same command runs it when the file is complete")
		}
	}
	p.seconds = time.Since(begin).Seconds()
	switch {
	case ctx.Err() != nil && err != nil:
		p.state = stopped
	case err != nil:
		p.state, p.err = failed, err
		_, lines := run.Exit(err)
		s.fail("%s: failed: %s", p.Name(), strings.Join(lines, "\n  "))
	default:
		p.state = finished
		extra := ""
		if p.warnings > 0 {
			extra = ", " + text.Count(p.warnings, "warning")
		}
		for _, l := range lacking(p.result) {
			s.fail("%s: not measured: %s", p.Name(), l)
		}
		s.say("%s: done in %.1f s%s", p.Name(), p.seconds, extra)
	}
}

// once runs a task; what it reads must be the same before and after.
func (s *study) once(ctx context.Context, p *planned) error {
	begin := time.Now()
	out := s.folderOf(p)
	if err := sweep(out); err != nil { // the record stays until there is another: it says by digests which files it is of
		return err
	}
	watch, err := watchOf(p.settled)
	if err != nil {
		return err
	}
	d := &done{Form: recordForm, Program: program(), Options: p.options}
	task := p.Task.Task
	task.Args = append(slices.Clone(task.Args), "--out", out, "--quiet")
	if part := s.memoryOf(p); part > 0 {
		task.Args = append(task.Args, "--memory", fmt.Sprint(part))
	}
	task.Verify = func(inputs []report.Input) error {
		var err error
		if d.Inputs, err = watch.inputs(inputs); err != nil {
			return err
		}
		return s.lock.Check() // a process that was asleep for long writes nothing
	}
	if err := task.Run(ctx, io.Discard, io.Discard); err != nil {
		return err
	}
	result, err := report.Read(filepath.Join(out, p.Analysis+".json"))
	if err != nil {
		return err
	}
	p.result, p.warnings = result, len(result.Warnings)
	d.Seconds, d.Warnings = time.Since(begin).Seconds(), p.warnings
	if d.Outputs, err = outputsOf(out); err != nil {
		return err
	}
	p.before = d
	return d.write(out)
}

// lacking are the models of a result that were not measured, and why.
func lacking(r *report.Result) (list []string) {
	for _, name := range r.Models.Keys() {
		if m, err := r.Model(name); err == nil {
			if reason := page.Lacking(m); reason != "" {
				list = append(list, name+": "+reason)
			}
		}
	}
	return list
}

// memoryOf is the working memory of a task in bytes where the usual one, a quarter of the machine's, is too much for
// as many as there are at a time: all together have half. 0 leaves it at what it is.
func (s *study) memoryOf(p *planned) int64 {
	if s.jobs <= 2 || p.settled.Given("memory") || !slices.Contains(run.FlagNames(p.Task.Task.Command), "memory") {
		return 0
	}
	return memory.Available() / 2 / int64(s.jobs)
}

// sections are the results that a study has in its folder, in the order of the tasks.
func (s *study) sections() ([]page.Section, error) {
	var list []page.Section
	for _, p := range s.tasks {
		if p.state != finished && p.state != unchanged {
			continue
		}
		file, result := filepath.Join(s.folder, filepath.FromSlash(p.Name()), p.Analysis+".json"), p.result
		if result == nil {
			var err error
			if result, err = report.Read(file); err != nil {
				return nil, err
			}
		}
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			file += gunzip.Ending
		}
		list = append(list, page.Section{Dataset: p.Dataset, Analysis: p.Analysis, Folder: p.Name(), File: file,
			Result: result})
	}
	return list, nil
}

// count is the number of tasks in a state.
func (s *study) count(state string) (n int) {
	for _, p := range s.tasks {
		if p.state == state {
			n++
		}
	}
	return n
}
