// A binary from its flags to its exit code.

package run

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"repscope/internal/escape"
	"repscope/internal/kernel"
	"repscope/internal/memory"
	"repscope/internal/regular"
	"repscope/internal/supervise"
	"repscope/internal/text"
	"repscope/report"
	"repscope/report/methods"
)

// Command is one binary.
type Command struct {
	Name    string // of the binary, the analysis and the result file: "smoothness"
	Summary string // one line, lower case, no full stop
	Manual  string // what it computes and how to read it, printed by --help
	Out     string // default of --out

	// Arguments is what the command takes besides flags, for the help: "FILES…".
	// They may stand between the flags. Empty: none are taken.
	Arguments string
	// Interrupted says what an interrupted run leaves behind; by default nothing.
	Interrupted string
	// Omit names shared flags that mean nothing to this command.
	Omit []string
	// Defaults replaces defaults of shared flags, by name.
	Defaults map[string]string

	// Long says that a run does many large things one after the other: memory is kept for the next one.
	Long bool

	// Definition is the version of the meaning of the numbers, and Metrics describes the numbers of a model: both are in
	// every result file, the metrics in docs/reference/metrics.md too. With Describes a run enters those
	// that it needs.
	Definition int
	Metrics    func() []report.Described
	Describes  bool

	// Methods drafts what --methods says of a result of this command, as it is read from
	// its file. Where it is nil there is no --methods.
	Methods func(d *methods.Draft)
	// Commands of a command that is several: the first argument names one. Such a
	// command has no Setup.
	Commands []Command

	// Setup adds the command's own flags and returns what one run does with them.
	// It is called once for every run. It may be nil in a Command that is only
	// used for its name.
	Setup func(*Flags) Job
}

// Job is one run of a command.
type Job struct {
	// Instead is asked once the flags are read, before anything is checked. If it
	// returns true, it has done the work, such as printing a list, and the run ends
	// there; no file is written. It may be nil.
	Instead func(ctx context.Context, o *Options, stdout io.Writer) (done bool, err error)
	// Check finds wrong usage in the values of the command's own flags before any
	// file is opened: errors made by [Usage]. It may be nil.
	Check func(o *Options) error
	// Direct does the work of a command that writes no result of its own; there is no Run then,
	// and the folder of --out is left alone.
	Direct func(ctx context.Context, o *Options, stdout, stderr io.Writer) error
	// Files are the names of all files that Run may write into --out besides the result file, with * for
	// names that flags do not determine: "samples_*.csv"; names of figures end in .figure. No input may be one
	// of them. It may be nil.
	Files func(o *Options) []string
	// Run does the work.
	Run func(ctx context.Context, env *Env) error
	// Plan opens the inputs, checks all that Run would find wrong before it computes,
	// and fills env.Plan. Where it is nil there is no --dry-run.
	Plan func(ctx context.Context, env *Env) error
	// Divides says that Run does its work by a [shard.Work], at most one: there is --shard.
	Divides bool
}

// Main runs a command with the program's arguments and ends the program.
// An interrupt, a termination signal or a hang-up cancels the run; a second one
// ends it at once.
//
// A crash of package runtime ends the program by SIGABRT, not with the status of wrong usage. Where the address space
// is limited, or few threads are allowed, the run is a process of its own: only another process can make one line and
// the status of a failed run of such a crash.
func Main(c Command) { MainArgs(c, os.Args[1:]) }

// MainArgs is Main for a program that has several commands, with the arguments of this one.
func MainArgs(c Command, args []string) {
	supervise.CrashApart()
	if err := supervise.EnoughFiles(); err != nil {
		os.Exit(Report(os.Stderr, c.Name, err))
	}
	if c.Long {
		memory.Keep()
	}
	KeepOnPipes()
	stderr, code, done := supervise.Run(c.Name)
	if done {
		os.Exit(code)
	}
	memory.Apply()
	ctx, stop := signal.NotifyContext(context.Background(), Signals()...)
	context.AfterFunc(ctx, func() {
		if supervise.Watched() { // a signal to the group reaches this process once more by the one that watches it
			time.Sleep(twice)
		}
		stop()
	})
	if forCaller = called(); forCaller {
		ctx = untilEnd(ctx, os.Stdin)
	}
	os.Exit(Run(ctx, c, args, os.Stdout, stderr))
}

