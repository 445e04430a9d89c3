// The suite file: which datasets, models, analyses and options make a study.

package evaluate

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"repscope/internal/expand"
	"repscope/internal/filename"
	"repscope/internal/regular"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/tool/evaluate/page"
)

// Suite is a suite file whose keys are known and whose patterns are expanded.
type Suite struct {
	Path     string
	Digest   string // of the file's text
	Out      string // the folder that the file names; empty if it names none
	Datasets []Dataset
	Outcome  []string // flags of validate for the summary; nil: it is not run

	arrangement arrangement // of models in the report
	line        lineOptions
}

// Dataset is a set of inputs that is analyzed together.
type Dataset struct {
	Name        string
	Tasks       []Task
	Checkpoints []page.Checkpoint // models that patterns name, in the order of their steps
}

// Task is one analysis of a dataset.
type Task struct {
	Dataset, Analysis string
	run.Task
}

// Name is "dataset/analysis", which is the task's folder too.
func (t *Task) Name() string { return t.Dataset + "/" + t.Analysis }

// The keys of a suite file and of a dataset that are no options.
var (
	suiteKeys   = []string{"out", "defaults", "analyses", "matrix", "datasets", "outcome", "models"}
	datasetKeys = []string{"enabled", "only", "skip", "matrix"}
)

// ownKeys are options that evaluate sets itself.
var ownKeys = []string{"out", "quiet", "verbose", "json", "dry-run", "config", "version", "shard"}

// reader reads a suite file.
type reader struct {
	path     string
	commands []run.Command
	budget   *expand.Budget // of what patterns, products and aliases stand for
}

// ReadSuite reads a suite file for the given analyses. Errors are wrong usage, with the file, line and column: text
// that is no YAML, a key that is unknown (with the nearest one) or stands twice, a value of another kind than is
// wanted, a pattern that matches nothing, or patterns, products and aliases that stand for more than [expand.Most]
// things.
func ReadSuite(ctx context.Context, path string, commands []run.Command) (*Suite, error) {
	return openSuite(ctx, path, commands, nil)
}

// lineOptions are options of the command line that replace the defaults of the suite, by name. A dataset or a section
// may have its own values.
type lineOptions map[string]string

// lineOptionsOf are the width of the figures and whether to write methods, as far as the command line has them.
func lineOptionsOf(o *run.Options) lineOptions {
	line := lineOptions{}
	if width := o.Width(); width != "" {
		line["width"] = width
	}
	if o.Methods {
		line["methods"] = "true"
	}
	return line
}

// over replaces defaults by the options of the command line.
func (l lineOptions) over(defaults []entry) []entry {
	for _, name := range slices.Sorted(maps.Keys(l)) {
		tag := "!!str"
		if l[name] == "true" {
			tag = "!!bool"
		}
		key := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: name}
		value := &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: l[name]}
		defaults = slices.DeleteFunc(defaults, func(e entry) bool { return e.name == name })
		defaults = append(defaults, entry{name, key, value})
	}
	return defaults
}

// openSuite is [ReadSuite] with options of the command line.
func openSuite(ctx context.Context, path string, commands []run.Command, line lineOptions) (*Suite, error) {
	data, err := regular.Read(path, regular.Settings)
	if err != nil {
		return nil, fmt.Errorf("suite %w", regular.PathError(err))
	}
	return readSuite(ctx, path, data, commands, line)
}

// exampleSuite has all analyses on their built-in examples.
func exampleSuite(ctx context.Context, commands []run.Command, line lineOptions) (*Suite, error) {
	names := make([]string, len(commands))
	for i, c := range commands {
		names[i] = c.Name
	}
	return readSuite(ctx, "example.yaml", []byte("datasets: {example: {example: true, only: ["+strings.Join(names, ", ")+"]}}\n"), commands, line)
}

// largestPlain is the maximum of bytes of the results and tables of tasks that are not compressed.
const largestPlain = 2e6

