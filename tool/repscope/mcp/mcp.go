// Package mcp serves the analyses to agents over the Model Context Protocol on standard input and output: JSON-RPC 2.0,
// one message on each line. Clients may use the folders that the server is started with, and nothing else.
//
//	{"mcpServers": {"repscope": {"command": "repscope", "args": ["mcp", "--root", "/data/study"]}}}
package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"repscope/internal/atomicfile"
	"repscope/internal/option"
	"repscope/internal/regular"
	"repscope/internal/run"
	"repscope/internal/samefile"
)

const manual = `mcp answers an agent, such as Claude or an editor, over the Model Context Protocol on standard input
and output. The agent can list and describe analyses, check and run them, read and compare results.

An agent reads files below --root only: .. , ~ , links and options cannot lead outside. Without
--write no file there changes: results are kept in a temporary folder until the server ends. With
--write they go to --out, which must be inside a root. On Linux (5.13 or later) the kernel holds
runs to these folders, too (Landlock).

Each run is a process of its own and ends with --timeout, with a cancellation by the agent, and
with the server. The server ends when its standard input does.`

// Options say what a server may do.
type Options struct {
	Roots   []string // folders that clients may read; relative paths start in the first
	Write   bool     // results are written to Out
	Out     string   // a folder inside a root
	Timeout time.Duration
	Jobs    int    // runs at a time
	Disk    int    // GB of the temporary folder
	Program string // that has all analyses: its first argument names one
}

const gigabyte = 1_000_000_000

// settings are the values of the flags.
type settings struct {
	Options
	timeout string
}

// Declare lists the options.
func (s *settings) Declare(l *option.List) {
	l.WholeTexts(&s.Roots, "root", nil,
		"`DIR` that the agent may read; relative paths start in the first (repeats)").Reads().Free()
	l.Bool(&s.Write, "write", "write results to --out, inside a root, instead of a temporary folder").Free()
	l.Checked(&s.timeout, "timeout", s.setTimeout, "`TIME` limit of a run, such as 90s, 10m or 2h").Free()
	l.Int(&s.Jobs, "jobs", "`N` runs at a time; the others wait").AtLeast(1).Free()
	l.Int(&s.Disk, "disk", "`GB` that temporary results and latents may take").AtLeast(1).Free()
}

// setTimeout reads the time limit.
func (s *settings) setTimeout(text string) (err error) {
	if s.Timeout, err = time.ParseDuration(text); err != nil || s.Timeout <= 0 {
		return run.Usage("%q is not a time such as 20m or 2h", text)
	}
	return nil
}

// Command makes the command for the analyses that it serves.
func Command(commands []run.Command) run.Command {
	return run.Command{
		Name:    "repscope mcp",
		Summary: "serve the analyses to agents over the Model Context Protocol",
		Manual:  manual,
		Out:     "repscope-results",
		Omit: []string{"bootstrap", "config", "format", "json", "memory", "quiet", "seed", "threads", "verbose",
			"width"},
		Setup: func(flags *run.Flags) run.Job {
			s := &settings{Options: Options{Timeout: 10 * time.Minute, Jobs: 1, Disk: 8}, timeout: "10m"}
			flags.Usage("--root DIR [--root DIR …] [--write]")
			flags.Declare(option.Of(s))
			return run.Job{Check: s.check, Direct: func(ctx context.Context, o *run.Options, _,
				_ io.Writer) (err error) {
				s.Out = o.Out
				if s.Program, err = os.Executable(); err != nil {
					return err
				}
				return Serve(ctx, s.Options, commands, os.Stdin, os.Stdout)
			}}
		},
	}
}

func (s *settings) check(*run.Options) error {
	if len(s.Roots) == 0 {
		return run.Hint(run.Usage("no --root: want a folder that the agent may read"), "such as: repscope mcp --root .")
	}
	_, err := newRoots(s.Roots)
	return err
}

// Serve answers a client until its messages end or ctx does. Errors: folders that are not there or outside the roots,
// and errors of reading.
func Serve(ctx context.Context, o Options, commands []run.Command, in io.Reader, out io.Writer) (err error) {
	folders, err := newRoots(o.Roots)
	if err != nil {
		return err
	}
	s := &server{commands: offered(commands), roots: folders, asked: folders.folders, program: o.Program,
		write: o.Write, space: int64(max(o.Disk, 1)) * gigabyte,
		limit: o.Timeout,
		jobs:  make(chan struct{}, o.Jobs), running: map[string]context.CancelCauseFunc{}, to: out}
	if i := slices.IndexFunc(commands, func(c run.Command) bool { return c.Name == studyCommand }); i >= 0 {
		s.study = &commands[i]
	}
	if o.Write {
		if s.out, _, err = folders.resolve(run.Expand(o.Out)); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
		if err := os.MkdirAll(s.out, 0o777); err != nil {
			return regular.PathError(err)
		}
	}
	scratch, err := atomicfile.TemporaryFolder("repscope-mcp-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	if s.scratch, err = samefile.Canonical(scratch); err != nil {
		return err
	}
	if !o.Write {
		s.out = filepath.Join(s.scratch, "results")
		if err := os.Mkdir(s.out, 0o700); err != nil {
			return err
		}
	}
	folders.folders = append(slices.Clip(folders.folders), s.scratch)
	folders.walled = walls()
	return s.serve(ctx, in)
}
