// Runs that are tasks of several: --shard, and what makes a result of the shards.

package run

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"repscope/internal/atomicfile"
	"repscope/internal/text"
	"repscope/report"
	"repscope/shard"
)

// Shard says which task of several a run is. The zero Shard is the whole work.
type Shard struct{ Index, Of int }

// String is "index/of".
func (s Shard) String() string {
	if s.Of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Of)
}

// Get is the shard itself.
func (s *Shard) Get() any { return *s }

// Set reads "index/of".
func (s *Shard) Set(value string) error {
	before, after, ok := strings.Cut(value, "/")
	i, err := strconv.Atoi(before)
	n, failed := strconv.Atoi(after)
	if !ok || err != nil || failed != nil || n < 1 || i < 0 || i >= n {
		return errors.New("want i/n: one of n shards, i from 0 to n − 1, such as 0/16")
	}
	*s = Shard{i, n}
	return nil
}

// File is the name of the shard of an analysis.
func (s Shard) File(analysis string) string {
	return fmt.Sprintf("%s.%d-of-%d.shard", analysis, s.Index, s.Of)
}

// job is how the work of a run is carried out; nil where it is neither divided nor merged.
func (t *Task) job(o *Options) *shard.Job {
	switch {
	case t.Only != nil:
		return &shard.Job{Only: t.Only}
	case t.Merge != nil:
		return &shard.Job{States: t.Merge}
	case o.Shard.Of > 0:
		return &shard.Job{Index: o.Shard.Index, Of: o.Shard.Of}
	}
	return nil
}

// Divided reports whether the run does a part of the work, or merges such parts: it does not
// resume an interrupted run.
func (e *Env) Divided() bool { return e.job != nil }

// Merging reports whether the run merges parts, and computes none.
func (e *Env) Merging() bool { return e.job != nil && e.job.Merges() }

// Together is wrong usage of --shard with an option whose work is not divided, for a reason.
func (o *Options) Together(option, reason string) error {
	if o.Shard.Of == 0 {
		return nil
	}
	return Hint(Usage("--shard and %s cannot be used together: %s", option, reason), "leave one of them out")
}

// writeShard writes what the task has computed in place of a result.
func (e *Env) writeShard(flags *Flags) error {
	state := e.job.State()
	if state == nil {
		return Hint(Usage("--shard %s: nothing computed with these options can be divided", e.Options.Shard),
			"leave --shard out")
	}
	var err error
	if state.Origin, err = e.origin(flags); err != nil {
		return err
	}
	e.Files.Abort()
	if e.Files, err = report.Begin(e.Options.Out); err != nil {
		return err
	}
	defer e.Files.Abort()
	e.Files.Guard = e.guard.over
	name := e.Options.Shard.File(e.Command.Name)
	if err := e.Files.File(name, state.Write); err != nil {
		return err
	}
	if err := e.Files.Commit(); err != nil {
		return err
	}
	e.Note("wrote %s: %s, %d of %s", e.Files.Dir(), name, len(state.Parts), text.Count(state.Identity.Units, "unit"))
	return nil
}

// ephemeral are the options that say where and how a run writes and runs, not what.
var ephemeral = []string{
	"out", "quiet", "verbose", "json", "config", "shard", "threads", "memory", "dry-run", "version",
}

// origin is how the run was started.
func (e *Env) origin(flags *Flags) (*shard.Origin, error) {
	o := &shard.Origin{Command: e.Command.Name, Index: e.Options.Shard.Index, Of: e.Options.Shard.Of,
		Settings: flags.settings(), Inputs: []shard.Input{}, Version: e.Result.Version}
	for _, in := range e.Result.Inputs {
		o.Inputs = append(o.Inputs, shard.Input{Role: in.Role, Name: in.Name, Path: in.Path, SHA256: in.SHA256})
	}
	if len(flags.branches) > 0 {
		var root yaml.Node
		root.Kind = yaml.MappingNode
		for _, b := range flags.branches {
			root.Content = append(root.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: b.Key}, b.yaml())
		}
		config, err := yaml.Marshal(&root)
		if err != nil {
			return nil, err
		}
		o.Config = string(config)
	}
	var err error
	o.Folder, err = os.Getwd()
	return o, err
}

// settings are the options that were set: options of one value by name, then options that repeat in the order in which
// they were set.
func (f *Flags) settings() []shard.Field {
	single, repeated := map[string]shard.Field{}, []shard.Field{}
	for _, s := range f.given {
		if slices.Contains(ephemeral, s.Name) {
			continue
		}
		if r, ok := f.Lookup(s.Name).Value.(repeater); ok && r.Repeats() {
			repeated = append(repeated, s)
			continue
		}
		single[s.Name] = s
	}
	all := []shard.Field{}
	f.VisitAll(func(fl *flag.Flag) {
		if s, ok := single[fl.Name]; ok {
			all = append(all, s)
		}
	})
	return append(all, repeated...)
}

