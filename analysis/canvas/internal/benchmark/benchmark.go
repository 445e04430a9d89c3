// Package benchmark finds the cases of a benchmark on disk: references, what models made of them, and the steps on the
// way.
package benchmark

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"repscope/analysis/canvas/internal/source"
	"repscope/internal/regular"
	"repscope/internal/run"
	"repscope/internal/text"
)

// Tree is a benchmark:
//
//	benchmarks/<task without _gen>_gt/<gid>.{png,json}
//	results/<task>/<variant>/<gid>-<model>-<variant>/<case>-canvas.png, …
//
// A gid has two parts between dashes ("gid6-27"), and a model may have dashes.
type Tree struct {
	Files         fs.FS
	Folder        string // of the tree, before the paths of messages
	Task, Variant string
	Memory        bool // it is not on disk
}

// modifies reports whether the task begins with a design that is there: its references are
// <gid>-base and <gid>-target.
func (t *Tree) modifies() bool { return strings.HasPrefix(t.Task, "modification") }

// Results is the folder of the cases, in the tree.
func (t *Tree) Results() string { return path.Join("results", t.Task, t.Variant) }

// references is the folder of the references, in the tree.
func (t *Tree) references() string {
	dir := path.Join("benchmarks", strings.TrimSuffix(t.Task, "_gen")+"_gt")
	if t.modifies() && t.isFolder(path.Join(dir, t.Variant)) {
		return path.Join(dir, t.Variant)
	}
	return dir
}

// Outputs returns the folder of the tree for computed files.
func (t *Tree) Outputs() string { return path.Join("eval_outputs", t.Task, t.Variant) }

func (t *Tree) isFolder(name string) bool {
	info, err := fs.Stat(t.Files, name)
	return err == nil && info.IsDir()
}

// Reader is the [source.Reader] of the tree, and of files that flags name outside it.
func (t *Tree) Reader() source.Reader {
	if !t.Memory {
		return ReadFile
	}
	return func(name string) ([]byte, error) {
		if within, ok := strings.CutPrefix(name, t.Folder+"/"); ok {
			data, err := fs.ReadFile(t.Files, within)
			return data, readError(name, err)
		}
		return ReadFile(name)
	}
}

// Path is where a file of the tree is, for messages and for a [source.Reader].
func (t *Tree) Path(name string) string { return path.Join(filepath.ToSlash(t.Folder), name) }

// ReadFile is the [source.Reader] of files on disk.
func ReadFile(name string) ([]byte, error) {
	data, err := regular.Read(name, regular.Listing)
	return data, readError(name, err)
}

// readError explains an error of reading a file.
func readError(name string, err error) error {
	switch {
	case err == nil || errors.Is(err, regular.ErrTooLarge):
		return err
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: the file is missing", name)
	}
	return fmt.Errorf("%s: %w", name, source.Reason(err))
}

// found is what a tree holds.
type found struct {
	Cases []source.Case
	Odd   []string // what stands among the cases and is none, and why
}

// Find lists the cases of the tree: by sample, then by model, the steps of a case before its end,
// all in natural order. Errors: there is no such task, variant or folder of references, or no
// case in it.
func (t *Tree) Find(snapshots bool) (*found, error) {
	entries, err := fs.ReadDir(t.Files, t.Results())
	if err != nil {
		return nil, t.missing(err)
	}
	if !t.isFolder(t.references()) {
		return nil, run.Hint(fmt.Errorf("%s: no folder of references", t.Path(t.references())),
			"references of --task "+t.Task+" are <gid>.png and <gid>.json there")
	}
	f := &found{}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if why := t.add(f, e.Name(), snapshots); why != "" {
			f.Odd = append(f.Odd, e.Name()+" ("+why+")")
		}
	}
	if len(f.Cases) == 0 {
		err := fmt.Errorf(
			"%s: no case found; want folders <gid>-<model>-%s, such as gid6-27-gpt-4o-%s", t.Path(t.Results()),
			t.Variant, t.Variant)
		if len(f.Odd) > 0 {
			err = fmt.Errorf("%w; found %s", err, source.Few(f.Odd))
		}
		return nil, err
	}
	slices.SortFunc(f.Cases, compareCases)
	return f, nil
}

// compareCases is the order of cases.
func compareCases(a, b source.Case) int {
	if c := text.CompareNatural(a.Sample, b.Sample); c != 0 {
		return c
	}
	if c := text.CompareNatural(a.Model, b.Model); c != 0 {
		return c
	}
	return source.CompareSteps(a.Snapshot, b.Snapshot)
}

// missing says what there is in the place of results that cannot be listed.
func (t *Tree) missing(err error) error {
	if t.isFolder(t.Results()) {
		return fmt.Errorf("%s: %w", t.Path(t.Results()), source.Reason(err))
	}
	if !t.isFolder("results") {
		return run.Hint(fmt.Errorf("%s: no such folder", t.Path("results")),
			"--base-dir DIR names the folder with benchmarks and results")
	}
	for _, level := range []struct{ flag, value, dir string }{
		{"task", t.Task, "results"},
		{"variant", t.Variant, path.Join("results", t.Task)},
	} {
		names := t.folders(level.dir)
		if slices.Contains(names, level.value) {
			continue
		}
		there := "it is empty"
		if len(names) > 0 {
			there = "there are " + source.Few(names)
		}
		return run.Hint(fmt.Errorf("%s: no %s %q; %s", t.Path(level.dir), level.flag, level.value, there),
			text.DidYouMean("--"+level.flag+" ", level.value, names))
	}
	return fmt.Errorf("%s: %w", t.Path(t.Results()), source.Reason(err))
}

