// Names of numbers in rows.

package store

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"repscope/analysis/canvas"
	"repscope/report"
)

// The names of numbers, ours and the published ones, with their directions, which compare has to know where no
// canvas.json lies beside the rows: a test of suite holds testdata/directions.txt against it.
func TestDirections(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for _, k := range canvas.Kinds() {
		for _, key := range k.Keys {
			for _, definition := range []string{canvas.DefinitionDefault, canvas.DefinitionPublished} {
				name := nameIn(definition, key.Name)
				if name != key.Name && key.Better() == report.Neither || name == key.Name && definition != canvas.DefinitionDefault {
					continue // the ratio of elements that is clipped has a best value
				}
				fmt.Fprintf(&text, "%s %s %v\n", name, key.Better(), key.Compared)
			}
		}
	}
	const golden = "testdata/directions.txt"
	want, err := os.ReadFile(golden)
	if err != nil || string(want) != text.String() {
		t.Errorf("%s is another than (%v)\n%s", golden, err, text.String())
	}
}
