// Errors with hints.

package text

import (
	"fmt"
	"slices"
	"strings"
)

// WithHint is err with hints for the user, which commands print below the error. Empty ones are omitted.
func WithHint(err error, hints ...string) error {
	return hinted{err, slices.DeleteFunc(slices.Clone(hints), func(hint string) bool { return hint == "" })}
}

type hinted struct {
	error
	hints []string
}

func (h hinted) Unwrap() error   { return h.error }
func (h hinted) Hints() []string { return h.hints }

// DidYouMean is a hint for an unknown name: the candidate that is most like it after a prefix such as "--". It is ""
// where none is alike.
func DidYouMean(prefix, name string, candidates []string) string {
	if n := Nearest(name, candidates); n != "" {
		return "did you mean " + prefix + n + "?"
	}
	return ""
}

// CheckChoice returns an error that names the choices and, on a second line, the nearest one; nil for a choice.
func CheckChoice(value string, choices []string) error {
	if slices.Contains(choices, value) {
		return nil
	}
	hint := DidYouMean("", value, choices)
	if hint != "" {
		hint = "\n" + hint
	}
	return fmt.Errorf("%q is not one of %s%s", value, strings.Join(choices, ", "), hint)
}
