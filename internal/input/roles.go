// Roles: arrays that a command takes next to states and models, such as labels,
// actions or predictions.

package input

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"repscope/dataset"
	"repscope/internal/example"
	"repscope/internal/option"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/report"
)

// What the columns of a row may be like; see [Role].
const (
	LikeLatents = "latents"
	LikeFrames  = "frames"
)

// Role is an array that a command takes by a flag of its own.
type Role struct {
	// Name is the name of the flag, of the role in the result file, and of the array in
	// messages: "labels". Unit is one element: "label".
	Name, Unit string
	Usage      string // of the flag
	// Named makes the flag NAME=FILE[:key] and lets it repeat; else it is FILE[:key].
	Named bool
	// Models makes the names of a named role the names of models. Variants, if there are any,
	// makes the flag NAME:VARIANT=FILE[:key], and the arrays' names NAME:VARIANT.
	Models   bool
	Variants []string
	// Measured says that the arrays of a name are measured under it, as a model is:
	// arrays that cannot be measured are left out, and the others are not.
	Measured bool
	// Published is the attribute of a published dataset that is taken where the frames
	// are one and the flag is not given: "actions" or "rewards". FILE:rewards of that file
	// are the rewards of the split of the frames.
	Published string
	// NaN says that the command leaves out states whose [Given.Floats] is NaN: with
	// --skip-nan it may return some, counted in a warning, in place of an error.
	NaN bool
	// Example is the column of the built-in example that is taken with --example
	// when the flag is not given. Unless it is empty, example:NAME names any of them.
	Example string
	// Examples are what a named role takes with --example when the flag is not given:
	// NAME=column of the built-in example's columns.
	Examples []string
	// Like is what the columns of a row are compared with by position: latents of the model of that name, or frames.
	Like string
	// Wide admits rows of any length; else a row is one element.
	Wide bool
	// Table admits CSV files, whose columns are arrays of their own, named NAME.column.
	Table bool
	// Column says that the array tells of every row what it belongs to, or when: it may hold times
	// or texts, and be a column of a table ([dataset.OpenColumn]).
	Column bool
}

// Given is what the flag of a role names.
type Given struct {
	role   Role
	inputs *Inputs // nil in a command without states
	// example is the example of a command without states; nil if it has none.
	example *GivenExample
	spec    string
	named   []source
	found   *string // in the published dataset of the frames; nil: not looked for
}

// Array is an open array of a role.
type Array struct {
	Name string // of NAME=FILE; empty for a role that is not named
	*dataset.Array
}

// examplePrefix begins the name of a column of the built-in example.
const examplePrefix = "example:"

// RegisterRole adds the flag of a role to a command's that takes no states.
func RegisterRole(flags *run.Flags, role Role) *Given {
	g := &Given{role: role}
	flags.Declare(option.Of(option.Func(func(l *option.List) {
		if role.Named {
			l.Var(&roleFlag{g}, role.Name, role.Usage).Reads()
		} else {
			l.Path(&g.spec, role.Name, role.Usage).Reads()
		}
	})))
	flags.Check(func(*run.Options) error { return g.check() })
	flags.Reads(func(*run.Options) []string { return g.leads() })
	flags.Holds(func(_ *run.Options, path string) string { return holder(g.role.Name, g.sources(), path) })
	return g
}

// Role adds the flag of a role to a command's that takes states, whose rows may
// belong to them; see [Given.Ints].
func (in *Inputs) Role(flags *run.Flags, role Role) *Given {
	g := RegisterRole(flags, role)
	g.inputs = in
	in.roles = append(in.roles, g)
	return g
}

// roleFlag is the value of the flag of a named role.
type roleFlag struct{ given *Given }

func (r *roleFlag) String() string {
	if r.given == nil {
		return ""
	}
	var parts []string
	for _, s := range r.given.named {
		parts = append(parts, run.JoinName(s.name, s.path))
	}
	return strings.Join(parts, ",")
}

// Repeats says that the flag may be given several times.
func (r *roleFlag) Repeats() bool { return true }

