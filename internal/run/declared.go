// Flags of declared options.

package run

import (
	"fmt"
	"strings"

	"repscope/internal/option"
)

// Declare defines a flag for every option of a list and checks their bounds before anything is read.
func (f *Flags) Declare(list *option.List) {
	for _, o := range list.Options {
		f.declare(o)
	}
	f.Check(func(*Options) error {
		if err := list.Check(); err != nil {
			return Usage("--%w", err)
		}
		return nil
	})
}

// declare defines the flag of an option, with its names and its group, and what the run does with its value.
func (f *Flags) declare(o *option.Option) {
	usage := o.Usage
	if o.Choices != nil {
		usage += " (" + strings.Join(o.Choices, ", ") + ")"
		f.choices[o.Name] = o.Choices
	}
	f.define(o, usage)
	f.declared = append(f.declared, o)
	if o.Group != own {
		f.Group(o.Group, o.Name)
	}
	if o.Unrecorded {
		f.Unrecorded(o.Name)
	}
	for _, name := range o.Aliases {
		f.Alias(name, o.Name)
	}
	switch o.Access {
	case option.Read:
		f.readers = append(f.readers, o.Name)
	case option.Written:
		f.Writes(o.Name)
	case option.NoInput:
		f.NamesOutputs(o.Name)
	case option.Undeclared:
		if o.Path {
			panic("run: --" + o.Name + " is a path: say whether the run reads it or writes there")
		}
	}
}

// define defines the flag alone.
func (f *Flags) define(o *option.Option, usage string) {
	switch field := o.Field.(type) {
	case *bool:
		f.BoolVar(field, o.Name, *field, usage)
	case *int:
		least := anyInt
		if o.Least != nil {
			least = *o.Least
		}
		f.CountVar(field, o.Name, least, usage)
	case *float64:
		f.Float64Var(field, o.Name, usage)
	case *string:
		switch {
		case o.Path:
			f.PathVar(field, o.Name, usage)
		case o.TextCheck != nil:
			f.CheckedVar(field, o.Name, o.TextCheck, usage)
		default:
			f.StringVar(field, o.Name, *field, usage)
		}
	case *[]int:
		f.Var(integerList(field), o.Name, usage)
	case *[]float64:
		f.Var(numberList(field), o.Name, usage)
	case *[]string:
		if o.Repeats {
			f.Var(&Texts{Values: field, Check: o.TextCheck, Whole: o.Whole}, o.Name, usage)
		} else {
			f.Var(choiceList(field, o.Choices), o.Name, usage)
		}
	case option.Value:
		f.Var(field, o.Name, usage)
	default:
		panic(fmt.Sprintf("run: option %s is a %T", o.Name, o.Field))
	}
}

// ReadingFlags are the flags of a command whose values are declared to be paths that it reads, with their other names.
func ReadingFlags(c Command) []string {
	return flagsOf(c, func(f *Flags) []string { return f.readers })
}

// WrongValues are values that the declared flags of a command refuse by their types, choices and bounds, by flag, for
// tests of commands.
func WrongValues(c Command) map[string][]string {
	wrong := map[string][]string{}
	flagsOf(c, func(f *Flags) []string {
		for _, o := range f.declared {
			for _, name := range append([]string{o.Name}, o.Aliases...) {
				wrong[name] = o.Wrong()
			}
		}
		return nil
	})
	return wrong
}
