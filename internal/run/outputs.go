// What a run writes is never what it reads.

package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"repscope/internal/escape"
	"repscope/internal/gunzip"
	"repscope/internal/samefile"
	"repscope/report"
)

// figureEnding stands in [Job.Files] for the formats of --format.
const figureEnding = ".figure"

// Writes says that the values of flags are paths of files that the run writes, lists among them: none may be an
// input, or another output.
func (f *Flags) Writes(names ...string) { f.writes = append(f.writes, names...) }

// NamesOutputs says that the values of flags are names of files of --out, or patterns of them, and no paths that are
// read.
func (f *Flags) NamesOutputs(names ...string) { f.namesOutputs = append(f.namesOutputs, names...) }

// Reads adds files that the run reads though no flag names them, such as the files of a folder. It is called
// when the flags are checked, and only if the run would write over a file.
func (f *Flags) Reads(paths func(o *Options) []string) { f.reads = append(f.reads, paths) }

// Holds adds a folder that is read as a whole, such as one of images: holds says how it was named if a new file at a
// path would become a part of it. Otherwise it is "".
func (f *Flags) Holds(holds func(o *Options, path string) string) { f.holds = append(f.holds, holds) }

// WritingFlags are the flags of a command that say where it writes, with their other names: see [Flags.Writes]. --out
// is one of all.
func WritingFlags(c Command) []string {
	return flagsOf(c, func(f *Flags) []string {
		if f.Lookup("out") != nil {
			return append(slices.Clone(f.writes), "out")
		}
		return f.writes
	})
}

// flagsOf are some flags of a command, or of all its commands, with their other names, sorted.
func flagsOf(c Command, some func(f *Flags) []string) []string {
	if len(c.Commands) > 0 {
		var all []string
		for _, sub := range c.Commands {
			all = append(all, flagsOf(sub, some)...)
		}
		return slices.Compact(slices.Sorted(slices.Values(all)))
	}
	flags := newFlags(c.Name)
	(&Options{}).register(flags, &c, c.Setup(flags))
	names := slices.Clone(some(flags))
	for alias, name := range flags.aliases {
		if slices.Contains(names, name) {
			names = append(names, alias)
		}
	}
	slices.Sort(names)
	return names
}

// MayWrite are patterns of the names of all files that a run with these arguments may write into --out.
func MayWrite(c Command, args ...string) ([]string, error) {
	flags, options, job, err := settle(context.Background(), &c, args, nil)
	if err == nil {
		err = check(flags, job, options)
	}
	if err != nil {
		return nil, err
	}
	return writable(&c, job, options), nil
}

// writable are the patterns of a run.
func writable(c *Command, job Job, o *Options) []string {
	var patterns []string
	if job.Direct == nil {
		patterns = append(patterns, c.Name+".json", c.Name+report.SumsEnding)
	}
	if o.Methods {
		patterns = append(patterns, methodsNames(c)...)
	}
	if o.Shard.Of > 0 {
		return []string{o.Shard.File(c.Name)}
	}
	if job.Files == nil {
		return patterns
	}
	for _, name := range job.Files(o) {
		stem, drawn := strings.CutSuffix(name, figureEnding)
		if !drawn {
			patterns = append(patterns, name)
			continue
		}
		for _, format := range o.figures() {
			patterns = append(patterns, stem+"."+format)
		}
	}
	return patterns
}

// compressible are patterns of a run with the patterns of the files that may be compressed.
func (t *Task) compressible(patterns []string) []string {
	if t.CompressOver == 0 {
		return patterns
	}
	for _, pattern := range slices.Clone(patterns) {
		if ending := path.Ext(pattern); ending == ".json" || ending == ".csv" {
			patterns = append(patterns, pattern+gunzip.Ending)
		}
	}
	return patterns
}

// guard keeps what a run writes apart from what it reads.
type guard struct {
	set     samefile.Set
	command *Command
	out     string
	kept    []string // files of --out that are read and written again
}

