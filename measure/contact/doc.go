// Package contact measures what a model of sequences knows of structure: which pairs of
// residues touch, by their attention or by scores of its own, and how much attention passes
// between two chains.
//
//	truth, err := contact.Truth(coordinates, contact.Threshold)        // of n residues
//	score, err := contact.Heads(attention, heads, n+2, residues)       // mean of heads, symmetric, APC
//	ranked, err := contact.Precisions(score, truth, contact.Standard(6)) // of ranges of pairs
//	fmt.Println(ranked[0].At(10)) // P@L
package contact
