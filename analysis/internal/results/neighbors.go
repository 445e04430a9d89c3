// Blocks that are taken as independent, such as rows of a file, and are alike for neighbors.

package results

import (
	"fmt"

	"repscope/internal/text"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

// Neighbors finds models and differences whose values are alike for neighboring blocks.
type Neighbors struct {
	Unit string // a block, such as "sequence"
	Fix  string // what to do about it, such as "give clusters"

	numbers, alike map[string]int // of every model
}

// Add counts a number of a model.
func (n *Neighbors) Add(model string, j *stat.Jackknifed) {
	if n.numbers == nil {
		n.numbers, n.alike = map[string]int{}, map[string]int{}
	}
	n.numbers[model]++
	if stat.Alike(j.PseudoValues) > 0 {
		n.alike[model]++
	}
}

// AlikeRows is [stat.Alike] of rows less the mean of their label; labels may be nil.
func AlikeRows(z points.Points, labels []int) float64 {
	return stat.AlikeCorrelation(points.NeighborCorrelation(z, labels), z.N)
}

// InMethods is the sentence about neighbors for the methods of a paper; unit names a block, as in [Neighbors].
func InMethods(unit string) string {
	return fmt.Sprintf("Where values of neighboring %ss were alike (correlation above 2/√n), the interval was the wider "+
		"of this one and of one by ten groups of neighbors, and no p value is reported.", unit)
}

// related reports whether a fifth of the numbers of a model or more, and not one of several, are alike for neighbors.
// Of independent blocks 1 of 100 models are, as numbers of one model go together.
func (n *Neighbors) related(model string) bool {
	return n.alike[model] >= min(2, n.numbers[model]) && 5*n.alike[model] >= n.numbers[model] && n.alike[model] > 0
}

// Withdraw takes back the p values of differences that are alike for neighbors, and of models a fifth or more of whose
// numbers are; it counts them. Call it once all numbers are added.
func (n *Neighbors) Withdraw(rows []report.Comparison, estimate func(name string) *stat.Jackknifed) (count int) {
	for i := range rows {
		series := stat.Differences(estimate(rows[i].A).PseudoValues, estimate(rows[i].B).PseudoValues)
		if len(series) < 3 || !rows[i].P.Defined() { // other blocks have no differences
			continue
		}
		if what := n.dependence(rows[i].A, rows[i].B, series[2]); what != "" {
			Withdraw(&rows[i], "%s, and a test takes %ss as independent; %s", what, n.Unit, n.Fix)
			count++
		}
	}
	if count > 0 {
		for i := range rows {
			rows[i].Extremes = nil
		}
	}
	return count
}

// dependence says why the difference of two models is not tested; empty if it is.
func (n *Neighbors) dependence(a, b string, difference []float64) string {
	if rho := stat.Alike(difference); rho > 0 {
		return fmt.Sprintf("differences of neighboring %ss are alike (correlation %.2f)", n.Unit, rho)
	}
	for _, model := range []string{a, b} {
		if n.related(model) {
			return fmt.Sprintf("numbers of %s are alike for neighboring %ss", model, n.Unit)
		}
	}
	return ""
}

// Warnings name the models a fifth or more of whose numbers are alike, in the order of models, and the number of
// comparisons without a p value.
func (n *Neighbors) Warnings(models []string, withdrawn int) (warnings []string) {
	for _, model := range models {
		if n.related(model) {
			warnings = append(warnings, fmt.Sprintf("%s: neighboring %ss have similar values in %d of %s, and intervals "+
				"are wider for it; %s", model, n.Unit, n.alike[model], text.Count(n.numbers[model], "number"), n.Fix))
		}
	}
	if withdrawn > 0 {
		warnings = append(warnings, fmt.Sprintf("%s of models have no p value, because neighboring %ss are alike; %s",
			text.Count(withdrawn, "comparison"), n.Unit, n.Fix))
	}
	return warnings
}
