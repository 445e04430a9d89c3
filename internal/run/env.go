// What a command is given to work with.

package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"

	"repscope/internal/escape"
	"repscope/internal/kernel"
	"repscope/internal/parallel"
	"repscope/internal/regular"
	"repscope/report"
	"repscope/shard"
)

// Env is what a command works with: the values of the shared flags, the result to
// fill, the files to write, and the console.
type Env struct {
	Command *Command
	Options Options

	// Result has everything but inputs and numbers filled in; put each model's part
	// under its name in Result.Models.
	Result *report.Result
	// Files takes CSV files and anything else to be written. The result file is
	// added, and all are renamed, after the work.
	Files *report.Transaction
	// Plan is what [Job.Plan] fills; nil in a run.
	Plan *Plan

	verify      func([]report.Input) error // see Task.Verify
	guard       *guard
	job         *shard.Job // how work is carried out, if not as a whole
	afterCommit []func() error
	instead     string // see InPlaceOfResult
	asItWas     string // see LeaveAsItWas
	ends        []func()
	closers     []io.Closer
	besides     []func(context.Context) error
	unmeasured  []report.Unmeasured // see LeaveOut
	told        int                 // of them on the console
	stop        context.CancelCauseFunc
	console     *bytes.Buffer
	columns     int // of the console, for tables; 0: any
	stderr      io.Writer
	progress    *progress
}

func newEnv(c *Command, o *Options, flags *Flags, stderr io.Writer) *Env {
	e := &Env{
		Command:  c,
		Options:  *o,
		Result:   report.NewResult(c.Name),
		console:  &bytes.Buffer{},
		stderr:   stderr,
		progress: newProgress(stderr, o.Quiet),
	}
	e.Result.Seed = o.Seed
	e.Result.Device, e.Result.Precision = "cpu", "fp32" // until a GPU is in use
	e.Result.Kernel = report.Kernel{Name: kernel.Name(), KC: kernel.KC}
	e.Result.Options = flags.recorded()
	if e.Result.Definition = c.Definition; c.Metrics != nil && !c.Describes {
		e.Result.Describe(c.Metrics()...)
	}
	return e
}

// work runs a job, waits for background work, and closes what it opened.
func (e *Env) work(ctx context.Context, do func(context.Context, *Env) error) error {
	defer e.closeAll()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	e.stop = stop
	err := do(ctx, e)
	switch {
	case errors.Is(err, context.Canceled):
		return context.Cause(ctx)
	case err != nil && !errors.Is(err, shard.ErrComputed) && !errors.Is(err, shard.ErrForeign):
		return err
	}
	for _, wait := range e.besides {
		if err := wait(ctx); err != nil {
			return err
		}
	}
	for _, c := range e.closers { // the values are of one file, and so is the digest that stands in the result
		if input, ok := c.(interface{ Unchanged() error }); ok {
			if err := input.Unchanged(); err != nil {
				return Hint(err, "run it again when nothing writes to the file")
			}
		}
	}
	if errors.Is(err, shard.ErrComputed) {
		return nil
	}
	return err
}

// Beside does work concurrently with the run, which waits for it; its error ends the run at once. done, called after
// run and work have succeeded, may enter results of the work.
func (e *Env) Beside(work func() error, done func()) {
	finished := make(chan error, 1)
	go func() {
		err := work()
		if err != nil {
			e.stop(err)
		}
		finished <- err
	}()
	e.besides = append(e.besides, func(ctx context.Context) error {
		select {
		case err := <-finished:
			if err == nil {
				done()
			}
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	})
}

// CloseLater closes something when the run ends, the last one first. Errors of
// closing are ignored: c was only read.
func (e *Env) CloseLater(c io.Closer) { e.closers = append(e.closers, c) }

func (e *Env) closeAll() {
	for _, c := range slices.Backward(e.closers) {
		_ = c.Close()
	}
}

// Warn adds a warning to the result and prints it, once.
func (e *Env) Warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if slices.Contains(e.Result.Warnings, text) {
		return
	}
	e.Result.Warn(text)
	e.Message("warning: %s", shortened(text))
}

// Note prints a line on stderr, unless --quiet is set.
func (e *Env) Note(format string, args ...any) {
	if !e.Options.Quiet {
		e.Message(format, args...)
	}
}

// Message prints a line on stderr, also with --quiet.
func (e *Env) Message(format string, args ...any) {
	e.progress.message(e.stderr, e.Command.Name+": "+escape.Sprintf(format, args...)+"\n")
}

// Progress starts a piece of work, such as "distances", and returns the function
// that reports how much of it is done; it may be called from any goroutine.
func (e *Env) Progress(label string) func(done, total int) {
	return e.progress.task(label)
}

// ProgressOf is Progress for work that is counted in the given unit, such as
// "frames", which the bar then names.
func (e *Env) ProgressOf(label, unit string) func(done, total int) {
	return e.progress.taskOf(label, " "+unit)
}

// AfterCommit adds a function that is called when all files of the run have
// their names, in the order in which they were added. Their errors fail the run, after
// everything is printed.
func (e *Env) AfterCommit(do func() error) { e.afterCommit = append(e.afterCommit, do) }

// Remove removes a file, such as the output of work that was not done, if it exists.
func Remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return regular.PathError(err)
	}
	return nil
}

// AtEnd adds a function that is called when all is over, whatever became of it: files have their names then, or never
// will.
func (e *Env) AtEnd(do func()) { e.ends = append(e.ends, do) }

