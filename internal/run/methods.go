// How the numbers were computed, in words: --methods.

package run

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"slices"

	"repscope/internal/regular"
	"repscope/report"
	"repscope/report/methods"
)

// MethodsOf says in words how the numbers of a result of this command were computed. The
// result is one that was read. Errors: a result of another analysis, and errors of
// [methods.Of].
func (c *Command) MethodsOf(r *report.Result) (*methods.Text, error) {
	switch {
	case r.Analysis != c.Name:
		return nil, fmt.Errorf("a result of %s, want one of %s", r.Analysis, c.Name)
	case c.Methods == nil:
		return nil, fmt.Errorf("%s has no methods text", c.Name)
	}
	return methods.Of(r, c.Methods)
}

// named is a file that is to be written.
type named struct {
	name    string
	content []byte
}

// methodsNames are the files that --methods adds to a run.
func methodsNames(c *Command) []string {
	return []string{c.Name + "_methods.md", c.Name + "_methods.tex", c.Name + "_methods.bib"}
}

// methodsFiles are these files for a result as it is written: the text is that which the
// file alone would give.
func methodsFiles(c *Command, result []byte) ([]named, error) {
	r, err := report.ReadFrom(c.Name+".json", bytes.NewReader(result))
	if err != nil {
		return nil, err
	}
	text, err := c.MethodsOf(r)
	if err != nil {
		return nil, err
	}
	names := methodsNames(c)
	return []named{{names[0], []byte(text.Markdown())}, {names[1], []byte(text.LaTeX())}, {names[2], []byte(text.BibTeX())}}, nil
}

// asksForMethods reports whether a command line has --methods, which allows a result file
// among the flags.
func asksForMethods(args []string) bool {
	return slices.Contains(args, "--methods") || slices.Contains(args, "-methods") || slices.Contains(args, "--methods=true")
}

// printMethods prints the methods of an earlier run, if the argument is its result file. A
// command that takes other files runs unless the argument is one result of its own.
func printMethods(c *Command, flags *Flags, o *Options, stdout io.Writer) (done bool, err error) {
	if len(o.Args) == 0 || c.Arguments != "" && (len(o.Args) > 1 || !isResultOf(c, o.Args[0])) {
		return false, nil
	}
	if len(o.Args) > 1 {
		return true, Usage("--methods: %d result files, want one", len(o.Args))
	}
	flags.Visit(func(f *flag.Flag) {
		if err == nil && !slices.Contains([]string{"methods", "json", "quiet", "verbose"}, f.Name) {
			err = Hint(Usage("--%s has no effect on %s, the result of an earlier run", f.Name, o.Args[0]),
				"leave the flag out, or leave the file out to run "+c.Name)
		}
	})
	if err != nil {
		return true, err
	}
	r, err := report.Read(o.Args[0])
	if err != nil {
		return true, regular.PathError(err)
	}
	text, err := c.MethodsOf(r)
	if err != nil {
		return true, fmt.Errorf("%s: %w", o.Args[0], err)
	}
	if o.JSON {
		return true, report.Encode(stdout, text.Object())
	}
	_, err = io.WriteString(stdout, text.Markdown())
	return true, err
}

// isResultOf reports whether a file is a result of a command.
func isResultOf(c *Command, path string) bool {
	data, err := regular.Read(path, regular.Table)
	var head struct{ Schema, Analysis string }
	return err == nil && json.Unmarshal(data, &head) == nil && head.Schema == report.Schema && head.Analysis == c.Name
}