// Signals are the signals that cancel a run.
func Signals() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}

// twice is within how long a signal that comes again is the same one.
const twice = 200 * time.Millisecond

// grace is how long a cancelled run may take to come back by itself.
const grace = 700 * time.Millisecond

// Run runs a command with the given arguments and returns the exit code. When
// ctx ends it returns within a second, and no file of the run remains.
func Run(ctx context.Context, c Command, args []string, stdout, stderr io.Writer) int {
	stdout, stderr = Console(stdout), Console(stderr)
	c, args, err := c.chosen(args)
	if err == nil {
		err = run(ctx, &c, args, stdout, stderr)
	}
	return Report(stderr, c.Name, err)
}

// Report prints an error, if there is one, with its hints, each line behind the name of the
// program, and returns the exit code.
func Report(stderr io.Writer, name string, err error) (code int) {
	if err != nil {
		var text strings.Builder
		for line := range strings.SplitSeq(strings.TrimSpace(err.Error()), "\n") {
			fmt.Fprintf(&text, "%s: %s\n", name, shortened(line))
		}
		for _, hint := range hintsOf(err) {
			fmt.Fprintf(&text, "%s: hint: %s\n", name, shortened(hint))
		}
		fmt.Fprint(Console(stderr), text.String())
	}
	return exitCode(err)
}

// shortened is a line of an error as it is shown, without the middle where a name or a list of a file makes it longer
// than anybody reads.
func shortened(line string) string {
	const begin, end = 1500, 500
	line = escape.Lines(line)
	if len(line) <= begin+end+100 {
		return line
	}
	head, tail := strings.ToValidUTF8(line[:begin], ""), strings.ToValidUTF8(line[len(line)-end:], "")
	return fmt.Sprintf("%s … (%d bytes omitted) … %s", head, len(line)-len(head)-len(tail), tail)
}

// errInterrupted is what a cancelled run reports.
var errInterrupted = errors.New("interrupted; no file was written")

func run(ctx context.Context, c *Command, args []string, stdout, stderr io.Writer) error {
	return (&Task{Command: *c, Args: args}).Run(ctx, stdout, stderr)
}

