// Tests of hints, exit codes and nearest names.

package run

import (
	"context"
	"fmt"
	"slices"
	"testing"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	names := []string{"model", "latents", "latent-scale", "format", "frames", "bootstrap", "k"}
	for name, want := range map[string]string{
		"modle": "model", "latent": "latents", "fromat": "format", "frame": "frames", "boot": "bootstrap", "BOOTSTRAP": "bootstrap",
		"zzz": "", "completely-different": "", "": "k",
	} {
		if name == "" {
			continue
		}
		if got := Nearest(name, names); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

func TestEditDistance(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "", 3}, {"kitten", "sitting", 3}, {"ab", "ba", 1}, {"cosine", "cosine", 0}, {"σ", "s", 1}} {
		if got := editDistance(test.a, test.b); got != test.want {
			t.Errorf("%q, %q: got %d, want %d", test.a, test.b, got, test.want)
		}
		if got := editDistance(test.b, test.a); got != test.want {
			t.Errorf("%q, %q: got %d, want %d", test.b, test.a, got, test.want)
		}
	}
}

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