func readSuite(ctx context.Context, path string, data []byte, commands []run.Command,
	line lineOptions) (*Suite, error) {
	r := &reader{path, commands, expand.NewBudget(ctx)}
	root, err := r.load(data)
	if err != nil {
		return nil, err
	}
	keys, err := r.mapping(root, "a suite")
	if err != nil {
		return nil, err
	}
	for _, k := range keys {
		if !slices.Contains(suiteKeys, k.name) {
			return nil, r.unknown(k, "a suite", suiteKeys)
		}
	}
	text := sha256.Sum256(data)
	s := &Suite{Path: path, Digest: hex.EncodeToString(text[:]), line: line}
	if k := find(keys, "out"); k != nil {
		if s.Out, err = r.text(k); err != nil {
			return nil, err
		}
	}
	if s.Outcome, err = r.outcome(find(keys, "outcome")); err != nil {
		return nil, err
	}
	if s.arrangement.Models, err = r.arrangement(find(keys, "models")); err != nil {
		return nil, err
	}
	global, err := r.options(find(keys, "defaults"), nil)
	if err != nil {
		return nil, err
	}
	global.common = line.over(global.common)
	names, err := r.names(find(keys, "analyses"))
	if err != nil {
		return nil, err
	}
	matrix, err := r.matrix(find(keys, "matrix"))
	if err != nil {
		return nil, err
	}
	datasets := find(keys, "datasets")
	if datasets == nil {
		return nil, run.Hint(r.errorf(root, "the suite has no datasets"), `begin with "evaluate --init FILES…"`)
	}
	list, err := r.mapping(datasets.value, "datasets")
	if err != nil {
		return nil, err
	}
	folders := filename.Taken{}
	for _, k := range list {
		d, err := r.dataset(k, global, names, matrix)
		if err != nil {
			return nil, err
		}
		if d != nil {
			if folders.Has(d.Name) {
				return nil, r.errorf(k.key, "dataset %q: another one has this name but for upper and lower case, and some systems take their folders for one", d.Name)
			}
			folders.Unique(d.Name, "")
			s.Datasets = append(s.Datasets, *d)
		}
	}
	return s, nil
}

// load parses the file as one YAML document.
func (r *reader) load(data []byte) (*yaml.Node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var document, second yaml.Node
	if err := decoder.Decode(&document); err != nil && !errors.Is(err, io.EOF) {
		err := run.Usage("suite %s: %s", r.path, strings.TrimPrefix(err.Error(), "yaml: "))
		for number, line := range bytes.Split(data, []byte("\n")) {
			if bytes.ContainsRune(line[:len(line)-len(bytes.TrimLeft(line, " \t"))], '\t') {
				return nil, run.Hint(err, fmt.Sprintf("line %d begins with a tab: YAML is indented by spaces", number+1))
			}
		}
		return nil, err
	}
	if err := decoder.Decode(&second); err == nil {
		return nil, r.errorf(&second, "a second document begins; want one")
	}
	if len(document.Content) == 0 {
		return nil, run.Hint(run.Usage("suite %s is empty", r.path), `begin with "evaluate --init FILES…"`)
	}
	return document.Content[0], nil
}

// errorf is wrong usage at a node.
func (r *reader) errorf(n *yaml.Node, format string, args ...any) error {
	return run.Usage("suite %s, line %d, column %d: %w", r.path, n.Line, n.Column, fmt.Errorf(format, args...))
}

// entry is a key of a mapping with its value.
type entry struct {
	name       string
	key, value *yaml.Node
}

func find(keys []entry, name string) *entry {
	if i := slices.IndexFunc(keys, func(e entry) bool { return e.name == name }); i >= 0 {
		return &keys[i]
	}
	return nil
}

// mapping is the entries of a mapping; what says what it is.
func (r *reader) mapping(n *yaml.Node, what string) ([]entry, error) {
	n = resolve(n)
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return nil, nil
	}
	if n.Kind != yaml.MappingNode {
		return nil, r.errorf(n, "%s: want lines of the form name: value", what)
	}
	return r.entries(n, what, 0)
}

// mostMerged is how deep mappings take in others by "<<": one that takes in itself has no end.
const mostMerged = 16

// entries are the entries of a mapping, followed by the entries of mappings under "<<" that it does not have itself.
func (r *reader) entries(n *yaml.Node, what string, depth int) ([]entry, error) {
	var list, taken []entry
	there := map[string]bool{}
	for i := 0; i < len(n.Content); i += 2 {
		e := entry{strings.TrimLeft(n.Content[i].Value, "-"), n.Content[i], resolve(n.Content[i+1])}
		if err := r.budget.Take(what); err != nil {
			return nil, r.errorf(e.key, "%w", err)
		}
		if e.key.Tag == "!!merge" {
			more, err := r.merged(e, what, depth+1)
			if err != nil {
				return nil, err
			}
			taken = append(taken, more...)
			continue
		}
		if there[e.name] {
			return nil, r.errorf(e.key, "%s is there twice in %s", e.name, what)
		}
		list, there[e.name] = append(list, e), true
	}
	for _, e := range taken {
		if !there[e.name] {
			list, there[e.name] = append(list, e), true
		}
	}
	return list, nil
}

