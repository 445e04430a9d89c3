// The command line: flags, and the arguments between them.

package run

import (
	"errors"
	"flag"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"repscope/shard"
)

// parse reads the command line. A command that takes arguments finds them in
// options, in the order of the command line, wherever they stood; after "--" everything is
// one. A flag of a list takes several values too, one after the other, up to the next flag or
// file: --k 5 10 is --k 5,10. Where there are arguments only flags that [Flags.Several] names
// do.
func parse(flags *Flags, options *Options, c *Command, args []string) error {
	watch := &watch{first: map[string]string{}, flags: flags}
	defer watch.over(flags)()
	defer func() { options.Args = flags.args }()
	takes := c.Arguments != "" || c.Methods != nil && asksForMethods(args)
	list := "" // the flag of a list whose values the last texts are
	for {
		watch.last = ""
		if err := parseFlags(flags, watch, args); err != nil {
			return err
		}
		rest := flags.Args()
		if len(rest) == 0 {
			return nil
		}
		read := len(args) - len(rest)
		ended := read > 0 && args[read-1] == "--"
		if read > 0 {
			list = watch.last
		}
		switch {
		case ended && takes:
			flags.args = append(flags.args, rest...)
			return nil
		case !ended && list != "" && (!takes || slices.Contains(flags.several, list)) && flags.lists(list) && !isFile(rest[0]):
			if err := watch.more(list, rest[0]); err != nil {
				return err
			}
		case takes:
			list = ""
			flags.args = append(flags.args, rest[0])
		default:
			if err := flags.answer(rest[0], args); err != nil {
				return err
			}
			hint := ""
			if exists(rest[0]) {
				hint = flags.fileHint
			}
			return Hint(Usage("unexpected argument %q", rest[0]), hint)
		}
		args = rest[1:]
	}
}

// lists reports whether a flag takes a list.
func (f *Flags) lists(name string) bool {
	fl := f.Lookup(name)
	if w, ok := fl.Value.(*watched); ok {
		fl = &flag.Flag{Name: fl.Name, Usage: fl.Usage, Value: w.Value}
	}
	if r, ok := fl.Value.(repeater); ok && r.Repeats() {
		_, arguments := fl.Value.(*arguments)
		return !arguments
	}
	switch typeOf(fl.Value) {
	case "ints", "floats", "texts":
		return true
	}
	placeholder, _ := flag.UnquoteUsage(fl)
	return placeholder == "LIST"
}

// Several names flags of lists whose values may follow each other although the command takes
// arguments: files are told from them by being there, or by their ending.
func (f *Flags) Several(names ...string) { f.several = append(f.several, names...) }

// fileEndings are the endings of files that commands take as arguments.
var fileEndings = []string{".json", ".yaml", ".yml", ".csv"}

// isFile reports whether an argument is a file or folder, or looks like a file of a command.
func isFile(arg string) bool {
	return exists(arg) || slices.Contains(fileEndings, strings.ToLower(filepath.Ext(arg)))
}

// Arguments defines a flag whose values are arguments of the command, files that it reads, in their order among the
// others.
func (f *Flags) Arguments(name, usage string) {
	f.Var(&arguments{&f.args}, name, usage)
	f.readers = append(f.readers, name)
}

// arguments is the value of such a flag.
type arguments struct{ values *[]string }

func (a *arguments) String() string {
	if a.values == nil {
		return ""
	}
	return strings.Join(*a.values, ",")
}

func (a *arguments) Get() any      { return *a.values }
func (a *arguments) Repeats() bool { return true }
func (a *arguments) Set(text string) error {
	if text = strings.TrimSpace(text); text == "" {
		return errors.New("one of the names is empty")
	}
	*a.values = append(*a.values, text)
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
func wrongValue(flag, text string, err error) error {
	if strings.HasPrefix(err.Error(), strconv.Quote(text)) {
		return splitHint(Usage("%s: %w", flag, err))
	}
	return splitHint(Usage("%s: invalid value %q: %w", flag, text, err))
}

// watch sees how flags are set on the command line: which value was wrong, and which flag
// was set twice. Package flag keeps neither.
type watch struct {
	flags  *Flags
	first  map[string]string // values of flags that do not repeat
	last   string            // the flag that was set last
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
	v.watch.last = v.name
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

// more adds a value to a flag of a list that was set before.
func (w *watch) more(name, text string) error {
	v := w.flags.Lookup(name).Value.(*watched)
	if r, ok := v.Value.(repeater); ok && r.Repeats() {
		if err := v.Set(text); err != nil {
			return w.failed
		}
		return nil
	}
	joined := w.first[name] + "," + text
	if err := v.Value.Set(joined); err != nil {
		return wrongValue("flag --"+name, text, err)
	}
	w.first[name] = joined
	given := w.flags.given
	given[len(given)-1].Value = joined
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
