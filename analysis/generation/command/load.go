// What the flags name, read and put together.

package command

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"repscope/analysis/generation"
	"repscope/analysis/generation/climbing"
	"repscope/dataset"
	"repscope/internal/input"
	"repscope/internal/regular"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/report"
)

// loader reads the inputs of a run.
type loader struct {
	env   *run.Env
	f     *options
	names labels // of the run; nil: none are known yet
	given bool   // names come from --label-names
	// tables are those that were read. numbered and invented are where labels are numbers
	// without names, and where they are texts that names was made of.
	tables             map[string][]dataset.Column
	numbered, invented string
	// named is the file whose label_to_grade the names are; unnamed are files whose labels are
	// numbers without names.
	named   string
	unnamed []string
	left    input.Losses      // generators that cannot be measured
	drawn   map[string]*Drawn // how the samples of generators were drawn here
}

// load reads all that the flags name, and says how samples were drawn where generators were run.
func (f *options) load(ctx context.Context, env *run.Env) (*generation.Input, map[string]*Drawn, error) {
	if f.example.On() {
		in, err := f.loadExample(env)
		if err != nil {
			return nil, nil, err
		}
		return in, nil, in.AddReferences(env.Options.Seed)
	}
	l := &loader{env: env, f: f, tables: map[string][]dataset.Column{}, drawn: map[string]*Drawn{}}
	if err := l.exist(); err != nil {
		return nil, nil, err
	}
	if f.labelNames != "" {
		var err error
		if l.names, err = readNames(f.labelNames); err != nil {
			return nil, nil, err
		}
		l.given = true
		if err := l.enter("label-names", "", f.labelNames, "json", nil); err != nil {
			return nil, nil, err
		}
	}
	in := &generation.Input{}
	for _, name := range f.names() {
		in.Generators = append(in.Generators, generation.Generator{Name: name})
	}
	if err := l.read(ctx, in); err != nil {
		return nil, nil, err
	}
	l.tables = nil
	if l.named != "" && l.unnamed != nil {
		env.Note("note: the numeric labels of %s are named by label_to_grade of %s",
			strings.Join(l.unnamed, ", "), l.named)
	}
	if err := l.run(ctx, in); err != nil {
		return nil, nil, err
	}
	in.LabelNames = l.names
	if err := l.leaveUnfit(ctx, in); err != nil {
		return nil, nil, err
	}
	if err := f.group(env, in); err != nil {
		return nil, nil, err
	}
	return in, l.drawn, in.AddReferences(env.Options.Seed)
}

// leaveUnfit leaves out generators with inputs that do not fit, next to those that
// could not be read.
func (l *loader) leaveUnfit(ctx context.Context, in *generation.Input) error {
	var names []string
	for i := range in.Generators {
		g := &in.Generators[i]
		names = append(names, g.Name)
		if l.left.Has(g.Name) {
			continue
		}
		if err := in.CheckGenerator(g); err != nil {
			if err := l.left.Leave(ctx, g.Name, fmt.Errorf("%s: %w", g.Name, err)); err != nil {
				return err
			}
		}
	}
	in.Generators = slices.DeleteFunc(in.Generators, func(g generation.Generator) bool { return l.left.Has(g.Name) })
	return l.left.Settle(l.env, names)
}

// exist finds files that are not there, before anything is read.
func (l *loader) exist() error {
	f := l.f
	for _, files := range []*input.Files{f.reconstruction, f.generated, f.latents, f.predictions, f.groups, f.generator.encoders, f.generator.decoders} {
		if err := files.Exist(); err != nil {
			return err
		}
	}
	for _, file := range []struct{ flag, path string }{{"real", f.real}, {"holdout", f.holdOut}, {"real-latents", f.realLatents},
		{"real-predictions", f.realPredictions}, {"label-names", f.labelNames}, {"grids", f.generator.grids}, {"classifier", f.generator.classifier}} {
		if file.path == "" {
			continue
		}
		if err := dataset.Exists(file.path); err != nil {
			return fmt.Errorf("%s: %w", file.flag, err)
		}
	}
	return nil
}

