// Names of numbers in rows.

package canvas

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"repscope/report"
)

// The names of numbers, ours and the published ones, with their directions, which compare has to know where no canvas.json
// lies beside the rows: a test of suite holds testdata/directions.txt against it.
func TestDirections(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for _, k := range kinds() {
		for _, key := range k.Keys {
			for _, definition := range []string{DefinitionDefault, DefinitionPublished} {
				name := nameIn(definition, key.Name)
				if name != key.Name && key.directionOf() == report.Neither || name == key.Name && definition != DefinitionDefault {
					continue // the ratio of elements that is clipped has a best value
				}
				fmt.Fprintf(&text, "%s %s %v\n", name, key.directionOf(), key.Compared)
			}
		}
	}
	const golden = "testdata/directions.txt"
	want, err := os.ReadFile(golden)
	if err != nil || string(want) != text.String() {
		t.Errorf("%s is another than (%v)\n%s", golden, err, text.String())
	}
}
