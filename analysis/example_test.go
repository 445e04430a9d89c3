// Settings of all analyses.

package analysis_test

import (
	"fmt"

	"repscope/analysis"
)

// The settings that change numbers are part of the identity of shards; threads and memory are not.
func ExampleSettings_Identity() {
	s := analysis.Settings{Intervals: true, Family: "run", Seed: 7, Threads: 4}
	for _, field := range s.Identity() {
		fmt.Println(field)
	}
	// Output:
	// bootstrap = true
	// block = auto
	// family = run
	// seed = 7
}