// Run runs the task as [Run] does, but returns the error instead of printing it.
func (t *Task) Run(ctx context.Context, stdout, stderr io.Writer) error {
	c := &t.Command
	var flags *Flags
	var options *Options
	var job Job
	err := attended(ctx, func() (err error) {
		flags, options, job, err = settle(ctx, c, t.Args, t.Layers)
		return err
	})
	switch {
	case errors.Is(err, flag.ErrHelp):
		return help(stdout, c, flags)
	case err != nil:
		return err
	case options.version:
		return WriteVersion(stdout, c.Name, options.JSON)
	}
	if options.Threads > 0 {
		options.Threads = min(options.Threads, mostThreads())
		defer useProcessors(options.Threads)()
	}
	if _, err := kernel.Selected(); err != nil {
		return err
	}
	var guard *guard
	var done bool
	err = attended(ctx, func() (err error) {
		if options.Methods {
			if done, err = printMethods(c, flags, options, stdout); done || err != nil {
				return err
			}
		}
		if job.Instead != nil {
			if done, err = job.Instead(ctx, options, stdout); done || err != nil {
				return err
			}
		}
		if err := check(flags, job, options); err != nil {
			return err
		}
		guard, err = newGuard(t, flags, job, options)
		return err
	})
	if done || err != nil {
		return err
	}
	if ctx.Err() != nil {
		return errInterrupted
	}
	if job.Direct != nil {
		err := job.Direct(ctx, options, stdout, stderr)
		if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			return c.interrupted("interrupted") // it may have written some files
		}
		return err
	}
	start := time.Now()
	env := newEnv(c, options, flags, stderr)
	env.job = t.job(options)
	env.columns = consoleColumns(stdout, os.Getenv)
	for _, note := range options.notes {
		env.Note("note: %s", note)
	}
	files, err := report.Begin(options.Out)
	if err != nil {
		return Hint(err, "choose another folder with --out")
	}
	env.guard, env.Files = guard, files
	files.Guard, files.CompressOver = guard.over, t.CompressOver
	env.verify = t.Verify
	defer env.end()
	defer files.Abort()
	if options.DryRun {
		files.Abort() // it was tried whether the folder can be written
		env.Plan = &Plan{}
		if err := env.guarded(ctx, job.Plan); err != nil {
			return err
		}
		if err := env.checkInputs(env.planFiles()); err != nil {
			return err
		}
		return env.writePlan(stdout)
	}
	finish := func() error {
		env.Result.Elapsed = time.Since(start).Seconds()
		return env.finish(stdout)
	}
	if env.job != nil {
		err := env.divided(ctx, job, flags, finish)
		t.computed = env.job.State()
		return err
	}
	if err := env.guarded(ctx, job.Run); err != nil {
		return err
	}
	return finish()
}

// check runs the checks of everything that registered flags, then the command's own.
func check(flags *Flags, job Job, o *Options) error {
	if o.Out == "" {
		return Hint(Usage("--out is empty: want a folder for the files"), "check that the shell variable is set")
	}
	if len(o.Formats) > 1 && len(o.figures()) == 0 {
		return Usage("--format %s: none cannot be combined with other formats", strings.Join(o.Formats, ","))
	}
	if o.Quiet && o.Verbose {
		return Usage("--quiet and --verbose: they contradict each other; give one of them")
	}
	if o.JSON {
		if err := o.Together("--json", "a shard is not a result"); err != nil {
			return err
		}
	}
	for _, check := range flags.checks {
		if err := check(o); err != nil {
			return err
		}
	}
	if job.Check == nil {
		return nil
	}
	return job.Check(o)
}

// guarded does the work and comes back soon after ctx ends, whatever the work does
// then. A panic is an error.
func (e *Env) guarded(ctx context.Context, do func(context.Context, *Env) error) (err error) {
	defer e.progress.close()
	done := make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- internalError(p)
			}
		}()
		done <- e.work(ctx, do)
	}()
	select {
	case err = <-done:
	case <-ctx.Done():
		select {
		case err = <-done:
		case <-time.After(grace):
			err = ctx.Err()
		}
	}
	switch {
	case err == nil || ctx.Err() == nil:
		return err
	case e.job == nil:
		return e.Command.interrupted(errInterrupted.Error())
	}
	return errInterrupted
}

// interrupted is the error of a run of the command that was interrupted: its own, or the usual one.
func (c *Command) interrupted(usual string) error {
	return errors.New(cmp.Or(c.Interrupted, usual))
}

// internalError is the error of a panic.
func internalError(p any) error {
	return Hint(fmt.Errorf("internal error: %v\n%s", p, debug.Stack()),
		"this is a bug in repscope; please report it with the lines above")
}

// attended does what goes before a run and comes back soon after ctx ends, whatever do does then. A panic is an error.
func attended(ctx context.Context, do func() error) error {
	done := make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- internalError(p)
			}
		}()
		done <- do()
	}()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		select {
		case err = <-done:
		case <-time.After(grace):
			return errInterrupted
		}
	}
	if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return errInterrupted
	}
	return err
}

