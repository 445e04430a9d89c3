// From arguments to files: folders, tasks, runs and names.

package compare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"repscope/internal/gunzip"
	"repscope/internal/parallel"
	"repscope/internal/regular"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/report"
	"repscope/tool/compare/tracker"
)

// Spec is one argument: a file or folder, with the task and the run that it was given.
type Spec struct {
	Task, Run, Path string
	Tables          *Tables // how it is read, if it is a table; nil: by the names of its columns
}

// ParseSpec reads [TASK][@RUN]=PATH or PATH.
func ParseSpec(argument string) (Spec, error) {
	axes, path, ok := run.CutFile(argument)
	if !ok {
		return Spec{Path: path}, nil
	}
	s := Spec{Task: axes, Path: path}
	if i := strings.LastIndex(axes, "@"); i >= 0 {
		s.Task, s.Run = axes[:i], axes[i+1:]
		if s.Run == "" {
			return s, fmt.Errorf("%q: there is no run after @", argument)
		}
	}
	if path == "" || s.Task == "" && s.Run == "" {
		return s, fmt.Errorf("%q: want FILE, TASK=FILE, @RUN=FILE or TASK@RUN=FILE", argument)
	}
	return s, nil
}

// Gathered are the files of all arguments.
type Gathered struct {
	Files   []*File
	Ignored []string // JSON files of folders that are no results
	Empty   []string // folders without any result
	Read    []string // names that were read as runs, though they do not look it: see settle
}

// Gather reads the files of all arguments; folders stand for all result files in and
// below them, also of lm-evaluation-harness, without the results of tools. Errors: of [Read]; a folder without results.
func Gather(ctx context.Context, specs []Spec, threads int) (*Gathered, error) {
	type item struct {
		Spec
		inFolder bool
	}
	var items []item
	folders := map[string]int{} // results in each
	recovered := map[string]bool{}
	for _, s := range specs {
		paths, folder, err := filesOf(s.Path)
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			items = append(items, item{Spec{s.Task, s.Run, path, s.Tables}, folder})
		}
		if folder {
			folders[s.Path] = 0
		} else if dir := filepath.Dir(s.Path); !recovered[dir] {
			report.Recover(dir)
			recovered[dir] = true
		}
	}
	files := make([][]*File, len(items))
	failed := make([]error, len(items))
	err := parallel.Try(ctx, threads, len(items), func(_, i int) error {
		files[i], failed[i] = read(items[i].Path, items[i].inFolder, items[i].Tables)
		return nil
	})
	if err != nil {
		return nil, err
	}
	g := &Gathered{}
	for i, item := range items {
		if err := failed[i]; err != nil {
			if item.inFolder && (errors.Is(err, report.ErrNotResult) || errors.Is(err, errNoModels)) {
				g.Ignored = append(g.Ignored, item.Path)
				continue
			}
			return nil, err
		}
		for _, f := range files[i] {
			if item.inFolder && (f.result == nil && f.Layout != layoutHarness || isTool(f.Analysis)) {
				g.Ignored = append(g.Ignored, item.Path)
				break
			}
			if err := f.place(item.Spec); err != nil {
				return nil, err
			}
			g.Files = append(g.Files, f)
			for folder := range folders {
				if item.inFolder && within(item.Path, folder) {
					folders[folder]++
				}
			}
		}
	}
	for _, s := range specs {
		if n, ok := folders[s.Path]; ok && n == 0 && !slices.Contains(g.Empty, s.Path) {
			g.Empty = append(g.Empty, s.Path)
		}
	}
	if len(g.Files) == 0 {
		return nil, fmt.Errorf("there are no result files in %s", strings.Join(pathsOf(specs), ", "))
	}
	g.settle()
	return g, nil
}

// within reports whether a file lies in a folder, or below it.
func within(path, folder string) bool {
	rest, err := filepath.Rel(folder, path)
	return err == nil && rest != ".." && !strings.HasPrefix(rest, ".."+string(filepath.Separator))
}

// isTool tells results that hold no measurements.
func isTool(analysis string) bool { return analysis == "compare" || analysis == "encode" }

func pathsOf(specs []Spec) []string {
	var paths []string
	for _, s := range specs {
		paths = append(paths, s.Path)
	}
	return paths
}

// filesOf are the JSON files in and below a folder, or the file itself.
func filesOf(path string) (paths []string, folder bool, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, false, regular.PathError(err)
	}
	if !info.IsDir() || tracker.IsStore(path) {
		return []string{path}, false, nil
	}
	err = filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			report.Recover(file)
		}
		if err == nil && !d.IsDir() && filepath.Ext(gunzip.Name(file)) == ".json" {
			paths = append(paths, file)
		}
		return err
	})
	return paths, true, err
}

// place gives a file the task and run of its argument.
func (f *File) place(s Spec) error {
	switch {
	case s.Task == "":
	case f.inside:
		f.Task = s.Task + "/" + f.Task
	case f.Task != "" && f.Task != s.Task:
		return fmt.Errorf("%s is given as task %q and says itself that it is task %q", f.Path, s.Task, f.Task)
	default:
		f.Task = s.Task
	}
	if s.Run == "" {
		return nil
	}
	if i := slices.IndexFunc(f.Models, func(m *FileModel) bool { return m.Run != "" }); i >= 0 {
		return fmt.Errorf("%s is given as run %q and has runs itself, such as %s of %s", f.Path, s.Run, f.Models[i].Run, f.Models[i].Name)
	}
	f.Run = s.Run
	return nil
}

