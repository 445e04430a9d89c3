// The command line: flags, and the arguments between them.

package run

import (
	"errors"
	"flag"
	"os"
	"strings"
)

// parse reads the command line. A command that takes arguments finds them in
// options, wherever they stood; after "--" everything is one.
func parse(flags *Flags, options *Options, c *Command, args []string) error {
	for {
		if err := parseFlags(flags, args); err != nil {
			return err
		}
		rest := flags.Args()
		if c.Arguments == "" || len(rest) == 0 {
			break
		}
		if read := len(args) - len(rest); read > 0 && args[read-1] == "--" {
			options.Args = append(options.Args, rest...)
			return nil
		}
		options.Args = append(options.Args, rest[0])
		args = rest[1:]
	}
	if flags.NArg() > 0 {
		hint := ""
		if _, err := os.Stat(flags.Arg(0)); err == nil {
			hint = flags.fileHint
		}
		return Hint(Usage("unexpected argument %q", flags.Arg(0)), hint)
	}
	return nil
}

// parseFlags reads flags up to the first argument.
func parseFlags(flags *Flags, args []string) error {
	err := flags.Parse(args)
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return err
	}
	// The flag package has no error types; this prefix is its documented wording.
	if name, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: -"); ok {
		return Hint(Usage("unknown flag --%s", name), DidYouMean("--", name, flags.names()))
	}
	return splitHint(Usage("%s", strings.Replace(err.Error(), "for flag -", "for flag --", 1)))
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
