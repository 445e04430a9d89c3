// The flag set of a binary: typed helpers and groups.

package run

import (
	"flag"
	"io"
	"maps"
	"slices"

	"repscope/internal/option"
	"repscope/report"
	"repscope/shard"
)

// Group says under which heading of the help a flag stands and whether its
// value is recorded in the result file.
type Group = option.Group

// The groups; see [option.Group].
const (
	own        = option.Own
	Inputs     = option.Inputs
	Settings   = option.Settings // see [Flags.Title]
	Statistics = option.Statistics
	Output     = option.Output
	Running    = option.Running
)

func recorded(g Group) bool { return g == own || g == Settings || g == Statistics }

// Flags is the flag set that an analysis adds its own flags to: everything of
// the standard library's flag.FlagSet, and lists, choices and sizes. Values are
// recorded under "options" in the result file, unless [Flags.Unrecorded] says
// otherwise.
type Flags struct {
	*flag.FlagSet
	groups   map[string]Group
	titles   map[Group]string
	order    []string // names of the shared flags in the order of the help
	usage    []string // lines of the help that show how the command is called
	fileHint string   // for a file that is given without a flag
	checks   []func(*Options) error
	omitted  []string // shared flags that the command has no use for
	trees    map[string]func(b *Branch) error
	choices  map[string][]string // that values are one of, by flag
	answers  map[string]func(value string, args []string) string
	aliases  map[string]string // other names of flags
	branches []*Branch         // what they took
	given    []shard.Field     // flags that were set, in this order
	args     []string          // arguments that are no flags, and the values of [Flags.Arguments]
	several  []string          // see [Flags.Several]
	declared []*option.Option
	readers  []string // see [ReadingFlags]
	writes   []string // see [Flags.Writes]
	// namesOutputs are flags: see [Flags.NamesOutputs].
	namesOutputs []string
	reads        []func(*Options) []string
	holds        []func(o *Options, path string) string // see [Flags.Holds]
}

func newFlags(name string) *Flags {
	f := &Flags{FlagSet: flag.NewFlagSet(name, flag.ContinueOnError), groups: map[string]Group{},
		titles: map[Group]string{}, choices: map[string][]string{}, aliases: map[string]string{}}
	f.SetOutput(io.Discard) // errors and help are printed by this package
	return f
}

// FlagNames lists the flags of a command, the shared ones among them, by name.
func FlagNames(c Command) []string {
	var names []string
	VisitFlags(c, func(f *flag.Flag) { names = append(names, f.Name) })
	return names
}

// VisitFlags calls visit for every flag of a command, the shared ones among them, by name; a flag
// that several of its commands have is visited once.
func VisitFlags(c Command, visit func(*flag.Flag)) {
	if len(c.Commands) > 0 {
		all := map[string]*flag.Flag{}
		for _, sub := range c.Commands {
			VisitFlags(sub, func(f *flag.Flag) { all[f.Name] = f })
		}
		for _, name := range slices.Sorted(maps.Keys(all)) {
			visit(all[name])
		}
		return
	}
	flags := newFlags(c.Name)
	job := c.Setup(flags)
	(&Options{}).register(flags, &c, job)
	flags.VisitAll(visit)
}

// TreeNames lists the keys of a configuration of a command that are no flags: see [Flags.Tree].
func TreeNames(c Command) []string {
	if len(c.Commands) > 0 {
		return nil
	}
	flags := newFlags(c.Name)
	c.Setup(flags)
	return slices.Sorted(maps.Keys(flags.trees))
}

// Alias is another name of a flag, such as that in a program whose users come here.
func (f *Flags) Alias(name, target string) {
	f.Var(f.Lookup(target).Value, name, "the same as --"+target)
	f.groups[name] = Output // the flag itself is recorded
	f.aliases[name] = target
}

// Unrecorded keeps flags that change no number (a figure's look, a memory
// budget) out of the result file.
func (f *Flags) Unrecorded(names ...string) {
	for _, name := range names {
		f.groups[name] = Output
	}
}

// Group puts flags under a heading of the help, in this order; they are shared, no
// command's own. Names that are placed already keep their place; a flag may be
// named before it is defined.
func (f *Flags) Group(g Group, names ...string) {
	for _, name := range names {
		f.groups[name] = g
		if !slices.Contains(f.order, name) {
			f.order = append(f.order, name)
		}
	}
}

