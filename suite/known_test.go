// Tests that compare knows the numbers of the analyses.

package suite

import (
	"os"
	"strings"
	"testing"

	"repscope/report"
	"repscope/tool/compare"
)

// Rows of canvas under our names or the published ones are compared the right way round, also where no canvas.json lies
// beside them.
func TestWellKnownDirections(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../analysis/canvas/internal/store/testdata/directions.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		m, ok := compare.WellKnown(fields[0])
		if !ok && fields[2] == "true" || ok && m.Direction != report.Direction(fields[1]) {
			t.Errorf("%s is %q to compare, want %q", fields[0], m.Direction, fields[1])
		}
	}
}
