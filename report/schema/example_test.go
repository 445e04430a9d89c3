// An example of the schema of a binary.

package schema_test

import (
	"fmt"

	"repscope/report"
	"repscope/report/schema"
)

func ExampleOf() {
	s, err := schema.Of(&schema.Program{Name: "walk", Definition: 1, Metrics: []report.Described{
		{Name: "share", Better: report.Higher, High: 1},
	}})
	draft, _ := s.Get("$schema")
	fmt.Println(draft, err)
	// Output: https://json-schema.org/draft/2020-12/schema <nil>
}
