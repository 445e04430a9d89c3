// Runs of a command from the parts of a configuration that somebody else has read.

package run

import (
	"flag"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"repscope/report"
	"repscope/shard"
)

// Layer is some options of a configuration: keys and values in turn, as a YAML mapping has them.
type Layer struct {
	Path    string // of the file, for messages
	Content []*yaml.Node
}

// Task is a run of a command whose options come from layers, of which the first that has an option wins, and from arguments,
// which win over all of them.
type Task struct {
	Command Command
	Args    []string
	Layers  []Layer
	// Merge are states of which the run makes its result in place of computing it; see [Merged].
	Merge []*shard.State
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

// Settle finds what is wrong with the options before anything is opened, and returns those that the task sets, with their
// values, by name; what changes neither numbers nor files, such as the number of threads, is left out.
func (t *Task) Settle() (report.Object, error) {
	flags, options, job, err := settle(&t.Command, t.Args, t.Layers)
	if err != nil {
		return report.Object{}, err
	}
	if err := check(flags, job, options); err != nil {
		return report.Object{}, err
	}
	var set report.Object
	flags.Visit(func(f *flag.Flag) {
		if g := flags.groups[f.Name]; g != Running && f.Name != "out" && f.Name != "quiet" {
			set.Set(f.Name, f.Value.String())
		}
	})
	for _, b := range flags.branches {
		set.Set(b.Key, b.plain())
	}
	return set, nil
}

// settle reads the arguments and the layers.
func settle(c *Command, args []string, layers []Layer) (*Flags, *Options, Job, error) {
	flags := newFlags(c.Name)
	options := &Options{}
	job := c.Setup(flags)
	options.register(flags, c, job)
	if err := parse(flags, options, c, args); err != nil {
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
		config := &config{flags: flags, path: l.Path, given: map[string]bool{}}
		if err := config.apply(l.Content, settled, c.Name); err != nil {
			return flags, options, job, err
		}
	}
	return flags, options, job, nil
}

// Has reports whether a configuration of the command may hold a key.
func Has(c Command, key string) bool {
	name := strings.TrimLeft(key, "-")
	return configurable(name) && (slices.Contains(FlagNames(c), name) || slices.Contains(TreeNames(c), name))
}
