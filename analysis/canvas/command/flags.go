// The flags of the command, and wrong usage that they show alone.

package command

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"repscope/analysis/canvas"
	"repscope/analysis/canvas/internal/benchmark"
	"repscope/analysis/canvas/internal/source"
	"repscope/internal/example/screens"
	"repscope/internal/input"
	"repscope/internal/option"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/latent"
)

// settings are the values of the command's own flags.
type settings struct {
	flags      *run.Flags
	statistics *input.Statistics

	example                bool
	base, task, variant    string
	models, ids            names
	snapshots, resume      bool
	one                    source.Case // of the one-case form: its files
	metrics                []string
	definition             string
	ratings                string
	workers                int
	plots, reports         bool
	skipSemantic, skipMaps bool
	shared                 canvas.Setting
	saliency               saliencyFlags
	semantic               semanticFlags
}

// names is a flag of a list of texts, which repeats.
type names []string

func (n *names) String() string { return strings.Join(*n, ",") }
func (n *names) Get() any       { return []string(*n) }
func (n *names) Repeats() bool  { return true }
func (n *names) Set(text string) error {
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			return errors.New("a name is empty")
		}
		if !slices.Contains(*n, part) {
			*n = append(*n, part)
		}
	}
	return nil
}

// usualMetrics stands for those that are computed by default in a list of metrics.
const usualMetrics = "usual"

// selectMetrics returns the metrics of a list of metrics, of numbers that they compute, and of [usualMetrics].
func selectMetrics(list []string) ([]string, error) {
	all, owner := []string{usualMetrics}, map[string]string{}
	for _, k := range canvas.Kinds() {
		all, owner[k.Name] = append(all, k.Name), k.Name
		for _, key := range k.Keys {
			if owner[key.Name] == "" {
				all, owner[key.Name] = append(all, key.Name), k.Name
			}
		}
	}
	var chosen []string
	for _, name := range list {
		switch {
		case name == usualMetrics:
			for _, k := range canvas.Usual() {
				chosen = append(chosen, k.Name)
			}
		case owner[name] == "":
			err := fmt.Errorf("unknown metric %q; want some of %s, or of the numbers they compute", name, strings.Join(kindNames(), ", "))
			return nil, text.WithHint(err, text.DidYouMean("", name, all))
		default:
			chosen = append(chosen, owner[name])
		}
	}
	slices.Sort(chosen)
	return slices.Compact(chosen), nil
}

// kindNames are the names of the registry.
func kindNames() []string {
	var out []string
	for _, k := range canvas.Kinds() {
		out = append(out, k.Name)
	}
	return out
}

// optionalNames are the names of metrics that are computed on request only.
func optionalNames() []string {
	var out []string
	for _, k := range canvas.Kinds() {
		if k.Optional {
			out = append(out, k.Name)
		}
	}
	return out
}

// kindsOf returns the metrics of some names, in the order of the registry; the usual ones for nil.
func kindsOf(names []string) []canvas.Kind {
	if names == nil {
		return canvas.Usual()
	}
	return slices.DeleteFunc(canvas.Kinds(), func(k canvas.Kind) bool { return !slices.Contains(names, k.Name) })
}

// caseFile is a flag of the one-case form.
type caseFile struct {
	name, usage string
	path        *string
}

// caseFiles are the flags of the one-case form.
func (s *settings) caseFiles() []caseFile {
	c := &s.one
	return []caseFile{
		{"reference-json", "`FILE.json` of the reference design, as exported from Figma", &c.Reference.Design},
		{"reference-image", "`FILE` of the reference image", &c.Reference.Image},
		{"generated-json", "`FILE.json` of the generated design", &c.Generated.Design},
		{"generated-image", "`FILE` of the generated image", &c.Generated.Image},
		{"trace", "`FILE.json` of the tool calls", &c.Trace},
		{"expected-trace", "`FILE.json` of the expected tool calls", &c.ExpectedTrace},
	}
}

