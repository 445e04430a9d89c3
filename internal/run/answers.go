// Options of programs that people come from, which are done here by other options.

package run

import (
	"slices"
	"strings"
)

// Answer says what to do in place of an option of another program, such as an option of its
// checkpoints, or of a word, such as the name of its script: giving it is wrong usage, and answer
// returns the one line that says so, for the value and all arguments of the command line. Such
// options are not in the help.
func (f *Flags) Answer(name string, answer func(value string, args []string) string) {
	if f.answers == nil {
		f.answers = map[string]func(string, []string) string{}
	}
	f.answers[name] = answer
}

// answered is such a line, to which nothing is added.
type answered struct{ error }

func (a answered) Unwrap() error { return a.error }

// answer is the error for an option that is answered; nil for others.
func (f *Flags) answer(name string, args []string) error {
	answer := f.answers[strings.ReplaceAll(name, "_", "-")]
	if answer == nil {
		return nil
	}
	return answered{Usage("%s", answer(Argument(args, name), args))}
}

// Argument is the value of the first of some options on a command line; empty where none is given.
// Dashes and underscores in names are the same.
func Argument(args []string, names ...string) string {
	for i, arg := range args {
		name, value, has := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		dashed := func(s string) string { return strings.ReplaceAll(s, "_", "-") }
		if arg == name || !slices.ContainsFunc(names, func(n string) bool { return dashed(n) == dashed(name) }) {
			continue
		}
		if !has && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
			value = args[i+1]
		}
		return value
	}
	return ""
}

// Without is a command line without a word.
func Without(args []string, word string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return arg == word }), " ")
}