// folders are those in a folder of the tree.
func (t *Tree) folders(dir string) []string {
	entries, _ := fs.ReadDir(t.Files, dir)
	var out []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && t.isFolder(path.Join(dir, e.Name())) {
			out = append(out, e.Name())
		}
	}
	return out
}

// parse takes the name of a case apart.
func (t *Tree) parse(name string) (gid, model string, ok bool) {
	rest, ok := strings.CutSuffix(name, "-"+t.Variant)
	parts := strings.SplitN(rest, "-", 3)
	if !ok || len(parts) < 3 || slices.Contains(parts, "") {
		return "", "", false
	}
	return parts[0] + "-" + parts[1], parts[2], true
}

// add adds a case, or says why an entry is none.
func (t *Tree) add(f *found, name string, snapshots bool) (why string) {
	dir := path.Join(t.Results(), name)
	info, err := fs.Stat(t.Files, dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "a broken link"
	case err != nil:
		return source.Reason(err).Error()
	case !info.IsDir():
		return "not a folder"
	}
	gid, model, ok := t.parse(name)
	if !ok {
		return "want <gid>-<model>-" + t.Variant
	}
	c := source.Case{ID: name, Sample: gid, Model: model, Variant: t.Variant, Snapshot: -1, Reference: t.reference(gid)}
	if t.modifies() {
		c.Reference, c.Base = t.reference(gid+"-target"), t.reference(gid+"-base")
	}
	c.ExpectedTrace = t.Optional(path.Join(t.references(), gid), "-json-response.json")
	c.ReferenceSaliency = t.Optional(path.Join(t.references(), gid), "-saliency.png", "-saliency.npy")
	c.Fixations = t.Optional(path.Join(t.references(), gid), "-fixations.csv", "-fixations.png", "-fixations.npy")
	steps, odd := t.snapshots(dir, name)
	for _, s := range steps {
		if s.trace != "" {
			c.StepTraces = append(c.StepTraces, s.trace)
		}
		if snapshots && s.shown {
			step := c
			step.StepTraces = slices.Clip(step.StepTraces)
			step.Snapshot, step.Generated, step.Base, step.ExpectedTrace = s.number, s.side, source.Side{}, ""
			f.Cases = append(f.Cases, step)
		}
	}
	if snapshots {
		f.Odd = append(f.Odd, odd...)
	}
	base := path.Join(dir, name)
	c.Generated = source.Side{Image: t.Path(base + "-canvas.png"), Design: t.Path(base + "-json-structure.json")}
	c.Trace = t.Optional(base, "-json-response.json")
	c.GeneratedSaliency = t.Optional(base, "-saliency.png", "-saliency.npy")
	f.Cases = append(f.Cases, c)
	return ""
}

// reference are the files of a reference, which may be missing.
func (t *Tree) reference(name string) source.Side {
	own := t.Path(path.Join(t.references(), name))
	return source.Side{Image: own + ".png", Design: own + ".json"}
}

// Optional is the first of the files with these endings that is there, or none.
func (t *Tree) Optional(base string, endings ...string) string {
	for _, ending := range endings {
		if info, err := fs.Stat(t.Files, base+ending); err == nil && info.Mode().IsRegular() {
			return t.Path(base + ending)
		}
	}
	return ""
}

// step is a snapshot of a case.
type step struct {
	number int
	side   source.Side
	shown  bool   // there is an image or a design
	trace  string // what tools returned; empty where there is no such file
}

var snapshotName = regexp.MustCompile(`^-snapshot-([0-9]{1,9})(\.png|-structure\.json|\.json)$`)

// snapshots are the steps of a case by number, 10 after 9, and what stands among them and is none.
func (t *Tree) snapshots(dir, name string) (steps []step, odd []string) {
	folder := path.Join(dir, "snapshots")
	entries, err := fs.ReadDir(t.Files, folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		odd = append(odd, fmt.Sprintf("%s/snapshots (%v)", name, source.Reason(err)))
	}
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), name)
		parts := snapshotName.FindStringSubmatch(rest)
		if !ok || parts == nil {
			if strings.Contains(e.Name(), "-snapshot-") {
				odd = append(odd, fmt.Sprintf("%s/snapshots/%s (want %s-snapshot-N.png, -snapshot-N-structure.json or -snapshot-N.json)",
					name, e.Name(), name))
			}
			continue
		}
		number, _ := strconv.Atoi(parts[1])
		k := slices.IndexFunc(steps, func(s step) bool { return s.number == number })
		if k < 0 {
			k = len(steps)
			own := t.Path(path.Join(folder, name+"-snapshot-"+parts[1]))
			steps = append(steps, step{number: number, side: source.Side{Image: own + ".png", Design: own + "-structure.json"}})
		}
		s, file := &steps[k], t.Path(path.Join(folder, e.Name()))
		switch parts[2] {
		case ".png":
			s.side.Image, s.shown = file, true
		case ".json":
			s.trace = file
		default:
			s.side.Design, s.shown = file, true
		}
	}
	slices.SortFunc(steps, func(a, b step) int { return a.number - b.number })
	return steps, odd
}
