// Runs of a command from the parts of a configuration that somebody else has read.

package run

import (
	"context"
	"errors"
	"flag"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"repscope/internal/expand"
	"repscope/report"
	"repscope/shard"
)

// Layer is some options of a configuration: keys and values in turn, as a YAML mapping has them.
type Layer struct {
	Path    string // of the file, for messages
	Content []*yaml.Node
}

// Task is a run of a command whose options come from layers, where the first layer that has an option wins, and from
// arguments, which win over all layers.
type Task struct {
	Command Command
	Args    []string
	Layers  []Layer
	// Verify, if not nil, is called when the work is done, before any file gets its name,
	// with the inputs of the result. Its error ends the run, which then writes nothing.
	Verify func(inputs []report.Input) error
	// CompressOver, if not 0, is the maximum of bytes of tables and of the result; larger ones are compressed: see
	// [report.Transaction].
	CompressOver int
	// Apart are files that other tasks read at the same time: the run writes over none of them.
	Apart []string
	// Merge are states from which the run makes its result instead of computing it; see [Merged].
	Merge []*shard.State
	// Only are units of the work; if it is not nil, these are computed and nothing is written: see [Recompute].
	Only []shard.Range

	computed *shard.State // of Only
}

// Exit is the exit code of an error of a run, and the lines that are printed for it, hints included.
func Exit(err error) (code int, lines []string) {
	if err == nil {
		return 0, nil
	}
	lines = strings.Split(strings.TrimSpace(err.Error()), "\n")
	for _, hint := range hintsOf(err) {
		lines = append(lines, "hint: "+hint)
	}
	return exitCode(err), lines
}

// Settled is what the options of a task come to.
type Settled struct {
	// Set has the options that the task sets, with their values, by name; what changes neither numbers nor
	// files, such as the number of threads, is left out.
	Set report.Object
	// Values are all values that are set, taken apart at commas and behind NAME=: among them are the paths of
	// what the task reads.
	Values []Value
	// Files are patterns of the names of all files that the task may write into its folder.
	Files []string

	given []string
}

// Given reports whether an option has a value.
func (s *Settled) Given(name string) bool { return slices.Contains(s.given, name) }

// Value is a value of an option.
type Value struct {
	Text  string
	Input bool // of an option that names inputs
}

// Settle checks the options before anything is opened, and returns their values.
func (t *Task) Settle() (*Settled, error) {
	flags, options, job, err := settle(context.Background(), &t.Command, t.Args, t.Layers)
	if err != nil {
		return nil, err
	}
	if err := check(flags, job, options); err != nil {
		return nil, err
	}
	s := &Settled{Files: t.compressible(writable(&t.Command, job, options))}
	flags.Visit(func(f *flag.Flag) {
		g := flags.groups[f.Name]
		s.given = append(s.given, f.Name)
		if g != Running && f.Name != "out" && f.Name != "quiet" && f.Name != "verbose" {
			s.Set.Set(f.Name, f.Value.String())
		}
		s.take(f.Value.String(), g == Inputs)
	})
	for _, b := range flags.branches {
		s.Set.Set(b.Key, b.plain())
		s.branch(b)
	}
	return s, nil
}

// take adds a value, and its parts.
func (s *Settled) take(text string, input bool) {
	for _, part := range append(strings.Split(text, ","), text) {
		_, file, named := CutName(part)
		for _, value := range []string{part, file} {
			if value = strings.TrimSpace(value); value != "" && (named || value == part) {
				s.Values = append(s.Values, Value{Expand(value), input})
			}
		}
	}
}

func (s *Settled) branch(b *Branch) {
	if text, ok := b.Value.(string); ok {
		s.take(text, true)
	}
	for _, list := range [][]Branch{b.List, b.Members} {
		for i := range list {
			s.branch(&list[i])
		}
	}
}

// settle reads the arguments and the layers.
func settle(ctx context.Context, c *Command, args []string, layers []Layer) (*Flags, *Options, Job, error) {
	flags := newFlags(c.Name)
	options := &Options{ctx: ctx}
	defer func() { options.Args = flags.args }()
	job := c.Setup(flags)
	options.register(flags, c, job)
	if err := parse(flags, options, c, args); errors.As(err, &answered{}) {
		return flags, options, job, err
	} else if err != nil {
		return flags, options, job, Hint(err, "run "+c.Name+" --help for all flags")
	}
	if options.version {
		return flags, options, job, nil
	}
	if options.config != "" {
		if err := applyConfig(flags, options); err != nil {
			return flags, options, job, err
		}
	}
	for _, l := range layers {
		settled := map[string]bool{}
		flags.Visit(func(f *flag.Flag) { settled[f.Name] = true })
		config := &config{flags: flags, path: l.Path, given: map[string]bool{}, budget: expand.NewBudget(ctx)}
		if err := config.apply(l.Content, settled, c.Name); err != nil {
			return flags, options, job, err
		}
	}
	return flags, options, job, nil
}

// Has reports whether a configuration of the command may hold a key.
func Has(c Command, key string) bool {
	name := OptionName(key)
	return configurable(name) && (slices.Contains(FlagNames(c), name) || slices.Contains(TreeNames(c), name))
}