func (r *roleFlag) Set(text string) error {
	name, path, err := cutName(text)
	if err == nil {
		_, _, err = cutVariant(name, r.given.role.Variants)
	}
	if err != nil {
		return err
	}
	r.given.named = append(r.given.named, source{kind: r.given.role.Name, name: name, path: path})
	return nil
}

// cutVariant takes a variant from a name; there is none where variants are empty.
func cutVariant(name string, variants []string) (model, variant string, err error) {
	if len(variants) == 0 {
		return name, "", nil
	}
	if i := strings.LastIndexByte(name, ':'); i > 0 && slices.Contains(variants, name[i+1:]) {
		return name[:i], name[i+1:], nil
	}
	return "", "", fmt.Errorf("want NAME:%s=FILE, not %q", strings.Join(variants, "=FILE or NAME:"), name)
}

// check finds names that stand twice and columns that the example does not have.
func (g *Given) check() error {
	for i, s := range g.named {
		if slices.ContainsFunc(g.named[:i], func(other source) bool { return other.name == s.name }) {
			return run.Usage("two %s are named %q", g.role.Name, s.name)
		}
	}
	for _, s := range append([]source{{path: g.spec}}, g.named...) {
		if err := g.checkColumn(s.path); err != nil {
			return err
		}
	}
	return nil
}

// checkColumn finds a column of the example that is not there, or not to be had.
func (g *Given) checkColumn(spec string) error {
	name, ok := strings.CutPrefix(spec, examplePrefix)
	if !ok || g.role.Example == "" {
		return nil
	}
	if !g.ofExample() {
		return run.Usage("%s: --%s %s needs --example", g.role.Name, g.role.Name, spec)
	}
	if names := exampleColumns(); !slices.Contains(names, exampleSingular(name)) {
		return run.Hint(run.Usage("%s: --%s %s: want %s followed by one of %s", g.role.Name, g.role.Name, spec, examplePrefix, strings.Join(names, ", ")),
			text.DidYouMean(examplePrefix, name, names))
	}
	return nil
}

// checkModels finds names of a role of models that no model has.
func (g *Given) checkModels(models []string) error {
	if !g.role.Models {
		return nil
	}
	for _, s := range g.named {
		model, _, _ := cutVariant(s.name, g.role.Variants) // checked when it was set
		if err := checkModel(g.role.Name, s, model, models); err != nil {
			return err
		}
	}
	return nil
}

// checkModel is the error for a file that is given for a model that is not there.
func checkModel(flag string, s source, model string, models []string) error {
	if slices.Contains(models, model) {
		return nil
	}
	meant := text.DidYouMean("", model, models)
	if len(models) == 0 {
		return run.Hint(run.Usage("--%s %s=%s: no model is named %q: there are no models", flag, s.name, s.path, model),
			"give it with --model NAME=FILE")
	}
	return run.Hint(run.Usage("--%s %s=%s: no model is named %q; the models are %s", flag, s.name, s.path, model, strings.Join(models, ", ")), meant)
}

// OfExample reports whether the frames are the built-in example's.
func (in *Inputs) OfExample() bool { return in.example }

// ofExample reports whether the frames are the built-in example's.
func (g *Given) ofExample() bool { return g.inputs != nil && g.inputs.example }

// sources are the given files, or the example's own.
func (g *Given) sources() []source {
	switch {
	case g.example != nil && g.example.on && g.spec == "" && len(g.named) == 0:
		return g.example.sources(g.role.Name)
	case g.role.Named && len(g.named) == 0 && g.ofExample():
		var out []source
		for _, of := range g.role.Examples {
			name, column, _ := strings.Cut(of, "=")
			out = append(out, source{kind: g.role.Name, name: name, path: examplePrefix + column})
		}
		return out
	case g.role.Named:
		return g.named
	case g.spec != "":
		return []source{{path: g.ofSplit(g.spec)}}
	case g.role.Example != "" && g.ofExample():
		return []source{{path: examplePrefix + g.role.Example}}
	case g.role.Published != "" && g.inputs != nil && g.inputs.frames != "":
		if spec := g.attribute(); spec != "" {
			return []source{{path: spec}}
		}
	}
	return nil
}

