// Measured variants of the sequences of a dataset.

package sequence

import "repscope/measure/variant"

// Substitutions are variants of sequences of a dataset, with their measured effects.
type Substitutions struct {
	Assays []*Assay
	At     map[int][]int // the assays of a wild type, by its index
	Wanted map[int]bool  // wild types, and variants that are sequences of the dataset
	Digest string        // of what they were read from, for the identity of the work
}

// Assay are variants of one sequence that were measured together. Lists have an element for each.
type Assay struct {
	Name, Protein, Function string
	WildType                Record
	Letters                 []byte // residues of the wild type
	Variants                []MeasuredVariant
	Measured                []float64
	Fit                     []bool    // nil: the table does not say it
	Germline                []float64 // distances to it; nil where they are not known
	Frequencies             []float64 // the score by position frequencies
	Cluster                 []string
	Clustered               bool // that the table says it
	Unmeasured              int  // rows without a measurement
}

// MeasuredVariant is a variant of an assay.
type MeasuredVariant struct {
	Mutations []variant.Mutation // positions count as in the table
	Sites     []Site
	Sequence  int // the index of the variant in the dataset; −1 if it is none
}

// Site is a substitution as the model sees it.
type Site struct {
	Position int // of the token in the sequence
	Residue  int // number of the residue, without special tokens
	From, To int // tokens
}

// Unmeasured is the number of rows without a measurement, which were left out.
func (s *Substitutions) Unmeasured() int {
	n := 0
	for i := range s.Assays {
		n += s.Assays[i].Unmeasured
	}
	return n
}
