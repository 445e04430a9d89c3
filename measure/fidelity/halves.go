// The errors of the scores, from halves of both samples.

package fidelity

import "repscope/stat"

// Halves says how the real and the generated points are halved together.
type Halves struct {
	Of *stat.Halves
	// Real and Generated are the block of each point, 0 … Of.Blocks().Count()−1.
	Real, Generated []int
}

// Errors are the errors and intervals of [Scores], see [stat.Halves].
type Errors struct{ Precision, Recall, Density, Coverage *stat.Jackknifed }