// merged are the entries under "<<": of a mapping, or of a list of mappings.
func (r *reader) merged(e entry, what string, depth int) ([]entry, error) {
	from := []*yaml.Node{e.value}
	if e.value.Kind == yaml.SequenceNode {
		from = e.value.Content
	}
	var list []entry
	for _, n := range from {
		if n = resolve(n); n.Kind != yaml.MappingNode || depth > mostMerged {
			return nil, r.errorf(e.key, "<< of %s: want other mappings, as *name", what)
		}
		more, err := r.entries(n, what, depth)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	return list, nil
}

func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func (r *reader) unknown(e entry, what string, names []string) error {
	err := r.errorf(e.key, "unknown key %q of %s", e.key.Value, what)
	if slices.Contains(names, e.name) {
		return run.Hint(err, e.name+" has another place: see evaluate --help")
	}
	return run.Hint(err, text.DidYouMean("", e.name, names))
}

// own is the error for an option that evaluate sets itself.
func (r *reader) own(e entry) error {
	err := r.errorf(e.key, "%s is not for a suite: evaluate sets it", e.key.Value)
	if e.name == "shard" {
		return run.Hint(err, "scale plan and scale slurm divide the tasks of a suite")
	}
	return err
}

func (r *reader) text(e *entry) (string, error) {
	if e.value.Kind != yaml.ScalarNode || e.value.Value == "" {
		return "", r.errorf(e.value, "%s: want one value", e.name)
	}
	return e.value.Value, nil
}

func (r *reader) truth(e *entry) (bool, error) {
	if e.value.Kind != yaml.ScalarNode || e.value.Tag != "!!bool" {
		return false, r.errorf(e.value, "%s: want true or false, got %q", e.name, e.value.Value)
	}
	return strings.EqualFold(e.value.Value, "true"), nil
}

// texts is a list of values, or one.
func (r *reader) texts(e *entry) ([]*yaml.Node, error) {
	switch e.value.Kind {
	case yaml.ScalarNode:
		return []*yaml.Node{e.value}, nil
	case yaml.SequenceNode:
		var list []*yaml.Node
		for _, n := range e.value.Content {
			if n = resolve(n); n.Kind != yaml.ScalarNode {
				return nil, r.errorf(n, "%s: want a list of plain values", e.name)
			}
			list = append(list, n)
		}
		return list, nil
	}
	return nil, r.errorf(e.value, "%s: want a list of plain values", e.name)
}

// names is a list of analyses; nil where there is none.
func (r *reader) names(e *entry) ([]string, error) {
	if e == nil {
		return nil, nil
	}
	list, err := r.texts(e)
	if err != nil {
		return nil, err
	}
	names := []string{}
	for _, n := range list {
		if r.command(n.Value) == nil {
			return nil, run.Hint(r.errorf(n, "%s: there is no analysis %q", e.name, n.Value),
				text.DidYouMean("", n.Value, r.analyses()))
		}
		if slices.Contains(names, n.Value) {
			return nil, r.errorf(n, "%s: %s is there twice", e.name, n.Value)
		}
		names = append(names, n.Value)
	}
	return names, nil
}

func (r *reader) command(name string) *run.Command {
	if i := slices.IndexFunc(r.commands, func(c run.Command) bool { return c.Name == name }); i >= 0 {
		return &r.commands[i]
	}
	return nil
}

func (r *reader) analyses() []string {
	names := make([]string, len(r.commands))
	for i, c := range r.commands {
		names[i] = c.Name
	}
	return names
}

// options is a mapping of options: common ones, and sections of analyses.
type options struct {
	common   []entry
	sections map[string][]entry
}

// options reads a mapping of options and sections; other keys are left to the caller.
func (r *reader) options(e *entry, others []string) (*options, error) {
	o := &options{sections: map[string][]entry{}}
	if e == nil {
		return o, nil
	}
	keys, err := r.optionsOf(e)
	if err != nil {
		return nil, err
	}
	for _, k := range keys {
		switch c := r.command(k.name); {
		case slices.Contains(others, k.name):
		case c != nil && (k.value.Kind == yaml.MappingNode || k.value.Tag == "!!null"):
			if o.sections[k.name], err = r.section(k, c); err != nil {
				return nil, err
			}
		case slices.Contains(ownKeys, k.name):
			return nil, r.own(k)
		case c != nil:
			return nil, r.errorf(k.value, "%s is an analysis: want its options, of the form {name: value}", k.name)
		case slices.ContainsFunc(r.commands, func(c run.Command) bool { return run.Has(c, k.name) }):
			o.common = append(o.common, k)
		default:
			return nil, r.unknown(k, e.name, append(r.known(), others...))
		}
	}
	return o, nil
}

// optionsOf are the entries of a mapping whose keys are options.
func (r *reader) optionsOf(e *entry) ([]entry, error) {
	keys, err := r.mapping(e.value, e.name)
	for i := range keys {
		keys[i].name = run.OptionName(keys[i].name)
	}
	return keys, err
}

// section is the options of one analysis.
func (r *reader) section(e entry, c *run.Command) ([]entry, error) {
	keys, err := r.optionsOf(&e)
	if err != nil {
		return nil, err
	}
	for _, k := range keys {
		switch {
		case slices.Contains(ownKeys, k.name):
			return nil, r.own(k)
		case !run.Has(*c, k.name):
			return nil, r.unknown(k, e.name, append(run.FlagNames(*c), run.TreeNames(*c)...))
		}
	}
	return keys, nil
}

// known are the options of all analyses and their names.
func (r *reader) known() []string {
	names := r.analyses()
	for _, c := range r.commands {
		names = append(append(names, run.FlagNames(c)...), run.TreeNames(c)...)
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return slices.Contains(ownKeys, name) })
}

