// This file is for running a binary: flags in, exit code out.

package cli

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"repscope/internal/kernel"
	"repscope/report"
)

// Command is one binary.
type Command struct {
	Name    string // of the binary, the analysis and the result file: "smoothness"
	Summary string // one line, lower case, no full stop
	Manual  string // what it computes and how to read it, printed by --help
	Out     string // default of --out

	// Frames says that the frames are needed even when all models are given as
	// latents. Encoders need them always.
	Frames bool
	// Encoders says that latents computed elsewhere cannot serve, because the
	// analysis encodes inputs of its own.
	Encoders bool
	// Successors admits the state that follows the last valid window of an
	// episode, so that every valid window is the first of a pair.
	Successors bool

	// Unpooled admits --pool none, and Layers several values of --layer: for a
	// command that takes outputs of any shape and number.
	Unpooled, Layers bool
	// Interrupted says what an interrupted run leaves behind; by default nothing.
	Interrupted string

	// Omit names shared flags that mean nothing to this command.
	Omit []string
	// Defaults replaces defaults of shared flags, by name.
	Defaults map[string]string

	// Setup adds the analysis's own flags and returns the function that runs it.
	// It may be nil in a Command that is only used for its name.
	Setup func(*Flags) func(context.Context, *Env) error
}

// Main runs a command with the program's arguments and ends the program.
// An interrupt, a termination signal or a hang-up cancels the run; a second one
// ends it at once.
func Main(c Command) {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	context.AfterFunc(ctx, stop)
	// A reader that goes away (… | head) is a write error, not a silent death
	// that leaves temporary files.
	signal.Ignore(syscall.SIGPIPE)
	os.Exit(Run(ctx, c, os.Args[1:], os.Stdout, os.Stderr))
}

// grace is how long a cancelled run may take to come back by itself.
const grace = 700 * time.Millisecond

// Run runs a command with the given arguments and returns the exit code. When
// ctx ends it returns within a second, and no file of the run remains.
func Run(ctx context.Context, c Command, args []string, stdout, stderr io.Writer) int {
	err := run(ctx, &c, args, stdout, stderr)
	if err != nil {
		var text strings.Builder
		for line := range strings.SplitSeq(strings.TrimSpace(err.Error()), "\n") {
			fmt.Fprintf(&text, "%s: %s\n", c.Name, line)
		}
		for _, hint := range hintsOf(err) {
			fmt.Fprintf(&text, "%s: hint: %s\n", c.Name, hint)
		}
		fmt.Fprint(stderr, text.String())
	}
	return exitCode(err)
}

// errInterrupted is what a cancelled run reports.
var errInterrupted = errors.New("interrupted; no file was written")

func run(ctx context.Context, c *Command, args []string, stdout, stderr io.Writer) error {
	flags := newFlags(c.Name)
	options := &Options{}
	options.register(flags, c)
	analyse := c.Setup(flags)
	if err := parse(flags, args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return ignorePipe(help(stdout, c, flags))
		}
		return Hint(err, "run "+c.Name+" --help for all flags")
	}
	if options.version {
		_, err := io.WriteString(stdout, versionLine(c))
		return ignorePipe(err)
	}
	if options.config != "" {
		if err := applyConfig(flags, options.config); err != nil {
			return err
		}
	}
	if options.Threads > 0 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(options.Threads))
	}
	if _, err := kernel.Selected(); err != nil {
		return err
	}
	if flags.instead != nil {
		if done, err := flags.instead(ctx, options, stdout); done || err != nil {
			return ignorePipe(err)
		}
	}
	if err := options.check(c); err != nil {
		return err
	}

	start := time.Now()
	env := &Env{
		Command:  c,
		Options:  *options,
		Result:   report.NewResult(c.Name),
		console:  &bytes.Buffer{},
		stderr:   stderr,
		progress: newProgress(stderr, options.Quiet),
	}
	env.Result.Seed = options.Seed
	env.Result.Device, env.Result.Precision = "cpu", "fp32" // until a GPU is in use
	env.Result.Kernel = report.Kernel{Name: kernel.Name(), KC: kernel.KC}
	env.Result.Options = flags.recorded()
	if ctx.Err() != nil {
		return errInterrupted
	}
	files, err := report.Begin(options.Out)
	if err != nil {
		return Hint(err, "choose another folder with --out")
	}
	env.Files = files
	defer files.Abort()

	done := make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- Hint(fmt.Errorf("internal error: %v\n%s", p, debug.Stack()), "this is a bug in repscope; please report it with the lines above")
			}
		}()
		done <- env.work(ctx, analyse)
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
	env.progress.close()
	if err != nil {
		switch {
		case ctx.Err() == nil:
			return err
		case c.Interrupted != "":
			return errors.New(c.Interrupted)
		}
		return errInterrupted
	}
	env.Result.Elapsed = time.Since(start).Seconds()
	return env.finish(stdout)
}

// finish writes the result file, gives all files their names and prints.
func (e *Env) finish(stdout io.Writer) error {
	var result bytes.Buffer
	if err := e.Result.Write(&result); err != nil {
		return err
	}
	name := e.Command.Name + ".json"
	err := e.Files.File(name, func(w io.Writer) error {
		_, err := w.Write(result.Bytes())
		return err
	})
	if err != nil {
		return err
	}
	names := e.Files.Names()
	if err := e.Files.Commit(); err != nil {
		return err
	}
	if e.afterCommit != nil {
		if err := e.afterCommit(); err != nil {
			return err
		}
	}
	switch {
	case e.Options.JSON:
		_, err = stdout.Write(result.Bytes())
	case !e.Options.Quiet:
		_, err = stdout.Write(e.console.Bytes())
	}
	if ignorePipe(err) != nil {
		return fmt.Errorf("the files are written, but not standard output: %w", err)
	}
	if !e.Options.Quiet {
		e.message("wrote %s: %s", e.Files.Dir(), strings.Join(names, ", "))
	}
	return nil
}

// ignorePipe forgives a reader of standard output that has seen enough.
func ignorePipe(err error) error {
	if errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

// parse reads the command line.
func parse(flags *Flags, args []string) error {
	err := flags.Parse(args)
	switch {
	case err == nil:
	case errors.Is(err, flag.ErrHelp):
		return err
	default:
		// The flag package has no error types; this prefix is its documented wording.
		if name, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: -"); ok {
			return Hint(Usage("unknown flag --%s", name), didYouMean("--", name, flags.names()))
		}
		return splitHint(Usage("%s", strings.Replace(err.Error(), "for flag -", "for flag --", 1)))
	}
	if flags.NArg() > 0 {
		hint := ""
		if _, err := os.Stat(flags.Arg(0)); err == nil {
			hint = "files are given with --frames FILE, --model NAME=FILE or --latents NAME=FILE"
		}
		return Hint(Usage("unexpected argument %q", flags.Arg(0)), hint)
	}
	return nil
}

// splitHint makes a hint of the second line of an error's text, where values of
// flags put theirs: package flag keeps nothing but the text.
func splitHint(err error) error {
	first, rest, ok := strings.Cut(err.Error(), "\n")
	if !ok {
		return err
	}
	return Hint(Usage("%s", first), strings.Split(rest, "\n")...)
}

// pathError takes the name of the system call out of a path error.
func pathError(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return fmt.Errorf("%s: %w", p.Path, p.Err)
	}
	return err
}
