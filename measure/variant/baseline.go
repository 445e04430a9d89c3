// Scores of substitutions that need no model.

package variant

import (
	"fmt"
	"math"
)

// residues are the rows and columns of blosum62.
const residues = "ARNDCQEGHILKMFPSTWYV"

// blosum62 holds the scores of Henikoff and Henikoff (1992, "Amino acid substitution matrices
// from protein blocks"), in half bits, rounded.
var blosum62 = [20][20]int8{
	{4, -1, -2, -2, 0, -1, -1, 0, -2, -1, -1, -1, -1, -2, -1, 1, 0, -3, -2, 0},
	{-1, 5, 0, -2, -3, 1, 0, -2, 0, -3, -2, 2, -1, -3, -2, -1, -1, -3, -2, -3},
	{-2, 0, 6, 1, -3, 0, 0, 0, 1, -3, -3, 0, -2, -3, -2, 1, 0, -4, -2, -3},
	{-2, -2, 1, 6, -3, 0, 2, -1, -1, -3, -4, -1, -3, -3, -1, 0, -1, -4, -3, -3},
	{0, -3, -3, -3, 9, -3, -4, -3, -3, -1, -1, -3, -1, -2, -3, -1, -1, -2, -2, -1},
	{-1, 1, 0, 0, -3, 5, 2, -2, 0, -3, -2, 1, 0, -3, -1, 0, -1, -2, -1, -2},
	{-1, 0, 0, 2, -4, 2, 5, -2, 0, -3, -3, 1, -2, -3, -1, 0, -1, -3, -2, -2},
	{0, -2, 0, -1, -3, -2, -2, 6, -2, -4, -4, -2, -3, -3, -2, 0, -2, -2, -3, -3},
	{-2, 0, 1, -1, -3, 0, 0, -2, 8, -3, -3, -1, -2, -1, -2, -1, -2, -2, 2, -3},
	{-1, -3, -3, -3, -1, -3, -3, -4, -3, 4, 2, -3, 1, 0, -3, -2, -1, -3, -1, 3},
	{-1, -2, -3, -4, -1, -2, -3, -4, -3, 2, 4, -2, 2, 0, -3, -2, -1, -2, -1, 1},
	{-1, 2, 0, -1, -3, 1, 1, -2, -1, -3, -2, 5, -1, -3, -1, 0, -1, -3, -2, -2},
	{-1, -1, -2, -3, -1, 0, -2, -3, -2, 1, 2, -1, 5, 0, -2, -1, -1, -1, -1, 1},
	{-2, -3, -3, -3, -2, -3, -3, -3, -1, 0, 0, -3, 0, 6, -4, -2, -2, 1, 3, -1},
	{-1, -2, -2, -1, -3, -1, -1, -2, -2, -3, -3, -1, -2, -4, 7, -1, -1, -4, -3, -2},
	{1, -1, 1, 0, -1, 0, 0, 0, -1, -2, -2, 0, -1, -2, -1, 4, 1, -3, -2, -2},
	{0, -1, 0, -1, -1, -1, -1, -2, -2, -1, -1, -1, -1, -2, -1, 1, 5, -2, -2, 0},
	{-3, -3, -4, -4, -2, -2, -3, -2, -2, -3, -2, -3, -1, 1, -4, -3, -2, 11, 2, -3},
	{-2, -2, -2, -3, -2, -1, -2, -3, 2, -1, -1, -2, -1, 3, -3, -2, -2, 2, 7, -1},
	{0, -3, -3, -3, -1, -2, -2, -3, -3, 3, 1, -2, 1, -1, -2, -2, 0, -3, -1, 4},
}

// rowOf is 1 + the row of a letter; 0 for any other letter than the twenty amino acids.
var rowOf = func() (rows [256]uint8) {
	for i := range len(residues) {
		rows[residues[i]] = uint8(i + 1)
	}
	return rows
}()

// substitutionScore is the score of a residue in the place of another, in half bits. ok is false of
// letters other than the twenty amino acids.
func substitutionScore(from, to byte) (score int, ok bool) {
	a, b := rowOf[from], rowOf[to]
	if a == 0 || b == 0 {
		return 0, false
	}
	return int(blosum62[a-1][b-1]), true
}

// Similarity is how like the wild type a variant is by BLOSUM62: Σ B(from, to) − B(from, from)
// over its mutations, the score of the variant aligned to the wild type less the score of the wild
// type aligned to itself. 0 for the wild type, negative otherwise; NaN where a letter is no amino acid.
func Similarity(mutations []Mutation) float64 {
	sum := 0
	for _, m := range mutations {
		other, ok := substitutionScore(m.From, m.To)
		self, defined := substitutionScore(m.From, m.From)
		if !ok || !defined {
			return math.NaN()
		}
		sum += other - self
	}
	return float64(sum)
}

// Frequencies count residues at places that sequences share, such as a position of a region.
type Frequencies[P comparable] struct{ counts map[frequency[P]]int }

type frequency[P comparable] struct {
	place   P
	residue byte
}

// Add counts a residue.
func (f *Frequencies[P]) Add(place P, residue byte) {
	if f.counts == nil {
		f.counts = map[frequency[P]]int{}
	}
	f.counts[frequency[P]{place, residue}]++
}

// LogRatio is ln (n_to + 1)/(n_from + 1) of the counts at a place: how much more often one
// residue is there than the other, in nats. A residue that was never seen counts once.
func (f *Frequencies[P]) LogRatio(place P, from, to byte) float64 {
	n := func(r byte) float64 { return float64(f.counts[frequency[P]{place, r}] + 1) }
	return math.Log(n(to)) - math.Log(n(from))
}

// LogRatio is ln p(to) − ln p(from) of the softmax of logits [V], in nats, which is the difference
// of two logits. A logit of −Inf is a token that cannot be: −Inf where that is to, +Inf where it is
// from. Errors: tokens outside the vocabulary, logits of them that are NaN or +Inf, or both −Inf.
func LogRatio(logits []float32, from, to int) (float64, error) {
	for _, t := range [2]int{from, to} {
		if t < 0 || t >= len(logits) {
			return math.NaN(), fmt.Errorf("token %d, want an index below the %d logits", t, len(logits))
		}
		if v := float64(logits[t]); math.IsNaN(v) || math.IsInf(v, 1) {
			return math.NaN(), fmt.Errorf("the logit of token %d is %v", t, v)
		}
	}
	d := float64(logits[to]) - float64(logits[from])
	if math.IsNaN(d) {
		return d, fmt.Errorf("the logits of tokens %d and %d are both −Inf", from, to)
	}
	return d, nil
}