// Title changes the heading of a group in the help.
func (f *Flags) Title(g Group, title string) { f.titles[g] = title }

// Usage adds lines to the help that show how the command is called, without its
// name.
func (f *Flags) Usage(lines ...string) { f.usage = append(f.usage, lines...) }

// FileHint says how files are given, to someone who gives one without a flag.
func (f *Flags) FileHint(hint string) { f.fileHint = hint }

// Check adds a function that finds wrong usage before any file is opened. Checks
// run in the order in which they are added, before the command's own.
func (f *Flags) Check(check func(*Options) error) { f.checks = append(f.checks, check) }

// omit takes flags out of the set.
func (f *Flags) omit(names []string) {
	if len(names) == 0 {
		return
	}
	kept := flag.NewFlagSet(f.Name(), flag.ContinueOnError)
	kept.SetOutput(io.Discard)
	f.VisitAll(func(fl *flag.Flag) {
		if !slices.Contains(names, fl.Name) {
			kept.Var(fl.Value, fl.Name, fl.Usage)
			kept.Lookup(fl.Name).DefValue = fl.DefValue
		}
	})
	f.FlagSet, f.omitted = kept, slices.Clone(names)
	f.order = slices.DeleteFunc(f.order, func(name string) bool { return slices.Contains(names, name) })
}

// CheckedVar defines a flag for a text that must pass a check. What the variable
// holds is the default.
func (f *Flags) CheckedVar(value *string, name string, check func(string) error, usage string) {
	f.Var(&checked{value, check}, name, usage)
}

// CountVar defines a flag for an integer that is not below a bound. What the
// variable holds is the default.
func (f *Flags) CountVar(value *int, name string, least int, usage string) {
	f.Var(&count{value, least}, name, usage)
}

// Int defines a flag for a whole number; it replaces the method of package flag, whose
// message for a wrong value does not say which values are wanted. So do Float64,
// BoolVar and Bool.
func (f *Flags) Int(name string, value int, usage string) *int {
	f.CountVar(&value, name, anyInt, usage)
	return &value
}

// Float64 defines a flag for a finite number.
func (f *Flags) Float64(name string, value float64, usage string) *float64 {
	f.Float64Var(&value, name, usage)
	return &value
}

// Float64Var is Float64 for a variable, which holds the default.
func (f *Flags) Float64Var(value *float64, name, usage string) { f.Var((*number)(value), name, usage) }

// BoolVar defines a flag that is set by its name alone.
func (f *Flags) BoolVar(value *bool, name string, preset bool, usage string) {
	*value = preset
	f.Var((*yes)(value), name, usage)
}

// Bool is BoolVar with a variable of its own.
func (f *Flags) Bool(name string, preset bool, usage string) *bool {
	var value bool
	f.BoolVar(&value, name, preset, usage)
	return &value
}

// PathVar defines a flag for a file or folder, in which a leading ~/ is the user's home
// folder. What the variable holds is the default.
func (f *Flags) PathVar(value *string, name, usage string) { f.Var((*filePath)(value), name, usage) }

// own reports whether a flag is the analysis's own.
func (f *Flags) own(name string) bool { return !slices.Contains(f.order, name) }

// recorded returns the values of the flags that decide numbers: the shared ones
// in their order, then the analysis's own by name.
func (f *Flags) recorded() report.Object {
	var o report.Object
	add := func(fl *flag.Flag) {
		if !recorded(f.groups[fl.Name]) {
			return
		}
		if g, ok := fl.Value.(flag.Getter); ok {
			o.Set(fl.Name, g.Get())
		} else {
			o.Set(fl.Name, fl.Value.String())
		}
	}
	for _, name := range f.order {
		add(f.Lookup(name))
	}
	f.VisitAll(func(fl *flag.Flag) {
		if f.own(fl.Name) {
			add(fl)
		}
	})
	for _, b := range f.branches {
		o.Set(b.Key, b.plain())
	}
	return o
}

// names returns the names of all flags, sorted.
func (f *Flags) names() []string {
	var names []string
	f.VisitAll(func(fl *flag.Flag) { names = append(names, fl.Name) })
	return names
}
