// The command line: flags, and the arguments between them.

package run

import (
	"errors"
	"flag"
	"os"
	"slices"
	"strconv"
	"strings"

	"repscope/shard"
)

// parse reads the command line. A command that takes arguments finds them in
// options, wherever they stood; after "--" everything is one.
func parse(flags *Flags, options *Options, c *Command, args []string) error {
	watch := &watch{first: map[string]string{}, flags: flags}
	defer watch.over(flags)()
	takes := c.Arguments != "" || c.Methods != nil && asksForMethods(args)
	for {
		if err := parseFlags(flags, watch, args); err != nil {
			return err
		}
		rest := flags.Args()
		if !takes || len(rest) == 0 {
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
		if err := flags.answer(flags.Arg(0), args); err != nil {
			return err
		}
		hint := ""
		if _, err := os.Stat(flags.Arg(0)); err == nil {
			hint = flags.fileHint
		}
		return Hint(Usage("unexpected argument %q", flags.Arg(0)), hint)
	}
	return nil
}

// parseFlags reads flags up to the first argument.
func parseFlags(flags *Flags, watch *watch, args []string) error {
	err := flags.Parse(dashed(flags, args))
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return err
	}
	// The flag package has no error types; this prefix is its documented wording.
	if name, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: -"); ok {
		if err := flags.answer(name, args); err != nil {
			return err
		}
		return Hint(Usage("unknown flag --%s", name), elsewhere("--", name, flags.names()))
	}
	if watch.failed != nil {
		return watch.failed
	}
	return splitHint(Usage("%s", strings.Replace(err.Error(), ": -", ": --", 1)))
}

// dashed spells flags with dashes where other programs have underscores: --save_table is
// --save-table.
func dashed(flags *Flags, args []string) []string {
	args = slices.Clone(args)
	for i, arg := range args {
		if arg == "--" {
			break
		}
		name, value, hasValue := strings.Cut(arg, "=")
		spelled := strings.ReplaceAll(name, "_", "-")
		if spelled == name || !strings.HasPrefix(name, "-") || flags.Lookup(strings.TrimLeft(spelled, "-")) == nil {
			continue
		}
		if args[i] = spelled; hasValue {
			args[i] += "=" + value
		}
	}
	return args
}

// wrongValue is the error for a value that a flag or an option does not take; err may say
// the value itself, and a hint on a second line.
func wrongValue(of, text string, err error) error {
	if strings.HasPrefix(err.Error(), strconv.Quote(text)) {
		return splitHint(Usage("%s: %w", of, err))
	}
	return splitHint(Usage("%s: invalid value %q: %w", of, text, err))
}

// watch sees how flags are set on the command line: which value was wrong, and what was
// given twice. Package flag keeps neither.
type watch struct {
	flags  *Flags
	first  map[string]string // values of flags that do not repeat
	failed error
}

// over puts the watch between the command line and the flags; what it returns takes it
// away.
func (w *watch) over(flags *Flags) (done func()) {
	flags.VisitAll(func(f *flag.Flag) { f.Value = &watched{f.Value, f.Name, w} })
	return func() {
		flags.VisitAll(func(f *flag.Flag) { f.Value = f.Value.(*watched).Value })
	}
}

// watched is a flag's value under a watch.
type watched struct {
	flag.Value
	name  string
	watch *watch
}

func (v *watched) IsBoolFlag() bool {
	b, ok := v.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

func (v *watched) Set(text string) error {
	err := v.Value.Set(text)
	if err != nil {
		v.watch.failed = wrongValue("flag --"+v.name, text, err)
		return err
	}
	if r, ok := v.Value.(repeater); ok && r.Repeats() {
		v.watch.flags.given = append(v.watch.flags.given, shard.Field{Name: v.name, Value: text})
		return nil
	}
	name := v.name
	if other := v.watch.flags.aliases[name]; other != "" {
		name = other
	}
	if first, ok := v.watch.first[name]; ok && first != text {
		v.watch.failed = Usage("flag --%s is given twice, as %q and as %q; want one of them", name, first, text)
		return v.watch.failed
	}
	v.watch.first[name] = text
	v.watch.flags.given = append(v.watch.flags.given, shard.Field{Name: v.name, Value: text})
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
