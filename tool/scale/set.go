// Shards that were found, and what they lack.

package scale

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"repscope/internal/escape"
	"repscope/internal/regular"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/shard"
)

// Set are the shards of one analysis, sorted by their tasks.
type Set struct {
	Command run.Command
	States  []*shard.State
}

// Open reads the heads of shards and checks that each is whole and that they are parts of one
// work. Paths are files, and folders whose files *.shard are all read. Errors: no shards,
// [shard.ErrDamaged], shards of different work or of an unknown analysis.
func Open(analyses []run.Command, paths []string) (*Set, error) {
	files, err := filesOf(paths)
	if err != nil {
		return nil, err
	}
	s := &Set{}
	var damaged error
	for _, path := range files {
		state, err := shard.Open(path)
		if err == nil && state.Origin == nil {
			err = fmt.Errorf("%s: this shard does not record its command", path)
		}
		if err != nil {
			damaged = errors.Join(damaged, regular.PathError(err))
			continue
		}
		s.States = append(s.States, state)
	}
	if damaged != nil {
		return nil, run.Hint(damaged, "compute them again with the commands that wrote them")
	}
	slices.SortStableFunc(s.States, func(a, b *shard.State) int {
		return cmp.Or(a.Origin.Of-b.Origin.Of, a.Origin.Index-b.Origin.Index, strings.Compare(a.Source, b.Source))
	})
	if err := s.oneWork(); err != nil {
		return nil, err
	}
	name := s.States[0].Origin.Command
	i := slices.IndexFunc(analyses, func(c run.Command) bool { return c.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("%s: a shard of %s, which is not an analysis of this program", s.States[0].Source, name)
	}
	s.Command = analyses[i]
	return s, s.oneStart()
}

// filesOf are the files, and those that are in folders.
func filesOf(paths []string) ([]string, error) {
	var files []string
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, regular.PathError(err)
		}
		if !info.IsDir() {
			files = append(files, path)
			continue
		}
		parts, err := filepath.Glob(filepath.Join(escape.Glob(path), "*.shard"))
		if err != nil {
			return nil, err
		}
		if len(parts) == 0 {
			return nil, fmt.Errorf("%s: this folder has no files *.shard", path)
		}
		files = append(files, parts...)
	}
	return files, nil
}

// oneWork finds shards of other work than most.
func (s *Set) oneWork() error {
	model, alike := s.States[0], 0
	for _, a := range s.States {
		n := 0
		for _, b := range s.States {
			if a.Identity.Difference(b.Identity) == "" {
				n++
			}
		}
		if n > alike {
			model, alike = a, n
		}
		if alike == len(s.States) {
			return nil
		}
	}
	var all error
	for _, b := range s.States {
		if d := b.Identity.Difference(model.Identity); d != "" {
			all = errors.Join(all, fmt.Errorf("%s is not part of the same work as %s: %s", b.Source, model.Source, d))
		}
	}
	return all
}

// oneStart finds shards of one work whose results would have different files or names.
func (s *Set) oneStart() error {
	first := s.States[0]
	for _, b := range s.States[1:] {
		if d := difference(settings(s.Command, b.Origin), settings(s.Command, first.Origin)); d != "" {
			return fmt.Errorf("%s and %s were computed with different options: %s", b.Source, first.Source, d)
		}
		if b.Origin.Config != first.Origin.Config {
			return fmt.Errorf("%s and %s were computed with different configurations", b.Source, first.Source)
		}
	}
	return nil
}

// settings are those that can change a file.
func settings(c run.Command, o *shard.Origin) []shard.Field {
	return slices.DeleteFunc(slices.Clone(o.Settings), func(f shard.Field) bool { return !run.AffectsFiles(c, f.Name) })
}

// difference names the first option that is not the same in two lists.
func difference(a, b []shard.Field) string {
	name := func(f shard.Field) string { return "--" + f.Name + " " + f.Value }
	for i := range max(len(a), len(b)) {
		switch {
		case i >= len(a):
			return "no option in one, " + name(b[i]) + " in the other"
		case i >= len(b):
			return name(a[i]) + " in one, no option in the other"
		case a[i] != b[i]:
			return name(a[i]) + " and " + name(b[i])
		}
	}
	return ""
}

// Missing are the units that no shard has, ascending.
func (s *Set) Missing() []int {
	units := s.States[0].Identity.Units
	has := make([]bool, units)
	for _, state := range s.States {
		for u, there := range state.Has(units) {
			has[u] = has[u] || there
		}
	}
	var missing []int
	for u, there := range has {
		if !there {
			missing = append(missing, u)
		}
	}
	return missing
}

// mostCommands are how many commands an error names.
const mostCommands = 8

// Complete finds units that are missing, with the commands that compute them, and parts that
// overlap or conflict.
func (s *Set) Complete() error {
	missing := s.Missing()
	if len(missing) == 0 {
		_, err := shard.Union(s.States[0].Identity, s.States...)
		return err
	}
	units := s.States[0].Identity.Units
	tasks := s.tasksOf(missing)
	var names, commands []string
	for _, t := range tasks {
		names = append(names, t.String())
		commands = append(commands, s.CommandOf(t))
	}
	if n := len(names); n > mostCommands {
		names = append(names[:mostCommands], fmt.Sprintf("and %d more", n-mostCommands))
		commands = append(commands[:mostCommands], fmt.Sprintf("and %d more commands of this form", n-mostCommands))
	}
	what := "shard"
	if len(tasks) > 1 {
		what = "shards"
	}
	return run.Hint(fmt.Errorf("%d of %s of %s missing, from %s %s", len(missing), text.Count(units, "unit"), s.Command.Name, what, strings.Join(names, ", ")),
		commands...)
}

// tasksOf are the tasks that have some units, of as many as most shards are of.
func (s *Set) tasksOf(units []int) []run.Shard {
	count, total := map[int]int{}, 0
	for _, state := range s.States {
		n := state.Origin.Of
		if count[n]++; count[n] > count[total] || count[n] == count[total] && n > total {
			total = n
		}
	}
	var tasks []run.Shard
	for _, u := range units {
		if t := (run.Shard{Index: u % total, Of: total}); !slices.Contains(tasks, t) {
			tasks = append(tasks, t)
		}
	}
	slices.SortFunc(tasks, func(a, b run.Shard) int { return a.Index - b.Index })
	return tasks
}

// CommandOf is the command line of a task of the work, for a shell.
func (s *Set) CommandOf(t run.Shard) string {
	first := s.States[0]
	words := []string{s.Command.Name}
	for _, f := range first.Origin.Settings {
		words = append(words, escape.Shell("--"+f.Name+"="+f.Value))
	}
	if first.Origin.Config != "" {
		words = append(words, "--config", "the configuration of the others")
	}
	return strings.Join(append(words, "--shard", t.String(), "--out", escape.Shell(filepath.Dir(first.Source))), " ")
}