// read reads the inputs, files that may name labels first.
func (l *loader) read(ctx context.Context, in *generation.Input) error {
	f := l.f
	generator := func(name string) *generation.Generator {
		return &in.Generators[slices.IndexFunc(in.Generators, func(g generation.Generator) bool { return g.Name == name })]
	}
	// each reads the files of a flag; a generator whose file cannot be read is left out.
	each := func(flag string, files *input.Files, read func(g *generation.Generator, file input.File) error) error {
		for _, file := range files.All() {
			if err := read(generator(file.Name), file); err != nil {
				if err := l.left.Leave(ctx, file.Name, fmt.Errorf("%s %s: %w", flag, file.Name, err)); err != nil {
					return err
				}
			}
		}
		return nil
	}
	err := each("reconstruction", f.reconstruction, func(g *generation.Generator, file input.File) (err error) {
		g.Reconstruction, err = l.pairs(file.Name, file.Path)
		return err
	})
	if err != nil {
		return err
	}
	err = each("latents", f.latents, func(g *generation.Generator, file input.File) (err error) {
		g.Latents, err = l.latents("latents", file.Name, file.Path)
		return err
	})
	if err != nil {
		return err
	}
	if f.realLatents != "" {
		if in.RealLatents, err = l.latents("real-latents", "", f.realLatents); err != nil {
			return fmt.Errorf("real-latents: %w", err)
		}
	}
	err = each("generated", f.generated, func(g *generation.Generator, file input.File) (err error) {
		g.Generated, err = l.samples("generated", file.Name, file.Path)
		return err
	})
	if err != nil {
		return err
	}
	for _, s := range []struct {
		role, path string
		to         **generation.Samples
	}{{"real", f.real, &in.Real}, {"holdout", f.holdOut, &in.HoldOut}} {
		if s.path == "" {
			continue
		}
		if *s.to, err = l.samples(s.role, "", s.path); err != nil {
			return fmt.Errorf("%s: %w", s.role, err)
		}
	}
	err = each("predictions", f.predictions, func(g *generation.Generator, file input.File) (err error) {
		if g.Predictions, err = l.predictions("predictions", file.Name, file.Path); err == nil {
			countGenerated(g.Predictions, g.Generated)
		}
		return err
	})
	if err != nil {
		return err
	}
	if f.realPredictions != "" {
		if in.RealPredictions, err = l.predictions("real-predictions", "", f.realPredictions); err != nil {
			return fmt.Errorf("real-predictions: %w", err)
		}
	}
	return ctx.Err()
}

// countGenerated takes the numbers of samples that were made for each label, if no column said them.
func countGenerated(p *generation.Predictions, s *generation.Samples) {
	if p.Generated != nil || s == nil || s.Labels == nil {
		return
	}
	p.Generated = map[int]int{}
	for _, label := range s.Labels {
		p.Generated[label]++
	}
}

// enter puts a file into the inputs of the result.
func (l *loader) enter(role, name, path, kind string, shape []int) error {
	sum, err := dataset.FileSHA256(pathOf(path))
	if err != nil {
		return err
	}
	l.env.Result.Inputs = append(l.env.Result.Inputs,
		report.Input{Role: role, Name: name, Path: path, SHA256: sum, Kind: kind, Shape: shape})
	return nil
}

// pathOf is the file of FILE[:key].
func pathOf(spec string) string {
	if _, err := os.Stat(spec); err == nil {
		return spec
	}
	if i := strings.LastIndexByte(spec, ':'); i > 0 {
		return spec[:i]
	}
	return spec
}

// readNames reads {"0": "6A+", …}.
func readNames(path string) (labels, error) {
	data, err := regular.Read(path, regular.Listing)
	if err != nil {
		return nil, regular.PathError(err)
	}
	names, err := parseNames(data)
	if err != nil {
		return nil, fmt.Errorf("label-names: %s: %w", path, err)
	}
	return names, nil
}

// parseNames reads names of labels: an object of names by number. Two labels of one name are
// an error.
func parseNames(data []byte) (labels, error) {
	var raw map[string]string
	if err := text.Unmarshal(data, &raw); err != nil {
		return nil, fmt.Errorf(`want {"0": "name", …}: %w`, err)
	}
	names, seen := labels{}, map[string]string{}
	keys := make([]string, 0, len(raw))
	for key := range raw {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		label, err := strconv.Atoi(key)
		if err != nil {
			return nil, fmt.Errorf("the key %q is not a label: want whole numbers", key)
		}
		if other, ok := seen[raw[key]]; ok {
			return nil, fmt.Errorf("the labels %s and %s are both named %q", other, key, raw[key])
		}
		if other, ok := names[label]; ok {
			return nil, fmt.Errorf("the label %d has two names, %q and %q", label, other, raw[key])
		}
		seen[raw[key]] = key
		names[label] = raw[key]
	}
	return names, nil
}