// Keeps says of a file of --out that the run reads what it holds and writes it again.
func (e *Env) Keeps(name string) {
	e.guard.kept = append(e.guard.kept, filepath.Join(e.Options.Out, name))
}

// Read says that the run is about to read files that no flag names. It is wrong usage if it would write over one.
func (e *Env) Read(paths ...string) error {
	for _, path := range paths {
		if err := e.guard.input(path, path); err != nil {
			return err
		}
	}
	return nil
}

// Write says that the run is going to write files of --out, as soon as it knows their names. It is wrong usage if
// one is an input.
func (e *Env) Write(names ...string) error {
	for _, name := range names {
		if err := e.guard.over(filepath.Join(e.Options.Out, name)); err != nil {
			return err
		}
	}
	return nil
}

// newGuard enters what the flags name, and finds outputs that are inputs before anything is read.
func newGuard(t *Task, flags *Flags, job Job, o *Options) (*guard, error) {
	g := &guard{command: &t.Command, out: o.Out}
	patterns := t.compressible(writable(&t.Command, job, o))
	outputs, there := g.outputs(flags, patterns)
	if err := g.apart(flags, o, outputs, patterns); err != nil {
		return nil, err
	}
	for _, in := range t.inputs(flags, o, there) {
		if err := g.input(in.what, in.path); err != nil {
			return nil, err
		}
	}
	for _, out := range outputs {
		if out.flag != "" && g.own(out.path, patterns) {
			return nil, Hint(Usage("--%s %s: the run writes its own file of this name", out.flag, out.path),
				"leave --"+out.flag+" out, or give another name")
		}
		err := g.set.Output(cmp.Or(out.what, "--out "+g.out), out.path)
		var clash *samefile.Clash
		if errors.As(err, &clash) && clash.Both && out.flag == "" {
			continue // names of one file in a folder are written apart
		}
		if err := g.wrong(err, out.flag); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// apart is wrong usage of outputs that would become a part of an input.
func (g *guard) apart(flags *Flags, o *Options, outputs []givenFile, patterns []string) error {
	for _, pattern := range patterns {
		outputs = append(outputs, givenFile{path: filepath.Join(g.out, filepath.FromSlash(pattern))})
	}
	for _, out := range outputs {
		for _, holds := range flags.holds {
			if what := holds(o, out.path); what != "" {
				err := Usage("%s would become a part of %s, an input; nothing was written", out.path, what)
				return Hint(err, otherName(out.flag))
			}
		}
	}
	return nil
}

// otherName says what to change about an output of a flag, or of --out.
func otherName(flag string) string {
	if flag == "" {
		return "choose another folder with --out"
	}
	return "choose another name for --" + flag
}

// givenFile is a path and how it was given.
type givenFile struct{ flag, what, path string }

// outputs are the values of flags that are written, and the files of --out that are there and may be written over.
// there is false where no file is.
func (g *guard) outputs(flags *Flags, patterns []string) (list []givenFile, there bool) {
	var seen []*[]string // of flags with several names
	for _, name := range flags.writes {
		f := flags.Lookup(name)
		if f == nil || f.Value.String() == "" {
			continue
		}
		values := []string{f.Value.String()}
		if texts, ok := f.Value.(*Texts); ok {
			if slices.Contains(seen, texts.Values) {
				continue
			}
			seen, values = append(seen, texts.Values), *texts.Values
		}
		for _, value := range values {
			path := Expand(value)
			_, err := os.Stat(path)
			there = there || err == nil
			list = append(list, givenFile{name, "--" + name + " " + value, path})
		}
	}
	for _, pattern := range patterns {
		paths, err := filepath.Glob(filepath.Join(escape.Glob(g.out), filepath.FromSlash(pattern)))
		if err != nil {
			continue
		}
		for _, path := range paths {
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				there = true
				list = append(list, givenFile{path: path})
			}
		}
	}
	return list, there
}

// own reports whether a path is a file that the run writes into --out by itself.
func (g *guard) own(path string, patterns []string) bool {
	name, err := samefile.Inside(g.out, path)
	return err == nil && matches(patterns, filepath.ToSlash(name))
}

// matches reports whether one of some patterns matches a name.
func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		ok, err := path.Match(pattern, name)
		return ok && err == nil
	})
}

