// A benchmark on disk: references, what models made of them, and the steps on the way.

package canvas

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

	"repscope/internal/regular"
	"repscope/internal/run"
	"repscope/internal/text"
)

// tree is a benchmark:
//
//	benchmarks/<task without _gen>_gt/<gid>.{png,json}
//	results/<task>/<variant>/<gid>-<model>-<variant>/<case>-canvas.png, …
//
// A gid has two parts between dashes ("gid6-27"), and a model may have dashes.
type tree struct {
	files         fs.FS
	folder        string // of the tree, before the paths of messages
	task, variant string
	memory        bool // it is not on disk
}

// modifies reports whether the task begins with a design that is there: its references are
// <gid>-base and <gid>-target.
func (t *tree) modifies() bool { return strings.HasPrefix(t.task, "modification") }

// results is the folder of the cases, in the tree.
func (t *tree) results() string { return path.Join("results", t.task, t.variant) }

// references is the folder of the references, in the tree.
func (t *tree) references() string {
	dir := path.Join("benchmarks", strings.TrimSuffix(t.task, "_gen")+"_gt")
	if t.modifies() && t.isFolder(path.Join(dir, t.variant)) {
		return path.Join(dir, t.variant)
	}
	return dir
}

// outputs is the folder of what is computed, in the tree.
func (t *tree) outputs() string { return path.Join("eval_outputs", t.task, t.variant) }

func (t *tree) isFolder(name string) bool {
	info, err := fs.Stat(t.files, name)
	return err == nil && info.IsDir()
}

// reader is the [Reader] of the tree, and of files that flags name beside it.
func (t *tree) reader() Reader {
	if !t.memory {
		return readFile
	}
	return func(name string) ([]byte, error) {
		if within, ok := strings.CutPrefix(name, t.folder+"/"); ok {
			data, err := fs.ReadFile(t.files, within)
			return data, readError(name, err)
		}
		return readFile(name)
	}
}

// path is where a file of the tree is, for messages and for a [Reader].
func (t *tree) path(name string) string { return path.Join(filepath.ToSlash(t.folder), name) }

// readFile is the [Reader] of files on disk.
func readFile(name string) ([]byte, error) {
	data, err := regular.Read(name, regular.Listing)
	return data, readError(name, err)
}

// readError says of an error of reading a file what is wrong.
func readError(name string, err error) error {
	switch {
	case err == nil || errors.Is(err, regular.ErrTooLarge):
		return err
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: the file is missing", name)
	}
	return fmt.Errorf("%s: %w", name, reasonOf(err))
}

// found is what a tree holds.
type found struct {
	cases []Case
	odd   []string // what stands among the cases and is none, and why
}

// find lists the cases of the tree: by sample, then by model, the steps of a case before its end,
// all in natural order. Errors: there is no such task, variant or folder of references, or no
// case in it.
func (t *tree) find(snapshots bool) (*found, error) {
	entries, err := fs.ReadDir(t.files, t.results())
	if err != nil {
		return nil, t.missing(err)
	}
	if !t.isFolder(t.references()) {
		return nil, run.Hint(fmt.Errorf("%s: there is no folder of references", t.path(t.references())),
			"references of --task "+t.task+" are <gid>.png and <gid>.json there")
	}
	f := &found{}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if why := t.add(f, e.Name(), snapshots); why != "" {
			f.odd = append(f.odd, e.Name()+" ("+why+")")
		}
	}
	if len(f.cases) == 0 {
		err := fmt.Errorf("%s: it has no case; want folders <gid>-<model>-%s, such as gid6-27-gpt-4o-%s", t.path(t.results()),
			t.variant, t.variant)
		if len(f.odd) > 0 {
			err = fmt.Errorf("%w; it has %s", err, few(f.odd))
		}
		return nil, err
	}
	slices.SortFunc(f.cases, compareCases)
	return f, nil
}

// compareCases is the order of cases.
func compareCases(a, b Case) int {
	if c := text.CompareNatural(a.Sample, b.Sample); c != 0 {
		return c
	}
	if c := text.CompareNatural(a.Model, b.Model); c != 0 {
		return c
	}
	return compareSteps(a.Snapshot, b.Snapshot)
}

// missing says what there is in the place of results that cannot be listed.
func (t *tree) missing(err error) error {
	if t.isFolder(t.results()) {
		return fmt.Errorf("%s: %w", t.path(t.results()), reasonOf(err))
	}
	if !t.isFolder("results") {
		return run.Hint(fmt.Errorf("%s: there is no such folder", t.path("results")),
			"--base-dir DIR names the folder that holds benchmarks and results")
	}
	for _, of := range []struct{ flag, value, dir string }{
		{"task", t.task, "results"},
		{"variant", t.variant, path.Join("results", t.task)},
	} {
		known := t.folders(of.dir)
		if slices.Contains(known, of.value) {
			continue
		}
		there := "it is empty"
		if len(known) > 0 {
			there = "there are " + few(known)
		}
		return run.Hint(fmt.Errorf("%s: it has no %s %q; %s", t.path(of.dir), of.flag, of.value, there),
			run.DidYouMean("--"+of.flag+" ", of.value, known))
	}
	return fmt.Errorf("%s: %w", t.path(t.results()), reasonOf(err))
}

