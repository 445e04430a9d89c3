// Package repscope is one program that holds every binary: it runs the one by whose name it
// is called, as links of those names do, or that its first argument names, as in
// "repscope smoothness --example". What the binaries share is there once.
package repscope

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/report"
	"repscope/report/schema"
	"repscope/tool/repscope/mcp"
)

// Name is the name of the program.
const Name = "repscope"

// Main runs the program with its arguments and ends it.
func Main(commands []run.Command) {
	if c, args, ok := Choose(commands, os.Args); ok {
		run.MainArgs(c, args)
	}
	run.KeepOnPipes()
	os.Exit(Run(commands, os.Args[1:], os.Stdout, os.Stderr))
}

// Choose returns the command that a call of the program means, and its arguments; ok is
// false for what the program does itself. "repscope help smoothness" is a command's --help.
func Choose(commands []run.Command, argv []string) (c run.Command, args []string, ok bool) {
	find := func(name string) bool {
		i := slices.IndexFunc(commands, func(c run.Command) bool { return c.Name == name })
		if i >= 0 {
			c = commands[i]
		}
		return i >= 0
	}
	if len(argv) == 0 {
		return c, nil, false
	}
	if find(strings.TrimSuffix(filepath.Base(argv[0]), ".exe")) {
		return c, argv[1:], true
	}
	if len(argv) > 1 && find(argv[1]) {
		return c, argv[2:], true
	}
	if len(argv) == 3 && argv[1] == "help" && find(argv[2]) {
		return c, []string{"--help"}, true
	}
	return c, nil, false
}

// A part is something that the program does itself.
type part struct {
	name, arguments, summary string
	do                       func(commands []run.Command, args []string, stdout io.Writer) error
	command                  func(commands []run.Command) run.Command // in the place of do, of one with flags
}

// call does the part.
func (p part) call(commands []run.Command, args []string, stdout, stderr io.Writer) error {
	if p.command == nil {
		if slices.Contains(args, "--help") {
			return p.help(stdout)
		}
		return p.do(commands, args, stdout)
	}
	ctx, stop := signal.NotifyContext(run.ForCaller(context.Background()), run.Signals()...)
	defer stop()
	task := run.Task{Command: p.command(commands), Args: args}
	return task.Run(ctx, stdout, stderr)
}

func (p part) help(w io.Writer) error {
	if p.command != nil {
		return p.call(nil, []string{"--help"}, w, io.Discard)
	}
	_, err := fmt.Fprintf(w, "%s %s: %s\n\nusage:\n  %s %s %s\n", Name, p.name, p.summary, Name, p.name, p.arguments)
	return err
}

func parts() []part {
	return []part{
		{"links", "DIR", "create links to this program, one with the name of each binary", links, nil},
		{"completion", "SHELL", "print the completions of bash, zsh or fish", printCompletion, nil},
		{"man", "NAME | --out DIR", "print the manual page of a binary, or write the pages of all binaries", manual, nil},
		{"describe", "[NAME…] [--schema]", "print the flags of binaries, or the JSON Schema of their results, as JSON, " +
			"for calling programs", describe, nil},
		{"show", "FILE[:NAME]… [--json]", "list the arrays of files, and the inputs and outputs of ONNX files", show, nil},
		{"score", "trustworthiness|continuity X Z [--k K] [--metric NAME] | --serve [--idle 60s]", "print one score of neighborhood for two arrays as JSON, or answer requests as lines of JSON", score, nil},
		{"verify", "PATH… [--sample N] [--json]", "compare results, their inputs, shards and the cache with their recorded digests", nil, verifyCommand},
		{"mcp", "--root DIR… [--write]", "serve the analyses to agents over the Model Context Protocol", nil,
			mcp.Command},
		{"export", "RESULT… --to FORM [--out DIR]", "write results as records of Every Eval Ever, evaluation results of " +
			"the Hugging Face Hub, or Parquet tables", nil, exportCommand},
	}
}

// Run does what the program does itself and returns the exit code.
func Run(commands []run.Command, args []string, stdout, stderr io.Writer) int {
	return run.Report(stderr, Name, do(commands, args, run.Console(stdout), run.Console(stderr)))
}

