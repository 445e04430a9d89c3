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
//		l.Ints(&o.K, "k", "`LIST` of neighbourhood sizes").AtLeast(1).Distinct()
//		l.Bool(&o.Exact, "exact", "compare every pair")
//	}
package option

import (
	"fmt"
	"slices"

	"repscope/shard"
)

// List holds declared options in their order.
type List struct{ Options []*Option }

// Declares is whatever has options, such as the Options of an analysis. Declare binds them to its fields, whose
// values at that time are the defaults.
type Declares interface{ Declare(l *List) }

// Of lists the options of o.
func Of(o Declares) *List {
	l := new(List)
	o.Declare(l)
	return l
}

// Option is one option. Its value is that of the field it is bound to.
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

	checks []func() error
	read   func() any // the value for an identity; nil: that of Field
}

// Value is a value that reads and writes its own text; package flag takes it as it is.
type Value interface {
	Set(text string) error
	String() string
	Get() any
}

func (l *List) add(field any, name, usage string) *Option {
	o := &Option{Name: name, Usage: usage, Field: field}
	l.Options = append(l.Options, o)
	return o
}

// Bool declares an option that is set by its name alone.
func (l *List) Bool(field *bool, name, usage string) *Option { return l.add(field, name, usage) }

// Int declares a whole number.
func (l *List) Int(field *int, name, usage string) *Option { return l.add(field, name, usage) }

// Float declares a finite number.
func (l *List) Float(field *float64, name, usage string) *Option { return l.add(field, name, usage) }

// Text declares a text.
func (l *List) Text(field *string, name, usage string) *Option { return l.add(field, name, usage) }

// Ints declares a comma-separated list of whole numbers.
func (l *List) Ints(field *[]int, name, usage string) *Option { return l.add(field, name, usage) }

// Floats declares a comma-separated list of finite numbers.
func (l *List) Floats(field *[]float64, name, usage string) *Option { return l.add(field, name, usage) }

// Var declares an option with a value of its own kind.
func (l *List) Var(value Value, name, usage string) *Option {
	o := l.add(value, name, usage)
	o.read = value.Get
	return o
}

// Names declares a comma-separated list of distinct names out of the choices.
func (l *List) Names(field *[]string, name string, choices []string, usage string) *Option {
	o := l.add(field, name, usage)
	o.Choices = choices
	return o
}

// Choice declares an option that is one of the choices, which are known by their text (fmt.Sprint).
func Choice[T comparable](l *List, field *T, name string, choices []T, usage string) *Option {
	c := &choice[T]{field: field, choices: choices}
	o := l.add(c, name, usage)
	o.read = func() any { return c.String() }
	for _, v := range choices {
		o.Choices = append(o.Choices, fmt.Sprint(v))
	}
	return o
}

// choice is a value out of several.
type choice[T comparable] struct {
	field   *T
	choices []T
}

func (c *choice[T]) String() string {
	if c.field == nil {
		return "" // the zero value, which package flag asks for
	}
	return fmt.Sprint(*c.field)
}

func (c *choice[T]) Get() any { return c.String() }

func (c *choice[T]) Set(text string) error {
	for _, v := range c.choices {
		if fmt.Sprint(v) == text {
			*c.field = v
			return nil
		}
	}
	return fmt.Errorf("%q is not one of the choices", text)
}

// Free marks an option that changes no number.
func (o *Option) Free() *Option {
	o.Unrecorded = true
	return o
}

// AtLeast bounds a whole number, or every element of a list of them, from below.
func (o *Option) AtLeast(least int) *Option {
	return o.Want(fmt.Sprintf("at least %d", least), func() any { return wrongInt(o.Field, func(v int) bool { return v >= least }) })
}

// Each checks every element of a list of whole numbers.
func (o *Option) Each(want string, holds func(v int) bool) *Option {
	return o.Want(want, func() any { return wrongInt(o.Field, holds) })
}

// wrongInt is the first number that does not hold, nil for none.
func wrongInt(field any, holds func(int) bool) any {
	values, _ := field.(*[]int)
	if v, ok := field.(*int); ok {
		values = &[]int{*v}
	}
	if i := slices.IndexFunc(*values, func(v int) bool { return !holds(v) }); i >= 0 {
		return (*values)[i]
	}
	return nil
}

// EachFloat checks a finite number, or every element of a list of them.
func (o *Option) EachFloat(want string, holds func(v float64) bool) *Option {
	return o.Want(want, func() any {
		values, _ := o.Field.(*[]float64)
		if v, ok := o.Field.(*float64); ok {
			values = &[]float64{*v}
		}
		if i := slices.IndexFunc(*values, func(v float64) bool { return !holds(v) }); i >= 0 {
			return (*values)[i]
		}
		return nil
	})
}

// Distinct wants the elements of a list to differ.
func (o *Option) Distinct() *Option {
	twice := func() any {
		switch values := o.Field.(type) {
		case *[]int:
			return firstTwice(*values)
		case *[]float64:
			return firstTwice(*values)
		}
		return nil
	}
	return o.check(func() error {
		if v := twice(); v != nil {
			return fmt.Errorf("%s: %v is given twice", o.Name, v)
		}
		return nil
	})
}

func firstTwice[T comparable](values []T) any {
	for i, v := range values {
		if slices.Contains(values[:i], v) {
			return v
		}
	}
	return nil
}

// Want adds a check: wrong is a value that is not what is wanted, nil where all is well.
func (o *Option) Want(want string, wrong func() any) *Option {
	return o.check(func() error {
		if v := wrong(); v != nil {
			return fmt.Errorf("%s %v: want %s", o.Name, v, want)
		}
		return nil
	})
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
			fields = append(fields, shard.Option(o.Name, o.value()))
		}
	}
	return fields
}

func (o *Option) value() any {
	if o.read != nil {
		return o.read()
	}
	switch field := o.Field.(type) {
	case *bool:
		return *field
	case *int:
		return *field
	case *float64:
		return *field
	case *string:
		return *field
	case *[]int:
		return *field
	case *[]float64:
		return *field
	case *[]string:
		return *field
	}
	panic(fmt.Sprintf("option: %s is a %T", o.Name, o.Field))
}
