// This file is for the flag set of a binary: typed helpers and groups.

package cli

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"repscope/report"
)

// group says under which heading of the help a flag stands and whether its
// value is recorded in the result file.
type group uint8

const (
	analysisGroup   group = iota // own flags of the analysis; recorded
	inputGroup                   // recorded with the inputs instead
	encodeGroup                  // how encoders are run; recorded
	statisticsGroup              // recorded
	outputGroup                  // changes no number; not recorded
	runGroup                     // changes no number; not recorded
)

func (g group) recorded() bool {
	return g == analysisGroup || g == encodeGroup || g == statisticsGroup
}

// Flags is the flag set that an analysis adds its own flags to: everything of
// the standard library's flag.FlagSet, and lists, choices and sizes. Values are
// recorded under "options" in the result file, unless [Flags.Unrecorded] says
// otherwise.
type Flags struct {
	*flag.FlagSet
	groups map[string]group
	order  []string // names of the shared flags in the order of the help

	instead func(ctx context.Context, o *Options, stdout io.Writer) (done bool, err error)
}

func newFlags(name string) *Flags {
	f := &Flags{FlagSet: flag.NewFlagSet(name, flag.ContinueOnError), groups: map[string]group{}}
	f.SetOutput(io.Discard) // errors and help are printed by this package
	return f
}

// Unrecorded keeps flags that change no number (a figure's look, a memory
// budget) out of the result file.
func (f *Flags) Unrecorded(names ...string) {
	for _, name := range names {
		f.groups[name] = outputGroup
	}
}

// Instead sets a function that is asked once the flags are read, before the
// input is checked. If it returns true, it has done what was wanted, such as
// printing a list, and the run ends there; no file is written.
func (f *Flags) Instead(do func(ctx context.Context, o *Options, stdout io.Writer) (done bool, err error)) {
	f.instead = do
}

// omit takes flags out of the set.
func (f *Flags) omit(names []string) {
	if len(names) == 0 {
		return
	}
	kept := flag.NewFlagSet(f.Name(), flag.ContinueOnError)
	kept.SetOutput(io.Discard)
	f.VisitAll(func(fl *flag.Flag) {
		if !slices.Contains(names, fl.Name) {
			kept.Var(fl.Value, fl.Name, fl.Usage)
			kept.Lookup(fl.Name).DefValue = fl.DefValue
		}
	})
	f.FlagSet = kept
	f.order = slices.DeleteFunc(f.order, func(name string) bool { return slices.Contains(names, name) })
}

// Ints defines a flag for a comma-separated list of integers, such as
// --k 5,10,20. The list on the command line replaces the default.
func (f *Flags) Ints(name string, value []int, usage string) *[]int {
	values := slices.Clone(value)
	f.Var(&list[int]{values: &values, parse: strconv.Atoi, what: "an integer"}, name, usage)
	return &values
}

// Floats defines a flag for a comma-separated list of finite numbers.
func (f *Flags) Floats(name string, value []float64, usage string) *[]float64 {
	values := slices.Clone(value)
	f.Var(&list[float64]{values: &values, parse: parseFloat, what: "a number"}, name, usage)
	return &values
}

// Choice defines a flag that takes one of the given names; the first word of
// usage should say what is chosen; the names are added to the help.
func (f *Flags) Choice(name, value string, choices []string, usage string) *string {
	f.Var(&checked{&value, oneOf(choices...)}, name, usage+" ("+strings.Join(choices, ", ")+")")
	return &value
}

// Choices defines a flag that takes a comma-separated list of the given names.
func (f *Flags) Choices(name string, value []string, choices []string, usage string) *[]string {
	values := slices.Clone(value)
	f.Var(choiceList(&values, choices), name, usage+" ("+strings.Join(choices, ", ")+")")
	return &values
}

// Size defines a flag for a number of bytes, such as 450MB or 2GiB.
func (f *Flags) Size(name string, value int64, usage string) *int64 {
	s := size(value)
	f.Var(&s, name, usage)
	return (*int64)(&s)
}

// own reports whether a flag is the analysis's own.
func (f *Flags) own(name string) bool { return !slices.Contains(f.order, name) }