// register adds the flags.
func (s *settings) register(flags *run.Flags) {
	s.flags = flags
	flags.Usage("--base-dir DIR --task TASK --variant VARIANT [flags]",
		"--reference-json FILE --reference-image FILE --generated-json FILE --generated-image FILE [flags]", "--example")
	flags.FileHint("give files with --reference-json, --reference-image, --generated-json and --generated-image")
	s.saliency.Options, s.semantic.Options = &s.shared.Saliency, &s.shared.Semantic
	s.statistics = input.RegisterStatistics(flags, "samples")
	flags.Declare(option.Of(s))
	flags.Answer("precompute-blip", func(_ string, args []string) string {
		return "precompute_blip is --precompute-semantic here: canvas --precompute-semantic " +
			run.Without(args, "precompute_blip")
	})
	flags.Answer("eval-pipeline", func(_ string, args []string) string {
		return "eval_pipeline is canvas itself: canvas " + run.Without(args, "eval_pipeline")
	})
	flags.Reads(func(*run.Options) []string {
		var list []string
		for _, model := range []string{s.shared.Images.Perceptual.Path, s.shared.Saliency.Model.Path, s.shared.Semantic.Sentence, s.shared.Semantic.Vision.Path} {
			list = append(list, latent.Beside(model)...)
		}
		if s.shared.Semantic.Captioner != "" {
			list = append(list, latent.CaptionerFiles(s.shared.Semantic.Captioner)...)
		}
		return list
	})
}

// Declare lists the options.
func (s *settings) Declare(l *option.List) {
	s.declareInputs(l)
	s.declareMetrics(l)
	declareScreens(l, &s.shared)
	s.saliency.Declare(l)
	s.semantic.Declare(l)
	s.declareOutput(l)
}

// declareInputs lists the options of inputs.
func (s *settings) declareInputs(l *option.List) {
	l.Under(option.Inputs)
	l.Bool(&s.example, "example", "score the built-in example: synthetic screens with graded damage")
	s.base = "dataset"
	l.Path(&s.base, "base-dir", "`DIR` with the folders benchmarks and results").Reads()
	l.Text(&s.task, "task", "`NAME` of the task: a folder of results, such as replication_gen or modification_gen")
	l.Text(&s.variant, "variant",
		"`NAME` of the variant: a folder of the task and the suffix of its case names, such as image_only")
	l.Var(&s.models, "model", "`LIST` of model names to score (repeats; default: all)")
	l.Var(&s.ids, "ids",
		"`LIST` of samples (gid6-27), cases, patterns (gid6-*) or ranges (gid6-27..gid6-40) to score (repeats; "+
			"default: all)")
	l.Bool(&s.snapshots, "snapshots", "also score the intermediate steps of every design, by number").
		Alias("eval-snapshots")
	for _, f := range s.caseFiles() {
		l.Path(f.path, f.name, f.usage).Reads()
	}
	l.Path(&s.ratings, "ratings",
		"`FILE.csv` of human ratings with the columns case_id, rating and, for several raters, rater; or of preferences "+
			"with the columns case_a, case_b, winner (a, b, tie or the case) and rater").Reads()
	l.Under(option.Own)
}

// declareMetrics lists the options of metrics.
func (s *settings) declareMetrics(l *option.List) {
	l.Selection(&s.metrics, "metrics", selectMetrics, "`LIST` of metrics, or of their numbers; usual (the default) means all except "+
		strings.Join(optionalNames(), ", ")+", which is slow: "+
		strings.Join(kindNames(), ", "))
	s.definition = canvas.DefinitionDefault
	option.Choice(l, &s.definition, "definition",
		[]string{canvas.DefinitionDefault, canvas.DefinitionDocumented, canvas.DefinitionPublished},
		"`NAME` of the metric definitions: default, as documented in the publication, or as implied by its "+
			"published numbers")
	l.Bool(&s.skipSemantic, "skip-semantic",
		"skip the semantic match; scores of the same captions and images from an earlier run are kept").Alias("skip-blip")
	l.Bool(&s.skipMaps, "skip-saliency",
		"skip saliency; scores of the same inputs from an earlier run are kept").Alias("skip-visual-saliency")
}

// declareOutput lists the options of outputs and of the run.
func (s *settings) declareOutput(l *option.List) {
	l.Bool(&s.plots, "plots", "draw bar and box plots of every metric in evaluation_results_vis").Free().Alias("vis")
	l.Bool(&s.reports, "reports", "write the matches of every case to reports").Free()
	l.Under(option.Running)
	l.Int(&s.workers, "workers", "`N` cases to score in parallel; 0: --threads").AtLeast(0)
	l.Bool(&s.resume, "resume", "reuse scores of an earlier run with the same files and definitions").Alias("skip-all")
}

// given are the flags that were set, of some.
func (s *settings) given(names ...string) []string {
	var out []string
	s.flags.Visit(func(f *flag.Flag) {
		if slices.Contains(names, f.Name) {
			out = append(out, "--"+f.Name)
		}
	})
	return out
}

// ofTree are the flags that name a tree, and those that a tree alone has a use for.
var ofTree, ofCases = []string{"base-dir", "task", "variant"}, []string{"model", "ids", "snapshots", "eval-snapshots",
	"resume", "skip-all"}

