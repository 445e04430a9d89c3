// Package option declares the options of an analysis, each once: the field that holds it, its name, its help
// and its bounds. The flags of the program, the checks before anything is read, what a result records and the
// identity of shards all follow from the list.
//
//	type Options struct {
//		K     []int
//		Exact bool
//	}
//
//	func (o *Options) Declare(l *option.List) {
//		l.Ints(&o.K, "k", "`LIST` of neighborhood sizes").AtLeast(1).Distinct()
//		l.Bool(&o.Exact, "exact", "compare every pair")
//	}
package option

import (
	"fmt"
	"slices"

	"repscope/internal/text"
	"repscope/shard"
)

// List holds declared options in their order.
type List struct {
	Options []*Option
	group   Group // of the options that follow
}

// Group says under which heading of the help an option stands, and whether a result records its value.
type Group uint8

// The groups, in the order of the help but for Settings, which follows Statistics.
const (
	Own        Group = iota // options of the command alone; recorded
	Inputs                  // recorded with the inputs instead
	Settings                // how inputs are read and models run; recorded
	Statistics              // recorded
	Output                  // changes no number; not recorded
	Running                 // changes no number; not recorded
)

// Under puts the options that follow into a group.
func (l *List) Under(g Group) { l.group = g }

// Access says whether the value of an option is a path, and what the run does there.
type Access uint8

// What a run does with a value.
const (
	Undeclared Access = iota // no path, or one that is not declared
	Read                     // the run reads there
	Written                  // the run writes there
	NoInput                  // names no input, even where a file has this name
)

// Declares is implemented by the Options of an analysis. Declare binds them to its fields, whose
// values at that time are the defaults.
type Declares interface{ Declare(l *List) }

// Func is a function that declares options.
type Func func(l *List)

// Declare calls the function.
func (f Func) Declare(l *List) { f(l) }

// Of lists the options of o.
func Of(o Declares) *List {
	l := new(List)
	o.Declare(l)
	return l
}

// Option is one option, bound to a field that holds its value.
type Option struct {
	Name  string
	Usage string // for the help; `NAME` stands for the value
	// Field points to the value: *bool, *int, *float64, *string, *[]int, *[]float64 or *[]string, or is a
	// [Value] that reads and writes its own text.
	Field any
	// Choices are the values that a text or a list of texts may have; nil: any.
	Choices []string
	// Unrecorded says that the option changes no number: it is neither recorded nor part of an identity.
	Unrecorded bool
	Group      Group
	Access     Access
	Path       bool               // a text is the path of a file or folder
	Least      *int               // bound of a whole number, or of every element of a list; nil: none
	Most       *int               // the same from above
	TextCheck  func(string) error // of a text, or of each of a list; nil: any
	Repeats    bool               // a list of texts grows with every value
	Whole      bool               // such a value is one text, commas and all
	Aliases    []string           // other names

	explained []string // choices that the usage explains
	distinct  bool     // the elements of a list differ
	checks    []func() error
	read      func() any // the value for an identity
}

// Value is a value that reads and writes its own text; package flag takes it as it is. A result records what its
// method Get returns, or else its text.
type Value interface {
	Set(text string) error
	String() string
}

// add declares an option of a variable.
func add[T any](l *List, field *T, name, usage string) *Option {
	o := &Option{Name: name, Usage: usage, Field: field, Group: l.group, read: func() any { return *field }}
	l.Options = append(l.Options, o)
	return o
}

// Bool declares an option that is set by its name alone.
func (l *List) Bool(field *bool, name, usage string) *Option { return add(l, field, name, usage) }

// Int declares a whole number.
func (l *List) Int(field *int, name, usage string) *Option { return add(l, field, name, usage) }

// Float declares a finite number.
func (l *List) Float(field *float64, name, usage string) *Option { return add(l, field, name, usage) }

// Text declares a text.
func (l *List) Text(field *string, name, usage string) *Option { return add(l, field, name, usage) }

// Checked declares a text that must pass a check when it is set.
func (l *List) Checked(field *string, name string, check func(string) error, usage string) *Option {
	o := add(l, field, name, usage)
	o.TextCheck = check
	return o
}

// OneOf declares a text out of several, which the usage explains.
func (l *List) OneOf(field *string, name string, choices []string, usage string) *Option {
	o := l.Checked(field, name, func(value string) error { return text.CheckChoice(value, choices) }, usage)
	o.explained = choices
	return o
}

// Path declares a file or folder, which [Option.Reads], [Option.Writes] or [Option.NamesNoInput] says more of.
func (l *List) Path(field *string, name, usage string) *Option {
	o := add(l, field, name, usage)
	o.Path = true
	return o
}

// Texts declares a list of texts, separated by commas, that may repeat. check finds a wrong one; it may be nil.
func (l *List) Texts(field *[]string, name string, check func(string) error, usage string) *Option {
	o := add(l, field, name, usage)
	o.TextCheck, o.Repeats = check, true
	return o
}

// WholeTexts declares a list of texts that each repetition adds one to, commas and all.
func (l *List) WholeTexts(field *[]string, name string, check func(string) error, usage string) *Option {
	o := l.Texts(field, name, check, usage)
	o.Whole = true
	return o
}

// Ints declares a comma-separated list of whole numbers.
func (l *List) Ints(field *[]int, name, usage string) *Option { return add(l, field, name, usage) }

