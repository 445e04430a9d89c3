// The registry of metrics.

package metrics_test

import (
	"fmt"

	"repscope/analysis/sequence/metrics"
)

// A metric by its name or an alias, with the keys that it writes.
func ExampleAll() {
	kind := metrics.All().Find("perplexity")
	fmt.Println(kind.Name, kind.Keys[0].Name)
	_, err := metrics.All().Select([]string{"perplexety"})
	fmt.Println(err != nil)
	// Output:
	// perplexity ppl
	// true
}