// Role is the name of the flag.
func (g *Given) Role() string { return g.role.Name }

// Names are the names of the given arrays; empty ones for a role that is not named.
func (g *Given) Names() []string {
	var names []string
	for _, s := range g.sources() {
		names = append(names, s.name)
	}
	return names
}

// ofSplit is FILE:rewards with the split of the frames, if these are of the same file.
func (g *Given) ofSplit(spec string) string {
	path, ok := strings.CutSuffix(spec, ":"+g.role.Published)
	if !ok || g.role.Published == "" || g.inputs == nil {
		return spec
	}
	if frames := g.inputs.frames; frames == path || strings.HasPrefix(frames, path+":") {
		if own := g.attribute(); own != "" {
			return own
		}
	}
	return spec
}

// attribute is the array that the published dataset of the frames has for the role; "" if
// there is none.
func (g *Given) attribute() string {
	if g.found == nil {
		spec := dataset.ExperienceAttribute(g.inputs.frames, g.role.Published)
		g.found = &spec
	}
	return *g.found
}

// Any reports whether there is anything to read.
func (g *Given) Any() bool { return len(g.sources()) > 0 }

// Open opens the given arrays and enters them, with their digests, into the inputs of the
// result. The arrays are closed when the run ends; there may be none.
func (g *Given) Open(env *run.Env) ([]Array, error) {
	var arrays []Array
	for _, s := range g.sources() {
		if model, ok := g.modelOf(s); ok && g.inputs.left.Has(model) {
			continue
		}
		opened, err := g.openInto(env, s)
		if err != nil {
			return nil, err
		}
		arrays = append(arrays, opened...)
	}
	return arrays, nil
}

// openInto opens the arrays of a source and enters them into the inputs of the result.
func (g *Given) openInto(env *run.Env, s source) ([]Array, error) {
	opened, err := g.openAll(s)
	if err != nil {
		return nil, err
	}
	for _, a := range opened {
		env.CloseLater(a)
		sum, err := a.SHA256()
		if err != nil {
			return nil, g.errorf(a.Name, "%w", err)
		}
		env.Result.Inputs = append(env.Result.Inputs, report.Input{Role: g.role.Name, Name: a.Name, Path: s.path, SHA256: sum,
			DType: a.DType().String(), Shape: slices.Clone(a.Shape())})
	}
	return opened, nil
}

// openAll opens the array of a source, or the columns of a table: the one named after
// the path, or all.
func (g *Given) openAll(s source) ([]Array, error) {
	path, key := s.path, ""
	if i := strings.LastIndex(path, ":"); i >= 0 && dataset.IsTable(path[:i]) {
		path, key = path[:i], path[i+1:]
	}
	if !g.role.Table || !dataset.IsTable(path) {
		a, err := g.open(s.path)
		if err != nil {
			return nil, g.errorf(s.name, "%w", err)
		}
		return []Array{{s.name, a}}, nil
	}
	columns, err := dataset.ReadTable(path)
	if err != nil {
		return nil, g.errorf(s.name, "%w", err)
	}
	var arrays []Array
	for i := range columns {
		if key != "" && columns[i].Name != key {
			continue
		}
		a, err := columns[i].Array(path)
		if err != nil {
			return nil, g.errorf(s.name, "%w", err)
		}
		if key != "" {
			return []Array{{s.name, a}}, nil
		}
		arrays = append(arrays, Array{s.name + "." + columns[i].Name, a})
	}
	if key != "" {
		if a, err := g.open(s.path); err == nil { // lists of a Parquet file
			return []Array{{s.name, a}}, nil
		}
		var names []string
		for i := range columns {
			names = append(names, columns[i].Name)
		}
		return nil, run.Hint(g.errorf(s.name, "%s has no column %q; there are %s", path, key, strings.Join(names, ", ")),
			text.DidYouMean("", key, names))
	}
	return arrays, nil
}

// errorf is an error about the array of a name, which may be empty.
func (g *Given) errorf(name, format string, args ...any) error {
	return fmt.Errorf("%s: %w", strings.TrimSpace(g.role.Name+" "+name), fmt.Errorf(format, args...))
}