// set sets a flag and remembers it.
func (f *Flags) set(name, text string) error {
	err := f.Set(name, text)
	if err == nil {
		f.given = append(f.given, shard.Field{Name: name, Value: text})
	}
	return err
}

// AffectsFiles reports whether an option can change a file of the result; it is false of where
// and how a run runs.
func AffectsFiles(c Command, option string) bool {
	flags := newFlags(c.Name)
	job := c.Setup(flags)
	(&Options{}).register(flags, &c, job)
	return flags.groups[option] != Running && !slices.Contains(ephemeral, option)
}

// Merged is the task that makes the result of states, which were computed with the settings of
// one origin, with arguments besides.
func Merged(c Command, origin *shard.Origin, states []*shard.State, args ...string) (*Task, error) {
	t := &Task{Command: c, Merge: states}
	for _, s := range origin.Settings {
		t.Args = append(t.Args, "--"+s.Name+"="+s.Value)
	}
	t.Args = append(t.Args, args...)
	if origin.Config == "" {
		return t, nil
	}
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(origin.Config), &root); err != nil || len(root.Content) != 1 {
		return nil, fmt.Errorf("%w: their configuration: %w", shard.ErrDamaged, err)
	}
	t.Layers = []Layer{{Path: "of the shards", Content: root.Content[0].Content}}
	return t, nil
}

// Recompute computes some units of the work of a shard again, as its origin says, and returns their state; no file is
// written. Nothing is taken from a cache.
func Recompute(ctx context.Context, c Command, origin *shard.Origin, units []shard.Range,
	stderr io.Writer) (*shard.State, error) {
	if origin == nil {
		return nil, errors.New("it does not record its command")
	}
	out, err := atomicfile.TemporaryFolder("repscope-verify-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(out)
	uncached := *origin
	uncached.Settings = slices.DeleteFunc(slices.Clone(origin.Settings),
		func(f shard.Field) bool { return f.Name == "cache" })
	args := []string{"--out", out, "--quiet"}
	if slices.Contains(FlagNames(c), "cache") {
		args = append(args, "--cache", "off")
	}
	t, err := Merged(c, &uncached, nil, args...)
	if err != nil {
		return nil, err
	}
	t.Only = units
	if err := t.Run(ctx, io.Discard, stderr); err != nil {
		return nil, err
	}
	return t.computed, nil
}

// checkMerged finds inputs that differ from the inputs of the shards, and work that was not merged.
func (e *Env) checkMerged(err error) error {
	switch {
	case err == nil && !e.job.Used():
		return errors.New("the shards are parts of an analysis that these options do not run")
	case err != nil && !errors.Is(err, shard.ErrForeign):
		return e.elsewhere(err)
	}
	if changed := e.changed(); changed != nil {
		return changed
	}
	return err
}

// changed names an input that has changed since the shards were made.
func (e *Env) changed() error {
	for _, s := range e.job.States {
		for _, was := range s.Origin.Inputs {
			i := slices.IndexFunc(e.Result.Inputs, func(in report.Input) bool {
				return in.Role == was.Role && in.Name == was.Name && in.Path == was.Path
			})
			what := strings.TrimSpace(was.Role + " " + was.Name)
			switch {
			case i < 0:
				return fmt.Errorf("%s %s: an input of %s that this run does not read", what, was.Path, s.Source)
			case e.Result.Inputs[i].SHA256 != was.SHA256:
				return Hint(fmt.Errorf("%s %s: changed since %s was made: SHA-256 %.12s…, want %.12s…", what, was.Path, s.Source, e.Result.Inputs[i].SHA256, was.SHA256),
					"merge with the inputs of the shards, or compute all shards again")
			}
		}
	}
	return nil
}

// elsewhere adds to an error where the shards were made, if that is another folder.
func (e *Env) elsewhere(err error) error {
	if err == nil || !errors.Is(err, os.ErrNotExist) {
		return err
	}
	here, failed := os.Getwd()
	if folder := e.job.States[0].Origin.Folder; failed == nil && folder != here {
		return Hint(err, "the shards were made in "+folder+", and paths are relative to that folder; merge there")
	}
	return err
}

// divided does the work of a run that computes a part or merges.
func (e *Env) divided(ctx context.Context, job Job, flags *Flags, finish func() error) error {
	err := e.guarded(e.job.In(ctx), job.Run)
	if e.job.Only != nil {
		return err
	}
	if !e.Merging() {
		if err != nil {
			return err
		}
		return e.writeShard(flags)
	}
	if err := e.checkMerged(err); err != nil {
		return err
	}
	return finish()
}