func do(commands []run.Command, args []string, stdout, stderr io.Writer) error {
	if len(args) == 0 {
		if err := help(commands, stdout); err != nil {
			return err
		}
		return run.Usage("want the name of a binary")
	}
	switch args[0] {
	case "help", "--help", "-h", "-help":
		i := slices.IndexFunc(parts(), func(p part) bool { return len(args) > 1 && p.name == args[1] })
		switch {
		case i >= 0:
			return parts()[i].help(stdout)
		case len(args) > 1:
			return unknown(commands, args[1])
		}
		return help(commands, stdout)
	case "version", "--version", "-version":
		return run.WriteVersion(stdout, Name, slices.Contains(args[1:], "--json"))
	}
	for _, p := range parts() {
		if p.name == args[0] {
			return p.call(commands, args[1:], stdout, stderr)
		}
	}
	return unknown(commands, args[0])
}

func unknown(commands []run.Command, name string) error {
	names := namesOf(commands)
	for _, p := range parts() {
		names = append(names, p.name)
	}
	hint := text.DidYouMean("", name, names)
	if hint == "" {
		hint = `"repscope help" lists all binaries`
	}
	return run.Hint(run.Usage("there is no binary %q", name), hint)
}

func namesOf(commands []run.Command) []string {
	names := make([]string, len(commands))
	for i, c := range commands {
		names[i] = c.Name
	}
	return names
}

// find is the command of a name.
func find(commands []run.Command, name string) (run.Command, error) {
	i := slices.IndexFunc(commands, func(c run.Command) bool { return c.Name == name })
	if i < 0 {
		return run.Command{}, unknown(commands, name)
	}
	return commands[i], nil
}

func help(commands []run.Command, w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: numbers, intervals and figures for learned representations and models built on them\n\nusage:\n",
		Name)
	fmt.Fprintf(&b, "  %s BINARY [flags]\n  %s BINARY --help\n\nbinaries:\n", Name, Name)
	width := 0
	for _, c := range commands {
		width = max(width, len(c.Name))
	}
	for _, c := range commands {
		fmt.Fprintf(&b, "  %-*s  %s\n", width, c.Name, c.Summary)
	}
	b.WriteString("\nthe program itself:\n")
	for _, p := range parts() {
		fmt.Fprintf(&b, "  %s %s\n        %s\n", p.name, p.arguments, p.summary)
	}
	b.WriteString("  --version\n        print the version\n\nCalled by the name of a binary, it runs that binary: see links.\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// describe prints the descriptions of commands.
func describe(commands []run.Command, args []string, w io.Writer) error {
	if slices.Contains(args, "--schema") {
		return describeResult(commands, slices.DeleteFunc(slices.Clone(args),
			func(a string) bool { return a == "--schema" }), w)
	}
	var chosen []run.Description
	for _, name := range args {
		c, err := find(commands, name)
		if err != nil {
			return err
		}
		chosen = append(chosen, run.Describe(c))
	}
	if len(args) == 0 {
		for _, c := range commands {
			chosen = append(chosen, run.Describe(c))
		}
	}
	var o report.Object
	o.Set("version", report.ReadBuild().Version)
	o.Set("binaries", chosen)
	return report.Encode(w, o)
}

// describeResult prints the JSON Schema of the results of a command, or of all results.
func describeResult(commands []run.Command, args []string, w io.Writer) error {
	switch len(args) {
	case 0:
		return printTo(w, string(schema.Result))
	case 1:
		c, err := find(commands, args[0])
		if err != nil {
			return err
		}
		if len(c.Commands) > 0 {
			return run.Usage("describe --schema: %s writes no result file of its own", c.Name)
		}
		o, err := ResultSchema(&c)
		if err != nil {
			return err
		}
		return report.Encode(w, o)
	}
	return run.Usage("describe --schema: want one name, or none for the schema of all results")
}

// ResultSchema is the JSON Schema of the results of a command.
func ResultSchema(c *run.Command) (report.Object, error) {
	p := schema.Program{Name: c.Name, Definition: c.Definition, All: !c.Describes}
	if c.Metrics != nil {
		p.Metrics = c.Metrics()
	}
	return schema.Of(&p)
}
