// Errors that carry hints and exit codes, and nearest names.

package run

import (
	"errors"
	"fmt"
	"slices"
)

// Exit codes of every binary.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// failure is an error with hints and an exit code.
type failure struct {
	err   error
	hints []string
	usage bool
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// WrongUsage reports whether the command was called wrongly: see fault.OfModel.
func (f *failure) WrongUsage() bool { return f.usage }

// Usage returns an error of wrong usage: the binary exits with status 2.
func Usage(format string, args ...any) error {
	return &failure{err: fmt.Errorf(format, args...), usage: true}
}

// Hint adds hints to an error, each printed on a line of its own. Empty hints
// are dropped; a nil error stays nil.
func Hint(err error, hints ...string) error {
	if err == nil {
		return nil
	}
	f := &failure{err: err}
	var inner *failure
	if errors.As(err, &inner) {
		f.usage = inner.usage
	}
	f.hints = slices.DeleteFunc(slices.Clone(hints), func(h string) bool { return h == "" })
	return f
}

// hintsOf collects the hints of an error and of those it wraps, outermost last.
func hintsOf(err error) []string {
	var hints []string
	for err != nil {
		if f, ok := err.(*failure); ok {
			hints = append(slices.Clone(f.hints), hints...)
		}
		if h, ok := err.(interface{ Hints() []string }); ok { // an error of a package that knows no commands
			hints = append(slices.Clone(h.Hints()), hints...)
		}
		if joined, ok := err.(interface{ Unwrap() []error }); ok {
			for _, e := range joined.Unwrap() {
				hints = append(hints, hintsOf(e)...)
			}
			return hints
		}
		err = errors.Unwrap(err)
	}
	return hints
}

func exitCode(err error) int {
	var f *failure
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &f) && f.usage:
		return exitUsage
	}
	return exitFailed
}

// AtLeast is wrong usage of a flag whose value is below a bound.
func AtLeast(flag string, value, least int) error {
	if value < least {
		return Usage("--%s %d: want at least %d", flag, value, least)
	}
	return nil
}
