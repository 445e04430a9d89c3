// How much tests decide: in their families, and all together.

package stat

import "slices"

// Decisions are the numbers of tests and of decisions of a table.
type Decisions struct {
	Families int // that have a test
	Tests    int
	Decided  int // tests below the level after Holm's correction in their family
	Together int // after Holm's correction over all tests
}

// CountDecisions counts the decisions at the level alpha of tests with the given p values, by family. NaN is no test.
// With n families of true null hypotheses a table holds a decision in up to n·alpha of all cases; with the correction
// over all tests in at most alpha.
func CountDecisions(families [][]float64, alpha float64) Decisions {
	var d Decisions
	below := func(p []float64) (n, tests int) {
		for _, v := range Holm(p) {
			if v < alpha {
				n++
			}
			if v == v {
				tests++
			}
		}
		return n, tests
	}
	for _, p := range families {
		decided, tests := below(p)
		d.Decided += decided
		if tests > 0 {
			d.Families++
		}
	}
	d.Together, d.Tests = below(slices.Concat(families...))
	return d
}
