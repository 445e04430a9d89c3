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
		usage := o.Usage
		if o.Choices != nil {
			usage += " (" + strings.Join(o.Choices, ", ") + ")"
			f.choices[o.Name] = o.Choices
		}
		switch field := o.Field.(type) {
		case *bool:
			f.BoolVar(field, o.Name, *field, usage)
		case *int:
			f.CountVar(field, o.Name, anyInt, usage)
		case *float64:
			f.Float64Var(field, o.Name, usage)
		case *string:
			f.StringVar(field, o.Name, *field, usage)
		case *[]int:
			f.Var(integerList(field), o.Name, usage)
		case *[]float64:
			f.Var(numberList(field), o.Name, usage)
		case *[]string:
			f.Var(choiceList(field, o.Choices), o.Name, usage)
		case option.Value:
			f.Var(&chosen{field, o.Choices}, o.Name, usage)
		default:
			panic(fmt.Sprintf("run: option %s is a %T", o.Name, o.Field))
		}
		if o.Unrecorded {
			f.Unrecorded(o.Name)
		}
	}
	f.Check(func(*Options) error {
		if err := list.Check(); err != nil {
			return Usage("--%w", err)
		}
		return nil
	})
}

// chosen is a value of which a wrong one is told with the choices, if it has any.
type chosen struct {
	option.Value
	choices []string
}

func (c *chosen) String() string {
	if c.Value == nil {
		return "" // the zero value, which package flag asks for
	}
	return c.Value.String()
}

func (c *chosen) Set(text string) error {
	if c.choices != nil {
		if err := CheckChoice(text, c.choices); err != nil {
			return err
		}
	}
	return c.Value.Set(text)
}
