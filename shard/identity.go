// The identity of work: states merge only if their identities are equal.

package shard

import (
	"fmt"
	"slices"
	"strings"
)

// Identity identifies the work that a state is part of. States of equal identity can be merged.
type Identity struct {
	// Analysis is the name of the analysis, such as "neighborhood".
	Analysis string `json:"analysis"`
	// Definition is the version of the numbers' definition. It changes with any
	// change of code that changes a number or the meaning of a unit.
	Definition int `json:"definition"`
	// Kernel is the contract of the arithmetic, such as "kc=256": results of
	// other kernels differ in their last bits. Empty where only integers count.
	Kernel string `json:"kernel,omitempty"`
	// Inputs are the digests of all inputs, by role and name.
	Inputs []Field `json:"inputs"`
	// Options are the canonical values of everything that changes the numbers.
	// Threads, memory, devices and batch sizes do not.
	Options []Field `json:"options"`
	// Units is the number of units of the whole work.
	Units int `json:"units"`
}

// Field is one named value of an identity.
type Field struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Option is a field with the canonical text of a value: numbers with all their
// digits, lists in brackets.
func Option(name string, value any) Field { return Field{name, fmt.Sprint(value)} }

// Difference returns the name of the first field in which two identities differ, with both values, or
// an empty string if they are equal.
func (a Identity) Difference(b Identity) string {
	switch {
	case a.Analysis != b.Analysis:
		return fmt.Sprintf("analysis %s vs %s", a.Analysis, b.Analysis)
	case a.Definition != b.Definition:
		return fmt.Sprintf("definition %d of %s vs %d", a.Definition, a.Analysis, b.Definition)
	case a.Kernel != b.Kernel:
		return fmt.Sprintf("kernel %q vs %q", a.Kernel, b.Kernel)
	}
	if d := differ("input", a.Inputs, b.Inputs); d != "" {
		return d
	}
	if d := differ("option", a.Options, b.Options); d != "" {
		return d
	}
	if a.Units != b.Units {
		return fmt.Sprintf("%d units vs %d", a.Units, b.Units)
	}
	return ""
}

// differ names the first field that two lists do not share.
func differ(kind string, a, b []Field) string {
	for _, f := range a {
		i := slices.IndexFunc(b, func(g Field) bool { return g.Name == f.Name })
		switch {
		case i < 0:
			return fmt.Sprintf("%s %s vs none", kind, f)
		case b[i].Value != f.Value:
			return fmt.Sprintf("%s %s vs %s", kind, f, b[i].Value)
		}
	}
	for _, f := range b {
		if !slices.ContainsFunc(a, func(g Field) bool { return g.Name == f.Name }) {
			return fmt.Sprintf("no %s %s vs %s", kind, f.Name, f.Value)
		}
	}
	if !slices.Equal(a, b) {
		return fmt.Sprintf("%ss %s vs %s", kind, join(a), join(b))
	}
	return ""
}

func (f Field) String() string { return f.Name + " = " + f.Value }

func join(fields []Field) string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	return strings.Join(names, ", ")
}
