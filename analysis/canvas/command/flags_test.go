// Flags of metrics.

package command

import (
	"slices"
	"strings"
	"testing"

	"repscope/analysis/canvas"
)

// TestUsual: what takes long is not computed unless it is asked for.
func TestUsual(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"": len(canvas.Usual()), "usual": len(canvas.Usual()), "usual,fsim,ssim": len(canvas.Kinds()), "fsimc": 1} {
		var names []string
		if text != "" {
			var err error
			if names, err = selectMetrics(strings.Split(text, ",")); err != nil {
				t.Fatal(err)
			}
		}
		got := kindsOf(names)
		fsim := slices.ContainsFunc(got, func(k canvas.Kind) bool { return k.Name == "fsim" })
		if len(got) != want || fsim != strings.Contains(text, "fsim") {
			t.Errorf("--metrics %q: %d metrics, want %d; FSIM %v", text, len(got), want, fsim)
		}
	}
}
