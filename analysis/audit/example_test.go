// The sample of the package, run.

package audit_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"repscope/analysis/audit"
	"repscope/points"
)

// Forty recordings of ten states; two states of the test recordings are copies of training states.
func ExampleAnalyze() {
	r := rand.New(rand.NewPCG(1, 2))
	const dim = 6
	var states []float64
	var in audit.Input
	for i := range 400 {
		for range dim {
			states = append(states, r.NormFloat64())
		}
		part := "train"
		if i >= 300 {
			part = "test"
		}
		in.Episode, in.Split = append(in.Episode, i/10), append(in.Split, part)
	}
	copy(states[310*dim:312*dim], states[20*dim:22*dim])
	in.States = points.Float64(states, dim)
	result, err := audit.Analyze(context.Background(), in, audit.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	test := result.Tests[0]
	fmt.Printf("%s: %d of %d states are copies\n", test.Name, test.Duplicates.Rows, test.States)
	for _, row := range test.Rows {
		if row.Duplicate {
			fmt.Println(row.State, "is", row.Nearest)
		}
	}
	// Output:
	// test: 2 of 100 states are copies
	// 310 is 20
	// 311 is 21
}