// dataset reads a dataset and makes its tasks; nil if it is not enabled.
func (r *reader) dataset(e entry, global *options, analyses []string, matrix []variable) (*Dataset, error) {
	if wrong := filename.Wrong(e.name); wrong != "" {
		return nil, r.errorf(e.key, "dataset %.80q: want a name that can be a folder; %s", e.key.Value, wrong)
	}
	keys, err := r.mapping(e.value, "dataset "+e.name)
	if err != nil {
		return nil, err
	}
	local, err := r.options(&e, datasetKeys)
	if err != nil {
		return nil, err
	}
	if k := find(keys, "enabled"); k != nil {
		if on, err := r.truth(k); err != nil || !on {
			return nil, err
		}
	}
	if k := find(keys, "matrix"); k != nil {
		if matrix, err = r.matrix(k); err != nil {
			return nil, err
		}
	}
	chosen, err := r.choose(&e, keys, local, global, analyses)
	if err != nil {
		return nil, err
	}
	if err := r.count(&e, local, global); err != nil {
		return nil, err
	}
	d := &Dataset{Name: e.name}
	x := &expander{reader: r, matrix: matrix, known: map[*yaml.Node]*yaml.Node{}}
	for _, name := range chosen {
		c := r.command(name)
		t := Task{Dataset: e.name, Analysis: name, Task: run.Task{Command: *c, CompressOver: largestPlain}}
		for _, part := range [][]entry{local.sections[name], local.common, global.sections[name], global.common} {
			layer, err := x.layer(part, c)
			if err != nil {
				return nil, err
			}
			t.Layers = append(t.Layers, layer)
		}
		d.Tasks = append(d.Tasks, t)
	}
	d.Checkpoints = x.checkpoints()
	return d, nil
}

// count takes the values of a dataset from the budget: aliases give the same ones to many.
func (r *reader) count(e *entry, all ...*options) error {
	n := 0
	for _, o := range all {
		for _, list := range slices.Concat([][]entry{o.common}, slices.Collect(maps.Values(o.sections))) {
			for _, k := range list {
				n += 1 + len(k.value.Content)
			}
		}
	}
	if err := r.budget.Product("dataset "+e.name, n); err != nil {
		return r.errorf(e.key, "%w", err)
	}
	return nil
}

// choose is the analyses of a dataset, in the order in which evaluate knows them.
func (r *reader) choose(e *entry, keys []entry, local, global *options, analyses []string) ([]string, error) {
	only, err := r.names(find(keys, "only"))
	if err != nil {
		return nil, err
	}
	skip, err := r.names(find(keys, "skip"))
	if err != nil {
		return nil, err
	}
	wanted := only
	if wanted == nil {
		wanted = slices.Clone(analyses)
		for _, name := range r.analyses() {
			_, here := local.sections[name]
			if _, there := global.sections[name]; (here || there && analyses == nil) && !slices.Contains(wanted, name) {
				wanted = append(wanted, name)
			}
		}
	}
	if len(wanted) == 0 {
		return nil, run.Hint(r.errorf(e.key, "dataset %s has no analyses", e.name),
			"name them: analyses: ["+strings.Join(r.analyses()[:2], ", ")+"]")
	}
	var chosen []string
	for _, name := range r.analyses() {
		if slices.Contains(wanted, name) && !slices.Contains(skip, name) {
			chosen = append(chosen, name)
		}
	}
	return chosen, nil
}

// Folder is where the study is written: what the command line names, else the file, else a folder of the file's name.
func (s *Suite) Folder(folder string) string {
	switch {
	case folder != "":
		return folder
	case s.Out != "":
		return s.Out
	}
	return filepath.Join("evaluation_plots", filename.Stem(s.Path))
}
