// Neighbors in the dataset: related sequences often follow each other, and are then not independent.

package sequence

import (
	"fmt"
	"math"

	"repscope/analysis/internal/results"
	"repscope/internal/text"
	"repscope/report"
	"repscope/stat"
)

const (
	// fewestNeighbors is the number of groups from which neighbors are compared.
	fewestNeighbors = 20
	// alikeErrors is how many standard errors of independent groups the correlation of neighbors exceeds where they are
	// alike. Of independent differences 2 of 100 do.
	alikeErrors = 2
)

// alike is the correlation of the values of neighboring groups, 0 where it is no larger than independent groups have.
func alike(values []float64) float64 {
	if len(values) < fewestNeighbors {
		return 0
	}
	rho, err := stat.Autocorrelation(values, nil, 1)
	if err != nil || rho[1]*math.Sqrt(float64(len(values))) <= alikeErrors {
		return 0
	}
	return rho[1]
}

// withdraw takes back the p values of differences of models that are alike for neighboring groups; it counts them.
func withdraw(rows []report.Comparison, estimate func(name string) *stat.Jackknifed) (count int) {
	for i := range rows {
		a, b := estimate(rows[i].A).PseudoValues, estimate(rows[i].B).PseudoValues
		if len(a) != len(b) || !rows[i].P.Defined() {
			continue
		}
		difference := make([]float64, len(a))
		for g := range difference {
			difference[g] = a[g] - b[g]
		}
		if rho := alike(difference); rho > 0 {
			results.Withdraw(&rows[i], "differences of neighboring sequences are alike (correlation %.2f), and a test takes "+
				"them as independent; give a column of clusters, or longer blocks (--block)", rho)
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

// warnOfNeighbors warns of comparisons without a p value, and of models most of whose numbers are alike for neighbors.
func (d *DatasetResult) warnOfNeighbors(withdrawn int) (warnings []string) {
	const fix = "; give a column of clusters (--columns cluster=NAME), or longer blocks (--block)"
	for m := range d.Models {
		numbers, dependent := 0, 0
		for _, j := range d.Models[m].jackknifes {
			numbers++
			if alike(j.PseudoValues) > 0 {
				dependent++
			}
		}
		if dependent > numbers/2 {
			warnings = append(warnings, fmt.Sprintf("%s: neighboring sequences have similar values in %d of %s, so "+
				"intervals are too narrow%s", d.Models[m].Name, dependent, text.Count(numbers, "number"), fix))
		}
	}
	if withdrawn > 0 {
		warnings = append(warnings, fmt.Sprintf("%s of models have no p value, because differences of neighboring sequences "+
			"are alike%s", text.Count(withdrawn, "comparison"), fix))
	}
	return warnings
}