// Floats declares a comma-separated list of finite numbers.
func (l *List) Floats(field *[]float64, name, usage string) *Option {
	return add(l, field, name, usage)
}

// Names declares a comma-separated list of distinct names out of the choices.
func (l *List) Names(field *[]string, name string, choices []string, usage string) *Option {
	o := add(l, field, name, usage)
	o.Choices = choices
	return o
}

// Var declares an option with a value of its own kind.
func (l *List) Var(value Value, name, usage string) *Option {
	o := &Option{Name: name, Usage: usage, Field: value, Group: l.group, read: func() any { return value.String() }}
	if getter, ok := value.(interface{ Get() any }); ok {
		o.read = getter.Get
	}
	l.Options = append(l.Options, o)
	return o
}

// Choice declares an option that is one of the choices, which are known by their text (fmt.Sprint).
func Choice[T comparable](l *List, field *T, name string, choices []T, usage string) *Option {
	c := &choice[T]{field: field, values: choices}
	for _, v := range choices {
		c.names = append(c.names, fmt.Sprint(v))
	}
	o := l.Var(c, name, usage)
	o.Choices = c.names
	return o
}

// choice is a value out of several.
type choice[T comparable] struct {
	field  *T
	values []T
	names  []string // of the values
}

func (c *choice[T]) String() string {
	if c.field == nil {
		return "" // the zero value, which package flag asks for
	}
	return fmt.Sprint(*c.field)
}

func (c *choice[T]) Get() any { return c.String() }

func (c *choice[T]) Set(name string) error {
	if err := text.CheckChoice(name, c.names); err != nil {
		return err
	}
	*c.field = c.values[slices.Index(c.names, name)]
	return nil
}

// Free marks an option that changes no number.
func (o *Option) Free() *Option {
	o.Unrecorded = true
	return o
}

// Reads says that the values are paths of files or folders that the run reads.
func (o *Option) Reads() *Option { return o.access(Read) }

// Writes says that the values are paths of files that the run writes; they change no number.
func (o *Option) Writes() *Option { return o.access(Written).Free() }

// NamesNoInput says that the values are no paths that are read.
func (o *Option) NamesNoInput() *Option { return o.access(NoInput) }

func (o *Option) access(a Access) *Option {
	o.Access = a
	return o
}

// Alias is another name, such as that in a program whose users come here.
func (o *Option) Alias(name string) *Option {
	o.Aliases = append(o.Aliases, name)
	return o
}

// AtLeast bounds a whole number, or every element of a list of them, from below.
func (o *Option) AtLeast(least int) *Option {
	o.Least = &least
	return o.Each(fmt.Sprintf("at least %d", least), func(v int) bool { return v >= least })
}

// MostDraws bounds numbers of random draws, permutations and the like. The results of all draws are in memory at once,
// and more draws than these tell nothing more.
const MostDraws = 10_000_000

// Draws bounds a number of random draws, permutations and the like from below and by [MostDraws].
func (o *Option) Draws(least int) *Option { return o.AtLeast(least).AtMost(MostDraws) }

// AtMost bounds a whole number, or every element of a list of them, from above.
func (o *Option) AtMost(most int) *Option {
	o.Most = &most
	return o.Each(fmt.Sprintf("at most %d", most), func(v int) bool { return v <= most })
}

// Each checks a whole number, or every element of a list of them.
func (o *Option) Each(want string, holds func(v int) bool) *Option { return each(o, want, holds) }

// EachFloat checks a finite number, or every element of a list of them.
func (o *Option) EachFloat(want string, holds func(v float64) bool) *Option {
	return each(o, want, holds)
}

func each[T any](o *Option, want string, holds func(v T) bool) *Option {
	return o.check(func() error {
		var values []T
		switch field := o.Field.(type) {
		case *T:
			values = []T{*field}
		case *[]T:
			values = *field
		}
		if i := slices.IndexFunc(values, func(v T) bool { return !holds(v) }); i >= 0 {
			return fmt.Errorf("%s %v: want %s", o.Name, values[i], want)
		}
		return nil
	})
}

// Distinct wants the elements of a list to differ.
func (o *Option) Distinct() *Option {
	o.distinct = true
	return o.check(func() error {
		switch values := o.Field.(type) {
		case *[]int:
			return twice(o.Name, *values)
		case *[]float64:
			return twice(o.Name, *values)
		}
		return nil
	})
}

func twice[T comparable](name string, values []T) error {
	for i, v := range values {
		if slices.Contains(values[:i], v) {
			return fmt.Errorf("%s: %v is given twice", name, v)
		}
	}
	return nil
}

func (o *Option) check(check func() error) *Option {
	o.checks = append(o.checks, check)
	return o
}

// Check returns the first error of the options: "k 0: want at least 1".
func (l *List) Check() error {
	for _, o := range l.Options {
		for _, check := range o.checks {
			if err := check(); err != nil {
				return err
			}
		}
	}
	return nil
}

// Identity lists the names and values of the options that change numbers, for the identity of shards, without some.
func (l *List) Identity(without ...string) []shard.Field {
	var fields []shard.Field
	for _, o := range l.Options {
		if !o.Unrecorded && !slices.Contains(without, o.Name) {
			fields = append(fields, shard.Option(o.Name, o.read()))
		}
	}
	return fields
}
