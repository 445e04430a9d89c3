// Tests of hints, exit codes and nearest names.

package run

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
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

// A name or a list of a file does not fill the terminal.
func TestReport_Long(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if code := Report(&b, "fake", Hint(Usage("there is no %s of it", strings.Repeat("é", 50_000)), "or not")); code != 2 {
		t.Errorf("exit %d", code)
	}
	got := b.String()
	if len(got) > 2200 || !strings.HasPrefix(got, "fake: there is no éé") || !strings.Contains(got, "é … (98") || !strings.Contains(got, " bytes omitted) … é") || !strings.HasSuffix(got, "é of it\nfake: hint: or not\n") {
		t.Errorf("%d bytes: %.60q … %q", len(got), got, got[len(got)-60:])
	}
	b.Reset()
	if Report(&b, "fake", Usage("there is no %s of it", strings.Repeat("\x00", 50_000))); b.Len() > 2200 {
		t.Errorf("%d bytes of hidden characters", b.Len())
	}
}
