// This file is for how much the tests of a table decide.

package report

import (
	"fmt"

	"repscope/internal/text"
)

// Decisions are the numbers of tests and of decisions of a table, as a result file has them.
type Decisions struct {
	Families int `json:"families"`       // in which p values are corrected
	Tests    int `json:"tests"`          // that have a p value
	Decided  int `json:"decided"`        // with p_holm below 0.05
	Together int `json:"decided_by_run"` // of them after a correction over all tests: --family run
}

// Words say how many tests are decided, in how many families, and how many are after a correction over the whole run.
// Empty where nothing is tested.
func (d Decisions) Words() string {
	switch {
	case d.Tests == 0:
		return ""
	case d.Families == 1:
		return fmt.Sprintf("%d of %s decided, in one family", d.Decided, text.Count(d.Tests, "test"))
	}
	return fmt.Sprintf("%d of %s decided, in %d families; %d with --family run", d.Decided, text.Count(d.Tests, "test"),
		d.Families, d.Together)
}
