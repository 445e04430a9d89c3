// Commands without states: their built-in examples, files that are no arrays, and the
// flags of statistics that they share with others.

package input

import (
	"fmt"
	"slices"
	"strings"

	"repscope/dataset"
	"repscope/internal/option"
	"repscope/internal/run"
	"repscope/latent"
	"repscope/stat"
)

// ArrayExample is the built-in example of a command that takes no states.
type ArrayExample struct {
	// Name stands for it in the result file and in messages: "field" is example:field.
	Name  string
	Usage string // of --example
	// Arrays are the names of the arrays that each role takes with --example; the name of a
	// role that is not named is empty.
	Arrays map[string][]string
	// Open makes one of them, whose name is the path in the result.
	Open func(path, role, name string) (*dataset.Array, error)
}

// GivenExample is the flag --example of a command that takes no states.
type GivenExample struct {
	of ArrayExample
	on bool
}

// RegisterExample adds --example to the flags of a command that takes no states. Its
// roles are registered with [GivenExample.Role].
func RegisterExample(flags *run.Flags, example ArrayExample) *GivenExample {
	e := &GivenExample{of: example}
	flags.Usage("--example")
	flags.Declare(option.Of(e))
	return e
}

// Declare lists --example.
func (e *GivenExample) Declare(l *option.List) {
	l.Under(option.Inputs)
	l.Bool(&e.on, "example", e.of.Usage)
}

// On reports whether the example is asked for.
func (e *GivenExample) On() bool { return e.on }

// File puts a file of the example on disk until the run ends, and returns its path.
func (e *GivenExample) File(env *run.Env, name string, content []byte) (string, error) {
	path, remove, err := unpack(content, name, "")
	if remove != nil {
		env.CloseLater(closerFunc(remove))
	}
	return path, err
}

// Label is the path that a file of the example has in the result.
func (e *GivenExample) Label(name string) string { return examplePrefix + e.of.Name + "/" + name }

// Role is [RegisterRole] for a role that the example may have arrays of. It is wrong
// usage to give these together with --example.
func (e *GivenExample) Role(flags *run.Flags, role Role) *Given {
	g := RegisterRole(flags, role)
	g.example = e
	flags.Group(run.Inputs, role.Name)
	flags.Check(func(*run.Options) error {
		if e.on && len(e.of.Arrays[role.Name]) > 0 && (g.spec != "" || len(g.named) > 0) {
			return run.Usage("--example has its own %s; leave --%s out", role.Name, role.Name)
		}
		return nil
	})
	return g
}

// sources are the sources of a role.
func (e *GivenExample) sources(role string) []source {
	var out []source
	for _, name := range e.of.Arrays[role] {
		out = append(out, source{kind: role, name: name, path: strings.TrimSuffix(examplePrefix+e.of.Name+"/"+role+"/"+name, "/")})
	}
	return out
}

// open opens an array of the example, or a file next to it as the function does.
func (e *GivenExample) open(spec string, file func(string) (*dataset.Array, error)) (*dataset.Array, error) {
	rest, ok := strings.CutPrefix(spec, examplePrefix+e.of.Name+"/")
	if !ok {
		return file(spec)
	}
	role, name, _ := strings.Cut(rest, "/")
	return e.of.Open(spec, role, name)
}

// Statistics are the choices of intervals and tests.
type Statistics struct {
	Block  stat.BlockSpec // --block
	Family string         // --family
}

// RegisterStatistics adds --block and --family to the flags of a command that takes no
// states. units says what blocks consist of.
func RegisterStatistics(flags *run.Flags, units string) *Statistics {
	s := &Statistics{Family: "metric"}
	flags.Group(run.Statistics, "seed", "bootstrap", "block", "family")
	flags.Declare(option.Of(option.Func(func(l *option.List) {
		l.Under(option.Statistics)
		l.Var(&blockFlag{&s.Block}, "block", "`SPEC` of the blocks for intervals: episode, a number of consecutive "+units+", or auto")
		l.OneOf(&s.Family, "family", []string{"metric", "run"}, familyUsage)
	})))
	return s
}

// Files are files of a flag NAME=FILE that repeats, such as models that make forecasts.
// They are opened by the command.
type Files struct {
	flag  string
	named []source
}

// File is one of them.
type File struct{ Name, Path string }

// RegisterFiles adds a flag NAME=FILE that repeats.
func RegisterFiles(flags *run.Flags, name, usage string) *Files {
	f := &Files{flag: name}
	flags.Declare(option.Of(option.Func(func(l *option.List) {
		l.Under(option.Inputs)
		l.Var(&filesFlag{f}, name, usage).Reads()
	})))
	flags.Reads(func(*run.Options) []string {
		var list []string
		for _, s := range f.named {
			list = append(list, latent.Beside(s.path)...)
		}
		return list
	})
	flags.Check(func(*run.Options) error {
		for i, s := range f.named {
			if slices.ContainsFunc(f.named[:i], func(other source) bool { return other.name == s.name }) {
				return run.Usage("two --%s are named %q", name, s.name)
			}
		}
		return nil
	})
	return f
}

// NamedFiles are files of a flag that was not given, such as files of a built-in example.
func NamedFiles(flag string, files ...File) *Files {
	f := &Files{flag: flag}
	for _, file := range files {
		f.named = append(f.named, source{kind: flag, name: file.Name, path: file.Path})
	}
	return f
}

// All are the files in the order of the command line.
func (f *Files) All() []File {
	var out []File
	for _, s := range f.named {
		out = append(out, File{s.name, s.path})
	}
	return out
}

// Names are the names of the files.
func (f *Files) Names() []string {
	var out []string
	for _, s := range f.named {
		out = append(out, s.name)
	}
	return out
}

// Exist finds files that are not there, before anything is read.
func (f *Files) Exist() error {
	for _, s := range f.named {
		if err := dataset.Exists(s.path); err != nil {
			return patternHint(s.path, fmt.Errorf("%s %s: %w", f.flag, s.name, err))
		}
	}
	return nil
}

// filesFlag is the value of such a flag.
type filesFlag struct{ files *Files }

func (f *filesFlag) String() string {
	if f.files == nil {
		return ""
	}
	var parts []string
	for _, s := range f.files.named {
		parts = append(parts, run.JoinName(s.name, s.path))
	}
	return strings.Join(parts, ",")
}

// Repeats says that the flag may be given several times.
func (f *filesFlag) Repeats() bool { return true }

func (f *filesFlag) Set(text string) error {
	name, path, err := cutName(text)
	if err != nil {
		return err
	}
	f.files.named = append(f.files.named, source{kind: f.files.flag, name: name, path: path})
	return nil
}

// Existing finds files of a role that are not there, before anything is read.
func (g *Given) Existing() error {
	for _, s := range g.sources() {
		if g.example != nil && g.example.on && strings.HasPrefix(s.path, examplePrefix) {
			continue
		}
		if err := dataset.Exists(s.path); err != nil {
			return patternHint(s.path, g.errorf(s.name, "%w", err))
		}
	}
	return nil
}
