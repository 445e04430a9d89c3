// Package saliencymap has the saliency maps and the fixations of cases, from files or from a model.
package saliencymap

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"repscope/analysis/canvas/internal/source"
	"repscope/internal/text"
	"repscope/measure/saliency"
)

// Options are where maps and fixations come from. The zero value has neither.
//
// Reference, Generated and Fixations name files: one file where there is one case (of maps of the
// reference and fixations: one sample), else a name with {sample}, {case}, {model}, {variant} or
// {snapshot}, or a folder of files named by the sample (maps of generated designs: by the case, with
// -snapshot-N for a snapshot). They take the place of files that cases hold already.
type Options struct {
	Reference, Generated, Fixations string
	// Top, if not 0, takes the highest percent of the reference's map for fixations.
	Top float64
	// Model makes the maps that no file holds; see [Model].
	Model Model
	// Splits is the number of splits of AUC-Borji, 0 for its exact expectation.
	Splits int
	// KL is the form of the divergence: see [KLForms]; empty for the first.
	KL string

	Shared *shared // what all cases have in common; nil before Open
}

// The values of [Options.KL], the default first.
const (
	KLAdded = "added" // [saliency.KL] with [saliency.Epsilon]
	KLRatio = "ratio" // [saliency.KLRatio] with [saliency.GainEpsilon]
	KLExact = "exact" // [saliency.KL] with 0
)

// KLForms are the values of [Options.KL].
var KLForms = []string{KLAdded, KLRatio, KLExact}

// Open finds the files of the cases and enters them, and loads the model; budget is the memory of the run, 0 for the
// usual. The result holds warnings also with an error.
func (o *Options) Open(cases []source.Case, read source.Reader, threads int, budget int64) (*source.Opened, error) {
	opened := &source.Opened{}
	var err error
	if opened.Warnings, err = o.place(cases); err != nil {
		return opened, err
	}
	o.Shared = newShared(slices.Clone(cases), read, budget)
	if o.Model.Path == "" {
		return opened, nil
	}
	m, err := openModel(&o.Model, threads)
	if err != nil {
		return opened, err
	}
	o.Shared.model = m
	opened.Closers = append(opened.Closers, m.head.Close)
	opened.Enter("saliency model", o.Model.Path, m.head.SHA256)
	opened.Notes = append(opened.Notes, m.describe())
	return opened, nil
}

// Identity are the files that all cases share, as path and digest.
func (o *Options) Identity() []string {
	if o.Shared == nil || o.Shared.model == nil {
		return nil
	}
	return []string{"saliency model " + o.Shared.model.head.SHA256}
}

// Definition describes the maps: rescaled to [0, 1] or as they are, and from screens without alpha or on
// white; seed is the seed of splits.
func (o *Options) Definition(rescale, dropAlpha bool, seed uint64) string {
	kl := map[string]string{KLRatio: "by ratios, epsilon 2^-52", KLExact: "without epsilon"}[o.KL]
	if kl == "" {
		kl = fmt.Sprintf("with %g added", saliency.Epsilon)
	}
	parts := []string{"maps as they are", "KL of the reference from the other map " + kl,
		fmt.Sprintf("center prior of %g of the screen", centerSigma)}
	if rescale {
		parts[0] = "maps rescaled to [0, 1]"
	}
	if o.Top > 0 {
		parts = append(parts, "fixations are the highest "+strconv.FormatFloat(o.Top, 'g', -1, 64)+" % of the reference's map")
	}
	if o.Splits > 0 {
		parts = append(parts, fmt.Sprintf("AUC-Borji over %d splits with the seed %d", o.Splits, seed))
	}
	if o.Model.Path != "" {
		parts = append(parts, o.Model.definition(dropAlpha))
	}
	return strings.Join(parts, "; ")
}

// mapEndings and fixationEndings follow the name of a case in folders; the first that is there counts.
var (
	mapEndings      = []string{"-saliency.png", "-saliency.npy", ".png", ".npy", ".tif", ".tiff", ".jpg", ".jpeg"}
	fixationEndings = []string{"-fixations.csv", "-fixations.png", "-fixations.npy", ".csv", ".tsv", ".txt", ".png", ".npy"}
)