// folders are those in a folder of the tree.
func (t *tree) folders(dir string) []string {
	entries, _ := fs.ReadDir(t.files, dir)
	var out []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && t.isFolder(path.Join(dir, e.Name())) {
			out = append(out, e.Name())
		}
	}
	return out
}

// parse takes the name of a case apart.
func (t *tree) parse(name string) (gid, model string, ok bool) {
	rest, ok := strings.CutSuffix(name, "-"+t.variant)
	parts := strings.SplitN(rest, "-", 3)
	if !ok || len(parts) < 3 || slices.Contains(parts, "") {
		return "", "", false
	}
	return parts[0] + "-" + parts[1], parts[2], true
}

// add adds a case, or says why an entry is none.
func (t *tree) add(f *found, name string, snapshots bool) (why string) {
	dir := path.Join(t.results(), name)
	info, err := fs.Stat(t.files, dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "a link to nothing"
	case err != nil:
		return reasonOf(err).Error()
	case !info.IsDir():
		return "no folder"
	}
	gid, model, ok := t.parse(name)
	if !ok {
		return "want <gid>-<model>-" + t.variant
	}
	c := Case{ID: name, Sample: gid, Model: model, Variant: t.variant, Snapshot: -1, Reference: t.reference(gid)}
	if t.modifies() {
		c.Reference, c.Base = t.reference(gid+"-target"), t.reference(gid+"-base")
	}
	c.ExpectedTrace = t.optional(path.Join(t.references(), gid), "-json-response.json")
	c.ReferenceSaliency = t.optional(path.Join(t.references(), gid), "-saliency.png", "-saliency.npy")
	c.Fixations = t.optional(path.Join(t.references(), gid), "-fixations.csv", "-fixations.png", "-fixations.npy")
	steps, odd := t.snapshots(dir, name)
	for _, s := range steps {
		if s.trace != "" {
			c.StepTraces = append(c.StepTraces, s.trace)
		}
		if snapshots && s.shown {
			step := c
			step.StepTraces = slices.Clip(step.StepTraces)
			step.Snapshot, step.Generated, step.Base, step.ExpectedTrace = s.number, s.side, Side{}, ""
			f.cases = append(f.cases, step)
		}
	}
	if snapshots {
		f.odd = append(f.odd, odd...)
	}
	own := path.Join(dir, name)
	c.Generated = Side{Image: t.path(own + "-canvas.png"), Design: t.path(own + "-json-structure.json")}
	c.Trace = t.optional(own, "-json-response.json")
	c.GeneratedSaliency = t.optional(own, "-saliency.png", "-saliency.npy")
	f.cases = append(f.cases, c)
	return ""
}

// reference are the files of a reference, which may be missing.
func (t *tree) reference(name string) Side {
	own := t.path(path.Join(t.references(), name))
	return Side{Image: own + ".png", Design: own + ".json"}
}

// optional is the first of the files with these endings that is there, or none.
func (t *tree) optional(own string, endings ...string) string {
	for _, ending := range endings {
		if info, err := fs.Stat(t.files, own+ending); err == nil && info.Mode().IsRegular() {
			return t.path(own + ending)
		}
	}
	return ""
}

// step is a snapshot of a case.
type step struct {
	number int
	side   Side
	shown  bool   // there is an image or a design
	trace  string // what tools returned; empty where there is no such file
}

var snapshotName = regexp.MustCompile(`^-snapshot-([0-9]{1,9})(\.png|-structure\.json|\.json)$`)

// snapshots are the steps of a case by number, 10 after 9, and what stands among them and is none.
func (t *tree) snapshots(dir, name string) (steps []step, odd []string) {
	folder := path.Join(dir, "snapshots")
	entries, err := fs.ReadDir(t.files, folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		odd = append(odd, fmt.Sprintf("%s/snapshots (%v)", name, reasonOf(err)))
	}
	for _, e := range entries {
		rest, own := strings.CutPrefix(e.Name(), name)
		parts := snapshotName.FindStringSubmatch(rest)
		if !own || parts == nil {
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
			own := t.path(path.Join(folder, name+"-snapshot-"+parts[1]))
			steps = append(steps, step{number: number, side: Side{Image: own + ".png", Design: own + "-structure.json"}})
		}
		s, file := &steps[k], t.path(path.Join(folder, e.Name()))
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
