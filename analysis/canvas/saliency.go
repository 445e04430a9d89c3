// Where saliency maps and fixations come from: flags, and the files of each case.

package canvas

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/measure/saliency"
	"repscope/report"
)

// SaliencySettings are where maps and fixations come from. The zero value has neither.
//
// Reference, Generated and Fixations name files: one file where there is one case (of maps of the
// reference and fixations: one sample), else a name with {sample}, {case}, {model}, {variant} or
// {snapshot}, or a folder of files named by the sample (maps of generated designs: by the case, with
// -snapshot-N for a snapshot). They take the place of files that cases hold already.
type SaliencySettings struct {
	Reference, Generated, Fixations string
	// Top, if not 0, takes the highest percent of the reference's map for fixations.
	Top float64
	// Model makes the maps that no file holds; see [SaliencyModel].
	Model SaliencyModel
	// Splits is the number of splits of AUC-Borji, 0 for its exact expectation.
	Splits int
	// KL is the form of the divergence: see [klForms]; empty for the first.
	KL string
	// Plots asks for pictures of the maps over the screens.
	Plots bool

	shared *sharedSaliency // what all cases have in common; nil before open
}

// The forms of --saliency-kl, the default first.
const (
	klAdded = "added" // [saliency.KL] with [saliency.Epsilon]
	klRatio = "ratio" // [saliency.KLRatio] with [saliency.GainEpsilon]
	klExact = "exact" // [saliency.KL] with 0
)

var klForms = []string{klAdded, klRatio, klExact}

// topPrefix begins a value of --fixations that names no file.
const topPrefix = "top:"

func (o *SaliencySettings) register(flags *run.Flags) {
	flags.PathVar(&o.Reference, "saliency-reference", "`FILE` with the saliency map of the reference: a gray PNG, or .npy [H, W]; "+
		"of several samples a name with {sample}, or a folder of <sample>-saliency.png, <sample>.png or .npy")
	flags.PathVar(&o.Generated, "saliency-generated", "`FILE` with the saliency map of the generated design, brought to the size of "+
		"the reference's; of several cases a name with {case}, or a folder of <case>-saliency.png, <case>.png or .npy")
	flags.PathVar(&o.Fixations, "fixations", "`FILE|top:Q` with fixations on the reference: CSV of x,y in pixels, a binary PNG, or .npy; "+
		"of several samples a name with {sample}, a folder of <sample>-fixations.csv, <sample>.csv, .png or .npy, "+
		"or a CSV with a column sample; top:5 takes the highest 5 % of the reference's map. Without it NSS and AUC are null")
	flags.CountVar(&o.Splits, "borji-splits", 0, "`N` random splits for AUC-Borji, as published code has 100; 0: its exact expectation")
	o.KL = klForms[0]
	flags.CheckedVar(&o.KL, "saliency-kl", run.OneOf(klForms...), "`FORM` of the divergence of the reference's map p from the other, q: "+
		"added, with 1e-8 added to both; "+
		"ratio, p·ln(ε + p/(q+ε)) with ε = 2⁻⁵², as the code of the MIT saliency benchmark has it; exact, without ε")
	flags.BoolVar(&o.Plots, "saliency-plots", false, "write maps over screens into saliency_visualizations")
	flags.Unrecorded("saliency-plots")
	flags.Alias("save-saliency-vis", "saliency-plots")
	o.Model.register(flags)
}

// check finds wrong values before anything is read.
func (o *SaliencySettings) check() error {
	if q, ok := strings.CutPrefix(o.Fixations, topPrefix); ok {
		percent, err := run.ParseFloat(q)
		if err != nil || !(percent > 0 && percent < 100) {
			return run.Usage("--fixations %s: want a number above 0 and below 100 after top:, in percent of the pixels", o.Fixations)
		}
		o.Top = percent
	}
	for name, pattern := range map[string]string{"saliency-reference": o.Reference, "fixations": o.Fixations} {
		if strings.Contains(pattern, "{case}") || strings.Contains(pattern, "{model}") || strings.Contains(pattern, "{snapshot}") {
			return run.Usage("--%s %s: the reference is that of a sample; want {sample} or {variant} in the name", name, pattern)
		}
	}
	for _, pattern := range []string{o.Reference, o.Generated, o.Fixations} {
		if err := checkPlaceholders(pattern); err != nil {
			return err
		}
	}
	return o.Model.check()
}

// placeholders are what names of files may hold, in braces.
var placeholders = []string{"sample", "case", "model", "variant", "snapshot"}

// checkPlaceholders finds a word in braces that stands for nothing.
func checkPlaceholders(pattern string) error {
	for rest := pattern; ; {
		_, after, ok := strings.Cut(rest, "{")
		if !ok {
			return nil
		}
		word, tail, ok := strings.Cut(after, "}")
		if !ok {
			return nil
		}
		if !slices.Contains(placeholders, word) {
			return run.Usage("%s: {%s} stands for nothing; want {%s}", pattern, word, strings.Join(placeholders, "}, {"))
		}
		rest = tail
	}
}

// open finds the files of the cases and enters them, and loads the model.
func (o *SaliencySettings) open(ctx context.Context, env *run.Env, cases []Case, read Reader) error {
	notes, err := o.place(cases)
	if err != nil {
		return err
	}
	threads, budget := 0, int64(0)
	if env != nil {
		threads, budget = env.Options.Threads, env.Options.Memory
		for _, note := range notes {
			env.Warn("%s", note)
		}
	}
	o.shared = newSharedSaliency(slices.Clone(cases), read, budget)
	if o.Model.Path == "" {
		return nil
	}
	if err := o.shared.openModel(&o.Model, threads); err != nil {
		return err
	}
	if env != nil {
		env.CloseLater(o.shared.model)
		env.Result.Inputs = append(env.Result.Inputs, report.Input{
			Role: "saliency model", Path: o.Model.Path, SHA256: o.shared.model.head.SHA256})
		env.Note("%s", o.shared.model.describe())
	}
	return ctx.Err()
}

