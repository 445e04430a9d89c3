// Neighbors in the dataset: related sequences often follow each other, and are then not independent.

package sequence

import "repscope/analysis/internal/results"

// neighbors holds what numbers of all models say of neighboring sequences.
func (d *DatasetResult) neighbors() *results.Neighbors {
	n := &results.Neighbors{Unit: "sequence",
		Fix: "give a column of clusters (--columns cluster=NAME), or longer blocks (--block)"}
	for m := range d.Models {
		for _, j := range d.Models[m].jackknifes {
			n.Add(d.Models[m].Name, j)
		}
	}
	return n
}