func (e *Env) end() {
	for _, do := range slices.Backward(e.ends) {
		do()
	}
}

// LeaveAsItWas says that the files of an earlier run are what this one would write: none is written. See
// [Env.AsBefore].
func (e *Env) LeaveAsItWas(why string) { e.asItWas = why }

// InPlaceOfResult says that the run made a file that was asked for by its name instead of a
// result: the files of the run are written without one.
func (e *Env) InPlaceOfResult(path string) { e.instead = path }

// Print writes text to the console, where it appears after the files are
// written, unless --json or --quiet is set.
func (e *Env) Print(format string, args ...any) {
	e.console.WriteString(escape.Sprintf(format, args...))
}

// Detail is Print for the console of --verbose and of --dry-run; other runs print nothing.
func (e *Env) Detail(format string, args ...any) {
	if e.Options.Verbose || e.Plan != nil {
		e.Print(format, args...)
	}
}

// Details is Table for the console of --verbose; other runs print nothing.
func (e *Env) Details(t *report.Table) error {
	if !e.Options.Verbose {
		return nil
	}
	return e.Table(t)
}

// Table writes a table and an empty line to the console; see Print. It is as wide as
// the terminal at most, where there is one.
func (e *Env) Table(t *report.Table) error {
	if err := t.WriteWidth(e.console, e.columns); err != nil {
		return err
	}
	e.console.WriteByte('\n')
	return nil
}

// Figure writes a figure in every format of --format as name.png and so on.
// *plots.Figure is one; its warnings go to the result.
func (e *Env) Figure(name string, figure Figure) error {
	return e.Figures(context.Background(), []Drawing{{name, func() (Figure, error) { return figure, nil }}})
}

// Figure is a figure that can be written in every format of --formats.
type Figure interface {
	Render(w io.Writer, format string) error
}

// Drawing makes a figure of a name; Draw returns nil where there is nothing to show. It
// may be called concurrently with others, and is not called with --format none.
type Drawing struct {
	Name string
	Draw func() (Figure, error)
}

// Figures draws figures concurrently, holds eight for each processor, and writes
// them in their order, as [Env.Figure] writes one.
func (e *Env) Figures(ctx context.Context, drawings []Drawing) error {
	formats := e.Options.figures()
	if len(formats) == 0 {
		return nil
	}
	for some := range slices.Chunk(drawings, 8*runtime.GOMAXPROCS(0)) {
		figures := make([]drawn, len(some))
		if err := parallel.Try(ctx, 0, len(some), func(_, i int) (err error) {
			figures[i], err = some[i].render(formats, &e.Options, e.unmeasured)
			return err
		}); err != nil {
			return err
		}
		for i, d := range figures {
			if err := e.writeFigure(some[i].Name, d); err != nil {
				return err
			}
		}
	}
	return nil
}

// drawn is a figure in every format.
type drawn struct {
	warnings []string
	files    [][]byte // by format; empty: there is nothing to show
}

// Fit gives a figure the width of --width.
func (o *Options) Fit(figure Figure) error {
	if f, ok := figure.(interface{ Fit(widthMM float64) error }); ok && o.WidthMM > 0 {
		return f.Fit(o.WidthMM)
	}
	return nil
}

// render draws a figure, which names the models that were not measured.
func (d Drawing) render(formats []string, o *Options, unmeasured []report.Unmeasured) (out drawn, err error) {
	figure, err := d.Draw()
	if err != nil || figure == nil {
		return out, err
	}
	if f, ok := figure.(interface{ Lack(name, reason string) }); ok {
		for _, u := range unmeasured {
			f.Lack(u.Name, u.Reason)
		}
	}
	if err := o.Fit(figure); err != nil {
		return d.failed(err)
	}
	if f, ok := figure.(interface{ Warnings() ([]string, error) }); ok {
		if out.warnings, err = f.Warnings(); err != nil {
			return d.failed(err)
		}
	}
	for _, format := range formats {
		var file bytes.Buffer
		if err := figure.Render(&file, format); err != nil {
			return d.failed(err)
		}
		out.files = append(out.files, file.Bytes())
	}
	return out, nil
}

// failed is what comes of a figure that cannot be drawn. The computed numbers are kept even if they do not fit.
func (d Drawing) failed(err error) (drawn, error) {
	if full, ok := errors.AsType[interface {
		error
		NoRoom()
	}](err); ok {
		return drawn{warnings: []string{"not drawn: " + full.Error()}}, nil
	}
	return drawn{}, fmt.Errorf("figure %s: %w", d.Name, err)
}

func (e *Env) writeFigure(name string, d drawn) error {
	for _, w := range d.warnings {
		if !e.warnedOfFigure(w) {
			e.Warn("figure %s: %s", name, w)
		}
	}
	for i, file := range d.files {
		if err := e.Files.File(name+"."+e.Options.figures()[i], func(w io.Writer) error {
			_, err := w.Write(file)
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// warnedOfFigure reports whether an earlier figure had the same warning.
func (e *Env) warnedOfFigure(warning string) bool {
	return slices.ContainsFunc(e.Result.Warnings, func(given string) bool {
		figure, text, ok := strings.Cut(given, ": ")
		return ok && strings.HasPrefix(figure, "figure ") && text == warning && !strings.HasPrefix(strings.ToLower(text), "panel")
	})
}
