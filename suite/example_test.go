// The list of binaries.

package suite_test

import (
	"fmt"

	"repscope/suite"
)

// A binary by its name, and whether it is an analysis or a tool.
func ExampleFind() {
	for _, name := range []string{"neighborhood", "compare", "unknown"} {
		entry, ok := suite.Find(name)
		fmt.Println(name, ok, entry.Analysis)
	}
	// Output:
	// neighborhood true true
	// compare true false
	// unknown false false
}