// finish writes the result file, gives all files their names and prints.
func (e *Env) finish(stdout io.Writer) error {
	if e.instead != "" {
		if err := e.Files.Commit(); err != nil {
			return err
		}
		e.Note("wrote %s", e.instead)
		return nil
	}
	if e.asItWas != "" {
		return e.leave(stdout)
	}
	var result bytes.Buffer
	if err := e.Result.Write(&result); err != nil {
		return err
	}
	files := []named{{e.Command.Name + ".json", result.Bytes()}}
	if e.Options.Methods {
		more, err := methodsFiles(e.Command, result.Bytes())
		if err != nil {
			return err
		}
		files = append(files, more...)
	}
	for i, f := range files {
		var err error
		if files[i].name, files[i].content, err = e.Files.Packed(f.name, f.content); err != nil {
			return err
		}
	}
	for _, f := range append(files[1:], e.sums(files), files[0]) {
		if err := e.Files.File(f.name, func(w io.Writer) error {
			_, err := w.Write(f.content)
			return err
		}); err != nil {
			return err
		}
	}
	if e.verify != nil {
		if err := e.verify(e.Result.Inputs); err != nil {
			return err
		}
	}
	names := e.Files.Names()
	if err := e.checkInputs(names); err != nil {
		return err
	}
	replaced := ""
	if !e.Options.Quiet {
		replaced = e.replaced()
	}
	if err := e.Files.Commit(); err != nil {
		return err
	}
	var after, err error
	for _, do := range e.afterCommit {
		after = errors.Join(after, do())
	}
	switch {
	case e.Options.JSON:
		_, err = stdout.Write(result.Bytes())
	case !e.Options.Quiet:
		_, err = stdout.Write(e.console.Bytes())
	}
	if err != nil {
		return fmt.Errorf("the files are written, but writing to standard output failed: %w", err)
	}
	if !e.Options.Quiet {
		wrote := fmt.Sprintf("%s: %s", e.Files.Dir(), strings.Join(folded(names), ", "))
		e.Message("wrote %s", strings.Join(append([]string{wrote}, e.Files.Others()...), "; "))
		if replaced != "" {
			e.Message("%s", replaced)
		}
	}
	return after
}

// sums is the file with the digests of the files of the run, and of those that are to be written.
func (e *Env) sums(more []named) named {
	sums := e.Files.Sums()
	for _, f := range more {
		digest := sha256.Sum256(f.content)
		sums = append(sums, report.Sum{Name: f.name, SHA256: hex.EncodeToString(digest[:])})
	}
	var content bytes.Buffer
	_ = report.WriteSums(&content, sums) // a buffer takes all
	return named{e.Command.Name + report.SumsEnding, content.Bytes()}
}

// leave is finish where the files are what they were.
func (e *Env) leave(stdout io.Writer) error {
	if !e.Options.Quiet {
		e.Message("%s", e.asItWas)
	}
	var after error
	for _, do := range e.afterCommit {
		after = errors.Join(after, do())
	}
	out := e.console.Bytes()
	switch {
	case e.Options.JSON:
		earlier, err := report.Read(filepath.Join(e.Options.Out, e.Command.Name+".json"))
		var result bytes.Buffer
		if err == nil {
			err = earlier.Write(&result)
		}
		if out = result.Bytes(); err != nil {
			return errors.Join(regular.PathError(err), after)
		}
	case e.Options.Quiet:
		return after
	}
	_, err := stdout.Write(out)
	return errors.Join(err, after)
}

// folded puts a folder and the number of its files in the place of their names.
func folded(names []string) []string {
	var out []string
	count, place := map[string]int{}, map[string]int{}
	for _, name := range names {
		folder, _, nested := strings.Cut(name, "/")
		if !nested {
			out = append(out, name)
			continue
		}
		if count[folder]++; count[folder] == 1 {
			place[folder] = len(out)
			out = append(out, "")
		}
		out[place[folder]] = fmt.Sprintf("%s/ (%s)", folder, text.Count(count[folder], "file"))
	}
	return out
}