// identity are the files that all cases share, as path and digest.
func (o *SaliencySettings) identity() []string {
	if o.shared == nil || o.shared.model == nil {
		return nil
	}
	return []string{"saliency model " + o.shared.model.head.SHA256}
}

// definition says how maps are made and taken, after the version of a metric.
func (o *SaliencySettings) definition(s *Settings, version string) string {
	kl := map[string]string{klRatio: "by ratios, epsilon 2^-52", klExact: "without epsilon"}[o.KL]
	if kl == "" {
		kl = fmt.Sprintf("with %g added", saliency.Epsilon)
	}
	parts := []string{version, "maps as they are", "KL of the reference from the other map " + kl,
		fmt.Sprintf("center prior of %g of the screen", centerSigma)}
	if s.documented() {
		parts[1] = "maps rescaled to [0, 1]"
	}
	if o.Top > 0 {
		parts = append(parts, "fixations are the highest "+strconv.FormatFloat(o.Top, 'g', -1, 64)+" % of the reference's map")
	}
	if o.Splits > 0 {
		parts = append(parts, fmt.Sprintf("AUC-Borji over %d splits with the seed %d", o.Splits, s.Seed))
	}
	if o.Model.Path != "" {
		parts = append(parts, o.Model.definition(s))
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
func (o *SaliencySettings) place(cases []Case) (notes []string, err error) {
	fixations := o.Fixations
	if o.Top > 0 {
		fixations = ""
	}
	for _, f := range []struct {
		flag, pattern string
		endings       []string
		of            func(c *Case) *string
		name          func(c *Case) string
	}{
		{"saliency-reference", o.Reference, mapEndings, func(c *Case) *string { return &c.ReferenceSaliency }, sampleName},
		{"saliency-generated", o.Generated, mapEndings, func(c *Case) *string { return &c.GeneratedSaliency }, caseName},
		{"fixations", fixations, fixationEndings, func(c *Case) *string { return &c.Fixations }, sampleName},
	} {
		if f.pattern == "" {
			continue
		}
		found, err := newFinder(f.pattern, f.endings, f.name, cases)
		if err != nil {
			return nil, fmt.Errorf("--%s %w", f.flag, err)
		}
		missing := 0
		for i := range cases {
			path := found.path(&cases[i])
			if *f.of(&cases[i]) = path; path == "" {
				missing++
			}
		}
		if len(cases) > 0 && missing == len(cases) {
			return nil, fmt.Errorf("--%s %s: no file for any of %s, such as %s", f.flag, f.pattern,
				text.Count(missing, "case"), found.want(&cases[0]))
		}
		if missing > 0 {
			notes = append(notes, fmt.Sprintf("--%s %s: no file for %d of %s", f.flag, f.pattern, missing, text.Count(len(cases), "case")))
		}
	}
	return notes, nil
}

func sampleName(c *Case) string { return c.Sample }

// caseName is the name of a case in files of maps, captions, scores and embeddings: its own, and
// <case>-snapshot-<N> of a step on the way, as its files are called. The design that a
// modification began with is a case of its own: see [BaseSuffix].
func caseName(c *Case) string {
	if c.Snapshot >= 0 {
		return fmt.Sprintf("%s-snapshot-%d", c.ID, c.Snapshot)
	}
	return c.ID
}

// finder tells the file of a case.
type finder struct {
	pattern string
	name    func(c *Case) string
	endings []string
	folder  bool
	exists  map[string]bool // by path; in a folder all that there are
}

// newFinder looks at what a pattern names: a folder, one file for all, or a file for each case.
func newFinder(pattern string, endings []string, name func(c *Case) string, cases []Case) (*finder, error) {
	f := &finder{pattern: pattern, name: name, endings: endings, exists: map[string]bool{}}
	if strings.Contains(pattern, "{") {
		return f, nil
	}
	info, err := os.Stat(pattern)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", pattern, bareError(err))
	}
	if !info.IsDir() {
		f.exists[pattern] = true
		return f, f.checkOne(cases)
	}
	f.folder = true
	entries, err := os.ReadDir(pattern)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", pattern, bareError(err))
	}
	for _, e := range entries {
		f.exists[filepath.Join(pattern, e.Name())] = true
	}
	return f, nil
}

// bareError is an error of a file without its name and the name of the system call.
func bareError(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// checkOne refuses one file for things that differ, but for tables, which may hold all samples.
func (f *finder) checkOne(cases []Case) error {
	if ending := strings.ToLower(filepath.Ext(f.pattern)); slices.Contains([]string{".csv", ".tsv", ".txt"}, ending) {
		return nil
	}
	for i := range cases {
		if name := f.name(&cases[i]); name != f.name(&cases[0]) {
			return fmt.Errorf("%s: one file for %s and %s; want a name with {sample} or {case}, or a folder", f.pattern, f.name(&cases[0]), name)
		}
	}
	return nil
}

// path is the file of a case, empty where there is none.
func (f *finder) path(c *Case) string {
	if f.folder {
		for _, ending := range f.endings {
			if path := filepath.Join(f.pattern, f.name(c)+ending); f.exists[path] {
				return path
			}
		}
		return ""
	}
	if c.Snapshot >= 0 && strings.Contains(f.pattern, "{case}") && !strings.Contains(f.pattern, "{snapshot}") {
		return "" // that of the final design
	}
	path := f.want(c)
	there, known := f.exists[path]
	if !known {
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
func (f *finder) want(c *Case) string {
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
