// From what is given to files: folders, tasks, runs and names.

package compare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"repscope/internal/parallel"
	"repscope/internal/text"
	"repscope/report"
)

// Spec is one argument: a file or folder, with the task and the run that it was given.
type Spec struct{ Task, Run, Path string }

// ParseSpec reads [TASK][@RUN]=PATH or PATH.
func ParseSpec(given string) (Spec, error) {
	if _, err := os.Stat(given); err == nil {
		return Spec{Path: given}, nil
	}
	axes, path, ok := strings.Cut(given, "=")
	if !ok {
		return Spec{Path: given}, nil
	}
	s := Spec{Task: axes, Path: path}
	if i := strings.LastIndex(axes, "@"); i >= 0 {
		s.Task, s.Run = axes[:i], axes[i+1:]
		if s.Run == "" {
			return s, fmt.Errorf("%q: there is no run after @", given)
		}
	}
	if path == "" || s.Task == "" && s.Run == "" {
		return s, fmt.Errorf("%q: want FILE, TASK=FILE, @RUN=FILE or TASK@RUN=FILE", given)
	}
	return s, nil
}

// Gathered are the files of all arguments.
type Gathered struct {
	Files   []*File
	Ignored []string // JSON files of folders that are no results
}

// Gather reads the files of all arguments; folders stand for all result files in and
// below them, but for those of tools. Errors: those of [Read]; a folder without
// results.
func Gather(ctx context.Context, specs []Spec, threads int) (*Gathered, error) {
	type item struct {
		Spec
		inFolder bool
	}
	var items []item
	for _, s := range specs {
		paths, folder, err := filesOf(s.Path)
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			items = append(items, item{Spec{s.Task, s.Run, path}, folder})
		}
	}
	found := make([][]*File, len(items))
	failed := make([]error, len(items))
	err := parallel.Try(ctx, threads, len(items), func(_, i int) error {
		found[i], failed[i] = read(items[i].Path, items[i].inFolder)
		return nil
	})
	if err != nil {
		return nil, err
	}
	g := &Gathered{}
	for i, item := range items {
		if err := failed[i]; err != nil {
			if item.inFolder && errors.Is(err, report.ErrNotResult) {
				g.Ignored = append(g.Ignored, item.Path)
				continue
			}
			return nil, err
		}
		for _, f := range found[i] {
			if item.inFolder && (f.result == nil || isTool(f.Analysis)) {
				g.Ignored = append(g.Ignored, item.Path)
				break
			}
			if err := f.place(item.Spec); err != nil {
				return nil, err
			}
			g.Files = append(g.Files, f)
		}
	}
	if len(g.Files) == 0 {
		return nil, fmt.Errorf("there are no result files in %s", strings.Join(pathsOf(specs), ", "))
	}
	return g, nil
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
		var p *fs.PathError
		if errors.As(err, &p) {
			err = fmt.Errorf("%s: %w", path, p.Err)
		}
		return nil, false, err
	}
	if !info.IsDir() {
		return []string{path}, false, nil
	}
	err = filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			report.Recover(file)
		}
		if err == nil && !d.IsDir() && filepath.Ext(file) == ".json" {
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
	case f.Layout == layoutDatasets:
		f.Task = s.Task + "/" + f.Task
	case f.Task != "" && f.Task != s.Task:
		return fmt.Errorf("%s is given as task %q and says itself that it is task %q", f.Path, s.Task, f.Task)
	default:
		f.Task = s.Task
	}
	if s.Run != "" {
		f.Run = s.Run
	}
	return nil
}

// Rename gives models other names: NEW for each file in turn, where every file has one
// model; or OLD=NEW, and FILE:OLD=NEW for the model of one file. Errors: names that
// nothing has, numbers of names and files that differ.
func (g *Gathered) Rename(names []string) error {
	var plain []string
	for _, name := range names {
		old, renamed, ok := strings.Cut(name, "=")
		if !ok {
			plain = append(plain, name)
			continue
		}
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

func (g *Gathered) rename(old, renamed string) error {
	if old == "" || renamed == "" {
		return fmt.Errorf("--names %s=%s: want OLD=NEW", old, renamed)
	}
	found := false
	var known []string
	for _, f := range g.Files {
		for _, m := range f.Models {
			if old == m.Given || old == m.Name || old == f.Path+":"+m.Given || old == filepath.Base(f.Path)+":"+m.Given {
				m.Name, found = renamed, true
			}
			known = append(known, m.Given)
		}
	}
	if found {
		return nil
	}
	slices.Sort(known)
	known = slices.Compact(known)
	hint := ""
	if near := text.Nearest(old, known); near != "" {
		hint = fmt.Sprintf("; did you mean %q?", near)
	}
	return fmt.Errorf("--names %s=%s: no file has a model %q (there are %s)%s", old, renamed, old, strings.Join(known, ", "), hint)
}

// paths are those of the files, each once, in order.
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

// settle gives the models of a file their runs.
func (g *Gathered) settle() {
	for _, f := range g.Files {
		for _, m := range f.Models {
			m.Run = cmp.Or(m.Run, f.Run)
		}
	}
}
