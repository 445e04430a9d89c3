// The run of a study: task after task, each written when it is complete.

package evaluate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"repscope/internal/folderlock"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/report"
	"repscope/tool/evaluate/page"
)

// study is a suite on its way.
type study struct {
	folder   string
	tasks    []*planned
	failFast bool
	jobs     int
	say      func(format string, args ...any)

	mu     sync.Mutex
	record *record
	lock   *folderlock.Lock
}

// planned is a task with what is known of it.
type planned struct {
	*Task
	digest   string
	state    string // what became of it
	seconds  float64
	warnings int
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

// plan finds what is wrong with the options of every task before the first begins, and what is done already.
func (s *study) plan() error {
	s.record = readRecord(s.folder)
	var all error
	for _, p := range s.tasks {
		set, err := p.Settle()
		if err != nil {
			all = errors.Join(all, fmt.Errorf("%s: %w", p.Name(), err))
			continue
		}
		if p.digest, err = digest(p.Task, set); err != nil {
			return err
		}
		p.state = pending
		if d, ok := s.record.Tasks[p.Name()]; ok && d.unchanged(s.folder, p.digest) {
			p.state, p.seconds = unchanged, d.Seconds
		}
	}
	return all
}

// run does the tasks that are pending.
func (s *study) run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-s.lock.Lost():
			cancel(s.lock.Check())
		case <-ctx.Done():
		}
	}()
	next := make(chan *planned)
	var wait sync.WaitGroup
	for range max(s.jobs, 1) {
		wait.Go(func() {
			for p := range next {
				s.do(ctx, p)
				if p.err != nil && s.failFast {
					cancel(errFailFast)
				}
			}
		})
	}
	for _, p := range s.tasks {
		if p.state == unchanged {
			s.say("%s: unchanged", p.Name())
			continue
		}
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
	if err := context.Cause(ctx); err != nil && !errors.Is(err, errFailFast) {
		return err
	}
	return nil
}

var errFailFast = errors.New("a task failed")

// do runs one task and enters it into the record.
func (s *study) do(ctx context.Context, p *planned) {
	begin := time.Now()
	out := filepath.Join(s.folder, filepath.FromSlash(p.Name()))
	task := p.Task.Task
	task.Args = append(task.Args, "--out", out, "--quiet")
	var messages bytes.Buffer
	err := task.Run(ctx, io.Discard, &messages)
	if err == nil {
		err = s.enter(p, out, time.Since(begin).Seconds())
	}
	p.seconds = time.Since(begin).Seconds()
	switch {
	case ctx.Err() != nil && err != nil:
		p.state = stopped
	case err != nil:
		p.state, p.err = failed, err
		_, lines := run.Exit(err)
		s.say("%s: failed: %s", p.Name(), strings.Join(lines, "\n  "))
	default:
		p.state = finished
		extra := ""
		if p.warnings > 0 {
			extra = ", " + text.Count(p.warnings, "warning")
		}
		s.say("%s: done in %.1f s%s", p.Name(), p.seconds, extra)
	}
}

// enter writes into the record that a task is done.
func (s *study) enter(p *planned, out string, seconds float64) error {
	result, err := report.Read(filepath.Join(out, p.Analysis+".json"))
	if err != nil {
		return err
	}
	p.warnings = len(result.Warnings)
	d := done{Digest: p.digest, Seconds: seconds}
	if d.Inputs, err = inputsOf(result); err != nil {
		return err
	}
	if d.Outputs, err = outputsOf(s.folder, p.Name()); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.lock.Check(); err != nil {
		return err
	}
	s.record.Tasks[p.Name()] = d
	return s.record.write(s.folder)
}

// sections are the results that a study has in its folder, in the order of the tasks.
func (s *study) sections() ([]page.Section, error) {
	var list []page.Section
	for _, p := range s.tasks {
		if p.state != finished && p.state != unchanged {
			continue
		}
		result, err := report.Read(filepath.Join(s.folder, filepath.FromSlash(p.Name()), p.Analysis+".json"))
		if err != nil {
			return nil, err
		}
		list = append(list, page.Section{Dataset: p.Dataset, Analysis: p.Analysis, Folder: p.Name(), Result: result})
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
