// Edits and equal pairs by Biopython.

package identity

import (
	_ "embed"
	"fmt"
	"strings"
	"testing"
)

//go:embed testdata/golden.txt
var golden string

func TestGolden(t *testing.T) {
	t.Parallel()
	lines := strings.Split(strings.TrimSpace(golden), "\n")[1:]
	for _, line := range lines {
		var a, b string
		var edits, matches int
		if _, err := fmt.Sscan(line, &a, &b, &edits, &matches); err != nil {
			t.Fatal(line, err)
		}
		if d := Distance([]byte(a), []byte(b)); d != edits {
			t.Errorf("%s and %s: distance %d, want %d", a, b, d, edits)
		}
		if got, err := Identity([]byte(a), []byte(b)); err != nil || got != float64(matches)/float64(min(len(a), len(b))) {
			t.Errorf("%s and %s: identity %v, %v, want %d equal pairs", a, b, got, err, matches)
		}
	}
	if len(lines) < 300 {
		t.Errorf("%d pairs, want 300", len(lines))
	}
}
