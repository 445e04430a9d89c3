// Package fault distinguishes errors of a single model, after which a run continues, from errors that end the run.
package fault

import (
	"context"
	"errors"
)

// OfModel reports whether an error that came up while a model was opened, read or run is one of that model.
// Wrong usage (an error with WrongUsage() true), an interrupt, and errors with a method OfRun, such as of [OfRun],
// are not.
func OfModel(ctx context.Context, err error) bool {
	if err == nil || ctx.Err() != nil || errors.Is(err, context.Canceled) {
		return false
	}
	if usage, ok := errors.AsType[interface {
		error
		WrongUsage() bool
	}](err); ok && usage.WrongUsage() {
		return false
	}
	_, run := errors.AsType[interface {
		error
		OfRun()
	}](err)
	return !run
}

// OfRun marks an error that no model is to blame for, such as frames that cannot be read. A nil error stays nil.
func OfRun(err error) error {
	if err == nil {
		return nil
	}
	return &ofRun{err}
}

type ofRun struct{ error }

func (e *ofRun) Unwrap() error { return e.error }
func (e *ofRun) OfRun()        {}