// inputs are the files that options name, and, where something is there to be written over, those that they lead to.
func (t *Task) inputs(flags *Flags, o *Options, there bool) []givenFile {
	var list []givenFile
	add := func(what, text string) {
		for _, path := range filesIn(text) {
			list = append(list, givenFile{what: what, path: path})
		}
	}
	for _, f := range flags.given {
		name := cmp.Or(flags.aliases[f.Name], f.Name)
		if slices.Contains(flags.writes, name) || slices.Contains(flags.namesOutputs, name) {
			continue
		}
		for part := range strings.SplitSeq(f.Value, ",") {
			add("--"+f.Name+" "+part, strings.TrimSpace(part))
		}
		if strings.Contains(f.Value, ",") {
			add("--"+f.Name+" "+f.Value, f.Value)
		}
	}
	for _, arg := range o.Args {
		add("argument "+arg, arg)
	}
	for _, b := range flags.branches {
		b.texts(func(text string) { add(b.Key+" of the configuration", text) })
	}
	for _, layer := range t.Layers {
		add("configuration", layer.Path)
	}
	for _, s := range t.Merge {
		add("shard", s.Source)
	}
	for _, path := range t.Apart {
		add("input of another task", path)
	}
	if there {
		for _, reads := range flags.reads {
			for _, path := range reads(o) {
				list = append(list, givenFile{what: "input", path: path})
			}
		}
	}
	return list
}

// texts visits the texts of a branch.
func (b *Branch) texts(visit func(string)) {
	if text, ok := b.Value.(string); ok {
		visit(text)
	}
	for _, list := range [][]Branch{b.List, b.Members} {
		for i := range list {
			list[i].texts(visit)
		}
	}
}

// filesIn are the files that a text may name: itself, what stands behind an equals sign, and either without a key
// behind a colon.
func filesIn(text string) []string {
	var files []string
	for rest := text; rest != ""; {
		for file := Expand(rest); file != ""; {
			if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
				files = append(files, file)
				break
			}
			file = file[:max(strings.LastIndexByte(file, ':'), 0)]
		}
		_, rest, _ = strings.Cut(rest, "=")
	}
	return files
}

// input enters a file that is read.
func (g *guard) input(what, path string) error {
	if slices.Contains(g.kept, path) {
		return nil
	}
	return g.wrong(g.set.Input(what, path), "")
}

// over is wrong usage of a path that is an input.
func (g *guard) over(path string) error {
	if slices.Contains(g.kept, path) {
		return nil
	}
	return g.wrong(g.set.Over(path), "")
}

// wrong makes a clash wrong usage.
func (g *guard) wrong(err error, flag string) error {
	var clash *samefile.Clash
	if !errors.As(err, &clash) {
		return err
	}
	if name, _, named := strings.Cut(clash.Output, " "); named && flag == "" && name != "--out" {
		flag = strings.TrimPrefix(name, "--")
	}
	return Hint(Usage("%w; nothing was written", err), otherName(flag))
}

// Apart is wrong usage of outputs that are inputs, for files outside a run; outputs are patterns.
func Apart(inputs, outputs []string) error {
	g := &guard{}
	for _, path := range inputs {
		for _, file := range filesIn(path) {
			if err := g.input(file, file); err != nil {
				return err
			}
		}
	}
	for _, pattern := range outputs {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			continue
		}
		for _, path := range paths {
			if err := g.over(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkInputs finds inputs of the result over which files of --out would be written.
func (e *Env) checkInputs(names []string) error {
	for _, in := range e.Result.Inputs {
		for _, file := range filesIn(in.Path) {
			if err := e.guard.input(strings.TrimSpace(fmt.Sprintf("%s %s", in.Role, in.Name)), file); err != nil {
				return err
			}
		}
	}
	return e.Write(names...)
}
