// Errors of a single model.

package fault

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

type usage bool

func (usage) Error() string      { return "usage" }
func (u usage) WrongUsage() bool { return bool(u) }

func TestOfModel(t *testing.T) {
	t.Parallel()
	damaged := errors.New("damaged")
	for _, c := range []struct {
		err  error
		want bool
	}{
		{nil, false},
		{damaged, true},
		{fmt.Errorf("model a: %w", damaged), true},
		{usage(true), false},
		{fmt.Errorf("model a: %w", usage(true)), false},
		{usage(false), true}, // hints alone
		{OfRun(damaged), false},
		{fmt.Errorf("frames: %w", OfRun(damaged)), false},
		{fmt.Errorf("encoding: %w", context.Canceled), false},
	} {
		if got := OfModel(t.Context(), c.err); got != c.want {
			t.Errorf("%v: %v, want %v", c.err, got, c.want)
		}
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if OfModel(stopped, damaged) {
		t.Error("an error of a run that is stopped is that of a model")
	}
	if OfRun(nil) != nil || !errors.Is(OfRun(damaged), damaged) {
		t.Errorf("errors of the run: %v, %v", OfRun(nil), OfRun(damaged))
	}
}