// check finds wrong usage before any file is opened, and where a tree has its results.
func (s *settings) check(o *run.Options) error {
	for _, m := range s.models {
		if name, file, ok := run.CutName(m); ok {
			return run.Hint(run.Usage("--model %s: want the name of a model in the tree, not a file", m),
				"a model of saliency is given with --saliency-model "+file+", one of sentences with --sentence-model "+file, "--model "+
					name+" scores the cases of "+name)
		}
	}
	for _, id := range s.ids {
		if err := checkID(id); err != nil {
			return err
		}
	}
	if err := s.checkForm(); err != nil {
		return err
	}
	for _, name := range s.given("resume", "skip-all", "reports", "saliency-plots", "save-saliency-vis",
		"precompute-semantic", "precompute-blip") {
		if err := o.Together(name, "its files are written while cases are scored"); err != nil {
			return err
		}
	}
	if err := cmp.Or(checkScreens(&s.shared), s.saliency.check(), s.semantic.check()); err != nil {
		return err
	}
	if !s.example && s.task != "" && len(s.given("out")) == 0 {
		o.Out = filepath.Join(s.base, filepath.FromSlash(s.tree().Outputs()))
	}
	if s.example && s.ratings == "" && s.tree().Task == screens.Task {
		s.ratings = s.tree().Path(screens.Ratings)
	}
	return nil
}

// checkForm refuses files of both forms.
func (s *settings) checkForm() error {
	var single []string
	for _, f := range s.caseFiles() {
		if *f.path != "" {
			single = append(single, "--"+f.name)
		}
	}
	tree, cases := s.given(ofTree...), s.given(ofCases...)
	if s.example {
		return s.checkExample(append(s.given("base-dir", "variant"), single...))
	}
	switch {
	case len(single) > 0 && len(tree)+len(cases) > 0:
		return run.Usage(
			"%s belong to one case, but %s to a tree of cases; give one of both", strings.Join(single, ", "),
			strings.Join(append(tree, cases...), ", "))
	case len(single) > 0:
		return s.checkOne()
	case len(tree)+len(cases) == 0:
		return run.Hint(run.Usage("nothing to score"), "give a tree with --base-dir DIR --task TASK --variant VARIANT",
			"or one case with --reference-json, --reference-image, --generated-json and --generated-image", "or try --example")
	}
	for _, required := range []struct{ flag, value string }{{"task", s.task}, {"variant", s.variant}} {
		switch {
		case required.value == "":
			return run.Hint(run.Usage("--%s is required to select the cases of %s", required.flag, s.base),
				"cases are in results/TASK/VARIANT of --base-dir")
		case required.value != path.Base(required.value) || required.value == "." || required.value == ".." || strings.Contains(required.value, `\`):
			return run.Usage("--%s %s: want the name of a folder", required.flag, required.value)
		}
	}
	if s.base == "" {
		return run.Usage("--base-dir is empty: want the folder with benchmarks and results")
	}
	return nil
}

// checkExample finds what the example brings itself.
func (s *settings) checkExample(set []string) error {
	if len(set) > 0 {
		return run.Usage("--example has its own screens; remove %s", strings.Join(set, ", "))
	}
	if known := []string{screens.Task, screens.ModificationTask}; s.task != "" && !slices.Contains(known, s.task) {
		return run.Hint(run.Usage("--task %s: the example has %s", s.task, strings.Join(known, " and ")), text.DidYouMean("--task ",
			s.task, known))
	}
	return nil
}

// checkOne finds files of one case that have nothing to be compared with.
func (s *settings) checkOne() error {
	c := &s.one
	for _, pair := range []struct{ have, want, flag, wanted string }{
		{c.Reference.Design, c.Generated.Design, "reference-json", "generated-json"},
		{c.Reference.Image, c.Generated.Image, "reference-image", "generated-image"},
		{c.ExpectedTrace, c.Trace, "expected-trace", "trace"},
	} {
		if pair.have != "" && pair.want == "" {
			return run.Usage("--%s %s has no counterpart: also give --%s", pair.flag, pair.have, pair.wanted)
		}
	}
	return nil
}

// exampleFolder stands for the folder of the built-in example.
const exampleFolder = "example:screens"

// tree is the tree that the flags name.
func (s *settings) tree() *benchmark.Tree {
	if !s.example {
		return &benchmark.Tree{Files: os.DirFS(s.base), Folder: s.base, Task: s.task, Variant: s.variant}
	}
	t := &benchmark.Tree{Files: screens.Example(), Folder: exampleFolder, Task: screens.Task,
		Variant: screens.Variant, Memory: true}
	if s.task == screens.ModificationTask {
		t.Task, t.Variant = s.task, screens.ModificationVariant
	}
	return t
}