// open opens a file, or a column of the built-in example.
func (g *Given) open(spec string) (*dataset.Array, error) {
	opens := dataset.Open
	if g.role.Column {
		opens = dataset.OpenColumn
	}
	if g.example != nil && g.example.on {
		return g.example.open(spec, opens)
	}
	name, ok := strings.CutPrefix(spec, examplePrefix)
	if !ok || g.role.Example == "" {
		return opens(spec)
	}
	return exampleColumn(spec, name)
}

// Ints reads one integer for each of the states: integers of a role that is not named,
// nil if none are given. The array has a row per frame, and a state has the integer
// of its last frame, or one per state.
//
// Errors name the array, its content and the expected one: another shape, number
// of rows, or elements that are no integers.
func (g *Given) Ints(data *Data, index []int) ([]int64, error) {
	return perState(g, data, index, func(a *dataset.Array, all []int64) error { return a.ReadInt64(all, 0, len(all)) })
}

// Floats is [Given.Ints] for numbers. NaN and infinity are errors with their row, or with
// --skip-nan, if the role takes them, both NaN and counted in a warning.
func (g *Given) Floats(data *Data, index []int) ([]float64, error) {
	skip := g.role.NaN && data.Options.SkipNaN
	out, err := perState(g, data, index, func(a *dataset.Array, all []float64) error {
		if err := a.ReadFloat64(all, 0, len(all)); err != nil {
			return err
		}
		for i, v := range all {
			if (math.IsNaN(v) || math.IsInf(v, 0)) && !skip {
				err := fmt.Errorf("%s: row %d is %v, want a finite number", a.Name(), i, v)
				if g.role.NaN {
					return run.Hint(err, "drop such states for all models with --skip-nan")
				}
				return err
			}
		}
		return nil
	})
	bad := 0
	for i, v := range out {
		if math.IsInf(v, 0) {
			out[i] = math.NaN()
		}
		if math.IsNaN(out[i]) {
			bad++
		}
	}
	if bad > 0 {
		data.env.Warn("%s: %s dropped for NaN or Inf", g.role.Name, text.Count(bad, "state"))
	}
	return out, err
}

// perState reads an array of one value per row and takes the values of the states.
func perState[T any](g *Given, data *Data, index []int, read func(*dataset.Array, []T) error) ([]T, error) {
	arrays, err := g.Open(data.env)
	if err != nil || len(arrays) == 0 {
		return nil, err
	}
	a := arrays[0]
	if err := g.fits(data, a); err != nil {
		return nil, err
	}
	all := make([]T, a.Len())
	if err := read(a.Array, all); err != nil {
		return nil, g.errorf(a.Name, "%w", err)
	}
	rows, err := g.Rows(data, a, index)
	if err != nil {
		return nil, err
	}
	out := make([]T, len(index))
	for i, row := range rows {
		out[i] = all[row]
	}
	return out, nil
}

// Check finds arrays that do not fit the states, by their shapes: what [Given.Ints] and
// [Given.Floats] want. It enters nothing into the result, but shapes into a plan.
func (g *Given) Check(data *Data) error {
	return g.Each(data, func(a Array) error { return g.fits(data, a) })
}

