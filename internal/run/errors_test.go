// Tests of hints, exit codes and nearest names.

package run

import (
	"context"
	"fmt"
	"slices"
	"testing"
)

func TestHints(t *testing.T) {
	t.Parallel()
	if Hint(nil, "x") != nil {
		t.Error("a hint made an error of nil")
	}
	err := fmt.Errorf("outer: %w", Hint(Usage("inner"), "first", ""))
	err = Hint(err, "second")
	if got := hintsOf(err); !slices.Equal(got, []string{"second", "first"}) && !slices.Equal(got, []string{"first", "second"}) {
		t.Errorf("hints %q", got)
	}
	if exitCode(err) != exitUsage || exitCode(Hint(context.Canceled)) != exitFailed || exitCode(nil) != exitDone {
		t.Error("exit codes")
	}
}
