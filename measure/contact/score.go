// Scores of pairs of residues from attention.

package contact

import (
	"fmt"
	"math"
)

// Scores are symmetric scores [N, N] of pairs of residues: the higher, the sooner they touch.
type Scores struct {
	N      int
	Values []float64
}

// Heads scores pairs by attention [heads, length, length]: the mean of the heads over the
// square of the tokens to keep, which are ascending, made symmetric and corrected by [Scores.APC].
// Errors: a length that does not match, a token outside, attention that is not finite.
func Heads(attention []float32, heads, length int, keep []int) (*Scores, error) {
	if heads < 1 || len(attention) != heads*length*length {
		return nil, fmt.Errorf("%d attention values, want %d heads of %d × %d", len(attention), heads, length, length)
	}
	s, err := newScores(length, keep)
	if err != nil {
		return nil, err
	}
	for h := range heads {
		if err := s.add(attention[h*length*length:], length, keep); err != nil {
			return nil, fmt.Errorf("head %d: %w", h, err)
		}
	}
	for k := range s.Values {
		s.Values[k] /= float64(heads)
	}
	s.Symmetrize()
	s.APC()
	return s, nil
}

// Given are scores [length, length] that a model gives itself: the square of the tokens to
// keep, made symmetric. Errors as for [Heads].
func Given(scores []float32, length int, keep []int) (*Scores, error) {
	if len(scores) != length*length {
		return nil, fmt.Errorf("%d contact scores, want %d × %d", len(scores), length, length)
	}
	s, err := newScores(length, keep)
	if err != nil {
		return nil, err
	}
	if err := s.add(scores, length, keep); err != nil {
		return nil, err
	}
	s.Symmetrize()
	return s, nil
}

func newScores(length int, keep []int) (*Scores, error) {
	for k, i := range keep {
		if i < 0 || i >= length || k > 0 && i <= keep[k-1] {
			return nil, fmt.Errorf("token %d to keep is %d, want ascending indices below %d", k, i, length)
		}
	}
	return &Scores{N: len(keep), Values: make([]float64, len(keep)*len(keep))}, nil
}

// add adds the square of the kept tokens.
func (s *Scores) add(square []float32, length int, keep []int) error {
	for a, i := range keep {
		row := s.Values[a*s.N : (a+1)*s.N]
		for b, j := range keep {
			v := float64(square[i*length+j])
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("the score of tokens %d and %d is %v", i, j, v)
			}
			row[b] += v
		}
	}
	return nil
}

// Symmetrize replaces every score by the mean of both directions, (s_ij + s_ji)/2.
func (s *Scores) Symmetrize() {
	for i := range s.N {
		for j := range i {
			mean := (s.Values[i*s.N+j] + s.Values[j*s.N+i]) / 2
			s.Values[i*s.N+j], s.Values[j*s.N+i] = mean, mean
		}
	}
}

// APC is the average product correction: it subtracts s_i·s_j/s of the mean score s_i of every
// residue and the mean s of all, the part of a score that residues have whoever their partner
// is. The diagonal counts in the means. Scores whose mean is 0 stay as they are. S. D. Dunn, L. M. Wahl
// and G. B. Gloor, "Mutual information without the influence of phylogeny or entropy
// dramatically improves residue contact prediction", Bioinformatics 24 (2008).
func (s *Scores) APC() {
	rows, columns := make([]float64, s.N), make([]float64, s.N)
	total := 0.0
	for i := range s.N {
		for j, v := range s.Values[i*s.N : (i+1)*s.N] {
			rows[i] += v
			columns[j] += v
		}
		total += rows[i]
	}
	if total == 0 {
		return
	}
	for i := range s.N {
		row := s.Values[i*s.N : (i+1)*s.N]
		for j := range row {
			row[j] -= rows[i] * columns[j] / total
		}
	}
}
