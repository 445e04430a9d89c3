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
			f.Var(field, o.Name, usage)
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