// adopt takes the names of labels that a file brings: as the names of the run if it has none
// yet; else its labels are translated by name.
func (l *loader) adopt(names labels, list []int, name string) error {
	switch {
	case names == nil || maps.Equal(names, l.names):
		return nil
	case l.names == nil:
		if l.names = names; !maps.Equal(names, grades()) {
			l.named = name
		}
		return nil
	}
	byName := map[string]int{}
	for label, name := range l.names {
		byName[name] = label
	}
	for i, label := range list {
		text, ok := names[label]
		if !ok {
			return fmt.Errorf("%s: label %d of sample %d has no name in its label_to_grade, nor among the grades "+
				"of boards", name, label, i)
		}
		to, ok := byName[text]
		if !ok {
			return fmt.Errorf("%s: %q, the name of label %d of sample %d, is unknown in the other inputs and in "+
				"--label-names", name, text, label, i)
		}
		list[i] = to
	}
	return nil
}

// grades are the names of labels of a board.
func grades() labels {
	names := labels{}
	for i, name := range climbing.Grades() {
		names[i] = name
	}
	return names
}

// group takes --groups and --block for the inputs that they are for.
func (f *options) group(env *run.Env, in *generation.Input) error {
	for _, file := range f.groups.All() {
		inputs := realInputs(in)
		if file.Name != generation.RealRow {
			i := slices.IndexFunc(in.Generators, func(g generation.Generator) bool { return g.Name == file.Name })
			if i < 0 {
				continue // it cannot be measured
			}
			inputs = inputsOf(&in.Generators[i])
		}
		name, values, err := readGroups(env, file)
		if err != nil {
			return fmt.Errorf("groups %s: %w", file.Name, err)
		}
		grouped := setGroups(inputs, func(n int) []int {
			if n != len(values) {
				return nil
			}
			return values
		})
		switch len(grouped) {
		case 0:
			return fmt.Errorf("groups %s: %s has %d numbers, but no input of %s has as many samples",
				file.Name, name, len(values), file.Name)
		case 1:
		default:
			env.Note("note: groups %s: %s also applies to the %d samples of --%s", file.Name, name, len(values),
				strings.Join(grouped, " and of --"))
		}
	}
	if length := f.statistics.Block.Length; length > 1 {
		for i := range in.Generators {
			setGroups(inputsOf(&in.Generators[i]), func(n int) []int {
				out := make([]int, n)
				for k := range out {
					out[k] = k / length
				}
				return out
			})
		}
	}
	return nil
}

// readGroups reads a group number per sample, with the name of the array for messages.
func readGroups(env *run.Env, file input.File) (name string, groups []int, err error) {
	a, err := dataset.OpenColumn(file.Path)
	if err != nil {
		return "", nil, err
	}
	env.CloseLater(a)
	if a.RowLen() != 1 {
		return "", nil, fmt.Errorf("%s has shape %v, want [N]", a.Name(), a.Shape())
	}
	values := make([]int64, a.Len())
	if err := a.ReadInt64(values, 0, a.Len()); err != nil {
		return "", nil, err
	}
	return a.Name(), ints(values), nil
}

// grouped is an input of n samples that may have groups.
type grouped struct {
	flag string
	n    int
	to   *[]int
}

// inputsOf are the inputs of a generator.
func inputsOf(g *generation.Generator) (out []grouped) {
	if g.Generated != nil {
		out = append(out, grouped{"generated", g.Generated.N(), &g.Generated.Groups})
	}
	if g.Reconstruction != nil {
		out = append(out, grouped{"reconstruction", g.Reconstruction.N, &g.Reconstruction.Groups})
	}
	if g.Latents != nil {
		out = append(out, grouped{"latents", g.Latents.Points.N, &g.Latents.Groups})
	}
	if g.Predictions != nil {
		out = append(out, grouped{"predictions", len(g.Predictions.Target), &g.Predictions.Groups})
	}
	return out
}

// realInputs are the inputs of real samples.
func realInputs(in *generation.Input) (out []grouped) {
	if in.Real != nil {
		out = append(out, grouped{"real", in.Real.N(), &in.Real.Groups})
	}
	if in.RealLatents != nil {
		out = append(out, grouped{"real-latents", in.RealLatents.Points.N, &in.RealLatents.Groups})
	}
	if in.RealPredictions != nil {
		out = append(out, grouped{"real-predictions", len(in.RealPredictions.Target), &in.RealPredictions.Groups})
	}
	return out
}

// setGroups sets the groups of all inputs for which of gives some, and returns their flags.
func setGroups(inputs []grouped, groups func(n int) []int) (flags []string) {
	for _, in := range inputs {
		if labels := groups(in.n); labels != nil {
			*in.to, flags = labels, append(flags, in.flag)
		}
	}
	return flags
}
