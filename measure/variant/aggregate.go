// Means over assays, proteins and functions.

package variant

import (
	"math"

	"repscope/points"
	"repscope/stat"
)

// Assay is a number of one assay, and what the assay is of.
type Assay struct {
	Protein, Function string
	Value             float64 // NaN: not defined; it is left out
}

// Levels are the means of a number of several assays at every level of aggregation. Assays
// whose number is not defined are left out; a mean of none is NaN.
type Levels struct {
	Assays int // in the means
	// AssayMean is the mean over assays: one with many siblings counts as any other.
	AssayMean float64
	// ProteinMean is the mean over proteins of the means over their assays.
	ProteinMean float64
	// FunctionMean is the mean over functions of the means over proteins of the means over
	// assays of a protein and a function: what ProteinGym ranks models by. A protein with
	// assays of two functions counts in both.
	FunctionMean float64
	// Proteins and Functions are the means that these are of, in the order in which they
	// first appear.
	Proteins, Functions []Group
}

// Group is the mean of a group.
type Group struct {
	Name  string
	Count int     // of what the mean is over: assays of a protein, proteins of a function
	Value float64 // NaN without any
}

// Aggregate takes the means.
func Aggregate(assays []Assay) Levels {
	type key struct{ protein, function string }
	var values []float64
	var proteins []string
	var both []key
	for _, a := range assays {
		if !math.IsNaN(a.Value) {
			values, proteins = append(values, a.Value), append(proteins, a.Protein)
			both = append(both, key{a.Protein, a.Function})
		}
	}
	l := Levels{Assays: len(values), AssayMean: stat.Mean(values)}
	l.Proteins, l.ProteinMean = groups(proteins, values)
	// Every pair of a protein and a function has one value, the mean of its assays.
	numbers, count := points.Numbered(both)
	functions, ofPair := make([]string, count), make([]float64, count)
	for pair, members := range points.Grouped(numbers, len(numbers)) {
		functions[pair] = both[members[0]].function
		ofPair[pair] = meanOf(members, values)
	}
	l.Functions, l.FunctionMean = groups(functions, ofPair)
	return l
}

// groups are the means of the values with equal labels, and their mean.
func groups(labels []string, values []float64) (out []Group, mean float64) {
	numbers, _ := points.Numbered(labels)
	var means []float64
	for _, members := range points.Grouped(numbers, len(numbers)) {
		g := Group{labels[members[0]], len(members), meanOf(members, values)}
		out, means = append(out, g), append(means, g.Value)
	}
	return out, stat.Mean(means)
}

func meanOf(members []int, values []float64) float64 {
	picked := make([]float64, len(members))
	for k, i := range members {
		picked[k] = values[i]
	}
	return stat.Mean(picked)
}
