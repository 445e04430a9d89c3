// Models that fail while they are measured: the others go on, and these are named.

package output

import (
	"context"
	"errors"

	"repscope/internal/run"
)

// Fails reports whether an error that came up while a model was run is that of the model, so
// that the others may go on without it: see [run.OfModel]. States that cannot be read are no
// fault of a model: latent.ReadError says so by its method.
func Fails(ctx context.Context, err error) bool {
	_, states := errors.AsType[interface {
		error
		OfStates()
	}](err)
	return !states && run.OfModel(ctx, err)
}

// Kept are the elements, one for each model, of the models without a reason against them.
func Kept[T any](all []T, reasons []string) []T {
	var out []T
	for i, v := range all {
		if i >= len(reasons) || reasons[i] == "" {
			out = append(out, v)
		}
	}
	return out
}

// WithoutFailed are the models without a reason against them, and the others with theirs.
func WithoutFailed[M any](models []M, reasons []string, name func(M) string) (kept []M, failed []run.Unmeasured) {
	for i, m := range models {
		if i < len(reasons) && reasons[i] != "" {
			failed = append(failed, run.Unmeasured{Name: name(m), Reason: reasons[i]})
		}
	}
	return Kept(models, reasons), failed
}