// Rename gives models other names: NEW for each file in turn, where every file has one
// model; or OLD=NEW, and FILE:OLD=NEW for the model of one file. Names
// for files in turn may have an equals sign, as names of checkpoints do. Errors: names that nothing has,
// numbers of names and files that differ.
func (g *Gathered) Rename(names []string) error {
	inTurn, err := g.inTurn(names)
	if err != nil {
		return err
	}
	var plain []string
	for _, name := range names {
		if inTurn {
			plain = append(plain, strings.ReplaceAll(name, `\=`, "="))
			continue
		}
		old, renamed, _ := run.CutName(name)
		if err := g.rename(old, renamed); err != nil {
			return err
		}
	}
	if len(plain) == 0 {
		return nil
	}
	paths := g.paths()
	if len(plain) != len(paths) {
		return fmt.Errorf("--names: %s for %s; want one for each file, or OLD=NEW", text.Count(len(plain), "name"), text.Count(len(paths), "file"))
	}
	for _, f := range g.Files {
		if len(f.Models) != 1 {
			return fmt.Errorf("--names: %s has the models %s; want OLD=NEW to rename one of several", f.Path, strings.Join(f.given(), ", "))
		}
		f.Models[0].Name = plain[slices.Index(paths, f.Path)]
	}
	return nil
}

// inTurn tells names for the files in turn from OLD=NEW. Where some have an equals sign and
// others none, all are names if there is one for each file and nothing is called OLD.
func (g *Gathered) inTurn(names []string) (bool, error) {
	plain, previous := 0, ""
	for _, name := range names {
		if old, _, ok := run.CutName(name); !ok {
			plain++
		} else if g.has(old) {
			previous = old
		}
	}
	if plain == 0 || plain == len(names) || previous == "" && len(names) == len(g.paths()) {
		return plain > 0, nil
	}
	return false, run.Usage("--names has both names for the files in turn and OLD=NEW; " +
		`want one kind, and \= for an equals sign in a name`)
}

func (g *Gathered) has(name string) bool {
	return slices.ContainsFunc(g.Files, func(f *File) bool {
		return slices.ContainsFunc(f.Models, func(m *FileModel) bool { return f.calls(m, name) })
	})
}

// calls says whether a name of --names is the name of the model m of the file.
func (f *File) calls(m *FileModel, name string) bool {
	return name == m.Given || name == m.Name || name == f.Path+":"+m.Given || name == filepath.Base(f.Path)+":"+m.Given
}

func (g *Gathered) rename(old, renamed string) error {
	if old == "" || renamed == "" {
		return fmt.Errorf("--names %s=%s: want OLD=NEW", old, renamed)
	}
	ok := false
	var names []string
	for _, f := range g.Files {
		for _, m := range f.Models {
			if f.calls(m, old) {
				m.Name, ok = renamed, true
			}
			names = append(names, m.Given)
		}
	}
	if ok {
		return nil
	}
	slices.Sort(names)
	names = slices.Compact(names)
	hint := ""
	if near := text.Nearest(old, names); near != "" {
		hint = fmt.Sprintf("; did you mean %q?", near)
	}
	return fmt.Errorf(`--names %s=%s: no file has a model %q (there are %s)%s; an equals sign in a name is written \=`,
		old, renamed, old, strings.Join(names, ", "), hint)
}

// paths are the paths of the files, each once, in order.
func (g *Gathered) paths() []string {
	var paths []string
	for _, f := range g.Files {
		if !slices.Contains(paths, f.Path) {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

// given are the names of the models in the file.
func (f *File) given() []string {
	var names []string
	for _, m := range f.Models {
		names = append(names, m.Given)
	}
	return names
}

// settle gives the models of a file their runs. NAME@RUN is a run of NAME unless a model of
// this name has no run: with a model ViT-L/14, @ is part of the name ViT-L/14@336px.
func (g *Gathered) settle() {
	plain := map[string]bool{}
	for _, f := range g.Files {
		for _, m := range f.Models {
			if _, run := cutRun(m.Given); (run == "" || m.settled) && f.Run == "" && m.Run == "" {
				plain[m.Given] = true
			}
		}
	}
	for _, f := range g.Files {
		for _, m := range f.Models {
			if name, run := cutRun(m.Given); run != "" && !m.settled && m.Name == m.Given && !plain[name] {
				m.Name, m.Run = name, run
				if read := m.Given + " as the run " + run + " of " + name; !usualRun.MatchString(run) && !slices.Contains(g.Read, read) {
					g.Read = append(g.Read, read)
				}
			}
			m.Run = cmp.Or(m.Run, f.Run)
		}
	}
}

// usualRun is the name of a run as a study has them.
var usualRun = regexp.MustCompile(`^(?i)(s|seed|r|run|rep|fold|trial)?[-_ ]?[0-9]+$`)

// cutRun splits NAME@RUN; run is empty for other names.
func cutRun(argument string) (name, run string) {
	if i := strings.LastIndex(argument, "@"); i > 0 && i < len(argument)-1 {
		return argument[:i], argument[i+1:]
	}
	return argument, ""
}