// place enters the files that the flags name into the cases. What some cases lack is told; where
// none has a file the flag is wrong.
func (o *Options) place(cases []source.Case) (notes []string, err error) {
	fixations := o.Fixations
	if o.Top > 0 {
		fixations = ""
	}
	sample := func(c *source.Case) string { return c.Sample }
	for _, f := range []struct {
		flag, pattern string
		endings       []string
		of            func(c *source.Case) *string
		name          func(c *source.Case) string
	}{
		{"saliency-reference", o.Reference, mapEndings, func(c *source.Case) *string { return &c.ReferenceSaliency }, sample},
		{"saliency-generated", o.Generated, mapEndings, func(c *source.Case) *string { return &c.GeneratedSaliency },
			(*source.Case).FileName},
		{"fixations", fixations, fixationEndings, func(c *source.Case) *string { return &c.Fixations }, sample},
	} {
		if f.pattern == "" {
			continue
		}
		finder, err := newFinder(f.pattern, f.endings, f.name, cases)
		if err != nil {
			return nil, fmt.Errorf("--%s %w", f.flag, err)
		}
		missing := 0
		for i := range cases {
			path := finder.path(&cases[i])
			if *f.of(&cases[i]) = path; path == "" {
				missing++
			}
		}
		if len(cases) > 0 && missing == len(cases) {
			return nil, fmt.Errorf("--%s %s: no file for any of %s, such as %s", f.flag, f.pattern,
				text.Count(missing, "case"), finder.want(&cases[0]))
		}
		if missing > 0 {
			notes = append(notes, fmt.Sprintf("--%s %s: no file for %d of %s", f.flag, f.pattern, missing, text.Count(len(cases), "case")))
		}
	}
	return notes, nil
}

// finder tells the file of a case.
type finder struct {
	pattern string
	name    func(c *source.Case) string
	endings []string
	folder  bool
	exists  map[string]bool // by path; in a folder all that there are
}

// newFinder looks at what a pattern names: a folder, one file for all, or a file for each case.
func newFinder(pattern string, endings []string, name func(c *source.Case) string,
	cases []source.Case) (*finder, error) {
	f := &finder{pattern: pattern, name: name, endings: endings, exists: map[string]bool{}}
	if strings.Contains(pattern, "{") {
		return f, nil
	}
	info, err := os.Stat(pattern)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", pattern, source.Reason(err))
	}
	if !info.IsDir() {
		f.exists[pattern] = true
		return f, f.checkOne(cases)
	}
	f.folder = true
	entries, err := os.ReadDir(pattern)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", pattern, source.Reason(err))
	}
	for _, e := range entries {
		f.exists[filepath.Join(pattern, e.Name())] = true
	}
	return f, nil
}

// checkOne refuses one file for things that differ, but for tables, which may hold all samples.
func (f *finder) checkOne(cases []source.Case) error {
	if ending := strings.ToLower(filepath.Ext(f.pattern)); slices.Contains([]string{".csv", ".tsv", ".txt"}, ending) {
		return nil
	}
	for i := range cases {
		if name := f.name(&cases[i]); name != f.name(&cases[0]) {
			return fmt.Errorf("%s: the same file for %s and %s; want a name with {sample} or {case}, or a "+
				"folder", f.pattern, f.name(&cases[0]), name)
		}
	}
	return nil
}

// path is the file of a case, empty where there is none.
func (f *finder) path(c *source.Case) string {
	if f.folder {
		for _, ending := range f.endings {
			if path := filepath.Join(f.pattern, f.name(c)+ending); f.exists[path] {
				return path
			}
		}
		return ""
	}
	if c.Snapshot >= 0 && strings.Contains(f.pattern, "{case}") && !strings.Contains(f.pattern, "{snapshot}") {
		return "" // the file of the final design
	}
	path := f.want(c)
	there, ok := f.exists[path]
	if !ok {
		_, err := os.Stat(path)
		there = err == nil
		f.exists[path] = there
	}
	if !there {
		return ""
	}
	return path
}

// want is the name that the file of a case should have.
func (f *finder) want(c *source.Case) string {
	if f.folder {
		return filepath.Join(f.pattern, f.name(c)+f.endings[0])
	}
	snapshot := ""
	if c.Snapshot >= 0 {
		snapshot = strconv.Itoa(c.Snapshot)
	}
	return strings.NewReplacer("{sample}", c.Sample, "{case}", c.ID, "{model}", c.Model, "{variant}", c.Variant,
		"{snapshot}", snapshot).Replace(f.pattern)
}