// recorded returns the values of the flags that decide numbers: the shared ones
// in their order, then the analysis's own by name.
func (f *Flags) recorded() report.Object {
	var o report.Object
	add := func(fl *flag.Flag) {
		if !f.groups[fl.Name].recorded() {
			return
		}
		if g, ok := fl.Value.(flag.Getter); ok {
			o.Set(fl.Name, g.Get())
		} else {
			o.Set(fl.Name, fl.Value.String())
		}
	}
	for _, name := range f.order {
		add(f.Lookup(name))
	}
	f.VisitAll(func(fl *flag.Flag) {
		if f.own(fl.Name) {
			add(fl)
		}
	})
	return o
}

// names returns the names of all flags, sorted.
func (f *Flags) names() []string {
	var names []string
	f.VisitAll(func(fl *flag.Flag) { names = append(names, fl.Name) })
	return names
}

// list is a comma-separated list.
type list[T any] struct {
	values *[]T
	parse  func(string) (T, error)
	what   string // what an element is, for messages; empty: parse's error says it
	unique bool
}

func (l *list[T]) String() string {
	if l.values == nil {
		return "" // the zero value, which package flag asks for
	}
	parts := make([]string, len(*l.values))
	for i, v := range *l.values {
		parts[i] = fmt.Sprint(v)
	}
	return strings.Join(parts, ",")
}

func (l *list[T]) Get() any { return *l.values }

func (l *list[T]) Set(text string) error {
	var values []T
	var seen []string
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		v, err := l.parse(part)
		switch {
		case err != nil && l.what != "":
			return fmt.Errorf("%q is not %s", part, l.what)
		case err != nil:
			return err
		case l.unique && slices.Contains(seen, part):
			return fmt.Errorf("%q is given twice", part)
		}
		seen = append(seen, part)
		values = append(values, v)
	}
	*l.values = values
	return nil
}

// choiceList is a list of distinct choices.
func choiceList(values *[]string, choices []string) *list[string] {
	return &list[string]{values: values, unique: true, parse: func(s string) (string, error) {
		return s, checkChoice(s, choices)
	}}
}

func parseFloat(s string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
		err = strconv.ErrRange
	}
	return v, err
}

// checked is a text that must pass a check.
type checked struct {
	value *string
	check func(string) error
}

func (c *checked) String() string {
	if c.value == nil {
		return ""
	}
	return *c.value
}

func (c *checked) Get() any { return *c.value }

func (c *checked) Set(text string) error {
	if err := c.check(text); err != nil {
		return err
	}
	*c.value = text
	return nil
}

// oneOf returns the check that a text is one of the choices.
func oneOf(choices ...string) func(string) error {
	return func(text string) error { return checkChoice(text, choices) }
}

// checkChoice returns an error that names the choices and, on a second line,
// the nearest one.
func checkChoice(text string, choices []string) error {
	if slices.Contains(choices, text) {
		return nil
	}
	hint := didYouMean("", text, choices)
	if hint != "" {
		hint = "\n" + hint
	}
	return fmt.Errorf("%q is not one of %s%s", text, strings.Join(choices, ", "), hint)
}

// size is a number of bytes.
type size int64

