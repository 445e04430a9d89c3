// Inputs of models besides the states: --input.

package input

import (
	"fmt"
	"slices"
	"strings"

	"repscope/dataset"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/latent"
)

// fixedInput is the value of an input of one model, or of all of them.
type fixedInput struct {
	model string // empty: all
	latent.InputValue
}

// String is the flag's value.
func (f fixedInput) String() string {
	value := run.JoinName(f.Name, f.Value)
	if f.model != "" {
		return run.JoinName(f.model, value)
	}
	return value
}

// fixedInputs is the flag --input.
type fixedInputs []fixedInput

func (f *fixedInputs) String() string {
	parts := make([]string, len(*f))
	for i, v := range *f {
		parts[i] = v.String()
	}
	return strings.Join(parts, ",")
}

func (f *fixedInputs) Get() any { return f.String() }

func (f *fixedInputs) Repeats() bool { return true }

func (f *fixedInputs) Set(text string) error {
	v := fixedInput{}
	name, rest, named := run.CutName(text)
	if inner, value, two := run.CutName(rest); two {
		v.model, v.Name, v.Value = name, inner, strings.ReplaceAll(value, `\=`, "=")
		named = named && name != ""
	} else {
		v.Name, v.Value = name, value
	}
	if !named || v.Name == "" || v.Value == "" {
		return fmt.Errorf("%q is not [NAME=]INPUT=VALUE; the value is zeros, a number or FILE[:key] of an array", text)
	}
	if _, number := v.Number(); !number {
		v.Value = run.Expand(v.Value)
	}
	for _, other := range *f {
		if other.model == v.model && other.Name == v.Name && other.Value != v.Value {
			return fmt.Errorf("%s is given already", other)
		}
	}
	if !slices.Contains(*f, v) {
		*f = append(*f, v)
	}
	return nil
}

// of returns the inputs of one model; its own come before the ones of all models.
func (f fixedInputs) of(model string) []latent.InputValue {
	var list []latent.InputValue
	for _, owner := range []string{model, ""} {
		for _, v := range f {
			if v.model == owner && !slices.ContainsFunc(list, func(have latent.InputValue) bool { return have.Name == v.Name }) {
				list = append(list, v.InputValue)
			}
		}
	}
	return list
}

// files are the values that are files.
func (f fixedInputs) files() []fixedInput {
	return slices.DeleteFunc(slices.Clone(f), func(v fixedInput) bool { _, number := v.Number(); return number })
}

// checkModels finds inputs of models that there are not.
func (f fixedInputs) checkModels(names []string) error {
	for _, v := range f {
		if v.model != "" && !slices.Contains(names, v.model) {
			return run.Hint(run.Usage("--input %s: no model is named %q", v, v.model), text.DidYouMean("", v.model, names),
				`write \= for an equals sign of a path`)
		}
	}
	return nil
}

// leads are the files of the values.
func (f fixedInputs) leads() []string {
	var list []string
	for _, v := range f.files() {
		list = append(list, dataset.FilesOf(v.Value)...)
	}
	return list
}