// Each opens one array after the other for a check of the command's own, such as of
// shapes. It enters nothing into the result, but shapes into a plan.
//
// Where the arrays belong to models, a model whose array does not fit is left out.
func (g *Given) Each(data *Data, check func(Array) error) error {
	for _, s := range g.sources() {
		model, ofModel := g.modelOf(s)
		if ofModel && (data.trying || g.inputs.left.Has(model)) {
			continue
		}
		err := g.each(data, s, check)
		if err != nil && ofModel {
			err = data.leave(context.Background(), model, err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// modelOf is the model that a source belongs to, if it belongs to one.
func (g *Given) modelOf(s source) (model string, ok bool) {
	switch {
	case g.inputs == nil:
	case g.role.Models:
		model, _, err := cutVariant(s.name, g.role.Variants)
		return model, err == nil
	case g.role.Measured:
		return s.name, true
	}
	return "", false
}

// each checks the arrays of a source.
func (g *Given) each(data *Data, s source, check func(Array) error) error {
	arrays, err := g.openAll(s)
	if err != nil {
		return err
	}
	for _, a := range arrays {
		err := check(a)
		if data.plan != nil && !data.trying {
			data.env.Result.Inputs = append(data.env.Result.Inputs, report.Input{Role: g.role.Name, Name: a.Name, Path: s.path,
				DType: a.DType().String(), Shape: slices.Clone(a.Shape())})
			data.env.Print("%s %s: %s %v\n", strings.TrimSpace(g.role.Name+" "+a.Name), s.path, a.DType(), a.Shape())
		}
		_ = a.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// fits is the error for an array of another shape than one value per frame or state.
func (g *Given) fits(data *Data, a Array) error {
	if len(a.Shape()) == 0 || a.RowLen() != 1 && !g.role.Wide {
		return g.errorf(a.Name, "%s has shape %v, want one %s per frame", a.Array.Name(), a.Shape(), g.role.Unit)
	}
	_, err := g.Rows(data, a, nil)
	return err
}

// Rows tells which row of an open array belongs to each of the states: with a row
// per frame the row of a state's last frame, with a row per state its own.
func (g *Given) Rows(data *Data, a Array, index []int) ([]int, error) {
	rows, want := data.RowsOf(a.Len(), index)
	if rows == nil {
		return nil, g.errorf(a.Name, "%s has %d %s, want %s", a.Array.Name(), a.Len(), g.role.Name, want)
	}
	if err := a.Columns().Pair(g.likeness(data, a.Name)); err != nil {
		return nil, g.errorf(a.Name, "%w", err)
	}
	return rows, nil
}

// likeness are the columns with which the columns of an array are compared.
func (g *Given) likeness(data *Data, model string) (c dataset.Columns) {
	switch g.role.Like {
	case LikeFrames:
		if data.States != nil {
			c = data.States.Array().Columns()
		}
	case LikeLatents:
		for _, m := range data.Models {
			if m.Name == model && m.given != nil {
				c = m.given.names
			}
		}
	}
	return c
}

// RowsOf tells which of n rows belongs to each of the states; see [Given.Rows].
// Where none does it is nil, and want describes the expected rows.
func (d *Data) RowsOf(n int, index []int) (rows []int, want string) {
	frames, last := d.count, 0 // rows there should be, and the place of a state's last frame after its first
	if d.States != nil {
		frames, last = d.States.Array().Len(), max(d.window, 1)-1
	}
	rows = make([]int, len(index))
	switch n {
	case frames:
		for i, row := range d.Frame(index) {
			rows[i] = row + last
		}
		return rows, ""
	case len(d.index):
		for i, state := range index {
			rows[i], _ = slices.BinarySearch(d.index, state)
		}
		return rows, ""
	}
	want = fmt.Sprintf("%d, one per frame", frames)
	if len(d.index) != frames {
		want += fmt.Sprintf(", or %d, one per state", len(d.index))
	}
	return nil, want
}

// exampleColumns are the columns of the built-in example's own state.
func exampleColumns() []string {
	return slices.Concat([]string{"episode", "action", "reward"}, example.FactorNames)
}

// exampleSingular is the name of a column: actions are the column action.
func exampleSingular(name string) string {
	if singular := strings.TrimSuffix(name, "s"); slices.Contains([]string{"episode", "action", "reward"}, singular) {
		return singular
	}
	return name
}

// exampleColumn is one of them as an array, a value per frame.
func exampleColumn(spec, name string) (*dataset.Array, error) {
	set := example.Example()
	name = exampleSingular(name)
	if name == "reward" {
		return dataset.NewArray(spec, []int{set.Len()}, set.Reward)
	}
	values := make([]int64, set.Len())
	column := slices.Index(example.FactorNames, name)
	for i := range values {
		switch name {
		case "episode":
			values[i] = set.Episode[i]
		case "action":
			values[i] = int64(set.Action[i])
		default:
			values[i] = int64(set.Factors[i*len(example.FactorNames)+column])
		}
	}
	return dataset.NewArray(spec, []int{len(values)}, values)
}