var sizeUnits = []struct {
	suffix string
	factor float64
}{
	{"KIB", 1 << 10}, {"MIB", 1 << 20}, {"GIB", 1 << 30}, {"TIB", 1 << 40},
	{"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12},
	{"K", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}, {"B", 1},
}

func (s *size) String() string {
	v := int64(*s)
	if v == 0 {
		return "0"
	}
	for i := len(sizeUnits) - 1; i >= 0; i-- {
		u := sizeUnits[i]
		name := strings.Replace(u.suffix, "IB", "iB", 1)
		if len(u.suffix) >= 2 && v%int64(u.factor) == 0 && v/int64(u.factor) < 1000 {
			return strconv.FormatInt(v/int64(u.factor), 10) + name
		}
	}
	return strconv.FormatInt(v, 10)
}

func (s *size) Get() any { return int64(*s) }

func (s *size) Set(text string) error {
	number, factor := strings.ToUpper(strings.TrimSpace(text)), 1.0
	for _, u := range sizeUnits {
		if rest, ok := strings.CutSuffix(number, u.suffix); ok {
			number, factor = strings.TrimSpace(rest), u.factor
			break
		}
	}
	v, err := parseFloat(number)
	if err != nil || v < 0 || v*factor > math.MaxInt64/2 {
		return fmt.Errorf("%q is not a size such as 450MB or 2GiB", text)
	}
	*s = size(v * factor)
	return nil
}

// count is a whole number with a lower bound.
type count struct {
	value *int
	least int
}

func (c *count) String() string {
	if c.value == nil {
		return "0"
	}
	return strconv.Itoa(*c.value)
}
func (c *count) Get() any { return *c.value }
func (c *count) Set(text string) error {
	v, err := strconv.Atoi(text)
	if err != nil {
		return fmt.Errorf("%q is not an integer", text)
	}
	if v < c.least {
		return fmt.Errorf("%d is below %d", v, c.least)
	}
	*c.value = v
	return nil
}

// perModel is a setting for all models, "VALUE", with exceptions, "NAME=VALUE".
type perModel struct {
	all    string
	byName map[string]string
	names  []string
	check  func(string) error
	whole  bool // a value may hold commas: one value per flag
}

func (p *perModel) String() string {
	var parts []string
	if p.all != "" {
		parts = append(parts, p.all)
	}
	for _, name := range p.names {
		parts = append(parts, name+"="+p.byName[name])
	}
	if p.whole {
		return strings.Join(parts, "; ")
	}
	return strings.Join(parts, ",")
}

func (p *perModel) Get() any { return p.String() }

func (p *perModel) repeats() bool { return true }

// joins says that a list in a configuration is one value.
func (p *perModel) joins() bool { return p.whole }

func (p *perModel) Set(text string) error {
	parts := []string{text}
	if !p.whole {
		parts = strings.Split(text, ",")
	}
	for _, part := range parts {
		name, value, named := strings.Cut(strings.TrimSpace(part), "=")
		if !named {
			value = name
		}
		if p.check != nil {
			if err := p.check(value); err != nil {
				return err
			}
		}
		if !named {
			p.all = value
			continue
		}
		if name == "" {
			return fmt.Errorf("%q has no model name before the equals sign", part)
		}
		if p.byName == nil {
			p.byName = map[string]string{}
		}
		if _, ok := p.byName[name]; !ok {
			p.names = append(p.names, name)
		}
		p.byName[name] = value
	}
	return nil
}

// of returns the setting of one model.
func (p *perModel) of(model string) string {
	if v, ok := p.byName[model]; ok {
		return v
	}
	return p.all
}

// layersPerModel is a list of layers for all models, with others for some.
type layersPerModel struct {
	all    []string
	byName map[string][]string
	names  []string
}

func (l *layersPerModel) String() string {
	parts := slices.Clone(l.all)
	for _, name := range l.names {
		for _, layer := range l.byName[name] {
			parts = append(parts, name+"="+layer)
		}
	}
	return strings.Join(parts, ",")
}

func (l *layersPerModel) Get() any { return l.String() }

func (l *layersPerModel) repeats() bool { return true }

// lists says that a model may have a list of values in a configuration.
func (l *layersPerModel) lists() {}

func (l *layersPerModel) Set(text string) error {
	name, layer, named := strings.Cut(text, "=")
	if !named {
		name, layer = "", text
	}
	switch {
	case layer == "":
		return fmt.Errorf("%q names no layer", text)
	case !named:
		l.all = append(l.all, layer)
		return nil
	case name == "":
		return fmt.Errorf("%q has no model name before the equals sign", text)
	}
	if l.byName == nil {
		l.byName = map[string][]string{}
	}
	if _, ok := l.byName[name]; !ok {
		l.names = append(l.names, name)
	}
	l.byName[name] = append(l.byName[name], layer)
	return nil
}

// of returns the layers of one model.
func (l *layersPerModel) of(model string) []string {
	if layers, ok := l.byName[model]; ok {
		return layers
	}
	return l.all
}
