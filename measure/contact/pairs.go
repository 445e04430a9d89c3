// Pairs of residues with the scores of every head.

package contact

import (
	"fmt"
)

// Pairs are the pairs of residues of a sequence with known contact state, each with a score by every
// head.
type Pairs struct {
	Heads    int
	X        []float32 // [pairs, Heads]: symmetric and corrected by [Scores.APC]
	I, J     []int32   // the residues, I < J
	Touching []bool
	Residues int // of the sequence
	Resolved int // with coordinates
	Chains   []int8
}

// Len is the number of pairs.
func (p *Pairs) Len() int { return len(p.I) }

// HeadPairs scores the pairs at least so far from each other by every head of attention [heads,
// length, length] over the tokens to keep. Errors as for [Heads], and contacts of another number of
// residues.
func HeadPairs(attention []float32, heads, length int, keep []int, truth *Contacts, least int) (*Pairs, error) {
	if heads < 1 || len(attention) != heads*length*length || truth.N != len(keep) {
		return nil, fmt.Errorf(
			"%d attention values and contacts of %d residues, want %d heads of %d × %d and %d residues",
			len(attention), truth.N, heads, length, length, len(keep))
	}
	p := &Pairs{Heads: heads, Residues: truth.N, Resolved: truth.Resolved, Chains: truth.Chains}
	for i := range truth.N {
		for j := i + max(least, 1); j < truth.N; j++ {
			if state := truth.Pairs[i*truth.N+j]; state != Unknown {
				p.I, p.J, p.Touching = append(p.I, int32(i)), append(p.J, int32(j)), append(p.Touching, state == Touching)
			}
		}
	}
	p.X = make([]float32, p.Len()*heads)
	for h := range heads {
		s, err := Heads(attention[h*length*length:(h+1)*length*length], 1, length, keep)
		if err != nil {
			return nil, fmt.Errorf("head %d: %w", h, err)
		}
		for k := range p.I {
			p.X[k*heads+h] = float32(s.Values[int(p.I[k])*s.N+int(p.J[k])])
		}
	}
	return p, nil
}

// Precisions ranks the pairs by a regression, see [Precisions]. Errors: a regression on another number of
// heads.
func (p *Pairs) Precisions(l *Logistic, ranges []Range) ([]Precision, error) {
	if len(l.Coefficients) != p.Heads {
		return nil, fmt.Errorf("pairs have %d heads, but the regression has %d", p.Heads, len(l.Coefficients))
	}
	n := p.Residues
	s := &Scores{N: n, Values: make([]float64, n*n)}
	truth := &Contacts{N: n, Pairs: make([]int8, n*n), Chains: p.Chains, Resolved: p.Resolved}
	for k := range truth.Pairs {
		truth.Pairs[k] = Unknown
	}
	for k := range p.I {
		cell := int(p.I[k])*n + int(p.J[k])
		s.Values[cell] = l.Logit(p.X[k*p.Heads : (k+1)*p.Heads])
		truth.Pairs[cell] = apart
		if p.Touching[k] {
			truth.Pairs[cell] = Touching
		}
	}
	return Precisions(s, truth, ranges)
}
