// How many of the sets are distinct, at their number and at smaller ones.

package set

import (
	"fmt"
	"math"

	"repscope/stat"
)

// Distinct says which of N sets are equal.
type Distinct struct {
	// Class is the number of every set's class of equal sets, in order of their first
	// occurrence.
	Class []int
	// Sizes are the numbers of sets in the classes.
	Sizes []int
}

// Distinct finds the classes of equal sets.
func (s *Sets) Distinct() Distinct {
	d, classes := Distinct{Class: make([]int, s.N)}, make(map[string]int, s.N)
	key := make([]byte, 8*s.words)
	for i := range s.N {
		class, seen := classes[string(s.key(i, key))]
		if !seen {
			class = len(d.Sizes)
			classes[string(key)] = class
			d.Sizes = append(d.Sizes, 0)
		}
		d.Class[i] = class
		d.Sizes[class]++
	}
	return d
}

// key writes set i into key and returns it.
func (s *Sets) key(i int, key []byte) []byte {
	for w, word := range s.row(i) {
		for b := range 8 {
			key[8*w+b] = byte(word >> (8 * b))
		}
	}
	return key
}

// Unique returns the number of classes.
func (d Distinct) Unique() int { return len(d.Sizes) }

// Ratio returns classes/N, from 1/N, all sets equal, to 1; NaN for no sets.
func (d Distinct) Ratio() float64 { return float64(len(d.Sizes)) / float64(len(d.Class)) }

// First reports of every set whether no earlier one equals it: one set of each class.
func (d Distinct) First() []bool {
	first, seen := make([]bool, len(d.Class)), make([]bool, len(d.Sizes))
	for i, class := range d.Class {
		first[i] = !seen[class]
		seen[class] = true
	}
	return first
}

// RatioWithout returns the ratio of the sets outside each block; NaN where none are left.
// The ratio falls with the number of sets, so the deletions estimate its variation
// at about this number (jackknife with blocks of equal sizes); where blocks differ much
// in size, jackknife [Distinct.At] at a common number.
func (d Distinct) RatioWithout(blocks *stat.Blocks) ([]float64, error) {
	return d.without(blocks, func(sizes []int, rest int) float64 {
		unique := 0
		for _, size := range sizes {
			if size > 0 {
				unique++
			}
		}
		return float64(unique) / float64(rest)
	})
}

// AtWithout returns [Distinct.At] of k for the sets outside each block; NaN where fewer
// than k are left.
func (d Distinct) AtWithout(blocks *stat.Blocks, k int) ([]float64, error) {
	return d.without(blocks, func(sizes []int, rest int) float64 {
		if k > rest {
			return math.NaN()
		}
		return rarefied(sizes, rest, k) / float64(k)
	})
}

// without computes a function of the sizes of the classes, and of their sum, for the sets
// outside each block.
func (d Distinct) without(blocks *stat.Blocks, f func(sizes []int, rest int) float64) ([]float64, error) {
	if labels := blocks.Labels(); len(labels) != len(d.Class) {
		return nil, fmt.Errorf("blocks of %d sets for %d sets", len(labels), len(d.Class))
	}
	out, sizes := make([]float64, blocks.Count()), append([]int(nil), d.Sizes...)
	for b := range out {
		members := blocks.Block(b)
		for _, i := range members {
			sizes[d.Class[i]]--
		}
		out[b] = f(sizes, len(d.Class)-len(members))
		for _, i := range members {
			sizes[d.Class[i]]++
		}
	}
	return out, nil
}

// At returns unique@k, the expected share of distinct sets among k of the N drawn without
// replacement, E/k with
//
//	E = Σ_c [1 − C(N − m_c, k)/C(N, k)]
//
// over the classes c of m_c sets (Hurlbert 1971, "The nonconcept of species diversity"):
// exactly, without drawing. It is [Distinct.Ratio] at k = N. Errors: k < 1 or k > N.
func (d Distinct) At(k int) (float64, error) {
	if k < 1 || k > len(d.Class) {
		return 0, fmt.Errorf("unique@%d of %d sets", k, len(d.Class))
	}
	return rarefied(d.Sizes, len(d.Class), k) / float64(k), nil
}

// Curve returns the rarefaction curve: the expected numbers of distinct sets among k of
// the N drawn without replacement, for each k of ks, each from 1 to N.
func (d Distinct) Curve(ks []int) ([]float64, error) {
	out := make([]float64, len(ks))
	for i, k := range ks {
		share, err := d.At(k)
		if err != nil {
			return nil, err
		}
		out[i] = share * float64(k)
	}
	return out, nil
}

// rarefied is the expected number of distinct sets among k of n that are of classes of the
// given sizes.
func rarefied(sizes []int, n, k int) float64 {
	counts := map[int]int{} // classes by size: few sizes are taken
	largest := 0
	for _, m := range sizes {
		if m > 0 {
			counts[m]++
			largest = max(largest, m)
		}
	}
	sum, missed := 0.0, 1.0 // the chance that a class of m is missed: Π_{t<m} (n−k−t)/(n−t)
	for m := 1; m <= largest; m++ {
		missed *= max(0, float64(n-k-m+1)) / float64(n-m+1)
		sum += float64(counts[m]) * (1 - missed)
	}
	return sum
}
